#include "report.h"

struct plugin_type {
    char lead;
    long value;
};

struct plugin_type plugin_data = {'x', 123456};

/* Nobody writes here. The linker makes it a segment of its own. */
__attribute__((section(".aside"))) long plugin_aside[512] = {1, 2, 3};

void plugin_report(void)
{
    SIZE("plugin_type", struct plugin_type);
    OFFSET("plugin_type", struct plugin_type, value);
    DATA(plugin_data);
    DATA(plugin_aside);
    FUNCTION(plugin_report);
    /* It may have a standard output of its own. */
    fflush(stdout);
}
