/* C++ without exceptions: its library was built without them, and nothing can catch them here. What would throw tells what it was and where, as Python
 * does of an error that nobody handles, and ends the process. So does what would jump out of functions (plots/include/setjmp.h).
 */
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <typeinfo>

#include <Python.h>

namespace __cxxabiv1 {
/* As libc++abi declares it: the only thing that tells whether a type is another's base. */
class __shim_type_info : public std::type_info {
public:
    virtual ~__shim_type_info();
    virtual void noop1() const;
    virtual void noop2() const;
    virtual bool can_catch(const __shim_type_info *thrown, void *&adjusted) const = 0;
};
extern "C" char *__cxa_demangle(const char *, char *, size_t *, int *);
}

extern "C" {

void *__cxa_allocate_exception(size_t size)
{
    return malloc(size);
}

[[noreturn]] static void end(const char *type, const char *what)
{
    PyErr_Clear();
    if (PyObject *output = PySys_GetObject("stdout"); output != nullptr) {
        Py_XDECREF(PyObject_CallMethod(output, "flush", nullptr));
    }
    PyErr_Clear();
    if (PyObject *names = PyEval_GetGlobals(); names != nullptr) {
        Py_XDECREF(PyRun_String("import traceback; traceback.print_stack(__import__('sys')._getframe(1))", Py_single_input, names, names));
    }
    PyErr_Clear();
    fprintf(stderr, "%s: %s\n(an error in C++ code, which cannot be caught here: the process ends)\n", type, what);
    fflush(stderr);
    _Exit(1);
}

[[noreturn]] void __cxa_throw(void *exception, std::type_info *type, void (*)(void *))
{
    using namespace __cxxabiv1;
    int status = 0;
    char *name = __cxa_demangle(type->name(), nullptr, nullptr, &status);
    void *adjusted = exception;
    const char *what = "";
    if (static_cast<const __shim_type_info *>(&typeid(std::exception))->can_catch(static_cast<const __shim_type_info *>(type), adjusted)) {
        what = static_cast<std::exception *>(adjusted)->what();
    }
    end(name != nullptr ? name : type->name(), what);
}

[[noreturn]] void longjmp(int *, int)
{
    end("longjmp", "a library gave up");
}
}
