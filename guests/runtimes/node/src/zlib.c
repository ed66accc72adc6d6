/* Compression by zlib: a stream's state, and one step of it. bindings/zlib.js has Node's rules around it. */
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "zlib.h"

/* Numbers of node_zlib_mode. */
enum mode { NONE, DEFLATE, INFLATE, GZIP, GUNZIP, DEFLATERAW, INFLATERAW, UNZIP };

struct stream {
    z_stream state;
    enum mode mode;
    int window_bits;
    uint8_t *dictionary;
    size_t dictionary_length;
    bool is_open;
    bool refuses_garbage;   /* behind a member of a gzip file */
    size_t magic_bytes;     /* of UNZIP: how many of gzip's there have been */
};

static JSClassID stream_class;

static bool deflates(const struct stream *stream)
{
    return stream->mode == DEFLATE || stream->mode == GZIP || stream->mode == DEFLATERAW;
}

static void end(struct stream *stream)
{
    if (stream->is_open) {
        (void)(deflates(stream) ? deflateEnd(&stream->state) : inflateEnd(&stream->state));
        stream->is_open = false;
    }
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    struct stream *stream = JS_GetOpaque(value, stream_class);
    if (stream != NULL) {
        end(stream);
        free(stream->dictionary);
        free(stream);
    }
}

static const JSClassDef stream_definition = {"zlib stream", .finalizer = finalize};

void zlib_prepare(JSRuntime *runtime)
{
    JS_NewClassID(runtime, &stream_class);
    JS_NewClass(runtime, stream_class, &stream_definition);
}

/* How zlib wants a window for a mode: a gzip header adds 16, finding out which one 32, none is negative. */
static int bits_for(const struct stream *stream)
{
    switch (stream->mode) {
    case GZIP:
    case GUNZIP: return stream->window_bits + 16;
    case UNZIP: return stream->window_bits + 32;
    case DEFLATERAW:
    case INFLATERAW: return -stream->window_bits;
    default: return stream->window_bits;
    }
}

static int set_dictionary(struct stream *stream)
{
    if (stream->dictionary == NULL) {
        return Z_OK;
    }
    const Bytef *bytes = stream->dictionary;
    uInt length = (uInt)stream->dictionary_length;
    return deflates(stream) ? deflateSetDictionary(&stream->state, bytes, length) : inflateSetDictionary(&stream->state, bytes, length);
}

/* mode, window bits, level, memory level, strategy, dictionary or undefined, whether nothing may follow: a stream, or an error of
   zlib's. */
static FUNCTION(zlibOpen)
{
    struct bytes dictionary;
    if (!JS_IsUndefined(argv[5]) && bytes_of(ctx, argv[5], &dictionary) != 0) {
        return JS_EXCEPTION;
    }
    struct stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return JS_ThrowOutOfMemory(ctx);
    }
    stream->mode = (enum mode)integer_of(ctx, argv[0]);
    stream->window_bits = (int)integer_of(ctx, argv[1]);
    stream->refuses_garbage = JS_ToBool(ctx, argv[6]) == 1;
    int error = deflates(stream) ? deflateInit2(&stream->state, (int)integer_of(ctx, argv[2]), Z_DEFLATED, bits_for(stream),
                                                (int)integer_of(ctx, argv[3]), (int)integer_of(ctx, argv[4]))
                                 : inflateInit2(&stream->state, bits_for(stream));
    stream->is_open = error == Z_OK;
    if (error == Z_OK && !JS_IsUndefined(argv[5])) {
        stream->dictionary = malloc(dictionary.length + 1);
        stream->dictionary_length = dictionary.length;
        error = stream->dictionary == NULL ? Z_MEM_ERROR : Z_OK;
        if (error == Z_OK) {
            memcpy(stream->dictionary, dictionary.at, dictionary.length);
            /* One with a header asks for it when it is needed. */
            error = deflates(stream) || stream->mode == INFLATERAW ? set_dictionary(stream) : Z_OK;
        }
    }
    if (error != Z_OK) {
        end(stream);
        free(stream->dictionary);
        free(stream);
        return JS_NewInt32(ctx, error);
    }
    JSValue object = JS_NewObjectClass(ctx, stream_class);
    if (JS_IsException(object)) {
        end(stream);
        free(stream->dictionary);
        free(stream);
        return object;
    }
    JS_SetOpaque(object, stream);
    return object;
}

static struct stream *stream_of(JSContext *ctx, JSValueConst value)
{
    struct stream *stream = JS_GetOpaque2(ctx, value, stream_class);
    if (stream != NULL && !stream->is_open) {
        JS_ThrowInternalError(ctx, "the stream is closed");
        return NULL;
    }
    return stream;
}

