/* Tests of cptls.c, for the machine's own compiler: crates/codepod-gateway/tests/cptls_c.rs runs
   them. With the word `hello`, writes one to standard output instead. */
#include "cptls.h"

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const unsigned char certificate[] = {0x30, 1, 2};
static const unsigned char reply[] = {2, 0, 0, 33, 1, 0, 0, 2, 3, 4, 2, 0, 0, 5, 'T', 'L', 'S', '_', 'X',
                                      4, 0, 0, 3, 0x30, 1, 2, 99, 0, 0, 0, 3, 0, 0, 3, 'h', '/', '2'};

static struct cptls *begun(void)
{
    struct cptls_hello hello = {.server_name = "a.com"};
    struct cptls *tls = cptls_new();
    size_t size;
    assert(cptls_begin(tls, &hello) == CPTLS_DONE && cptls_to_send(tls, &size) != NULL);
    assert(cptls_handshake(tls) == CPTLS_WANT);
    cptls_sent(tls, size);
    assert(cptls_to_send(tls, &size) == NULL && size == 0);
    return tls;
}

static void give(struct cptls *tls, const void *bytes, size_t size)
{
    size_t room;
    unsigned char *where = cptls_room(tls, &room);
    assert(where != NULL && room >= size);
    memcpy(where, bytes, size);
    cptls_received(tls, size);
}

static struct cptls *open_connection(void)
{
    struct cptls *tls = begun();
    give(tls, reply, sizeof reply);
    assert(cptls_handshake(tls) == CPTLS_DONE);
    return tls;
}

static void a_reply_is_read_in_pieces_of_any_size(void)
{
    for (size_t piece = 1; piece <= sizeof reply; piece++) {
        struct cptls *tls = begun();
        for (size_t i = 0; i < sizeof reply; i += piece) {
            assert(cptls_handshake(tls) == CPTLS_WANT && cptls_reply_of(tls) == NULL);
            give(tls, reply + i, i + piece <= sizeof reply ? piece : sizeof reply - i);
        }
        assert(cptls_handshake(tls) == CPTLS_DONE && cptls_handshake(tls) == CPTLS_DONE);
        const struct cptls_reply *read = cptls_reply_of(tls);
        assert(read->version == CPTLS_TLS_1_3 && strcmp(read->cipher, "TLS_X") == 0);
        assert(read->alpn.size == 3 && memcmp(read->alpn.data, "h/2", 3) == 0);
        assert(read->certificate_count == 1 && read->certificates[0].size == sizeof certificate);
        assert(memcmp(read->certificates[0].data, certificate, sizeof certificate) == 0);
        cptls_free(tls);
    }
}

static void a_failure_says_why(void)
{
    static const unsigned char fail[] = {5, 0, 0, 22, 3, 0, 0, 5, 'w', 'r', 'o', 'n', 'g',
                                         2, 0, 0, 4, 0, 0, 0, 62, 1, 0, 0, 1, 42};
    unsigned char longer[sizeof fail + 1];
    memcpy(longer, fail, sizeof fail);
    longer[3] = 23;
    longer[sizeof fail] = 1;
    for (int is_open = 0; is_open < 2; is_open++) {
        struct cptls *tls = is_open ? open_connection() : begun();
        char text[8];
        size_t count;
        give(tls, fail, sizeof fail);
        assert((is_open ? cptls_read(tls, text, sizeof text, &count) : cptls_handshake(tls)) == CPTLS_FAILED);
        const struct cptls_failure *why = cptls_failure_of(tls);
        assert(why->alert == 42 && why->verify == 62 && strcmp(why->text, "wrong") == 0);
        assert(cptls_handshake(tls) == CPTLS_FAILED && cptls_write(tls, "x", 1, &count) != CPTLS_DONE);
        /* What was known of the server still is. */
        assert((cptls_reply_of(tls) != NULL) == is_open);
        assert(!is_open || memcmp(cptls_reply_of(tls)->certificates[0].data, certificate, 3) == 0);
        cptls_free(tls);
    }
    struct cptls *tls = begun();
    give(tls, longer, sizeof longer);
    assert(cptls_handshake(tls) == CPTLS_MALFORMED && cptls_failure_of(tls) == NULL);
    cptls_free(tls);
}

