/* `_SSLContext`: what connections are made with. */
#include "ssl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MINIMUM_SUPPORTED = -2, MAXIMUM_SUPPORTED = -1, SECURITY_LEVEL = 2, TICKETS = 2 };

static struct context *of(PyObject *self) { return (struct context *)self; }

static int warn(const char *text) { return PyErr_WarnEx(PyExc_DeprecationWarning, text, 2); }

static PyObject *context_new(PyTypeObject *type, PyObject *arguments, PyObject *options)
{
    int protocol, is_good = 1;
    if (!PyArg_ParseTuple(arguments, "i:_SSLContext", &protocol)) {
        return NULL;
    }
    switch (protocol) {
    case PROTOCOL_TLS: is_good = warn("ssl.PROTOCOL_TLS is deprecated") == 0; break;
    case PROTOCOL_TLSV1_2: is_good = warn("ssl.PROTOCOL_TLSv1_2 is deprecated") == 0; break;
    case PROTOCOL_TLS_CLIENT:
    case PROTOCOL_TLS_SERVER: break;
    default: return PyErr_Format(PyExc_ValueError, "invalid or unsupported protocol version %i", protocol);
    }
    struct context *self = is_good ? of(type->tp_alloc(type, 0)) : NULL;
    if (self == NULL) {
        return NULL;
    }
    self->protocol = protocol;
    self->check_hostname = protocol == PROTOCOL_TLS_CLIENT;
    self->verify_mode = protocol == PROTOCOL_TLS_CLIENT ? VERIFY_REQUIRED : VERIFY_NONE;
    self->verify_flags = VERIFY_TRUSTED_FIRST;
    self->host_flags = 4; /* no partial wildcards */
    self->options = OP_DEFAULT;
    self->minimum_version = protocol == PROTOCOL_TLSV1_2 ? MINIMUM_SUPPORTED : VERSION_TLS1_2;
    self->maximum_version = MAXIMUM_SUPPORTED;
    self->tickets = TICKETS;
    self->ciphers = ciphers_chosen(DEFAULT_CIPHERS);
    if (roots_begin(&self->roots) != 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static int context_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(of(self)->sni_callback);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int context_clear(PyObject *self)
{
    Py_CLEAR(of(self)->sni_callback);
    return 0;
}

static void context_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    struct context *context = of(self);
    PyObject_GC_UnTrack(self);
    context_clear(self);
    Py_CLEAR(context->alpn);
    Py_CLEAR(context->roots.own);
    Py_CLEAR(context->roots.directories);
    Py_CLEAR(context->certificates);
    Py_CLEAR(context->key);
    type->tp_free(self);
    Py_DECREF(type);
}

/* Ciphers and protocols. */

static PyObject *set_ciphers(PyObject *self, PyObject *list)
{
    const char *text = PyUnicode_Check(list) ? PyUnicode_AsUTF8(list) : NULL;
    if (text == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_Format(PyExc_TypeError, "set_ciphers() argument must be str, not %.50s", Py_TYPE(list)->tp_name);
        }
        return NULL;
    }
    unsigned chosen = ciphers_chosen(text);
    if (chosen == 0) {
        PyErr_SetString(ssl_types.error, "No cipher can be selected.");
        return NULL;
    }
    of(self)->ciphers = chosen;
    Py_RETURN_NONE;
}

static PyObject *get_ciphers(PyObject *self, PyObject *ignored)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list != NULL && i < CIPHERS; i++) {
        if (of(self)->ciphers & 1u << i) {
            PyObject *cipher = cipher_dict(&ciphers[i]);
            if (cipher == NULL || PyList_Append(list, cipher) != 0) {
                Py_CLEAR(list);
            }
            Py_XDECREF(cipher);
        }
    }
    return list;
}

static PyObject *set_alpn(PyObject *self, PyObject *protocols)
{
    PyObject *bytes = PyBytes_FromObject(protocols);
    if (bytes == NULL) {
        return NULL;
    }
    Py_XSETREF(of(self)->alpn, bytes);
    Py_RETURN_NONE;
}

