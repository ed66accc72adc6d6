/* The ciphers that the gateway offers to servers, and OpenSSL's language for lists of them. The gateway offers all; a list that a
   program sets is held against what was agreed on. */
#include "ssl.h"

#include <string.h>
#include <strings.h>

#define RSA "auth-rsa"
#define ECDSA "auth-ecdsa"

const struct cipher ciphers[CIPHERS] = {
    {"TLS_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384", "TLS13_AES_256_GCM_SHA384", 0x3001302, VERSION_TLS1_3, 256, "kx-any",
     "auth-any", "aes-256-gcm", "sha384"},
    {"TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256", "TLS13_CHACHA20_POLY1305_SHA256", 0x3001303, VERSION_TLS1_3,
     256, "kx-any", "auth-any", "chacha20-poly1305", "sha256"},
    {"TLS_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256", "TLS13_AES_128_GCM_SHA256", 0x3001301, VERSION_TLS1_3, 128, "kx-any",
     "auth-any", "aes-128-gcm", "sha256"},
    {"ECDHE-ECDSA-AES256-GCM-SHA384", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "", 0x300c02c, VERSION_TLS1_2, 256, "kx-ecdhe",
     ECDSA, "aes-256-gcm", "sha384"},
    {"ECDHE-RSA-AES256-GCM-SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "", 0x300c030, VERSION_TLS1_2, 256, "kx-ecdhe", RSA,
     "aes-256-gcm", "sha384"},
    {"ECDHE-ECDSA-AES128-GCM-SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "", 0x300c02b, VERSION_TLS1_2, 128, "kx-ecdhe",
     ECDSA, "aes-128-gcm", "sha256"},
    {"ECDHE-RSA-AES128-GCM-SHA256", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "", 0x300c02f, VERSION_TLS1_2, 128, "kx-ecdhe", RSA,
     "aes-128-gcm", "sha256"},
    {"ECDHE-ECDSA-CHACHA20-POLY1305", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "", 0x300cca9, VERSION_TLS1_2, 256,
     "kx-ecdhe", ECDSA, "chacha20-poly1305", "sha256"},
    {"ECDHE-RSA-CHACHA20-POLY1305", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "", 0x300cca8, VERSION_TLS1_2, 256, "kx-ecdhe",
     RSA, "chacha20-poly1305", "sha256"},
};

enum { TLS1_3 = (1 << CIPHERS_OF_TLS1_3) - 1, ALL = (1 << CIPHERS) - 1 };

static const char *version_name(const struct cipher *cipher) { return cipher->version == VERSION_TLS1_3 ? "TLSv1.3" : "TLSv1.2"; }

/* Whether a cipher of TLS 1.2 is what a word stands for. */
static int is_word(const struct cipher *cipher, const char *word, size_t size)
{
    static const char *const all[] = {"ALL", "DEFAULT", "COMPLEMENTOFALL", "HIGH", "FIPS", "TLSv1.2", "kEECDH", "kECDHE", "ECDHE",
                                      "EECDH", "ECDH", "SUITEB128", "SUITEB192"};
    const struct {
        const char *word;
        const char *part, *value;
    } parts[] = {
        {"RSA", cipher->signature, RSA},
        {"aRSA", cipher->signature, RSA},
        {"ECDSA", cipher->signature, ECDSA},
        {"aECDSA", cipher->signature, ECDSA},
        {"AESGCM", cipher->symmetric, "aes-"},
        {"AES", cipher->symmetric, "aes-"},
        {"AES128", cipher->symmetric, "aes-128"},
        {"AES256", cipher->symmetric, "aes-256"},
        {"CHACHA20", cipher->symmetric, "chacha20"},
    };
    if (strlen(cipher->name) == size && strncasecmp(cipher->name, word, size) == 0) {
        return 1;
    }
    if (strlen(cipher->iana) == size && strncmp(cipher->iana, word, size) == 0) {
        return 1;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strlen(all[i]) == size && memcmp(all[i], word, size) == 0) {
            return i != 2; /* all that ALL leaves out: none of these */
        }
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (strlen(parts[i].word) == size && memcmp(parts[i].word, word, size) == 0) {
            return strncmp(parts[i].part, parts[i].value, strlen(parts[i].value)) == 0;
        }
    }
    return 0;
}

/* The ciphers of TLS 1.2 that all words between plus signs stand for. */
static unsigned matching(const char *item, size_t size)
{
    unsigned found = 0;
    for (int i = CIPHERS_OF_TLS1_3; i < CIPHERS; i++) {
        int is_all = size > 0;
        for (const char *word = item; word < item + size;) {
            const char *plus = memchr(word, '+', (size_t)(item + size - word));
            const char *end = plus != NULL ? plus : item + size;
            is_all &= is_word(&ciphers[i], word, (size_t)(end - word));
            word = end + 1;
        }
        found |= is_all ? 1u << i : 0;
    }
    return found;
}

unsigned ciphers_chosen(const char *list)
{
    static const char separators[] = ":, ;";
    unsigned chosen = 0, never = 0;
    while (*list != '\0') {
        size_t size = strcspn(list, separators);
        if (size > 0 && *list != '@') {
            int has_sign = strchr("!-+", *list) != NULL;
            unsigned found = matching(list + has_sign, size - (size_t)has_sign);
            if (*list == '!') {
                never |= found;
            }
            else if (*list == '-') {
                chosen &= ~found;
            }
            else if (*list != '+') { /* which changes the order only */
                chosen |= found;
            }
        }
        list += size + strspn(list + size, separators);
    }
    chosen &= ~never;
    return chosen != 0 ? chosen | TLS1_3 : 0;
}

const struct cipher *cipher_by_name(const char *name)
{
    for (int i = 0; i < CIPHERS; i++) {
        if (strcmp(ciphers[i].iana, name) == 0 || strcmp(ciphers[i].rustls, name) == 0) {
            return &ciphers[i];
        }
    }
    return NULL;
}

PyObject *cipher_tuple(const struct cipher *cipher)
{
    return Py_BuildValue("ssi", cipher->name, version_name(cipher), cipher->bits);
}

PyObject *cipher_dict(const struct cipher *cipher)
{
    /* As OpenSSL describes them. */
    const char *exchange = cipher->version == VERSION_TLS1_3 ? "any" : "ECDH";
    const char *signature = cipher->version == VERSION_TLS1_3      ? "any"
                            : strcmp(cipher->signature, RSA) == 0 ? "RSA"
                                                                  : "ECDSA";
    const char *symmetric = strncmp(cipher->symmetric, "aes", 3) == 0 ? "AESGCM" : "CHACHA20/POLY1305";
    return Py_BuildValue("{sIsssssNsisisOsssOssss}", "id", cipher->id, "name", cipher->name, "protocol", version_name(cipher),
                         "description",
                         PyUnicode_FromFormat("%-30s %-7s Kx=%-8s Au=%-5s Enc=%s(%d)%*s Mac=AEAD", cipher->name,
                                              version_name(cipher), exchange, signature, symmetric, cipher->bits,
                                              cipher->symmetric[0] == 'a' ? 11 : 0, ""),
                         "strength_bits", cipher->bits, "alg_bits", cipher->bits, "aead", Py_True, "symmetric", cipher->symmetric,
                         "digest", Py_None, "kea", cipher->exchange, "auth", cipher->signature);
}
