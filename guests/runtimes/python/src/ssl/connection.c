/* `_SSLSocket`: one connection, over a socket or over memory. What is received is never more than what is asked for: a program that
   waits for a descriptor, and looks at nothing else, misses nothing. */
#include "ssl.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "socketmodule.h"

struct connection {
    PyObject_HEAD
    struct cptls *tls;
    struct context *context;
    PyObject *socket; /* a weak reference, or NULL: then memory carries the bytes */
    struct memory_bio *incoming, *outgoing;
    PyObject *owner, *name; /* a weak reference and a text, or NULL */
    int is_server, has_begun;
    size_t unsent; /* of what `write` was given last: a program has to ask for it again */
};

static struct connection *of(PyObject *self) { return (struct connection *)self; }

/* Waiting. */

/* What an operation waits with. */
struct wait {
    const char *name;        /* "handshake", "read", "write" */
    PySocketSockObject *socket; /* NULL over memory */
    PyTime_t deadline;
};

/* Begins an operation: finds the socket. 0, or -1 with an exception. The socket is to be released. */
static int begin(struct connection *self, struct wait *wait, const char *name)
{
    PyObject *socket = NULL;
    *wait = (struct wait){.name = name};
    if (self->socket == NULL) {
        return 0;
    }
    if (PyWeakref_GetRef(self->socket, &socket) <= 0 || ((PySocketSockObject *)socket)->sock_fd < 0) {
        Py_XDECREF(socket);
        ssl_raise_at(ssl_types.error, 9, NULL, NULL, "Underlying socket connection gone", __LINE__);
        return -1;
    }
    wait->socket = (PySocketSockObject *)socket;
    if (wait->socket->sock_timeout > 0) {
        PyTime_t now;
        PyTime_MonotonicRaw(&now);
        wait->deadline = now + wait->socket->sock_timeout;
    }
    return 0;
}

static void end(struct wait *wait) { Py_XDECREF((PyObject *)wait->socket); }

static void raise_want(int is_write, int line)
{
    ssl_raise_at(is_write ? ssl_types.want_write_error : ssl_types.want_read_error, is_write ? ERROR_WANT_WRITE : ERROR_WANT_READ,
                 NULL, NULL, is_write ? "The operation did not complete (write)" : "The operation did not complete (read)", line);
}

/* Waits until the socket can be read from or written to. 0, or -1 with an exception: in non-blocking mode at once. */
static int wait_for(struct wait *wait, int is_write)
{
    PySocketSockObject *socket = wait->socket;
    if (socket == NULL || socket->sock_timeout == 0) {
        raise_want(is_write, __LINE__);
        return -1;
    }
    for (;;) {
        int milliseconds = -1, ready, number;
        if (socket->sock_timeout > 0) {
            PyTime_t now;
            PyTime_MonotonicRaw(&now);
            PyTime_t left = wait->deadline > now ? (wait->deadline - now + 999999) / 1000000 : 0;
            milliseconds = left < INT_MAX ? (int)left : INT_MAX;
        }
        struct pollfd polled = {.fd = socket->sock_fd, .events = is_write ? POLLOUT : POLLIN};
        Py_BEGIN_ALLOW_THREADS;
        ready = poll(&polled, 1, milliseconds);
        number = errno;
        Py_END_ALLOW_THREADS;
        if (ready > 0) {
            return 0;
        }
        if (PyErr_CheckSignals() != 0) {
            return -1;
        }
        if (ready == 0) {
            if (strcmp(wait->name, "handshake") == 0) {
                PyErr_Format(PyExc_TimeoutError, "_ssl.c:%d: The handshake operation timed out", __LINE__);
            }
            else {
                PyErr_Format(PyExc_TimeoutError, "The %s operation timed out", wait->name);
            }
            return -1;
        }
        if (number != EINTR) {
            errno = number;
            PyErr_SetFromErrno(PyExc_OSError);
            return -1;
        }
        if (socket->sock_fd < 0) {
            ssl_raise_at(ssl_types.error, ERROR_SSL, NULL, NULL, "Underlying socket has been closed.", __LINE__);
            return -1;
        }
    }
}