/* Files. */

static PyObject *load_cert_chain(PyObject *self, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"certfile", "keyfile", "password", NULL};
    PyObject *certificates, *key = Py_None, *password = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, options, "O|OO:load_cert_chain", names, &certificates, &key, &password) ||
        context_load_client(of(self), certificates, key, password) != 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Loads what is given as a text or as bytes. */
static int load_data(struct roots *roots, PyObject *data)
{
    Py_buffer buffer;
    if (PyUnicode_Check(data)) {
        Py_ssize_t size;
        const char *text = PyUnicode_IS_ASCII(data) ? PyUnicode_AsUTF8AndSize(data, &size) : NULL;
        if (text != NULL && size == 0) {
            PyErr_SetString(PyExc_ValueError, "Empty certificate data");
            return -1;
        }
        if (text != NULL) {
            return roots_add_pem(roots, text, (size_t)size);
        }
    }
    else if (PyObject_CheckBuffer(data)) {
        if (PyObject_GetBuffer(data, &buffer, PyBUF_SIMPLE) != 0) {
            return -1;
        }
        int result = -1;
        if (buffer.len == 0) {
            PyErr_SetString(PyExc_ValueError, "Empty certificate data");
        }
        else {
            result = roots_add_der(roots, buffer.buf, (size_t)buffer.len);
        }
        PyBuffer_Release(&buffer);
        return result;
    }
    PyErr_SetString(PyExc_TypeError, "cadata should be an ASCII string or a bytes-like object");
    return -1;
}

static int load_path(struct roots *roots, PyObject *given, const char *about, int (*add)(struct roots *, const char *))
{
    PyObject *path;
    if (!PyUnicode_FSConverter(given, &path)) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_SetString(PyExc_TypeError, about);
        }
        return -1;
    }
    int result = add(roots, PyBytes_AS_STRING(path));
    Py_DECREF(path);
    return result;
}

