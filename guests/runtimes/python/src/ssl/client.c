/* The certificate of a client and its key, from files in PEM. */
#include "ssl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FILE = 1 << 20, MOST_PASSWORD = 1024 };

/* The contents of a file: new bytes. */
static PyObject *contents(PyObject *path)
{
    FILE *file = fopen(PyBytes_AS_STRING(path), "rb");
    PyObject *bytes = file != NULL ? PyBytes_FromStringAndSize(NULL, MOST_FILE) : NULL;
    if (file == NULL || bytes == NULL) {
        if (file == NULL) {
            PyErr_SetFromErrno(PyExc_OSError);
        }
        else {
            fclose(file);
        }
        return NULL;
    }
    size_t size = fread(PyBytes_AS_STRING(bytes), 1, MOST_FILE, file);
    if (ferror(file)) {
        PyErr_SetFromErrno(PyExc_OSError);
        Py_CLEAR(bytes);
    }
    fclose(file);
    if (bytes != NULL) {
        _PyBytes_Resize(&bytes, (Py_ssize_t)size);
    }
    return bytes;
}

static void raise_pem(void)
{
    if (!PyErr_Occurred()) {
        ssl_raise("SSL", NULL, "PEM lib");
    }
}

/* The certificates of a file, the client's own first: a new list. */
static PyObject *chain(PyObject *text)
{
    const char *at = PyBytes_AS_STRING(text);
    size_t size = (size_t)PyBytes_GET_SIZE(text);
    struct pem block;
    struct certificate read;
    int found;
    PyObject *list = PyList_New(0);
    while (list != NULL && (found = pem_next(&at, &size, &block)) > 0) {
        int is_certificate = pem_has_label(&block, "CERTIFICATE") || pem_has_label(&block, "X509 CERTIFICATE") ||
                             pem_has_label(&block, "TRUSTED CERTIFICATE");
        int is_bad = is_certificate && certificate_read((const unsigned char *)PyBytes_AS_STRING(block.bytes),
                                                        (size_t)PyBytes_GET_SIZE(block.bytes), &read) == 0;
        if (is_bad || (is_certificate && PyList_Append(list, block.bytes) != 0)) {
            Py_CLEAR(list);
        }
        Py_DECREF(block.bytes);
    }
    if (list != NULL && (found < 0 || PyList_GET_SIZE(list) == 0)) {
        Py_CLEAR(list);
    }
    if (list == NULL) {
        raise_pem();
    }
    return list;
}

/* Checks a password as OpenSSL takes one; it is called if it can be. 0, or -1 with an exception. */
static int check_password(PyObject *password)
{
    PyObject *given = PyCallable_Check(password) ? PyObject_CallNoArgs(password) : Py_NewRef(password);
    if (given == NULL) {
        return -1;
    }
    Py_ssize_t size = PyUnicode_Check(given)     ? PyUnicode_GET_LENGTH(given)
                      : PyBytes_Check(given)     ? PyBytes_GET_SIZE(given)
                      : PyByteArray_Check(given) ? PyByteArray_GET_SIZE(given)
                                                 : -1;
    if (size < 0) {
        PyErr_SetString(PyExc_TypeError, PyCallable_Check(password) ? "password callback must return a string"
                                                                     : "password should be a string or callable");
    }
    else if (size > MOST_PASSWORD) {
        PyErr_Format(PyExc_ValueError, "password cannot be longer than %d bytes", MOST_PASSWORD);
    }
    Py_DECREF(given);
    return PyErr_Occurred() ? -1 : 0;
}

/* The key of a file, in DER: new bytes. */
static PyObject *key_of(PyObject *text, PyObject *password)
{
    static const char *const labels[] = {"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY"};
    const char *at = PyBytes_AS_STRING(text);
    size_t size = (size_t)PyBytes_GET_SIZE(text);
    struct pem block;
    while (pem_next(&at, &size, &block) > 0) {
        int is_key = 0;
        for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
            is_key |= pem_has_label(&block, labels[i]);
        }
        if (is_key && !block.is_encrypted) {
            return block.bytes;
        }
        Py_DECREF(block.bytes);
        if (is_key) {
            if (password == Py_None || check_password(password) == 0) {
                ssl_raise_unsupported("a private key that is encrypted cannot be read; write it without a password first");
            }
            return NULL;
        }
    }
    raise_pem();
    return NULL;
}

/* Whether a key belongs to a certificate. What of a key is public is looked for: RSA's modulus, the point of a curve. */

