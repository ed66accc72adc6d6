#ifndef CODEPOD_STDLIB_H
#define CODEPOD_STDLIB_H

#include_next <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

int system(const char *);

#ifdef __cplusplus
}
#endif

#endif
