/* Names and addresses in certificates, as Python shows them. */
#include "ssl.h"

#include <string.h>

enum { OTHER_NAME, EMAIL, DNS, X400_NAME, DIRECTORY_NAME, EDI_NAME, ADDRESS_OF_RESOURCE, IP_ADDRESS, REGISTERED };

static PyObject *tuple_of(PyObject *list)
{
    PyObject *tuple = list != NULL ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    return tuple;
}

/* Adds an object to a list, and gives it away. 0, or -1 with an exception. */
static int add(PyObject *list, PyObject *object)
{
    int result = object != NULL ? PyList_Append(list, object) : -1;
    Py_XDECREF(object);
    return result;
}

static PyObject *utf8(const struct element *value)
{
    return PyUnicode_DecodeUTF8((const char *)value->content, (Py_ssize_t)value->size, "strict");
}

/* The name of an object: its long one, or else its identifier. */
static PyObject *object_name(const struct element *identifier)
{
    char text[256];
    if (!ssl_identifier(identifier->content, identifier->size, text)) {
        return PyUnicode_FromString("<INVALID>");
    }
    const struct ssl_object *object = ssl_object_by_identifier(text);
    return PyUnicode_FromString(object != NULL ? object->long_name : text);
}

/* A text in one of the forms of ASN.1. */
static PyObject *text_of(const struct element *value)
{
    const char *bytes = (const char *)value->content;
    Py_ssize_t size = (Py_ssize_t)value->size;
    int order = 1; /* big-endian */
    switch (value->tag) {
    case DER_UTF8: return utf8(value);
    case DER_BMP: return PyUnicode_DecodeUTF16(bytes, size, "strict", &order);
    case DER_UNIVERSAL: return PyUnicode_DecodeUTF32(bytes, size, "strict", &order);
    default: return PyUnicode_DecodeLatin1(bytes, size, "strict");
    }
}

/* The pair of a name's part: what it is, and its value. */
static PyObject *attribute(const struct element *part)
{
    struct der parts = der_in(part);
    struct element identifier, value;
    if (!der_take(&parts, DER_IDENTIFIER, &identifier) || !der_next(&parts, &value)) {
        ssl_raise("ASN1", "NOT_ENOUGH_DATA", "not enough data");
        return NULL;
    }
    PyObject *name = object_name(&identifier);
    PyObject *text = value.tag == DER_BIT_STRING && value.size > 0
                         ? PyBytes_FromStringAndSize((const char *)value.content + 1, (Py_ssize_t)value.size - 1)
                         : text_of(&value);
    if (name == NULL || text == NULL) {
        Py_XDECREF(name);
        Py_XDECREF(text);
        return NULL;
    }
    return Py_BuildValue("NN", name, text);
}

PyObject *names_of(const struct element *name)
{
    struct der sets = der_in(name);
    struct element set, part;
    PyObject *list = PyList_New(0);
    while (list != NULL && der_take(&sets, DER_SET, &set)) {
        PyObject *of_set = PyList_New(0);
        struct der parts = der_in(&set);
        while (of_set != NULL && der_take(&parts, DER_SEQUENCE, &part)) {
            if (add(of_set, attribute(&part)) != 0) {
                Py_CLEAR(of_set);
            }
        }
        if (add(list, tuple_of(of_set)) != 0) {
            Py_CLEAR(list);
        }
    }
    return tuple_of(list);
}

/* RFC 2253: the last part first, and what has a meaning of its own behind a backslash. */

static int write_escaped(PyUnicodeWriter *writer, PyObject *text)
{
    Py_ssize_t size;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
    for (Py_ssize_t i = 0; bytes != NULL && i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        int is_special = strchr(",+\"\\<>;", c) != NULL || (i == 0 && (c == '#' || c == ' ')) || (i == size - 1 && c == ' ');
        int result = c < ' ' || c > '~' ? PyUnicodeWriter_Format(writer, "\\%02X", c)
                     : is_special       ? PyUnicodeWriter_Format(writer, "\\%c", c)
                                        : PyUnicodeWriter_WriteChar(writer, c);
        if (result < 0) {
            return -1;
        }
    }
    return bytes != NULL ? 0 : -1;
}

static int write_attribute(PyUnicodeWriter *writer, const struct element *part)
{
    char identifier[256];
    struct element name, value;
    struct der parts = der_in(part);
    if (!der_take(&parts, DER_IDENTIFIER, &name) || !der_next(&parts, &value) ||
        !ssl_identifier(name.content, name.size, identifier)) {
        return 0;
    }
    const struct ssl_object *object = ssl_object_by_identifier(identifier);
    PyObject *text = text_of(&value);
    int result = text == NULL || PyUnicodeWriter_Format(writer, "%s=", object != NULL ? object->short_name : identifier) < 0
                     ? -1
                     : write_escaped(writer, text);
    Py_XDECREF(text);
    return result;
}

enum { MOST_PARTS = 64 };

PyObject *names_text(const struct element *name)
{
    struct element sets[MOST_PARTS], part;
    struct der all = der_in(name);
    int count = 0;
    PyUnicodeWriter *writer = PyUnicodeWriter_Create(64);
    while (count < MOST_PARTS && der_take(&all, DER_SET, &sets[count])) {
        count++;
    }
    for (int i = count - 1; writer != NULL && i >= 0; i--) {
        struct der parts = der_in(&sets[i]);
        for (int is_first = 1; der_take(&parts, DER_SEQUENCE, &part); is_first = 0) {
            char separator = is_first ? ',' : '+';
            if ((i < count - 1 || !is_first) && PyUnicodeWriter_WriteChar(writer, separator) < 0) {
                goto failed;
            }
            if (write_attribute(writer, &part) != 0) {
                goto failed;
            }
        }
    }
    return writer != NULL ? PyUnicodeWriter_Finish(writer) : NULL;
failed:
    PyUnicodeWriter_Discard(writer);
    return NULL;
}

