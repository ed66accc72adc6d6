/* RSA and prime numbers. Signatures are padded and compared in bindings/crypto/rsa.js; what must not tell a padding that is wrong
 * by its time is the library's. Every operation with a private key is blinded with random numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "crypto.h"
#include "mbedtls/bignum.h"
#include "mbedtls/rsa.h"

enum { MOST_BITS = 16384 };

static JSValue number_bytes(JSContext *ctx, const mbedtls_mpi *number)
{
    uint8_t *out;
    size_t length = mbedtls_mpi_size(number);
    JSValue result = new_bytes(ctx, length == 0 ? 1 : length, &out);
    if (!JS_IsException(result)) {
        mbedtls_mpi_write_binary(number, out, length);
    }
    return result;
}

/* What the library says of arguments that cannot be: its number. bindings/crypto has words for it. */
static JSValue refusal(JSContext *ctx, int error)
{
    return JS_HasException(ctx) ? JS_EXCEPTION : JS_NewInt32(ctx, error < 0 ? error : -1);
}

static int part(JSContext *ctx, JSValueConst list, uint32_t index, mbedtls_mpi *number)
{
    JSValue value = entry_of(ctx, list, index);
    struct bytes bytes;
    int error = bytes_of(ctx, value, &bytes) != 0 ? -1 : bytes.length > MOST_BITS / 8 ? -1 : mbedtls_mpi_read_binary(number, bytes.at, bytes.length);
    JS_FreeValue(ctx, value);
    return error;
}

/* [n, e] or [n, e, d, p, q]. 0, or an error. */
static int read_key(JSContext *ctx, JSValueConst list, mbedtls_rsa_context *rsa)
{
    int64_t count = 0;
    if (JS_GetLength(ctx, list, &count) != 0 || (count != 2 && count != 5)) {
        return -1;
    }
    mbedtls_mpi numbers[5];
    int error = 0;
    for (int i = 0; i < 5; i++) {
        mbedtls_mpi_init(&numbers[i]);
    }
    for (uint32_t i = 0; i < count && error == 0; i++) {
        error = part(ctx, list, i, &numbers[i]);
    }
    if (error == 0) {
        error = count == 2 ? mbedtls_rsa_import(rsa, &numbers[0], NULL, NULL, NULL, &numbers[1])
                           : mbedtls_rsa_import(rsa, &numbers[0], &numbers[3], &numbers[4], &numbers[2], &numbers[1]);
    }
    if (error == 0) {
        error = mbedtls_rsa_complete(rsa);
    }
    for (int i = 0; i < 5; i++) {
        mbedtls_mpi_free(&numbers[i]);
    }
    return error;
}

/* bits, exponent: [n, e, d, p, q, dp, dq, qi], or an error. */
static FUNCTION(rsaGenerate)
{
    int64_t bits = integer_of(ctx, argv[0]), exponent = integer_of(ctx, argv[1]);
    if (bits > MOST_BITS || bits < 0 || exponent < 3 || exponent > INT32_MAX) {
        return refusal(ctx, -1);
    }
    mbedtls_rsa_context rsa;
    mbedtls_rsa_init(&rsa);
    int error = mbedtls_rsa_gen_key(&rsa, crypto_random, NULL, (unsigned)bits, (int)exponent);
    JSValue result = JS_UNDEFINED;
    if (error == 0) {
        const mbedtls_mpi *parts[] = {&rsa.N, &rsa.E, &rsa.D, &rsa.P, &rsa.Q, &rsa.DP, &rsa.DQ, &rsa.QP};
        result = JS_NewArray(ctx);
        for (uint32_t i = 0; i < 8; i++) {
            put_entry(ctx, result, i, number_bytes(ctx, parts[i]));
        }
    }
    mbedtls_rsa_free(&rsa);
    return error == 0 ? result : refusal(ctx, error);
}

/* key, a block as long as the modulus: another one, or an error. */
static FUNCTION(rsaRaw)
{
    mbedtls_rsa_context rsa;
    struct bytes bytes;
    uint8_t *out;
    mbedtls_rsa_init(&rsa);
    JSValue result = JS_UNDEFINED;
    int error = read_key(ctx, argv[0], &rsa);
    if (error == 0) {
        error = bytes_of(ctx, argv[1], &bytes) != 0 || bytes.length != mbedtls_rsa_get_len(&rsa) ? -1 : 0;
    }
    if (error == 0) {
        result = new_bytes(ctx, bytes.length, &out);
        if (!JS_IsException(result)) {
            error = mbedtls_mpi_cmp_int(&rsa.D, 0) != 0 ? mbedtls_rsa_private(&rsa, crypto_random, NULL, bytes.at, out)
                                                        : mbedtls_rsa_public(&rsa, bytes.at, out);
        }
        if (error != 0) {
            JS_FreeValue(ctx, result);
        }
    }
    mbedtls_rsa_free(&rsa);
    return error == 0 ? result : refusal(ctx, error);
}

