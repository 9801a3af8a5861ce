/*
 * A program prints what its compiler and linker made of it. The tests compare this with what mqd
 * reads from outside.
 */
#ifndef REPORT_H
#define REPORT_H
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define SIZE(name, type) printf("size|%s|%lu\n", name, (unsigned long)sizeof(type))
#define OFFSET(name, type, field) \
    printf("offset|%s|%s|%lu\n", name, #field, (unsigned long)offsetof(type, field))
/* The byte in which a bit-field begins: the first in memory that changes with it. */
#define BITS(name, type, field)                                                      \
    do {                                                                             \
        union { type object; unsigned char bytes[sizeof(type)]; } u;                 \
        size_t i;                                                                    \
        memset(&u, 0, sizeof u);                                                     \
        u.object.field = -1;                                                         \
        for (i = 0; u.bytes[i] == 0; i++) {}                                         \
        printf("offset|%s|%s|%lu\n", name, #field, (unsigned long)i);                \
    } while (0)
#define FUNCTION(name) printf("function|%s|%lx\n", #name, (unsigned long)(size_t)name)
#define DATA(name) report_data(#name, &name, sizeof name)

static void report_data(const char *name, const volatile void *object, size_t size)
{
    const volatile unsigned char *bytes = object;
    size_t i;
    printf("data|%s|%lx|", name, (unsigned long)(size_t)object);
    for (i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}
#endif
