/* TLS for curl, which codepod's gateway does: asked for by cptls on the connection that curl has
   open.

   This stands in the place of upstream's lib/vtls/rustls.c and has its name in curl's tables;
   nothing else of curl is changed. The gateway checks certificates by its own rules. What curl
   is told (--cacert, --pinnedpubkey, versions) can make that stricter; --insecure changes
   nothing. */
#include "curl_setup.h"

#include <string.h>
#include <sys/random.h>

#include "cfilters.h"
#include "connect.h"
#include "cptls.h"
#include "curl_sha256.h"
#include "curl_trc.h"
#include "curlx/dynbuf.h"
#include "curlx/fopen.h"
#include "pem.h"
#include "urldata.h"
#include "vtls/rustls.h"
#include "vtls/vtls.h"
#include "vtls/vtls_int.h"
#include "vtls/x509asn1.h"

/* The gateway takes certificates of 512 KiB, which are longer in PEM. */
enum { MOST_OF_A_FILE = 1024 * 1024 };

/* OpenSSL's numbers of what is wrong with a certificate. */
enum { HOSTNAME_MISMATCH = 62 };

struct rustls_ssl_backend_data {
    struct cptls *tls;
    size_t taken; /* text of curl's that is in a record already, and not all sent */
    bool more;    /* there may be text that was received and not read */
};

static struct rustls_ssl_backend_data *backend_of(struct Curl_cfilter *cf)
{
    struct ssl_connect_data *connssl = cf->ctx;
    return (struct rustls_ssl_backend_data *)connssl->backend;
}

/* Carrying bytes between the library and the connection. */

static CURLcode send_all(struct Curl_cfilter *cf, struct Curl_easy *data, struct cptls *tls)
{
    const unsigned char *bytes;
    size_t size, sent;
    while ((bytes = cptls_to_send(tls, &size)) != NULL) {
        CURLcode result = Curl_conn_cf_send(cf->next, data, bytes, size, FALSE, &sent);
        if (result != CURLE_OK) {
            return result;
        }
        cptls_sent(tls, sent);
    }
    return CURLE_OK;
}

/* CURLE_GOT_NOTHING at the end of the connection. */
static CURLcode receive(struct Curl_cfilter *cf, struct Curl_easy *data, struct cptls *tls)
{
    size_t size, received = 0;
    unsigned char *room = cptls_room(tls, &size);
    if (room == NULL) {
        return CURLE_OUT_OF_MEMORY;
    }
    CURLcode result = Curl_conn_cf_recv(cf->next, data, (char *)room, size, &received);
    if (result != CURLE_OK) {
        return result;
    }
    cptls_received(tls, received);
    return received > 0 ? CURLE_OK : CURLE_GOT_NOTHING;
}

/* What is asked for. */

/* Adds what is wanted of a file or of a blob to what was read. */
static CURLcode read_pem(struct Curl_easy *data, struct pem *pem, const char *file, const struct curl_blob *blob, int wanted,
                         const char *what, CURLcode wrong)
{
    struct dynbuf text;
    const char *problem = NULL;
    if (blob != NULL) {
        problem = pem_read(pem, blob->data, blob->len, wanted);
        file = "(memory)";
    }
    else {
        char buffer[4096];
        size_t size;
        FILE *stream = curlx_fopen(file, "rb");
        if (stream == NULL) {
            failf(data, "error reading %s file: %s", what, file);
            return wrong;
        }
        curlx_dyn_init(&text, MOST_OF_A_FILE);
        while (problem == NULL && (size = fread(buffer, 1, sizeof buffer, stream)) > 0) {
            problem = curlx_dyn_addn(&text, buffer, size) != CURLE_OK ? "it is too long: there may be 1 MiB" : NULL;
        }
        if (problem == NULL && ferror(stream)) {
            problem = "it cannot be read";
        }
        curlx_fclose(stream);
        if (problem == NULL && curlx_dyn_len(&text) > 0) {
            problem = pem_read(pem, curlx_dyn_ptr(&text), curlx_dyn_len(&text), wanted);
        }
        curlx_dyn_free(&text);
    }
    if (problem != NULL) {
        failf(data, "error reading %s file %s: %s", what, file, problem);
        return wrong;
    }
    return CURLE_OK;
}

