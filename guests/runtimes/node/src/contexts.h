/* Contexts of `vm`: realms of their own, whose global object asks a program's object first.
 *
 * A realm is one of the engine's contexts with its own Array, Error and so on. What its scripts see
 * as globals is an exotic object: a name is looked up in the program's object (the sandbox) and what that
 * inherits, then among the realm's own globals; what is set or declared with `var` goes to the
 * sandbox. `let` and `const` stay with the realm's scripts, as in V8.
 *
 * The realm lives as long as its handle, which bindings/contexts.js keeps at the sandbox, or a function of it.
 */
struct realm {
    JSContext *context;
    JSValue sandbox;
    JSValue globals; /* the realm's own global object */
};

static JSClassID realm_class, realm_global_class;

static struct realm *realm_of_global(JSValueConst global) { return JS_GetOpaque(global, realm_global_class); }

/* 1 if the sandbox has it itself or inherits it, 0 if not, -1 after an exception. */
static int global_is_sandboxs(JSContext *ctx, struct realm *realm, JSAtom name)
{
    return JS_HasProperty(ctx, realm->sandbox, name);
}

static int global_get_own(JSContext *ctx, JSPropertyDescriptor *descriptor, JSValueConst global, JSAtom name)
{
    struct realm *realm = realm_of_global(global);
    int found = JS_GetOwnProperty(ctx, descriptor, realm->sandbox, name);
    if (found != 0) {
        return found;
    }
    found = global_is_sandboxs(ctx, realm, name);
    if (found <= 0) {
        return found < 0 ? -1 : JS_GetOwnProperty(ctx, descriptor, realm->globals, name);
    }
    if (descriptor != NULL) {
        JSValue value = JS_GetProperty(ctx, realm->sandbox, name);
        if (JS_IsException(value)) {
            return -1;
        }
        *descriptor = (JSPropertyDescriptor){.flags = JS_PROP_C_W_E, .value = value, .getter = JS_UNDEFINED, .setter = JS_UNDEFINED};
    }
    return 1;
}

static int global_has(JSContext *ctx, JSValueConst global, JSAtom name)
{
    struct realm *realm = realm_of_global(global);
    int found = global_is_sandboxs(ctx, realm, name);
    return found != 0 ? found : JS_HasProperty(ctx, realm->globals, name);
}

/* Whether the realm itself has it for reading only: `undefined`, NaN. */
static bool is_read_only(JSContext *ctx, struct realm *realm, JSAtom name)
{
    JSPropertyDescriptor own;
    if (JS_GetOwnProperty(ctx, &own, realm->globals, name) <= 0) {
        return false;
    }
    bool result = (own.flags & (JS_PROP_GETSET | JS_PROP_WRITABLE)) == 0;
    JS_FreeValue(ctx, own.value);
    JS_FreeValue(ctx, own.getter);
    JS_FreeValue(ctx, own.setter);
    return result;
}

static int global_set(JSContext *ctx, JSValueConst global, JSAtom name, JSValueConst value, JSValueConst receiver, int flags)
{
    struct realm *realm = realm_of_global(global);
    if (is_read_only(ctx, realm, name)) {
        return node_read_only(ctx, flags, name, global);
    }
    return JS_SetPropertyInternal(ctx, realm->sandbox, name, js_dup(value), flags);
}

static int global_define(JSContext *ctx, JSValueConst global, JSAtom name, JSValueConst value, JSValueConst getter, JSValueConst setter, int flags)
{
    struct realm *realm = realm_of_global(global);
    if (is_read_only(ctx, realm, name)) {
        return JS_DefineProperty(ctx, realm->globals, name, value, getter, setter, flags);
    }
    return JS_DefineProperty(ctx, realm->sandbox, name, value, getter, setter, flags);
}

static int global_delete(JSContext *ctx, JSValueConst global, JSAtom name)
{
    struct realm *realm = realm_of_global(global);
    int done = JS_DeleteProperty(ctx, realm->sandbox, name, 0);
    return done <= 0 ? done : JS_DeleteProperty(ctx, realm->globals, name, 0);
}

