#include "report.h"
#include "types.h"

struct opaque {
    long long before;
    struct plain content;
    short after;
};

/* The program has another structure of this name. */
struct twice {
    char library_lead[40];
    int value;
};

struct plain library_data = {'l', 2, -3, 4, -5, &library_data, 6.5, "library", &library_data};
const char library_constant[] = "read-only bytes of the library, which no core file has to hold";
int library_counter = 1;
long library_untouched[4096];
static struct twice library_twice = {"twice in the library", 77};

int library_function(opaque_t *object)
{
    library_twice.value += 1;
    return object ? object->after + library_twice.value : ++library_counter;
}

void library_report(void)
{
    bulk.b2 = 0;
    SIZE("opaque_t", opaque_t);
    OFFSET("opaque_t", opaque_t, before);
    OFFSET("opaque_t", opaque_t, content);
    OFFSET("opaque_t", opaque_t, after);
    SIZE("library:twice", struct twice);
    OFFSET("library:twice", struct twice, library_lead);
    OFFSET("library:twice", struct twice, value);
    DATA(library_data);
    DATA(library_constant);
    DATA(library_counter);
    FUNCTION(library_function);
}