static CURLcode read_roots(struct Curl_easy *data, const struct ssl_primary_config *config, struct pem *roots)
{
    if (!config->verifypeer || (config->CAfile == NULL && config->ca_info_blob == NULL)) {
        return CURLE_OK;
    }
    CURLcode result =
        read_pem(data, roots, config->CAfile, config->ca_info_blob, PEM_CERTIFICATES, "CA certificate", CURLE_SSL_CACERT_BADFILE);
    if (result == CURLE_OK && roots->count == 0) {
        failf(data, "error adding trust anchors from file: %s: there is no certificate in PEM in it",
              config->CAfile != NULL ? config->CAfile : "(memory)");
        result = CURLE_SSL_CACERT_BADFILE;
    }
    return result;
}

static CURLcode read_client(struct Curl_easy *data, const struct ssl_primary_config *config, struct pem *client)
{
    const char *types[] = {config->cert_type, config->key_type};
    bool has_certificate = config->clientcert != NULL || config->cert_blob != NULL;
    bool has_key = config->key != NULL || config->key_blob != NULL;
    if (!has_certificate && !has_key) {
        return CURLE_OK;
    }
    if (!has_certificate) {
        failf(data, "must provide certificate with key '%s'", config->key != NULL ? config->key : "(memory)");
        return CURLE_SSL_CERTPROBLEM;
    }
    for (size_t i = 0; i < CURL_ARRAYSIZE(types); i++) {
        if (types[i] != NULL && !curl_strequal(types[i], "PEM")) {
            failf(data, "certificates and keys of type '%s' are not supported: convert them to PEM", types[i]);
            return CURLE_SSL_CERTPROBLEM;
        }
    }
    /* Without a key of its own, it is beside the certificate. */
    int wanted = PEM_CERTIFICATES | (has_key ? 0 : PEM_KEY);
    CURLcode result =
        read_pem(data, client, config->clientcert, config->cert_blob, wanted, "client certificate", CURLE_SSL_CERTPROBLEM);
    if (result == CURLE_OK && has_key) {
        result = read_pem(data, client, config->key, config->key_blob, PEM_KEY, "private key", CURLE_SSL_CERTPROBLEM);
    }
    if (result == CURLE_OK && (client->count == 0 || client->key.data == NULL)) {
        const char *file = client->count > 0 && config->key != NULL ? config->key : config->clientcert;
        failf(data, "there is no %s in PEM in %s", client->count == 0 ? "certificate" : "private key",
              file != NULL ? file : "(memory)");
        result = CURLE_SSL_CERTPROBLEM;
    }
    return result;
}

/* What the gateway cannot be told is refused: whoever asks for it relies on it. */
static CURLcode refuse(struct Curl_easy *data, const struct ssl_primary_config *config)
{
    const struct {
        bool asked;
        const char *option;
        CURLcode code;
    } refused[] = {
        {config->cipher_list != NULL, "--ciphers", CURLE_SSL_CIPHER},
        {config->cipher_list13 != NULL, "--tls13-ciphers", CURLE_SSL_CIPHER},
        {config->curves != NULL, "--curves", CURLE_SSL_CIPHER},
        {config->signature_algorithms != NULL, "--sigalgs", CURLE_SSL_CIPHER},
        {config->CRLfile != NULL, "--crlfile", CURLE_SSL_CRL_BADFILE},
        {config->CApath != NULL, "--capath (or SSL_CERT_DIR)", CURLE_SSL_CACERT_BADFILE},
        {config->issuercert != NULL || config->issuercert_blob != NULL, "an issuer's certificate", CURLE_SSL_ISSUER_ERROR},
        {config->verifystatus, "--cert-status", CURLE_SSL_INVALIDCERTSTATUS},
    };
    for (size_t i = 0; i < CURL_ARRAYSIZE(refused); i++) {
        if (refused[i].asked) {
            failf(data, "%s is not supported: codepod's gateway does TLS, and chooses that itself; leave it out", refused[i].option);
            return refused[i].code;
        }
    }
    return CURLE_OK;
}

