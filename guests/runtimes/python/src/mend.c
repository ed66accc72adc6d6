/* Upstream's mistakes that only WebAssembly minds.
 *
 * `operator.methodcaller` gives the garbage collector a function that returns nothing where one that returns a number is called (`tp_clear`,
 * Modules/_operator.c). Natively nobody notices; here a call through a pointer of another type is a trap, so every program that leaves a
 * methodcaller in a cycle, as those that use jsonschema do, ended with SIGILL. To be removed when upstream's function returns a number: calling it
 * from here would then be the trap.
 */
#include <Python.h>

#include "mend.h"

static void (*upstreams_clear)(PyObject *);

static int clear_methodcaller(PyObject *object)
{
    upstreams_clear(object);
    return 0;
}

int codepod_mend(void)
{
    PyObject *module = PyImport_ImportModule("_operator");
    PyObject *type = module != NULL ? PyObject_GetAttrString(module, "methodcaller") : NULL;
    if (type != NULL && ((PyTypeObject *)type)->tp_clear != clear_methodcaller) {
        upstreams_clear = (void *)((PyTypeObject *)type)->tp_clear;
        ((PyTypeObject *)type)->tp_clear = clear_methodcaller;
    }
    Py_XDECREF(type);
    Py_XDECREF(module);
    return type != NULL;
}