/* Carrying bytes. Nothing of the connection is held while others run: they may use it, too. */

/* Sends all there is to send. 0, or -1 with an exception. */
static int flush(struct connection *self, struct wait *wait)
{
    size_t size;
    const unsigned char *bytes;
    while ((bytes = cptls_to_send(self->tls, &size)) != NULL) {
        if (wait->socket == NULL) {
            if (memory_bio_write(self->outgoing, bytes, size) != 0) {
                return -1;
            }
            cptls_sent(self->tls, size);
            continue;
        }
        ssize_t sent = send(wait->socket->sock_fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent >= 0) {
            cptls_sent(self->tls, (size_t)sent);
        }
        else if (errno == EAGAIN) {
            if (wait_for(wait, 1) != 0) {
                return -1;
            }
        }
        else if (errno == EPIPE && cptls_reply_of(self->tls) == NULL) {
            /* Who has ended the connection in a handshake has said why. */
            cptls_sent(self->tls, size);
        }
        else if (errno != EINTR) {
            PyErr_SetFromErrno(PyExc_OSError);
            return -1;
        }
        else if (PyErr_CheckSignals() != 0) {
            return -1;
        }
    }
    return 0;
}

/* Receives what is missing for `wanted` bytes of text, or for a record. 1; 0 at the end; -1 with an exception. */
static int receive(struct connection *self, struct wait *wait, size_t wanted)
{
    for (;;) {
        size_t room;
        unsigned char *where = cptls_room(self->tls, &room);
        if (where == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        size_t missing = cptls_missing(self->tls, wanted);
        room = room < missing ? room : missing;
        if (wait->socket == NULL) {
            size_t count = memory_bio_read(self->incoming, where, room);
            cptls_received(self->tls, count);
            if (count > 0 || memory_bio_has_ended(self->incoming)) {
                return count > 0;
            }
            return wait_for(wait, 0);
        }
        ssize_t count = recv(wait->socket->sock_fd, where, room, MSG_DONTWAIT);
        if (count >= 0) {
            cptls_received(self->tls, (size_t)count);
            return count > 0;
        }
        if (errno == EAGAIN) {
            if (wait_for(wait, 0) != 0) {
                return -1;
            }
        }
        else if (errno != EINTR) {
            PyErr_SetFromErrno(PyExc_OSError);
            return -1;
        }
        else if (PyErr_CheckSignals() != 0) {
            return -1;
        }
    }
}

static PyObject *name_or_none(const struct connection *self) { return self->name != NULL ? self->name : Py_None; }

static void raise_eof(void)
{
    ssl_raise_at(ssl_types.eof_error, ERROR_EOF, "SSL", "UNEXPECTED_EOF_WHILE_READING", "EOF occurred in violation of protocol", __LINE__);
}

/* Raises what a status means that is no success. */
static void raise_status(struct connection *self, enum cptls_status status)
{
    switch (status) {
    case CPTLS_FAILED: ssl_raise_failure(cptls_failure_of(self->tls), name_or_none(self)); break;
    case CPTLS_NO_MEMORY: PyErr_NoMemory(); break;
    case CPTLS_MALFORMED:
        /* What a peer that is not behind the gateway answers, a server inside for instance. */
        ssl_raise("SSL", "WRONG_VERSION_NUMBER", "wrong version number (codepod: TLS is the gateway's, and this peer is not behind it)");
        break;
    default: ssl_raise("SSL", "INTERNAL_ERROR", cptls_problem(self->tls)); break;
    }
}

/* The handshake. */

/* The versions that a context allows, of those the gateway has. 0 if there are none. */
static int versions(const struct context *context, uint16_t *lowest, uint16_t *highest)
{
    int minimum = context->minimum_version, maximum = context->maximum_version;
    if (context->protocol == PROTOCOL_TLSV1_2) {
        minimum = maximum = VERSION_TLS1_2;
    }
    int has_1_2 = minimum <= VERSION_TLS1_2 && (maximum < 0 || maximum >= VERSION_TLS1_2) && !(context->options & OP_NO_TLSV1_2);
    int has_1_3 = (maximum < 0 || maximum >= VERSION_TLS1_3) && !(context->options & OP_NO_TLSV1_3);
    *lowest = has_1_2 ? CPTLS_TLS_1_2 : CPTLS_TLS_1_3;
    *highest = has_1_3 ? CPTLS_TLS_1_3 : CPTLS_TLS_1_2;
    return has_1_2 || has_1_3;
}

/* A view of the bytes in a list; NULL if there are none, or with an exception. */
static struct cptls_bytes *views(PyObject *list)
{
    Py_ssize_t count = list != NULL ? PyList_GET_SIZE(list) : 0;
    struct cptls_bytes *all = count > 0 ? PyMem_New(struct cptls_bytes, count) : NULL;
    if (all == NULL && count > 0) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; all != NULL && i < count; i++) {
        PyObject *bytes = PyList_GET_ITEM(list, i);
        all[i] = (struct cptls_bytes){(const unsigned char *)PyBytes_AS_STRING(bytes), (size_t)PyBytes_GET_SIZE(bytes)};
    }
    return all;
}