/* The gateway has TLS 1.2 and 1.3. */
static CURLcode choose_versions(struct Curl_easy *data, const struct ssl_primary_config *config, struct cptls_hello *hello)
{
    hello->min_version = config->version == CURL_SSLVERSION_TLSv1_3 ? CPTLS_TLS_1_3 : CPTLS_TLS_1_2;
    switch (config->version_max) {
    case CURL_SSLVERSION_MAX_NONE:
    case CURL_SSLVERSION_MAX_DEFAULT:
    case CURL_SSLVERSION_MAX_TLSv1_3: hello->max_version = CPTLS_TLS_1_3; break;
    case CURL_SSLVERSION_MAX_TLSv1_2: hello->max_version = CPTLS_TLS_1_2; break;
    default: failf(data, "TLS before 1.2 is not supported: codepod's gateway has TLS 1.2 and 1.3"); return CURLE_SSL_CONNECT_ERROR;
    }
    if (hello->min_version > hello->max_version) {
        failf(data, "the highest version of TLS is below the lowest");
        return CURLE_SSL_CONNECT_ERROR;
    }
    return CURLE_OK;
}

static CURLcode begin(struct Curl_cfilter *cf, struct Curl_easy *data)
{
    struct ssl_connect_data *connssl = cf->ctx;
    const struct ssl_primary_config *config = Curl_ssl_cf_get_primary_config(cf);
    struct rustls_ssl_backend_data *backend = backend_of(cf);
    struct cptls_hello hello = {.server_name = connssl->peer.sni != NULL ? connssl->peer.sni : connssl->peer.origin->hostname};
    struct alpn_proto_buf alpn = {.len = 0};
    struct pem roots = {0}, client = {0};
    CURLcode result = refuse(data, config);

    if (result == CURLE_OK && connssl->alpn != NULL) {
        result = Curl_alpn_to_proto_buf(&alpn, connssl->alpn);
        hello.alpn = alpn.data;
        hello.alpn_size = (size_t)alpn.len;
        infof(data, "ALPN: curl offers %s", connssl->alpn->count > 0 ? connssl->alpn->entries[0] : "nothing");
    }
    if (result == CURLE_OK) {
        result = choose_versions(data, config, &hello);
    }
    if (result == CURLE_OK) {
        result = read_roots(data, config, &roots);
    }
    if (result == CURLE_OK) {
        result = read_client(data, config, &client);
    }
    if (result == CURLE_OK) {
        hello.roots = roots.certificates;
        hello.root_count = roots.count;
        hello.certificates = client.certificates;
        hello.certificate_count = client.count;
        hello.key = client.key;
        backend->tls = cptls_new();
        enum cptls_status status = backend->tls != NULL ? cptls_begin(backend->tls, &hello) : CPTLS_NO_MEMORY;
        if (status == CPTLS_NO_MEMORY) {
            result = CURLE_OUT_OF_MEMORY;
        }
        else if (status != CPTLS_DONE) {
            failf(data, "TLS cannot be asked for: %s", cptls_problem(backend->tls));
            result = roots.count > 0 ? CURLE_SSL_CACERT_BADFILE : CURLE_SSL_CERTPROBLEM;
        }
    }
    if (!config->verifypeer || !config->verifyhost) {
        infof(data, "SSL Trust: --insecure changes nothing: codepod's gateway checks certificates");
    }
    pem_free(&roots);
    pem_free(&client);
    return result;
}

/* What came of it. */

/* OpenSSL's words, which people look for. */
static const char *words_of(uint32_t verify)
{
    switch (verify) {
    case 7: return "certificate signature failure";
    case 9: return "certificate is not yet valid";
    case 10: return "certificate has expired";
    case 18: return "self-signed certificate";
    case 20: return "unable to get local issuer certificate";
    case 23: return "certificate revoked";
    case 26: return "unsuitable certificate purpose";
    default: return "certificate verify failed";
    }
}

static CURLcode report_failure(struct Curl_cfilter *cf, struct Curl_easy *data, const struct cptls_failure *failure)
{
    struct ssl_connect_data *connssl = cf->ctx;
    const struct ssl_primary_config *config = Curl_ssl_cf_get_primary_config(cf);
    const char *insecure = config->verifypeer && config->verifyhost ? "" : "--insecure changes nothing: ";
    if (failure->verify == 0) {
        failf(data, "TLS connect error: %s", failure->text);
        return CURLE_SSL_CONNECT_ERROR;
    }
    Curl_ssl_cf_get_config(cf, data)->certverifyresult = (long)failure->verify;
    if (failure->verify == HOSTNAME_MISMATCH) {
        failf(data, "SSL: no alternative certificate subject name matches target host name '%s' (codepod: %s%s)",
              connssl->peer.origin->hostname, insecure, failure->text);
    }
    else {
        failf(data, "SSL certificate problem: %s (codepod: %s%s)", words_of(failure->verify), insecure, failure->text);
    }
    return CURLE_PEER_FAILED_VERIFICATION;
}