static PyObject *load_verify_locations(PyObject *self, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"cafile", "capath", "cadata", NULL};
    PyObject *file = Py_None, *directory = Py_None, *data = Py_None;
    struct roots *roots = &of(self)->roots;
    if (!PyArg_ParseTupleAndKeywords(arguments, options, "|OOO:load_verify_locations", names, &file, &directory, &data)) {
        return NULL;
    }
    if (file == Py_None && directory == Py_None && data == Py_None) {
        PyErr_SetString(PyExc_TypeError, "cafile, capath and cadata cannot be all omitted");
        return NULL;
    }
    if ((data != Py_None && load_data(roots, data) != 0) ||
        (file != Py_None && load_path(roots, file, "cafile should be a valid filesystem path", roots_add_file) != 0) ||
        (directory != Py_None && load_path(roots, directory, "capath should be a valid filesystem path", roots_add_directory) != 0)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *set_default_verify_paths(PyObject *self, PyObject *ignored)
{
    if (roots_add_default(&of(self)->roots) != 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *cert_store_stats(PyObject *self, PyObject *ignored)
{
    PyObject *all = roots_all(&of(self)->roots), *certificate, *is_authority;
    Py_ssize_t at = 0, authorities = 0;
    if (all == NULL) {
        return NULL;
    }
    while (PyDict_Next(all, &at, &certificate, &is_authority)) {
        authorities += is_authority == Py_True;
    }
    Py_ssize_t count = PyDict_GET_SIZE(all);
    Py_DECREF(all);
    return Py_BuildValue("{snsnsn}", "x509", count, "crl", (Py_ssize_t)0, "x509_ca", authorities);
}

static PyObject *get_ca_certs(PyObject *self, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"binary_form", NULL};
    PyObject *certificate, *is_authority;
    Py_ssize_t at = 0;
    int is_binary = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, options, "|p:get_ca_certs", names, &is_binary)) {
        return NULL;
    }
    PyObject *all = roots_all(&of(self)->roots), *list = all != NULL ? PyList_New(0) : NULL;
    while (list != NULL && PyDict_Next(all, &at, &certificate, &is_authority)) {
        if (is_authority != Py_True) {
            continue;
        }
        PyObject *shown = is_binary ? Py_NewRef(certificate)
                                    : certificate_info((const unsigned char *)PyBytes_AS_STRING(certificate),
                                                       (size_t)PyBytes_GET_SIZE(certificate));
        if (shown == NULL || PyList_Append(list, shown) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(shown);
    }
    Py_XDECREF(all);
    return list;
}

/* Connections. */

static PyObject *connect(PyObject *self, PyObject *arguments, PyObject *options, int is_socket)
{
    static char *of_socket[] = {"sock", "server_side", "server_hostname", "owner", "session", NULL};
    static char *of_memory[] = {"incoming", "outgoing", "server_side", "server_hostname", "owner", "session", NULL};
    PyObject *first, *second = NULL, *name = Py_None, *owner = Py_None, *session = Py_None;
    int is_server;
    if (is_socket ? !PyArg_ParseTupleAndKeywords(arguments, options, "O!p|O$OO:_wrap_socket", of_socket, ssl_types.socket, &first,
                                                 &is_server, &name, &owner, &session)
                  : !PyArg_ParseTupleAndKeywords(arguments, options, "O!O!p|O$OO:_wrap_bio", of_memory, ssl_types.memory_bio, &first,
                                                 ssl_types.memory_bio, &second, &is_server, &name, &owner, &session)) {
        return NULL;
    }
    return connection_new(of(self), is_socket ? first : NULL, is_socket ? NULL : (struct memory_bio *)first,
                          (struct memory_bio *)second, is_server, name, owner, session);
}

static PyObject *wrap_socket(PyObject *self, PyObject *arguments, PyObject *options) { return connect(self, arguments, options, 1); }
static PyObject *wrap_bio(PyObject *self, PyObject *arguments, PyObject *options) { return connect(self, arguments, options, 0); }

static PyObject *session_stats(PyObject *self, PyObject *ignored)
{
    static const char *const zeros[] = {"connect_renegotiate", "accept", "accept_good", "accept_renegotiate",
                                        "hits", "misses", "timeouts", "cache_full"};
    PyObject *stats = Py_BuildValue("{sislsl}", "number", 0, "connect", of(self)->connections, "connect_good",
                                    of(self)->good_connections);
    for (size_t i = 0; stats != NULL && i < sizeof zeros / sizeof *zeros; i++) {
        if (PyDict_SetItemString(stats, zeros[i], Py_GetConstantBorrowed(Py_CONSTANT_ZERO)) != 0) {
            Py_CLEAR(stats);
        }
    }
    return stats;
}

/* What servers only have is checked where it is set, and never used: a server is refused when it speaks. */

static PyObject *load_dh_params(PyObject *self, PyObject *given)
{
    PyObject *path;
    struct pem block;
    char text[65536];
    if (!PyUnicode_FSConverter(given, &path)) {
        return NULL;
    }
    FILE *file = fopen(PyBytes_AS_STRING(path), "rb");
    Py_DECREF(path);
    if (file == NULL) {
        return PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, given);
    }
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    for (const char *at = text; pem_next(&at, &size, &block) > 0;) {
        Py_DECREF(block.bytes);
        if (pem_has_label(&block, "DH PARAMETERS") || pem_has_label(&block, "X9.42 DH PARAMETERS")) {
            Py_RETURN_NONE;
        }
    }
    if (!PyErr_Occurred()) {
        ssl_raise("PEM", "NO_START_LINE", "no start line");
    }
    return NULL;
}

