/* The authorities that a context trusts. Those of the gateway decide in any case; what a program names narrows that. A bundle that
   is Mozilla's, as the image and certifi have it, is known by its digest and stands for the gateway's own: it is not sent. */
#include "ssl.h"

#include "Hacl_Hash_SHA2.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DIGEST = 32, MOST_FILE = 8 << 20, MOST_OF_DIRECTORY = 4096 };

/* SHA-256 of the bundles that certifi has had. */
static const char bundles[][2 * DIGEST + 1] = {
#include "bundles.def"
};

int roots_begin(struct roots *roots)
{
    *roots = (struct roots){.own = PyDict_New(), .directories = PyList_New(0)};
    return roots->own != NULL && roots->directories != NULL ? 0 : -1;
}

/* Adds a certificate to a dictionary. Its length; 0 if it is none; -1 with an exception. */
static Py_ssize_t enter(PyObject *certificates, const unsigned char *bytes, size_t size)
{
    struct certificate read;
    size_t length = certificate_read(bytes, size, &read);
    if (length == 0) {
        return 0;
    }
    PyObject *der = PyBytes_FromStringAndSize((const char *)bytes, (Py_ssize_t)length);
    int result = der != NULL ? PyDict_SetItem(certificates, der, certificate_is_authority(&read) ? Py_True : Py_False) : -1;
    Py_XDECREF(der);
    return result == 0 ? (Py_ssize_t)length : -1;
}

/* Adds the certificates of a text. How many there were; -1 with an exception; -2 if one is wrong. */
static int enter_text(PyObject *certificates, const char *text, size_t size)
{
    struct pem block;
    int count = 0, found;
    while ((found = pem_next(&text, &size, &block)) > 0) {
        int is_certificate = pem_has_label(&block, "CERTIFICATE") || pem_has_label(&block, "X509 CERTIFICATE") ||
                             pem_has_label(&block, "TRUSTED CERTIFICATE");
        Py_ssize_t length = is_certificate ? enter(certificates, (const unsigned char *)PyBytes_AS_STRING(block.bytes),
                                                   (size_t)PyBytes_GET_SIZE(block.bytes))
                                           : 1;
        Py_DECREF(block.bytes);
        if (length <= 0) {
            return length < 0 ? -1 : -2;
        }
        count += is_certificate;
    }
    return found == 0 ? count : PyErr_Occurred() ? -1 : -2;
}

/* The contents of a file. NULL with errno. */
static char *contents(const char *path, size_t *size)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    *size = 0;
    if (file == NULL) {
        return NULL;
    }
    if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
        errno = EISDIR;
    }
    else if ((text = malloc(MOST_FILE + 1)) == NULL) {
        errno = ENOMEM;
    }
    else {
        *size = fread(text, 1, MOST_FILE + 1, file);
        if (ferror(file) || *size > MOST_FILE) {
            errno = ferror(file) ? errno : EFBIG;
            free(text);
            text = NULL;
        }
    }
    int number = errno;
    fclose(file);
    errno = number;
    return text;
}

/* Whether a text is a bundle of Mozilla's. */
static int is_bundle(const char *text, size_t size)
{
    unsigned char digest[DIGEST];
    char shown[2 * DIGEST + 1];
    if (size < 100000) { /* none is that small */
        return 0;
    }
    Hacl_Hash_SHA2_hash_256(digest, (uint8_t *)text, (uint32_t)size);
    for (int i = 0; i < DIGEST; i++) {
        snprintf(shown + 2 * i, 3, "%02x", digest[i]);
    }
    for (size_t i = 0; i < sizeof bundles / sizeof *bundles; i++) {
        if (memcmp(bundles[i], shown, sizeof shown) == 0) {
            return 1;
        }
    }
    return 0;
}

static int raise_pem(void)
{
    ssl_raise("X509", NULL, "PEM lib");
    return -1;
}

