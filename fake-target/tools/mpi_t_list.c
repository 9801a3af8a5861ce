/*
 * mpi_t_list - lists what an MPI library offers through its tool information interface: control
 * variables with their values, performance variables, categories, and event types.
 *
 * It uses only functions of MPI and works with any MPI since 3.0; events need 4.0.
 *
 * SPDX-License-Identifier: Apache-2.0 OR MIT
 */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] = "Usage: mpi_t_list [--json] [--init] [--no-descriptions]\n"
                            "\n"
                            "Lists the control variables, performance variables, categories and "
                            "event types of the MPI library.\n"
                            "\n"
                            "  --json             as one JSON object instead of tables\n"
                            "  --init             start MPI first: some libraries show more then\n"
                            "  --no-descriptions  tables without the descriptions\n"
                            "  --help             this text\n";

static int json, descriptions = 1;

/* A call that must succeed. */
static void must(int code, const char *what)
{
    if (code != MPI_SUCCESS) {
        fprintf(stderr, "mpi_t_list: %s failed with the error code %d\n", what, code);
        exit(1);
    }
}

#define MUST(call) must(call, #call)

/* Room for a text of any length: called without a buffer, the functions return the length. */
static char *room(int length)
{
    char *text = calloc((size_t)(length > 0 ? length : 1), 1);
    if (!text) {
        fprintf(stderr, "mpi_t_list: out of memory\n");
        exit(1);
    }
    return text;
}

struct named {
    int value;
    const char *name;
};

static const char *name_of(const struct named *names, int value)
{
    for (; names->name; names++)
        if (names->value == value)
            return names->name;
    return "unknown";
}

static const struct named VERBOSITIES[] = {{MPI_T_VERBOSITY_USER_BASIC, "user_basic"},
                                           {MPI_T_VERBOSITY_USER_DETAIL, "user_detail"},
                                           {MPI_T_VERBOSITY_USER_ALL, "user_all"},
                                           {MPI_T_VERBOSITY_TUNER_BASIC, "tuner_basic"},
                                           {MPI_T_VERBOSITY_TUNER_DETAIL, "tuner_detail"},
                                           {MPI_T_VERBOSITY_TUNER_ALL, "tuner_all"},
                                           {MPI_T_VERBOSITY_MPIDEV_BASIC, "mpidev_basic"},
                                           {MPI_T_VERBOSITY_MPIDEV_DETAIL, "mpidev_detail"},
                                           {MPI_T_VERBOSITY_MPIDEV_ALL, "mpidev_all"},
                                           {0, NULL}};
static const struct named SCOPES[] = {
    {MPI_T_SCOPE_CONSTANT, "constant"}, {MPI_T_SCOPE_READONLY, "readonly"},
    {MPI_T_SCOPE_LOCAL, "local"},       {MPI_T_SCOPE_GROUP, "group"},
    {MPI_T_SCOPE_GROUP_EQ, "group_eq"}, {MPI_T_SCOPE_ALL, "all"},
    {MPI_T_SCOPE_ALL_EQ, "all_eq"},     {0, NULL}};
static const struct named BINDINGS[] = {{MPI_T_BIND_NO_OBJECT, "nothing"},
                                        {MPI_T_BIND_MPI_COMM, "communicator"},
                                        {MPI_T_BIND_MPI_DATATYPE, "datatype"},
                                        {MPI_T_BIND_MPI_ERRHANDLER, "errhandler"},
                                        {MPI_T_BIND_MPI_FILE, "file"},
                                        {MPI_T_BIND_MPI_GROUP, "group"},
                                        {MPI_T_BIND_MPI_OP, "op"},
                                        {MPI_T_BIND_MPI_REQUEST, "request"},
                                        {MPI_T_BIND_MPI_WIN, "window"},
                                        {MPI_T_BIND_MPI_MESSAGE, "message"},
                                        {MPI_T_BIND_MPI_INFO, "info"},
                                        {0, NULL}};
