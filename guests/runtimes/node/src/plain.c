/* The engine without Node, for test262 (scripts/test262.py): `node --plain FILE…`, in programs for this machine only.
 *
 * `node --plain --each` takes such arguments line by line from the standard input, separated by tabs, and runs each line in a
 * process forked for it, because starting this program takes longer than most tests. It answers each with a line
 * `STATUS SIZE SIZE` and what was printed and what the errors were; the status is negative after a signal.
 *
 * Files are run one after another in one realm, as scripts; a file behind `--module` is run as a
 * module, one behind `--strict` in strict mode. The status is 1 after an error, whose name is then the first word of the errors; it
 * is 2 if a module's promise was rejected, 3 for a mistake in parsing. `$262` is what
 * test262's INTERPRETING.md asks for, without agents.
 */
#ifndef __wasi__
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine.h"

/* Of one line of `--each`: its words, and what it may take. */
enum { STACK = 1 << 20, WORDS = 32, SECONDS = 30, PRINTED = 1 << 20 };

static JSValue make_262(JSContext *context);

/* `before` is put before the text. */
static char *read_file(const char *path, const char *before, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (text = malloc(strlen(before) + (size_t)ftell(file) + 1)) == NULL) {
        return NULL;
    }
    size_t size = (size_t)ftell(file), head = strlen(before);
    rewind(file);
    memcpy(text, before, head);
    *length = head + fread(text + head, 1, size, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

static FUNCTION(print)
{
    const char *text = JS_ToCString(ctx, argv[0]);
    printf("%s\n", text != NULL ? text : "");
    JS_FreeCString(ctx, text);
    return JS_UNDEFINED;
}

static FUNCTION(createRealm)
{
    JSContext *context = JS_NewContext(JS_GetRuntime(ctx));
    JSValue object = make_262(context);
    JS_FreeContext(context);
    return object;
}

/* `$262` of another realm runs there: its functions belong to it, and `ctx` is theirs. */
static FUNCTION(evalScript)
{
    size_t length;
    const char *source = JS_ToCStringLen(ctx, &length, argv[0]);
    JSValue result = source != NULL ? JS_Eval(ctx, source, length, "evalScript", JS_EVAL_TYPE_GLOBAL) : JS_EXCEPTION;
    JS_FreeCString(ctx, source);
    return result;
}

static FUNCTION(detachArrayBuffer)
{
    JS_DetachArrayBuffer(ctx, argv[0]);
    return JS_UNDEFINED;
}

static FUNCTION(gc)
{
    JS_RunGC(JS_GetRuntime(ctx));
    return JS_UNDEFINED;
}

static JSValue make_262(JSContext *context)
{
    static const struct native functions[] = {NATIVE(createRealm), NATIVE(evalScript), NATIVE(detachArrayBuffer), NATIVE(gc), {0}};
    JSValue object = JS_NewObject(context), global = JS_GetGlobalObject(context);
    for (const struct native *entry = functions; entry->name != NULL; entry++) {
        JS_SetPropertyStr(context, object, entry->name, JS_NewCFunction(context, entry->call, entry->name, 1));
    }
    JS_SetPropertyStr(context, object, "global", JS_DupValue(context, global));
    JS_SetPropertyStr(context, global, "$262", JS_DupValue(context, object));
    JS_SetPropertyStr(context, global, "print", JS_NewCFunction(context, native_print, "print", 1));
    JS_FreeValue(context, global);
    return object;
}

/* The first words of the errors are what test262.py compares. */
static int fail(JSContext *context, int status)
{
    JSValue error = JS_GetException(context);
    JSValue name = JS_IsObject(error) ? JS_GetPropertyStr(context, error, "name") : JS_UNDEFINED;
    JSValue constructor = JS_IsObject(error) ? JS_GetPropertyStr(context, error, "constructor") : JS_UNDEFINED;
    JSValue constructor_name = JS_IsObject(constructor) ? JS_GetPropertyStr(context, constructor, "name") : JS_UNDEFINED;
    const char *first = JS_ToCString(context, JS_IsUndefined(constructor_name) ? name : constructor_name), *text = JS_ToCString(context, error);
    fprintf(stderr, "%s %s\n", first != NULL ? first : "?", text != NULL ? text : "?");
    fflush(NULL);
    _Exit(status);
}

static char *resolve(JSContext *context, const char *base, const char *name, void *opaque)
{
    const char *slash = strrchr(base, '/');
    size_t length = slash != NULL && name[0] == '.' ? (size_t)(slash - base) + 1 : 0;
    char *path = js_malloc(context, length + strlen(name) + 1);
    if (path != NULL) {
        memcpy(path, base, length);
        strcpy(path + length, strncmp(name, "./", 2) == 0 && length > 0 ? name + 2 : name);
    }
    return path;
}

static int json_steps(JSContext *context, JSModuleDef *module)
{
    return JS_SetModuleExport(context, module, "default", JS_GetModulePrivateValue(context, module));
}

static JSModuleDef *load(JSContext *context, const char *name, void *opaque, JSValueConst attributes)
{
    size_t length;
    char *source = read_file(name, "", &length);
    if (source == NULL) {
        JS_ThrowReferenceError(context, "could not load module '%s'", name);
        return NULL;
    }
    JSValue type = JS_IsObject(attributes) ? JS_GetPropertyStr(context, attributes, "type") : JS_UNDEFINED;
    const char *kind = JS_IsString(type) ? JS_ToCString(context, type) : NULL;
    JSValue value = JS_UNDEFINED;
    JSModuleDef *module = NULL;
    if (kind == NULL) {
        value = JS_Eval(context, source, length, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
        module = JS_IsException(value) ? NULL : JS_VALUE_GET_PTR(value);
        JS_FreeValue(context, value);
    }
    else if (strcmp(kind, "json") == 0 || strcmp(kind, "text") == 0) {
        value = kind[0] == 'j' ? JS_ParseJSON(context, source, length, name) : JS_NewStringLen(context, source, length);
        if (!JS_IsException(value)) {
            module = JS_NewCModule(context, name, json_steps);
            JS_AddModuleExport(context, module, "default");
            JS_SetModulePrivateValue(context, module, value);
        }
    }
    else {
        JS_ThrowSyntaxError(context, "modules of type '%s' are not there", kind);
    }
    JS_FreeCString(context, kind);
    JS_FreeValue(context, type);
    free(source);
    return module;
}

static int run_files(int argc, char **argv)
{
    JSRuntime *runtime = JS_NewRuntime();
    JS_SetMaxStackSize(runtime, STACK);
    JSContext *context = JS_NewContext(runtime), *of_job;
    JS_SetModuleLoaderFunc2(runtime, resolve, load, NULL, NULL);
    JS_FreeValue(context, make_262(context));
    JSValue result = JS_UNDEFINED;
    int is_module = 0;
    for (int i = 0; i < argc; i++) {
        size_t length = 0;
        int is_strict = strcmp(argv[i], "--strict") == 0;
        is_module = strcmp(argv[i], "--module") == 0;
        const char *path = argv[i += is_module || is_strict];
        char *source = path != NULL ? read_file(path, is_strict ? "\"use strict\";\n" : "", &length) : NULL;
        if (source == NULL) {
            fprintf(stderr, "? cannot read %s\n", path != NULL ? path : "");
            return 4;
        }
        JSValue compiled = JS_Eval(context, source, length, path, (is_module ? JS_EVAL_TYPE_MODULE : JS_EVAL_TYPE_GLOBAL) | JS_EVAL_FLAG_COMPILE_ONLY);
        if (JS_IsException(compiled) || (is_module && (JS_ResolveModule(context, compiled) < 0 || engine_link(context, compiled) < 0))) {
            return fail(context, 3);
        }
        result = JS_EvalFunction(context, compiled);
        if (JS_IsException(result)) {
            return fail(context, 1);
        }
    }
    for (int done; (done = JS_ExecutePendingJob(runtime, &of_job)) != 0;) {
        if (done < 0) {
            return fail(of_job, 1);
        }
    }
    if (is_module && JS_PromiseState(context, result) == JS_PROMISE_REJECTED) {
        JS_Throw(context, JS_PromiseResult(context, result));
        return fail(context, 2);
    }
    fflush(NULL);
    _Exit(0);
}

/* Writes what a child has left in one of the files, and empties it. */
static void pass_on(int file, size_t size)
{
    char *bytes = malloc(size + 1);
    ssize_t count = bytes != NULL ? pread(file, bytes, size, 0) : -1;
    if (count != (ssize_t)size) {
        perror("node: pread");
        _Exit(4);
    }
    fwrite(bytes, 1, size, stdout);
    free(bytes);
    if (ftruncate(file, 0) != 0 || lseek(file, 0, SEEK_SET) != 0) {
        perror("node: ftruncate");
        _Exit(4);
    }
}

static int run_line(char *line, const int files[2])
{
    char *words[WORDS];
    int count = 0;
    for (char *word = strtok(line, "\t\n"); word != NULL && count < WORDS; word = strtok(NULL, "\t\n")) {
        words[count++] = word;
    }
    pid_t child = fork();
    if (child == 0) {
        struct rlimit most = {PRINTED, PRINTED};
        setrlimit(RLIMIT_FSIZE, &most);
        alarm(SECONDS);
        dup2(files[0], STDOUT_FILENO);
        dup2(files[1], STDERR_FILENO);
        _Exit(run_files(count, words));
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("node: fork");
        return 4;
    }
    size_t sizes[2] = {(size_t)lseek(files[0], 0, SEEK_END), (size_t)lseek(files[1], 0, SEEK_END)};
    printf("%d %zu %zu\n", WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status), sizes[0], sizes[1]);
    pass_on(files[0], sizes[0]);
    pass_on(files[1], sizes[1]);
    fflush(stdout);
    return 0;
}

int plain_run(int argc, char **argv)
{
    if (argc != 1 || strcmp(argv[0], "--each") != 0) {
        return run_files(argc, argv);
    }
    int files[2] = {memfd_create("printed", MFD_CLOEXEC), memfd_create("errors", MFD_CLOEXEC)}, status = 0;
    char *line = NULL;
    size_t room = 0;
    if (files[0] < 0 || files[1] < 0) {
        perror("node: memfd_create");
        return 4;
    }
    while (status == 0 && getline(&line, &room, stdin) > 0) {
        status = run_line(line, files);
    }
    free(line);
    return status;
}
#endif
