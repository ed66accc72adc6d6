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
static JSValue node_throw_not_a_function(JSContext *ctx);
#include "quickjs.c"
#ifdef NODE_ON_WASI
#define __wasi__ 1
#endif

#include "engine.h"

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

/* What is called, in V8's words. */

static bool is_name(char c) { return c == '_' || c == '$' || c == '#' || (c & 0x80) != 0 || isalnum((unsigned char)c); }

/* Where a line and a column of the file are in the source of a function; NULL if they are not. */
static const char *place_in_source(const JSFunctionBytecode *function, int line, int column)
{
    const char *at = function->source, *end = at + function->source_len;
    int left = column - (line == function->line_num ? function->col_num : 1);
    for (int here = function->line_num; here < line && at < end; here++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next != NULL ? next + 1 : end;
    }
    for (; left > 0 && at < end; at++) {
        left -= (at[1] & 0xc0) != 0x80; /* columns are characters */
    }
    return at < end && left == 0 ? at : NULL;
}

/* Where the expression begins whose last name is at `at`: names, dots, and what is in brackets. */
static const char *start_of_callee(const char *source, const char *at)
{
    while (at > source) {
        char before = at[-1];
        if (is_name(before) || before == '.' || before == '?') {
            at--;
        }
        else if (before == ')' || before == ']') {
            int depth = 0;
            do {
                at--;
                depth += (*at == ')' || *at == ']') - (*at == '(' || *at == '[');
            } while (depth > 0 && at > source);
        }
        else {
            break;
        }
    }
    return at;
}

/* V8 names the expression that was called; the engine only knows its place in the source. */
static JSValue node_throw_not_a_function(JSContext *ctx)
{
    enum { LONGEST = 100 };
    char text[LONGEST + 8];
    size_t length = 0;
    JSStackFrame *frame = ctx->rt->current_stack_frame;
    JSFunctionBytecode *function = frame != NULL ? JS_GetFunctionBytecode(frame->cur_func) : NULL;
    if (function == NULL || function->source == NULL || frame->cur_pc == NULL) {
        return JS_ThrowTypeError(ctx, "not a function");
    }
    int column, line = find_line_num(ctx, function, (uint32_t)(frame->cur_pc - function->byte_code_buf - 1), &column);
    const char *at = place_in_source(function, line, column);
    if (at == NULL || !is_name(*at)) {
        return JS_ThrowTypeError(ctx, "(intermediate value) is not a function");
    }
    const char *end = function->source + function->source_len, *from = start_of_callee(function->source, at);
    for (; at < end && is_name(*at); at++) {
    }
    for (int depth = 0; from < at && length < LONGEST; from++) {
        if (*from == ')' && --depth == 0) {
            memcpy(text + length, "(...)", 5);
            length += 5;
        }
        else if (*from == '(') {
            depth++;
        }
        else if (depth == 0 && *from != '?') {
            text[length++] = *from;
        }
    }
    text[length] = '\0';
    return JS_ThrowTypeError(ctx, "%s is not a function", text);
}

/* Errors of the parser, in V8's words. */

static int node_redefined(JSParseState *s, JSAtom name)
{
    char text[ATOM_GET_STR_BUF_SIZE];
    return js_parse_error(s, "Identifier '%s' has already been declared", JS_AtomGetStr(s->ctx, text, sizeof text, name));
}

/* A token that JSON does not have there, with what is around it in the source. */
static int node_json_error(JSParseState *s)
{
    enum { WHOLE = 40, AROUND = 10 };
    const char *source = (const char *)s->buf_start, *end = (const char *)s->buf_end, *at = (const char *)s->token.ptr;
    size_t length = (size_t)(end - source);
    if (length == 9 && memcmp(source, "undefined", 9) == 0) {
        return js_parse_error(s, "\"undefined\" is not valid JSON");
    }
    /* V8 names the first character that no longer fits a word that JSON has. */
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t same = 0;
        while (at + same < end && words[i][same] != '\0' && at[same] == words[i][same]) {
            same++;
        }
        if (same > 0) {
            at += same;
            break;
        }
    }
    if (at >= end) {
        return js_parse_error(s, "Unexpected end of JSON input");
    }
    int size = 1;
    while (at + size < end && (at[size] & 0xc0) == 0x80) {
        size++;
    }
    if (length <= WHOLE) {
        return js_parse_error(s, "Unexpected token '%.*s', \"%.*s\" is not valid JSON", size, at, (int)length, source);
    }
    const char *from = at - source > AROUND ? at - AROUND : source, *to = end - at > AROUND ? at + AROUND : end;
    return js_parse_error(s, "Unexpected token '%.*s', %s\"%.*s\"%s is not valid JSON", size, at, from > source ? "..." : "",
                          (int)(to - from), from, to < end ? "... " : "");
}

