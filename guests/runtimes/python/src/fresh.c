/* Lets programs allocate side by side. The snapshot has thousands of holes where its own objects were freed; a program that fills them writes to as many
 * pages, each of which is copied for it. So the holes count as taken when the snapshot or an image is made, and every size begins a page of its own, one
 * behind another.
 */
#define Py_BUILD_CORE
#include "Python.h"
#include "internal/pycore_interp.h"
#include "internal/pycore_obmalloc.h"
#include "internal/pycore_pystate.h"

#include <string.h>

/* What stands for the pools of a size that have room: see the comment on `usedpools` upstream. */
static poolp list_of(struct _obmalloc_state *state, uint size_class)
{
    return (poolp)((uint8_t *)&state->pools.used[2 * size_class] - 2 * sizeof(pymem_block *));
}

void codepod_start_fresh(void)
{
    struct _obmalloc_state *state = _PyInterpreterState_GET()->obmalloc;
    for (uint size_class = 0; size_class < NB_SMALL_SIZE_CLASSES; size_class++) {
        poolp list = list_of(state, size_class);
        for (poolp pool = list->nextpool, next; pool != list; pool = next) {
            next = pool->nextpool;
            /* As upstream leaves a pool that is full: it is in no list, and comes back when one of its blocks is freed. */
            pool->freeblock = NULL;
            pool->nextoffset = pool->maxnextoffset + 1;
            pool->ref.count = NUMBLOCKS(size_class);
        }
        list->nextpool = list->prevpool = list;
    }
    for (uint i = 0; i < state->mgmt.maxarenas; i++) {
        struct arena_object *arena = &state->mgmt.arenas[i];
        if (arena->address != 0) {
            arena->nfreepools = 0;
            arena->freepools = NULL;
        }
    }
    state->mgmt.usable_arenas = NULL;
    memset(state->mgmt.nfp2lasta, 0, sizeof state->mgmt.nfp2lasta);
    /* A block of each size stays, and with it a pool. */
    for (uint size_class = 0; size_class < NB_SMALL_SIZE_CLASSES; size_class++) {
        if (PyObject_Malloc(INDEX2SIZE(size_class)) == NULL) {
            Py_FatalError("no memory for fresh pools");
        }
    }
}
