/* `MemoryBIO`: bytes on their way to the gateway or from it. */
#include "ssl.h"

#include <string.h>

/* The bytes from `begin` to `end` wait. */
struct memory_bio {
    PyObject_HEAD
    unsigned char *bytes;
    size_t begin, end, size;
    int is_eof_written;
};

enum { LEAST = 4096 };

size_t memory_bio_pending(const struct memory_bio *bio) { return bio->end - bio->begin; }
int memory_bio_has_ended(const struct memory_bio *bio) { return bio->is_eof_written && bio->begin == bio->end; }

size_t memory_bio_read(struct memory_bio *bio, void *bytes, size_t size)
{
    size_t there = memory_bio_pending(bio);
    size = size < there ? size : there;
    if (size > 0) {
        memcpy(bytes, bio->bytes + bio->begin, size);
        bio->begin += size;
    }
    if (bio->begin == bio->end) {
        bio->begin = bio->end = 0;
    }
    return size;
}

int memory_bio_write(struct memory_bio *bio, const void *bytes, size_t size)
{
    size_t used = memory_bio_pending(bio);
    if (bio->is_eof_written) {
        PyErr_SetString(ssl_types.error, "cannot write() after write_eof()");
        return -1;
    }
    if (size > bio->size - bio->end && bio->begin > 0) {
        memmove(bio->bytes, bio->bytes + bio->begin, used);
        bio->begin = 0;
        bio->end = used;
    }
    if (size > bio->size - bio->end) {
        size_t wanted = used + size;
        wanted = wanted < used ? 0 : wanted < LEAST ? LEAST : wanted > SIZE_MAX / 2 ? wanted : wanted + wanted / 2;
        unsigned char *grown = wanted > 0 ? PyMem_Realloc(bio->bytes, wanted) : NULL;
        if (grown == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        bio->bytes = grown;
        bio->size = wanted;
    }
    if (size > 0) {
        memcpy(bio->bytes + bio->end, bytes, size);
        bio->end += size;
    }
    return 0;
}

static PyObject *bio_new(PyTypeObject *type, PyObject *arguments, PyObject *options)
{
    static char *names[] = {NULL};
    return PyArg_ParseTupleAndKeywords(arguments, options, ":MemoryBIO", names) ? type->tp_alloc(type, 0) : NULL;
}

static void bio_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyMem_Free(((struct memory_bio *)self)->bytes);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *bio_read(PyObject *self, PyObject *arguments)
{
    struct memory_bio *bio = (struct memory_bio *)self;
    size_t size = memory_bio_pending(bio);
    int wanted = -1;
    if (!PyArg_ParseTuple(arguments, "|i:read", &wanted)) {
        return NULL;
    }
    size = wanted >= 0 && (size_t)wanted < size ? (size_t)wanted : size;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes != NULL) {
        memory_bio_read(bio, PyBytes_AS_STRING(bytes), size);
    }
    return bytes;
}

static PyObject *bio_write(PyObject *self, PyObject *bytes)
{
    Py_buffer buffer;
    if (PyObject_GetBuffer(bytes, &buffer, PyBUF_SIMPLE) != 0) {
        return NULL;
    }
    PyObject *count =
        memory_bio_write((struct memory_bio *)self, buffer.buf, (size_t)buffer.len) == 0 ? PyLong_FromSsize_t(buffer.len) : NULL;
    PyBuffer_Release(&buffer);
    return count;
}

static PyObject *bio_write_eof(PyObject *self, PyObject *ignored)
{
    ((struct memory_bio *)self)->is_eof_written = 1;
    Py_RETURN_NONE;
}

static PyObject *bio_pending(PyObject *self, void *ignored) { return PyLong_FromSize_t(memory_bio_pending((struct memory_bio *)self)); }
static PyObject *bio_eof(PyObject *self, void *ignored) { return PyBool_FromLong(memory_bio_has_ended((struct memory_bio *)self)); }

PyTypeObject *ssl_make_memory_bio(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"read", bio_read, METH_VARARGS, "Read up to size bytes from the memory BIO."},
        {"write", bio_write, METH_O, "Writes the bytes b into the memory BIO."},
        {"write_eof", bio_write_eof, METH_NOARGS, "Write an EOF marker to the memory BIO."},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef properties[] = {
        {"pending", bio_pending, NULL, "The number of bytes pending in the memory BIO.", NULL},
        {"eof", bio_eof, NULL, "Whether the memory BIO is at EOF.", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, bio_new},         {Py_tp_dealloc, bio_dealloc}, {Py_tp_methods, methods},
        {Py_tp_getset, properties}, {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "_ssl.MemoryBIO",
        .basicsize = sizeof(struct memory_bio),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