/* The value of a field that Curl_extract_certinfo has found. */
static const char *certinfo_field(const struct Curl_easy *data, const char *name)
{
    size_t size = strlen(name);
    const struct curl_slist *entry = data->info.certs.num_of_certs > 0 ? data->info.certs.certinfo[0] : NULL;
    for (; entry != NULL; entry = entry->next) {
        if (strncmp(entry->data, name, size) == 0 && entry->data[size] == ':') {
            return entry->data + size + 1;
        }
    }
    return "[NONE]";
}

/* Keeps the chain for %{certs}, and shows the server's certificate with --verbose. */
static CURLcode take_chain(struct Curl_easy *data, const struct cptls_reply *reply)
{
    bool kept = data->set.ssl.certinfo, verbose = data->set.verbose;
    size_t count = CURLMIN(reply->certificate_count, MAX_ALLOWED_CERT_AMOUNT);
    if (count == 0 || !(kept || verbose)) {
        return CURLE_OK;
    }
    CURLcode result = Curl_ssl_init_certinfo(data, (int)count);
    /* Upstream's function writes all that it finds when it is verbose, and keeps what it is told
       to keep. */
    data->set.verbose = FALSE;
    data->set.ssl.certinfo = TRUE;
    for (size_t i = 0; i < count && result == CURLE_OK; i++) {
        const char *der = (const char *)reply->certificates[i].data;
        result = Curl_extract_certinfo(data, (int)i, der, der + reply->certificates[i].size);
    }
    data->set.verbose = verbose;
    data->set.ssl.certinfo = kept;
    if (result == CURLE_OK) {
        infof(data, "Server certificate:");
        infof(data, "  subject: %s", certinfo_field(data, "Subject"));
        infof(data, "  start date: %s", certinfo_field(data, "Start Date"));
        infof(data, "  expire date: %s", certinfo_field(data, "Expire Date"));
        infof(data, "  issuer: %s", certinfo_field(data, "Issuer"));
        infof(data, "SSL certificate verified by codepod's gateway.");
    }
    if (!kept) {
        Curl_ssl_free_certinfo(data);
    }
    return result;
}

static CURLcode check_pin(struct Curl_easy *data, const struct cptls_reply *reply)
{
    const char *pin = CURL_EASY_STR(data, STRING_SSL_PINNEDPUBLICKEY);
    struct Curl_X509certificate certificate = {0};
    if (pin == NULL) {
        return CURLE_OK;
    }
    const unsigned char *key = NULL;
    size_t size = 0;
    if (reply->certificate_count > 0) {
        const char *der = (const char *)reply->certificates[0].data;
        if (Curl_parseX509(&certificate, der, der + reply->certificates[0].size) == 0) {
            key = (const unsigned char *)certificate.subjectPublicKeyInfo.header;
            size = (size_t)(certificate.subjectPublicKeyInfo.end - certificate.subjectPublicKeyInfo.header);
        }
    }
    CURLcode result = Curl_pin_peer_pubkey(data, pin, key, size);
    if (result != CURLE_OK) {
        failf(data, "SSL: public key does not match pinned public key");
    }
    return result;
}

static CURLcode take_reply(struct Curl_cfilter *cf, struct Curl_easy *data, const struct cptls_reply *reply)
{
    struct ssl_connect_data *connssl = cf->ctx;
    infof(data, "SSL connection using %s / %s", reply->version == CPTLS_TLS_1_3 ? "TLSv1.3" : "TLSv1.2", reply->cipher);
    Curl_ssl_cf_get_config(cf, data)->certverifyresult = 0;
    CURLcode result = Curl_alpn_set_negotiated(cf, data, connssl, reply->alpn.size > 0 ? reply->alpn.data : NULL, reply->alpn.size);
    if (result == CURLE_OK) {
        result = take_chain(data, reply);
    }
    return result == CURLE_OK ? check_pin(data, reply) : result;
}

