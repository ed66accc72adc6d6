/* Keys from passwords: PBKDF2 (RFC 8018), scrypt (RFC 7914) and Argon2. HKDF is a few HMACs: bindings/crypto/derive.js. */
#include <stdlib.h>
#include <string.h>

#include "crypto.h"
#include "mbedtls/platform_util.h"

static void put_big_endian(uint8_t out[4], uint32_t number)
{
    for (int i = 0; i < 4; i++) {
        out[i] = (uint8_t)(number >> (24 - 8 * i));
    }
}

static void pbkdf2(enum hash_name name, struct bytes password, struct bytes salt, uint32_t iterations, uint8_t *out, size_t length)
{
    struct hmac keyed, hmac;
    size_t size = hash_kinds[name].size;
    uint8_t sum[HASH_MOST_BYTES], part[HASH_MOST_BYTES], number[4];
    hmac_begin(&keyed, name, password.at, password.length);
    for (uint32_t block = 1; length > 0; block++) {
        put_big_endian(number, block);
        hmac = keyed;
        hash_update(&hmac.inner, salt.at, salt.length);
        hash_update(&hmac.inner, number, sizeof number);
        hmac_finish(&hmac, part);
        memcpy(sum, part, size);
        for (uint32_t i = 1; i < iterations; i++) {
            hmac = keyed;
            hash_update(&hmac.inner, part, size);
            hmac_finish(&hmac, part);
            for (size_t at = 0; at < size; at++) {
                sum[at] ^= part[at];
            }
        }
        size_t taken = length < size ? length : size;
        memcpy(out, sum, taken);
        out += taken;
        length -= taken;
    }
    mbedtls_platform_zeroize(&keyed, sizeof keyed);
}

/* hash, password, salt, iterations, length */
static FUNCTION(pbkdf2)
{
    enum hash_name name;
    int64_t iterations = integer_of(ctx, argv[3]), length = integer_of(ctx, argv[4]);
    struct bytes password, salt;
    uint8_t *out;
    if (hash_name_of(ctx, argv[0], &name) != 0 || bytes_of(ctx, argv[1], &password) != 0 || bytes_of(ctx, argv[2], &salt) != 0) {
        return JS_EXCEPTION;
    }
    if (iterations < 1 || iterations > INT32_MAX || length < 0 || length > INT32_MAX) {
        return JS_ThrowRangeError(ctx, "no such count");
    }
    JSValue result = new_bytes(ctx, (size_t)length, &out);
    if (!JS_IsException(result)) {
        pbkdf2(name, password, salt, (uint32_t)iterations, out, (size_t)length);
    }
    return result;
}

static inline uint32_t rotated(uint32_t x, int n) { return x << n | x >> (32 - n); }

/* Salsa20/8, on numbers that are little-endian as the processor's are. */
static void salsa(uint32_t block[16])
{
    uint32_t x[16];
    memcpy(x, block, sizeof x);
    for (int i = 0; i < 4; i++) {
#define QUARTER(a, b, c, d)                                                                                                                \
    x[b] ^= rotated(x[a] + x[d], 7), x[c] ^= rotated(x[b] + x[a], 9), x[d] ^= rotated(x[c] + x[b], 13), x[a] ^= rotated(x[d] + x[c], 18)
        QUARTER(0, 4, 8, 12), QUARTER(5, 9, 13, 1), QUARTER(10, 14, 2, 6), QUARTER(15, 3, 7, 11);
        QUARTER(0, 1, 2, 3), QUARTER(5, 6, 7, 4), QUARTER(10, 11, 8, 9), QUARTER(15, 12, 13, 14);
    }
    for (int i = 0; i < 16; i++) {
        block[i] += x[i];
    }
}

/* scryptBlockMix: 2r blocks of 16 numbers to as many, those of even number first. */
static void mix_blocks(const uint32_t *in, uint32_t *out, size_t r)
{
    uint32_t x[16];
    memcpy(x, in + (2 * r - 1) * 16, sizeof x);
    for (size_t i = 0; i < 2 * r; i++) {
        for (int at = 0; at < 16; at++) {
            x[at] ^= in[16 * i + (size_t)at];
        }
        salsa(x);
        memcpy(out + (i / 2 + i % 2 * r) * 16, x, sizeof x);
    }
}

