/* Zstandard: a stream's state, and one step of it. bindings/zstd.js has Node's rules around it. */
#include <stdlib.h>
#include <string.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "engine.h"

struct stream {
    ZSTD_CCtx *compressor; /* one of the two */
    ZSTD_DCtx *decompressor;
};

static JSClassID stream_class;

static void end(struct stream *stream)
{
    ZSTD_freeCCtx(stream->compressor);
    ZSTD_freeDCtx(stream->decompressor);
    *stream = (struct stream){0};
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    struct stream *stream = JS_GetOpaque(value, stream_class);
    if (stream != NULL) {
        end(stream);
        free(stream);
    }
}

static const JSClassDef stream_definition = {"zstd stream", .finalizer = finalize};

void zstd_prepare(JSRuntime *runtime)
{
    JS_NewClassID(runtime, &stream_class);
    JS_NewClass(runtime, stream_class, &stream_definition);
}

/* What went wrong, or NULL. */
static const char *load_dictionary(struct stream *stream, const struct bytes *given)
{
    size_t result = stream->compressor != NULL ? ZSTD_CCtx_loadDictionary(stream->compressor, given->at, given->length)
                                               : ZSTD_DCtx_loadDictionary(stream->decompressor, given->at, given->length);
    return ZSTD_isError(result) ? "Failed to load zstd dictionary" : NULL;
}

/* Sets what is not all ones. */
static const char *set_parameters(struct stream *stream, const struct bytes *parameters)
{
    for (size_t i = 0; i < parameters->length / sizeof(uint32_t); i++) {
        uint32_t value;
        memcpy(&value, parameters->at + i * sizeof value, sizeof value);
        if (value == UINT32_MAX) {
            continue;
        }
        size_t result = stream->compressor != NULL ? ZSTD_CCtx_setParameter(stream->compressor, (ZSTD_cParameter)i, (int)value)
                                                   : ZSTD_DCtx_setParameter(stream->decompressor, (ZSTD_dParameter)i, (int)value);
        if (ZSTD_isError(result)) {
            return "Setting parameter failed";
        }
    }
    return NULL;
}

static const char *set_up(JSContext *ctx, struct stream *stream, JSValueConst *argv, const struct bytes *parameters, const struct bytes *dictionary)
{
    const char *wrong = NULL;
    if (stream->compressor == NULL && stream->decompressor == NULL) {
        return "Could not initialize zstd instance";
    }
    if (dictionary->length > 0 && (wrong = load_dictionary(stream, dictionary)) != NULL) {
        return wrong;
    }
    if (stream->compressor != NULL && !JS_IsUndefined(argv[2]) &&
        ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(stream->compressor, (unsigned long long)integer_of(ctx, argv[2])))) {
        return "Could not set pledged src size";
    }
    return set_parameters(stream, parameters);
}

/* whether to compress, Uint32Array of parameters, size of what will come or undefined, dictionary or undefined: a stream, or what is
   wrong as text. */
static FUNCTION(zstdOpen)
{
    struct bytes parameters, dictionary = {0};
    if (bytes_of(ctx, argv[1], &parameters) != 0 || (!JS_IsUndefined(argv[3]) && bytes_of(ctx, argv[3], &dictionary) != 0)) {
        return JS_EXCEPTION;
    }
    struct stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    if (JS_ToBool(ctx, argv[0])) {
        stream->compressor = ZSTD_createCCtx();
    }
    else {
        stream->decompressor = ZSTD_createDCtx();
    }
    const char *wrong = set_up(ctx, stream, argv, &parameters, &dictionary);
    JSValue object = wrong != NULL ? JS_NewString(ctx, wrong) : JS_NewObjectClass(ctx, stream_class);
    if (wrong != NULL || JS_IsException(object)) {
        end(stream);
        free(stream);
        return object;
    }
    JS_SetOpaque(object, stream);
    return object;
}

/* stream, operation, input or null, [offset, length, offset of the output, its length], output: [whether a frame is complete, bytes of
   output left, bytes of input left, number of the error, its text] */
static FUNCTION(zstdStep)
{
    struct stream *stream = JS_GetOpaque2(ctx, argv[0], stream_class);
    struct step step;
    if (stream == NULL || step_of(ctx, argv[2], argv[3], argv[4], &step) != 0) {
        return JS_EXCEPTION;
    }
    int64_t operation = integer_of(ctx, argv[1]);
    operation = operation < ZSTD_e_continue || operation > ZSTD_e_end ? ZSTD_e_continue : operation;
    ZSTD_inBuffer input = {step.in.at, step.in.length, 0};
    ZSTD_outBuffer output = {step.out.at, step.out.length, 0};
    size_t result;
    if (stream->compressor != NULL) {
        result = ZSTD_compressStream2(stream->compressor, &output, &input, (ZSTD_EndDirective)operation);
    }
    else if (stream->decompressor != NULL) {
        result = ZSTD_decompressStream(stream->decompressor, &output, &input);
    }
    else {
        return JS_ThrowInternalError(ctx, "the stream is closed");
    }
    ZSTD_ErrorCode error = ZSTD_getErrorCode(result);
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, JS_NewBool(ctx, result == 0));
    put_entry(ctx, list, 1, JS_NewInt64(ctx, (int64_t)(output.size - output.pos)));
    put_entry(ctx, list, 2, JS_NewInt64(ctx, (int64_t)(input.size - input.pos)));
    put_entry(ctx, list, 3, JS_NewInt32(ctx, (int)error));
    put_entry(ctx, list, 4, error != ZSTD_error_no_error ? JS_NewString(ctx, ZSTD_getErrorString(error)) : JS_UNDEFINED);
    return list;
}

static FUNCTION(zstdClose)
{
    struct stream *stream = JS_GetOpaque2(ctx, argv[0], stream_class);
    if (stream == NULL) {
        return JS_EXCEPTION;
    }
    end(stream);
    return JS_UNDEFINED;
}

const struct native zstd_natives[] = {NATIVE(zstdOpen), NATIVE(zstdStep), NATIVE(zstdClose), {0}};
