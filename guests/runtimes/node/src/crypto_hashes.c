/* Hashes and HMAC. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crypto.h"
#include "mbedtls/platform_util.h"

const struct hash_kind hash_kinds[HASH_COUNT] = {
    [HASH_MD5] = {16, 64}, [HASH_RIPEMD160] = {20, 64}, [HASH_SHA1] = {20, 64}, [HASH_SHA224] = {28, 64}, [HASH_SHA256] = {32, 64},
    [HASH_SHA384] = {48, 128}, [HASH_SHA512] = {64, 128}, [HASH_SHA512_224] = {28, 128}, [HASH_SHA512_256] = {32, 128},
    [HASH_SHA3_224] = {28, 144}, [HASH_SHA3_256] = {32, 136}, [HASH_SHA3_384] = {48, 104}, [HASH_SHA3_512] = {64, 72},
    [HASH_SHAKE128] = {16, 168, true}, [HASH_SHAKE256] = {32, 136, true}, [HASH_BLAKE2B512] = {64, 128}, [HASH_MD5_SHA1] = {36, 64},
};

/* FIPS 180-4, 5.3.6: what SHA-512/t begins with. Otherwise it is SHA-512. */
static const uint64_t sha512_224_start[8] = {
    0x8c3d37c819544da2, 0x73e1996689dcd4d6, 0x1dfab7ae32ff9c82, 0x679dd514582f9fcf,
    0x0f6d2b697bd44da8, 0x77e36f7304c48942, 0x3f9d85a86a1d36c8, 0x1112e6ad91d692a1,
};
static const uint64_t sha512_256_start[8] = {
    0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
    0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2,
};

void hash_begin(struct hash *hash, enum hash_name name)
{
    memset(hash, 0, sizeof *hash);
    hash->name = name;
    switch (name) {
    case HASH_MD5: mbedtls_md5_starts(&hash->md5); break;
    case HASH_RIPEMD160: mbedtls_ripemd160_starts(&hash->ripemd160); break;
    case HASH_SHA1: mbedtls_sha1_starts(&hash->sha1); break;
    case HASH_MD5_SHA1:
        mbedtls_md5_starts(&hash->md5);
        mbedtls_sha1_starts(&hash->sha1);
        break;
    case HASH_SHA224:
    case HASH_SHA256: mbedtls_sha256_starts(&hash->sha256, name == HASH_SHA224); break;
    case HASH_SHA384: mbedtls_sha512_starts(&hash->sha512, 1); break;
    case HASH_SHA512:
    case HASH_SHA512_224:
    case HASH_SHA512_256:
        mbedtls_sha512_starts(&hash->sha512, 0);
        if (name != HASH_SHA512) {
            memcpy(hash->sha512.state, name == HASH_SHA512_224 ? sha512_224_start : sha512_256_start, sizeof hash->sha512.state);
        }
        break;
    case HASH_BLAKE2B512: crypto_blake2b_init(&hash->blake2b, 64); break;
    default:
        mbedtls_sha3_starts(&hash->sha3, name == HASH_SHA3_224 ? MBEDTLS_SHA3_224 : name == HASH_SHA3_384 ? MBEDTLS_SHA3_384
                                         : name == HASH_SHA3_512 ? MBEDTLS_SHA3_512 : MBEDTLS_SHA3_256);
        if (name == HASH_SHAKE128 || name == HASH_SHAKE256) {
            hash->sha3.max_block_size = hash_kinds[name].block;
        }
    }
}

void hash_update(struct hash *hash, const void *bytes, size_t length)
{
    if (length == 0) {
        return;
    }
    switch (hash->name) {
    case HASH_MD5: mbedtls_md5_update(&hash->md5, bytes, length); break;
    case HASH_RIPEMD160: mbedtls_ripemd160_update(&hash->ripemd160, bytes, length); break;
    case HASH_SHA1: mbedtls_sha1_update(&hash->sha1, bytes, length); break;
    case HASH_MD5_SHA1:
        mbedtls_md5_update(&hash->md5, bytes, length);
        mbedtls_sha1_update(&hash->sha1, bytes, length);
        break;
    case HASH_SHA224:
    case HASH_SHA256: mbedtls_sha256_update(&hash->sha256, bytes, length); break;
    case HASH_SHA384:
    case HASH_SHA512:
    case HASH_SHA512_224:
    case HASH_SHA512_256: mbedtls_sha512_update(&hash->sha512, bytes, length); break;
    case HASH_BLAKE2B512: crypto_blake2b_update(&hash->blake2b, bytes, length); break;
    default: mbedtls_sha3_update(&hash->sha3, bytes, length);
    }
}

