/* Waits in a function of a template that is inlined. It says itself in which lines it calls. */
#include <unistd.h>

extern "C" {
volatile int inner_line, outer_line, main_line, arrived;
}

namespace halo {
template <typename T> class Grid {
public:
    [[gnu::noinline]] void exchange(T value);

private:
    [[gnu::always_inline]] inline void wait(T value);
    T sum = 0;
};

template <typename T> void Grid<T>::wait(T value)
{
    sum += value;
    inner_line = __LINE__ + 3;
    arrived = 1;
    for (;;)
        pause();
}

template <typename T> void Grid<T>::exchange(T value)
{
    outer_line = __LINE__ + 1;
    wait(value);
}
} // namespace halo

int main()
{
    halo::Grid<double> grid;
    main_line = __LINE__ + 1;
    grid.exchange(1.5);
    return 0;
}
