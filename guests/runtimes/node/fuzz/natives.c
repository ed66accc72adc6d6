/* Fuzzing of the C half: natives.js reads the bytes as calls of its functions with whatever arguments. What must hold is that the
 * sanitizers find nothing; exceptions are answers. `build.sh --fuzz` makes the program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine.h"

enum { MEMORY = 256 << 20, STACK = 1 << 18, RUNS = 5000, FILE_SIZE = 1000 };

static const char script[] = {
#embed "natives.js"
    , '\0'};

static FUNCTION(detach)
{
    JS_DetachArrayBuffer(ctx, argv[0]);
    return JS_UNDEFINED;
}

/* A context serves many runs: making one takes a hundred times as long as a run. */
static JSContext *context;
static JSValue native, run;

static void begin(void)
{
    context = context_bare(&native);
    JS_SetMemoryLimit(JS_GetRuntime(context), MEMORY);
    JS_SetMaxStackSize(JS_GetRuntime(context), STACK);
    run = JS_Eval(context, script, sizeof script - 1, "natives.js", JS_EVAL_TYPE_GLOBAL);
    if (!JS_IsFunction(context, run)) {
        fprintf(stderr, "natives.js is no function\n");
        abort();
    }
}

static void end(void)
{
    JSRuntime *runtime = JS_GetRuntime(context);
    JS_FreeValue(context, run);
    JS_FreeValue(context, native);
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    /* The only file that is read and written. */
    static int fd = -1;
    static unsigned runs;
    fd = fd < 0 ? memfd_create("fuzz", MFD_CLOEXEC) : fd;
    (void)!ftruncate(fd, FILE_SIZE);
    if (runs++ % RUNS == 0) {
        if (context != NULL) {
            end();
        }
        begin();
    }
    JSValue given[] = {JS_DupValue(context, native), JS_NewCFunction(context, native_detach, "detach", 1), JS_NewInt32(context, fd), JS_NewUint8ArrayCopy(context, bytes, length)};
    JS_FreeValue(context, JS_Call(context, run, JS_UNDEFINED, 4, (JSValueConst *)given));
    JS_FreeValue(context, JS_GetException(context));
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        JS_FreeValue(context, given[i]);
    }
    return 0;
}
