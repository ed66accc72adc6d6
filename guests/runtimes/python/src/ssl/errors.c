/* The errors of `_ssl`, with OpenSSL's words. */
#include "ssl.h"

#include <arpa/inet.h>
#include <string.h>

/* What is wrong with a certificate (X509_V_ERR_…). */
static const struct {
    uint32_t number;
    const char *text;
} verifications[] = {
    {1, "unspecified certificate verification error"},
    {2, "unable to get issuer certificate"},
    {VERIFY_NO_CRL, "unable to get certificate CRL"},
    {7, "certificate signature failure"},
    {9, "certificate is not yet valid"},
    {10, "certificate has expired"},
    {18, "self-signed certificate"},
    {19, "self-signed certificate in certificate chain"},
    {20, "unable to get local issuer certificate"},
    {21, "unable to verify the first certificate"},
    {22, "certificate chain too long"},
    {23, "certificate revoked"},
    {24, "invalid CA certificate"},
    {26, "unsuitable certificate purpose"},
    {27, "certificate not trusted"},
    {28, "certificate rejected"},
};

/* The alerts of a server (RFC 8446, 6). OpenSSL says of some that they are SSLv3's. */
static const struct {
    int number;
    const char *reason, *text;
} alerts[] = {
    {10, "SSLV3_ALERT_UNEXPECTED_MESSAGE", "ssl/tls alert unexpected message"},
    {20, "SSLV3_ALERT_BAD_RECORD_MAC", "ssl/tls alert bad record mac"},
    {22, "TLSV1_ALERT_RECORD_OVERFLOW", "tlsv1 alert record overflow"},
    {40, "SSLV3_ALERT_HANDSHAKE_FAILURE", "ssl/tls alert handshake failure"},
    {42, "SSLV3_ALERT_BAD_CERTIFICATE", "ssl/tls alert bad certificate"},
    {43, "SSLV3_ALERT_UNSUPPORTED_CERTIFICATE", "ssl/tls alert unsupported certificate"},
    {44, "SSLV3_ALERT_CERTIFICATE_REVOKED", "ssl/tls alert certificate revoked"},
    {45, "SSLV3_ALERT_CERTIFICATE_EXPIRED", "ssl/tls alert certificate expired"},
    {46, "SSLV3_ALERT_CERTIFICATE_UNKNOWN", "ssl/tls alert certificate unknown"},
    {47, "SSLV3_ALERT_ILLEGAL_PARAMETER", "ssl/tls alert illegal parameter"},
    {48, "TLSV1_ALERT_UNKNOWN_CA", "tlsv1 alert unknown ca"},
    {49, "TLSV1_ALERT_ACCESS_DENIED", "tlsv1 alert access denied"},
    {50, "TLSV1_ALERT_DECODE_ERROR", "tlsv1 alert decode error"},
    {51, "TLSV1_ALERT_DECRYPT_ERROR", "tlsv1 alert decrypt error"},
    {70, "TLSV1_ALERT_PROTOCOL_VERSION", "tlsv1 alert protocol version"},
    {71, "TLSV1_ALERT_INSUFFICIENT_SECURITY", "tlsv1 alert insufficient security"},
    {80, "TLSV1_ALERT_INTERNAL_ERROR", "tlsv1 alert internal error"},
    {86, "TLSV1_ALERT_INAPPROPRIATE_FALLBACK", "tlsv1 alert inappropriate fallback"},
    {90, "TLSV1_ALERT_USER_CANCELLED", "tlsv1 alert user cancelled"},
    {100, "TLSV1_ALERT_NO_RENEGOTIATION", "tlsv1 alert no renegotiation"},
    {109, "TLSV13_ALERT_MISSING_EXTENSION", "tlsv13 alert missing extension"},
    {110, "TLSV1_UNSUPPORTED_EXTENSION", "tlsv1 unsupported extension"},
    {112, "TLSV1_UNRECOGNIZED_NAME", "tlsv1 unrecognized name"},
    {113, "TLSV1_BAD_CERTIFICATE_STATUS_RESPONSE", "tlsv1 bad certificate status response"},
    {116, "TLSV13_ALERT_CERTIFICATE_REQUIRED", "tlsv13 alert certificate required"},
    {120, "TLSV1_ALERT_NO_APPLICATION_PROTOCOL", "tlsv1 alert no application protocol"},
};

static PyObject *error_text(PyObject *self)
{
    PyObject *text = ((PyOSErrorObject *)self)->strerror;
    return text != NULL && PyUnicode_Check(text) ? Py_NewRef(text) : PyObject_Str(((PyOSErrorObject *)self)->args);
}