static const struct named CLASSES[] = {{MPI_T_PVAR_CLASS_STATE, "state"},
                                       {MPI_T_PVAR_CLASS_LEVEL, "level"},
                                       {MPI_T_PVAR_CLASS_SIZE, "size"},
                                       {MPI_T_PVAR_CLASS_PERCENTAGE, "percentage"},
                                       {MPI_T_PVAR_CLASS_HIGHWATERMARK, "highwatermark"},
                                       {MPI_T_PVAR_CLASS_LOWWATERMARK, "lowwatermark"},
                                       {MPI_T_PVAR_CLASS_COUNTER, "counter"},
                                       {MPI_T_PVAR_CLASS_AGGREGATE, "aggregate"},
                                       {MPI_T_PVAR_CLASS_TIMER, "timer"},
                                       {MPI_T_PVAR_CLASS_GENERIC, "generic"},
                                       {0, NULL}};

/* The datatypes of the interface. In some MPI libraries they are not constant expressions, so they
 * are compared one by one. */
static const char *datatype_name(MPI_Datatype type)
{
    return type == MPI_INT                  ? "int"
           : type == MPI_UNSIGNED           ? "unsigned"
           : type == MPI_UNSIGNED_LONG      ? "unsigned long"
           : type == MPI_UNSIGNED_LONG_LONG ? "unsigned long long"
           : type == MPI_COUNT              ? "count"
           : type == MPI_CHAR               ? "char"
           : type == MPI_DOUBLE             ? "double"
                                            : "other";
}

/* JSON */

static int first = 1;

static void json_text(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < 0x20)
            printf("\\u%04x", *c);
        else
            putchar(*c);
    }
    putchar('"');
}

static void comma(void)
{
    if (!first)
        putchar(',');
    first = 0;
}

static void key(const char *name)
{
    comma();
    json_text(name);
    putchar(':');
}

static void open_with(char bracket)
{
    putchar(bracket);
    first = 1;
}

static void close_with(char bracket)
{
    putchar(bracket);
    first = 0;
}

static void member(const char *name, const char *value)
{
    key(name);
    json_text(value);
}

static void member_int(const char *name, long long value)
{
    key(name);
    printf("%lld", value);
}

static void member_bool(const char *name, int value)
{
    key(name);
    fputs(value ? "true" : "false", stdout);
}

/* Tables */

static void heading(const char *title, int count)
{
    printf("%s: %d\n\n", title, count);
}

static void description(const char *text)
{
    if (descriptions && *text)
        printf("        %s\n", text);
}

/* Enumerations */

static void json_enumeration(MPI_T_enum enumeration)
{
    int items = 0, length = 0;
    if (enumeration == MPI_T_ENUM_NULL ||
        MPI_T_enum_get_info(enumeration, &items, NULL, &length) != MPI_SUCCESS)
        return;
    key("values");
    open_with('{');
    for (int i = 0; i < items; i++) {
        int value, name_length = 0;
        if (MPI_T_enum_get_item(enumeration, i, &value, NULL, &name_length) != MPI_SUCCESS)
            continue;
        char *name = room(name_length);
        MPI_T_enum_get_item(enumeration, i, &value, name, &name_length);
        member_int(name, value);
        free(name);
    }
    close_with('}');
}

/* The name of a value, or the value as a number if it has no name. */
static void value_name(MPI_T_enum enumeration, int value, char *text, size_t size)
{
    int items = 0, length = 0;
    snprintf(text, size, "%d", value);
    if (enumeration == MPI_T_ENUM_NULL ||
        MPI_T_enum_get_info(enumeration, &items, NULL, &length) != MPI_SUCCESS)
        return;
    for (int i = 0; i < items; i++) {
        int its, room_left = (int)size;
        char name[128];
        int name_length = (int)sizeof name;
        if (MPI_T_enum_get_item(enumeration, i, &its, name, &name_length) == MPI_SUCCESS &&
            its == value)
            snprintf(text, (size_t)room_left, "%s", name);
    }
}

/* Control variables */

