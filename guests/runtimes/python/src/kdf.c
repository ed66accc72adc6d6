/* `hashlib.pbkdf2_hmac` and `hashlib.scrypt`, which upstream has from OpenSSL alone, on upstream's own HMAC (RFC 8018, RFC 7914). */
#include "Python.h"
#include "Hacl_Streaming_HMAC.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64 };

static const struct hash {
    const char *name;
    Hacl_Agile_Hash_impl number;
    uint32_t size;
} hashes[] = {
    {"sha256", Hacl_Agile_Hash_SHA2_256, 32},     {"sha1", Hacl_Agile_Hash_SHA1, 20},           {"sha512", Hacl_Agile_Hash_SHA2_512, 64},
    {"sha224", Hacl_Agile_Hash_SHA2_224, 28},     {"sha384", Hacl_Agile_Hash_SHA2_384, 48},     {"md5", Hacl_Agile_Hash_MD5, 16},
    {"sha3_224", Hacl_Agile_Hash_SHA3_224, 28},   {"sha3_256", Hacl_Agile_Hash_SHA3_256, 32},   {"sha3_384", Hacl_Agile_Hash_SHA3_384, 48},
    {"sha3_512", Hacl_Agile_Hash_SHA3_512, 64},   {"blake2s", Hacl_Agile_Hash_Blake2S_32, 32},  {"blake2b", Hacl_Agile_Hash_Blake2B_32, 64},
    {"sha3-224", Hacl_Agile_Hash_SHA3_224, 28},   {"sha3-256", Hacl_Agile_Hash_SHA3_256, 32},   {"sha3-384", Hacl_Agile_Hash_SHA3_384, 48},
    {"sha3-512", Hacl_Agile_Hash_SHA3_512, 64},   {"sha-1", Hacl_Agile_Hash_SHA1, 20},          {"sha-224", Hacl_Agile_Hash_SHA2_224, 28},
    {"sha-256", Hacl_Agile_Hash_SHA2_256, 32},    {"sha-384", Hacl_Agile_Hash_SHA2_384, 48},    {"sha-512", Hacl_Agile_Hash_SHA2_512, 64},
    {"sha2-224", Hacl_Agile_Hash_SHA2_224, 28},   {"sha2-256", Hacl_Agile_Hash_SHA2_256, 32},   {"sha2-384", Hacl_Agile_Hash_SHA2_384, 48},
    {"sha2-512", Hacl_Agile_Hash_SHA2_512, 64},   {"blake2s256", Hacl_Agile_Hash_Blake2S_32, 32},
    {"blake2b512", Hacl_Agile_Hash_Blake2B_32, 64},
};

/* The HMAC of a text that consists of two parts. 0 if there is no memory. */
static int hmac(Hacl_Streaming_HMAC_agile_state *key, const struct hash *hash, const uint8_t *first, size_t first_size, const uint8_t *second,
                size_t second_size, uint8_t *out)
{
    Hacl_Streaming_HMAC_agile_state *state = Hacl_Streaming_HMAC_copy(key);
    if (state == NULL) {
        return 0;
    }
    int good = Hacl_Streaming_HMAC_update(state, (uint8_t *)first, (uint32_t)first_size) == Hacl_Streaming_Types_Success &&
               (second_size == 0 || Hacl_Streaming_HMAC_update(state, (uint8_t *)second, (uint32_t)second_size) == Hacl_Streaming_Types_Success) &&
               Hacl_Streaming_HMAC_digest(state, out, hash->size) == Hacl_Streaming_Types_Success;
    Hacl_Streaming_HMAC_free(state);
    return good;
}