/* Strings. */

int text_open(JSContext *ctx, JSValueConst value, struct text *text)
{
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

/* source, name: throws what is wrong with the source of a script. */
static FUNCTION(checkScript)
{
    size_t length;
    const char *source = JS_ToCStringLen(ctx, &length, argv[0]);
    const char *name = JS_ToCString(ctx, argv[1]);
    JSValue result = JS_EXCEPTION;
    if (source != NULL && name != NULL) {
        result = JS_Eval(ctx, source, length, name, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
    }
    JS_FreeCString(ctx, source);
    JS_FreeCString(ctx, name);
    if (JS_IsException(result)) {
        return result;
    }
    JS_FreeValue(ctx, result);
    return JS_UNDEFINED;
}

/* Runs jobs (microtasks) until there are none. One that throws is the embedder's affair. */
static FUNCTION(runJobs)
{
    JSContext *of_job;
    int done;
    while ((done = JS_ExecutePendingJob(ctx->rt, &of_job)) > 0) {
    }
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
    JS_SetPropertyUint32(ctx, array, 0, first);
    JS_SetPropertyUint32(ctx, array, 1, second);
    return array;
}

/* [target, handler] of a proxy. */
static FUNCTION(proxyParts)
{
    JSObject *object = object_of(argv[0]);
    if (object == NULL || object->class_id != JS_CLASS_PROXY) {
        return JS_UNDEFINED;
    }
    return pair(ctx, JS_GetProxyTarget(ctx, argv[0]), JS_GetProxyHandler(ctx, argv[0]));
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
    JS_SetPropertyUint32(ctx, array, (*count)++, js_dup(value));
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

const struct native engine_natives[] = {
    NATIVE(runScript), NATIVE(checkScript), NATIVE(runJobs), NATIVE(getContinuation), NATIVE(setContinuation),
    NATIVE(collect), NATIVE(heapSize), NATIVE(className), NATIVE(proxyParts), NATIVE(promiseState),
    NATIVE(markHandled), NATIVE(entries), NATIVE(onRejection), {0},
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

/* source, name: a module that is compiled and nothing else. */
static FUNCTION(moduleCompile)
{
    size_t length;
    const char *source = JS_ToCStringLen(ctx, &length, argv[0]);
    const char *name = JS_ToCString(ctx, argv[1]);
    JSValue compiled = JS_EXCEPTION;
    if (source != NULL && name != NULL) {
        compiled = JS_Eval(ctx, source, length, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
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
        JS_SetPropertyUint32(ctx, array, 2 * (uint32_t)i, JS_AtomToString(ctx, entry->module_name));
        JS_SetPropertyUint32(ctx, array, 2 * (uint32_t)i + 1, js_dup(entry->attributes));
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

static FUNCTION(moduleInstantiate)
{
    JSModuleDef *module = module_of(ctx, argv[0]);
    if (module == NULL || js_create_module_function(ctx, module) < 0 || js_link_module(ctx, module) < 0) {
        return JS_EXCEPTION;
    }
    return JS_UNDEFINED;
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

static FUNCTION(onImport)
{
    JS_FreeValue(ctx, import_callback);
    import_callback = js_dup(argv[0]);
    return JS_UNDEFINED;
}

/* `import()`: who asks, specifier and options go to the embedder, which answers with a promise. */
static JSValue node_dynamic_import(JSContext *ctx, JSValueConst specifier, JSValueConst options)
{
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
    NATIVE(moduleHasTopLevelAwait), NATIVE(moduleStatus), NATIVE(onImport), {0},
};

/* A runtime's life. */

void engine_prepare(JSRuntime *runtime, JSContext *context)
{
    JS_NewClassID(runtime, &module_class);
    JS_NewClass(runtime, module_class, &module_definition);
    JS_SetHostPromiseRejectionTracker(runtime, track_rejection, NULL);
    JS_SetModuleLoaderFunc2(runtime, keep_name, placeholder, NULL, NULL);
    (void)context;
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

void engine_seal_image(JSRuntime *runtime)
{
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

void engine_begin_process(JSContext *context)
{
    JS_UpdateStackTop(context->rt);
    uint64_t seed = 0;
    if (getentropy(&seed, sizeof seed) != 0 || seed == 0) {
        seed = (uint64_t)js__gettimeofday_us() | 1;
    }
    context->random_state = seed;
}