/* The value of a variable that is not bound to an object, as text; empty if it cannot be read. */
static void cvar_value(int index, MPI_Datatype type, MPI_T_enum enumeration, int bind, char *text,
                       size_t size)
{
    MPI_T_cvar_handle handle;
    int count;
    *text = 0;
    if (bind != MPI_T_BIND_NO_OBJECT ||
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return;
    /* Room for the largest datatype, and a terminator for texts without one. */
    char *value = calloc((size_t)(count > 0 ? count : 1) + 1, 16);
    if (value && count > 0 && MPI_T_cvar_read(handle, value) == MPI_SUCCESS) {
        if (type == MPI_CHAR)
            snprintf(text, size, "%s", value);
        else if (type == MPI_INT && count == 1)
            value_name(enumeration, *(int *)value, text, size);
        else
            for (int i = 0; i < count && strlen(text) + 32 < size; i++) {
                char *end = text + strlen(text);
                size_t left = size - strlen(text);
                const char *between = i ? ":" : "";
                if (type == MPI_INT)
                    snprintf(end, left, "%s%d", between, ((int *)value)[i]);
                else if (type == MPI_UNSIGNED)
                    snprintf(end, left, "%s%u", between, ((unsigned *)value)[i]);
                else if (type == MPI_UNSIGNED_LONG)
                    snprintf(end, left, "%s%lu", between, ((unsigned long *)value)[i]);
                else if (type == MPI_UNSIGNED_LONG_LONG)
                    snprintf(end, left, "%s%llu", between, ((unsigned long long *)value)[i]);
                else if (type == MPI_COUNT)
                    snprintf(end, left, "%s%lld", between, (long long)((MPI_Count *)value)[i]);
                else if (type == MPI_DOUBLE)
                    snprintf(end, left, "%s%g", between, ((double *)value)[i]);
            }
    }
    free(value);
    MPI_T_cvar_handle_free(&handle);
}

static void list_cvars(void)
{
    int count;
    MUST(MPI_T_cvar_get_num(&count));
    if (json) {
        key("control_variables");
        open_with('[');
    } else {
        heading("Control variables", count);
    }
    for (int i = 0; i < count; i++) {
        int name_length = 0, desc_length = 0, verbosity = 0, bind = MPI_T_BIND_NO_OBJECT, scope = 0;
        MPI_Datatype type = MPI_INT;
        MPI_T_enum enumeration = MPI_T_ENUM_NULL;
        if (MPI_T_cvar_get_info(i, NULL, &name_length, &verbosity, &type, &enumeration, NULL,
                                &desc_length, &bind, &scope) != MPI_SUCCESS)
            continue;
        char *name = room(name_length), *desc = room(desc_length), value[1024];
        MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &enumeration, desc,
                            &desc_length, &bind, &scope);
        if (type != MPI_INT)
            enumeration = MPI_T_ENUM_NULL;
        cvar_value(i, type, enumeration, bind, value, sizeof value);
        if (json) {
            comma();
            open_with('{');
            member_int("index", i);
            member("name", name);
            member("type", datatype_name(type));
            member("value", value);
            member("scope", name_of(SCOPES, scope));
            member("bind", name_of(BINDINGS, bind));
            member("verbosity", name_of(VERBOSITIES, verbosity));
            json_enumeration(enumeration);
            member("description", desc);
            close_with('}');
        } else {
            printf("    %-36s %-14s %-9s %-13s %-12s %s\n", name, name_of(VERBOSITIES, verbosity),
                   name_of(SCOPES, scope), name_of(BINDINGS, bind), datatype_name(type), value);
            description(desc);
        }
        free(name);
        free(desc);
    }
    if (json)
        close_with(']');
}

/* Performance variables */

