/* What the files of `crypto` share. Algorithms are those of Mbed TLS and Monocypher; bindings/crypto has Node's rules around them. */
#ifndef NODE_CRYPTO_H
#define NODE_CRYPTO_H

/* SHA-512/t and SHAKE are what the library has with another beginning and another end. */
#define MBEDTLS_ALLOW_PRIVATE_ACCESS

#include "engine.h"
#include "mbedtls/md5.h"
#include "mbedtls/ripemd160.h"
#include "mbedtls/sha1.h"
#include "mbedtls/sha256.h"
#include "mbedtls/sha3.h"
#include "mbedtls/sha512.h"
#include "monocypher.h"

/* Numbers that bindings/crypto/hashes.js has too. */
enum hash_name {
    HASH_MD5, HASH_RIPEMD160, HASH_SHA1, HASH_SHA224, HASH_SHA256, HASH_SHA384, HASH_SHA512, HASH_SHA512_224, HASH_SHA512_256,
    HASH_SHA3_224, HASH_SHA3_256, HASH_SHA3_384, HASH_SHA3_512, HASH_SHAKE128, HASH_SHAKE256, HASH_BLAKE2B512, HASH_MD5_SHA1, HASH_COUNT
};

enum { HASH_MOST_BYTES = 64, HASH_MOST_BLOCK = 168 };

struct hash_kind {
    uint8_t size;
    uint8_t block;
    bool is_extendable; /* its output has any length */
};

extern const struct hash_kind hash_kinds[HASH_COUNT];

/* A hash on its way. It has no pointers: a copy by assignment goes on by itself. */
struct hash {
    enum hash_name name;
    union {
        struct {
            mbedtls_md5_context md5;
            mbedtls_sha1_context sha1;
        };
        mbedtls_ripemd160_context ripemd160;
        mbedtls_sha256_context sha256;
        mbedtls_sha512_context sha512;
        mbedtls_sha3_context sha3;
        crypto_blake2b_ctx blake2b;
    };
};

void hash_begin(struct hash *hash, enum hash_name name);
void hash_update(struct hash *hash, const void *bytes, size_t length);
/* `length` is the kind's size unless that is extendable. */
void hash_finish(struct hash *hash, uint8_t *out, size_t length);

/* HMAC (FIPS 198-1), with the two hashes that have taken the key. */
struct hmac {
    struct hash inner, outer;
};
void hmac_begin(struct hmac *hmac, enum hash_name name, const uint8_t *key, size_t length);
void hmac_finish(struct hmac *hmac, uint8_t *out);

/* The number of a hash in an argument; throws for what is none. */
int hash_name_of(JSContext *ctx, JSValueConst value, enum hash_name *name);
/* Room for a result in a new ArrayBuffer. NULL with an exception when there is none. */
JSValue new_bytes(JSContext *ctx, size_t length, uint8_t **at);
/* The same with a copy of these bytes. */
JSValue copy_bytes(JSContext *ctx, const void *bytes, size_t length);
/* Mbed TLS' source of random numbers: the kernel's. */
int crypto_random(void *unused, unsigned char *out, size_t length);

/* The tables of crypto_*.c, and its classes. They are not in engine.h, so that a change here does not compile the engine again. */
extern const struct native hash_natives[], kdf_natives[], cipher_natives[], rsa_natives[], curve_natives[];
void hashes_prepare(JSRuntime *runtime);
void ciphers_prepare(JSRuntime *runtime);

#endif