static PyObject *set_ecdh_curve(PyObject *self, PyObject *given)
{
    static const char *const known[] = {"prime256v1", "secp384r1", "secp521r1", "X25519", "X448"};
    PyObject *name;
    int is_known = 0;
    if (!PyUnicode_FSConverter(given, &name)) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        is_known |= strcmp(PyBytes_AS_STRING(name), known[i]) == 0;
    }
    Py_DECREF(name);
    if (!is_known) {
        return PyErr_Format(PyExc_ValueError, "unknown elliptic curve name %R", given);
    }
    if (of(self)->protocol != PROTOCOL_TLS_SERVER) {
        ssl_raise_unsupported("the curve of a connection cannot be chosen");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *refuse_key(PyObject *self, PyObject *arguments, PyObject *options)
{
    ssl_raise_unsupported("TLS with keys that both sides know beforehand (PSK) is not supported");
    return NULL;
}

/* Properties. */

static int number_of(PyObject *value, int *number)
{
    if (value == NULL) {
        PyErr_SetString(PyExc_AttributeError, "cannot delete attribute");
        return -1;
    }
    return PyArg_Parse(value, "i", number) ? 0 : -1;
}

static PyObject *get_check_hostname(PyObject *self, void *ignored) { return PyBool_FromLong(of(self)->check_hostname); }

static int set_check_hostname(PyObject *self, PyObject *value, void *ignored)
{
    int is_checked = value != NULL ? PyObject_IsTrue(value) : -1;
    if (is_checked < 0) {
        return value != NULL ? -1 : number_of(value, &is_checked);
    }
    if (is_checked && of(self)->verify_mode == VERIFY_NONE) {
        of(self)->verify_mode = VERIFY_REQUIRED;
    }
    of(self)->check_hostname = is_checked;
    return 0;
}

static PyObject *get_verify_mode(PyObject *self, void *ignored) { return PyLong_FromLong(of(self)->verify_mode); }

/* The policy decides which certificates are good, whatever is set here. Without a check of its own, a program narrows nothing. */
static int set_verify_mode(PyObject *self, PyObject *value, void *ignored)
{
    int mode;
    if (number_of(value, &mode) != 0) {
        return -1;
    }
    if (mode == VERIFY_NONE && of(self)->check_hostname) {
        PyErr_SetString(PyExc_ValueError, "Cannot set verify_mode to CERT_NONE when check_hostname is enabled.");
        return -1;
    }
    if (mode < VERIFY_NONE || mode > VERIFY_REQUIRED) {
        PyErr_SetString(PyExc_ValueError, "invalid value for verify_mode");
        return -1;
    }
    of(self)->verify_mode = mode;
    return 0;
}

static PyObject *get_verify_flags(PyObject *self, void *ignored) { return PyLong_FromUnsignedLong(of(self)->verify_flags); }

static int set_verify_flags(PyObject *self, PyObject *value, void *ignored)
{
    unsigned long flags;
    if (value == NULL || !PyArg_Parse(value, "k", &flags)) {
        return value != NULL ? -1 : number_of(value, NULL);
    }
    of(self)->verify_flags = flags;
    return 0;
}

static PyObject *get_host_flags(PyObject *self, void *ignored) { return PyLong_FromUnsignedLong(of(self)->host_flags); }

static int set_host_flags(PyObject *self, PyObject *value, void *ignored)
{
    return value != NULL && PyArg_Parse(value, "I", &of(self)->host_flags) ? 0 : value != NULL ? -1 : number_of(value, NULL);
}

static PyObject *get_options(PyObject *self, void *ignored) { return PyLong_FromUnsignedLongLong(of(self)->options); }

static int set_options(PyObject *self, PyObject *value, void *ignored)
{
    static const uint64_t versions = OP_NO_SSLV3 | OP_NO_TLSV1 | OP_NO_TLSV1_1 | OP_NO_TLSV1_2 | OP_NO_TLSV1_3;
    uint64_t options;
    if (value == NULL || !PyLong_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "options must be an int");
        return -1;
    }
    if (PyLong_IsNegative(value)) {
        PyErr_SetString(PyExc_ValueError, "value must be positive");
        return -1;
    }
    if (PyLong_AsUInt64(value, &options) != 0 ||
        ((options & ~of(self)->options & versions) != 0 && warn("ssl.OP_NO_SSL*/ssl.OP_NO_TLS* options are deprecated") != 0)) {
        return -1;
    }
    of(self)->options = options;
    return 0;
}