/* The contents of the bit string in the key of a certificate. */
static int public_key(const struct certificate *certificate, struct element *bits)
{
    struct der parts = der_in(&certificate->key);
    struct element algorithm;
    if (!der_take(&parts, DER_SEQUENCE, &algorithm) || !der_take(&parts, DER_BIT_STRING, bits) || bits->size < 2) {
        return 0;
    }
    bits->content++;
    bits->size--;
    return 1;
}

/* What is inside of PKCS #8; the key itself if it is none. */
static struct element without_pkcs8(struct element key)
{
    struct der parts = der_in(&key);
    struct element version, algorithm, inner, sequence;
    if (der_take(&parts, DER_INTEGER, &version) && der_take(&parts, DER_SEQUENCE, &algorithm) &&
        der_take(&parts, DER_OCTET_STRING, &inner)) {
        struct der of_inner = der_in(&inner);
        if (der_take(&of_inner, DER_SEQUENCE, &sequence)) {
            return sequence;
        }
    }
    return key;
}

static int is_mismatch(const struct certificate *certificate, PyObject *key)
{
    struct element bits, whole, version, number, tagged, point, sequence, modulus;
    struct der parts = der_of((const unsigned char *)PyBytes_AS_STRING(key), (size_t)PyBytes_GET_SIZE(key));
    if (!public_key(certificate, &bits) || !der_take(&parts, DER_SEQUENCE, &whole)) {
        return 0;
    }
    whole = without_pkcs8(whole);
    parts = der_in(&whole);
    if (!der_take(&parts, DER_INTEGER, &version)) {
        return 0;
    }
    struct der of_bits = der_in(&bits);
    if (der_take(&parts, DER_INTEGER, &number)) {
        /* RSA (RFC 8017): version, modulus, … */
        struct der of_sequence;
        if (!der_take(&of_bits, DER_SEQUENCE, &sequence)) {
            return 1;
        }
        of_sequence = der_in(&sequence);
        return !der_take(&of_sequence, DER_INTEGER, &modulus) || !der_is(&number, modulus.content, modulus.size);
    }
    /* A curve (RFC 5915): version, the secret, [0] the curve, [1] the point. */
    if (der_take(&parts, DER_OCTET_STRING, &number)) {
        der_take(&parts, DER_CONSTRUCTED + 0, &tagged);
        if (der_take(&parts, DER_CONSTRUCTED + 1, &tagged)) {
            struct der of_tagged = der_in(&tagged);
            return der_take(&of_tagged, DER_BIT_STRING, &point) && point.size > 1 &&
                   !der_is(&bits, point.content + 1, point.size - 1);
        }
    }
    return 0;
}

static int path_of(PyObject *given, PyObject **path, const char *about)
{
    if (PyUnicode_FSConverter(given, path)) {
        return 0;
    }
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_SetString(PyExc_TypeError, about);
    }
    return -1;
}

int context_load_client(struct context *context, PyObject *certificates, PyObject *key, PyObject *password)
{
    PyObject *certificate_path = NULL, *key_path = NULL, *text = NULL, *key_text = NULL, *list = NULL, *secret = NULL;
    struct certificate first;
    int result = -1;
    if (password != Py_None && !PyCallable_Check(password) && check_password(password) != 0) {
        return -1;
    }
    if (path_of(certificates, &certificate_path, "certfile should be a valid filesystem path") != 0 ||
        (key != Py_None && path_of(key, &key_path, "keyfile should be a valid filesystem path") != 0)) {
        goto done;
    }
    text = contents(certificate_path);
    list = text != NULL ? chain(text) : NULL;
    if (list == NULL) {
        goto done;
    }
    key_text = key_path != NULL ? contents(key_path) : Py_NewRef(text);
    secret = key_text != NULL ? key_of(key_text, password) : NULL;
    if (secret == NULL) {
        goto done;
    }
    PyObject *own = PyList_GET_ITEM(list, 0);
    certificate_read((const unsigned char *)PyBytes_AS_STRING(own), (size_t)PyBytes_GET_SIZE(own), &first);
    if (is_mismatch(&first, secret)) {
        ssl_raise("X509", "KEY_VALUES_MISMATCH", "key values mismatch");
        goto done;
    }
    Py_XSETREF(context->certificates, Py_NewRef(list));
    Py_XSETREF(context->key, Py_NewRef(secret));
    result = 0;
done:
    Py_XDECREF(certificate_path);
    Py_XDECREF(key_path);
    Py_XDECREF(text);
    Py_XDECREF(key_text);
    Py_XDECREF(list);
    Py_XDECREF(secret);
    return result;
}
