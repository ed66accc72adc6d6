/* Elliptic curves: ECDSA and ECDH on those of NIST and on secp256k1, Ed25519 and X25519. */
#include <string.h>

#include "crypto.h"
#include "mbedtls/ecdsa.h"
#include "mbedtls/ecp.h"
#include "mbedtls/platform_util.h"
#include "monocypher-ed25519.h"

/* Numbers that bindings/crypto/ec.js has too. */
static const mbedtls_ecp_group_id curves[] = {
    MBEDTLS_ECP_DP_SECP256R1, MBEDTLS_ECP_DP_SECP384R1, MBEDTLS_ECP_DP_SECP521R1, MBEDTLS_ECP_DP_SECP256K1,
};
enum { MOST_POINT = 133, KEY = 32, SIGNATURE = 64 };

/* A curve with a private and a public key on it, as far as an operation has them. */
struct pair {
    mbedtls_ecp_group group;
    mbedtls_mpi secret;
    mbedtls_ecp_point point;
    size_t size; /* of a number */
};

static void close_pair(struct pair *pair)
{
    mbedtls_ecp_group_free(&pair->group);
    mbedtls_mpi_free(&pair->secret);
    mbedtls_ecp_point_free(&pair->point);
}

/* Undefined for a part that is not needed. Whether they are a curve, a number below its order and a point on it. */
static bool open_pair(JSContext *ctx, struct pair *pair, JSValueConst curve, JSValueConst secret, JSValueConst point)
{
    struct bytes bytes;
    int64_t number = integer_of(ctx, curve);
    mbedtls_ecp_group_init(&pair->group);
    mbedtls_mpi_init(&pair->secret);
    mbedtls_ecp_point_init(&pair->point);
    if (number < 0 || number >= (int64_t)(sizeof curves / sizeof *curves) || mbedtls_ecp_group_load(&pair->group, curves[number]) != 0) {
        return false;
    }
    pair->size = (pair->group.nbits + 7) / 8;
    if (!JS_IsUndefined(secret) &&
        (bytes_of(ctx, secret, &bytes) != 0 || bytes.length > MOST_POINT || mbedtls_mpi_read_binary(&pair->secret, bytes.at, bytes.length) != 0 ||
         mbedtls_ecp_check_privkey(&pair->group, &pair->secret) != 0)) {
        return false;
    }
    return JS_IsUndefined(point) ||
           (bytes_of(ctx, point, &bytes) == 0 && mbedtls_ecp_point_read_binary(&pair->group, &pair->point, bytes.at, bytes.length) == 0 &&
            mbedtls_ecp_check_pubkey(&pair->group, &pair->point) == 0);
}

/* Nothing, unless an argument was no bytes. */
static JSValue close_with(JSContext *ctx, struct pair *pair, JSValue result)
{
    close_pair(pair);
    return JS_HasException(ctx) ? JS_EXCEPTION : result;
}

static JSValue point_bytes(JSContext *ctx, struct pair *pair, bool is_compressed)
{
    uint8_t bytes[MOST_POINT];
    size_t length;
    int error = mbedtls_ecp_point_write_binary(&pair->group, &pair->point, is_compressed ? MBEDTLS_ECP_PF_COMPRESSED : MBEDTLS_ECP_PF_UNCOMPRESSED,
                                               &length, bytes, sizeof bytes);
    return error == 0 ? copy_bytes(ctx, bytes, length) : JS_UNDEFINED;
}

/* curve: [private, public] */
static FUNCTION(ecGenerate)
{
    struct pair pair;
    uint8_t secret[MOST_POINT];
    JSValue result = JS_UNDEFINED;
    if (open_pair(ctx, &pair, argv[0], JS_UNDEFINED, JS_UNDEFINED) &&
        mbedtls_ecp_gen_keypair(&pair.group, &pair.secret, &pair.point, crypto_random, NULL) == 0 &&
        mbedtls_mpi_write_binary(&pair.secret, secret, pair.size) == 0) {
        result = JS_NewArray(ctx);
        put_entry(ctx, result, 0, copy_bytes(ctx, secret, pair.size));
        put_entry(ctx, result, 1, point_bytes(ctx, &pair, false));
    }
    mbedtls_platform_zeroize(secret, sizeof secret);
    return close_with(ctx, &pair, result);
}

/* curve, private key: the public one, or undefined. */
static FUNCTION(ecPublic)
{
    struct pair pair;
    JSValue result = JS_UNDEFINED;
    if (open_pair(ctx, &pair, argv[0], argv[1], JS_UNDEFINED) &&
        mbedtls_ecp_mul(&pair.group, &pair.point, &pair.secret, &pair.group.G, crypto_random, NULL) == 0) {
        result = point_bytes(ctx, &pair, false);
    }
    return close_with(ctx, &pair, result);
}

/* curve, point in any form, whether to compress it: the point, or undefined if it is not on the curve. */
static FUNCTION(ecPoint)
{
    struct pair pair;
    JSValue result = JS_UNDEFINED;
    if (open_pair(ctx, &pair, argv[0], JS_UNDEFINED, argv[1])) {
        result = point_bytes(ctx, &pair, JS_ToBool(ctx, argv[2]));
    }
    return close_with(ctx, &pair, result);
}

