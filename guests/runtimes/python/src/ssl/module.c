/* The module `_ssl`. */
#include "ssl.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "socketmodule.h"

enum { MOST_RANDOM = 256 }; /* of one call */

struct ssl_types ssl_types;

static PyObject *rand_add(PyObject *module, PyObject *arguments)
{
    /* The kernel's randomness needs no more. */
    Py_buffer seed;
    double entropy;
    if (!PyArg_ParseTuple(arguments, "s*d:RAND_add", &seed, &entropy)) {
        return NULL;
    }
    PyBuffer_Release(&seed);
    Py_RETURN_NONE;
}

static PyObject *rand_bytes(PyObject *module, PyObject *arguments)
{
    int size;
    if (!PyArg_ParseTuple(arguments, "i:RAND_bytes", &size)) {
        return NULL;
    }
    if (size < 0) {
        PyErr_SetString(PyExc_ValueError, "num must be positive");
        return NULL;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, size);
    for (int done = 0; bytes != NULL && done < size; done += MOST_RANDOM) {
        int part = size - done < MOST_RANDOM ? size - done : MOST_RANDOM;
        if (getentropy(PyBytes_AS_STRING(bytes) + done, (size_t)part) != 0) {
            PyErr_SetFromErrno(PyExc_OSError);
            Py_CLEAR(bytes);
        }
    }
    return bytes;
}

static PyObject *rand_status(PyObject *module, PyObject *ignored) { Py_RETURN_TRUE; }

static PyObject *default_paths(PyObject *module, PyObject *ignored)
{
    return Py_BuildValue("ssss", "SSL_CERT_FILE", BUNDLE, "SSL_CERT_DIR", BUNDLE_DIRECTORY);
}

static PyObject *object_tuple(const struct ssl_object *object)
{
    return Py_BuildValue("isss", object->number, object->short_name, object->long_name, object->identifier);
}

static PyObject *text_to_object(PyObject *module, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"txt", "name", NULL};
    const char *text;
    int is_name = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, options, "s|p:txt2obj", names, &text, &is_name)) {
        return NULL;
    }
    const struct ssl_object *object = ssl_object_by_identifier(text);
    if (object == NULL && is_name) {
        object = ssl_object_by_name(text);
    }
    return object != NULL ? object_tuple(object) : PyErr_Format(PyExc_ValueError, "unknown object '%.100s'", text);
}

static PyObject *number_to_object(PyObject *module, PyObject *arguments)
{
    int number;
    if (!PyArg_ParseTuple(arguments, "i:nid2obj", &number)) {
        return NULL;
    }
    if (number < 0) {
        PyErr_SetString(PyExc_ValueError, "NID must be positive.");
        return NULL;
    }
    const struct ssl_object *object = ssl_object_by_number(number);
    return object != NULL ? object_tuple(object) : PyErr_Format(PyExc_ValueError, "unknown NID %i", number);
}

/* Upstream's tests read certificates with it. */
static PyObject *decode_file(PyObject *module, PyObject *arguments)
{
    PyObject *path, *information = NULL;
    struct pem block;
    if (!PyArg_ParseTuple(arguments, "O&:_test_decode_cert", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    FILE *file = fopen(PyBytes_AS_STRING(path), "rb");
    Py_DECREF(path);
    if (file == NULL) {
        PyErr_SetString(ssl_types.error, "Can't open file");
        return NULL;
    }
    char text[65536];
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    const char *at = text;
    while (information == NULL && !PyErr_Occurred() && pem_next(&at, &size, &block) > 0) {
        if (pem_has_label(&block, "CERTIFICATE")) {
            information = certificate_info((const unsigned char *)PyBytes_AS_STRING(block.bytes), (size_t)PyBytes_GET_SIZE(block.bytes));
        }
        Py_DECREF(block.bytes);
    }
    if (information == NULL && !PyErr_Occurred()) {
        PyErr_SetString(ssl_types.error, "Error decoding PEM-encoded file");
    }
    return information;
}

/* Sessions are not taken up again: each handshake is one of its own, so that no guest's shows in another's. */
static PyTypeObject *make_session(PyObject *module)
{
    static PyType_Slot slots[] = {{0, NULL}};
    static PyType_Spec spec = {
        .name = "_ssl.SSLSession",
        .basicsize = sizeof(PyObject),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}

static int make_types(PyObject *module)
{
    PySocketModule_APIObject *sockets = PySocketModule_ImportModuleAndAPI();
    if (sockets == NULL || ssl_make_errors() != 0) {
        return -1;
    }
    ssl_types.socket = sockets->Sock_Type;
    return (ssl_types.context = ssl_make_context(module)) != NULL && (ssl_types.connection = ssl_make_connection(module)) != NULL &&
                   (ssl_types.memory_bio = ssl_make_memory_bio(module)) != NULL &&
                   (ssl_types.certificate = ssl_make_certificate(module)) != NULL &&
                   (ssl_types.session = make_session(module)) != NULL
               ? 0
               : -1;
}

static int start(PyObject *module)
{
    if (ssl_types.session == NULL && make_types(module) != 0) {
        return -1;
    }
    PyTypeObject *types[] = {ssl_types.context, ssl_types.connection, ssl_types.memory_bio, ssl_types.certificate, ssl_types.session};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (PyModule_AddType(module, types[i]) != 0) {
            return -1;
        }
    }
    const struct {
        const char *name;
        PyObject *type;
    } errors[] = {
        {"SSLError", ssl_types.error},
        {"SSLCertVerificationError", ssl_types.verification_error},
        {"SSLZeroReturnError", ssl_types.zero_return_error},
        {"SSLWantReadError", ssl_types.want_read_error},
        {"SSLWantWriteError", ssl_types.want_write_error},
        {"SSLSyscallError", ssl_types.syscall_error},
        {"SSLEOFError", ssl_types.eof_error},
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (PyModule_AddObjectRef(module, errors[i].name, errors[i].type) != 0) {
            return -1;
        }
    }
    return ssl_add_constants(module);
}

PyMODINIT_FUNC PyInit__ssl(void)
{
    static PyMethodDef methods[] = {
        {"_test_decode_cert", decode_file, METH_VARARGS, NULL},
        {"RAND_add", rand_add, METH_VARARGS, "Mix string into the PRNG state."},
        {"RAND_bytes", rand_bytes, METH_VARARGS, "Generate n cryptographically strong pseudo-random bytes."},
        {"RAND_status", rand_status, METH_NOARGS, "Returns True: the PRNG has been seeded with enough data."},
        {"get_default_verify_paths", default_paths, METH_NOARGS, NULL},
        {"txt2obj", (PyCFunction)(void (*)(void))text_to_object, METH_VARARGS | METH_KEYWORDS, NULL},
        {"nid2obj", number_to_object, METH_VARARGS, NULL},
        {NULL, NULL, 0, NULL},
    };
    static PyModuleDef_Slot slots[] = {
        {Py_mod_exec, start},
        {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
        {0, NULL},
    };
    static PyModuleDef definition = {
        PyModuleDef_HEAD_INIT,
        .m_name = "_ssl",
        .m_doc = "Implementation module for SSL socket operations.  See the socket module for documentation.",
        .m_methods = methods,
        .m_slots = slots,
    };
    return PyModuleDef_Init(&definition);
}
