/* The context that a process runs in: made once, with Node's library already run, and then gone on from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "process.h"
#include "crypto.h"

enum { STACK = 4 << 20, COLLECT_FIRST = 64 << 20, MOST_ARGUMENTS = 8, FAILED = 7 };

static JSRuntime *runtime;
static JSContext *context;
/* What bindings/main.js returns: the functions that a process begins with. */
static JSValue functions = JS_UNDEFINED;

static const struct native *const tables[] = {
    engine_natives, module_natives, bytes_natives, file_natives, url_natives, process_natives, spawn_natives,
    library_natives, zlib_natives, socket_natives, http_natives, tls_natives, brotli_natives, zstd_natives, realm_natives, turn_natives,
    hash_natives, kdf_natives, cipher_natives, rsa_natives, curve_natives,
};

/* A failure of our own code: programs' errors are printed by Node's. */
static void show_exception(void)
{
    JSValue exception = JS_GetException(context);
    const char *text = JS_ToCString(context, exception);
    JSValue stack = JS_GetPropertyStr(context, exception, "stack");
    const char *lines = JS_ToCString(context, stack);
    fprintf(stderr, "node: %s\n%s\n", text != NULL ? text : "an exception", lines != NULL ? lines : "");
    fflush(stderr);
}

/* The first source of the library: it finds the others. */
static const char loader[] =
    "(function (native) {\n"
    "  const whole = native.readLibrary(0, 65536).split('\\n\\n', 1)[0];\n"
    "  const start = native.utf8Length(whole) + 2, index = { __proto__: null };\n"
    "  for (const line of whole.split('\\n')) {\n"
    "    const [offset, length, name] = line.split(' ');\n"
    "    index[name] = [start + Number(offset), Number(length)];\n"
    "  }\n"
    "  const read = (name) => native.readLibrary(...index[name]);\n"
    "  const compile = (name, parameters, shown) =>\n"
    "    native.runScript(`(function (${parameters.join(', ')}) {${read(name)}\\n})`, shown ?? name, 0);\n"
    "  return compile('bindings/main.js', ['native', 'library'])(native, { index, read, compile });\n"
    "})";

JSContext *context_bare(JSValue *native)
{
    runtime = JS_NewRuntime();
    JS_SetMaxStackSize(runtime, STACK);
    JS_SetGCThreshold(runtime, COLLECT_FIRST);
    context = JS_NewContext(runtime);
    engine_prepare(runtime, context);
    zlib_prepare(runtime);
    brotli_prepare(runtime);
    zstd_prepare(runtime);
    http_prepare(runtime);
    tls_prepare(runtime);
    hashes_prepare(runtime);
    ciphers_prepare(runtime);
    *native = JS_NewObject(context);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct native *entry = tables[i]; entry->name != NULL; entry++) {
            /* Arguments that are missing are undefined, and no function reads more than these. */
            JS_SetPropertyStr(context, *native, entry->name, JS_NewCFunction(context, entry->call, entry->name, MOST_ARGUMENTS));
        }
    }
    return context;
}

int context_make(void)
{
    JSValue native;
    context_bare(&native);
    JSValue function = JS_Eval(context, loader, sizeof loader - 1, "loader", JS_EVAL_TYPE_GLOBAL);
    functions = JS_Call(context, function, JS_UNDEFINED, 1, (JSValueConst *)&native);
    JS_FreeValue(context, function);
    JS_FreeValue(context, native);
    if (JS_IsException(functions)) {
        show_exception();
        return 1;
    }
    return 0;
}

void context_seal(void) { engine_seal_image(runtime); }

/* Calls a function of bindings/main.js, and lets go of its arguments. */
static JSValue call(const char *name, int count, JSValue *arguments)
{
    JSValue function = JS_GetPropertyStr(context, functions, name);
    JSValue result = JS_Call(context, function, JS_UNDEFINED, count, (JSValueConst *)arguments);
    JS_FreeValue(context, function);
    for (int i = 0; i < count; i++) {
        JS_FreeValue(context, arguments[i]);
    }
    return result;
}

int context_run(int argc, char **argv)
{
    engine_begin_process(context);
    JSValue arguments = JS_NewArray(context);
    for (int i = 0; i < argc; i++) {
        JS_SetPropertyUint32(context, arguments, (uint32_t)i, text_from_utf8(context, (const uint8_t *)argv[i], strlen(argv[i])));
    }
    JSValue status = call("start", 1, &arguments);
    if (JS_IsException(status)) {
        show_exception();
        return FAILED;
    }
    process_leave();
    return (int)integer_of(context, status);
}

int context_turn(const char *code, bool goes_on)
{
    engine_begin_process(context);
    JSValue arguments[] = {text_from_utf8(context, (const uint8_t *)code, strlen(code)), JS_NewBool(context, goes_on)};
    JSValue result = call("turn", 2, arguments);
    bool is_exception = JS_IsException(result);
    int status = is_exception ? FAILED : (int)integer_of(context, result) & 255;
    JSValue exception = is_exception ? JS_GetException(context) : JS_UNDEFINED;
    int asked = engine_end_turn(context);
    if (is_exception && asked < 0) {
        JS_Throw(context, exception);
        show_exception();
    }
    else {
        JS_FreeValue(context, exception);
    }
    JSValue ended = call("endTurn", 0, NULL);
    if (JS_IsException(ended)) {
        show_exception();
        status = FAILED;
    }
    JS_FreeValue(context, ended);
    engine_end_turn(context);
    process_leave();
    return asked < 0 ? status : asked;
}
