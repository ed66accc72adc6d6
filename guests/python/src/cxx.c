/* C++ without exceptions: its library was built without them, and what would throw ends the process. */
#include <stdio.h>
#include <stdlib.h>

void *__cxa_allocate_exception(size_t size)
{
    return malloc(size);
}

_Noreturn void __cxa_throw(void *exception, void *type, void (*destroy)(void *))
{
    fputs("an exception of C++ was thrown, and nothing can catch it here\n", stderr);
    abort();
}
