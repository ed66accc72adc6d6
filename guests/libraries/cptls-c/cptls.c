/* The client's side of cptls; see cptls.h. */
#include "cptls.h"

#include <stdlib.h>
#include <string.h>

enum { HELLO = 1, REPLY = 2, DATA = 3, CLOSE = 4, FAIL = 5 };
enum { HEAD = 4 };
enum {
    HELLO_SERVER_NAME = 1,
    HELLO_ALPN = 2,
    HELLO_MIN_VERSION = 3,
    HELLO_MAX_VERSION = 4,
    HELLO_ROOT = 5,
    HELLO_CERTIFICATE = 6,
    HELLO_KEY = 7,
};
enum { REPLY_VERSION = 1, REPLY_CIPHER = 2, REPLY_ALPN = 3, REPLY_CERTIFICATE = 4 };
enum { FAIL_ALERT = 1, FAIL_VERIFY = 2, FAIL_TEXT = 3 };

static const unsigned char magic[] = {0x16, 'C', 'P', 'T', 'L', 'S', 1};

enum state { NEW, HANDSHAKE, OPEN, FAILED, MALFORMED };

/* Bytes that wait: those from `begin` to `end` of a buffer. */
struct queue {
    unsigned char *bytes;
    size_t begin, end, size;
};

struct cptls {
    enum state state;
    int closed_here, closed_there;
    struct queue in, out;
    size_t left; /* of the text of a record of which the head has been taken */
    const char *problem;
    unsigned char *reply_bytes, *failure_bytes; /* payloads, each with a zero behind it */
    char *cipher;
    struct cptls_bytes *chain;
    struct cptls_reply reply;
    struct cptls_failure failure;
};

struct cptls *cptls_new(void)
{
    return calloc(1, sizeof(struct cptls));
}

void cptls_free(struct cptls *tls)
{
    if (tls != NULL) {
        free(tls->in.bytes);
        free(tls->out.bytes);
        free(tls->reply_bytes);
        free(tls->failure_bytes);
        free(tls->cipher);
        free(tls->chain);
        free(tls);
    }
}

static enum cptls_status refuse(struct cptls *tls, const char *problem)
{
    tls->problem = problem;
    return CPTLS_REFUSED;
}

static enum cptls_status malformed(struct cptls *tls, const char *problem)
{
    tls->state = MALFORMED;
    tls->problem = problem;
    return CPTLS_MALFORMED;
}

/* For what cannot be done a second time. */
static enum cptls_status no_memory(struct cptls *tls)
{
    tls->state = MALFORMED;
    tls->problem = "there is no memory";
    return CPTLS_NO_MEMORY;
}

/* Queues. */

static size_t waiting(const struct queue *queue)
{
    return queue->end - queue->begin;
}

/* Makes room for `more` bytes behind those that wait. 0 if there is no memory. */
static int reserve(struct queue *queue, size_t more)
{
    size_t used = waiting(queue);
    if (queue->size - queue->end >= more) {
        return 1;
    }
    if (queue->begin > 0) {
        memmove(queue->bytes, queue->bytes + queue->begin, used);
        queue->begin = 0;
        queue->end = used;
    }
    if (queue->size - used < more) {
        unsigned char *bytes = realloc(queue->bytes, used + more);
        if (bytes == NULL) {
            return 0;
        }
        queue->bytes = bytes;
        queue->size = used + more;
    }
    return 1;
}

static void append(struct queue *queue, const void *bytes, size_t size)
{
    if (size > 0) {
        memcpy(queue->bytes + queue->end, bytes, size);
        queue->end += size;
    }
}

static void drop(struct queue *queue, size_t size)
{
    queue->begin += size;
    if (queue->begin == queue->end) {
        queue->begin = queue->end = 0;
    }
}

static void append_head(struct queue *queue, int type, size_t size)
{
    unsigned char head[HEAD] = {(unsigned char)type, (unsigned char)(size >> 16),
                                (unsigned char)(size >> 8), (unsigned char)size};
    append(queue, head, sizeof head);
}

/* What is sent. */

static void append_field(struct queue *queue, int tag, const void *value, size_t size)
{
    append_head(queue, tag, size);
    append(queue, value, size);
}

static void append_version(struct queue *queue, int tag, uint16_t version)
{
    unsigned char value[] = {(unsigned char)(version >> 8), (unsigned char)version};
    if (version != 0) {
        append_field(queue, tag, value, sizeof value);
    }
}

/* Adds the lengths of fields to the sum, which stops where it is too much. */
static void add_lengths(size_t *sum, const struct cptls_bytes *values, size_t count)
{
    for (size_t i = 0; i < count && *sum <= CPTLS_MAX_HELLO; i++) {
        *sum += HEAD + (values[i].size <= CPTLS_MAX_HELLO ? values[i].size : CPTLS_MAX_HELLO);
    }
}

