/* Turns of a session: code that sees what earlier calls have declared, and its end; part of engine.c.
 *
 * `let`, `const` and `class` of a turn stay in the engine's global scope, where the next turn may declare them again, as V8's
 * REPL mode lets it. Code with `await` runs as an async function whose declarations are global, which the engine has for its
 * own prompt.
 */

/* The status that the turn is to end with; -1 while it goes on. */
static int stopped_with = -1;

static bool is_stopped(void) { return stopped_with >= 0; }

static JSValue compile_turn(JSContext *ctx, JSValueConst *argv)
{
    size_t length;
    const char *source = JS_ToCStringLen(ctx, &length, argv[0]);
    const char *name = source != NULL ? JS_ToCString(ctx, argv[1]) : NULL;
    JSValue compiled = JS_EXCEPTION;
    if (name != NULL) {
        JSEvalOptions options = {
            .version = JS_EVAL_OPTIONS_VERSION,
            .eval_flags = JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY | (JS_ToBool(ctx, argv[2]) ? JS_EVAL_FLAG_ASYNC : 0),
            .filename = name,
            .line_num = 1,
        };
        compiled = JS_EvalThis2(ctx, ctx->global_obj, source, length, &options);
    }
    if (JS_VALUE_GET_TAG(compiled) == JS_TAG_FUNCTION_BYTECODE) {
        /* Messages name expressions (refusals.h): of functions the engine has the source, of scripts it has not. */
        JSFunctionBytecode *script = JS_VALUE_GET_PTR(compiled);
        script->source = js_strndup(ctx, source, length);
        script->source_len = script->source != NULL ? (int)length : 0;
    }
    JS_FreeCString(ctx, name);
    JS_FreeCString(ctx, source);
    return compiled;
}

/* Lets a script declare a name that an earlier one has declared. */
static int forget_declared(JSContext *ctx, JSAtom name, int flags)
{
    JSObject *lexical = JS_VALUE_GET_OBJ(ctx->global_var_obj), *global = JS_VALUE_GET_OBJ(ctx->global_obj);
    if (find_own_property1(lexical, name) != NULL && delete_property(ctx, lexical, name) < 0) {
        return -1;
    }
    /* A `let` hides the `var` of an earlier turn, and not what the language has as constants. */
    JSShapeProperty *property = find_own_property1(global, name);
    bool is_hidden = (flags & DEFINE_GLOBAL_LEX_VAR) && property != NULL &&
                     (property->flags & (JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE)) == JS_PROP_WRITABLE;
    if (is_hidden) {
        if (js_shape_prepare_update(ctx, global, &property) != 0) {
            return -1;
        }
        property->flags |= JS_PROP_CONFIGURABLE;
    }
    return 0;
}

/* A script checks what it declares before it runs: those instructions name it. */
static int forget_all_declared(JSContext *ctx, const JSFunctionBytecode *script)
{
    for (int at = 0; at < script->byte_code_len; at += short_opcode_info(script->byte_code_buf[at]).size) {
        const uint8_t *instruction = script->byte_code_buf + at;
        if (*instruction == OP_check_define_var && forget_declared(ctx, get_u32(instruction + 1), instruction[5]) != 0) {
            return -1;
        }
    }
    return 0;
}

/* source, name, whether it may await: the value of the script, or the promise of an object with it as `value`. */
static FUNCTION(runTurn)
{
    JSValue script = compile_turn(ctx, argv);
    if (JS_IsException(script)) {
        return script;
    }
    if (forget_all_declared(ctx, JS_VALUE_GET_PTR(script)) != 0) {
        JS_FreeValue(ctx, script);
        return JS_EXCEPTION;
    }
    return JS_EvalFunction(ctx, script);
}

/* source, name, whether it may await: whether it can be compiled. */
static FUNCTION(isTurn)
{
    JSValue script = compile_turn(ctx, argv);
    bool is_good = !JS_IsException(script);
    JS_FreeValue(ctx, is_good ? script : JS_GetException(ctx));
    return JS_NewBool(ctx, is_good);
}

static int check_stopped(JSContext *ctx, void *opaque)
{
    ctx->interrupt_counter = 0; /* look again at once */
    return is_stopped();
}

/* status: ends the turn by an exception that no program catches. Where the engine makes a rejection of it, the next call of a
   function throws another. */
static FUNCTION(stopTurn)
{
    stopped_with = (int)integer_of(ctx, argv[0]) & 255;
    JS_SetInterruptHandler(ctx->rt, check_stopped, NULL);
    ctx->interrupt_counter = 0;
    JSValue error = JS_NewError(ctx);
    JS_SetUncatchableError(ctx, error);
    return JS_Throw(ctx, error);
}

static FUNCTION(isStopped) { return JS_NewBool(ctx, is_stopped()); }

static void drop_jobs(JSRuntime *runtime)
{
    struct list_head *link, *next;
    list_for_each_safe(link, next, &runtime->job_list) {
        JSJobEntry *job = list_entry(link, JSJobEntry, link);
        list_del(&job->link);
        JS_FreeValueRT(runtime, job->continuation);
        for (int i = 0; i < job->argc; i++) {
            JS_FreeValueRT(runtime, job->argv[i]);
        }
        js_free_rt(runtime, job);
    }
}

const struct native turn_natives[] = {NATIVE(runTurn), NATIVE(isTurn), NATIVE(stopTurn), NATIVE(isStopped), {0}};