static void list_pvars(void)
{
    int count;
    MUST(MPI_T_pvar_get_num(&count));
    if (json) {
        key("performance_variables");
        open_with('[');
    } else {
        printf("\n");
        heading("Performance variables", count);
    }
    for (int i = 0; i < count; i++) {
        int name_length = 0, desc_length = 0, verbosity, class, bind, readonly, continuous, atomic;
        MPI_Datatype type = MPI_INT;
        MPI_T_enum enumeration = MPI_T_ENUM_NULL;
        if (MPI_T_pvar_get_info(i, NULL, &name_length, &verbosity, &class, &type, &enumeration,
                                NULL, &desc_length, &bind, &readonly, &continuous,
                                &atomic) != MPI_SUCCESS)
            continue;
        char *name = room(name_length), *desc = room(desc_length);
        MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &class, &type, &enumeration, desc,
                            &desc_length, &bind, &readonly, &continuous, &atomic);
        if (json) {
            comma();
            open_with('{');
            member_int("index", i);
            member("name", name);
            member("class", name_of(CLASSES, class));
            member("type", datatype_name(type));
            member("bind", name_of(BINDINGS, bind));
            member("verbosity", name_of(VERBOSITIES, verbosity));
            member_bool("readonly", readonly);
            member_bool("continuous", continuous);
            member_bool("atomic", atomic);
            json_enumeration(type == MPI_INT ? enumeration : MPI_T_ENUM_NULL);
            member("description", desc);
            close_with('}');
        } else {
            printf("    %-36s %-13s %-14s %-13s %-14s%s%s%s\n", name, name_of(CLASSES, class),
                   name_of(VERBOSITIES, verbosity), name_of(BINDINGS, bind), datatype_name(type),
                   readonly ? " readonly" : "", continuous ? " continuous" : "",
                   atomic ? " atomic" : "");
            description(desc);
        }
        free(name);
        free(desc);
    }
    if (json)
        close_with(']');
}

/* Events */

#if MPI_VERSION >= 4

static void list_sources(void)
{
    int count;
    MUST(MPI_T_source_get_num(&count));
    if (json) {
        key("event_sources");
        open_with('[');
    } else {
        printf("\n");
        heading("Event sources", count);
    }
    for (int i = 0; i < count; i++) {
        int name_length = 0, desc_length = 0;
        MPI_T_source_order order;
        MPI_Count ticks, most;
        MUST(MPI_T_source_get_info(i, NULL, &name_length, NULL, &desc_length, &order, &ticks, &most,
                                   NULL));
        char *name = room(name_length), *desc = room(desc_length);
        MUST(MPI_T_source_get_info(i, name, &name_length, desc, &desc_length, &order, &ticks, &most,
                                   NULL));
        const char *ordered = order == MPI_T_SOURCE_ORDERED ? "ordered" : "unordered";
        if (json) {
            comma();
            open_with('{');
            member_int("index", i);
            member("name", name);
            member("ordering", ordered);
            member_int("ticks_per_second", (long long)ticks);
            member_int("max_ticks", (long long)most);
            member("description", desc);
            close_with('}');
        } else {
            printf("    %-36s %-14s %lld ticks per second\n", name, ordered, (long long)ticks);
            description(desc);
        }
        free(name);
        free(desc);
    }
    if (json)
        close_with(']');
}

static void list_events(void)
{
    int count;
    MUST(MPI_T_event_get_num(&count));
    if (json) {
        key("event_types");
        open_with('[');
    } else {
        printf("\n");
        heading("Event types", count);
    }
    for (int i = 0; i < count; i++) {
        int name_length = 0, desc_length = 0, verbosity, elements = 0, bind;
        MPI_T_enum names = MPI_T_ENUM_NULL;
        if (MPI_T_event_get_info(i, NULL, &name_length, &verbosity, NULL, NULL, &elements, &names,
                                 NULL, NULL, &desc_length, &bind) != MPI_SUCCESS)
            continue;
        char *name = room(name_length), *desc = room(desc_length);
        MPI_Datatype *types = calloc((size_t)elements + 1, sizeof *types);
        MPI_Aint *offsets = calloc((size_t)elements + 1, sizeof *offsets);
        if (!types || !offsets)
            exit(1);
        MPI_T_event_get_info(i, name, &name_length, &verbosity, types, offsets, &elements, &names,
                             NULL, desc, &desc_length, &bind);
        if (json) {
            comma();
            open_with('{');
            member_int("index", i);
            member("name", name);
            member("bind", name_of(BINDINGS, bind));
            member("verbosity", name_of(VERBOSITIES, verbosity));
            key("elements");
            open_with('[');
        } else {
            printf("    %-36s %-14s %-13s", name, name_of(VERBOSITIES, verbosity),
                   name_of(BINDINGS, bind));
        }
        for (int element = 0; element < elements; element++) {
            char element_name[128];
            value_name(names, element, element_name, sizeof element_name);
            if (json) {
                comma();
                open_with('{');
                member("name", element_name);
                member("type", datatype_name(types[element]));
                member_int("displacement", (long long)offsets[element]);
                close_with('}');
            } else {
                printf("%s %s %s", element ? "," : "", datatype_name(types[element]), element_name);
            }
        }
        if (json) {
            close_with(']');
            member("description", desc);
            close_with('}');
        } else {
            printf("\n");
            description(desc);
        }
        free(types);
        free(offsets);
        free(name);
        free(desc);
    }
    if (json)
        close_with(']');
}