static PyObject *get_minimum_version(PyObject *self, void *ignored) { return PyLong_FromLong(of(self)->minimum_version); }
static PyObject *get_maximum_version(PyObject *self, void *ignored) { return PyLong_FromLong(of(self)->maximum_version); }

/* Sets a bound of the versions. Below 1.2 a bound says no less than 1.2, which is the gateway's lowest; a connection that could have
   nothing else is refused when it begins. */
static int set_version(PyObject *self, PyObject *value, int *where, int supported, int if_other, int other)
{
    int version, result = 0;
    if (number_of(value, &version) != 0) {
        return -1;
    }
    if (of(self)->protocol == PROTOCOL_TLSV1_2) {
        PyErr_SetString(PyExc_ValueError, "The context's protocol doesn't support modification of highest and lowest version.");
        return -1;
    }
    switch (version) {
    case VERSION_SSL3: result = warn("ssl.TLSVersion.SSLv3 is deprecated"); break;
    case VERSION_TLS1: result = warn("ssl.TLSVersion.TLSv1 is deprecated"); break;
    case VERSION_TLS1_1: result = warn("ssl.TLSVersion.TLSv1_1 is deprecated"); break;
    case MINIMUM_SUPPORTED:
    case MAXIMUM_SUPPORTED:
    case VERSION_TLS1_2:
    case VERSION_TLS1_3: break;
    default: PyErr_Format(PyExc_ValueError, "Unsupported TLS/SSL version 0x%x", (unsigned)version); return -1;
    }
    if (result == 0) {
        *where = version == supported ? supported : version == if_other ? other : version;
    }
    return result;
}

static int set_minimum_version(PyObject *self, PyObject *value, void *ignored)
{
    return set_version(self, value, &of(self)->minimum_version, MINIMUM_SUPPORTED, MAXIMUM_SUPPORTED, VERSION_TLS1_3);
}

static int set_maximum_version(PyObject *self, PyObject *value, void *ignored)
{
    return set_version(self, value, &of(self)->maximum_version, MAXIMUM_SUPPORTED, MINIMUM_SUPPORTED, VERSION_TLS1);
}

static PyObject *get_protocol(PyObject *self, void *ignored) { return PyLong_FromLong(of(self)->protocol); }
static PyObject *get_security_level(PyObject *self, void *ignored) { return PyLong_FromLong(SECURITY_LEVEL); }
static PyObject *get_tickets(PyObject *self, void *ignored) { return PyLong_FromLong(of(self)->tickets); }

static int set_tickets(PyObject *self, PyObject *value, void *ignored)
{
    int tickets;
    if (number_of(value, &tickets) != 0) {
        return -1;
    }
    if (tickets < 0 || of(self)->protocol != PROTOCOL_TLS_SERVER) {
        PyErr_SetString(PyExc_ValueError, tickets < 0 ? "value must be non-negative" : "SSLContext is not a server context.");
        return -1;
    }
    of(self)->tickets = tickets;
    return 0;
}

static PyObject *get_nothing(PyObject *self, void *ignored) { Py_RETURN_NONE; }

static int set_key_log(PyObject *self, PyObject *value, void *ignored)
{
    if (value != NULL && value != Py_None) {
        ssl_raise_unsupported("the keys of a connection cannot be logged (keylog_filename, SSLKEYLOGFILE)");
        return -1;
    }
    return 0;
}

static int set_message_callback(PyObject *self, PyObject *value, void *ignored)
{
    if (value != NULL && value != Py_None) {
        ssl_raise_unsupported("the messages of TLS cannot be watched (_msg_callback)");
        return -1;
    }
    return 0;
}

