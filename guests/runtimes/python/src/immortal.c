/* Makes everything that the snapshot holds immortal: its reference counts are never written to. A program that only looks at what is there, its modules
 * and functions and names, then leaves their pages as they are, shared by all processes; each that is written to is copied, which costs 2.7 µs.
 */
#define Py_BUILD_CORE
#include "Python.h"

#include <stdlib.h>
#include <string.h>

/* Objects whose referents are still to be visited. */
static PyObject **left;
static size_t count, room;

static void push(PyObject *object)
{
    if (count == room) {
        room = room == 0 ? 1 << 16 : room * 2;
        left = realloc(left, room * sizeof *left);
        if (left == NULL) {
            Py_FatalError("no memory to visit all objects");
        }
    }
    left[count++] = object;
}

static int visit(PyObject *object, void *unused)
{
    (void)unused;
    if (object != NULL && !_Py_IsImmortal(object)) {
        object->ob_refcnt = _Py_IMMORTAL_INITIAL_REFCNT;
        push(object);
    }
    return 0;
}

static int visit_tracked(PyObject *object, void *unused)
{
    (void)unused;
    object->ob_refcnt = _Py_IMMORTAL_INITIAL_REFCNT;
    push(object);
    return 1;
}

static void visit_code(PyCodeObject *code)
{
    PyObject *parts[] = {code->co_consts,   code->co_names, code->co_exceptiontable, code->co_localsplusnames, code->co_localspluskinds,
                         code->co_filename, code->co_name,  code->co_qualname,       code->co_linetable};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        visit(parts[i], NULL);
    }
}

void codepod_make_immortal(void)
{
    PyUnstable_GC_VisitObjects(visit_tracked, NULL);
    while (count > 0) {
        PyObject *object = left[--count];
        if (PyCode_Check(object)) {
            visit_code((PyCodeObject *)object);
        }
        else if (PyObject_IS_GC(object) && Py_TYPE(object)->tp_traverse != NULL) {
            (void)Py_TYPE(object)->tp_traverse(object, visit, NULL);
        }
    }
    memset(left, 0, room * sizeof *left);
    free(left);
    left = NULL;
    room = 0;
}