static void text_goes_both_ways(void)
{
    static unsigned char text[CPTLS_MAX_RECORD + 10], read[sizeof text];
    static const unsigned char records[] = {3, 0, 0, 0, 3, 0, 0, 3, 'a', 'b', 'c', 3, 0, 0, 1, 'd', 4, 0, 0, 0};
    struct cptls *tls = open_connection();
    size_t count, size;
    assert(cptls_read(tls, read, 1, &count) == CPTLS_WANT && count == 0);
    assert(cptls_write(tls, text, 0, &count) == CPTLS_DONE && count == 0);
    assert(cptls_write(tls, text, sizeof text, &count) == CPTLS_DONE && count == CPTLS_MAX_RECORD);
    assert(cptls_write(tls, text, sizeof text, &count) == CPTLS_WANT && count == 0);
    const unsigned char *sent = cptls_to_send(tls, &size);
    assert(size == 4 + CPTLS_MAX_RECORD && sent[0] == 3 && sent[1] == 1 && sent[2] == 0 && sent[3] == 0);
    cptls_sent(tls, 5);
    assert(cptls_to_send(tls, &size) == sent + 5);
    cptls_sent(tls, size + 1000);
    assert(cptls_missing(tls, 100) == 4);
    give(tls, records, sizeof records);
    assert(cptls_pending(tls) == 0);
    assert(cptls_read(tls, read, 2, &count) == CPTLS_DONE && count == 2 && cptls_pending(tls) == 1);
    assert(cptls_read(tls, read, 2, &count) == CPTLS_DONE && count == 1 && read[0] == 'c');
    assert(cptls_read(tls, read, 9, &count) == CPTLS_DONE && count == 1 && read[0] == 'd');
    assert(cptls_read(tls, read, 0, &count) == CPTLS_DONE && !cptls_is_closed_there(tls));
    assert(cptls_read(tls, read, 9, &count) == CPTLS_CLOSED && cptls_is_closed_there(tls));
    assert(cptls_close(tls) == CPTLS_DONE && cptls_close(tls) == CPTLS_DONE && cptls_is_closed_here(tls));
    assert(memcmp(cptls_to_send(tls, &size), "\4\0\0\0", 4) == 0 && size == 4);
    assert(cptls_write(tls, "x", 1, &count) == CPTLS_REFUSED);
    cptls_free(tls);
}

/* Receiving only what is missing, no byte is taken that a read would leave. */
static void nothing_is_taken_too_early(void)
{
    static const unsigned char records[] = {3, 0, 0, 3, 'a', 'b', 'c', 4, 0, 0, 0};
    /* A head, two bytes of text, the third, a head. */
    static const struct {
        size_t missing, read;
    } steps[] = {{4, 0}, {2, 2}, {1, 1}, {4, 0}};
    struct cptls *tls = open_connection();
    char text[2];
    size_t at = 0, count;
    assert(cptls_read(tls, text, sizeof text, &count) == CPTLS_WANT);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert(cptls_missing(tls, sizeof text) == steps[i].missing);
        give(tls, records + at, steps[i].missing);
        at += steps[i].missing;
        if (steps[i].read > 0) {
            assert(cptls_read(tls, text, sizeof text, &count) == CPTLS_DONE && count == steps[i].read);
        }
        assert(cptls_read(tls, text, sizeof text, &count) == (i == 3 ? CPTLS_CLOSED : CPTLS_WANT));
    }
    assert(at == sizeof records);
    cptls_free(tls);
    tls = begun();
    give(tls, reply, 3);
    assert(cptls_handshake(tls) == CPTLS_WANT && cptls_missing(tls, 0) == 1);
    give(tls, reply + 3, 1);
    assert(cptls_handshake(tls) == CPTLS_WANT && cptls_missing(tls, 0) == sizeof reply - 4);
    give(tls, reply + 4, sizeof reply - 4);
    assert(cptls_handshake(tls) == CPTLS_DONE);
    cptls_free(tls);
}

static void what_is_no_record_ends_the_connection(void)
{
    static const struct {
        int is_open;
        size_t size;
        unsigned char bytes[12];
    } wrong[] = {
        {0, 4, {'H', 'T', 'T', 'P'}},             /* no record at all */
        {0, 4, {3, 0, 0, 1}},                     /* text before a reply */
        {0, 4, {4, 0, 0, 0}},                     /* an end before a reply */
        {0, 4, {2, 1, 0, 1}},                     /* a reply that is too long */
        {0, 6, {2, 0, 0, 2, 1, 0}},               /* half a field */
        {0, 9, {2, 0, 0, 5, 1, 0, 0, 2, 3}},      /* a field that is longer than its reply */
        {0, 9, {2, 0, 0, 5, 1, 0, 0, 1, 3}},      /* a version of one byte */
        {0, 4, {5, 1, 0, 1}},                     /* a failure that is too long */
        {0, 10, {5, 0, 0, 6, 2, 0, 0, 2, 0, 1}},  /* a number that is too short */
        {1, 4, {2, 0, 0, 0}},                     /* a second reply */
        {1, 4, {1, 0, 0, 0}},                     /* a hello from the gateway */
        {1, 4, {3, 1, 0, 1}},                     /* too much text */
        {1, 4, {4, 0, 0, 1}},                     /* an end with something in it */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct cptls *tls = wrong[i].is_open ? open_connection() : begun();
        char text[8];
        size_t count;
        give(tls, wrong[i].bytes, wrong[i].size);
        for (int times = 0; times < 2; times++) {
            enum cptls_status status = wrong[i].is_open ? cptls_read(tls, text, sizeof text, &count) : cptls_handshake(tls);
            assert(status == CPTLS_MALFORMED && *cptls_problem(tls) != '\0');
        }
        assert(cptls_write(tls, "x", 1, &count) != CPTLS_DONE);
        cptls_free(tls);
    }
}