int ssl_make_errors(void)
{
    static PyType_Slot slots[] = {
        {Py_tp_doc, "An error occurred in the SSL implementation."},
        {Py_tp_str, error_text},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "ssl.SSLError",
        .basicsize = sizeof(PyOSErrorObject),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
        .slots = slots,
    };
    struct {
        const char *name, *about;
        PyObject **where;
    } kinds[] = {
        {"ssl.SSLZeroReturnError", "SSL/TLS session closed cleanly.", &ssl_types.zero_return_error},
        {"ssl.SSLWantReadError",
         "Non-blocking SSL socket needs to read more data\nbefore the requested operation can be completed.",
         &ssl_types.want_read_error},
        {"ssl.SSLWantWriteError",
         "Non-blocking SSL socket needs to write more data\nbefore the requested operation can be completed.",
         &ssl_types.want_write_error},
        {"ssl.SSLSyscallError", "System error when attempting SSL operation.", &ssl_types.syscall_error},
        {"ssl.SSLEOFError", "SSL/TLS connection terminated abruptly.", &ssl_types.eof_error},
    };
    ssl_types.error = PyType_FromSpecWithBases(&spec, PyExc_OSError);
    if (ssl_types.error == NULL) {
        return -1;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        *kinds[i].where = PyErr_NewExceptionWithDoc(kinds[i].name, kinds[i].about, ssl_types.error, NULL);
        if (*kinds[i].where == NULL) {
            return -1;
        }
    }
    PyObject *bases = PyTuple_Pack(2, ssl_types.error, PyExc_ValueError);
    if (bases != NULL) {
        ssl_types.verification_error =
            PyErr_NewExceptionWithDoc("ssl.SSLCertVerificationError", "A certificate could not be verified.", bases, NULL);
        Py_DECREF(bases);
    }
    return ssl_types.verification_error != NULL ? 0 : -1;
}

/* Sets an attribute to an object that is given away. 0, or -1 with an exception. */
static int set(PyObject *error, const char *name, PyObject *value)
{
    int result = value != NULL ? PyObject_SetAttrString(error, name, value) : -1;
    Py_XDECREF(value);
    return result;
}

static PyObject *text_or_none(const char *text)
{
    return text != NULL ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : Py_NewRef(Py_None);
}

/* Makes an error of the type, with its library and reason. */
static PyObject *make(PyObject *type, int number, const char *library, const char *reason, PyObject *text)
{
    PyObject *error = text != NULL ? PyObject_CallFunction(type, "iO", number, text) : NULL;
    Py_XDECREF(text);
    if (error != NULL && (set(error, "reason", text_or_none(reason)) != 0 || set(error, "library", text_or_none(library)) != 0)) {
        Py_CLEAR(error);
    }
    return error;
}

static void raise(PyObject *error)
{
    if (error != NULL) {
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
        Py_DECREF(error);
    }
}

void ssl_raise_at(PyObject *type, int number, const char *library, const char *reason, const char *text, int line)
{
    PyObject *shown = library == NULL  ? PyUnicode_FromFormat("%s (_ssl.c:%d)", text, line)
                      : reason == NULL ? PyUnicode_FromFormat("[%s] %s (_ssl.c:%d)", library, text, line)
                                       : PyUnicode_FromFormat("[%s: %s] %s (_ssl.c:%d)", library, reason, text, line);
    raise(make(type, number, library, reason, shown));
}

static int is_address(PyObject *name)
{
    unsigned char address[16];
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    return text != NULL && (inet_pton(AF_INET, text, address) == 1 || inet_pton(AF_INET6, text, address) == 1);
}

static PyObject *verification_text(uint32_t number, PyObject *name)
{
    if (number == VERIFY_HOSTNAME_MISMATCH) {
        return PyUnicode_FromFormat("Hostname mismatch, certificate is not valid for '%S'.", name);
    }
    if (number == VERIFY_ADDRESS_MISMATCH) {
        return PyUnicode_FromFormat("IP address mismatch, certificate is not valid for '%S'.", name);
    }
    for (size_t i = 0; i < sizeof verifications / sizeof *verifications; i++) {
        if (verifications[i].number == number) {
            return PyUnicode_FromString(verifications[i].text);
        }
    }
    return PyUnicode_FromFormat("unknown certificate verification error %lu", (unsigned long)number);
}

void ssl_raise_verification(uint32_t number, PyObject *name)
{
    static const char reason[] = "CERTIFICATE_VERIFY_FAILED";
    if (number == VERIFY_HOSTNAME_MISMATCH && is_address(name)) {
        number = VERIFY_ADDRESS_MISMATCH;
    }
    PyObject *text = verification_text(number, name);
    if (text == NULL) {
        return;
    }
    PyObject *shown = PyUnicode_FromFormat("[SSL: %s] certificate verify failed: %U (_ssl.c:%d)", reason, text, __LINE__);
    PyObject *error = make(ssl_types.verification_error, ERROR_SSL, "SSL", reason, shown);
    if (error == NULL || set(error, "verify_code", PyLong_FromUnsignedLong(number)) != 0 ||
        set(error, "verify_message", Py_NewRef(text)) != 0) {
        Py_CLEAR(error);
    }
    Py_DECREF(text);
    raise(error);
}

void ssl_raise_failure(const struct cptls_failure *failure, PyObject *name)
{
    if (failure->verify != 0) {
        ssl_raise_verification(failure->verify, name);
        return;
    }
    for (size_t i = 0; i < sizeof alerts / sizeof *alerts; i++) {
        if (alerts[i].number == failure->alert) {
            ssl_raise("SSL", alerts[i].reason, alerts[i].text);
            return;
        }
    }
    PyObject *text = PyUnicode_DecodeUTF8(failure->text, (Py_ssize_t)strlen(failure->text), "replace");
    PyObject *shown = text != NULL ? PyUnicode_FromFormat("[SSL] the gateway ended the connection (codepod: %U)", text) : NULL;
    Py_XDECREF(text);
    raise(make(ssl_types.error, ERROR_SSL, "SSL", NULL, shown));
}

void ssl_raise_unsupported(const char *what)
{
    PyErr_Format(PyExc_NotImplementedError, "%s (codepod: the gateway does TLS for programs in this sandbox)", what);
}
