/* `_ssl` for upstream's ssl.py: TLS that the gateway does (ADR 41), asked for by cptls.

   A file here is about one thing: module.c, constants.c, errors.c, objects.c, der.c, pem.c,
   certificate.c, names.c, roots.c, ciphers.c, context.c, connection.c, memory_bio.c. */
#ifndef CODEPOD_SSL_H
#define CODEPOD_SSL_H

#include "Python.h"
#include "cptls.h"

#include <stdint.h>

/* The types of this module and of `_socket`'s. They are made once, and stay. */
extern struct ssl_types {
    PyTypeObject *context, *connection, *memory_bio, *certificate, *session, *socket;
    PyObject *error, *verification_error, *zero_return_error, *want_read_error, *want_write_error,
        *syscall_error, *eof_error;
} ssl_types;

/* Numbers that upstream's enum's have. */
enum { PROTOCOL_TLS = 2, PROTOCOL_TLSV1, PROTOCOL_TLSV1_1, PROTOCOL_TLSV1_2, PROTOCOL_TLS_CLIENT = 16,
       PROTOCOL_TLS_SERVER };
enum { VERIFY_NONE, VERIFY_OPTIONAL, VERIFY_REQUIRED };
enum { ENCODING_PEM = 1, ENCODING_DER };
enum { VERSION_SSL3 = 0x300, VERSION_TLS1, VERSION_TLS1_1, VERSION_TLS1_2, VERSION_TLS1_3 };
#define OP_ALL_DEFAULT 0x80000050ull
#define OP_IGNORE_UNEXPECTED_EOF (1ull << 7)
#define OP_NO_SSLV3 (1ull << 25)
#define OP_NO_TLSV1 (1ull << 26)
#define OP_NO_TLSV1_2 (1ull << 27)
#define OP_NO_TLSV1_1 (1ull << 28)
#define OP_NO_TLSV1_3 (1ull << 29)
#define OP_DEFAULT 0x82520050ull /* with OP_NO_SSLv3, _NO_COMPRESSION and the servers' choices */
#define VERIFY_CRL_CHECK 0x4ul
#define VERIFY_TRUSTED_FIRST 0x8000ul
#define DEFAULT_CIPHERS \
    "@SECLEVEL=2:ECDH+AESGCM:ECDH+CHACHA20:ECDH+AES:DHE+AES:!aNULL:!eNULL:!aDSS:!SHA1:!AESCCM"

/* Where the image has its bundle of certificate authorities, and what else is asked. */
#define BUNDLE "/etc/ssl/certs/ca-certificates.crt"
#define BUNDLE_DIRECTORY "/etc/ssl/certs"

/* constants.c, errors.c, memory_bio.c, certificate.c, context.c, connection.c: what they add to the module. 0, or -1 with an
   exception. */
int ssl_add_constants(PyObject *module);
int ssl_make_errors(void);
PyTypeObject *ssl_make_memory_bio(PyObject *module);
PyTypeObject *ssl_make_certificate(PyObject *module);
PyTypeObject *ssl_make_context(PyObject *module);
PyTypeObject *ssl_make_connection(PyObject *module);

/* errors.c */

enum { ERROR_SSL = 1, ERROR_WANT_READ, ERROR_WANT_WRITE, ERROR_SYSCALL = 5, ERROR_ZERO_RETURN, ERROR_EOF = 8 };
enum { VERIFY_NO_CRL = 3, VERIFY_HOSTNAME_MISMATCH = 62, VERIFY_ADDRESS_MISMATCH = 64 };

/* Raises SSLError or one of its kinds: `[library: reason] text (_ssl.c:line)`. The first two may be NULL. */
void ssl_raise_at(PyObject *type, int number, const char *library, const char *reason, const char *text, int line);
#define ssl_raise(library, reason, text) \
    ssl_raise_at(ssl_types.error, ERROR_SSL, library, reason, text, __LINE__)
/* Raises what is wrong with a certificate, by OpenSSL's number. `name` is the server's, or None. */
void ssl_raise_verification(uint32_t number, PyObject *name);
/* Raises what the gateway says. */
void ssl_raise_failure(const struct cptls_failure *failure, PyObject *name);
/* Raises that something is not possible with the gateway. */
void ssl_raise_unsupported(const char *what);

/* objects.c: what has an object identifier. */

struct ssl_object {
    const char *identifier; /* dotted */
    int number;
    const char *short_name, *long_name;
};

const struct ssl_object *ssl_object_by_identifier(const char *identifier);
const struct ssl_object *ssl_object_by_name(const char *name);
const struct ssl_object *ssl_object_by_number(int number);
/* The dotted form of an identifier in DER. 0 if it is none, or is too long. */
int ssl_identifier(const unsigned char *bytes, size_t size, char text[static 256]);

/* der.c */

enum {
    DER_BOOLEAN = 1,
    DER_INTEGER = 2,
    DER_BIT_STRING = 3,
    DER_OCTET_STRING = 4,
    DER_IDENTIFIER = 6,
    DER_UTF8 = 12,
    DER_T61 = 20,
    DER_UTC_TIME = 23,
    DER_GENERALIZED_TIME = 24,
    DER_UNIVERSAL = 28,
    DER_BMP = 30,
    DER_SEQUENCE = 0x30,
    DER_SET = 0x31,
    DER_CONTEXT = 0x80,     /* and a number: [n], of no parts */
    DER_CONSTRUCTED = 0xa0, /* and a number: [n], of parts */
};

