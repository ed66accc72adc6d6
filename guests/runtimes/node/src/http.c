/* HTTP/1: llhttp's parser, and what it tells as it goes through some bytes. bindings/http.js has Node's rules around it.
 *
 * A parser calls one function of JavaScript for each event, with offsets into the bytes that it was given. Those are copied first:
 * what the function does to them, to the parser or to another one changes nothing of what is being read.
 */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "llhttp.h"

/* Numbers of bindings/http.js. */
enum event { BEGIN, URL, STATUS, FIELD, VALUE, HEADERS, BODY, END, EXTENSION, CHUNK_HEADER, CHUNK_COMPLETE };

struct parser {
    llhttp_t state;
    uint32_t events; /* which it tells: bits */
    /* While it reads: */
    JSContext *ctx;
    JSValueConst tell;
    const char *begin;
    bool is_busy, has_thrown;
};

static JSClassID parser_class;

static void finalize(JSRuntime *runtime, JSValueConst value) { free(JS_GetOpaque(value, parser_class)); }

static const JSClassDef parser_definition = {"http parser", .finalizer = finalize};

void http_prepare(JSRuntime *runtime)
{
    JS_NewClassID(runtime, &parser_class);
    JS_NewClass(runtime, parser_class, &parser_definition);
}

/* Tells an event; its value is llhttp's: 0 to go on. */
static int tell(llhttp_t *state, enum event event, const char *at, size_t length)
{
    struct parser *parser = (struct parser *)state;
    if (!(parser->events & 1u << event) || parser->has_thrown) {
        return parser->has_thrown ? HPE_USER : 0;
    }
    JSContext *ctx = parser->ctx;
    JSValue given[3] = {JS_NewInt32(ctx, event), JS_NewInt64(ctx, at == NULL ? 0 : at - parser->begin), JS_NewInt64(ctx, (int64_t)length)};
    JSValue result = JS_Call(ctx, parser->tell, JS_UNDEFINED, 3, (JSValueConst *)given);
    int32_t number = 0;
    if (JS_IsException(result) || JS_ToInt32(ctx, &number, result) != 0) {
        parser->has_thrown = true;
        JS_FreeValue(ctx, result);
        llhttp_set_error_reason(state, "");
        return HPE_USER;
    }
    JS_FreeValue(ctx, result);
    if (number == HPE_USER) {
        llhttp_set_error_reason(state, "");
    }
    return number;
}

#define EVENT(name, event) \
    static int on_##name(llhttp_t *state) { return tell(state, event, NULL, 0); }
#define DATA(name, event) \
    static int on_##name(llhttp_t *state, const char *at, size_t length) { return tell(state, event, at, length); }

EVENT(begin, BEGIN)
DATA(url, URL)
DATA(status, STATUS)
DATA(field, FIELD)
DATA(value, VALUE)
EVENT(headers, HEADERS)
DATA(body, BODY)
EVENT(end, END)
DATA(extension, EXTENSION)
EVENT(chunk_header, CHUNK_HEADER)
EVENT(chunk_complete, CHUNK_COMPLETE)

static const llhttp_settings_t settings = {
    .on_message_begin = on_begin,
    .on_url = on_url,
    .on_status = on_status,
    .on_header_field = on_field,
    .on_header_value = on_value,
    .on_chunk_extension_name = on_extension,
    .on_chunk_extension_value = on_extension,
    .on_headers_complete = on_headers,
    .on_body = on_body,
    .on_message_complete = on_end,
    .on_chunk_header = on_chunk_header,
    .on_chunk_complete = on_chunk_complete,
};

static struct parser *parser_of(JSContext *ctx, JSValueConst value) { return JS_GetOpaque2(ctx, value, parser_class); }