/* Writes the hello. 0, or -1 with an exception. */
static int say_hello(struct connection *self)
{
    /* Who trusts nobody says so: a certificate that is none. */
    static const struct cptls_bytes nobody = {(const unsigned char *)"", 0};
    struct context *context = self->context;
    struct cptls_hello hello = {0};
    PyObject *roots = context->verify_mode != VERIFY_NONE ? roots_sent(&context->roots) : Py_NewRef(Py_None);
    if (roots == NULL) {
        return -1;
    }
    struct cptls_bytes *root_views = roots != Py_None ? views(roots) : NULL, *chain_views = views(context->certificates);
    int result = -1;
    if (PyErr_Occurred()) {
        goto done;
    }
    if (!versions(context, &hello.min_version, &hello.max_version)) {
        ssl_raise("SSL", "NO_PROTOCOLS_AVAILABLE", "no protocols available (codepod: the gateway speaks TLS 1.2 and 1.3)");
        goto done;
    }
    if (context->verify_mode != VERIFY_NONE && context->verify_flags & VERIFY_CRL_CHECK) {
        ssl_raise_verification(VERIFY_NO_CRL, name_or_none(self));
        goto done;
    }
    hello.server_name = self->name != NULL ? PyUnicode_AsUTF8(self->name) : NULL;
    if (context->alpn != NULL) {
        hello.alpn = (const unsigned char *)PyBytes_AS_STRING(context->alpn);
        hello.alpn_size = (size_t)PyBytes_GET_SIZE(context->alpn);
    }
    if (roots != Py_None) {
        hello.roots = root_views != NULL ? root_views : &nobody;
        hello.root_count = root_views != NULL ? (size_t)PyList_GET_SIZE(roots) : 1;
    }
    if (context->key != NULL) {
        hello.certificates = chain_views;
        hello.certificate_count = (size_t)PyList_GET_SIZE(context->certificates);
        hello.key = (struct cptls_bytes){(const unsigned char *)PyBytes_AS_STRING(context->key), (size_t)PyBytes_GET_SIZE(context->key)};
    }
    enum cptls_status status = cptls_begin(self->tls, &hello);
    if (status == CPTLS_DONE) {
        self->has_begun = 1;
        context->connections++;
        result = 0;
    }
    else {
        raise_status(self, status);
    }
done:
    PyMem_Free(root_views);
    PyMem_Free(chain_views);
    Py_DECREF(roots);
    return result;
}

