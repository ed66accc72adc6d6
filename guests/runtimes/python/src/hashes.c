/* The inner loops of SHA-1, SHA-256 and SHA-3. Upstream's are made for proof, and take two to four times as long in WebAssembly; its objects have them
 * as weak symbols (`build.sh`), which these replace. The rest of each hash is upstream's. FIPS 180-4, FIPS 202.
 *
 * Processors have instructions for SHA-1 and SHA-256, and WebAssembly does not: the host is asked first.
 */
#include <stdint.h>
#include <string.h>
#include <wasm_simd128.h>

#include "../posix/codepod.h"
#include "Hacl_Hash_SHA1.h"
#include "Hacl_Hash_SHA2.h"
#include "Hacl_Hash_SHA3.h"

/* Lets the host take blocks; returns how many bytes are left, before which `bytes` then is. A call takes as long as two blocks here. */
static uint32_t left_by_host(uint32_t hash, uint32_t *state, uint8_t **bytes, uint32_t length)
{
    while (length >= 4 * 64) {
        uint32_t part = length < CODEPOD_HASH_CALL_BYTES ? length / 64 * 64 : CODEPOD_HASH_CALL_BYTES;
        if (codepod_hash_blocks(hash, state, *bytes, part) != 0) {
            break;
        }
        *bytes += part;
        length -= part;
    }
    return length;
}

#define LEFT(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define RIGHT(x, n) LEFT(x, 32 - (n))

