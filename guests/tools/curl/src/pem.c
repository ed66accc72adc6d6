/* Certificates and keys in PEM; see pem.h. */
#include "curl_setup.h"

#include <string.h>

#include "curlx/base64.h"
#include "pem.h"

static const char no_memory[] = "there is no memory for it";

int pem_add(struct pem *pem, const void *der, size_t size, int what)
{
    unsigned char *copy = curlx_malloc(size + 1);
    if (copy == NULL) {
        return 0;
    }
    memcpy(copy, der, size);
    if (what == PEM_KEY) {
        pem->key = (struct cptls_bytes){copy, size};
        return 1;
    }
    struct cptls_bytes *more = curlx_realloc(pem->certificates, (pem->count + 1) * sizeof *more);
    if (more == NULL) {
        curlx_free(copy);
        return 0;
    }
    pem->certificates = more;
    more[pem->count++] = (struct cptls_bytes){copy, size};
    return 1;
}

void pem_free(struct pem *pem)
{
    for (size_t i = 0; i < pem->count; i++) {
        curlx_free((void *)pem->certificates[i].data);
    }
    if (pem->key.data != NULL) {
        memset((void *)pem->key.data, 0, pem->key.size);
        curlx_free((void *)pem->key.data);
    }
    curlx_free(pem->certificates);
    *pem = (struct pem){0};
}

/* The first place of `what` in a text; NULL without one. */
static const char *find(const char *text, const char *end, const char *what)
{
    size_t size = strlen(what);
    for (; (size_t)(end - text) >= size; text++) {
        text = memchr(text, what[0], (size_t)(end - text) - size + 1);
        if (text == NULL || memcmp(text, what, size) == 0) {
            return text;
        }
    }
    return NULL;
}

static int ends_with(const char *label, size_t size, const char *end)
{
    size_t length = strlen(end);
    return size >= length && memcmp(label + size - length, end, length) == 0;
}

/* What a block is by its label: PEM_CERTIFICATES, PEM_KEY, or 0. */
static int kind_of(const char *label, size_t size)
{
    return ends_with(label, size, "CERTIFICATE")   ? PEM_CERTIFICATES
           : ends_with(label, size, "PRIVATE KEY") ? PEM_KEY
                                                   : 0;
}

/* Adds the block whose body this is. */
static const char *read_block(struct pem *pem, const char *body, const char *end, int kind)
{
    char *packed = curlx_malloc((size_t)(end - body) + 1), *to = packed;
    unsigned char *der = NULL;
    size_t size = 0;
    if (packed == NULL) {
        return no_memory;
    }
    for (; body < end; body++) {
        if (strchr(" \t\r\n", *body) == NULL) {
            *to++ = *body;
        }
    }
    *to = '\0';
    const char *problem = curlx_base64_decode(packed, &der, &size) != CURLE_OK ? "a block of it is not base64"
                          : !pem_add(pem, der, size, kind)                    ? no_memory
                                                                              : NULL;
    memset(packed, 0, (size_t)(to - packed));
    curlx_free(packed);
    if (der != NULL) {
        memset(der, 0, size);
        curlx_free(der);
    }
    return problem;
}

const char *pem_read(struct pem *pem, const char *text, size_t size, int wanted)
{
    static const char begin[] = "-----BEGIN ", dashes[] = "-----";
    const char *end = text + size, *at = text;
    while ((at = find(at, end, begin)) != NULL) {
        const char *label = at + strlen(begin), *label_end = find(label, end, dashes);
        const char *body = label_end != NULL ? label_end + strlen(dashes) : NULL;
        const char *body_end = body != NULL ? find(body, end, "-----END ") : NULL;
        if (body_end == NULL) {
            return "a block of it has no end";
        }
        at = body_end;
        int kind = kind_of(label, (size_t)(label_end - label)) & wanted;
        if (kind == 0 || (kind == PEM_KEY && pem->key.data != NULL)) {
            continue;
        }
        if (find(label, label_end, "ENCRYPTED") != NULL || find(body, body_end, "ENCRYPTED") != NULL) {
            return "its key is encrypted; give curl a key without a passphrase";
        }
        const char *problem = read_block(pem, body, body_end, kind);
        if (problem != NULL) {
            return problem;
        }
    }
    return NULL;
}
