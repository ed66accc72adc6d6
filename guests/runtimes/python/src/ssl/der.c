/* DER, and the parts of a certificate (RFC 5280). Whatever is not as it should be is not there. */
#include "ssl.h"

#include <string.h>

enum { LONG_TAG = 0x1f, LONG_LENGTH = 0x80, MOST_EXTENSIONS = 1024 };

int der_next(struct der *der, struct element *element)
{
    const unsigned char *at = der->at;
    size_t left = (size_t)(der->end - at);
    if (left < 2 || (at[0] & LONG_TAG) == LONG_TAG) {
        return 0;
    }
    size_t size = at[1], digits = 0;
    if (size >= LONG_LENGTH) {
        digits = size & 0x7f;
        if (digits == 0 || digits > 3 || digits > left - 2) {
            return 0;
        }
        size = 0;
        for (size_t i = 0; i < digits; i++) {
            size = size << 8 | at[2 + i];
        }
    }
    if (size > left - 2 - digits) {
        return 0;
    }
    *element = (struct element){at[0], at + 2 + digits, size};
    der->at = element->content + size;
    return 1;
}

int der_take(struct der *der, int tag, struct element *element)
{
    return der->at < der->end && der->at[0] == tag && der_next(der, element);
}

int der_is(const struct element *element, const void *bytes, size_t size)
{
    return element->size == size && memcmp(element->content, bytes, size) == 0;
}

size_t certificate_read(const unsigned char *bytes, size_t size, struct certificate *certificate)
{
    struct der all = der_of(bytes, size);
    struct element whole, signed_part, ignored, number, validity;
    *certificate = (struct certificate){.version = 1};
    if (!der_take(&all, DER_SEQUENCE, &whole)) {
        return 0;
    }
    struct der parts = der_in(&whole);
    if (!der_take(&parts, DER_SEQUENCE, &signed_part) || !der_take(&parts, DER_SEQUENCE, &ignored) ||
        !der_take(&parts, DER_BIT_STRING, &ignored) || parts.at != parts.end) {
        return 0;
    }
    parts = der_in(&signed_part);
    if (der_take(&parts, DER_CONSTRUCTED + 0, &ignored)) {
        struct der version = der_in(&ignored);
        if (!der_take(&version, DER_INTEGER, &number) || number.size != 1 || number.content[0] > 2) {
            return 0;
        }
        certificate->version = number.content[0] + 1;
    }
    if (!der_take(&parts, DER_INTEGER, &certificate->serial) || certificate->serial.size == 0 ||
        !der_take(&parts, DER_SEQUENCE, &ignored) || !der_take(&parts, DER_SEQUENCE, &certificate->issuer) ||
        !der_take(&parts, DER_SEQUENCE, &validity) || !der_take(&parts, DER_SEQUENCE, &certificate->subject) ||
        !der_take(&parts, DER_SEQUENCE, &certificate->key)) {
        return 0;
    }
    struct der times = der_in(&validity);
    if (!der_next(&times, &certificate->not_before) || !der_next(&times, &certificate->not_after)) {
        return 0;
    }
    der_take(&parts, DER_CONTEXT + 1, &ignored);
    der_take(&parts, DER_CONTEXT + 2, &ignored);
    if (der_take(&parts, DER_CONSTRUCTED + 3, &ignored)) {
        struct der extensions = der_in(&ignored);
        if (!der_take(&extensions, DER_SEQUENCE, &certificate->extensions)) {
            return 0;
        }
    }
    return (size_t)(all.at - bytes);
}

int certificate_extension(const struct certificate *certificate, const void *identifier, size_t size, struct element *value)
{
    struct der extensions = der_in(&certificate->extensions);
    struct element extension, name, ignored;
    for (int i = 0; i < MOST_EXTENSIONS && der_take(&extensions, DER_SEQUENCE, &extension); i++) {
        struct der parts = der_in(&extension);
        if (der_take(&parts, DER_IDENTIFIER, &name) && der_is(&name, identifier, size)) {
            der_take(&parts, DER_BOOLEAN, &ignored);
            return der_take(&parts, DER_OCTET_STRING, value);
        }
    }
    return 0;
}

int certificate_is_authority(const struct certificate *certificate)
{
    struct element value, constraints, is_authority;
    if (certificate_extension(certificate, "\x55\x1d\x13", 3, &value)) {
        struct der parts = der_in(&value);
        if (!der_take(&parts, DER_SEQUENCE, &constraints)) {
            return 0;
        }
        parts = der_in(&constraints);
        return der_take(&parts, DER_BOOLEAN, &is_authority) && is_authority.size == 1 && is_authority.content[0] != 0;
    }
    /* Version 1 has no extensions; one that is its own issuer was made to sign. */
    return certificate->version == 1 && der_is(&certificate->issuer, certificate->subject.content, certificate->subject.size);
}
