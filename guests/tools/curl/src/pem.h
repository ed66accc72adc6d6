/* Certificates and keys in PEM, as curl's options name them. */
#ifndef CODEPOD_CURL_PEM_H
#define CODEPOD_CURL_PEM_H

#include <stddef.h>

#include "cptls.h"

enum { PEM_CERTIFICATES = 1, PEM_KEY = 2 };

/* What was found in texts. */
struct pem {
    struct cptls_bytes *certificates; /* DER */
    size_t count;
    struct cptls_bytes key;
};

/* Adds what is wanted of a text: its certificates, its first key. NULL, or what is wrong with
   the text. Other blocks are passed over, as OpenSSL does. */
const char *pem_read(struct pem *pem, const char *text, size_t size, int wanted);

/* Adds a certificate or a key that is DER already. 0 if there is no memory. */
int pem_add(struct pem *pem, const void *der, size_t size, int what);

void pem_free(struct pem *pem);

#endif