static const mbedtls_md_type_t md_types[HASH_COUNT] = {
    [HASH_MD5] = MBEDTLS_MD_MD5, [HASH_RIPEMD160] = MBEDTLS_MD_RIPEMD160, [HASH_SHA1] = MBEDTLS_MD_SHA1, [HASH_SHA224] = MBEDTLS_MD_SHA224,
    [HASH_SHA256] = MBEDTLS_MD_SHA256, [HASH_SHA384] = MBEDTLS_MD_SHA384, [HASH_SHA512] = MBEDTLS_MD_SHA512,
    [HASH_SHA3_224] = MBEDTLS_MD_SHA3_224, [HASH_SHA3_256] = MBEDTLS_MD_SHA3_256, [HASH_SHA3_384] = MBEDTLS_MD_SHA3_384,
    [HASH_SHA3_512] = MBEDTLS_MD_SHA3_512,
};

/* key, data, hash of OAEP or undefined for PKCS #1 1.5, label, whether it encrypts: the data, or an error. */
static FUNCTION(rsaCrypt)
{
    mbedtls_rsa_context rsa;
    struct bytes data, label;
    enum hash_name name = HASH_SHA1;
    bool is_oaep = !JS_IsUndefined(argv[2]), encrypts = JS_ToBool(ctx, argv[4]);
    uint8_t *out, plain[MOST_BITS / 8];
    size_t length = 0;
    if (bytes_of(ctx, argv[1], &data) != 0 || bytes_of(ctx, argv[3], &label) != 0 || (is_oaep && hash_name_of(ctx, argv[2], &name) != 0)) {
        return JS_EXCEPTION;
    }
    mbedtls_rsa_init(&rsa);
    JSValue result = JS_UNDEFINED;
    int error = is_oaep && md_types[name] == MBEDTLS_MD_NONE ? -1 : read_key(ctx, argv[0], &rsa);
    if (error == 0) {
        error = mbedtls_rsa_set_padding(&rsa, is_oaep ? MBEDTLS_RSA_PKCS_V21 : MBEDTLS_RSA_PKCS_V15, is_oaep ? md_types[name] : MBEDTLS_MD_NONE);
    }
    if (error == 0 && encrypts) {
        result = new_bytes(ctx, mbedtls_rsa_get_len(&rsa), &out);
        error = JS_IsException(result) ? 0
                : is_oaep ? mbedtls_rsa_rsaes_oaep_encrypt(&rsa, crypto_random, NULL, label.at, label.length, data.length, data.at, out)
                          : mbedtls_rsa_rsaes_pkcs1_v15_encrypt(&rsa, crypto_random, NULL, data.length, data.at, out);
    }
    else if (error == 0) {
        error = data.length != mbedtls_rsa_get_len(&rsa) ? -1
                : is_oaep ? mbedtls_rsa_rsaes_oaep_decrypt(&rsa, crypto_random, NULL, label.at, label.length, &length, data.at, plain, sizeof plain)
                          : mbedtls_rsa_rsaes_pkcs1_v15_decrypt(&rsa, crypto_random, NULL, &length, data.at, plain, sizeof plain);
        if (error == 0) {
            result = new_bytes(ctx, length, &out);
            if (!JS_IsException(result)) {
                memcpy(out, plain, length);
            }
        }
    }
    if (error != 0) {
        JS_FreeValue(ctx, result);
        result = refusal(ctx, error);
    }
    mbedtls_rsa_free(&rsa);
    return result;
}

static int read_number(JSContext *ctx, JSValueConst value, mbedtls_mpi *number)
{
    struct bytes bytes;
    return JS_IsUndefined(value) ? 0 : bytes_of(ctx, value, &bytes) != 0 ? -1 : mbedtls_mpi_read_binary(number, bytes.at, bytes.length);
}

/* (x - 1) / 2 of a prime number is one too. */
static bool is_safe_prime(const mbedtls_mpi *number)
{
    mbedtls_mpi half;
    mbedtls_mpi_init(&half);
    bool is = mbedtls_mpi_copy(&half, number) == 0 && mbedtls_mpi_shift_r(&half, 1) == 0 &&
              mbedtls_mpi_is_prime_ext(&half, 20, crypto_random, NULL) == 0;
    mbedtls_mpi_free(&half);
    return is;
}