/* scryptROMix on `block`, with room for N of them in `table` and for one in `other`. */
static void mix_memory(uint32_t *block, uint32_t *table, uint32_t *other, size_t n, size_t r)
{
    size_t words = 32 * r;
    for (size_t i = 0; i < n; i++) {
        memcpy(table + i * words, block, words * 4);
        mix_blocks(block, other, r);
        memcpy(block, other, words * 4);
    }
    for (size_t i = 0; i < n; i++) {
        /* N is a power of two that fits in memory: the lower half of Integerify is enough. */
        const uint32_t *chosen = table + (block[(2 * r - 1) * 16] & (n - 1)) * words;
        for (size_t at = 0; at < words; at++) {
            block[at] ^= chosen[at];
        }
        mix_blocks(block, other, r);
        memcpy(block, other, words * 4);
    }
}

/* password, salt, N, r, p, length. bindings/crypto/derive.js has checked how they fit together; here only that memory is enough. */
static FUNCTION(scrypt)
{
    struct bytes password, salt;
    int64_t n = integer_of(ctx, argv[2]), r = integer_of(ctx, argv[3]), p = integer_of(ctx, argv[4]), length = integer_of(ctx, argv[5]);
    if (bytes_of(ctx, argv[0], &password) != 0 || bytes_of(ctx, argv[1], &salt) != 0) {
        return JS_EXCEPTION;
    }
    if (n < 2 || n > UINT32_MAX || (n & (n - 1)) != 0 || r < 1 || p < 1 || r > 0x3fffffff / p || length < 0 ||
        length > INT32_MAX) {
        return JS_ThrowRangeError(ctx, "no such cost");
    }
    uint64_t block = 128 * (uint64_t)r, most = SIZE_MAX / 2;
    if ((uint64_t)n > most / block || (uint64_t)p > most / block) {
        return JS_ThrowOutOfMemory(ctx);
    }
    uint8_t *out, *blocks = malloc(block * (uint64_t)p), *table = malloc(block * (uint64_t)n), *other = malloc(block);
    JSValue result = JS_EXCEPTION;
    if (blocks == NULL || table == NULL || other == NULL) {
        JS_ThrowOutOfMemory(ctx);
    }
    else if (!JS_IsException(result = new_bytes(ctx, (size_t)length, &out))) {
        pbkdf2(HASH_SHA256, password, salt, 1, blocks, block * (uint64_t)p);
        for (int64_t i = 0; i < p; i++) {
            mix_memory((uint32_t *)(blocks + (uint64_t)i * block), (uint32_t *)table, (uint32_t *)other, (size_t)n, (size_t)r);
        }
        pbkdf2(HASH_SHA256, password, (struct bytes){blocks, block * (uint64_t)p}, 1, out, (size_t)length);
    }
    free(blocks);
    free(table);
    free(other);
    return result;
}

/* Uint32Array [type, blocks of 1 KiB, passes, lanes, length], message, nonce, secret, associated data */
static FUNCTION(argon2)
{
    struct bytes numbers, message, nonce, secret, data;
    if (bytes_of(ctx, argv[0], &numbers) != 0 || bytes_of(ctx, argv[1], &message) != 0 || bytes_of(ctx, argv[2], &nonce) != 0 ||
        bytes_of(ctx, argv[3], &secret) != 0 || bytes_of(ctx, argv[4], &data) != 0) {
        return JS_EXCEPTION;
    }
    uint32_t given[5];
    if (numbers.length != sizeof given) {
        return JS_ThrowRangeError(ctx, "no such cost");
    }
    memcpy(given, numbers.at, sizeof given);
    crypto_argon2_config config = {given[0], given[1], given[2], given[3]};
    if (config.algorithm > 2 || config.nb_lanes < 1 || config.nb_passes < 1 || config.nb_blocks / 8 < config.nb_lanes || given[4] < 4 ||
        given[4] > INT32_MAX || nonce.length < 8 || config.nb_blocks > SIZE_MAX / 1024) {
        return JS_ThrowRangeError(ctx, "no such cost");
    }
    void *work = malloc((size_t)config.nb_blocks * 1024);
    if (work == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    uint8_t *out;
    JSValue result = new_bytes(ctx, given[4], &out);
    if (!JS_IsException(result)) {
        crypto_argon2_inputs inputs = {message.at, nonce.at, (uint32_t)message.length, (uint32_t)nonce.length};
        crypto_argon2_extras extras = {secret.at, data.at, (uint32_t)secret.length, (uint32_t)data.length};
        crypto_argon2(out, given[4], work, config, inputs, extras);
    }
    free(work);
    return result;
}

const struct native kdf_natives[] = {NATIVE(pbkdf2), NATIVE(scrypt), NATIVE(argon2), {0}};