/* How many protocols there are; -1 if they are not written as they should be. */
static int count_alpn(const unsigned char *alpn, size_t size)
{
    int count = 0;
    while (size > 0) {
        size_t length = alpn[0];
        if (length == 0 || length >= size || count == CPTLS_MAX_ALPN) {
            return -1;
        }
        alpn += 1 + length;
        size -= 1 + length;
        count++;
    }
    return count;
}

enum cptls_status cptls_begin(struct cptls *tls, const struct cptls_hello *hello)
{
    const char *name = hello->server_name;
    size_t name_size = name != NULL ? strnlen(name, CPTLS_MAX_NAME + 1) : 0;
    int alpn_count = count_alpn(hello->alpn, hello->alpn_size);
    if (tls->state != NEW) {
        return refuse(tls, "this connection has begun already");
    }
    if (name != NULL && (name_size == 0 || name_size > CPTLS_MAX_NAME)) {
        return refuse(tls, name_size == 0 ? "the server's name is empty"
                                          : "the server's name is too long");
    }
    if (alpn_count < 0) {
        return refuse(tls, "the protocols of ALPN are wrong, or more than 16");
    }
    if (hello->root_count > CPTLS_MAX_ROOTS || hello->certificate_count > CPTLS_MAX_CERTIFICATES) {
        return refuse(tls, "there are too many certificates: the gateway takes 512 roots, and a "
                           "client's chain of 16");
    }
    size_t size = HEAD + name_size + 2 * (HEAD + 2) + hello->alpn_size + HEAD * (size_t)alpn_count;
    add_lengths(&size, hello->roots, hello->root_count);
    add_lengths(&size, hello->certificates, hello->certificate_count);
    add_lengths(&size, &hello->key, 1);
    if (size > CPTLS_MAX_HELLO) {
        return refuse(tls, "the certificates are too long: the gateway takes 512 KiB");
    }

    struct queue *out = &tls->out;
    if (!reserve(out, sizeof magic + HEAD + size)) {
        return CPTLS_NO_MEMORY;
    }
    append(out, magic, sizeof magic);
    append_head(out, HELLO, 0);
    unsigned char *head = out->bytes + sizeof magic;
    if (name != NULL) {
        append_field(out, HELLO_SERVER_NAME, name, name_size);
    }
    for (const unsigned char *alpn = hello->alpn; alpn_count > 0; alpn_count--) {
        append_field(out, HELLO_ALPN, alpn + 1, alpn[0]);
        alpn += 1 + alpn[0];
    }
    append_version(out, HELLO_MIN_VERSION, hello->min_version);
    append_version(out, HELLO_MAX_VERSION, hello->max_version);
    for (size_t i = 0; i < hello->root_count; i++) {
        append_field(out, HELLO_ROOT, hello->roots[i].data, hello->roots[i].size);
    }
    for (size_t i = 0; i < hello->certificate_count; i++) {
        const struct cptls_bytes *certificate = &hello->certificates[i];
        append_field(out, HELLO_CERTIFICATE, certificate->data, certificate->size);
    }
    if (hello->key.size > 0) {
        append_field(out, HELLO_KEY, hello->key.data, hello->key.size);
    }
    size_t length = waiting(out) - sizeof magic - HEAD;
    head[1] = (unsigned char)(length >> 16);
    head[2] = (unsigned char)(length >> 8);
    head[3] = (unsigned char)length;
    tls->state = HANDSHAKE;
    return CPTLS_DONE;
}

const unsigned char *cptls_to_send(const struct cptls *tls, size_t *size)
{
    *size = waiting(&tls->out);
    return *size > 0 ? tls->out.bytes + tls->out.begin : NULL;
}

void cptls_sent(struct cptls *tls, size_t size)
{
    struct queue *out = &tls->out;
    size_t there = waiting(out);
    drop(out, size < there ? size : there);
    if (tls->state == HANDSHAKE && out->end == 0 && out->size > 0) {
        /* A hello may be long, and have a key in it. */
        memset(out->bytes, 0, out->size);
        free(out->bytes);
        *out = (struct queue){0};
    }
}

enum cptls_status cptls_write(struct cptls *tls, const void *text, size_t size, size_t *count)
{
    *count = 0;
    if (tls->closed_here || tls->state == NEW || tls->state == HANDSHAKE) {
        return refuse(tls, tls->closed_here ? "this side of the connection is closed"
                                            : "the handshake is not done");
    }
    if (tls->state != OPEN) {
        return tls->state == FAILED ? CPTLS_FAILED : CPTLS_MALFORMED;
    }
    if (waiting(&tls->out) > 0) {
        return CPTLS_WANT;
    }
    if (size == 0) {
        return CPTLS_DONE;
    }
    size = size < CPTLS_MAX_RECORD ? size : CPTLS_MAX_RECORD;
    if (!reserve(&tls->out, HEAD + size)) {
        return CPTLS_NO_MEMORY;
    }
    append_head(&tls->out, DATA, size);
    append(&tls->out, text, size);
    *count = size;
    return CPTLS_DONE;
}