/* Returns 0, or -1 with an exception: no memory, or a signal whose handler raised one. */
static int derive(const struct hash *hash, const Py_buffer *password, const uint8_t *salt, size_t salt_size, uint64_t turns, uint8_t *out, size_t size)
{
    Hacl_Streaming_HMAC_agile_state *key = NULL;
    if (Hacl_Streaming_HMAC_malloc_(hash->number, password->buf, (uint32_t)password->len, &key) != Hacl_Streaming_Types_Success) {
        PyErr_NoMemory();
        return -1;
    }
    int result = 0;
    for (uint32_t block = 1; size > 0 && result == 0; block++) {
        uint8_t number[4] = {(uint8_t)(block >> 24), (uint8_t)(block >> 16), (uint8_t)(block >> 8), (uint8_t)block};
        uint8_t last[LONGEST], sum[LONGEST];
        int good = hmac(key, hash, salt, salt_size, number, sizeof number, last);
        memcpy(sum, last, hash->size);
        for (uint64_t turn = 1; turn < turns && good && result == 0; turn++) {
            good = hmac(key, hash, last, hash->size, NULL, 0, last);
            for (uint32_t i = 0; i < hash->size; i++) {
                sum[i] ^= last[i];
            }
            if (turn % 4096 == 0) {
                result = PyErr_CheckSignals();
            }
        }
        if (!good) {
            PyErr_NoMemory();
            result = -1;
        }
        size_t part = size < hash->size ? size : hash->size;
        memcpy(out, sum, part);
        out += part;
        size -= part;
    }
    Hacl_Streaming_HMAC_free(key);
    return result;
}

static PyObject *pbkdf2_hmac(PyObject *self, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"hash_name", "password", "salt", "iterations", "dklen", NULL};
    const char *name;
    Py_buffer password, salt;
    long long turns;
    PyObject *length = Py_None, *result = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, options, "sy*y*L|O:pbkdf2_hmac", names, &name, &password, &salt, &turns, &length)) {
        return NULL;
    }
    const struct hash *hash = NULL;
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes && hash == NULL; i++) {
        hash = PyOS_stricmp(name, hashes[i].name) == 0 ? &hashes[i] : NULL;
    }
    long size = hash == NULL ? 0 : length == Py_None ? (long)hash->size : PyLong_AsLong(length);
    if (hash == NULL) {
        PyErr_Format(PyExc_ValueError, "unsupported hash type %s", name);
    }
    else if (turns < 1) {
        PyErr_SetString(PyExc_ValueError, "iteration value must be greater than 0.");
    }
    else if (size == -1 && PyErr_Occurred()) {
        ;
    }
    else if (size < 1) {
        PyErr_SetString(PyExc_ValueError, "key length must be greater than 0.");
    }
    else if ((result = PyBytes_FromStringAndSize(NULL, size)) != NULL &&
             derive(hash, &password, salt.buf, (size_t)salt.len, (uint64_t)turns, (uint8_t *)PyBytes_AS_STRING(result), (size_t)size) != 0) {
        Py_CLEAR(result);
    }
    PyBuffer_Release(&password);
    PyBuffer_Release(&salt);
    return result;
}

/* scrypt works on blocks of 16 numbers. */
static void salsa(uint32_t block[16])
{
    uint32_t x[16];
    memcpy(x, block, sizeof x);
#define TURN(a, b, c, n) (x[a] ^= (x[b] + x[c]) << n | (x[b] + x[c]) >> (32 - n))
    for (int i = 0; i < 4; i++) {
        TURN(4, 0, 12, 7), TURN(8, 4, 0, 9), TURN(12, 8, 4, 13), TURN(0, 12, 8, 18);
        TURN(9, 5, 1, 7), TURN(13, 9, 5, 9), TURN(1, 13, 9, 13), TURN(5, 1, 13, 18);
        TURN(14, 10, 6, 7), TURN(2, 14, 10, 9), TURN(6, 2, 14, 13), TURN(10, 6, 2, 18);
        TURN(3, 15, 11, 7), TURN(7, 3, 15, 9), TURN(11, 7, 3, 13), TURN(15, 11, 7, 18);
        TURN(1, 0, 3, 7), TURN(2, 1, 0, 9), TURN(3, 2, 1, 13), TURN(0, 3, 2, 18);
        TURN(6, 5, 4, 7), TURN(7, 6, 5, 9), TURN(4, 7, 6, 13), TURN(5, 4, 7, 18);
        TURN(11, 10, 9, 7), TURN(8, 11, 10, 9), TURN(9, 8, 11, 13), TURN(10, 9, 8, 18);
        TURN(12, 15, 14, 7), TURN(13, 12, 15, 9), TURN(14, 13, 12, 13), TURN(15, 14, 13, 18);
    }
#undef TURN
    for (int i = 0; i < 16; i++) {
        block[i] += x[i];
    }
}