/* What is still to be read. */
struct der {
    const unsigned char *at, *end;
};

struct element {
    int tag;
    const unsigned char *content;
    size_t size;
};

static inline struct der der_of(const unsigned char *bytes, size_t size) { return (struct der){bytes, bytes + size}; }
static inline struct der der_in(const struct element *element) { return der_of(element->content, element->size); }
/* The next element: 1; 0 at the end and where it is no DER. */
int der_next(struct der *der, struct element *element);
/* The same, if it has the tag; otherwise nothing is taken. */
int der_take(struct der *der, int tag, struct element *element);
int der_is(const struct element *element, const void *bytes, size_t size);

/* The parts of a certificate. */
struct certificate {
    int version;
    struct element serial, issuer, subject, not_before, not_after, key, extensions;
};

/* Reads the certificate that `bytes` begin with. Its length; 0 if they begin with none. */
size_t certificate_read(const unsigned char *bytes, size_t size, struct certificate *certificate);
/* The value of an extension, by its identifier in DER. */
int certificate_extension(const struct certificate *certificate, const void *identifier, size_t size, struct element *value);
/* Whether it may sign others. */
int certificate_is_authority(const struct certificate *certificate);

/* pem.c */

struct pem {
    const char *label; /* not ended by a zero */
    size_t label_size;
    int is_encrypted;
    PyObject *bytes; /* to be released */
};

/* Takes the next block of a text: 1; 0 if there is none; -1 if it is wrong, or with an exception. */
int pem_next(const char **text, size_t *size, struct pem *block);
int pem_has_label(const struct pem *block, const char *label);
PyObject *pem_text(const char *label, const unsigned char *bytes, size_t size);

/* names.c: what is in a certificate, as Python has it. */

PyObject *names_of(const struct element *name);
/* As RFC 2253 writes it. */
PyObject *names_text(const struct element *name);
PyObject *names_alternative(const struct certificate *certificate);
PyObject *names_locations(const struct certificate *certificate, const char *method);
PyObject *names_revocation_lists(const struct certificate *certificate);

/* certificate.c */

PyObject *certificate_info(const unsigned char *bytes, size_t size);
PyObject *certificate_new(const unsigned char *bytes, size_t size);

/* ciphers.c */

struct cipher {
    const char *name, *iana, *rustls;
    unsigned id;
    int version, bits;
    const char *exchange, *signature, *symmetric, *digest; /* as OpenSSL calls them */
};
enum { CIPHERS = 9, CIPHERS_OF_TLS1_3 = 3 };
extern const struct cipher ciphers[CIPHERS];

/* Which of them a list in OpenSSL's language has, as bits; those of TLS 1.3 are in each. */
unsigned ciphers_chosen(const char *list);
const struct cipher *cipher_by_name(const char *name);
PyObject *cipher_tuple(const struct cipher *cipher);
PyObject *cipher_dict(const struct cipher *cipher);

/* context.c and roots.c */

/* What a context trusts. */
struct roots {
    PyObject *own;         /* a dict: certificates to whether each is an authority */
    PyObject *directories; /* a list of paths, which are looked into when it matters */
    int has_default;       /* the gateway's own, of which BUNDLE is a copy */
};

int roots_begin(struct roots *roots);
int roots_add_file(struct roots *roots, const char *path);
int roots_add_directory(struct roots *roots, const char *path);
int roots_add_pem(struct roots *roots, const char *text, size_t size);
int roots_add_der(struct roots *roots, const unsigned char *bytes, size_t size);
int roots_add_default(struct roots *roots);
/* All there are, with those of the bundle: a new dict. */
PyObject *roots_all(const struct roots *roots);
/* Those that are sent: a new list, or None for the gateway's own. */
PyObject *roots_sent(const struct roots *roots);

struct context {
    PyObject_HEAD
    int protocol, check_hostname, verify_mode, minimum_version, maximum_version, tickets;
    unsigned long verify_flags;
    unsigned host_flags;
    uint64_t options;
    unsigned ciphers;
    PyObject *alpn; /* bytes, or NULL */
    struct roots roots;
    PyObject *certificates, *key; /* of the client: a list and bytes, or NULL */
    PyObject *sni_callback;
    long connections, good_connections;
};

/* Reads the file with the certificates of a client, and that with its key. */
int context_load_client(struct context *context, PyObject *certificates, PyObject *key, PyObject *password);

/* connection.c: what `_wrap_socket` and `_wrap_bio` make. Of socket and memory, one is NULL. */
struct memory_bio;
PyObject *connection_new(struct context *context, PyObject *socket, struct memory_bio *incoming, struct memory_bio *outgoing,
                         int is_server, PyObject *name, PyObject *owner, PyObject *session);

/* memory_bio.c */

size_t memory_bio_pending(const struct memory_bio *bio);
int memory_bio_has_ended(const struct memory_bio *bio);
size_t memory_bio_read(struct memory_bio *bio, void *bytes, size_t size);
/* 0, or -1 with an exception. */
int memory_bio_write(struct memory_bio *bio, const void *bytes, size_t size);

#endif