/* type (1 request, 2 response, 0 either), flags of leniency, events to tell. */
static FUNCTION(httpOpen)
{
    static void (*const lenient[])(llhttp_t *, int) = {
        llhttp_set_lenient_headers, llhttp_set_lenient_chunked_length, llhttp_set_lenient_keep_alive,
        llhttp_set_lenient_transfer_encoding, llhttp_set_lenient_version, llhttp_set_lenient_data_after_close,
        llhttp_set_lenient_optional_lf_after_cr, llhttp_set_lenient_optional_crlf_after_chunk,
        llhttp_set_lenient_optional_cr_before_lf, llhttp_set_lenient_spaces_after_chunk_size,
        llhttp_set_lenient_header_value_relaxed,
    };
    int64_t type = integer_of(ctx, argv[0]), flags = integer_of(ctx, argv[1]);
    if (type < HTTP_BOTH || type > HTTP_RESPONSE) {
        return JS_ThrowRangeError(ctx, "no such type of parser");
    }
    struct parser *parser = calloc(1, sizeof *parser);
    if (parser == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    parser->events = (uint32_t)integer_of(ctx, argv[2]);
    llhttp_init(&parser->state, (llhttp_type_t)type, &settings);
    for (size_t i = 0; i < sizeof lenient / sizeof *lenient; i++) {
        if (flags & 1 << i) {
            lenient[i](&parser->state, 1);
        }
    }
    JSValue object = JS_NewObjectClass(ctx, parser_class);
    if (JS_IsException(object)) {
        free(parser);
        return object;
    }
    JS_SetOpaque(object, parser);
    return object;
}

/* parser, bytes or null for the end of all, function to tell: [llhttp's error, 0 if there is none, how much was read, name of the
   error]. Throws what the function throws. */
static FUNCTION(httpExecute)
{
    struct parser *parser = parser_of(ctx, argv[0]);
    struct bytes bytes = {0};
    bool is_end = JS_IsNull(argv[1]);
    if (parser == NULL || (!is_end && bytes_of(ctx, argv[1], &bytes) != 0)) {
        return JS_EXCEPTION;
    }
    if (parser->is_busy) {
        return JS_ThrowInternalError(ctx, "the parser is reading already");
    }
    char *copy = malloc(bytes.length + 1);
    if (copy == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    if (bytes.length > 0) {
        memcpy(copy, bytes.at, bytes.length);
    }
    parser->ctx = ctx;
    parser->tell = argv[2];
    parser->begin = copy;
    parser->is_busy = true;
    parser->has_thrown = false;
    llhttp_errno_t error = is_end ? llhttp_finish(&parser->state) : llhttp_execute(&parser->state, copy, bytes.length);
    const char *stopped = llhttp_get_error_pos(&parser->state);
    size_t consumed = bytes.length;
    if (error != HPE_OK && !is_end && stopped >= copy && stopped <= copy + bytes.length) {
        consumed = (size_t)(stopped - copy);
    }
    parser->is_busy = false;
    parser->begin = NULL;
    parser->tell = JS_UNDEFINED;
    free(copy);
    if (parser->has_thrown) {
        return JS_EXCEPTION;
    }
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, JS_NewInt32(ctx, error));
    put_entry(ctx, list, 1, JS_NewInt64(ctx, (int64_t)consumed));
    /* Not of the state, which does not keep an error of the end. */
    put_entry(ctx, list, 2, JS_NewString(ctx, llhttp_errno_name(error)));
    return list;
}

/* parser: [type, method, status, major, minor, upgrade, keep alive] of the message that it is in. */
static FUNCTION(httpMessage)
{
    struct parser *parser = parser_of(ctx, argv[0]);
    if (parser == NULL) {
        return JS_EXCEPTION;
    }
    const llhttp_t *state = &parser->state;
    const int numbers[] = {state->type, state->method, state->status_code, state->http_major, state->http_minor, state->upgrade, llhttp_should_keep_alive(state)};
    JSValue list = JS_NewArray(ctx);
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        put_entry(ctx, list, i, JS_NewInt32(ctx, numbers[i]));
    }
    return list;
}

/* parser: [name of its error, reason]. */
static FUNCTION(httpError)
{
    struct parser *parser = parser_of(ctx, argv[0]);
    if (parser == NULL) {
        return JS_EXCEPTION;
    }
    const char *reason = llhttp_get_error_reason(&parser->state);
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, JS_NewString(ctx, llhttp_errno_name(llhttp_get_errno(&parser->state))));
    put_entry(ctx, list, 1, JS_NewString(ctx, reason != NULL ? reason : ""));
    return list;
}

/* parser, 0 to pause, 1 to go on, 2 to go on after an upgrade. */
static FUNCTION(httpControl)
{
    struct parser *parser = parser_of(ctx, argv[0]);
    if (parser == NULL) {
        return JS_EXCEPTION;
    }
    switch (integer_of(ctx, argv[1])) {
    case 0: llhttp_pause(&parser->state); break;
    case 1: llhttp_resume(&parser->state); break;
    default: llhttp_resume_after_upgrade(&parser->state); break;
    }
    return JS_UNDEFINED;
}

const struct native http_natives[] = {NATIVE(httpOpen), NATIVE(httpExecute), NATIVE(httpMessage), NATIVE(httpError), NATIVE(httpControl), {0}};