static int global_names(JSContext *ctx, JSPropertyEnum **names, uint32_t *count, JSValueConst global)
{
    struct realm *realm = realm_of_global(global);
    int flags = JS_GPN_STRING_MASK | JS_GPN_SYMBOL_MASK;
    JSPropertyEnum *first, *second;
    uint32_t firsts, seconds;
    if (JS_GetOwnPropertyNames(ctx, &first, &firsts, realm->sandbox, flags) < 0) {
        return -1;
    }
    if (JS_GetOwnPropertyNames(ctx, &second, &seconds, realm->globals, flags) < 0) {
        JS_FreePropertyEnum(ctx, first, firsts);
        return -1;
    }
    JSPropertyEnum *all = js_malloc(ctx, sizeof *all * ((size_t)firsts + seconds + 1));
    uint32_t made = 0;
    for (uint32_t i = 0; all != NULL && i < firsts + seconds; i++) {
        JSPropertyEnum *name = i < firsts ? &first[i] : &second[i - firsts];
        JSPropertyDescriptor *none = NULL;
        if (i >= firsts && JS_GetOwnProperty(ctx, none, realm->sandbox, name->atom) > 0) {
            continue;
        }
        all[made] = *name;
        all[made++].atom = JS_DupAtom(ctx, name->atom);
    }
    JS_FreePropertyEnum(ctx, first, firsts);
    JS_FreePropertyEnum(ctx, second, seconds);
    *names = all;
    *count = made;
    return all == NULL ? -1 : 0;
}

static JSClassExoticMethods global_methods = {
    .get_own_property = global_get_own,
    .get_own_property_names = global_names,
    .delete_property = global_delete,
    .define_own_property = global_define,
    .has_property = global_has,
    .set_property = global_set,
};

static void global_finalize(JSRuntime *runtime, JSValueConst global)
{
    struct realm *realm = realm_of_global(global);
    if (realm != NULL) {
        JS_FreeValueRT(runtime, realm->sandbox);
        JS_FreeValueRT(runtime, realm->globals);
        js_free_rt(runtime, realm);
    }
}

static void global_mark(JSRuntime *runtime, JSValueConst global, JS_MarkFunc *mark)
{
    struct realm *realm = realm_of_global(global);
    if (realm != NULL) {
        JS_MarkValue(runtime, realm->sandbox, mark);
        JS_MarkValue(runtime, realm->globals, mark);
    }
}

/* A handle's opaque value is the realm's context, of which it is an owner. */
static void handle_finalize(JSRuntime *runtime, JSValueConst handle)
{
    JSContext *context = JS_GetOpaque(handle, realm_class);
    if (context != NULL) {
        JS_FreeContext(context);
    }
}

static void handle_mark(JSRuntime *runtime, JSValueConst handle, JS_MarkFunc *mark)
{
    JSContext *context = JS_GetOpaque(handle, realm_class);
    if (context != NULL) {
        mark(runtime, &context->header);
    }
}

static JSClassDef realm_definition = {"Context", .finalizer = handle_finalize, .gc_mark = handle_mark};
static JSClassDef global_definition = {"global", .finalizer = global_finalize, .gc_mark = global_mark, .exotic = &global_methods};

/* eval() and new Function() in a realm that may not have them; scripts of `vm` are compiled all the same. */
static JSValue (*eval_of_engine)(JSContext *, JSValueConst, const char *, size_t, const char *, int, int, int);

static JSValue refuse_eval(JSContext *ctx, JSValueConst this_val, const char *input, size_t length, const char *name, int line, int flags, int scope)
{
    int kind = flags & JS_EVAL_TYPE_MASK;
    if (kind == JS_EVAL_TYPE_DIRECT || kind == JS_EVAL_TYPE_INDIRECT) {
        JSValue error = JS_MakeError2(ctx, JS_EVAL_ERROR, true, "Code generation from strings disallowed for this context");
        return JS_Throw(ctx, error);
    }
    return eval_of_engine(ctx, this_val, input, length, name, line, flags, scope);
}

/* sandbox, whether code may be made of strings: the handle of a new realm. Without a sandbox its globals are as
   the language has them. */
static FUNCTION(realmMake)
{
    JSContext *context = JS_NewContext(ctx->rt);
    struct realm *realm = js_mallocz(ctx, sizeof *realm);
    bool has_sandbox = JS_IsObject(argv[0]);
    if (context == NULL || realm == NULL) {
        js_free(ctx, realm);
        return context != NULL ? (JS_FreeContext(context), JS_EXCEPTION) : JS_EXCEPTION;
    }
    /* What the engine has beside the language is Node's to give, or not. */
    static const char *const beside[] = {"performance", "DOMException", "atob", "btoa", "queueMicrotask", "navigator"};
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        JSAtom name = JS_NewAtom(context, beside[i]);
        JS_DeleteProperty(context, context->global_obj, name, 0);
        JS_FreeAtom(context, name);
    }
    if (has_sandbox) {
        JSValue global = JS_NewObjectProtoClass(context, context->class_proto[JS_CLASS_OBJECT], realm_global_class);
        *realm = (struct realm){context, js_dup(argv[0]), context->global_obj};
        JS_SetOpaque(global, realm);
        JS_DefinePropertyValue(context, realm->globals, JS_ATOM_globalThis, js_dup(global), JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
        context->global_obj = global;
    }
    else {
        js_free(ctx, realm);
    }
    if (!JS_ToBool(ctx, argv[1])) {
        eval_of_engine = context->eval_internal;
        context->eval_internal = refuse_eval;
    }
    JSValue handle = JS_NewObjectClass(ctx, realm_class);
    JS_SetOpaque(handle, context);
    return handle;
}

