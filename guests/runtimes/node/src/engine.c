/* The engine as one translation unit with what Node's library asks of its inside.
 *
 * Upstream's file is included, so that what it keeps to itself can be used here and nowhere else:
 * strings' units, classes, entries of maps, modules that are compiled, linked and run one by one.
 * The patch (quickjs.patch) calls `node_dynamic_import` and `node_define_stack`.
 */
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Upstream leaves Atomics and the limit of the stack out for WASI; both work here. */
#ifdef __wasi__
#define NODE_ON_WASI
#undef __wasi__
#endif
#include "quickjs.h"
static JSValue node_dynamic_import(JSContext *ctx, JSValueConst specifier, JSValueConst options);
static int node_define_stack(JSContext *ctx, JSValueConst object, JSValue stack);
/* Errors in V8's words (words.h, refusals.h). */
struct JSParseState;
struct JSStackFrame;
static const char *node_words(const char *ours);
static int node_unexpected(struct JSParseState *s);
static void node_note_syntax(struct JSParseState *s, int column);
static void node_note_throw(JSContext *ctx, struct JSStackFrame *frame, JSValueConst value);
static JSValue node_throw_not_callable(JSContext *ctx, JSValueConst value);
static JSValue node_throw_not_a_function(JSContext *ctx, JSValueConst value);
static JSValue node_throw_not_a_constructor(JSContext *ctx, JSValueConst value);
static JSValue node_throw_not_iterable(JSContext *ctx, JSValueConst value);
static JSValue node_throw_destructured(JSContext *ctx, JSValueConst value);
static JSValue node_throw_needs_new(JSContext *ctx, JSValueConst function, bool is_class);
static JSValue node_throw_incompatible(JSContext *ctx, JSValueConst value, JSClassID class_id);
static JSValue node_throw_regexp(JSContext *ctx, JSValueConst pattern, JSValueConst flags, const char *ours);
static JSValue node_throw_flags(JSContext *ctx, JSValueConst flags);
static JSValue node_throw_multiple(JSContext *ctx, int class_id, int size_log2);
static JSValue node_throw_offset(JSContext *ctx, int class_id, int size_log2, JSValueConst value);
static void node_throw_circle(JSContext *ctx, JSValueConst stack, JSValueConst value);
static int node_refuse_in(JSContext *ctx, JSValueConst key, JSValueConst value);
static int node_to_length(JSContext *ctx, uint64_t *length, JSValueConst value);
static const char *node_method_name(JSContext *ctx);
static JSValue node_throw_bigint(JSContext *ctx);
static void node_note_abandoned(JSRuntime *runtime, struct JSStackFrame *frame);
static JSValue node_throw_not_an_object(JSContext *ctx);
static bool node_is_literal;
/* How many columns there are before the first line of what is compiled next. */
static int node_first_column;
/* What resolves the promise that follows the reaction that runs, if there is one. */
static JSValueConst node_following = JS_UNDEFINED;
static struct tm *node_local_time(const time_t *time, struct tm *parts);
#define localtime_r node_local_time
#include "quickjs.c"
#undef localtime_r
#ifdef NODE_ON_WASI
#define __wasi__ 1
#endif

#include "engine.h"
#include "async_frames.h"

/* Stacks. */