static void what_the_gateway_would_not_take_is_refused(void)
{
    static struct cptls_bytes many[CPTLS_MAX_ROOTS + 1];
    static unsigned char big[CPTLS_MAX_HELLO];
    char name[CPTLS_MAX_NAME + 2], protocols[CPTLS_MAX_ALPN * 2 + 2];
    memset(name, 'a', sizeof name);
    name[sizeof name - 1] = '\0';
    memset(protocols, 1, sizeof protocols);
    struct cptls_bytes two_big[] = {{big, sizeof big / 2}, {big, sizeof big / 2}};
    const unsigned char *alpn = (const unsigned char *)protocols;
    const struct {
        int is_good;
        struct cptls_hello hello;
    } asked[] = {
        {1, {.server_name = NULL}},
        {0, {.server_name = ""}},
        {0, {.server_name = name}},
        {1, {.server_name = name + 1}},
        {1, {.server_name = "a", .alpn = alpn, .alpn_size = 2 * CPTLS_MAX_ALPN}},
        {0, {.server_name = "a", .alpn = alpn, .alpn_size = 2 * CPTLS_MAX_ALPN + 2}},
        {0, {.server_name = "a", .alpn = alpn, .alpn_size = 1}},
        {0, {.server_name = "a", .alpn = (const unsigned char *)"\0", .alpn_size = 1}},
        {1, {.server_name = "a", .roots = many, .root_count = CPTLS_MAX_ROOTS}},
        {0, {.server_name = "a", .roots = many, .root_count = CPTLS_MAX_ROOTS + 1}},
        {1, {.server_name = "a", .certificates = many, .certificate_count = CPTLS_MAX_CERTIFICATES}},
        {0, {.server_name = "a", .certificates = many, .certificate_count = CPTLS_MAX_CERTIFICATES + 1}},
        {1, {.server_name = "a", .roots = two_big, .root_count = 1}},
        {0, {.server_name = "a", .roots = two_big, .root_count = 2}},
        {0, {.server_name = "a", .key = {big, SIZE_MAX - 3}}},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct cptls *tls = cptls_new();
        enum cptls_status status = cptls_begin(tls, &asked[i].hello);
        size_t size;
        assert(status == (asked[i].is_good ? CPTLS_DONE : CPTLS_REFUSED));
        assert((*cptls_problem(tls) == '\0') == asked[i].is_good);
        cptls_to_send(tls, &size);
        assert((size > 0) == asked[i].is_good && size <= 7 + 4 + CPTLS_MAX_HELLO);
        cptls_free(tls);
    }
}

/* Bytes that are made of a few likely values, given in pieces: only a status may come of it. */
static void no_bytes_do_harm(void)
{
    static const unsigned char likely[] = {0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 9, 0xff};
    srand(1);
    for (int round = 0; round < 200000; round++) {
        struct cptls *tls = round % 2 ? open_connection() : begun();
        char text[16];
        size_t count;
        for (int part = 0; part < 6; part++) {
            unsigned char bytes[24];
            size_t size = (size_t)rand() % sizeof bytes;
            for (size_t i = 0; i < size; i++) {
                bytes[i] = likely[(size_t)rand() % sizeof likely];
            }
            size_t room;
            unsigned char *where = cptls_room(tls, &room);
            assert(where != NULL);
            memcpy(where, bytes, size);
            cptls_received(tls, size);
            cptls_handshake(tls);
            while (cptls_read(tls, text, sizeof text, &count) == CPTLS_DONE && count > 0) {
                assert(count <= sizeof text);
            }
            if (cptls_failure_of(tls) != NULL) {
                assert(strlen(cptls_failure_of(tls)->text) < sizeof bytes * 6);
            }
        }
        cptls_free(tls);
    }
}

static void write_hello(void)
{
    static const struct cptls_bytes roots[] = {{(const unsigned char *)"root 1", 6}, {(const unsigned char *)"root 2", 6}};
    struct cptls_hello hello = {
        .server_name = "api.example",
        .alpn = (const unsigned char *)"\2h2\10http/1.1",
        .alpn_size = 12,
        .min_version = CPTLS_TLS_1_2,
        .max_version = CPTLS_TLS_1_3,
        .roots = roots,
        .root_count = 2,
        .certificates = roots + 1,
        .certificate_count = 1,
        .key = {(const unsigned char *)"key", 3},
    };
    struct cptls *tls = cptls_new();
    size_t size;
    assert(cptls_begin(tls, &hello) == CPTLS_DONE);
    const unsigned char *bytes = cptls_to_send(tls, &size);
    assert(fwrite(bytes, 1, size, stdout) == size);
    cptls_free(tls);
}

int main(int count, char **arguments)
{
    if (count > 1 && strcmp(arguments[1], "hello") == 0) {
        write_hello();
        return 0;
    }
    a_reply_is_read_in_pieces_of_any_size();
    a_failure_says_why();
    text_goes_both_ways();
    nothing_is_taken_too_early();
    what_is_no_record_ends_the_connection();
    what_the_gateway_would_not_take_is_refused();
    no_bytes_do_harm();
    return 0;
}