enum cptls_status cptls_close(struct cptls *tls)
{
    if (tls->state == OPEN && !tls->closed_here) {
        if (!reserve(&tls->out, HEAD)) {
            return CPTLS_NO_MEMORY;
        }
        append_head(&tls->out, CLOSE, 0);
        tls->closed_here = 1;
    }
    return CPTLS_DONE;
}

int cptls_is_closed_here(const struct cptls *tls) { return tls->closed_here; }
int cptls_is_closed_there(const struct cptls *tls) { return tls->closed_there; }

/* What is received. */

unsigned char *cptls_room(struct cptls *tls, size_t *size)
{
    /* The longest record fits. */
    size_t used = waiting(&tls->in), most = HEAD + CPTLS_MAX_RECORD;
    *size = 0;
    if (used >= most || !reserve(&tls->in, most - used)) {
        return NULL;
    }
    *size = most - used;
    return tls->in.bytes + tls->in.end;
}

void cptls_received(struct cptls *tls, size_t size)
{
    size_t room = tls->in.size - tls->in.end;
    tls->in.end += size < room ? size : room;
}

size_t cptls_missing(const struct cptls *tls, size_t wanted)
{
    size_t there = waiting(&tls->in), whole = HEAD;
    if (tls->left > 0) {
        whole = wanted < tls->left ? wanted : tls->left;
    }
    else if (there >= HEAD) {
        const unsigned char *head = tls->in.bytes + tls->in.begin;
        size_t size = (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
        whole += size <= CPTLS_MAX_RECORD ? size : 0;
    }
    return there < whole ? whole - there : 1;
}

/* The next field of a payload: 1 with its tag and value, 0 at the end, -1 if it does not add up. */
static int next_field(struct cptls_bytes *rest, int *tag, struct cptls_bytes *value)
{
    if (rest->size == 0) {
        return 0;
    }
    if (rest->size < HEAD) {
        return -1;
    }
    const unsigned char *head = rest->data;
    size_t size = (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
    if (size > rest->size - HEAD) {
        return -1;
    }
    *tag = head[0];
    *value = (struct cptls_bytes){head + HEAD, size};
    *rest = (struct cptls_bytes){head + HEAD + size, rest->size - HEAD - size};
    return 1;
}

/* A copy of bytes with a zero behind them. */
static unsigned char *copy(const unsigned char *bytes, size_t size)
{
    unsigned char *copied = malloc(size + 1);
    if (copied != NULL) {
        memcpy(copied, bytes, size);
        copied[size] = 0;
    }
    return copied;
}

static enum cptls_status take_reply(struct cptls *tls, size_t size)
{
    struct cptls_bytes rest = {tls->reply_bytes, size}, value;
    int tag, more;
    size_t count = 0;
    while ((more = next_field(&rest, &tag, &value)) > 0) {
        count += tag == REPLY_CERTIFICATE;
    }
    if (more < 0) {
        return malformed(tls, "the fields of the gateway's reply do not add up to it");
    }
    tls->chain = calloc(count > 0 ? count : 1, sizeof *tls->chain);
    if (tls->chain == NULL) {
        return no_memory(tls);
    }
    struct cptls_bytes cipher = {0};
    rest = (struct cptls_bytes){tls->reply_bytes, size};
    while (next_field(&rest, &tag, &value) > 0) {
        if (tag == REPLY_VERSION && value.size == 2) {
            tls->reply.version = (uint16_t)(value.data[0] << 8 | value.data[1]);
        }
        else if (tag == REPLY_CIPHER) {
            cipher = value;
        }
        else if (tag == REPLY_ALPN && value.size <= 255) {
            tls->reply.alpn = value;
        }
        else if (tag == REPLY_CERTIFICATE) {
            tls->chain[tls->reply.certificate_count++] = value;
        }
        else if (tag == REPLY_VERSION || tag == REPLY_ALPN) {
            return malformed(tls, "a field of the gateway's reply has a value that it cannot have");
        }
    }
    tls->cipher = (char *)copy(cipher.data != NULL ? cipher.data : magic, cipher.size);
    if (tls->cipher == NULL) {
        return no_memory(tls);
    }
    tls->reply.cipher = tls->cipher;
    tls->reply.certificates = tls->chain;
    tls->state = OPEN;
    return CPTLS_DONE;
}

static enum cptls_status take_failure(struct cptls *tls, size_t size)
{
    struct cptls_bytes rest = {tls->failure_bytes, size}, value;
    int tag, more;
    struct cptls_bytes text = {tls->failure_bytes, 0};
    tls->failure.alert = -1;
    while ((more = next_field(&rest, &tag, &value)) > 0) {
        if (tag == FAIL_ALERT && value.size == 1) {
            tls->failure.alert = value.data[0];
        }
        else if (tag == FAIL_VERIFY && value.size == 4) {
            const unsigned char *bytes = value.data;
            tls->failure.verify = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
                                  (uint32_t)bytes[2] << 8 | bytes[3];
        }
        else if (tag == FAIL_TEXT) {
            text = value;
        }
        else if (tag == FAIL_ALERT || tag == FAIL_VERIFY) {
            return malformed(tls, "a field of the gateway's failure has a value that it cannot have");
        }
    }
    if (more < 0) {
        return malformed(tls, "the fields of the gateway's failure do not add up to it");
    }
    /* A field may follow the text; at the front a zero fits behind it. */
    memmove(tls->failure_bytes, text.data, text.size);
    tls->failure_bytes[text.size] = 0;
    tls->failure.text = (const char *)tls->failure_bytes;
    tls->state = FAILED;
    return CPTLS_FAILED;
}

/* Takes the head of the next record, and the payload of one that is no text. DONE when there is
   text (`left` says how much), when the reply was taken, or at the end of the text. */
static enum cptls_status next_record(struct cptls *tls)
{
    struct queue *in = &tls->in;
    if (waiting(in) < HEAD) {
        return CPTLS_WANT;
    }
    const unsigned char *head = in->bytes + in->begin;
    size_t size = (size_t)head[1] << 16 | (size_t)head[2] << 8 | head[3];
    int type = head[0], is_open = tls->state == OPEN;
    if (type != FAIL && type != (is_open ? DATA : REPLY) && !(is_open && type == CLOSE)) {
        return malformed(tls, "the gateway sent a record that does not belong here");
    }
    if (size > CPTLS_MAX_RECORD || (type == CLOSE && size != 0)) {
        return malformed(tls, "the gateway sent a record that is too long");
    }
    if (type == DATA || type == CLOSE) {
        drop(in, HEAD);
        tls->left = size;
        tls->closed_there = type == CLOSE;
        return CPTLS_DONE;
    }
    if (waiting(in) < HEAD + size) {
        return CPTLS_WANT;
    }
    unsigned char **kept = type == REPLY ? &tls->reply_bytes : &tls->failure_bytes;
    *kept = copy(head + HEAD, size);
    if (*kept == NULL) {
        return no_memory(tls);
    }
    drop(in, HEAD + size);
    return type == REPLY ? take_reply(tls, size) : take_failure(tls, size);
}

/* How the connection is, when it is not open. */
static enum cptls_status ended(const struct cptls *tls)
{
    return tls->state == FAILED ? CPTLS_FAILED : CPTLS_MALFORMED;
}

enum cptls_status cptls_handshake(struct cptls *tls)
{
    switch (tls->state) {
    case NEW: return refuse(tls, "the handshake has not begun");
    case HANDSHAKE: return waiting(&tls->out) > 0 ? CPTLS_WANT : next_record(tls);
    case OPEN: return CPTLS_DONE;
    default: return ended(tls);
    }
}

enum cptls_status cptls_read(struct cptls *tls, void *buffer, size_t size, size_t *count)
{
    *count = 0;
    if (tls->state == NEW || tls->state == HANDSHAKE) {
        return refuse(tls, "the handshake is not done");
    }
    if (tls->state != OPEN) {
        return ended(tls);
    }
    if (size == 0) {
        return CPTLS_DONE;
    }
    while (tls->left == 0) {
        if (tls->closed_there) {
            return CPTLS_CLOSED;
        }
        enum cptls_status status = next_record(tls);
        if (status != CPTLS_DONE) {
            return status;
        }
    }
    size_t there = waiting(&tls->in);
    size = size < tls->left ? size : tls->left;
    size = size < there ? size : there;
    if (size == 0) {
        return CPTLS_WANT;
    }
    memcpy(buffer, tls->in.bytes + tls->in.begin, size);
    drop(&tls->in, size);
    tls->left -= size;
    *count = size;
    return CPTLS_DONE;
}

size_t cptls_pending(const struct cptls *tls)
{
    size_t there = waiting(&tls->in);
    return there < tls->left ? there : tls->left;
}

const struct cptls_reply *cptls_reply_of(const struct cptls *tls)
{
    return tls->reply.cipher != NULL ? &tls->reply : NULL;
}

const struct cptls_failure *cptls_failure_of(const struct cptls *tls)
{
    return tls->state == FAILED ? &tls->failure : NULL;
}

const char *cptls_problem(const struct cptls *tls)
{
    return tls->problem != NULL ? tls->problem : "";
}