/* Whether the context allows the cipher that was agreed on. The gateway offers servers what it has. */
static int allows_cipher(struct connection *self)
{
    const struct cipher *cipher = cipher_by_name(cptls_reply_of(self->tls)->cipher);
    return cipher == NULL || self->context->ciphers & 1u << (cipher - ciphers);
}

/* Does what is left of the handshake. 0, or -1 with an exception. */
static int shake(struct connection *self, struct wait *wait)
{
    if (cptls_reply_of(self->tls) != NULL) {
        return 0;
    }
    if (self->is_server) {
        ssl_raise_unsupported("a server inside cannot speak TLS; serve http, or whatever it is, without TLS");
        return -1;
    }
    if (!self->has_begun && say_hello(self) != 0) {
        return -1;
    }
    enum cptls_status status = CPTLS_WANT;
    while (status == CPTLS_WANT) {
        if (flush(self, wait) != 0) {
            return -1;
        }
        status = cptls_handshake(self->tls);
        int received = status == CPTLS_WANT ? receive(self, wait, 0) : 1;
        if (received == 0) {
            raise_eof();
        }
        if (received <= 0) {
            return -1;
        }
    }
    if (status != CPTLS_DONE) {
        raise_status(self, status);
        return -1;
    }
    if (!allows_cipher(self)) {
        ssl_raise("SSL", "SSLV3_ALERT_HANDSHAKE_FAILURE", "the gateway and the server agreed on a cipher that set_ciphers left out");
        return -1;
    }
    self->context->good_connections++;
    return 0;
}

static PyObject *do_handshake(PyObject *self, PyObject *ignored)
{
    struct wait wait;
    if (begin(of(self), &wait, "handshake") != 0) {
        return NULL;
    }
    int result = shake(of(self), &wait);
    end(&wait);
    return result == 0 ? Py_NewRef(Py_None) : NULL;
}

/* Reading and writing. */

/* Reads up to `size` bytes. How many; 0 at the end; -1 with an exception. */
static Py_ssize_t read_some(struct connection *self, struct wait *wait, char *where, size_t size)
{
    if (shake(self, wait) != 0) {
        return -1;
    }
    for (;;) {
        size_t count;
        enum cptls_status status = cptls_read(self->tls, where, size, &count);
        if (status == CPTLS_DONE) {
            return (Py_ssize_t)count;
        }
        if (status == CPTLS_CLOSED && !cptls_is_closed_here(self->tls)) {
            return 0;
        }
        if (status == CPTLS_CLOSED) {
            ssl_raise_at(ssl_types.zero_return_error, ERROR_ZERO_RETURN, NULL, NULL, "TLS/SSL connection has been closed (EOF)", __LINE__);
            return -1;
        }
        if (status != CPTLS_WANT) {
            raise_status(self, status);
            return -1;
        }
        int received = receive(self, wait, size);
        if (received == 0 && self->context->options & OP_IGNORE_UNEXPECTED_EOF) {
            return 0;
        }
        if (received == 0) {
            raise_eof();
        }
        if (received <= 0) {
            return -1;
        }
    }
}

static PyObject *read_bytes(struct connection *self, struct wait *wait, Py_ssize_t size)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, size);
    Py_ssize_t count = bytes != NULL && size > 0 ? read_some(self, wait, PyBytes_AS_STRING(bytes), (size_t)size) : 0;
    if (count < 0) {
        Py_CLEAR(bytes);
    }
    else if (bytes != NULL && count < size) {
        _PyBytes_Resize(&bytes, count);
    }
    return bytes;
}

