#ifndef CODEPOD_STDLIB_H
#define CODEPOD_STDLIB_H

#include_next <stdlib.h>

int system(const char *);

#endif
