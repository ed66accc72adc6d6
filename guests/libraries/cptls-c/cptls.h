/* The client's side of cptls: TLS that the gateway does for a program in the sandbox.

   A program sends a hello on a connection that is open, the gateway does the handshake and replies
   with the server's real certificates; from then on both sides send plain text in records.
   crates/codepod-gateway/src/cptls.rs has the format.

   This library has no sockets in it. Bytes for the gateway are taken out with cptls_to_send, bytes
   from it are put in with cptls_room and cptls_received:

       struct cptls *tls = cptls_new();
       cptls_begin(tls, &hello);
       while ((status = cptls_handshake(tls)) == CPTLS_WANT) {
           send what cptls_to_send has, and say how much with cptls_sent;
           receive into cptls_room, and say how much with cptls_received;
       }
       cptls_read and cptls_write likewise, cptls_close at the end, cptls_free.

   What arrives is not trusted: a record has a longest length, and what is no record of the gateway
   ends the connection with CPTLS_MALFORMED, for good. */
#ifndef CPTLS_H
#define CPTLS_H

#include <stddef.h>
#include <stdint.h>

enum {
    CPTLS_MAX_RECORD = 64 * 1024, /* the longest payload of a record that is no hello */
    CPTLS_MAX_HELLO = 512 * 1024,
    CPTLS_MAX_NAME = 1024,
    CPTLS_MAX_ALPN = 16,
    CPTLS_MAX_ROOTS = 512,
    CPTLS_MAX_CERTIFICATES = 16,
};

enum { CPTLS_TLS_1_2 = 0x0303, CPTLS_TLS_1_3 = 0x0304 };

enum cptls_status {
    CPTLS_DONE,      /* it is done; of cptls_read and cptls_write: some of it */
    CPTLS_WANT,      /* send what there is to send, or receive more, and call again */
    CPTLS_CLOSED,    /* the server has said that it sends no more */
    CPTLS_FAILED,    /* the gateway has ended the connection: cptls_failure_of has its reason */
    CPTLS_MALFORMED, /* what arrived is not cptls: cptls_problem says why */
    CPTLS_REFUSED,   /* this cannot be asked for: cptls_problem says why */
    CPTLS_NO_MEMORY,
};

struct cptls_bytes {
    const unsigned char *data;
    size_t size;
};

/* What a program asks for. What is 0 is left out. */
struct cptls_hello {
    const char *server_name; /* UTF-8, with a zero behind it; NULL: the one that was connected to */
    const unsigned char *alpn; /* protocols, each behind its length in one byte */
    size_t alpn_size;
    uint16_t min_version, max_version; /* as in TLS */
    const struct cptls_bytes *roots;   /* DER; without any, the gateway's own decide alone */
    size_t root_count;
    const struct cptls_bytes *certificates; /* the client's chain in DER, its own first */
    size_t certificate_count;
    struct cptls_bytes key; /* DER: PKCS #8, PKCS #1 or SEC 1 */
};

/* What the gateway says of a handshake that succeeded. */
struct cptls_reply {
    uint16_t version;
    const char *cipher; /* as IANA has it; "" if it is not known */
    struct cptls_bytes alpn; /* of size 0 without a protocol */
    const struct cptls_bytes *certificates; /* the server's chain in DER, its own first */
    size_t certificate_count;
};

/* Why the gateway ended a connection. */
struct cptls_failure {
    int alert;       /* TLS's alert; -1 without one */
    uint32_t verify; /* OpenSSL's number of what is wrong with a certificate (X509_V_ERR_…), or 0 */
    const char *text;
};

struct cptls;

/* NULL if there is no memory. */
struct cptls *cptls_new(void);
void cptls_free(struct cptls *tls);

/* Makes the hello ready to be sent. Once for a connection. DONE, REFUSED or NO_MEMORY. */
enum cptls_status cptls_begin(struct cptls *tls, const struct cptls_hello *hello);

/* Goes on with the handshake. DONE when there is a reply; WANT, FAILED, MALFORMED, NO_MEMORY. */
enum cptls_status cptls_handshake(struct cptls *tls);

/* The reply and the failure; NULL while there is none. They stay until cptls_free. */
const struct cptls_reply *cptls_reply_of(const struct cptls *tls);
const struct cptls_failure *cptls_failure_of(const struct cptls *tls);

/* What MALFORMED and REFUSED mean, for a person to read. */
const char *cptls_problem(const struct cptls *tls);

/* Bytes for the gateway, until cptls_sent has said that they have gone. */
const unsigned char *cptls_to_send(const struct cptls *tls, size_t *size);
void cptls_sent(struct cptls *tls, size_t size);

/* Room for bytes from the gateway, and how many came. There is room whenever there is WANT. */
unsigned char *cptls_room(struct cptls *tls, size_t *size);
void cptls_received(struct cptls *tls, size_t size);

/* How many bytes from the gateway are missing for the next record, or for `wanted` bytes of the text
   of this one. Who receives no more than that at a time leaves the rest to the connection, and may
   wait for its descriptor without a look at cptls_pending. */
size_t cptls_missing(const struct cptls *tls, size_t wanted);

/* Takes plain text from what was received. DONE with a count of at least 1 (0 if size is 0), WANT
   when more has to be received, CLOSED, FAILED, MALFORMED, NO_MEMORY. */
enum cptls_status cptls_read(struct cptls *tls, void *buffer, size_t size, size_t *count);

/* How much plain text there is to read without receiving. */
size_t cptls_pending(const struct cptls *tls);

/* Makes a record of the beginning of the text, and says how much went in. WANT while the record
   before it is not sent; REFUSED after cptls_close and before the handshake; NO_MEMORY. */
enum cptls_status cptls_write(struct cptls *tls, const void *text, size_t size, size_t *count);

/* Says that no more text follows. DONE, also the second time; NO_MEMORY. */
enum cptls_status cptls_close(struct cptls *tls);

/* Whether each side has said that it sends no more. */
int cptls_is_closed_here(const struct cptls *tls);
int cptls_is_closed_there(const struct cptls *tls);

#endif