static PyObject *connection_read(PyObject *self, PyObject *arguments)
{
    Py_ssize_t size;
    Py_buffer buffer = {0};
    struct wait wait;
    PyObject *result = NULL;
    if (PyTuple_GET_SIZE(arguments) == 2 ? !PyArg_ParseTuple(arguments, "nw*:read", &size, &buffer)
                                         : !PyArg_ParseTuple(arguments, "n:read", &size)) {
        return NULL;
    }
    if (buffer.obj == NULL && size < 0) {
        PyErr_SetString(PyExc_ValueError, "size should not be negative");
        return NULL;
    }
    if (begin(of(self), &wait, "read") == 0) {
        if (buffer.obj == NULL) {
            result = read_bytes(of(self), &wait, size);
        }
        else {
            size = size <= 0 || size > buffer.len ? buffer.len : size;
            Py_ssize_t count = size > 0 ? read_some(of(self), &wait, buffer.buf, (size_t)size) : 0;
            result = count >= 0 ? PyLong_FromSsize_t(count) : NULL;
        }
        end(&wait);
    }
    if (buffer.obj != NULL) {
        PyBuffer_Release(&buffer);
    }
    return result;
}

/* Writes all of a text. How much went; -1 with an exception. In non-blocking mode that is what a record takes: when the socket does
   not take it all, a program has to write the same again, as with OpenSSL. */
static Py_ssize_t write_all(struct connection *self, struct wait *wait, const char *text, size_t size)
{
    size_t done = 0;
    if (shake(self, wait) != 0) {
        return -1;
    }
    if (self->unsent > size) {
        ssl_raise("SSL", "BAD_WRITE_RETRY", "bad write retry");
        return -1;
    }
    for (;;) {
        size_t count;
        if (flush(self, wait) != 0) {
            return -1;
        }
        done += self->unsent;
        self->unsent = 0;
        if (done == size || (done > 0 && wait->socket != NULL && wait->socket->sock_timeout == 0)) {
            return (Py_ssize_t)done;
        }
        enum cptls_status status = cptls_write(self->tls, text + done, size - done, &count);
        if (status == CPTLS_REFUSED) {
            ssl_raise("SSL", "PROTOCOL_IS_SHUTDOWN", "protocol is shutdown");
            return -1;
        }
        if (status != CPTLS_DONE) {
            raise_status(self, status);
            return -1;
        }
        self->unsent = count;
    }
}

static PyObject *connection_write(PyObject *self, PyObject *text)
{
    Py_buffer buffer;
    struct wait wait;
    Py_ssize_t count = -1;
    if (PyObject_GetBuffer(text, &buffer, PyBUF_SIMPLE) != 0) {
        return NULL;
    }
    if (begin(of(self), &wait, "write") == 0) {
        count = write_all(of(self), &wait, buffer.buf, (size_t)buffer.len);
        end(&wait);
    }
    PyBuffer_Release(&buffer);
    return count >= 0 ? PyLong_FromSsize_t(count) : NULL;
}

static PyObject *connection_pending(PyObject *self, PyObject *ignored) { return PyLong_FromSize_t(cptls_pending(of(self)->tls)); }

/* Ends the connection on both sides. 0, or -1 with an exception. */
static int shut_down(struct connection *self, struct wait *wait)
{
    if (cptls_reply_of(self->tls) == NULL) {
        ssl_raise("SSL", "SHUTDOWN_WHILE_IN_INIT", "shutdown while in init");
        return -1;
    }
    if (cptls_close(self->tls) != CPTLS_DONE) {
        PyErr_NoMemory();
        return -1;
    }
    if (flush(self, wait) != 0) {
        return -1;
    }
    for (;;) {
        char byte;
        size_t count;
        enum cptls_status status = cptls_read(self->tls, &byte, 1, &count);
        if (status == CPTLS_CLOSED) {
            return 0;
        }
        if (status == CPTLS_DONE) {
            ssl_raise("SSL", "APPLICATION_DATA_AFTER_CLOSE_NOTIFY", "application data after close notify");
            return -1;
        }
        if (status != CPTLS_WANT) {
            raise_status(self, status);
            return -1;
        }
        int received = receive(self, wait, 1);
        if (received == 0) {
            raise_eof();
        }
        if (received <= 0) {
            return -1;
        }
    }
}

