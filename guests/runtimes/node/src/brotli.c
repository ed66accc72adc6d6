/* Brotli: a stream's state, and one step of it. bindings/brotli.js has Node's rules around it. */
#include <stdlib.h>
#include <string.h>

#include <brotli/decode.h>
#include <brotli/encode.h>

#include "engine.h"

struct stream {
    BrotliEncoderState *encoder; /* one of the two */
    BrotliDecoderState *decoder;
    BrotliEncoderPreparedDictionary *prepared;
    uint8_t *dictionary;
};

static JSClassID stream_class;

/* Tables are computed when the first stream is made, and not carried (BROTLI_STATIC_INIT). Upstream leaves it to C++ to do so once. */
extern void BrotliEncoderLazyStaticInitInner(void);
extern void BrotliDecoderLazyStaticInitInner(void);

static void make_tables(bool is_encoder)
{
    static bool made[2];
    if (!made[is_encoder]) {
        made[is_encoder] = true;
        (is_encoder ? BrotliEncoderLazyStaticInitInner : BrotliDecoderLazyStaticInitInner)();
    }
}

static void end(struct stream *stream)
{
    if (stream->encoder != NULL) {
        BrotliEncoderDestroyInstance(stream->encoder);
    }
    if (stream->decoder != NULL) {
        BrotliDecoderDestroyInstance(stream->decoder);
    }
    if (stream->prepared != NULL) {
        BrotliEncoderDestroyPreparedDictionary(stream->prepared);
    }
    free(stream->dictionary);
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

static const JSClassDef stream_definition = {"brotli stream", .finalizer = finalize};

void brotli_prepare(JSRuntime *runtime)
{
    JS_NewClassID(runtime, &stream_class);
    JS_NewClass(runtime, stream_class, &stream_definition);
}

/* Sets what is not all ones; the number of the first that cannot be set, or -1. */
static int set_parameters(struct stream *stream, const struct bytes *parameters)
{
    for (size_t i = 0; i < parameters->length / sizeof(uint32_t); i++) {
        uint32_t value;
        memcpy(&value, parameters->at + i * sizeof value, sizeof value);
        if (value == UINT32_MAX) {
            continue;
        }
        bool is_set = stream->encoder != NULL ? BrotliEncoderSetParameter(stream->encoder, (BrotliEncoderParameter)i, value)
                                              : BrotliDecoderSetParameter(stream->decoder, (BrotliDecoderParameter)i, value);
        if (!is_set) {
            return (int)i;
        }
    }
    return -1;
}

static bool attach_dictionary(struct stream *stream, const struct bytes *given)
{
    stream->dictionary = malloc(given->length + 1);
    if (stream->dictionary == NULL) {
        return false;
    }
    memcpy(stream->dictionary, given->at, given->length);
    if (stream->decoder != NULL) {
        return BrotliDecoderAttachDictionary(stream->decoder, BROTLI_SHARED_DICTIONARY_RAW, given->length, stream->dictionary);
    }
    stream->prepared = BrotliEncoderPrepareDictionary(BROTLI_SHARED_DICTIONARY_RAW, given->length, stream->dictionary, BROTLI_MAX_QUALITY, NULL, NULL, NULL);
    return stream->prepared != NULL && BrotliEncoderAttachPreparedDictionary(stream->encoder, stream->prepared);
}

/* whether to compress, Uint32Array of parameters, dictionary or undefined: a stream; a number if a parameter or the dictionary is wrong. */
static FUNCTION(brotliOpen)
{
    struct bytes parameters, dictionary;
    bool has_dictionary = !JS_IsUndefined(argv[2]);
    if (bytes_of(ctx, argv[1], &parameters) != 0 || (has_dictionary && bytes_of(ctx, argv[2], &dictionary) != 0)) {
        return JS_EXCEPTION;
    }
    struct stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    make_tables(JS_ToBool(ctx, argv[0]));
    if (JS_ToBool(ctx, argv[0])) {
        stream->encoder = BrotliEncoderCreateInstance(NULL, NULL, NULL);
    }
    else {
        stream->decoder = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    }
    bool is_made = stream->encoder != NULL || stream->decoder != NULL;
    if (!is_made || set_parameters(stream, &parameters) >= 0 || (has_dictionary && !attach_dictionary(stream, &dictionary))) {
        end(stream);
        free(stream);
        return JS_NewInt32(ctx, is_made ? 1 : 2);
    }
    JSValue object = JS_NewObjectClass(ctx, stream_class);
    if (JS_IsException(object)) {
        end(stream);
        free(stream);
        return object;
    }
    JS_SetOpaque(object, stream);
    return object;
}

/* stream, operation, input or null, [offset, length, offset of the output, its length], output: [status, bytes of output left, bytes of
   input left, error of decoding]. The status is the encoder's (0 is a failure) or the decoder's result. */
static FUNCTION(brotliStep)
{
    struct stream *stream = JS_GetOpaque2(ctx, argv[0], stream_class);
    struct step step;
    if (stream == NULL || step_of(ctx, argv[2], argv[3], argv[4], &step) != 0) {
        return JS_EXCEPTION;
    }
    if (stream->encoder == NULL && stream->decoder == NULL) {
        return JS_ThrowInternalError(ctx, "the stream is closed");
    }
    const uint8_t *next_in = step.in.at;
    uint8_t *next_out = step.out.at;
    size_t left_in = step.in.length, left_out = step.out.length;
    int64_t operation = integer_of(ctx, argv[1]);
    operation = operation < BROTLI_OPERATION_PROCESS || operation > BROTLI_OPERATION_EMIT_METADATA ? BROTLI_OPERATION_PROCESS : operation;
    int status = 0;
    const char *error = NULL;
    int number = 0;
    if (stream->encoder != NULL) {
        status = BrotliEncoderCompressStream(stream->encoder, (BrotliEncoderOperation)operation, &left_in, &next_in, &left_out, &next_out, NULL);
    }
    else {
        status = BrotliDecoderDecompressStream(stream->decoder, &left_in, &next_in, &left_out, &next_out, NULL);
        if (status == BROTLI_DECODER_RESULT_ERROR) {
            BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(stream->decoder);
            number = code;
            error = BrotliDecoderErrorString(code);
        }
    }
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, JS_NewInt32(ctx, status));
    put_entry(ctx, list, 1, JS_NewInt64(ctx, (int64_t)left_out));
    put_entry(ctx, list, 2, JS_NewInt64(ctx, (int64_t)left_in));
    put_entry(ctx, list, 3, error != NULL ? JS_NewString(ctx, error) : JS_UNDEFINED);
    put_entry(ctx, list, 4, JS_NewInt32(ctx, number));
    return list;
}

static FUNCTION(brotliClose)
{
    struct stream *stream = JS_GetOpaque2(ctx, argv[0], stream_class);
    if (stream == NULL) {
        return JS_EXCEPTION;
    }
    end(stream);
    return JS_UNDEFINED;
}

const struct native brotli_natives[] = {NATIVE(brotliOpen), NATIVE(brotliStep), NATIVE(brotliClose), {0}};
