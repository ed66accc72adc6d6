/* Ciphers: AES in its modes, ChaCha20, and both with authentication. */
#include <stdlib.h>
#include <string.h>

#include "crypto.h"
#include "mbedtls/aes.h"
#include "mbedtls/ccm.h"
#include "mbedtls/chachapoly.h"
#include "mbedtls/gcm.h"
#include "mbedtls/platform_util.h"

/* Numbers that bindings/crypto/ciphers.js has too. */
enum mode { ECB, CBC, CTR, CFB, CFB8, OFB, GCM, CHACHA20_POLY1305, CHACHA20, MODES };
enum { BLOCK = 16, TAG = 16 };
/* What cipherFinish() returns for data that cannot be. */
enum { WRONG_LENGTH = -1, BAD_DECRYPT = -2 };

struct cipher {
    enum mode mode;
    bool encrypts;
    bool is_padded;
    bool is_finished;
    uint8_t iv[BLOCK], stream[BLOCK];
    size_t offset;
    /* Of ECB and CBC: what is not a block yet, or the last one, which may be padding. */
    uint8_t pending[BLOCK];
    size_t count;
    union {
        mbedtls_aes_context aes;
        mbedtls_gcm_context gcm;
        mbedtls_chachapoly_context chachapoly;
        mbedtls_chacha20_context chacha20;
    };
};

static JSClassID cipher_class;

static void free_cipher(struct cipher *cipher)
{
    if (cipher->mode == GCM) {
        mbedtls_gcm_free(&cipher->gcm);
    }
    mbedtls_platform_zeroize(cipher, sizeof *cipher);
    free(cipher);
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    struct cipher *cipher = JS_GetOpaque(value, cipher_class);
    if (cipher != NULL) {
        free_cipher(cipher);
    }
}

static const JSClassDef cipher_definition = {"cipher", .finalizer = finalize};

void ciphers_prepare(JSRuntime *runtime)
{
    JS_NewClassID(runtime, &cipher_class);
    JS_NewClass(runtime, cipher_class, &cipher_definition);
}

/* Whether the lengths fit and the library takes them. */
static bool set_key(struct cipher *cipher, struct bytes key, struct bytes iv)
{
    unsigned bits = (unsigned)key.length * 8;
    bool is_aes = key.length == 16 || key.length == 24 || key.length == 32;
    switch (cipher->mode) {
    case GCM:
        mbedtls_gcm_init(&cipher->gcm);
        return is_aes && iv.length > 0 && mbedtls_gcm_setkey(&cipher->gcm, MBEDTLS_CIPHER_ID_AES, key.at, bits) == 0 &&
               mbedtls_gcm_starts(&cipher->gcm, cipher->encrypts ? MBEDTLS_GCM_ENCRYPT : MBEDTLS_GCM_DECRYPT, iv.at, iv.length) == 0;
    case CHACHA20_POLY1305:
        if (key.length != 32 || iv.length < 1 || iv.length > 12) {
            return false;
        }
        memcpy(cipher->iv + 12 - iv.length, iv.at, iv.length);
        mbedtls_chachapoly_init(&cipher->chachapoly);
        return mbedtls_chachapoly_setkey(&cipher->chachapoly, key.at) == 0 &&
               mbedtls_chachapoly_starts(&cipher->chachapoly, cipher->iv,
                                         cipher->encrypts ? MBEDTLS_CHACHAPOLY_ENCRYPT : MBEDTLS_CHACHAPOLY_DECRYPT) == 0;
    case CHACHA20:
        if (key.length != 32 || iv.length != 16) {
            return false;
        }
        mbedtls_chacha20_init(&cipher->chacha20);
        return mbedtls_chacha20_setkey(&cipher->chacha20, key.at) == 0 &&
               mbedtls_chacha20_starts(&cipher->chacha20, iv.at + 4,
                                       (uint32_t)iv.at[0] | (uint32_t)iv.at[1] << 8 | (uint32_t)iv.at[2] << 16 | (uint32_t)iv.at[3] << 24) == 0;
    default:
        if (!is_aes || iv.length != (cipher->mode == ECB ? 0 : BLOCK)) {
            return false;
        }
        memcpy(cipher->iv, iv.at, iv.length);
        mbedtls_aes_init(&cipher->aes);
        return (cipher->encrypts || cipher->mode > CBC ? mbedtls_aes_setkey_enc : mbedtls_aes_setkey_dec)(&cipher->aes, key.at, bits) == 0;
    }
}

