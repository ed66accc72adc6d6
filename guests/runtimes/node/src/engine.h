/* What the files here share: the engine, and helpers that bindings written in C need.
 *
 * Functions of the C half are plain `JSCFunction`s; each file lists its own in a table that
 * context.c makes one object of, `native` in the JavaScript half. An operation of the system
 * returns Linux's error number as a negative number, as libuv does; only mistakes in the use of
 * a function throw.
 */
#ifndef NODE_ENGINE_H
#define NODE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "quickjs.h"

#define FUNCTION(name) JSValue native_##name(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)

struct native {
    const char *name;
    JSCFunction *call;
};
#define NATIVE(name) {#name, native_##name}

/* The tables of the files; each ends with an empty entry. */
extern const struct native engine_natives[], module_natives[], bytes_natives[], file_natives[], url_natives[],
    process_natives[], spawn_natives[], library_natives[], zlib_natives[], socket_natives[], http_natives[],
    tls_natives[], brotli_natives[], zstd_natives[], realm_natives[], turn_natives[];

/* Classes and hooks that belong to a runtime (engine.c). */
void engine_prepare(JSRuntime *runtime, JSContext *context);
/* The class of zlib's streams (zlib.c). */
void zlib_prepare(JSRuntime *runtime);
/* The class of Brotli's streams (brotli.c). */
void brotli_prepare(JSRuntime *runtime);
/* The class of Zstandard's streams (zstd.c). */
void zstd_prepare(JSRuntime *runtime);
/* The class of parsers of HTTP (http.c). */
void http_prepare(JSRuntime *runtime);
/* The class of connections with TLS (tls.c). */
void tls_prepare(JSRuntime *runtime);
/* From now on what is allocated already is not counted or collected any more. */
void engine_seal_image(JSRuntime *runtime);
/* What must not be the same in two processes. */
void engine_begin_process(JSContext *context);
/* Drops the jobs that a turn of a session has left. The status that the turn has asked to end with, -1 if it has not (turns.h). */
int engine_end_turn(JSContext *context);

/* A string's units: bytes of Latin-1, or UTF-16. Close it when done. An object is a TypeError. */
struct text {
    const uint8_t *narrow;
    const uint16_t *wide; /* NULL if it is narrow */
    size_t length;
    JSValue owner;
};
int text_open(JSContext *ctx, JSValueConst value, struct text *text);
void text_close(JSContext *ctx, struct text *text);
static inline uint32_t text_unit(const struct text *text, size_t at)
{
    return text->wide != NULL ? text->wide[at] : text->narrow[at];
}
JSValue text_from_latin1(JSContext *ctx, const void *bytes, size_t length);
JSValue text_from_utf16(JSContext *ctx, const uint16_t *units, size_t length);
/* As the WHATWG decodes: a U+FFFD for each maximal part that is wrong (bytes.c). */
JSValue text_from_utf8(JSContext *ctx, const uint8_t *bytes, size_t length);

/* Arguments. Reading one never runs a program: a getter or a `valueOf` could detach the bytes that another argument has just
   named. */

/* The bytes of an ArrayBuffer, a view or a Buffer. -1 with an exception for anything else. */
struct bytes {
    uint8_t *at;
    size_t length;
};
int bytes_of(JSContext *ctx, JSValueConst value, struct bytes *bytes);
/* The buffer of a DataView, and which part of it (engine.c). Nothing of it where it is out of bounds. */
JSValue data_view_of(JSContext *ctx, JSValueConst view, size_t *offset, size_t *length);

/* Numbers of arguments, where JavaScript has checked already that they are. An object is 0. */
int64_t integer_of(JSContext *ctx, JSValueConst value);
double number_of(JSContext *ctx, JSValueConst value);

/* An entry of an array without gaps; undefined for anything else (engine.c). */
JSValue entry_of(JSContext *ctx, JSValueConst array, uint32_t index);

/* What a stream reads and writes at once. -1 with an exception where the ranges, [offset, length, offset of the output, its
   length], lead out of the bytes. */
struct step {
    struct bytes in, out;
};
int step_of(JSContext *ctx, JSValueConst input, JSValueConst ranges, JSValueConst output, struct step *step);

/* Results. Defines an entry of a list: setters of the program's prototypes have no part in it. Takes the value. */
void put_entry(JSContext *ctx, JSValueConst list, uint32_t index, JSValue value);

/* The number of an error of the system, as JavaScript gets it. */
JSValue failed(JSContext *ctx, int error);
/* What a call of the system returned: 0 or more, or `errno`. */
JSValue result_of(JSContext *ctx, int64_t result);

/* A context with all functions of the C half as one object, and nothing of Node's (context.c). */
JSContext *context_bare(JSValue *native);
/* The context and its start (context.c). */
int context_make(void);
int context_run(int argc, char **argv);
/* A call of a session, which goes on from an earlier one or begins (bindings/session.js): its status. */
int context_turn(const char *code, bool goes_on);
void context_seal(void);

/* Whether a signal that is caught has arrived and is not handed out (process.c). */
bool signal_has_arrived(int number);
/* What libuv calls a socket: TCP, UDP or PIPE (sockets.c). */
const char *socket_kind(int fd);
/* The engine without Node (plain.c). */
int plain_run(int argc, char **argv);
/* Links a module that has been compiled and whose requests have been loaded; -1 with an exception (engine.c). */
int engine_link(JSContext *context, JSValueConst module);

/* Where Node's library is (library.c). */
void library_open(const char *path);
const char *library_beside(void);

#endif
