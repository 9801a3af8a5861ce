/* Types in every shape that C has; used by two units. */
#ifndef TYPES_H
#define TYPES_H

struct plain {
    char a;
    short b;
    int c;
    long d;
    long long e;
    void *f;
    double g;
    char name[13];
    struct plain *next;
};
typedef struct plain plain_t;
typedef const volatile plain_t qualified_t;

typedef struct {
    int first;
    plain_t inner;
    int last;
} tagless_t;

struct anonymous {
    int kind;
    union {
        long number;
        struct {
            short low;
            char high[3];
        };
    };
    int tail;
};

struct bits {
    int lead;
    int one : 3;
    int two : 7;
    int three : 14;
    long long wide : 33;
    int after;
};

union both {
    char c;
    long long number;
    struct plain plain;
};

enum color { RED, GREEN = 70000 };
typedef enum color color_t;
typedef int matrix_t[3][5];
typedef void *handle_t;

struct flexible {
    int count;
    long items[];
};

/* Defined in the library only. */
struct opaque;
typedef struct opaque opaque_t;

/* Both units have these types, so that dwz moves them to a common place. */
#define BULK(n) \
    struct bulk_##n { \
        struct bulk_##n *next; \
        int number_##n; \
        long value_##n[n]; \
        char text_##n[2 * n]; \
    }
BULK(1); BULK(2); BULK(3); BULK(4); BULK(5); BULK(6); BULK(7); BULK(8); BULK(9);
BULK(10); BULK(11); BULK(12); BULK(13); BULK(14); BULK(15); BULK(16); BULK(17); BULK(18);
BULK(19); BULK(20); BULK(21); BULK(22); BULK(23); BULK(24); BULK(25);
struct bulk {
    struct bulk_1 *b1; struct bulk_2 *b2; struct bulk_3 *b3; struct bulk_4 *b4;
    struct bulk_5 *b5; struct bulk_6 *b6; struct bulk_7 *b7; struct bulk_8 *b8;
    struct bulk_9 *b9; struct bulk_10 *b10; struct bulk_11 *b11; struct bulk_12 *b12;
    struct bulk_13 *b13; struct bulk_14 *b14; struct bulk_15 *b15; struct bulk_16 *b16;
    struct bulk_17 *b17; struct bulk_18 *b18; struct bulk_19 *b19; struct bulk_20 *b20;
    struct bulk_21 *b21; struct bulk_22 *b22; struct bulk_23 *b23; struct bulk_24 *b24;
    struct bulk_25 *b25;
};
static struct bulk bulk;

extern struct plain library_data;
extern const char library_constant[];
extern int library_counter;
extern long library_untouched[4096];
int library_function(opaque_t *object);
void library_report(void);
#endif