/* A random prime number of so many bits that leaves `rest` divided by `step`. */
static int prime_with_rest(mbedtls_mpi *prime, size_t bits, bool is_safe, const mbedtls_mpi *step, const mbedtls_mpi *rest)
{
    mbedtls_mpi left;
    mbedtls_mpi_init(&left);
    int error;
    for (;;) {
        if ((error = mbedtls_mpi_fill_random(prime, (bits + 7) / 8, crypto_random, NULL)) != 0 ||
            (error = mbedtls_mpi_shift_r(prime, (8 - bits % 8) % 8)) != 0 || (error = mbedtls_mpi_set_bit(prime, bits - 1, 1)) != 0 ||
            (error = mbedtls_mpi_mod_mpi(&left, prime, step)) != 0 || (error = mbedtls_mpi_sub_mpi(prime, prime, &left)) != 0 ||
            (error = mbedtls_mpi_add_mpi(prime, prime, rest)) != 0) {
            break;
        }
        if (mbedtls_mpi_bitlen(prime) == bits && mbedtls_mpi_is_prime_ext(prime, 20, crypto_random, NULL) == 0 &&
            (!is_safe || is_safe_prime(prime))) {
            break;
        }
    }
    mbedtls_mpi_free(&left);
    return error;
}

/* bits, whether it is safe, step, rest: a prime number as long as so many bits need, or an error. */
static FUNCTION(primeMake)
{
    int64_t bits = integer_of(ctx, argv[0]);
    bool is_safe = JS_ToBool(ctx, argv[1]), has_step = !JS_IsUndefined(argv[2]);
    if (bits < 1 || bits > MOST_BITS) {
        return refusal(ctx, -1);
    }
    mbedtls_mpi prime, step, rest;
    mbedtls_mpi_init(&prime);
    mbedtls_mpi_init(&step);
    mbedtls_mpi_init(&rest);
    int error = read_number(ctx, argv[2], &step);
    if (error == 0) {
        /* What OpenSSL takes where nothing is said. */
        error = JS_IsUndefined(argv[3]) ? mbedtls_mpi_lset(&rest, is_safe ? 3 : 1) : read_number(ctx, argv[3], &rest);
    }
    if (error == 0 && !has_step && bits >= 3) {
        error = mbedtls_mpi_gen_prime(&prime, (size_t)bits, is_safe ? MBEDTLS_MPI_GEN_PRIME_FLAG_DH : 0, crypto_random, NULL);
    }
    else if (error == 0) {
        if (!has_step) {
            error = mbedtls_mpi_lset(&step, 1) != 0 || mbedtls_mpi_lset(&rest, 0) != 0;
        }
        error = error != 0 || bits < 2 ? -1 : prime_with_rest(&prime, (size_t)bits, is_safe, &step, &rest);
    }
    JSValue result = JS_UNDEFINED;
    if (error == 0) {
        uint8_t *out;
        size_t length = ((size_t)bits + 7) / 8;
        result = new_bytes(ctx, length, &out);
        if (!JS_IsException(result)) {
            mbedtls_mpi_write_binary(&prime, out, length);
        }
    }
    mbedtls_mpi_free(&prime);
    mbedtls_mpi_free(&step);
    mbedtls_mpi_free(&rest);
    return error == 0 ? result : refusal(ctx, error);
}

/* number, how often to try: whether it is prime. */
static FUNCTION(primeCheck)
{
    int64_t rounds = integer_of(ctx, argv[1]);
    mbedtls_mpi number;
    mbedtls_mpi_init(&number);
    if (read_number(ctx, argv[0], &number) != 0) {
        mbedtls_mpi_free(&number);
        return JS_HasException(ctx) ? JS_EXCEPTION : JS_FALSE;
    }
    /* As many as OpenSSL does when it is left to it. */
    int count = rounds < 1 ? (mbedtls_mpi_bitlen(&number) > 2048 ? 128 : 64) : rounds > 4096 ? 4096 : (int)rounds;
    bool is = mbedtls_mpi_is_prime_ext(&number, count, crypto_random, NULL) == 0;
    mbedtls_mpi_free(&number);
    return JS_NewBool(ctx, is);
}

const struct native rsa_natives[] = {
    NATIVE(rsaGenerate), NATIVE(rsaRaw), NATIVE(rsaCrypt), NATIVE(primeMake), NATIVE(primeCheck), {0},
};