/* Mixes 2 * r blocks; `spare` has room for as many. */
static void mix_blocks(uint32_t *blocks, uint32_t *spare, size_t r)
{
    uint32_t x[16];
    memcpy(x, blocks + (2 * r - 1) * 16, sizeof x);
    for (size_t i = 0; i < 2 * r; i++) {
        for (int j = 0; j < 16; j++) {
            x[j] ^= blocks[i * 16 + (size_t)j];
        }
        salsa(x);
        memcpy(spare + (i / 2 + (i % 2) * r) * 16, x, sizeof x);
    }
    memcpy(blocks, spare, r * 128);
}

/* `kept` has room for n times the blocks. Numbers are little-endian in memory, as in WebAssembly. */
static int mix(uint32_t *blocks, uint32_t *kept, uint32_t *spare, size_t r, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        memcpy(kept + i * r * 32, blocks, r * 128);
        mix_blocks(blocks, spare, r);
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t *other = kept + (blocks[(2 * r - 1) * 16] & (n - 1)) * r * 32;
        for (size_t j = 0; j < r * 32; j++) {
            blocks[j] ^= other[j];
        }
        mix_blocks(blocks, spare, r);
    }
    return PyErr_CheckSignals();
}

static PyObject *scrypt(PyObject *self, PyObject *arguments, PyObject *options)
{
    static char *names[] = {"password", "salt", "n", "r", "p", "maxmem", "dklen", NULL};
    Py_buffer password, salt = {0};
    unsigned long long n = 0, r = 0, p = 0;
    long long most = 0, size = 64;
    if (!PyArg_ParseTupleAndKeywords(arguments, options, "y*|$y*KKKLL:scrypt", names, &password, &salt, &n, &r, &p, &most, &size)) {
        return NULL;
    }
    PyObject *result = NULL;
    uint8_t *blocks = NULL;
    uint32_t *kept = NULL;
    if (salt.obj == NULL) {
        PyErr_SetString(PyExc_TypeError, "salt is required");
    }
    else if (n < 2 || (n & (n - 1)) != 0) {
        PyErr_SetString(PyExc_ValueError, "n must be a power of 2.");
    }
    else if (most < 0 || most > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "maxmem must be positive and smaller than %d", INT32_MAX);
    }
    else if (size < 1 || size > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "dklen must be greater than 0 and smaller than %d", INT32_MAX);
    }
    /* OpenSSL's own limits: 32 MiB if none is given. */
    else if (r == 0 || p == 0 || n > 1 << 24 || r > 1 << 16 || p > 1 << 16 ||
             128 * r * (n + p + 2) > (most == 0 ? 32ull << 20 : (unsigned long long)most)) {
        PyErr_SetString(PyExc_ValueError, "Invalid parameter combination for n, r, p, maxmem.");
    }
    else if ((blocks = malloc(128 * r * p)) == NULL || (kept = malloc(128 * r * (n + 1))) == NULL) {
        PyErr_NoMemory();
    }
    else if (derive(&hashes[0], &password, salt.buf, (size_t)salt.len, 1, blocks, 128 * r * p) == 0) {
        int good = 1;
        for (size_t i = 0; i < p && good; i++) {
            good = mix((uint32_t *)(blocks + i * 128 * r), kept, kept + n * r * 32, r, n) == 0;
        }
        result = good ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size) : NULL;
        if (result != NULL && derive(&hashes[0], &password, blocks, 128 * r * p, 1, (uint8_t *)PyBytes_AS_STRING(result), (size_t)size) != 0) {
            Py_CLEAR(result);
        }
    }
    free(blocks);
    free(kept);
    PyBuffer_Release(&password);
    if (salt.obj != NULL) {
        PyBuffer_Release(&salt);
    }
    return result;
}

static PyMethodDef methods[] = {
    {"pbkdf2_hmac", (PyCFunction)(void (*)(void))pbkdf2_hmac, METH_VARARGS | METH_KEYWORDS,
     "pbkdf2_hmac($module, /, hash_name, password, salt, iterations, dklen=None)\n--\n\nPassword based key derivation function 2 (PKCS #5 v2.0) with HMAC as "
     "pseudorandom function."},
    {"scrypt", (PyCFunction)(void (*)(void))scrypt, METH_VARARGS | METH_KEYWORDS,
     "scrypt($module, /, password, *, salt, n, r, p, maxmem=0, dklen=64)\n--\n\nscrypt password-based key derivation function."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_kdf", .m_methods = methods};

PyObject *PyInit__kdf(void)
{
    return PyModuleDef_Init(&definition);
}