/* 16 numbers of a block, which are big-endian there. */
static inline void load(uint32_t w[16], const uint8_t *block)
{
    for (int i = 0; i < 4; i++) {
        v128_t part = wasm_v128_load(block + 16 * i);
        wasm_v128_store(w + 4 * i, wasm_i8x16_shuffle(part, part, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
    }
}

static const uint32_t k256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* The words of all rounds, with their constants, four at a time: the last two of four depend on the first two. */
static inline void schedule(uint32_t w[64], const uint8_t *block)
{
#define RIGHT4(x, n) wasm_v128_or(wasm_u32x4_shr(x, n), wasm_i32x4_shl(x, 32 - (n)))
#define SIGMA0(x) wasm_v128_xor(wasm_v128_xor(RIGHT4(x, 7), RIGHT4(x, 18)), wasm_u32x4_shr(x, 3))
#define SIGMA1(x) wasm_v128_xor(wasm_v128_xor(RIGHT4(x, 17), RIGHT4(x, 19)), wasm_u32x4_shr(x, 10))
    v128_t zero = wasm_i32x4_const(0, 0, 0, 0), x[4];
    load((uint32_t *)x, block);
    for (int i = 0; i < 4; i++) {
        wasm_v128_store(w + 4 * i, wasm_i32x4_add(x[i], wasm_v128_load(k256 + 4 * i)));
    }
    for (int i = 16; i < 64; i += 4) {
        v128_t next = wasm_i32x4_add(wasm_i32x4_add(x[0], SIGMA0(wasm_i32x4_shuffle(x[0], x[1], 1, 2, 3, 4))), wasm_i32x4_shuffle(x[2], x[3], 1, 2, 3, 4));
        v128_t before = wasm_i32x4_shuffle(x[3], zero, 2, 3, 4, 4);
        next = wasm_i32x4_add(next, SIGMA1(before));
        before = wasm_i32x4_shuffle(zero, next, 0, 0, 4, 5);
        next = wasm_i32x4_add(next, SIGMA1(before));
        x[0] = x[1], x[1] = x[2], x[2] = x[3], x[3] = next;
        wasm_v128_store(w + i, wasm_i32x4_add(next, wasm_v128_load(k256 + i)));
    }
}

void Hacl_Hash_SHA2_sha256_update_nblocks(uint32_t length, uint8_t *bytes, uint32_t *state)
{
    length = left_by_host(CODEPOD_HASH_SHA256, state, &bytes, length);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    for (; length >= 64; length -= 64, bytes += 64) {
        uint32_t w[64];
        schedule(w, bytes);
/* The sums of three rotations, each made of the one before it; the majority of three, of what two neighbours differ in, half of which the round before
   has made. Both need fewer instructions than their definitions. */
#define SUM(x, first, second, third) RIGHT(RIGHT(RIGHT(x, first) ^ x, second) ^ x, third)
#define ROUND(a, b, c, d, e, f, g, h, i)                                                                                                             \
    h += SUM(e, 14, 5, 6) + (((f ^ g) & e) ^ g) + w[i];                                                                                              \
    d += h;                                                                                                                                          \
    differ = a ^ b;                                                                                                                                  \
    h += SUM(a, 9, 11, 2) + ((differ & differed) ^ b);                                                                                               \
    differed = differ;
#define EIGHT(i)                                                                                                                                     \
    ROUND(a, b, c, d, e, f, g, h, i) ROUND(h, a, b, c, d, e, f, g, i + 1) ROUND(g, h, a, b, c, d, e, f, i + 2) ROUND(f, g, h, a, b, c, d, e, i + 3)   \
    ROUND(e, f, g, h, a, b, c, d, i + 4) ROUND(d, e, f, g, h, a, b, c, i + 5) ROUND(c, d, e, f, g, h, a, b, i + 6) ROUND(b, c, d, e, f, g, h, a, i + 7)
        uint32_t differ, differed = b ^ c;
        EIGHT(0) EIGHT(8) EIGHT(16) EIGHT(24) EIGHT(32) EIGHT(40) EIGHT(48) EIGHT(56)
        a = state[0] += a, b = state[1] += b, c = state[2] += c, d = state[3] += d;
        e = state[4] += e, f = state[5] += f, g = state[6] += g, h = state[7] += h;
    }
}

void Hacl_Hash_SHA1_update_multi(uint32_t *state, uint8_t *blocks, uint32_t count)
{
    /* No message has so many blocks at once that their bytes need more than 32 bits. */
    count = left_by_host(CODEPOD_HASH_SHA1, state, &blocks, count * 64) / 64;
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (; count > 0; count--, blocks += 64) {
        uint32_t w[16];
        load(w, blocks);
#define WORD(i) (w[(i) & 15] = LEFT(w[((i) + 13) & 15] ^ w[((i) + 8) & 15] ^ w[((i) + 2) & 15] ^ w[(i) & 15], 1))
#define FIRST(i) w[i]
#define CHOOSE(b, c, d) (((c ^ d) & b) ^ d)
#define PARITY(b, c, d) (b ^ c ^ d)
#define MAJORITY(b, c, d) ((b & c) | (d & (b | c)))
#define STEP(a, b, c, d, e, F, k, W, i)                                                                                                              \
    e += LEFT(a, 5) + F(b, c, d) + k + W(i);                                                                                                         \
    b = LEFT(b, 30);
#define FIVE(F, k, W, i)                                                                                                                             \
    STEP(a, b, c, d, e, F, k, W, i) STEP(e, a, b, c, d, F, k, W, i + 1) STEP(d, e, a, b, c, F, k, W, i + 2) STEP(c, d, e, a, b, F, k, W, i + 3)       \
    STEP(b, c, d, e, a, F, k, W, i + 4)
#define TWENTY(F, k, i) FIVE(F, k, WORD, i) FIVE(F, k, WORD, i + 5) FIVE(F, k, WORD, i + 10) FIVE(F, k, WORD, i + 15)
        FIVE(CHOOSE, 0x5a827999, FIRST, 0)
        FIVE(CHOOSE, 0x5a827999, FIRST, 5)
        FIVE(CHOOSE, 0x5a827999, FIRST, 10)
        STEP(a, b, c, d, e, CHOOSE, 0x5a827999, FIRST, 15)
        STEP(e, a, b, c, d, CHOOSE, 0x5a827999, WORD, 16)
        STEP(d, e, a, b, c, CHOOSE, 0x5a827999, WORD, 17)
        STEP(c, d, e, a, b, CHOOSE, 0x5a827999, WORD, 18)
        STEP(b, c, d, e, a, CHOOSE, 0x5a827999, WORD, 19)
        TWENTY(PARITY, 0x6ed9eba1, 20)
        TWENTY(MAJORITY, 0x8f1bbcdc, 40)
        TWENTY(PARITY, 0xca62c1d6, 60)
        a = state[0] += a, b = state[1] += b, c = state[2] += c, d = state[3] += d, e = state[4] += e;
    }
}

#define LEFT64(x, n) ((x) << (n) | (x) >> (64 - (n)))

static const uint64_t round_constants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b, 0x0000000080000001,
    0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003, 0x8000000000008002, 0x8000000000000080,
    0x000000000000800a, 0x800000008000000a, 0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
};

static void permute(uint64_t s[25])
{
    uint64_t a[25];
    memcpy(a, s, sizeof a);
    for (int round = 0; round < 24; round++) {
        uint64_t b[25];
#define COLUMN(x) (a[x] ^ a[(x) + 5] ^ a[(x) + 10] ^ a[(x) + 15] ^ a[(x) + 20])
        uint64_t c0 = COLUMN(0), c1 = COLUMN(1), c2 = COLUMN(2), c3 = COLUMN(3), c4 = COLUMN(4);
        uint64_t d0 = c4 ^ LEFT64(c1, 1), d1 = c0 ^ LEFT64(c2, 1), d2 = c1 ^ LEFT64(c3, 1), d3 = c2 ^ LEFT64(c4, 1), d4 = c3 ^ LEFT64(c0, 1);
#define MOVE(to, from, d, n) b[to] = LEFT64(a[from] ^ d, n);
        b[0] = a[0] ^ d0;
        MOVE(10, 1, d1, 1) MOVE(20, 2, d2, 62) MOVE(5, 3, d3, 28) MOVE(15, 4, d4, 27)
        MOVE(16, 5, d0, 36) MOVE(1, 6, d1, 44) MOVE(11, 7, d2, 6) MOVE(21, 8, d3, 55) MOVE(6, 9, d4, 20)
        MOVE(7, 10, d0, 3) MOVE(17, 11, d1, 10) MOVE(2, 12, d2, 43) MOVE(12, 13, d3, 25) MOVE(22, 14, d4, 39)
        MOVE(23, 15, d0, 41) MOVE(8, 16, d1, 45) MOVE(18, 17, d2, 15) MOVE(3, 18, d3, 21) MOVE(13, 19, d4, 8)
        MOVE(14, 20, d0, 18) MOVE(24, 21, d1, 2) MOVE(9, 22, d2, 61) MOVE(19, 23, d3, 56) MOVE(4, 24, d4, 14)
#define ROW(y)                                                                                                                                       \
    a[y] = b[y] ^ (~b[(y) + 1] & b[(y) + 2]), a[(y) + 1] = b[(y) + 1] ^ (~b[(y) + 2] & b[(y) + 3]);                                                   \
    a[(y) + 2] = b[(y) + 2] ^ (~b[(y) + 3] & b[(y) + 4]), a[(y) + 3] = b[(y) + 3] ^ (~b[(y) + 4] & b[y]);                                             \
    a[(y) + 4] = b[(y) + 4] ^ (~b[y] & b[(y) + 1]);
        ROW(0) ROW(5) ROW(10) ROW(15) ROW(20)
        a[0] ^= round_constants[round];
    }
    memcpy(s, a, sizeof a);
}

static uint32_t block_size(Spec_Hash_Definitions_hash_alg algorithm)
{
    switch (algorithm) {
    case Spec_Hash_Definitions_SHA3_224: return 144;
    case Spec_Hash_Definitions_SHA3_256: return 136;
    case Spec_Hash_Definitions_SHA3_384: return 104;
    case Spec_Hash_Definitions_SHA3_512: return 72;
    case Spec_Hash_Definitions_Shake128: return 168;
    default: return 136;
    }
}

void Hacl_Hash_SHA3_update_multi_sha3(Spec_Hash_Definitions_hash_alg algorithm, uint64_t *state, uint8_t *blocks, uint32_t count)
{
    uint32_t size = block_size(algorithm);
    for (; count > 0; count--, blocks += size) {
        for (uint32_t i = 0; i < size / 8; i++) {
            uint64_t word;
            memcpy(&word, blocks + 8 * i, 8);
            state[i] ^= word;
        }
        permute(state);
    }
}
