/* Fills what is free among the small objects of the snapshot. What a program allocates then lies in pools of its own, one beside the other, and not
 * in a hole here and a hole there: each page that is written to is a page that is copied, and that a session keeps.
 */
#define Py_BUILD_CORE
#include "Python.h"
#include "pycore_obmalloc.h"

void codepod_fill_holes(void)
{
    for (size_t size = ALIGNMENT; size <= SMALL_REQUEST_THRESHOLD; size += ALIGNMENT) {
        void *block;
        do {
            block = PyObject_Malloc(size);
        } while (block != NULL && POOL_ADDR(block)->ref.count > 1);
        /* The first of a pool that was empty: no other has room left. */
        PyObject_Free(block);
    }
}