/* FIPS 202, 6.2. Mbed TLS has the sponge, but not SHAKE: it permutes when a block is full, so a zero that fills one permutes. */
static void squeeze(mbedtls_sha3_context *sponge, uint8_t *out, size_t length)
{
    uint8_t *state = (uint8_t *)sponge->state;
    size_t block = sponge->max_block_size;
    state[sponge->index] ^= 0x1f;
    state[block - 1] ^= 0x80;
    for (;;) {
        static const uint8_t zero;
        sponge->index = (uint32_t)block - 1;
        mbedtls_sha3_update(sponge, &zero, 1);
        size_t part = length < block ? length : block;
        memcpy(out, state, part);
        out += part;
        length -= part;
        if (length == 0) {
            return;
        }
    }
}

void hash_finish(struct hash *hash, uint8_t *out, size_t length)
{
    uint8_t whole[HASH_MOST_BYTES];
    switch (hash->name) {
    case HASH_MD5: mbedtls_md5_finish(&hash->md5, out); return;
    case HASH_RIPEMD160: mbedtls_ripemd160_finish(&hash->ripemd160, out); return;
    case HASH_SHA1: mbedtls_sha1_finish(&hash->sha1, out); return;
    case HASH_MD5_SHA1:
        mbedtls_md5_finish(&hash->md5, out);
        mbedtls_sha1_finish(&hash->sha1, out + 16);
        return;
    case HASH_SHA224:
    case HASH_SHA256: mbedtls_sha256_finish(&hash->sha256, out); return;
    case HASH_SHA384:
    case HASH_SHA512: mbedtls_sha512_finish(&hash->sha512, out); return;
    case HASH_SHA512_224:
    case HASH_SHA512_256:
        mbedtls_sha512_finish(&hash->sha512, whole);
        memcpy(out, whole, length);
        return;
    case HASH_SHAKE128:
    case HASH_SHAKE256:
        if (length > 0) {
            squeeze(&hash->sha3, out, length);
        }
        return;
    case HASH_BLAKE2B512: crypto_blake2b_final(&hash->blake2b, out); return;
    default: mbedtls_sha3_finish(&hash->sha3, out, length);
    }
}

void hmac_begin(struct hmac *hmac, enum hash_name name, const uint8_t *key, size_t length)
{
    uint8_t padded[HASH_MOST_BLOCK] = {0};
    size_t block = hash_kinds[name].block;
    if (length > block) {
        hash_begin(&hmac->inner, name);
        hash_update(&hmac->inner, key, length);
        hash_finish(&hmac->inner, padded, hash_kinds[name].size);
    }
    else if (length > 0) {
        memcpy(padded, key, length);
    }
    for (size_t i = 0; i < block; i++) {
        padded[i] ^= 0x36;
    }
    hash_begin(&hmac->inner, name);
    hash_update(&hmac->inner, padded, block);
    for (size_t i = 0; i < block; i++) {
        padded[i] ^= 0x36 ^ 0x5c;
    }
    hash_begin(&hmac->outer, name);
    hash_update(&hmac->outer, padded, block);
    mbedtls_platform_zeroize(padded, sizeof padded);
}

void hmac_finish(struct hmac *hmac, uint8_t *out)
{
    uint8_t size = hash_kinds[hmac->inner.name].size, digest[HASH_MOST_BYTES];
    hash_finish(&hmac->inner, digest, size);
    hash_update(&hmac->outer, digest, size);
    hash_finish(&hmac->outer, out, size);
}

int crypto_random(void *unused, unsigned char *out, size_t length)
{
    enum { PIECE = 256 };
    for (size_t at = 0; at < length; at += PIECE) {
        if (getentropy(out + at, length - at < PIECE ? length - at : PIECE) != 0) {
            return -1;
        }
    }
    return 0;
}

int hash_name_of(JSContext *ctx, JSValueConst value, enum hash_name *name)
{
    int64_t number = integer_of(ctx, value);
    if (JS_IsUndefined(value) || number < 0 || number >= HASH_COUNT) {
        JS_ThrowRangeError(ctx, "no such hash");
        return -1;
    }
    *name = (enum hash_name)number;
    return 0;
}

/* Frees memory where the size is 0. */
static void *resize(JSRuntime *runtime, void *opaque, void *at, size_t size)
{
    if (size == 0) {
        free(at);
        return NULL;
    }
    return realloc(at, size);
}