/* Whether it is gzip or zlib: what begins with 1f 8b is a gzip file, and may have members. */
static void find_mode(struct stream *stream)
{
    static const Bytef magic[] = {0x1f, 0x8b};
    const Bytef *next = stream->state.next_in;
    for (uInt left = stream->state.avail_in; stream->mode == UNZIP && left > 0; left--) {
        if (*next++ != magic[stream->magic_bytes++]) {
            stream->mode = INFLATE;
        }
        else if (stream->magic_bytes == sizeof magic) {
            stream->mode = GUNZIP;
        }
    }
}

static int inflate_step(struct stream *stream, int flush)
{
    find_mode(stream);
    int error = inflate(&stream->state, flush);
    if (error == Z_NEED_DICT && stream->dictionary != NULL) {
        error = set_dictionary(stream);
        /* Z_DATA_ERROR here: it is another one than the data was made with. */
        error = error == Z_OK ? inflate(&stream->state, flush) : error == Z_DATA_ERROR ? Z_NEED_DICT : error;
    }
    /* Members of a gzip file follow each other; zeros behind them are not one. */
    while (stream->mode == GUNZIP && !stream->refuses_garbage && error == Z_STREAM_END && stream->state.avail_in > 0 && stream->state.next_in[0] != 0) {
        inflateReset(&stream->state);
        error = inflate(&stream->state, flush);
    }
    return error;
}

/* The bytes of a step are the program's, and may be gone when zlib is called next: changing parameters can write. */
static void forget_bytes(z_stream *state)
{
    static Bytef nothing;
    state->next_in = state->next_out = &nothing;
    state->avail_in = state->avail_out = 0;
}

/* stream, flush, input or null, [offset, length, offset of the output, its length], output: [status, bytes of output left,
   bytes of input left, message] */
static FUNCTION(zlibStep)
{
    struct stream *stream = stream_of(ctx, argv[0]);
    struct step step;
    if (stream == NULL || step_of(ctx, argv[2], argv[3], argv[4], &step) != 0) {
        return JS_EXCEPTION;
    }
    z_stream *state = &stream->state;
    state->next_in = step.in.at;
    state->avail_in = (uInt)step.in.length;
    state->next_out = step.out.at;
    state->avail_out = (uInt)step.out.length;
    state->msg = NULL;
    int flush = (int)integer_of(ctx, argv[1]);
    int status = deflates(stream) ? deflate(state, flush) : inflate_step(stream, flush);
    uint32_t left_out = state->avail_out, left_in = state->avail_in;
    forget_bytes(state);
    JSValue list = JS_NewArray(ctx);
    put_entry(ctx, list, 0, JS_NewInt32(ctx, status));
    put_entry(ctx, list, 1, JS_NewUint32(ctx, left_out));
    put_entry(ctx, list, 2, JS_NewUint32(ctx, left_in));
    put_entry(ctx, list, 3, state->msg != NULL ? JS_NewString(ctx, state->msg) : JS_UNDEFINED);
    return list;
}

static FUNCTION(zlibParams)
{
    struct stream *stream = stream_of(ctx, argv[0]);
    if (stream == NULL) {
        return JS_EXCEPTION;
    }
    return JS_NewInt32(ctx, deflates(stream) ? deflateParams(&stream->state, (int)integer_of(ctx, argv[1]), (int)integer_of(ctx, argv[2])) : Z_OK);
}

static FUNCTION(zlibReset)
{
    struct stream *stream = stream_of(ctx, argv[0]);
    if (stream == NULL) {
        return JS_EXCEPTION;
    }
    int error = deflates(stream) ? deflateReset(&stream->state) : inflateReset(&stream->state);
    return JS_NewInt32(ctx, error != Z_OK ? error : deflates(stream) || stream->mode == INFLATERAW ? set_dictionary(stream) : Z_OK);
}

static FUNCTION(zlibClose)
{
    struct stream *stream = JS_GetOpaque2(ctx, argv[0], stream_class);
    if (stream == NULL) {
        return JS_EXCEPTION;
    }
    end(stream);
    return JS_UNDEFINED;
}

/* bytes, the value to go on from */
static FUNCTION(crc32)
{
    struct bytes bytes;
    if (bytes_of(ctx, argv[0], &bytes) != 0) {
        return JS_EXCEPTION;
    }
    return JS_NewUint32(ctx, (uint32_t)crc32((uLong)integer_of(ctx, argv[1]), bytes.at, (uInt)bytes.length));
}

const struct native zlib_natives[] = {
    NATIVE(zlibOpen), NATIVE(zlibStep), NATIVE(zlibParams), NATIVE(zlibReset), NATIVE(zlibClose), NATIVE(crc32), {0},
};
