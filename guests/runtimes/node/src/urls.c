/* URLs by ada, and the exports of CommonJS modules by merve: the libraries that Node itself uses. */
#include <string.h>

#include "ada_c.h"
#include "engine.h"
#include "merve_c.h"

/* An argument as UTF-8; `at` is NULL, with an exception, if it cannot be one. */
struct utf8 {
    const char *at;
    size_t length;
};

static struct utf8 utf8_of(JSContext *ctx, JSValueConst value)
{
    struct utf8 text = {0};
    text.at = JS_ToCStringLen(ctx, &text.length, value);
    return text;
}

/* The address, with its parts in a Uint32Array of nine; false if it is none. Takes the URL. */
static JSValue url_result(JSContext *ctx, ada_url url, JSValueConst parts)
{
    struct bytes bytes;
    JSValue result = JS_FALSE;
    if (ada_is_valid(url)) {
        const ada_url_components *at = ada_get_components(url);
        const uint32_t numbers[9] = {at->protocol_end,   at->username_end, at->host_start, at->host_end, at->port,
                                     at->pathname_start, at->search_start, at->hash_start, ada_get_scheme_type(url)};
        if (bytes_of(ctx, parts, &bytes) == 0 && bytes.length >= sizeof numbers) {
            memcpy(bytes.at, numbers, sizeof numbers);
        }
        ada_string address = ada_get_href(url);
        result = text_from_utf8(ctx, (const uint8_t *)address.data, address.length);
    }
    ada_free(url);
    return result;
}

/* address, base or undefined, parts */
static FUNCTION(parseUrl)
{
    struct utf8 base = {0}, address = utf8_of(ctx, argv[0]);
    bool has_base = !JS_IsUndefined(argv[1]);
    if (address.at != NULL && has_base) {
        base = utf8_of(ctx, argv[1]);
    }
    JSValue result = JS_EXCEPTION;
    if (address.at != NULL && (!has_base || base.at != NULL)) {
        ada_url url = has_base ? ada_parse_with_base(address.at, address.length, base.at, base.length)
                               : ada_parse(address.at, address.length);
        result = url_result(ctx, url, argv[2]);
    }
    JS_FreeCString(ctx, address.at);
    JS_FreeCString(ctx, base.at);
    return result;
}

/* What to set: the numbers of `kProtocol` and so on in internal/url. */
static bool set_part(ada_url url, int64_t part, struct utf8 value)
{
    const char *at = value.at;
    size_t length = value.length;
    switch (part) {
    case 0: return ada_set_protocol(url, at, length);
    case 1: return ada_set_host(url, at, length);
    case 2: return ada_set_hostname(url, at, length);
    case 3:
        if (length == 0) {
            ada_clear_port(url);
            return true;
        }
        return ada_set_port(url, at, length);
    case 4: return ada_set_username(url, at, length);
    case 5: return ada_set_password(url, at, length);
    case 6: return ada_set_pathname(url, at, length);
    case 7:
        if (length == 0) {
            ada_clear_search(url);
        }
        else {
            ada_set_search(url, at, length);
        }
        return true;
    case 8:
        if (length == 0) {
            ada_clear_hash(url);
        }
        else {
            ada_set_hash(url, at, length);
        }
        return true;
    case 9: return ada_set_href(url, at, length);
    }
    return false;
}

/* address, what, value, parts */
static FUNCTION(updateUrl)
{
    struct utf8 address = utf8_of(ctx, argv[0]), value = utf8_of(ctx, argv[2]);
    JSValue result = JS_EXCEPTION;
    if (address.at != NULL && value.at != NULL) {
        ada_url url = ada_parse(address.at, address.length);
        if (ada_is_valid(url) && set_part(url, integer_of(ctx, argv[1]), value)) {
            result = url_result(ctx, url, argv[3]);
        }
        else {
            ada_free(url);
            result = JS_FALSE;
        }
    }
    JS_FreeCString(ctx, address.at);
    JS_FreeCString(ctx, value.at);
    return result;
}

/* domain, whether to Unicode */
static FUNCTION(idna)
{
    struct utf8 domain = utf8_of(ctx, argv[0]);
    if (domain.at == NULL) {
        return JS_EXCEPTION;
    }
    ada_owned_string text = JS_ToBool(ctx, argv[1]) ? ada_idna_to_unicode(domain.at, domain.length)
                                                    : ada_idna_to_ascii(domain.at, domain.length);
    JSValue result = text_from_utf8(ctx, (const uint8_t *)text.data, text.length);
    ada_free_owned_string(text);
    JS_FreeCString(ctx, domain.at);
    return result;
}

static JSValue list_of(JSContext *ctx, merve_analysis analysis, size_t count, merve_string (*get)(merve_analysis, size_t))
{
    JSValue list = JS_NewArray(ctx);
    for (size_t i = 0; i < count; i++) {
        merve_string name = get(analysis, i);
        put_entry(ctx, list, (uint32_t)i, text_from_utf8(ctx, (const uint8_t *)name.data, name.length));
    }
    return list;
}

/* source of a CommonJS module: [names that it exports, modules that it exports again], or null where it is none. */
static FUNCTION(commonjsExports)
{
    struct utf8 source = utf8_of(ctx, argv[0]);
    if (source.at == NULL) {
        return JS_EXCEPTION;
    }
    merve_analysis analysis = merve_parse_commonjs(source.at, source.length, NULL);
    JSValue result = JS_NULL;
    if (merve_is_valid(analysis)) {
        result = JS_NewArray(ctx);
        put_entry(ctx, result, 0, list_of(ctx, analysis, merve_get_exports_count(analysis), merve_get_export_name));
        put_entry(ctx, result, 1, list_of(ctx, analysis, merve_get_reexports_count(analysis), merve_get_reexport_name));
    }
    merve_free(analysis);
    JS_FreeCString(ctx, source.at);
    return result;
}

const struct native url_natives[] = {NATIVE(parseUrl), NATIVE(updateUrl), NATIVE(idna), NATIVE(commonjsExports), {0}};