static JSValue set_stack(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    JS_DefinePropertyValue(ctx, this_val, JS_ATOM_stack, js_dup(argv[0]), JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    return JS_UNDEFINED;
}

/* V8 makes the text of a stack when it is read first, with the message of then. A function, which
   the hook for prepareStackTrace may return (bindings/stacks.js), becomes the property's getter. */
static int node_define_stack(JSContext *ctx, JSValueConst object, JSValue stack)
{
    if (!JS_IsFunction(ctx, stack)) {
        return JS_DefinePropertyValue(ctx, object, JS_ATOM_stack, stack, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    }
    JSValue setter = JS_NewCFunction(ctx, set_stack, "stack", 1);
    return JS_DefinePropertyGetSet(ctx, object, JS_ATOM_stack, stack, setter, JS_PROP_CONFIGURABLE);
}

#include "callee.h"
#include "words.h"
#include "refusals.h"

/* Where a value was thrown, which is not where an error was made. */

enum { REMEMBERED = 4 };

/* The last statements that have thrown one value, and finally blocks that it has passed: all are the
   same instruction. `value` is only compared, so it is not kept alive. */
static struct {
    JSValue value;
    int count;
    struct {
        JSValue function;
        const uint8_t *pc;
    } places[REMEMBERED];
} last_throw = {.value = JS_UNINITIALIZED};

static bool is_same(JSValueConst a, JSValueConst b)
{
    if (JS_VALUE_GET_TAG(a) != JS_VALUE_GET_TAG(b)) {
        return false;
    }
    if (JS_VALUE_HAS_REF_COUNT(a)) {
        return JS_VALUE_GET_PTR(a) == JS_VALUE_GET_PTR(b);
    }
    return JS_TAG_IS_FLOAT64(JS_VALUE_GET_TAG(a)) ? JS_VALUE_GET_FLOAT64(a) == JS_VALUE_GET_FLOAT64(b) : JS_VALUE_GET_INT(a) == JS_VALUE_GET_INT(b);
}

static void node_note_throw(JSContext *ctx, JSStackFrame *frame, JSValueConst value)
{
    if (!is_same(last_throw.value, value)) {
        while (last_throw.count > 0) {
            JS_FreeValue(ctx, last_throw.places[--last_throw.count].function);
        }
        last_throw.value = unsafe_unconst(value);
    }
    if (last_throw.count == REMEMBERED) {
        JS_FreeValue(ctx, last_throw.places[--last_throw.count].function);
    }
    last_throw.places[last_throw.count].function = js_dup(frame->cur_func);
    last_throw.places[last_throw.count++].pc = frame->cur_pc;
}

/* The last error of a parser: its place, and the line that it is in. */
static struct {
    void *error;
    bool is_json;
    int line, column, length;
    char text[2000];
} last_syntax;

static void node_note_syntax(JSParseState *s, int column)
{
    const char *from = (const char *)s->token.ptr, *source = (const char *)s->buf_start, *end = (const char *)s->buf_end, *to = from;
    JSValue error = s->ctx->rt->current_exception;
    last_syntax.error = JS_IsObject(error) ? JS_VALUE_GET_PTR(error) : NULL;
    last_syntax.is_json = s->cur_func == NULL;
    last_syntax.line = s->token.line_num;
    last_syntax.column = column;
    last_syntax.text[0] = '\0';
    if (from == NULL || from < source || from > end) {
        return;
    }
    last_syntax.length = s->buf_ptr > s->token.ptr ? (int)(s->buf_ptr - s->token.ptr) : s->token.val == TOK_EOF ? 0 : 1;
    if (last_syntax.length == 1 && is_quote(*from)) { /* a string that does not end */
        last_syntax.length = (int)strcspn(from, "\r\n");
    }
    while (from > source && from[-1] != '\n') {
        from--;
    }
    while (to < end && *to != '\n' && *to != '\r') {
        to++;
    }
    size_t length = (size_t)(to - from) < sizeof last_syntax.text ? (size_t)(to - from) : sizeof last_syntax.text - 1;
    memcpy(last_syntax.text, from, length);
    last_syntax.text[length] = '\0';
}

/* Strings. */

int text_open(JSContext *ctx, JSValueConst value, struct text *text)
{
    if (JS_IsObject(value)) {
        JS_ThrowTypeError(ctx, "text is expected");
        return -1;
    }
    JSValue string = JS_ToString(ctx, value);
    if (JS_VALUE_GET_TAG(string) == JS_TAG_STRING_ROPE) {
        string = js_linearize_string_rope(ctx, string);
    }
    if (JS_IsException(string)) {
        return -1;
    }
    JSString *inner = JS_VALUE_GET_STRING(string);
    text->owner = string;
    text->length = inner->len;
    text->wide = inner->is_wide_char ? str16(inner) : NULL;
    text->narrow = inner->is_wide_char ? NULL : str8(inner);
    return 0;
}

JSValue data_view_of(JSContext *ctx, JSValueConst view, size_t *offset, size_t *length)
{
    JSObject *object = JS_VALUE_GET_OBJ(view);
    JSTypedArray *inner = object->u.typed_array;
    bool is_out = dataview_is_oob(object);
    *offset = is_out ? 0 : inner->offset;
    *length = is_out ? 0 : inner->track_rab ? inner->buffer->u.array_buffer->byte_length - inner->offset : inner->length;
    return js_dup(JS_MKPTR(JS_TAG_OBJECT, inner->buffer));
}

JSValue entry_of(JSContext *ctx, JSValueConst array, uint32_t index)
{
    JSValue *entries;
    uint32_t count;
    return js_get_fast_array(ctx, array, &entries, &count) && index < count ? js_dup(entries[index]) : JS_UNDEFINED;
}

void text_close(JSContext *ctx, struct text *text)
{
    JS_FreeValue(ctx, text->owner);
}

JSValue text_from_latin1(JSContext *ctx, const void *bytes, size_t length)
{
    if (length > JS_STRING_LEN_MAX) {
        return JS_ThrowRangeError(ctx, "Invalid string length");
    }
    return js_new_string8_len(ctx, bytes, (int)length);
}

JSValue text_from_utf16(JSContext *ctx, const uint16_t *units, size_t length)
{
    if (length > JS_STRING_LEN_MAX) {
        return JS_ThrowRangeError(ctx, "Invalid string length");
    }
    return js_new_string16_len(ctx, units, (int)length);
}

/* Weak references. */

/* What a WeakRef was made for stays until the job ends, as the language has it: upstream lets it go
   with its last owner, which may be the call itself. */
static JSValue *kept;
static size_t kept_count, kept_room;

static JSValue make_weak_reference(JSContext *ctx, JSValueConst new_target, int argc, JSValueConst *argv)
{
    if (kept_count == kept_room) {
        size_t room = kept_room * 2 + 16;
        JSValue *grown = realloc(kept, room * sizeof *grown);
        if (grown == NULL) {
            return JS_ThrowOutOfMemory(ctx);
        }
        kept = grown;
        kept_room = room;
    }
    JSValue result = js_weakref_constructor(ctx, new_target, argc, argv);
    if (!JS_IsException(result)) {
        kept[kept_count++] = js_dup(argv[0]);
    }
    return result;
}

static void keep_targets_of_weak_references(JSContext *ctx)
{
    JSValue global = JS_GetGlobalObject(ctx), constructor = JS_GetPropertyStr(ctx, global, "WeakRef");
    JS_VALUE_GET_OBJ(constructor)->u.cfunc.c_function.constructor_or_func = make_weak_reference;
    JS_FreeValue(ctx, constructor);
    JS_FreeValue(ctx, global);
}

static void release_kept(JSContext *ctx)
{
    /* What goes away may make new ones. */
    while (kept_count > 0) {
        JS_FreeValue(ctx, kept[--kept_count]);
    }
}

/* Scripts and functions. */

/* source, name, first line, first column: the value of a script. */
static FUNCTION(runScript)
{
    size_t length;
    const char *source = JS_ToCStringLen(ctx, &length, argv[0]);
    const char *name = JS_ToCString(ctx, argv[1]);
    JSEvalOptions options = {
        .version = JS_EVAL_OPTIONS_VERSION,
        .eval_flags = JS_EVAL_TYPE_GLOBAL,
        .filename = name,
        .line_num = 1 + (int)integer_of(ctx, argv[2]),
    };
    JSValue result = source != NULL && name != NULL ? JS_EvalThis2(ctx, ctx->global_obj, source, length, &options) : JS_EXCEPTION;
    JS_FreeCString(ctx, source);
    JS_FreeCString(ctx, name);
    return result;
}

/* source, name, first line: throws what is wrong with the source of a script. */
static FUNCTION(checkScript)
{
    size_t length;
    const char *source = JS_ToCStringLen(ctx, &length, argv[0]);
    const char *name = JS_ToCString(ctx, argv[1]);
    JSValue result = JS_EXCEPTION;
    if (source != NULL && name != NULL) {
        JSEvalOptions options = {
            .version = JS_EVAL_OPTIONS_VERSION,
            .eval_flags = JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY,
            .filename = name,
            .line_num = 1 + (int)integer_of(ctx, argv[2]),
        };
        node_first_column = (int)integer_of(ctx, argv[3]);
        result = JS_EvalThis2(ctx, ctx->global_obj, source, length, &options);
    }
    JS_FreeCString(ctx, source);
    JS_FreeCString(ctx, name);
    if (JS_IsException(result)) {
        return result;
    }
    JS_FreeValue(ctx, result);
    return JS_UNDEFINED;
}

static bool is_stopped(void);

/* Runs jobs (microtasks) until there are none. One that throws is the embedder's affair. */
static FUNCTION(runJobs)
{
    JSContext *of_job;
    int done = 0;
    while (!is_stopped() && (done = JS_ExecutePendingJob(ctx->rt, &of_job)) > 0) {
    }
    release_kept(ctx);
    return done < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

static FUNCTION(getContinuation) { return js_dup(ctx->rt->continuation); }

static FUNCTION(setContinuation)
{
    JSValue before = ctx->rt->continuation;
    ctx->rt->continuation = js_dup(argv[0]);
    JS_FreeValue(ctx, before);
    return JS_UNDEFINED;
}

static FUNCTION(collect)
{
    JS_RunGC(ctx->rt);
    return JS_UNDEFINED;
}

static void append_place(JSContext *ctx, JSValue array, uint32_t at, JSAtom file, int line, int column)
{
    put_entry(ctx, array, at, JS_AtomToString(ctx, file));
    put_entry(ctx, array, at + 1, JS_NewInt32(ctx, line));
    put_entry(ctx, array, at + 2, JS_NewInt32(ctx, column));
}

/* File, line and column of what has thrown a value, the last first: statements, and ends of `finally`.
   undefined if another value was thrown last. */
static FUNCTION(throwPlaces)
{
    if (!is_same(last_throw.value, argv[0])) {
        return JS_UNDEFINED;
    }
    JSValue places = JS_NewArray(ctx);
    uint32_t count = 0;
    for (int i = last_throw.count - 1; i >= 0; i--) {
        JSFunctionBytecode *function = JS_GetFunctionBytecode(last_throw.places[i].function);
        if (function != NULL) {
            int column, line = find_line_num(ctx, function, (uint32_t)(last_throw.places[i].pc - function->byte_code_buf - 1), &column);
            append_place(ctx, places, count, function->filename, line, column);
            count += 3;
        }
    }
    return places;
}

/* [line, column, length, text of the line, whether it is JSON's] of an error that the parser has made last. */
static FUNCTION(syntaxPlace)
{
    if (!JS_IsObject(argv[0]) || JS_VALUE_GET_PTR(argv[0]) != last_syntax.error) {
        return JS_UNDEFINED;
    }
    JSValue place = JS_NewArray(ctx);
    put_entry(ctx, place, 0, JS_NewInt32(ctx, last_syntax.line));
    put_entry(ctx, place, 1, JS_NewInt32(ctx, last_syntax.column));
    put_entry(ctx, place, 2, JS_NewInt32(ctx, last_syntax.length));
    put_entry(ctx, place, 3, JS_NewString(ctx, last_syntax.text));
    put_entry(ctx, place, 4, JS_NewBool(ctx, last_syntax.is_json));
    return place;
}

static FUNCTION(heapSize)
{
    return JS_NewInt64(ctx, (int64_t)ctx->rt->malloc_state.malloc_size);
}

/* What values are. */

static JSObject *object_of(JSValueConst value)
{
    return JS_VALUE_GET_TAG(value) == JS_TAG_OBJECT ? JS_VALUE_GET_OBJ(value) : NULL;
}

/* The name of the engine's class of an object; undefined for what is none. */
static FUNCTION(className)
{
    JSObject *object = object_of(argv[0]);
    if (object != NULL && object->class_id == JS_CLASS_MODULE_NS) {
        return JS_NewString(ctx, "Module"); /* the engine calls it Object */
    }
    return object == NULL ? JS_UNDEFINED : JS_AtomToString(ctx, ctx->rt->class_array[object->class_id].class_name);
}

static JSValue pair(JSContext *ctx, JSValue first, JSValue second)
{
    JSValue array = JS_NewArray(ctx);
    put_entry(ctx, array, 0, first);
    put_entry(ctx, array, 1, second);
    return array;
}

/* [target, handler] of a proxy. */
static FUNCTION(proxyParts)
{
    JSObject *object = object_of(argv[0]);
    if (object == NULL || object->class_id != JS_CLASS_PROXY) {
        return JS_UNDEFINED;
    }
    const JSProxyData *parts = object->u.opaque;
    return parts->is_revoked ? pair(ctx, JS_NULL, JS_NULL) : pair(ctx, js_dup(parts->target), js_dup(parts->handler));
}

/* [state, result] of a promise: 0 pending, 1 fulfilled, 2 rejected. */
static FUNCTION(promiseState)
{
    JSObject *object = object_of(argv[0]);
    if (object == NULL || object->class_id != JS_CLASS_PROMISE) {
        return JS_UNDEFINED;
    }
    JSPromiseStateEnum state = JS_PromiseState(ctx, argv[0]);
    return pair(ctx, JS_NewInt32(ctx, state), state == JS_PROMISE_PENDING ? JS_UNDEFINED : JS_PromiseResult(ctx, argv[0]));
}

/* A rejection of it is nobody's concern. */
static FUNCTION(markHandled)
{
    JSPromiseData *data = JS_GetOpaque(argv[0], JS_CLASS_PROMISE);
    if (data != NULL) {
        data->is_handled = true;
    }
    return JS_UNDEFINED;
}

static void append(JSContext *ctx, JSValue array, uint32_t *count, JSValueConst value)
{
    put_entry(ctx, array, (*count)++, js_dup(value));
}

/* Entries of a map, a set, their weak kinds, or an iterator of those, which does not advance:
   [entries one behind another, whether they are keys and values]. */
static FUNCTION(entries)
{
    JSObject *object = object_of(argv[0]);
    JSMapState *state = NULL;
    JSMapRecord *from = NULL;
    bool keys = true, values = false;
    if (object == NULL) {
        return JS_UNDEFINED;
    }
    switch (object->class_id) {
    case JS_CLASS_MAP:
    case JS_CLASS_WEAKMAP: values = true; /* fall through */
    case JS_CLASS_SET:
    case JS_CLASS_WEAKSET: state = object->u.map_state; break;
    case JS_CLASS_MAP_ITERATOR:
    case JS_CLASS_SET_ITERATOR: {
        JSMapIteratorData *iterator = object->u.map_iterator_data;
        if (iterator == NULL || JS_IsUndefined(iterator->obj)) {
            return pair(ctx, JS_NewArray(ctx), JS_FALSE);
        }
        state = JS_VALUE_GET_OBJ(iterator->obj)->u.map_state;
        from = iterator->cur_record;
        keys = iterator->kind != JS_ITERATOR_KIND_VALUE || object->class_id == JS_CLASS_SET_ITERATOR;
        values = iterator->kind != JS_ITERATOR_KIND_KEY && object->class_id == JS_CLASS_MAP_ITERATOR;
        if (object->class_id == JS_CLASS_SET_ITERATOR && iterator->kind == JS_ITERATOR_KIND_KEY_AND_VALUE) {
            values = true;
        }
        break;
    }
    default: return JS_UNDEFINED;
    }
    bool is_set = object->class_id == JS_CLASS_SET_ITERATOR;
    JSValue array = JS_NewArray(ctx);
    uint32_t count = 0;
    struct list_head *link;
    for (link = from != NULL ? from->link.next : state->records.next; link != &state->records; link = link->next) {
        JSMapRecord *record = list_entry(link, JSMapRecord, link);
        if (record->empty) {
            continue;
        }
        if (keys) {
            append(ctx, array, &count, record->key);
        }
        if (values) {
            append(ctx, array, &count, is_set ? record->key : record->value);
        }
    }
    return pair(ctx, array, JS_NewBool(ctx, keys && values));
}

/* Rejections of promises that nobody handles. */

static JSValue rejection_callback = JS_UNDEFINED;

static void track_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, bool is_handled, void *opaque)
{
    if (JS_IsUndefined(rejection_callback)) {
        return;
    }
    JSValueConst arguments[3] = {JS_NewBool(ctx, is_handled), promise, reason};
    JS_FreeValue(ctx, JS_Call(ctx, rejection_callback, JS_UNDEFINED, 3, arguments));
}

static FUNCTION(onRejection)
{
    JS_FreeValue(ctx, rejection_callback);
    rejection_callback = js_dup(argv[0]);
    return JS_UNDEFINED;
}

/* The global object in two states: for a program in a file, and with Node's modules for -e. What is
   set between `keepGlobals` and the first `exchangeGlobals` is the difference. */
static struct {
    JSShape *shape;
    JSProperty *properties;
} kept_globals;

static FUNCTION(keepGlobals)
{
    JSObject *global = JS_VALUE_GET_OBJ(ctx->global_obj);
    JSProperty *copy = js_malloc(ctx, sizeof *copy * (size_t)global->shape->prop_size);
    if (copy == NULL) {
        return JS_EXCEPTION;
    }
    const JSShapeProperty *names = get_shape_prop(global->shape);
    for (int i = 0; i < global->shape->prop_count; i++) {
        copy[i] = global->prop[i];
        switch (names[i].flags & JS_PROP_TMASK) {
        case JS_PROP_NORMAL: js_dup(copy[i].u.value); break;
        case JS_PROP_VARREF: JS_REF_COUNT(copy[i].u.var_ref)++; break;
        case JS_PROP_AUTOINIT: JS_DupContext(js_autoinit_get_realm(&copy[i])); break;
        case JS_PROP_GETSET:
            if (copy[i].u.getset.getter != NULL) {
                js_dup(JS_MKPTR(JS_TAG_OBJECT, copy[i].u.getset.getter));
            }
            if (copy[i].u.getset.setter != NULL) {
                js_dup(JS_MKPTR(JS_TAG_OBJECT, copy[i].u.getset.setter));
            }
        }
    }
    kept_globals.shape = js_clone_shape(ctx, global->shape);
    kept_globals.properties = copy;
    if (kept_globals.shape == NULL) {
        return JS_EXCEPTION;
    }
    return JS_UNDEFINED;
}

static FUNCTION(exchangeGlobals)
{
    JSObject *global = JS_VALUE_GET_OBJ(ctx->global_obj);
    JSShape *shape = global->shape;
    JSProperty *properties = global->prop;
    global->shape = kept_globals.shape;
    global->prop = kept_globals.properties;
    kept_globals.shape = shape;
    kept_globals.properties = properties;
    return JS_UNDEFINED;
}

/* How far local time is from UTC: by the C library, or by a function of the zone's tables where a program has a zone that the C
   library of a sandbox does not know. */
static JSContext *zone_context;
static JSValue zone = JS_UNDEFINED;

static struct tm *node_local_time(const time_t *time, struct tm *parts)
{
    if (JS_IsUndefined(zone)) {
        return localtime_r(time, parts);
    }
    gmtime_r(time, parts);
    JSValue argument = JS_NewFloat64(zone_context, (double)*time * 1000);
    JSValue result = JS_Call(zone_context, zone, JS_UNDEFINED, 1, (JSValueConst *)&argument);
    double east = 0;
    if (JS_IsException(result)) {
        JS_FreeValue(zone_context, JS_GetException(zone_context));
    }
    else {
        JS_ToFloat64(zone_context, &east, result);
        JS_FreeValue(zone_context, result);
    }
    /* No zone is a day away. */
    parts->tm_gmtoff = east > -86400e3 && east < 86400e3 ? (long)(east / 1000) : 0;
    return parts;
}

/* A function from milliseconds since 1970 to those that local time is ahead, or undefined. */
static FUNCTION(setZone)
{
    JS_FreeValue(ctx, zone);
    zone = JS_IsFunction(ctx, argv[0]) ? js_dup(argv[0]) : JS_UNDEFINED;
    zone_context = ctx;
    return JS_UNDEFINED;
}

const struct native engine_natives[] = {
    NATIVE(runScript), NATIVE(checkScript), NATIVE(runJobs), NATIVE(asyncFrames), NATIVE(getContinuation), NATIVE(setContinuation),
    NATIVE(collect), NATIVE(heapSize), NATIVE(className), NATIVE(proxyParts), NATIVE(promiseState),
    NATIVE(throwPlaces), NATIVE(syntaxPlace), NATIVE(setZone),
    NATIVE(markHandled), NATIVE(entries), NATIVE(onRejection), NATIVE(keepGlobals), NATIVE(exchangeGlobals), {0},
};

/* Modules, as V8 has them: compiled, linked and run one by one by who embeds the engine. */

static JSClassID module_class;
static JSClassDef module_definition = {"Module record"};
static JSValue import_callback = JS_UNDEFINED;

static JSValue module_value(JSContext *ctx, JSModuleDef *module)
{
    JSValue object = JS_NewObjectClass(ctx, module_class);
    JS_SetOpaque(object, module);
    return object;
}

static JSModuleDef *module_of(JSContext *ctx, JSValueConst value)
{
    return JS_GetOpaque2(ctx, value, module_class);
}

static JSContext *context_of(JSContext *ctx, JSValueConst handle);

/* source, name, handle of a realm: a module that is compiled and nothing else. */
static FUNCTION(moduleCompile)
{
    JSContext *context = context_of(ctx, argv[2]);
    if (context == NULL) {
        return JS_EXCEPTION;
    }
    size_t length;
    const char *source = JS_ToCStringLen(ctx, &length, argv[0]);
    const char *name = JS_ToCString(ctx, argv[1]);
    JSValue compiled = JS_EXCEPTION;
    if (source != NULL && name != NULL) {
        compiled = JS_Eval(context, source, length, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    }
    JS_FreeCString(ctx, source);
    JS_FreeCString(ctx, name);
    return JS_IsException(compiled) ? compiled : module_value(ctx, JS_VALUE_GET_PTR(compiled));
}

static int run_synthetic(JSContext *ctx, JSModuleDef *module)
{
    JSValue steps = JS_GetModulePrivateValue(ctx, module);
    JSValue result = JS_Call(ctx, steps, JS_UNDEFINED, 0, NULL);
    JS_FreeValue(ctx, steps);
    JS_FreeValue(ctx, result);
    return JS_IsException(result) ? -1 : 0;
}

/* name, names of exports, steps: a module whose exports a function sets. */
static FUNCTION(moduleSynthetic)
{
    int64_t count = 0;
    const char *name = JS_ToCString(ctx, argv[0]);
    if (name == NULL || JS_GetLength(ctx, argv[1], &count) < 0) {
        JS_FreeCString(ctx, name);
        return JS_EXCEPTION;
    }
    JSModuleDef *module = JS_NewCModule(ctx, name, run_synthetic);
    JS_FreeCString(ctx, name);
    for (int64_t i = 0; i < count; i++) {
        JSValue export = JS_GetPropertyUint32(ctx, argv[1], (uint32_t)i);
        const char *text = JS_ToCString(ctx, export);
        JS_AddModuleExport(ctx, module, text);
        JS_FreeCString(ctx, text);
        JS_FreeValue(ctx, export);
    }
    JS_SetModulePrivateValue(ctx, module, js_dup(argv[2]));
    return module_value(ctx, module);
}

static FUNCTION(moduleSetExport)
{
    JSModuleDef *module = module_of(ctx, argv[0]);
    const char *name = module != NULL ? JS_ToCString(ctx, argv[1]) : NULL;
    if (name == NULL) {
        return JS_EXCEPTION;
    }
    int done = JS_SetModuleExport(ctx, module, name, js_dup(argv[2]));
    JS_FreeCString(ctx, name);
    return done < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

/* What it asks for: specifiers and their attributes, one behind another. */
static FUNCTION(moduleRequests)
{
    JSModuleDef *module = module_of(ctx, argv[0]);
    if (module == NULL) {
        return JS_EXCEPTION;
    }
    JSValue array = JS_NewArray(ctx);
    for (int i = 0; i < module->req_module_entries_count; i++) {
        JSReqModuleEntry *entry = &module->req_module_entries[i];
        put_entry(ctx, array, 2 * (uint32_t)i, JS_AtomToString(ctx, entry->module_name));
        put_entry(ctx, array, 2 * (uint32_t)i + 1, js_dup(entry->attributes));
    }
    return array;
}

/* module, modules that its requests stand for, in their order. */
static FUNCTION(moduleLink)
{
    JSModuleDef *module = module_of(ctx, argv[0]);
    if (module == NULL) {
        return JS_EXCEPTION;
    }
    for (int i = 0; i < module->req_module_entries_count; i++) {
        JSValue value = JS_GetPropertyUint32(ctx, argv[1], (uint32_t)i);
        JSModuleDef *requested = module_of(ctx, value);
        JS_FreeValue(ctx, value);
        if (requested == NULL) {
            return JS_EXCEPTION;
        }
        module->req_module_entries[i].module = requested;
    }
    module->resolved = true;
    return JS_UNDEFINED;
}

static int link_module(JSContext *context, JSModuleDef *module)
{
    return js_create_module_function(context, module) < 0 || js_link_module(context, module) < 0 ? -1 : 0;
}

int engine_link(JSContext *context, JSValueConst module) { return link_module(context, JS_VALUE_GET_PTR(module)); }

static FUNCTION(moduleInstantiate)
{
    JSModuleDef *module = module_of(ctx, argv[0]);
    return module == NULL || link_module(ctx, module) < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

static FUNCTION(moduleEvaluate)
{
    JSModuleDef *module = module_of(ctx, argv[0]);
    return module == NULL ? JS_EXCEPTION : js_evaluate_module(ctx, module);
}

static FUNCTION(moduleNamespace)
{
    JSModuleDef *module = module_of(ctx, argv[0]);
    return module == NULL ? JS_EXCEPTION : JS_GetModuleNamespace(ctx, module);
}

static FUNCTION(moduleMeta)
{
    JSModuleDef *module = module_of(ctx, argv[0]);
    return module == NULL ? JS_EXCEPTION : JS_GetImportMeta(ctx, module);
}

static FUNCTION(moduleHasTopLevelAwait)
{
    JSModuleDef *module = module_of(ctx, argv[0]);
    return module == NULL ? JS_EXCEPTION : JS_NewBool(ctx, module->has_tla);
}

/* [status of V8's (0 uninstantiated … 4 evaluated, 5 errored), the error] */
static FUNCTION(moduleStatus)
{
    JSModuleDef *module = module_of(ctx, argv[0]);
    if (module == NULL) {
        return JS_EXCEPTION;
    }
    static const uint8_t statuses[] = {
        [JS_MODULE_STATUS_UNLINKED] = 0, [JS_MODULE_STATUS_LINKING] = 1, [JS_MODULE_STATUS_LINKED] = 2,
        [JS_MODULE_STATUS_EVALUATING] = 3, [JS_MODULE_STATUS_EVALUATING_ASYNC] = 4, [JS_MODULE_STATUS_EVALUATED] = 4,
    };
    if (module->eval_has_exception) {
        return pair(ctx, JS_NewInt32(ctx, 5), js_dup(module->eval_exception));
    }
    return pair(ctx, JS_NewInt32(ctx, statuses[module->status]), JS_UNDEFINED);
}

/* The last function of a module that was let go while it waited: nobody can wake it. */
static struct {
    JSAtom file;
    int line, column;
} abandoned;

static bool is_of_module(JSFunctionBytecode *function)
{
    return function != NULL && function->func_name == JS_ATOM__eval_ && function->func_kind == JS_FUNC_ASYNC;
}

static void node_note_abandoned(JSRuntime *runtime, JSStackFrame *frame)
{
    JSFunctionBytecode *function = JS_IsObject(frame->cur_func) ? JS_GetFunctionBytecode(frame->cur_func) : NULL;
    if (is_of_module(function) && frame->cur_pc != NULL) {
        JS_FreeAtomRT(runtime, abandoned.file);
        abandoned.file = JS_DupAtomRT(runtime, function->filename);
        abandoned.line = find_line_num(NULL, function, (uint32_t)(frame->cur_pc - function->byte_code_buf - 1), &abandoned.column);
    }
}

/* [file, line, column] of the `await` of a module that waits; undefined if none does. */
static FUNCTION(waitingModule)
{
    struct list_head *link;
    list_for_each(link, &ctx->rt->gc_obj_list) {
        JSGCObjectHeader *header = list_entry(link, JSGCObjectHeader, link);
        JSAsyncFunctionData *data = (JSAsyncFunctionData *)header;
        if (JS_GC_TYPE(header) == JS_GC_OBJ_TYPE_ASYNC_FUNCTION && data->is_active) {
            node_note_abandoned(ctx->rt, &data->func_state.frame);
        }
    }
    if (abandoned.file == JS_ATOM_NULL) {
        return JS_UNDEFINED;
    }
    JSValue place = JS_NewArray(ctx);
    append_place(ctx, place, 0, abandoned.file, abandoned.line, abandoned.column);
    return place;
}

/* A symbol whose properties no program sees: neither among the keys of an object, nor in what inspects it. */
static FUNCTION(privateSymbol)
{
    JSAtom name = JS_ValueToAtom(ctx, argv[0]);
    if (name == JS_ATOM_NULL) {
        return JS_EXCEPTION;
    }
    /* The atom of an index has no text. */
    JSValue symbol = __JS_AtomIsTaggedInt(name) ? JS_ThrowTypeError(ctx, "a name is expected") : JS_NewSymbolFromAtom(ctx, name, JS_ATOM_TYPE_PRIVATE);
    JS_FreeAtom(ctx, name);
    return symbol;
}

static FUNCTION(onImport)
{
    JS_FreeValue(ctx, import_callback);
    import_callback = js_dup(argv[0]);
    return JS_UNDEFINED;
}

/* `import()`: who asks, specifier and options go to the embedder, which answers with a promise. */
static JSValue node_dynamic_import(JSContext *ctx, JSValueConst specifier, JSValueConst options)
{
    if (JS_IsUndefined(import_callback)) { /* without Node (plain.c) */
        return js_dynamic_import(ctx, specifier, options);
    }
    JSAtom referrer = JS_GetScriptOrModuleName(ctx, 0);
    JSValue arguments[3] = {JS_AtomToString(ctx, referrer), JS_DupValue(ctx, specifier), JS_DupValue(ctx, options)};
    JS_FreeAtom(ctx, referrer);
    JSValue promise = JS_Call(ctx, import_callback, JS_UNDEFINED, 3, (JSValueConst *)arguments);
    for (int i = 0; i < 3; i++) {
        JS_FreeValue(ctx, arguments[i]);
    }
    return promise;
}

/* Modules are only compiled here; their requests are resolved later. */
static char *keep_name(JSContext *ctx, const char *base, const char *name, void *opaque)
{
    return js_strdup(ctx, name);
}

static int no_steps(JSContext *ctx, JSModuleDef *module) { return 0; }

static JSModuleDef *placeholder(JSContext *ctx, const char *name, void *opaque, JSValueConst attributes)
{
    return JS_NewCModule(ctx, name, no_steps);
}

const struct native module_natives[] = {
    NATIVE(moduleCompile), NATIVE(moduleSynthetic), NATIVE(moduleSetExport), NATIVE(moduleRequests), NATIVE(moduleLink),
    NATIVE(moduleInstantiate), NATIVE(moduleEvaluate), NATIVE(moduleNamespace), NATIVE(moduleMeta),
    NATIVE(moduleHasTopLevelAwait), NATIVE(moduleStatus), NATIVE(onImport), NATIVE(waitingModule), NATIVE(privateSymbol), {0},
};

#include "contexts.h"
#include "turns.h"

/* A runtime's life. */

void engine_prepare(JSRuntime *runtime, JSContext *context)
{
    JS_NewClassID(runtime, &module_class);
    JS_NewClass(runtime, module_class, &module_definition);
    realms_prepare(runtime);
    JS_SetHostPromiseRejectionTracker(runtime, track_rejection, NULL);
    JS_SetModuleLoaderFunc2(runtime, keep_name, placeholder, NULL, NULL);
    keep_targets_of_weak_references(context);
}

/* Takes what is free between allocations, for good: a process then allocates behind the image only,
   in pages of its own, and by its address one can tell what belongs to the image. Where that ends. */
static uintptr_t fill_holes(void)
{
    enum { LARGEST = 1 << 20, SMALLEST = 16 };
    void *end = malloc(LARGEST);
    for (size_t size = LARGEST; size >= SMALLEST; size /= 2) {
        void *hole;
        while ((uintptr_t)(hole = malloc(size)) < (uintptr_t)end && hole != NULL) {
        }
        free(hole);
    }
    free(end);
    return (uintptr_t)end;
}

/* What was thrown while the image was made is nothing to a process. */
static void forget_errors(JSRuntime *runtime)
{
    while (last_throw.count > 0) {
        JS_FreeValueRT(runtime, last_throw.places[--last_throw.count].function);
    }
    last_throw.value = JS_UNINITIALIZED;
    last_syntax.error = NULL;
}

void engine_seal_image(JSRuntime *runtime)
{
    forget_errors(runtime);
    JS_RunGC(runtime);
    /* What is allocated from now on gets arenas of its own, so that its pages lie together. */
    for (int size = 0; size < JS_ARENA_BLOCK_SIZE_COUNT; size++) {
        struct list_head *link, *next, *head = &runtime->arena_state.free_arena_list[size];
        list_for_each_safe(link, next, head) {
            list_del(link);
            init_list_head(link);
        }
    }
    /* The collector starts from what is new; the image is taken for alive as a whole. */
    init_list_head(&runtime->gc_obj_list);
    node_image_end = fill_holes();
    JS_SetGCThreshold(runtime, runtime->malloc_state.malloc_size + (16 << 20));
}

int engine_end_turn(JSContext *context)
{
    drop_jobs(context->rt);
    forget_errors(context->rt);
    JS_SetInterruptHandler(context->rt, NULL, NULL);
    int status = stopped_with;
    stopped_with = -1;
    return status;
}

void engine_begin_process(JSContext *context)
{
    JS_UpdateStackTop(context->rt);
    uint64_t seed = 0;
    if (getentropy(&seed, sizeof seed) != 0 || seed == 0) {
        seed = (uint64_t)js__gettimeofday_us() | 1;
    }
    context->random_state = seed;
}