/* What curl calls. */

static CURLcode cp_connect(struct Curl_cfilter *cf, struct Curl_easy *data, bool *done)
{
    struct ssl_connect_data *connssl = cf->ctx;
    struct rustls_ssl_backend_data *backend = backend_of(cf);
    CURLcode result;
    *done = FALSE;
    connssl->io_need = CURL_SSL_IO_NEED_NONE;
    if (backend->tls == NULL) {
        result = begin(cf, data);
        if (result != CURLE_OK) {
            return result;
        }
        connssl->state = ssl_connection_negotiating;
    }
    for (;;) {
        result = send_all(cf, data, backend->tls);
        if (result == CURLE_AGAIN) {
            connssl->io_need = CURL_SSL_IO_NEED_SEND;
            return CURLE_OK;
        }
        /* Whoever ends the connection may have said why. */
        enum cptls_status status = cptls_handshake(backend->tls);
        switch (status) {
        case CPTLS_DONE:
            result = take_reply(cf, data, cptls_reply_of(backend->tls));
            if (result == CURLE_OK) {
                connssl->state = ssl_connection_complete;
                /* What a server says first may be there already. */
                backend->more = TRUE;
                *done = TRUE;
            }
            return result;
        case CPTLS_WANT: break;
        case CPTLS_FAILED: return report_failure(cf, data, cptls_failure_of(backend->tls));
        case CPTLS_NO_MEMORY: return CURLE_OUT_OF_MEMORY;
        default:
            failf(data, "TLS connect error: what answers is not codepod's gateway, which does TLS; servers in the sandbox have none");
            return CURLE_SSL_CONNECT_ERROR;
        }
        result = receive(cf, data, backend->tls);
        if (result == CURLE_AGAIN) {
            connssl->io_need = CURL_SSL_IO_NEED_RECV;
            return CURLE_OK;
        }
        if (result != CURLE_OK) {
            failf(data, "TLS connect error: the connection ended in the handshake; servers in the sandbox have no TLS");
            return result == CURLE_OUT_OF_MEMORY ? result : CURLE_SSL_CONNECT_ERROR;
        }
    }
}

static CURLcode cp_recv(struct Curl_cfilter *cf, struct Curl_easy *data, char *buffer, size_t size, size_t *count)
{
    struct ssl_connect_data *connssl = cf->ctx;
    struct rustls_ssl_backend_data *backend = backend_of(cf);
    *count = 0;
    backend->more = FALSE;
    while (*count < size) {
        size_t read;
        enum cptls_status status = cptls_read(backend->tls, buffer + *count, size - *count, &read);
        *count += read;
        if (status == CPTLS_DONE) {
            continue;
        }
        if (*count > 0) {
            /* What is wrong, or the end, is there the next time as well. */
            backend->more = status != CPTLS_WANT;
            return CURLE_OK;
        }
        CURLcode result;
        switch (status) {
        case CPTLS_WANT:
            result = receive(cf, data, backend->tls);
            if (result == CURLE_GOT_NOTHING) {
                failf(data, "TLS: the connection ended without a close");
                connssl->peer_closed = TRUE;
                return CURLE_RECV_ERROR;
            }
            if (result != CURLE_OK) {
                return result;
            }
            break;
        case CPTLS_CLOSED: connssl->peer_closed = TRUE; return CURLE_OK;
        case CPTLS_FAILED: failf(data, "TLS: %s", cptls_failure_of(backend->tls)->text); return CURLE_RECV_ERROR;
        case CPTLS_NO_MEMORY: return CURLE_OUT_OF_MEMORY;
        default: failf(data, "TLS: %s", cptls_problem(backend->tls)); return CURLE_RECV_ERROR;
        }
    }
    backend->more = TRUE;
    return CURLE_OK;
}