/* curve, private key, public key of the other: what both know, or undefined. */
static FUNCTION(ecShared)
{
    struct pair pair;
    uint8_t shared[MOST_POINT];
    JSValue result = JS_UNDEFINED;
    mbedtls_ecp_point product;
    mbedtls_ecp_point_init(&product);
    if (open_pair(ctx, &pair, argv[0], argv[1], argv[2]) &&
        mbedtls_ecp_mul(&pair.group, &product, &pair.secret, &pair.point, crypto_random, NULL) == 0 && !mbedtls_ecp_is_zero(&product) &&
        mbedtls_mpi_write_binary(&product.X, shared, pair.size) == 0) {
        result = copy_bytes(ctx, shared, pair.size);
    }
    mbedtls_ecp_point_free(&product);
    mbedtls_platform_zeroize(shared, sizeof shared);
    return close_with(ctx, &pair, result);
}

/* curve, private key, digest: both numbers of the signature, one behind the other. */
static FUNCTION(ecSign)
{
    struct pair pair;
    struct bytes digest;
    uint8_t signature[2 * MOST_POINT];
    JSValue result = JS_UNDEFINED;
    mbedtls_mpi r, s;
    mbedtls_mpi_init(&r);
    mbedtls_mpi_init(&s);
    if (open_pair(ctx, &pair, argv[0], argv[1], JS_UNDEFINED) && bytes_of(ctx, argv[2], &digest) == 0 &&
        mbedtls_ecdsa_sign(&pair.group, &r, &s, &pair.secret, digest.at, digest.length, crypto_random, NULL) == 0 &&
        mbedtls_mpi_write_binary(&r, signature, pair.size) == 0 && mbedtls_mpi_write_binary(&s, signature + pair.size, pair.size) == 0) {
        result = copy_bytes(ctx, signature, 2 * pair.size);
    }
    mbedtls_mpi_free(&r);
    mbedtls_mpi_free(&s);
    return close_with(ctx, &pair, result);
}

/* curve, public key, digest, signature as above: whether it is one. */
static FUNCTION(ecVerify)
{
    struct pair pair;
    struct bytes digest, signature;
    bool is = false;
    mbedtls_mpi r, s;
    mbedtls_mpi_init(&r);
    mbedtls_mpi_init(&s);
    if (open_pair(ctx, &pair, argv[0], JS_UNDEFINED, argv[1]) && bytes_of(ctx, argv[2], &digest) == 0 && bytes_of(ctx, argv[3], &signature) == 0 &&
        signature.length == 2 * pair.size) {
        is = mbedtls_mpi_read_binary(&r, signature.at, pair.size) == 0 && mbedtls_mpi_read_binary(&s, signature.at + pair.size, pair.size) == 0 &&
             mbedtls_ecdsa_verify(&pair.group, digest.at, digest.length, &pair.point, &r, &s) == 0;
    }
    mbedtls_mpi_free(&r);
    mbedtls_mpi_free(&s);
    return close_with(ctx, &pair, JS_NewBool(ctx, is));
}

/* 32 bytes of an argument, or NULL with an exception. */
static const uint8_t *key_of(JSContext *ctx, JSValueConst value)
{
    struct bytes bytes;
    if (bytes_of(ctx, value, &bytes) != 0) {
        return NULL;
    }
    if (bytes.length != KEY) {
        JS_ThrowRangeError(ctx, "no such key");
        return NULL;
    }
    return bytes.at;
}

/* private key, public key of the other or undefined for the base point. */
static FUNCTION(x25519)
{
    const uint8_t *secret = key_of(ctx, argv[0]), *point = NULL;
    uint8_t out[KEY];
    if (secret == NULL || (!JS_IsUndefined(argv[1]) && (point = key_of(ctx, argv[1])) == NULL)) {
        return JS_EXCEPTION;
    }
    if (point != NULL) {
        crypto_x25519(out, secret, point);
    }
    else {
        crypto_x25519_public_key(out, secret);
    }
    return copy_bytes(ctx, out, KEY);
}

static FUNCTION(ed25519Public)
{
    const uint8_t *secret = key_of(ctx, argv[0]);
    uint8_t seed[KEY], both[2 * KEY], out[KEY];
    if (secret == NULL) {
        return JS_EXCEPTION;
    }
    memcpy(seed, secret, KEY);
    crypto_ed25519_key_pair(both, out, seed);
    mbedtls_platform_zeroize(both, sizeof both);
    return copy_bytes(ctx, out, KEY);
}

/* private key, message */
static FUNCTION(ed25519Sign)
{
    const uint8_t *secret = key_of(ctx, argv[0]);
    struct bytes message;
    uint8_t seed[KEY], both[2 * KEY], public[KEY], out[SIGNATURE];
    if (secret == NULL || bytes_of(ctx, argv[1], &message) != 0) {
        return JS_EXCEPTION;
    }
    memcpy(seed, secret, KEY);
    crypto_ed25519_key_pair(both, public, seed);
    crypto_ed25519_sign(out, both, message.at, message.length);
    mbedtls_platform_zeroize(both, sizeof both);
    return copy_bytes(ctx, out, SIGNATURE);
}

/* public key, message, signature */
static FUNCTION(ed25519Verify)
{
    const uint8_t *public = key_of(ctx, argv[0]);
    struct bytes message, signature;
    if (public == NULL || bytes_of(ctx, argv[1], &message) != 0 || bytes_of(ctx, argv[2], &signature) != 0) {
        return JS_EXCEPTION;
    }
    return JS_NewBool(ctx, signature.length == SIGNATURE && crypto_ed25519_check(signature.at, public, message.at, message.length) == 0);
}

const struct native curve_natives[] = {
    NATIVE(ecGenerate), NATIVE(ecPublic), NATIVE(ecPoint), NATIVE(ecShared), NATIVE(ecSign), NATIVE(ecVerify), NATIVE(x25519),
    NATIVE(ed25519Public), NATIVE(ed25519Sign), NATIVE(ed25519Verify), {0},
};