/* The context that a handle stands for; undefined is the program's own. */
static JSContext *context_of(JSContext *ctx, JSValueConst handle)
{
    return JS_IsUndefined(handle) ? ctx : JS_GetOpaque2(ctx, handle, realm_class);
}

static FUNCTION(realmGlobal)
{
    JSContext *context = context_of(ctx, argv[0]);
    return context == NULL ? JS_EXCEPTION : js_dup(context->global_obj);
}

/* When the scripts that run now have to be done, 0 if they have time; whether they were not, and whether the
   last was not. */
static uint64_t deadline;
static bool is_late, was_late;
/* The same of a SIGINT, where it ends the scripts that run now. */
static bool breaks, is_broken, was_broken;

static int check_end(JSContext *ctx, void *opaque)
{
    enum { INTERRUPT = 2 };
    is_late = is_late || (deadline > 0 && js__gettimeofday_us() > deadline);
    is_broken = is_broken || (breaks && signal_has_arrived(INTERRUPT));
    return is_late || is_broken;
}

static void set_ends(JSContext *ctx, uint64_t time, bool by_signal)
{
    deadline = time;
    breaks = by_signal;
    JS_SetInterruptHandler(ctx->rt, time > 0 || by_signal ? check_end : NULL, NULL);
}

/* handle, source, name, first line, milliseconds (0: as long as it takes), columns before the first, whether
   a SIGINT ends it: the value of a script in a realm. `isLate` and `isBroken` say whether it was ended. */
static FUNCTION(realmRun)
{
    JSContext *context = context_of(ctx, argv[0]);
    size_t length;
    const char *source = context != NULL ? JS_ToCStringLen(ctx, &length, argv[1]) : NULL;
    const char *name = source != NULL ? JS_ToCString(ctx, argv[2]) : NULL;
    if (name == NULL) {
        JS_FreeCString(ctx, source);
        return JS_EXCEPTION;
    }
    JSEvalOptions options = {
        .version = JS_EVAL_OPTIONS_VERSION,
        .eval_flags = JS_EVAL_TYPE_GLOBAL,
        .filename = name,
        .line_num = 1 + (int)integer_of(ctx, argv[3]),
    };
    int64_t patience = integer_of(ctx, argv[4]);
    uint64_t before = deadline, now = js__gettimeofday_us();
    bool broke_before = breaks, is_sooner = patience > 0 && (before == 0 || now + (uint64_t)patience * 1000 < before);
    set_ends(ctx, is_sooner ? now + (uint64_t)patience * 1000 : before, breaks || JS_ToBool(ctx, argv[6]) == 1);
    node_first_column = (int)integer_of(ctx, argv[5]);
    JSValue result = JS_EvalThis2(context, context->global_obj, source, length, &options);
    set_ends(ctx, before, broke_before);
    was_late = is_late && JS_IsException(result);
    was_broken = is_broken && JS_IsException(result);
    is_late = is_broken = false;
    if (was_late || was_broken) {
        JS_FreeValue(ctx, JS_GetException(ctx)); /* no program can catch it */
        result = JS_UNDEFINED;
    }
    JS_FreeCString(ctx, source);
    JS_FreeCString(ctx, name);
    return result;
}

static FUNCTION(isLate) { return JS_NewBool(ctx, was_late); }

static FUNCTION(isBroken) { return JS_NewBool(ctx, was_broken); }

const struct native realm_natives[] = {NATIVE(realmMake), NATIVE(realmGlobal), NATIVE(realmRun), NATIVE(isLate), NATIVE(isBroken), {0}};

static void realms_prepare(JSRuntime *runtime)
{
    JS_NewClassID(runtime, &realm_class);
    JS_NewClass(runtime, realm_class, &realm_definition);
    JS_NewClassID(runtime, &realm_global_class);
    JS_NewClass(runtime, realm_global_class, &global_definition);
}