static PyObject *connection_shutdown(PyObject *self, PyObject *ignored)
{
    struct wait wait;
    if (begin(of(self), &wait, "read") != 0) {
        return NULL;
    }
    int result = shut_down(of(self), &wait);
    PyObject *socket = Py_NewRef(wait.socket != NULL ? (PyObject *)wait.socket : Py_None);
    end(&wait);
    if (result != 0) {
        Py_CLEAR(socket);
    }
    return socket;
}

/* What is known of the server. */

static PyObject *getpeercert(PyObject *self, PyObject *arguments)
{
    const struct cptls_reply *reply = cptls_reply_of(of(self)->tls);
    int is_binary = 0;
    if (!PyArg_ParseTuple(arguments, "|p:getpeercert", &is_binary)) {
        return NULL;
    }
    if (reply == NULL) {
        PyErr_SetString(PyExc_ValueError, "handshake not done yet");
        return NULL;
    }
    if (reply->certificate_count == 0) {
        Py_RETURN_NONE;
    }
    const struct cptls_bytes *own = &reply->certificates[0];
    if (is_binary) {
        return PyBytes_FromStringAndSize((const char *)own->data, (Py_ssize_t)own->size);
    }
    return of(self)->context->verify_mode == VERIFY_NONE ? PyDict_New() : certificate_info(own->data, own->size);
}

static PyObject *get_chain(PyObject *self, PyObject *ignored)
{
    const struct cptls_reply *reply = cptls_reply_of(of(self)->tls);
    if (reply == NULL || reply->certificate_count == 0) {
        Py_RETURN_NONE;
    }
    PyObject *list = PyList_New((Py_ssize_t)reply->certificate_count);
    for (size_t i = 0; list != NULL && i < reply->certificate_count; i++) {
        PyObject *certificate = certificate_new(reply->certificates[i].data, reply->certificates[i].size);
        if (certificate == NULL) {
            Py_CLEAR(list);
            break;
        }
        PyList_SET_ITEM(list, (Py_ssize_t)i, certificate);
    }
    return list;
}

static PyObject *connection_cipher(PyObject *self, PyObject *ignored)
{
    const struct cptls_reply *reply = cptls_reply_of(of(self)->tls);
    const struct cipher *cipher = reply != NULL ? cipher_by_name(reply->cipher) : NULL;
    return cipher != NULL ? cipher_tuple(cipher) : Py_NewRef(Py_None);
}

static PyObject *connection_version(PyObject *self, PyObject *ignored)
{
    const struct cptls_reply *reply = cptls_reply_of(of(self)->tls);
    switch (reply != NULL ? reply->version : 0) {
    case CPTLS_TLS_1_2: return PyUnicode_FromString("TLSv1.2");
    case CPTLS_TLS_1_3: return PyUnicode_FromString("TLSv1.3");
    default: Py_RETURN_NONE;
    }
}

static PyObject *selected_alpn(PyObject *self, PyObject *ignored)
{
    const struct cptls_reply *reply = cptls_reply_of(of(self)->tls);
    if (reply == NULL || reply->alpn.size == 0) {
        Py_RETURN_NONE;
    }
    return PyUnicode_DecodeUTF8((const char *)reply->alpn.data, (Py_ssize_t)reply->alpn.size, "replace");
}

static PyObject *nothing(PyObject *self, PyObject *ignored) { Py_RETURN_NONE; }

static PyObject *get_channel_binding(PyObject *self, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"cb_type", NULL};
    const char *type = "tls-unique";
    if (!PyArg_ParseTupleAndKeywords(arguments, options, "|s:get_channel_binding", names, &type)) {
        return NULL;
    }
    if (strcmp(type, "tls-unique") != 0) {
        return PyErr_Format(PyExc_ValueError, "'%s' channel binding type not implemented", type);
    }
    Py_RETURN_NONE;
}

static PyObject *verify_client(PyObject *self, PyObject *ignored)
{
    ssl_raise_unsupported("a certificate cannot be asked for after the handshake");
    return NULL;
}