/* Alternative names (RFC 5280, 4.2.1.6). */

static PyObject *address(const struct element *value)
{
    const unsigned char *b = value->content;
    if (value->size == 4) {
        return PyUnicode_FromFormat("%d.%d.%d.%d", b[0], b[1], b[2], b[3]);
    }
    if (value->size == 16) {
        return PyUnicode_FromFormat("%X:%X:%X:%X:%X:%X:%X:%X", b[0] << 8 | b[1], b[2] << 8 | b[3], b[4] << 8 | b[5],
                                    b[6] << 8 | b[7], b[8] << 8 | b[9], b[10] << 8 | b[11], b[12] << 8 | b[13],
                                    b[14] << 8 | b[15]);
    }
    return PyUnicode_FromString("<invalid>");
}

static PyObject *directory_name(const struct element *value)
{
    struct der parts = der_in(value);
    struct element name;
    return der_take(&parts, DER_SEQUENCE, &name) ? names_of(&name) : PyTuple_New(0);
}

static PyObject *general_name(const struct element *name)
{
    switch (name->tag & 0x1f) {
    case OTHER_NAME: return Py_BuildValue("ss", "othername", "<unsupported>");
    case EMAIL: return Py_BuildValue("sN", "email", utf8(name));
    case DNS: return Py_BuildValue("sN", "DNS", utf8(name));
    case X400_NAME: return Py_BuildValue("ss", "X400Name", "<unsupported>");
    case DIRECTORY_NAME: return Py_BuildValue("sN", "DirName", directory_name(name));
    case EDI_NAME: return Py_BuildValue("ss", "EdiPartyName", "<unsupported>");
    case ADDRESS_OF_RESOURCE: return Py_BuildValue("sN", "URI", utf8(name));
    case IP_ADDRESS: return Py_BuildValue("sN", "IP Address", address(name));
    case REGISTERED: return Py_BuildValue("sN", "Registered ID", object_name(name));
    default: return Py_BuildValue("ss", "unknown", "<unsupported>");
    }
}

PyObject *names_alternative(const struct certificate *certificate)
{
    struct element value, names, name;
    if (!certificate_extension(certificate, "\x55\x1d\x11", 3, &value)) {
        Py_RETURN_NONE;
    }
    struct der parts = der_in(&value);
    if (!der_take(&parts, DER_SEQUENCE, &names)) {
        Py_RETURN_NONE;
    }
    PyObject *list = PyList_New(0);
    for (parts = der_in(&names); list != NULL && der_next(&parts, &name);) {
        if (add(list, general_name(&name)) != 0) {
            Py_CLEAR(list);
        }
    }
    return tuple_of(list);
}

/* Addresses of resources. */

/* A tuple, or None if nothing is in the list. */
static PyObject *tuple_or_none(PyObject *list)
{
    if (list != NULL && PyList_GET_SIZE(list) == 0) {
        Py_DECREF(list);
        Py_RETURN_NONE;
    }
    return tuple_of(list);
}

PyObject *names_locations(const struct certificate *certificate, const char *method)
{
    struct element value, all, one, identifier, location;
    char text[256];
    PyObject *list = PyList_New(0);
    if (list == NULL || !certificate_extension(certificate, "\x2b\x06\x01\x05\x05\x07\x01\x01", 8, &value)) {
        return tuple_or_none(list);
    }
    struct der parts = der_in(&value);
    if (der_take(&parts, DER_SEQUENCE, &all)) {
        for (parts = der_in(&all); list != NULL && der_take(&parts, DER_SEQUENCE, &one);) {
            struct der of_one = der_in(&one);
            if (der_take(&of_one, DER_IDENTIFIER, &identifier) && ssl_identifier(identifier.content, identifier.size, text) &&
                strcmp(text, method) == 0 && der_take(&of_one, DER_CONTEXT + ADDRESS_OF_RESOURCE, &location) &&
                add(list, utf8(&location)) != 0) {
                Py_CLEAR(list);
            }
        }
    }
    return tuple_or_none(list);
}

PyObject *names_revocation_lists(const struct certificate *certificate)
{
    struct element value, all, point, place, full, name;
    PyObject *list = PyList_New(0);
    if (list == NULL || !certificate_extension(certificate, "\x55\x1d\x1f", 3, &value)) {
        return tuple_or_none(list);
    }
    struct der parts = der_in(&value);
    if (!der_take(&parts, DER_SEQUENCE, &all)) {
        return tuple_or_none(list);
    }
    for (parts = der_in(&all); list != NULL && der_take(&parts, DER_SEQUENCE, &point);) {
        struct der of_point = der_in(&point);
        if (!der_take(&of_point, DER_CONSTRUCTED + 0, &place)) {
            continue;
        }
        struct der of_place = der_in(&place);
        if (!der_take(&of_place, DER_CONSTRUCTED + 0, &full)) {
            continue;
        }
        for (struct der names = der_in(&full); list != NULL && der_next(&names, &name);) {
            if (name.tag == DER_CONTEXT + ADDRESS_OF_RESOURCE && add(list, utf8(&name)) != 0) {
                Py_CLEAR(list);
            }
        }
    }
    return tuple_or_none(list);
}
