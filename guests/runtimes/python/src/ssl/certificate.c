/* `Certificate`, and the dictionary that `getpeercert` returns. */
#include "ssl.h"

#include <string.h>

struct certificate_object {
    PyObject_HEAD
    PyObject *bytes; /* DER */
};

/* Reads two digits. -1 if they are none. */
static int two(const unsigned char *at)
{
    int is_number = at[0] >= '0' && at[0] <= '9' && at[1] >= '0' && at[1] <= '9';
    return is_number ? (at[0] - '0') * 10 + (at[1] - '0') : -1;
}

/* A time as OpenSSL shows it. */
static PyObject *time_of(const struct element *time)
{
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const unsigned char *at = time->content;
    int is_long = time->tag == DER_GENERALIZED_TIME, century = 0, year;
    if ((time->tag != DER_UTC_TIME && !is_long) || time->size != (is_long ? 15 : 13) || at[time->size - 1] != 'Z') {
        return PyUnicode_FromString("Bad time value");
    }
    if (is_long) {
        century = two(at);
        at += 2;
    }
    year = two(at);
    int month = two(at + 2), day = two(at + 4), hour = two(at + 6), minute = two(at + 8), second = two(at + 10);
    if (century < 0 || year < 0 || month < 1 || month > 12 || day < 1 || day > 31 || hour < 0 || hour > 23 || minute < 0 ||
        minute > 59 || second < 0 || second > 59) {
        return PyUnicode_FromString("Bad time value");
    }
    year += is_long ? century * 100 : year < 50 ? 2000 : 1900;
    return PyUnicode_FromFormat("%s %2d %02d:%02d:%02d %d GMT", months[month - 1], day, hour, minute, second, year);
}

/* A serial number as OpenSSL shows it: its value in hexadecimal, with a sign. */
static PyObject *serial_of(const struct element *serial)
{
    int is_negative = (serial->content[0] & 0x80) != 0;
    size_t first = 0;
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(48);
    if (writer == NULL) {
        return NULL;
    }
    while (!is_negative && first + 1 < serial->size && serial->content[first] == 0) {
        first++;
    }
    int result = is_negative ? PyUnicodeWriter_WriteChar(writer, '-') : 0;
    for (size_t i = first; i < serial->size && result == 0; i++) {
        unsigned digit = serial->content[i];
        if (is_negative) {
            /* The two's complement: what is behind the last bit that is set stays. */
            int carries = 1;
            for (size_t j = i + 1; j < serial->size; j++) {
                carries &= serial->content[j] == 0;
            }
            digit = (~digit + (unsigned)carries) & 0xff;
        }
        result = PyUnicodeWriter_Format(writer, "%02X", digit);
    }
    if (result != 0) {
        PyUnicodeWriter_Discard(writer);
        return NULL;
    }
    return PyUnicodeWriter_Finish(writer);
}

/* Sets an entry of a dictionary to an object that is given away; None is left out. 0, or -1 with an exception. */
static int enter(PyObject *information, const char *name, PyObject *value)
{
    int result = value == NULL ? -1 : value == Py_None ? 0 : PyDict_SetItemString(information, name, value);
    Py_XDECREF(value);
    return result;
}

PyObject *certificate_info(const unsigned char *bytes, size_t size)
{
    struct certificate read;
    if (certificate_read(bytes, size, &read) == 0) {
        ssl_raise("ASN1", "NOT_ENOUGH_DATA", "not enough data");
        return NULL;
    }
    PyObject *information = PyDict_New();
    if (information == NULL || enter(information, "subject", names_of(&read.subject)) != 0 ||
        enter(information, "issuer", names_of(&read.issuer)) != 0 ||
        enter(information, "version", PyLong_FromLong(read.version)) != 0 ||
        enter(information, "serialNumber", serial_of(&read.serial)) != 0 ||
        enter(information, "notBefore", time_of(&read.not_before)) != 0 ||
        enter(information, "notAfter", time_of(&read.not_after)) != 0 ||
        enter(information, "subjectAltName", names_alternative(&read)) != 0 ||
        enter(information, "OCSP", names_locations(&read, "1.3.6.1.5.5.7.48.1")) != 0 ||
        enter(information, "caIssuers", names_locations(&read, "1.3.6.1.5.5.7.48.2")) != 0 ||
        enter(information, "crlDistributionPoints", names_revocation_lists(&read)) != 0) {
        Py_CLEAR(information);
    }
    return information;
}

PyObject *certificate_new(const unsigned char *bytes, size_t size)
{
    struct certificate_object *self = PyObject_New(struct certificate_object, ssl_types.certificate);
    if (self != NULL) {
        self->bytes = PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)size);
        if (self->bytes == NULL) {
            Py_CLEAR(self);
        }
    }
    return (PyObject *)self;
}

static PyObject *bytes_of(PyObject *self) { return ((struct certificate_object *)self)->bytes; }
static const unsigned char *start_of(PyObject *self) { return (const unsigned char *)PyBytes_AS_STRING(bytes_of(self)); }
static size_t size_of(PyObject *self) { return (size_t)PyBytes_GET_SIZE(bytes_of(self)); }

static void certificate_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(bytes_of(self));
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *public_bytes(PyObject *self, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"format", NULL};
    int format = ENCODING_PEM;
    if (!PyArg_ParseTupleAndKeywords(arguments, options, "|i:public_bytes", names, &format)) {
        return NULL;
    }
    switch (format) {
    case ENCODING_PEM: return pem_text("CERTIFICATE", start_of(self), size_of(self));
    case ENCODING_DER: return Py_NewRef(bytes_of(self));
    default: PyErr_SetString(PyExc_ValueError, "Unsupported format"); return NULL;
    }
}

static PyObject *get_info(PyObject *self, PyObject *ignored)
{
    return certificate_info(start_of(self), size_of(self));
}

static PyObject *certificate_repr(PyObject *self)
{
    struct certificate read;
    PyObject *subject = certificate_read(start_of(self), size_of(self), &read) != 0 ? names_text(&read.subject)
                                                                                      : PyUnicode_FromString("?");
    PyObject *shown = subject != NULL ? PyUnicode_FromFormat("<%s '%U'>", Py_TYPE(self)->tp_name, subject) : NULL;
    Py_XDECREF(subject);
    return shown;
}

static Py_hash_t certificate_hash(PyObject *self) { return PyObject_Hash(bytes_of(self)); }

static PyObject *certificate_compare(PyObject *self, PyObject *other, int operation)
{
    if (Py_TYPE(other) != ssl_types.certificate || (operation != Py_EQ && operation != Py_NE)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return PyObject_RichCompare(bytes_of(self), bytes_of(other), operation);
}

PyTypeObject *ssl_make_certificate(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"public_bytes", (PyCFunction)(void (*)(void))public_bytes, METH_VARARGS | METH_KEYWORDS, NULL},
        {"get_info", get_info, METH_NOARGS, NULL},
        {NULL, NULL, 0, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, certificate_dealloc},
        {Py_tp_repr, certificate_repr},
        {Py_tp_hash, certificate_hash},
        {Py_tp_richcompare, certificate_compare},
        {Py_tp_methods, methods},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "_ssl.Certificate",
        .basicsize = sizeof(struct certificate_object),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