/* Properties. */

static PyObject *get_context(PyObject *self, void *ignored) { return Py_NewRef((PyObject *)of(self)->context); }

static int set_context(PyObject *self, PyObject *value, void *ignored)
{
    if (value == NULL || !PyObject_TypeCheck(value, ssl_types.context)) {
        PyErr_SetString(PyExc_TypeError, "The value must be a SSLContext");
        return -1;
    }
    Py_SETREF(of(self)->context, (struct context *)Py_NewRef(value));
    return 0;
}

static PyObject *get_is_server(PyObject *self, void *ignored) { return PyBool_FromLong(of(self)->is_server); }
static PyObject *get_name(PyObject *self, void *ignored) { return Py_NewRef(name_or_none(of(self))); }

static PyObject *get_owner(PyObject *self, void *ignored)
{
    PyObject *owner = NULL;
    return of(self)->owner != NULL && PyWeakref_GetRef(of(self)->owner, &owner) > 0 ? owner : Py_NewRef(Py_None);
}

static int set_owner(PyObject *self, PyObject *value, void *ignored)
{
    PyObject *reference = value != NULL && value != Py_None ? PyWeakref_NewRef(value, NULL) : NULL;
    if (reference == NULL && value != NULL && value != Py_None) {
        return -1;
    }
    Py_XSETREF(of(self)->owner, reference);
    return 0;
}

static PyObject *get_session(PyObject *self, void *ignored) { Py_RETURN_NONE; }

static int set_session(PyObject *self, PyObject *value, void *ignored)
{
    PyErr_SetString(PyExc_TypeError, "Value is not a SSLSession.");
    return -1;
}

static PyObject *get_is_reused(PyObject *self, void *ignored) { Py_RETURN_FALSE; }

/* Making and ending. */

/* Takes the name of the server. 0, or -1 with an exception. */
static int take_name(struct connection *self, PyObject *name)
{
    if (name == Py_None) {
        return 0;
    }
    if (!PyUnicode_Check(name) && !PyBytes_Check(name) && !PyByteArray_Check(name)) {
        PyErr_Format(PyExc_TypeError, "server_hostname must be str or None, not %.50s", Py_TYPE(name)->tp_name);
        return -1;
    }
    self->name = PyUnicode_Check(name) ? Py_NewRef(name) : PyUnicode_FromEncodedObject(name, "ascii", "strict");
    Py_ssize_t size;
    const char *text = self->name != NULL ? PyUnicode_AsUTF8AndSize(self->name, &size) : NULL;
    if (text == NULL) {
        return -1;
    }
    if (!PyUnicode_IS_ASCII(self->name)) {
        Py_XDECREF(PyUnicode_AsASCIIString(self->name)); /* which fails */
        return -1;
    }
    if (strlen(text) != (size_t)size) {
        PyErr_SetString(PyExc_TypeError, "argument must be encoded string without null bytes, not str");
        return -1;
    }
    if (size == 0 || *text == '.') {
        PyErr_SetString(PyExc_ValueError, "server_hostname cannot be an empty string or start with a leading dot.");
        return -1;
    }
    return 0;
}