/* mode, key, initialization vector, whether it encrypts: a cipher, or undefined for lengths that do not fit. */
static FUNCTION(cipherOpen)
{
    int64_t mode = integer_of(ctx, argv[0]);
    struct bytes key, iv;
    if (mode < 0 || mode >= MODES || bytes_of(ctx, argv[1], &key) != 0 || bytes_of(ctx, argv[2], &iv) != 0) {
        return JS_HasException(ctx) ? JS_EXCEPTION : JS_ThrowRangeError(ctx, "no such mode");
    }
    struct cipher *cipher = calloc(1, sizeof *cipher);
    if (cipher == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    cipher->mode = (enum mode)mode;
    cipher->encrypts = JS_ToBool(ctx, argv[3]);
    cipher->is_padded = true;
    if (!set_key(cipher, key, iv)) {
        free_cipher(cipher);
        return JS_UNDEFINED;
    }
    JSValue object = JS_NewObjectClass(ctx, cipher_class);
    if (JS_IsException(object)) {
        free_cipher(cipher);
        return object;
    }
    JS_SetOpaque(object, cipher);
    return object;
}

static struct cipher *cipher_of(JSContext *ctx, JSValueConst value)
{
    struct cipher *cipher = JS_GetOpaque2(ctx, value, cipher_class);
    if (cipher != NULL && cipher->is_finished) {
        JS_ThrowInternalError(ctx, "the cipher is finished");
        return NULL;
    }
    return cipher;
}

static void one_block(struct cipher *cipher, const uint8_t *in, uint8_t *out)
{
    int direction = cipher->encrypts ? MBEDTLS_AES_ENCRYPT : MBEDTLS_AES_DECRYPT;
    if (cipher->mode == ECB) {
        mbedtls_aes_crypt_ecb(&cipher->aes, direction, in, out);
    }
    else {
        mbedtls_aes_crypt_cbc(&cipher->aes, direction, BLOCK, cipher->iv, in, out);
    }
}

/* ECB and CBC. Returns how much there is to hand out. */
static size_t add_blocks(struct cipher *cipher, const uint8_t *in, size_t length, uint8_t *out)
{
    bool keeps_last = !cipher->encrypts && cipher->is_padded;
    size_t written = 0;
    while (length > 0) {
        if (cipher->count == BLOCK) {
            one_block(cipher, cipher->pending, out + written);
            written += BLOCK;
            cipher->count = 0;
        }
        size_t part = BLOCK - cipher->count < length ? BLOCK - cipher->count : length;
        memcpy(cipher->pending + cipher->count, in, part);
        cipher->count += part;
        in += part;
        length -= part;
    }
    if (cipher->count == BLOCK && !keeps_last) {
        one_block(cipher, cipher->pending, out + written);
        written += BLOCK;
        cipher->count = 0;
    }
    return written;
}

static int add(struct cipher *cipher, const uint8_t *in, size_t length, uint8_t *out, size_t *written)
{
    *written = length;
    switch (cipher->mode) {
    case ECB:
    case CBC: *written = add_blocks(cipher, in, length, out); return 0;
    case CTR: return mbedtls_aes_crypt_ctr(&cipher->aes, length, &cipher->offset, cipher->iv, cipher->stream, in, out);
    case CFB:
        return mbedtls_aes_crypt_cfb128(&cipher->aes, cipher->encrypts ? MBEDTLS_AES_ENCRYPT : MBEDTLS_AES_DECRYPT, length, &cipher->offset, cipher->iv,
                                        in, out);
    case CFB8: return mbedtls_aes_crypt_cfb8(&cipher->aes, cipher->encrypts ? MBEDTLS_AES_ENCRYPT : MBEDTLS_AES_DECRYPT, length, cipher->iv, in, out);
    case OFB: return mbedtls_aes_crypt_ofb(&cipher->aes, length, &cipher->offset, cipher->iv, in, out);
    case GCM: return mbedtls_gcm_update(&cipher->gcm, in, length, out, length, written);
    case CHACHA20_POLY1305: return mbedtls_chachapoly_update(&cipher->chachapoly, length, in, out);
    default: return mbedtls_chacha20_update(&cipher->chacha20, length, in, out);
    }
}

static FUNCTION(cipherUpdate)
{
    struct cipher *cipher = cipher_of(ctx, argv[0]);
    struct bytes bytes;
    uint8_t *out;
    size_t written;
    if (cipher == NULL || bytes_of(ctx, argv[1], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    if (bytes.length == 0) {
        return new_bytes(ctx, 0, &out);
    }
    if (cipher->mode > CBC) {
        JSValue result = new_bytes(ctx, bytes.length, &out);
        if (JS_IsException(result) || (add(cipher, bytes.at, bytes.length, out, &written) == 0 && written == bytes.length)) {
            return result;
        }
        JS_FreeValue(ctx, result);
        return JS_UNDEFINED;
    }
    uint8_t *room = malloc(bytes.length + BLOCK);
    if (room == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    add(cipher, bytes.at, bytes.length, room, &written);
    JSValue result = copy_bytes(ctx, room, written);
    free(room);
    return result;
}

/* Data that is only authenticated. */
static FUNCTION(cipherAuthenticate)
{
    struct cipher *cipher = cipher_of(ctx, argv[0]);
    struct bytes bytes;
    if (cipher == NULL || bytes_of(ctx, argv[1], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    int error = cipher->mode == GCM                 ? mbedtls_gcm_update_ad(&cipher->gcm, bytes.at, bytes.length)
                : cipher->mode == CHACHA20_POLY1305 ? mbedtls_chachapoly_update_aad(&cipher->chachapoly, bytes.at, bytes.length)
                                                    : -1;
    return JS_NewBool(ctx, error == 0);
}

static FUNCTION(cipherSetPadding)
{
    struct cipher *cipher = cipher_of(ctx, argv[0]);
    if (cipher == NULL) {
        return JS_EXCEPTION;
    }
    cipher->is_padded = JS_ToBool(ctx, argv[1]);
    return JS_UNDEFINED;
}

static JSValue finish_blocks(JSContext *ctx, struct cipher *cipher)
{
    uint8_t block[BLOCK];
    if (!cipher->is_padded) {
        return cipher->count == 0 ? copy_bytes(ctx, block, 0) : JS_NewInt32(ctx, WRONG_LENGTH);
    }
    if (cipher->encrypts) {
        memset(cipher->pending + cipher->count, (int)(BLOCK - cipher->count), BLOCK - cipher->count);
        one_block(cipher, cipher->pending, block);
        return copy_bytes(ctx, block, BLOCK);
    }
    if (cipher->count != BLOCK) {
        return JS_NewInt32(ctx, WRONG_LENGTH);
    }
    one_block(cipher, cipher->pending, block);
    uint8_t padding = block[BLOCK - 1], differs = padding < 1 || padding > BLOCK;
    for (unsigned i = 0; i < BLOCK; i++) {
        /* Only those that are padding count. */
        differs |= (uint8_t)((BLOCK - i <= padding) & (block[i] != padding));
    }
    JSValue result = differs ? JS_NewInt32(ctx, BAD_DECRYPT) : copy_bytes(ctx, block, (size_t)BLOCK - padding);
    mbedtls_platform_zeroize(block, sizeof block);
    return result;
}

/* What is left of the data; of those with authentication the tag. */
static FUNCTION(cipherFinish)
{
    struct cipher *cipher = cipher_of(ctx, argv[0]);
    uint8_t tag[TAG];
    size_t written;
    if (cipher == NULL) {
        return JS_EXCEPTION;
    }
    cipher->is_finished = true;
    switch (cipher->mode) {
    case ECB:
    case CBC: return finish_blocks(ctx, cipher);
    case GCM: mbedtls_gcm_finish(&cipher->gcm, NULL, 0, &written, tag, TAG); break;
    case CHACHA20_POLY1305: mbedtls_chachapoly_finish(&cipher->chachapoly, tag); break;
    default: return copy_bytes(ctx, tag, 0);
    }
    return copy_bytes(ctx, tag, TAG);
}

/* whether it encrypts, key, nonce, authenticated data, data, tag or its length: CCM, which has to know all lengths first.
   Encrypted data with the tag behind it; decrypted data; or undefined. */
static FUNCTION(cipherCcm)
{
    struct bytes key, nonce, told, data, tag = {0};
    bool encrypts = JS_ToBool(ctx, argv[0]);
    if (bytes_of(ctx, argv[1], &key) != 0 || bytes_of(ctx, argv[2], &nonce) != 0 || bytes_of(ctx, argv[3], &told) != 0 ||
        bytes_of(ctx, argv[4], &data) != 0 || (!encrypts && bytes_of(ctx, argv[5], &tag) != 0)) {
        return JS_EXCEPTION;
    }
    int64_t length = encrypts ? integer_of(ctx, argv[5]) : (int64_t)tag.length;
    if (length < 4 || length > TAG) {
        return JS_UNDEFINED;
    }
    mbedtls_ccm_context ccm;
    mbedtls_ccm_init(&ccm);
    uint8_t *out;
    JSValue result = new_bytes(ctx, data.length + (encrypts ? (size_t)length : 0), &out);
    if (!JS_IsException(result)) {
        int error = mbedtls_ccm_setkey(&ccm, MBEDTLS_CIPHER_ID_AES, key.at, (unsigned)key.length * 8);
        if (error == 0) {
            error = encrypts ? mbedtls_ccm_encrypt_and_tag(&ccm, data.length, nonce.at, nonce.length, told.at, told.length, data.at, out,
                                                           out + data.length, (size_t)length)
                             : mbedtls_ccm_auth_decrypt(&ccm, data.length, nonce.at, nonce.length, told.at, told.length, data.at, out, tag.at,
                                                        tag.length);
        }
        if (error != 0) {
            JS_FreeValue(ctx, result);
            result = JS_UNDEFINED;
        }
    }
    mbedtls_ccm_free(&ccm);
    return result;
}

const struct native cipher_natives[] = {
    NATIVE(cipherOpen), NATIVE(cipherUpdate), NATIVE(cipherAuthenticate), NATIVE(cipherSetPadding), NATIVE(cipherFinish), NATIVE(cipherCcm), {0},
};