/* Bytes that are in a record already are sent on when curl comes with them again. */
static CURLcode cp_send(struct Curl_cfilter *cf, struct Curl_easy *data, const void *text, size_t size, size_t *count)
{
    struct rustls_ssl_backend_data *backend = backend_of(cf);
    *count = 0;
    if (backend->taken == 0 && size > 0) {
        enum cptls_status status = cptls_write(backend->tls, text, size, &backend->taken);
        if (status == CPTLS_NO_MEMORY) {
            return CURLE_OUT_OF_MEMORY;
        }
        if (status != CPTLS_DONE) {
            failf(data, "TLS: %s", status == CPTLS_FAILED ? cptls_failure_of(backend->tls)->text : cptls_problem(backend->tls));
            return CURLE_SEND_ERROR;
        }
    }
    CURLcode result = send_all(cf, data, backend->tls);
    if (result == CURLE_OK) {
        *count = CURLMIN(backend->taken, size);
        backend->taken = 0;
    }
    return result;
}

static bool cp_data_pending(struct Curl_cfilter *cf, const struct Curl_easy *data)
{
    (void)data;
    return backend_of(cf)->more;
}

static CURLcode cp_shutdown(struct Curl_cfilter *cf, struct Curl_easy *data, bool send_shutdown, bool *done)
{
    struct ssl_connect_data *connssl = cf->ctx;
    struct cptls *tls = backend_of(cf)->tls;
    CURLcode result = CURLE_OK;
    *done = TRUE;
    if (tls == NULL || cf->shutdown) {
        return CURLE_OK;
    }
    connssl->io_need = CURL_SSL_IO_NEED_NONE;
    if (send_shutdown && cptls_close(tls) == CPTLS_DONE) {
        result = send_all(cf, data, tls);
        if (result == CURLE_AGAIN) {
            connssl->io_need = CURL_SSL_IO_NEED_SEND;
            *done = FALSE;
            return CURLE_OK;
        }
    }
    cf->shutdown = TRUE;
    return result;
}

static void cp_close(struct Curl_cfilter *cf, struct Curl_easy *data)
{
    struct rustls_ssl_backend_data *backend = backend_of(cf);
    (void)data;
    cptls_free(backend->tls);
    *backend = (struct rustls_ssl_backend_data){0};
}

static size_t cp_version(char *buffer, size_t size)
{
    return (size_t)curl_msnprintf(buffer, size, "codepod-gateway/1");
}

static CURLcode cp_random(struct Curl_easy *data, unsigned char *bytes, size_t size)
{
    (void)data;
    return getentropy(bytes, size) == 0 ? CURLE_OK : CURLE_FAILED_INIT;
}

/* Whether the option is known; refuse() says what comes of it. */
static bool cp_cert_status_request(void)
{
    return TRUE;
}

static CURLcode cp_set_engine(struct Curl_easy *data, const char *engine)
{
    failf(data, "SSL engine '%s' not found", engine);
    return CURLE_SSL_ENGINE_NOTFOUND;
}

static void *cp_internals(struct ssl_connect_data *connssl, CURLINFO info)
{
    (void)info;
    return ((struct rustls_ssl_backend_data *)connssl->backend)->tls;
}

static CURLcode cp_sha256sum(const unsigned char *input, size_t input_size, unsigned char *sum, size_t sum_size)
{
    (void)sum_size;
    return Curl_sha256it(sum, input, input_size);
}

const struct Curl_ssl Curl_ssl_rustls = {
    .info = {CURLSSLBACKEND_RUSTLS, "codepod-gateway"},
    /* With what refuse() refuses: curl ignores what is not in this list. */
    .supports = SSLSUPP_CAINFO_BLOB | SSLSUPP_CA_PATH | SSLSUPP_CERTINFO | SSLSUPP_CIPHER_LIST | SSLSUPP_CRLFILE | SSLSUPP_ISSUERCERT |
                SSLSUPP_ISSUERCERT_BLOB | SSLSUPP_PINNEDPUBKEY | SSLSUPP_SIGNATURE_ALGORITHMS | SSLSUPP_SSL_EC_CURVES |
                SSLSUPP_TLS13_CIPHERSUITES,
    .sizeof_ssl_backend_data = sizeof(struct rustls_ssl_backend_data),
    .version = cp_version,
    .shut_down = cp_shutdown,
    .data_pending = cp_data_pending,
    .random = cp_random,
    .cert_status_request = cp_cert_status_request,
    .do_connect = cp_connect,
    .adjust_pollset = Curl_ssl_adjust_pollset,
    .get_internals = cp_internals,
    .close = cp_close,
    .set_engine = cp_set_engine,
    .sha256sum = cp_sha256sum,
    .recv_plain = cp_recv,
    .send_plain = cp_send,
};
