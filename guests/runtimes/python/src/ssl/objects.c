/* Object identifiers: those of names and of uses of certificates, with OpenSSL's numbers. */
#include "ssl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct ssl_object objects[] = {
    {"2.5.4.3", 13, "CN", "commonName"},
    {"2.5.4.4", 100, "SN", "surname"},
    {"2.5.4.5", 105, "serialNumber", "serialNumber"},
    {"2.5.4.6", 14, "C", "countryName"},
    {"2.5.4.7", 15, "L", "localityName"},
    {"2.5.4.8", 16, "ST", "stateOrProvinceName"},
    {"2.5.4.9", 660, "street", "streetAddress"},
    {"2.5.4.10", 17, "O", "organizationName"},
    {"2.5.4.11", 18, "OU", "organizationalUnitName"},
    {"2.5.4.12", 106, "title", "title"},
    {"2.5.4.13", 107, "description", "description"},
    {"2.5.4.15", 860, "businessCategory", "businessCategory"},
    {"2.5.4.17", 661, "postalCode", "postalCode"},
    {"2.5.4.20", 864, "telephoneNumber", "telephoneNumber"},
    {"2.5.4.41", 173, "name", "name"},
    {"2.5.4.42", 99, "GN", "givenName"},
    {"2.5.4.43", 101, "initials", "initials"},
    {"2.5.4.44", 509, "generationQualifier", "generationQualifier"},
    {"2.5.4.45", 503, "x500UniqueIdentifier", "x500UniqueIdentifier"},
    {"2.5.4.46", 174, "dnQualifier", "dnQualifier"},
    {"2.5.4.65", 510, "pseudonym", "pseudonym"},
    {"2.5.4.97", 1089, "organizationIdentifier", "organizationIdentifier"},
    {"0.9.2342.19200300.100.1.1", 458, "UID", "userId"},
    {"0.9.2342.19200300.100.1.25", 391, "DC", "domainComponent"},
    {"1.2.840.113549.1.9.1", 48, "emailAddress", "emailAddress"},
    {"1.2.840.113549.1.9.2", 49, "unstructuredName", "unstructuredName"},
    {"1.2.840.113549.1.9.8", 55, "unstructuredAddress", "unstructuredAddress"},
    {"1.3.6.1.4.1.311.60.2.1.1", 955, "jurisdictionL", "jurisdictionLocalityName"},
    {"1.3.6.1.4.1.311.60.2.1.2", 956, "jurisdictionST", "jurisdictionStateOrProvinceName"},
    {"1.3.6.1.4.1.311.60.2.1.3", 957, "jurisdictionC", "jurisdictionCountryName"},
    {"1.3.6.1.5.5.7.3.1", 129, "serverAuth", "TLS Web Server Authentication"},
    {"1.3.6.1.5.5.7.3.2", 130, "clientAuth", "TLS Web Client Authentication"},
    {"1.3.6.1.5.5.7.3.3", 131, "codeSigning", "Code Signing"},
    {"1.3.6.1.5.5.7.3.4", 132, "emailProtection", "E-mail Protection"},
    {"1.3.6.1.5.5.7.3.8", 133, "timeStamping", "Time Stamping"},
    {"1.3.6.1.5.5.7.3.9", 180, "OCSPSigning", "OCSP Signing"},
    {"2.5.29.37.0", 910, "anyExtendedKeyUsage", "Any Extended Key Usage"},
};
enum { COUNT = sizeof objects / sizeof *objects };

const struct ssl_object *ssl_object_by_identifier(const char *identifier)
{
    for (int i = 0; i < COUNT; i++) {
        if (strcmp(objects[i].identifier, identifier) == 0) {
            return &objects[i];
        }
    }
    return NULL;
}

const struct ssl_object *ssl_object_by_name(const char *name)
{
    for (int i = 0; i < COUNT; i++) {
        if (strcmp(objects[i].short_name, name) == 0 || strcmp(objects[i].long_name, name) == 0) {
            return &objects[i];
        }
    }
    return NULL;
}

const struct ssl_object *ssl_object_by_number(int number)
{
    for (int i = 0; i < COUNT; i++) {
        if (objects[i].number == number) {
            return &objects[i];
        }
    }
    return NULL;
}

int ssl_identifier(const unsigned char *bytes, size_t size, char text[static 256])
{
    size_t used = 0;
    uint64_t number = 0;
    text[0] = '\0';
    for (size_t i = 0; i < size; i++) {
        if (number > UINT64_MAX >> 7) {
            return 0;
        }
        number = number << 7 | (bytes[i] & 0x7f);
        if (bytes[i] & 0x80) {
            continue;
        }
        if (used == 0) {
            /* The first number stands for two. */
            uint64_t first = number < 80 ? number / 40 : 2;
            used += (size_t)snprintf(text, 256, "%" PRIu64, first);
            number -= first * 40;
        }
        if (used > 256 - 22) {
            return 0;
        }
        used += (size_t)snprintf(text + used, 256 - used, ".%" PRIu64, number);
        number = 0;
    }
    return used > 0 && !(bytes[size - 1] & 0x80);
}