JSValue new_bytes(JSContext *ctx, size_t length, uint8_t **at)
{
    *at = calloc(length + 1, 1);
    return *at == NULL ? JS_ThrowOutOfMemory(ctx) : JS_NewArrayBuffer(ctx, *at, length, 0, resize, NULL, false);
}

JSValue copy_bytes(JSContext *ctx, const void *bytes, size_t length)
{
    uint8_t *out;
    JSValue result = new_bytes(ctx, length, &out);
    if (!JS_IsException(result)) {
        memcpy(out, bytes, length);
    }
    return result;
}

/* A hash, or the inside of an HMAC, as an object. */
struct running {
    struct hmac state; /* of a hash only `inner` */
    bool is_keyed;
    bool is_finished;
};

static JSClassID running_class;

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    struct running *running = JS_GetOpaque(value, running_class);
    if (running != NULL) {
        mbedtls_platform_zeroize(running, sizeof *running);
        free(running);
    }
}

static const JSClassDef running_definition = {"hash", .finalizer = finalize};

void hashes_prepare(JSRuntime *runtime)
{
    JS_NewClassID(runtime, &running_class);
    JS_NewClass(runtime, running_class, &running_definition);
}

static JSValue wrap(JSContext *ctx, const struct running *state)
{
    struct running *running = malloc(sizeof *running);
    if (running == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    *running = *state;
    JSValue object = JS_NewObjectClass(ctx, running_class);
    if (JS_IsException(object)) {
        free(running);
        return object;
    }
    JS_SetOpaque(object, running);
    return object;
}

static struct running *running_of(JSContext *ctx, JSValueConst value)
{
    struct running *running = JS_GetOpaque2(ctx, value, running_class);
    if (running != NULL && running->is_finished) {
        JS_ThrowInternalError(ctx, "the hash is finished");
        return NULL;
    }
    return running;
}

/* A hash's number, and a key for HMAC. */
static FUNCTION(hashOpen)
{
    struct running running = {0};
    enum hash_name name;
    struct bytes key;
    if (hash_name_of(ctx, argv[0], &name) != 0) {
        return JS_EXCEPTION;
    }
    running.is_keyed = !JS_IsUndefined(argv[1]);
    if (!running.is_keyed) {
        hash_begin(&running.state.inner, name);
    }
    else if (bytes_of(ctx, argv[1], &key) != 0) {
        return JS_EXCEPTION;
    }
    else {
        hmac_begin(&running.state, name, key.at, key.length);
    }
    return wrap(ctx, &running);
}

static FUNCTION(hashCopy)
{
    struct running *running = running_of(ctx, argv[0]);
    return running == NULL ? JS_EXCEPTION : wrap(ctx, running);
}

static FUNCTION(hashUpdate)
{
    struct running *running = running_of(ctx, argv[0]);
    struct bytes bytes;
    if (running == NULL || bytes_of(ctx, argv[1], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    hash_update(&running->state.inner, bytes.at, bytes.length);
    return JS_UNDEFINED;
}

/* How many bytes, for one that is extendable. */
static FUNCTION(hashFinish)
{
    struct running *running = running_of(ctx, argv[0]);
    if (running == NULL) {
        return JS_EXCEPTION;
    }
    const struct hash_kind *kind = &hash_kinds[running->state.inner.name];
    int64_t length = kind->is_extendable && !running->is_keyed ? integer_of(ctx, argv[1]) : kind->size;
    if (length < 0 || length > INT32_MAX) {
        return JS_ThrowRangeError(ctx, "no such length");
    }
    uint8_t *out;
    JSValue result = new_bytes(ctx, (size_t)length, &out);
    if (JS_IsException(result)) {
        return result;
    }
    running->is_finished = true;
    if (running->is_keyed) {
        hmac_finish(&running->state, out);
    }
    else {
        hash_finish(&running->state.inner, out, (size_t)length);
    }
    return result;
}

/* Whether two pieces of the same length are equal, in a time that does not depend on what is in them. */
static FUNCTION(equalInConstantTime)
{
    struct bytes a, b;
    if (bytes_of(ctx, argv[0], &a) != 0 || bytes_of(ctx, argv[1], &b) != 0) {
        return JS_EXCEPTION;
    }
    volatile uint8_t differs = a.length != b.length;
    for (size_t i = 0; i < a.length && i < b.length; i++) {
        differs = differs | (a.at[i] ^ b.at[i]);
    }
    return JS_NewBool(ctx, differs == 0);
}

const struct native hash_natives[] = {
    NATIVE(hashOpen), NATIVE(hashCopy), NATIVE(hashUpdate), NATIVE(hashFinish), NATIVE(equalInConstantTime), {0},
};
