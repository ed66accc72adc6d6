/* TLS that the gateway does (guests/libraries/cptls-c): one connection's records, without any socket. bindings/tls.js moves the bytes. */
#include <stdlib.h>
#include <string.h>

#include "cptls.h"
#include "engine.h"

static JSClassID connection_class;

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    struct cptls *tls = JS_GetOpaque(value, connection_class);
    if (tls != NULL) {
        cptls_free(tls);
    }
}

static const JSClassDef connection_definition = {"tls connection", .finalizer = finalize};

void tls_prepare(JSRuntime *runtime)
{
    JS_NewClassID(runtime, &connection_class);
    JS_NewClass(runtime, connection_class, &connection_definition);
}

static struct cptls *connection_of(JSContext *ctx, JSValueConst value) { return JS_GetOpaque2(ctx, value, connection_class); }

/* A copy of the bytes of a value, which no later call can take away; NULL with an exception. */
static uint8_t *copy_of(JSContext *ctx, JSValueConst value, size_t *length)
{
    struct bytes bytes;
    if (bytes_of(ctx, value, &bytes) != 0) {
        return NULL;
    }
    uint8_t *copy = malloc(bytes.length + 1);
    if (copy == NULL) {
        JS_ThrowOutOfMemory(ctx);
        return NULL;
    }
    memcpy(copy, bytes.at, bytes.length);
    *length = bytes.length;
    return copy;
}

/* At most `most` entries of an array of bytes; how many, or -1 with an exception. */
static int list_of(JSContext *ctx, JSValueConst array, struct cptls_bytes *list, int64_t most)
{
    int64_t count = 0;
    if (JS_IsUndefined(array)) {
        return 0;
    }
    if (JS_GetLength(ctx, array, &count) < 0) {
        return -1;
    }
    for (int64_t i = 0; i < count && i < most; i++) {
        JSValue value = entry_of(ctx, array, (uint32_t)i);
        list[i].data = copy_of(ctx, value, &list[i].size);
        JS_FreeValue(ctx, value);
        if (list[i].data == NULL) {
            return -1;
        }
    }
    return (int)(count < most ? count : most);
}

static void free_list(struct cptls_bytes *list, int64_t most)
{
    for (int64_t i = 0; list != NULL && i < most; i++) {
        free((void *)list[i].data);
    }
    free(list);
}

/* name of the server or undefined, protocols with their lengths or undefined, [lowest, highest version], DER of roots, of the
   client's chain and of its key or undefined: a connection whose hello can be sent; the reason if there cannot be one. */
static FUNCTION(tlsOpen)
{
    struct cptls_bytes *roots = calloc(CPTLS_MAX_ROOTS, sizeof *roots), *chain = calloc(CPTLS_MAX_CERTIFICATES, sizeof *chain);
    struct cptls_bytes key = {0}, alpn = {0};
    struct cptls *tls = cptls_new();
    const char *name = JS_IsUndefined(argv[0]) ? NULL : JS_ToCString(ctx, argv[0]);
    JSValue result = JS_EXCEPTION;
    int root_count = -1, chain_count = -1;
    if (roots == NULL || chain == NULL || tls == NULL) {
        JS_ThrowOutOfMemory(ctx);
    }
    else if ((JS_IsUndefined(argv[0]) || name != NULL) &&
             (JS_IsUndefined(argv[1]) || (alpn.data = copy_of(ctx, argv[1], &alpn.size)) != NULL) &&
             (root_count = list_of(ctx, argv[3], roots, CPTLS_MAX_ROOTS)) >= 0 &&
             (chain_count = list_of(ctx, argv[4], chain, CPTLS_MAX_CERTIFICATES)) >= 0 &&
             (JS_IsUndefined(argv[5]) || (key.data = copy_of(ctx, argv[5], &key.size)) != NULL)) {
        JSValue lowest = entry_of(ctx, argv[2], 0), highest = entry_of(ctx, argv[2], 1);
        struct cptls_hello hello = {
            .server_name = name,
            .alpn = alpn.data,
            .alpn_size = alpn.size,
            .min_version = (uint16_t)integer_of(ctx, lowest),
            .max_version = (uint16_t)integer_of(ctx, highest),
            .roots = roots,
            .root_count = (size_t)root_count,
            .certificates = chain,
            .certificate_count = (size_t)chain_count,
            .key = key,
        };
        JS_FreeValue(ctx, lowest);
        JS_FreeValue(ctx, highest);
        if (cptls_begin(tls, &hello) != CPTLS_DONE) {
            const char *problem = cptls_problem(tls);
            result = JS_NewString(ctx, problem != NULL ? problem : "out of memory");
        }
        else {
            result = JS_NewObjectClass(ctx, connection_class);
            if (!JS_IsException(result)) {
                JS_SetOpaque(result, tls);
                tls = NULL;
            }
        }
    }
    JS_FreeCString(ctx, name);
    free((void *)alpn.data);
    free((void *)key.data);
    free_list(roots, CPTLS_MAX_ROOTS);
    free_list(chain, CPTLS_MAX_CERTIFICATES);
    if (tls != NULL) {
        cptls_free(tls);
    }
    return result;
}