PyObject *connection_new(struct context *context, PyObject *socket, struct memory_bio *incoming, struct memory_bio *outgoing,
                         int is_server, PyObject *name, PyObject *owner, PyObject *session)
{
    /* A server is refused when it is to speak. */
    if (is_server && context->protocol == PROTOCOL_TLS_CLIENT) {
        ssl_raise_at(ssl_types.error, 0, NULL, NULL, "Cannot create a server socket with a PROTOCOL_TLS_CLIENT context", __LINE__);
        return NULL;
    }
    if (!is_server && context->protocol == PROTOCOL_TLS_SERVER) {
        ssl_raise_at(ssl_types.error, 0, NULL, NULL, "Cannot create a client socket with a PROTOCOL_TLS_SERVER context", __LINE__);
        return NULL;
    }
    if (session != Py_None) {
        PyErr_SetString(PyExc_TypeError, "Value is not a SSLSession.");
        return NULL;
    }
    struct connection *self = of(ssl_types.connection->tp_alloc(ssl_types.connection, 0));
    if (self == NULL) {
        return NULL;
    }
    self->is_server = is_server;
    self->context = (struct context *)Py_NewRef((PyObject *)context);
    self->incoming = (struct memory_bio *)Py_XNewRef((PyObject *)incoming);
    self->outgoing = (struct memory_bio *)Py_XNewRef((PyObject *)outgoing);
    self->socket = socket != NULL ? PyWeakref_NewRef(socket, NULL) : NULL;
    self->tls = cptls_new();
    if (self->tls == NULL) {
        PyErr_NoMemory();
    }
    if (self->tls == NULL || (socket != NULL && self->socket == NULL) || take_name(self, name) != 0 ||
        set_owner((PyObject *)self, owner, NULL) != 0) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static int connection_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(of(self)->context);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int connection_clear(PyObject *self)
{
    struct connection *connection = of(self);
    Py_CLEAR(connection->context);
    Py_CLEAR(connection->socket);
    Py_CLEAR(connection->incoming);
    Py_CLEAR(connection->outgoing);
    Py_CLEAR(connection->owner);
    Py_CLEAR(connection->name);
    return 0;
}

static void connection_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    connection_clear(self);
    cptls_free(of(self)->tls);
    type->tp_free(self);
    Py_DECREF(type);
}

PyTypeObject *ssl_make_connection(PyObject *module)
{
    static PyMethodDef methods[] = {
        {"do_handshake", do_handshake, METH_NOARGS, NULL},
        {"read", connection_read, METH_VARARGS, "Read up to size bytes from the SSL socket."},
        {"write", connection_write, METH_O, "Writes the bytes-like object b into the SSL object."},
        {"pending", connection_pending, METH_NOARGS, "Returns the number of already decrypted bytes available for read."},
        {"shutdown", connection_shutdown, METH_NOARGS, "Does the SSL shutdown handshake with the remote end."},
        {"getpeercert", getpeercert, METH_VARARGS, "Returns the certificate for the peer."},
        {"get_verified_chain", get_chain, METH_NOARGS, NULL},
        {"get_unverified_chain", get_chain, METH_NOARGS, NULL},
        {"cipher", connection_cipher, METH_NOARGS, NULL},
        {"shared_ciphers", nothing, METH_NOARGS, NULL},
        {"version", connection_version, METH_NOARGS, NULL},
        {"selected_alpn_protocol", selected_alpn, METH_NOARGS, NULL},
        {"compression", nothing, METH_NOARGS, NULL},
        {"get_channel_binding", (PyCFunction)(void (*)(void))get_channel_binding, METH_VARARGS | METH_KEYWORDS, NULL},
        {"verify_client_post_handshake", verify_client, METH_NOARGS, NULL},
        {NULL, NULL, 0, NULL},
    };
    static PyGetSetDef properties[] = {
        {"context", get_context, set_context, NULL, NULL},
        {"server_side", get_is_server, NULL, "Whether this is a server-side socket.", NULL},
        {"server_hostname", get_name, NULL, "The currently set server hostname (for SNI).", NULL},
        {"owner", get_owner, set_owner, NULL, NULL},
        {"session", get_session, set_session, NULL, NULL},
        {"session_reused", get_is_reused, NULL, "Was the client session reused during handshake?", NULL},
        {NULL, NULL, NULL, NULL, NULL},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, connection_dealloc}, {Py_tp_traverse, connection_traverse}, {Py_tp_clear, connection_clear},
        {Py_tp_methods, methods},            {Py_tp_getset, properties},            {0, NULL},
    };
    static PyType_Spec spec = {
        .name = "_ssl._SSLSocket",
        .basicsize = sizeof(struct connection),
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
        .slots = slots,
    };
    return (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
}
