/* PEM: blocks of base64 between lines that say what they are. */
#include "ssl.h"

#include <string.h>

static const char begins[] = "-----BEGIN ", ends[] = "-----END ", dashes[] = "-----";
enum { LINE = 48 }; /* bytes of a line that is written */

/* The first place of a text in another; NULL if it is not there. */
static const char *find(const char *text, size_t size, const char *wanted)
{
    size_t length = strlen(wanted);
    for (const char *at = text; size >= length && at <= text + size - length; at++) {
        at = memchr(at, wanted[0], (size_t)(text + size - length - at) + 1);
        if (at == NULL || memcmp(at, wanted, length) == 0) {
            return at;
        }
    }
    return NULL;
}

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decodes base64 with white space in it. NULL without an exception if it is none. */
static PyObject *decoded(const char *text, size_t size)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(size / 4 * 3 + 3));
    if (bytes == NULL) {
        return NULL;
    }
    unsigned char *out = (unsigned char *)PyBytes_AS_STRING(bytes);
    Py_ssize_t used = 0;
    unsigned collected = 0;
    int count = 0, padding = 0;
    for (size_t i = 0; i < size; i++) {
        int digit = digit_of(text[i]);
        if (strchr(" \t\r\n", text[i]) != NULL && text[i] != '\0') {
            continue;
        }
        if (text[i] == '=') {
            padding++;
            continue;
        }
        if (digit < 0 || padding > 0) {
            Py_DECREF(bytes);
            return NULL;
        }
        collected = collected << 6 | (unsigned)digit;
        if (++count % 4 == 0) {
            out[used++] = (unsigned char)(collected >> 16);
            out[used++] = (unsigned char)(collected >> 8);
            out[used++] = (unsigned char)collected;
        }
    }
    int rest = count % 4;
    if (padding != (rest == 0 ? 0 : 4 - rest) || rest == 1 || count == 0) {
        Py_DECREF(bytes);
        return NULL;
    }
    if (rest > 0) {
        collected <<= 6 * (4 - rest);
        out[used++] = (unsigned char)(collected >> 16);
        if (rest == 3) {
            out[used++] = (unsigned char)(collected >> 8);
        }
    }
    _PyBytes_Resize(&bytes, used);
    return bytes;
}

int pem_next(const char **text, size_t *size, struct pem *block)
{
    const char *end = *text + *size, *begin = find(*text, *size, begins);
    *block = (struct pem){0};
    if (begin == NULL) {
        return 0;
    }
    block->label = begin + strlen(begins);
    const char *after = find(block->label, (size_t)(end - block->label), dashes);
    if (after == NULL) {
        return -1;
    }
    block->label_size = (size_t)(after - block->label);
    const char *body = after + strlen(dashes);
    const char *last = find(body, (size_t)(end - body), ends);
    if (last == NULL || (size_t)(end - last) < strlen(ends) + block->label_size + strlen(dashes) ||
        memcmp(last + strlen(ends), block->label, block->label_size) != 0) {
        return -1;
    }
    *text = last + strlen(ends) + block->label_size + strlen(dashes);
    *size = (size_t)(end - *text);
    /* A header has lines with colons, and an empty one behind them. */
    if (find(body, (size_t)(last - body), ":") != NULL) {
        const char *empty = find(body, (size_t)(last - body), "\n\n");
        const char *other = empty == NULL ? find(body, (size_t)(last - body), "\n\r\n") : NULL;
        block->is_encrypted = find(body, (size_t)(last - body), "ENCRYPTED") != NULL;
        body = empty != NULL ? empty : other != NULL ? other : last;
    }
    block->is_encrypted |= pem_has_label(block, "ENCRYPTED PRIVATE KEY");
    block->bytes = decoded(body, (size_t)(last - body));
    return block->bytes != NULL ? 1 : -1;
}

int pem_has_label(const struct pem *block, const char *label)
{
    return block->label_size == strlen(label) && memcmp(block->label, label, block->label_size) == 0;
}

PyObject *pem_text(const char *label, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t lines = (size + LINE - 1) / LINE, most = (size + 2) / 3 * 4 + lines;
    char *body = PyMem_Malloc(most + 1), *out = body;
    if (body == NULL) {
        return PyErr_NoMemory();
    }
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) | (left > 2 ? bytes[i + 2] : 0);
        *out++ = digits[group >> 18];
        *out++ = digits[group >> 12 & 63];
        *out++ = left > 1 ? digits[group >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[group & 63] : '=';
        if ((i + 3) % LINE == 0 || i + 3 >= size) {
            *out++ = '\n';
        }
    }
    *out = '\0';
    PyObject *text = PyUnicode_FromFormat("-----BEGIN %s-----\n%s-----END %s-----\n", label, body, label);
    PyMem_Free(body);
    return text;
}