static PyObject *get_sni_callback(PyObject *self, void *ignored)
{
    PyObject *callback = of(self)->sni_callback;
    return Py_NewRef(callback != NULL ? callback : Py_None);
}

static int set_sni_callback(PyObject *self, PyObject *value, void *ignored)
{
    if (of(self)->protocol == PROTOCOL_TLS_CLIENT) {
        PyErr_SetString(PyExc_ValueError, "sni_callback cannot be set on TLS_CLIENT context");
        return -1;
    }
    if (value != NULL && value != Py_None && !PyCallable_Check(value)) {
        Py_CLEAR(of(self)->sni_callback);
        PyErr_SetString(PyExc_TypeError, "not a callable object");
        return -1;
    }
    Py_XSETREF(of(self)->sni_callback, value == Py_None ? NULL : Py_XNewRef(value));
    return 0;
}

PyTypeObject *ssl_make_context(PyObject *module)
{
#define WITH_OPTIONS(function) (PyCFunction)(void (*)(void))function, METH_VARARGS | METH_KEYWORDS
    static PyMethodDef methods[] = {
        {"_wrap_socket", WITH_OPTIONS(wrap_socket), NULL},
        {"_wrap_bio", WITH_OPTIONS(wrap_bio), NULL},
        {"set_ciphers", set_ciphers, METH_O, NULL},
        {"get_ciphers", get_ciphers, METH_NOARGS, NULL},
        {"_set_alpn_protocols", set_alpn, METH_O, NULL},
        {"load_cert_chain", WITH_OPTIONS(load_cert_chain), NULL},
        {"load_verify_locations", WITH_OPTIONS(load_verify_locations), NULL},
        {"set_default_verify_paths", set_default_verify_paths, METH_NOARGS, NULL},
        {"cert_store_stats", cert_store_stats, METH_NOARGS, "Returns quantities of loaded X.509 certificates."},
        {"get_ca_certs", WITH_OPTIONS(get_ca_certs), "Returns a list of dicts with information of loaded CA certs."},
        {"session_stats", session_stats, METH_NOARGS, NULL},
        {"load_dh_params", load_dh_params, METH_O, NULL},
        {"set_ecdh_curve", set_ecdh_curve, METH_O, NULL},
        {"set_psk_client_callback", WITH_OPTIONS(refuse_key), NULL},
        {"set_psk_server_callback", WITH_OPTIONS(refuse_key), NULL},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef properties[] = {
        {"check_hostname", get_check_hostname, set_check_hostname, NULL, NULL},
        {"verify_mode", get_verify_mode, set_verify_mode, NULL, NULL},
        {"verify_flags", get_verify_flags, set_verify_flags, NULL, NULL},
        {"_host_flags", get_host_flags, set_host_flags, NULL, NULL},
        {"options", get_options, set_options, NULL, NULL},
        {"minimum_version", get_minimum_version, set_minimum_version, NULL, NULL},
        {"maximum_version", get_maximum_version, set_maximum_version, NULL, NULL},
        {"protocol", get_protocol, NULL, NULL, NULL},
        {"security_level", get_security_level, NULL, "The current security level.", NULL},
        {"num_tickets", get_tickets, set_tickets, "Control the number of TLSv1.3 session tickets.", NULL},
        {"post_handshake_auth", get_nothing, NULL, NULL, NULL},
        {"keylog_filename", get_nothing, set_key_log, NULL, NULL},
        {"_msg_callback", get_nothing, set_message_callback, NULL, NULL},
        {"sni_callback", get_sni_callback, set_sni_callback, NULL, NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_new, context_new},           {Py_tp_dealloc, context_dealloc}, {Py_tp_traverse, context_traverse},
        {Py_tp_clear, context_clear},       {Py_tp_methods, methods},         {Py_tp_getset, properties},
        {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "_ssl._SSLContext",
        .basicsize = sizeof(struct context),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