int roots_add_file(struct roots *roots, const char *path)
{
    size_t size;
    char *text = contents(path, &size);
    if (text == NULL) {
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    int result = 0;
    if (is_bundle(text, size)) {
        roots->has_default = 1;
    }
    else {
        int count = enter_text(roots->own, text, size);
        if (count == 0) {
            ssl_raise("X509", "NO_CERTIFICATE_OR_CRL_FOUND", "no certificate or crl found");
        }
        result = count > 0 ? 0 : count == -2 ? raise_pem() : -1;
    }
    free(text);
    return result;
}

int roots_add_directory(struct roots *roots, const char *path)
{
    if (strcmp(path, BUNDLE_DIRECTORY) == 0 || strcmp(path, BUNDLE_DIRECTORY "/") == 0) {
        roots->has_default = 1;
        return 0;
    }
    PyObject *name = PyUnicode_DecodeFSDefault(path);
    int result = name != NULL ? PyList_Append(roots->directories, name) : -1;
    Py_XDECREF(name);
    return result;
}

int roots_add_pem(struct roots *roots, const char *text, size_t size)
{
    if (is_bundle(text, size)) {
        roots->has_default = 1;
        return 0;
    }
    int count = enter_text(roots->own, text, size);
    if (count == 0) {
        ssl_raise_at(ssl_types.error, ERROR_SSL, NULL, NULL, "no start line: cadata does not contain a certificate", __LINE__);
    }
    return count > 0 ? 0 : count == -2 ? raise_pem() : -1;
}

int roots_add_der(struct roots *roots, const unsigned char *bytes, size_t size)
{
    for (size_t used = 0; used < size;) {
        Py_ssize_t length = enter(roots->own, bytes + used, size - used);
        if (length == 0 && used == 0) {
            ssl_raise_at(ssl_types.error, ERROR_SSL, NULL, NULL, "not enough data: cadata does not contain a certificate", __LINE__);
        }
        else if (length == 0) {
            ssl_raise("ASN1", "NOT_ENOUGH_DATA", "not enough data");
        }
        if (length <= 0) {
            return -1;
        }
        used += (size_t)length;
    }
    return 0;
}

int roots_add_default(struct roots *roots)
{
    const char *file = getenv("SSL_CERT_FILE"), *directory = getenv("SSL_CERT_DIR");
    if (file == NULL && directory == NULL) {
        roots->has_default = 1;
        return 0;
    }
    /* As OpenSSL does: what cannot be read is not there. */
    if (file != NULL && *file != '\0' && roots_add_file(roots, file) != 0) {
        PyErr_Clear();
    }
    return directory != NULL && *directory != '\0' ? roots_add_directory(roots, directory) : 0;
}

/* Adds what is in a directory, in files that are named by hashes. 0, or -1 with an exception. */
static int enter_directory(PyObject *certificates, PyObject *name)
{
    char path[4096];
    const char *directory = PyUnicode_AsUTF8(name);
    DIR *opened = directory != NULL ? opendir(directory) : NULL;
    struct dirent *entry;
    int result = directory != NULL ? 0 : -1;
    for (int i = 0; opened != NULL && result == 0 && i < MOST_OF_DIRECTORY && (entry = readdir(opened)) != NULL; i++) {
        size_t size;
        int is_hash = strspn(entry->d_name, "0123456789abcdef") == 8 && entry->d_name[8] == '.' &&
                      strspn(entry->d_name + 9, "0123456789") == strlen(entry->d_name + 9);
        if (!is_hash || snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) >= (int)sizeof path) {
            continue;
        }
        char *text = contents(path, &size);
        result = text != NULL && enter_text(certificates, text, size) == -1 ? -1 : 0;
        free(text);
    }
    if (opened != NULL) {
        closedir(opened);
    }
    return result;
}

/* Those that the program has named, with what is in its directories: a new dict. */
static PyObject *named(const struct roots *roots)
{
    PyObject *all = PyDict_Copy(roots->own);
    for (Py_ssize_t i = 0; all != NULL && i < PyList_GET_SIZE(roots->directories); i++) {
        if (enter_directory(all, PyList_GET_ITEM(roots->directories, i)) != 0) {
            Py_CLEAR(all);
        }
    }
    return all;
}

PyObject *roots_all(const struct roots *roots)
{
    PyObject *all = PyDict_New();
    size_t size;
    if (all != NULL && roots->has_default) {
        char *text = contents(BUNDLE, &size);
        if (text != NULL && enter_text(all, text, size) == -1) {
            Py_CLEAR(all);
        }
        free(text);
    }
    /* What is in directories counts once it was needed, as with OpenSSL. */
    if (all != NULL && PyDict_Update(all, roots->own) != 0) {
        Py_CLEAR(all);
    }
    return all;
}

PyObject *roots_sent(const struct roots *roots)
{
    if (roots->has_default) {
        Py_RETURN_NONE;
    }
    PyObject *certificates = named(roots);
    PyObject *list = certificates != NULL ? PyDict_Keys(certificates) : NULL;
    Py_XDECREF(certificates);
    return list;
}