/* connection: an ArrayBuffer of what has to be sent to the gateway, undefined if there is nothing. It counts as sent. */
static FUNCTION(tlsOutput)
{
    struct cptls *tls = connection_of(ctx, argv[0]);
    size_t size = 0;
    if (tls == NULL) {
        return JS_EXCEPTION;
    }
    const unsigned char *bytes = cptls_to_send(tls, &size);
    if (bytes == NULL || size == 0) {
        return JS_UNDEFINED;
    }
    JSValue result = JS_NewArrayBufferCopy(ctx, bytes, size);
    cptls_sent(tls, size);
    return result;
}

/* connection, bytes from the gateway, offset: how many of them it has taken. */
static FUNCTION(tlsInput)
{
    struct cptls *tls = connection_of(ctx, argv[0]);
    struct bytes bytes;
    size_t room = 0;
    int64_t at = integer_of(ctx, argv[2]);
    if (tls == NULL || bytes_of(ctx, argv[1], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    if (at < 0 || (uint64_t)at > bytes.length) {
        return JS_ThrowRangeError(ctx, "Index out of range");
    }
    unsigned char *where = cptls_room(tls, &room);
    size_t count = bytes.length - (size_t)at;
    count = where == NULL ? 0 : count < room ? count : room;
    if (count > 0) {
        memcpy(where, bytes.at + at, count);
        cptls_received(tls, count);
    }
    return JS_NewInt64(ctx, (int64_t)count);
}

/* connection: cptls's status of the handshake. */
static FUNCTION(tlsHandshake)
{
    struct cptls *tls = connection_of(ctx, argv[0]);
    return tls == NULL ? JS_EXCEPTION : JS_NewInt32(ctx, cptls_handshake(tls));
}

/* connection: [version, cipher, protocol, certificates as ArrayBuffers] after the handshake. */
static FUNCTION(tlsReply)
{
    struct cptls *tls = connection_of(ctx, argv[0]);
    if (tls == NULL) {
        return JS_EXCEPTION;
    }
    const struct cptls_reply *reply = cptls_reply_of(tls);
    if (reply == NULL) {
        return JS_UNDEFINED;
    }
    JSValue list = JS_NewArray(ctx), chain = JS_NewArray(ctx);
    for (size_t i = 0; i < reply->certificate_count; i++) {
        put_entry(ctx, chain, (uint32_t)i, JS_NewArrayBufferCopy(ctx, reply->certificates[i].data, reply->certificates[i].size));
    }
    put_entry(ctx, list, 0, JS_NewInt32(ctx, reply->version));
    put_entry(ctx, list, 1, JS_NewString(ctx, reply->cipher));
    put_entry(ctx, list, 2, text_from_latin1(ctx, reply->alpn.size > 0 ? (const void *)reply->alpn.data : "", reply->alpn.size));
    put_entry(ctx, list, 3, chain);
    return list;
}

/* connection: [alert, number of what is wrong with a certificate, text] of a failure; text alone if what came is no cptls. */
static FUNCTION(tlsFailure)
{
    struct cptls *tls = connection_of(ctx, argv[0]);
    if (tls == NULL) {
        return JS_EXCEPTION;
    }
    const struct cptls_failure *failure = cptls_failure_of(tls);
    if (failure == NULL) {
        const char *problem = cptls_problem(tls);
        return problem != NULL ? JS_NewString(ctx, problem) : JS_UNDEFINED;
    }
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, JS_NewInt32(ctx, failure->alert));
    put_entry(ctx, list, 1, JS_NewUint32(ctx, failure->verify));
    put_entry(ctx, list, 2, text_from_utf8(ctx, (const uint8_t *)failure->text, strlen(failure->text)));
    return list;
}

/* connection: an ArrayBuffer of plain text, or cptls's status. */
static FUNCTION(tlsRead)
{
    enum { PIECE = 65536 };
    struct cptls *tls = connection_of(ctx, argv[0]);
    size_t count = 0;
    if (tls == NULL) {
        return JS_EXCEPTION;
    }
    uint8_t *room = malloc(PIECE);
    if (room == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    enum cptls_status status = cptls_read(tls, room, PIECE, &count);
    JSValue result = status == CPTLS_DONE ? JS_NewArrayBufferCopy(ctx, room, count) : JS_NewInt32(ctx, status);
    free(room);
    return result;
}

/* connection, plain text, offset: how much of it is in a record now; less than 0: cptls's status. */
static FUNCTION(tlsWrite)
{
    struct cptls *tls = connection_of(ctx, argv[0]);
    struct bytes bytes;
    size_t count = 0;
    int64_t at = integer_of(ctx, argv[2]);
    if (tls == NULL || bytes_of(ctx, argv[1], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    if (at < 0 || (uint64_t)at > bytes.length) {
        return JS_ThrowRangeError(ctx, "Index out of range");
    }
    enum cptls_status status = cptls_write(tls, bytes.at + at, bytes.length - (size_t)at, &count);
    return status == CPTLS_DONE ? JS_NewInt64(ctx, (int64_t)count) : JS_NewInt32(ctx, -(int)status);
}

static FUNCTION(tlsClose)
{
    struct cptls *tls = connection_of(ctx, argv[0]);
    return tls == NULL ? JS_EXCEPTION : JS_NewInt32(ctx, cptls_close(tls));
}

const struct native tls_natives[] = {
    NATIVE(tlsOpen), NATIVE(tlsOutput), NATIVE(tlsInput), NATIVE(tlsHandshake), NATIVE(tlsReply), NATIVE(tlsFailure),
    NATIVE(tlsRead), NATIVE(tlsWrite), NATIVE(tlsClose), {0},
};