#endif

/* Categories */

static void json_indices(const char *name, int count, int category, int (*get)(int, int, int[]))
{
    int *indices = calloc((size_t)count + 1, sizeof *indices);
    if (!indices)
        exit(1);
    key(name);
    open_with('[');
    if (get(category, count, indices) == MPI_SUCCESS)
        for (int i = 0; i < count; i++) {
            comma();
            printf("%d", indices[i]);
        }
    close_with(']');
    free(indices);
}

static void list_categories(void)
{
    int count;
    MUST(MPI_T_category_get_num(&count));
    if (json) {
        key("categories");
        open_with('[');
    } else {
        printf("\n");
        heading("Categories", count);
    }
    for (int i = 0; i < count; i++) {
        int name_length = 0, desc_length = 0, cvars = 0, pvars = 0, categories = 0, events = 0;
        if (MPI_T_category_get_info(i, NULL, &name_length, NULL, &desc_length, &cvars, &pvars,
                                    &categories) != MPI_SUCCESS)
            continue;
        char *name = room(name_length), *desc = room(desc_length);
        MPI_T_category_get_info(i, name, &name_length, desc, &desc_length, &cvars, &pvars,
                                &categories);
#if MPI_VERSION >= 4
        MPI_T_category_get_num_events(i, &events);
#endif
        if (json) {
            comma();
            open_with('{');
            member_int("index", i);
            member("name", name);
            json_indices("control_variables", cvars, i, MPI_T_category_get_cvars);
            json_indices("performance_variables", pvars, i, MPI_T_category_get_pvars);
            json_indices("categories", categories, i, MPI_T_category_get_categories);
#if MPI_VERSION >= 4
            json_indices("event_types", events, i, MPI_T_category_get_events);
#endif
            member("description", desc);
            close_with('}');
        } else {
            printf("    %-36s %3d control, %3d performance variables, %3d event types, %3d "
                   "categories\n",
                   name, cvars, pvars, events, categories);
            description(desc);
        }
        free(name);
        free(desc);
    }
    if (json)
        close_with(']');
}

int main(int argc, char **argv)
{
    int init = 0, provided;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            json = 1;
        } else if (strcmp(argv[i], "--init") == 0) {
            init = 1;
        } else if (strcmp(argv[i], "--no-descriptions") == 0) {
            descriptions = 0;
        } else if (strcmp(argv[i], "--help") == 0) {
            fputs(USAGE, stdout);
            return 0;
        } else {
            fprintf(stderr, "mpi_t_list: unknown option %s\n%s", argv[i], USAGE);
            return 2;
        }
    }
    if (init)
        MUST(MPI_Init(&argc, &argv));
    MUST(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    if (json) {
        char version[MPI_MAX_LIBRARY_VERSION_STRING];
        int length;
        open_with('{');
        MUST(MPI_Get_library_version(version, &length));
        member("library", version);
        member_int("mpi_version", MPI_VERSION);
    }
    list_cvars();
    list_pvars();
#if MPI_VERSION >= 4
    list_sources();
    list_events();
#endif
    list_categories();
    if (json)
        puts("}");
    MUST(MPI_T_finalize());
    if (init)
        MUST(MPI_Finalize());
    return 0;
}
