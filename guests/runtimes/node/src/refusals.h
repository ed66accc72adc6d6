/* Errors that name the value, the expression or the token that is wrong, as V8 does.
 *
 * The patch calls these where upstream throws a message without it. None of them runs code of the
 * program: values are described by what can be read without getters.
 */

/* The text that a value has in messages, V8's NoSideEffectsToString. */
struct described {
    char text[200];
};

static JSValue plain_property(JSContext *ctx, JSValueConst object, JSAtom name)
{
    JSObject *at = JS_VALUE_GET_OBJ(object);
    for (int steps = 0; at != NULL && steps < 1000 && at->class_id != JS_CLASS_PROXY; steps++) {
        JSProperty *property;
        JSShapeProperty *shape = find_own_property(&property, at, name);
        if (shape != NULL) {
            return (shape->flags & JS_PROP_TMASK) == JS_PROP_NORMAL ? js_dup(property->u.value) : JS_UNDEFINED;
        }
        at = at->shape->proto;
    }
    return JS_UNDEFINED;
}

static void describe_string(JSContext *ctx, JSValueConst string, struct described *out)
{
    const char *text = JS_IsString(string) ? JS_ToCString(ctx, string) : NULL;
    snprintf(out->text, sizeof out->text, "%s", text != NULL ? text : "");
    JS_FreeCString(ctx, text);
}

/* The name of the function `constructor` of an object; empty if it has none. */
static void describe_constructor(JSContext *ctx, JSValueConst object, struct described *out)
{
    out->text[0] = '\0';
    JSValue constructor = plain_property(ctx, object, JS_ATOM_constructor);
    if (JS_IsFunction(ctx, constructor)) {
        JSValue name = plain_property(ctx, constructor, JS_ATOM_name);
        describe_string(ctx, name, out);
        JS_FreeValue(ctx, name);
    }
    JS_FreeValue(ctx, constructor);
}

static void describe_object(JSContext *ctx, JSValueConst value, struct described *out)
{
    struct described name;
    JSObject *object = JS_VALUE_GET_OBJ(value);
    if (JS_IsFunction(ctx, value)) {
        JSFunctionBytecode *function = object->class_id == JS_CLASS_PROXY ? NULL : JS_GetFunctionBytecode(value);
        if (function != NULL && function->source != NULL) {
            snprintf(out->text, sizeof out->text, "%.*s", function->source_len, function->source);
            return;
        }
        JSValue text = object->class_id == JS_CLASS_PROXY ? JS_UNDEFINED : plain_property(ctx, value, JS_ATOM_name);
        describe_string(ctx, text, &name);
        JS_FreeValue(ctx, text);
        snprintf(out->text, sizeof out->text, "function %.100s() { [native code] }", name.text);
        return;
    }
    if (object->class_id == JS_CLASS_ERROR) {
        struct described message;
        JSValue first = plain_property(ctx, value, JS_ATOM_name), second = plain_property(ctx, value, JS_ATOM_message);
        describe_string(ctx, first, &name);
        describe_string(ctx, second, &message);
        JS_FreeValue(ctx, first);
        JS_FreeValue(ctx, second);
        snprintf(out->text, sizeof out->text, "%.60s: %.120s", name.text, message.text);
        return;
    }
    JSValue printer = plain_property(ctx, value, JS_ATOM_toString);
    bool is_plain = JS_IsObject(printer) && JS_VALUE_GET_OBJ(printer)->class_id == JS_CLASS_C_FUNCTION &&
                    JS_VALUE_GET_OBJ(printer)->u.cfunc.c_function.generic == js_object_toString;
    JS_FreeValue(ctx, printer);
    describe_constructor(ctx, value, &name);
    if (is_plain && name.text[0] != '\0') {
        snprintf(out->text, sizeof out->text, "#<%.100s>", name.text);
        return;
    }
    JSValue tag = plain_property(ctx, value, JS_ATOM_Symbol_toStringTag);
    describe_string(ctx, tag, &name);
    JS_FreeValue(ctx, tag);
    char class_name[ATOM_GET_STR_BUF_SIZE];
    JS_AtomGetStr(ctx, class_name, sizeof class_name, ctx->rt->class_array[object->class_id].class_name);
    snprintf(out->text, sizeof out->text, "[object %.100s]", name.text[0] != '\0' ? name.text : class_name);
}

static void describe(JSContext *ctx, JSValueConst value, struct described *out)
{
    if (JS_IsObject(value)) {
        describe_object(ctx, value, out);
    }
    else if (JS_IsSymbol(value)) {
        char text[ATOM_GET_STR_BUF_SIZE];
        JSAtom atom = JS_ValueToAtom(ctx, value);
        snprintf(out->text, sizeof out->text, node_is_private(ctx, atom) ? "%s" : "Symbol(%s)", JS_AtomGetStr(ctx, text, sizeof text, atom));
        JS_FreeAtom(ctx, atom);
    }
    else {
        JSValue string = JS_ToString(ctx, value);
        describe_string(ctx, string, out);
        JS_FreeValue(ctx, string);
    }
}

/* Kind and text, where there is no expression to name: V8's BuildDefaultCallSite. */
static void describe_kind(JSContext *ctx, JSValueConst value, struct described *out)
{
    struct described text;
    char kind[ATOM_GET_STR_BUF_SIZE];
    JS_AtomGetStr(ctx, kind, sizeof kind, js_operator_typeof(ctx, value));
    describe(ctx, value, &text);
    if (JS_IsString(value)) {
        snprintf(out->text, sizeof out->text, "string \"%.150s\"", text.text);
    }
    else if (JS_IsNull(value) || JS_IsBool(value) || JS_IsNumber(value)) {
        snprintf(out->text, sizeof out->text, "%.20s %.150s", kind, text.text);
    }
    else {
        snprintf(out->text, sizeof out->text, "%s", kind);
    }
}

/* `format` has one %s, for the value. */
static JSValue node_throw_value(JSContext *ctx, JSErrorEnum kind, const char *format, JSValueConst value)
{
    struct described text;
    describe(ctx, value, &text);
    switch (kind) {
    case JS_RANGE_ERROR: return JS_ThrowRangeError(ctx, format, text.text);
    case JS_SYNTAX_ERROR: return JS_ThrowSyntaxError(ctx, format, text.text);
    default: return JS_ThrowTypeError(ctx, format, text.text);
    }
}

static bool node_is_symbol(JSContext *ctx, JSAtom atom) { return JS_AtomGetKind(ctx, atom) == JS_ATOM_KIND_SYMBOL; }
static bool node_is_private(JSContext *ctx, JSAtom atom) { return JS_AtomGetKind(ctx, atom) == JS_ATOM_KIND_PRIVATE; }

/* `format` has one %s, for a property whose name is a symbol. */
static JSValue node_throw_symbol(JSContext *ctx, const char *format, JSAtom atom)
{
    char text[ATOM_GET_STR_BUF_SIZE], name[ATOM_GET_STR_BUF_SIZE + 8];
    static const char reads[] = "Cannot read properties of ";
    snprintf(name, sizeof name, "Symbol(%s)", JS_AtomGetStr(ctx, text, sizeof text, atom));
    if (atom == JS_ATOM_Symbol_iterator && strncmp(format, reads, sizeof reads - 1) == 0) {
        const char *kind = format + sizeof reads - 1;
        return JS_ThrowTypeError(ctx, "%.*s is not iterable (cannot read property %s)", (int)strcspn(kind, " "), kind, name);
    }
    return JS_ThrowTypeError(ctx, format, name);
}

/* A method of Object or Reflect that was given something else. */
static JSValue node_throw_not_an_object(JSContext *ctx)
{
    static const char *const holders[] = {"Reflect", "Object"};
    JSStackFrame *frame = ctx->rt->current_stack_frame;
    JSObject *function = frame != NULL && JS_IsObject(frame->cur_func) ? JS_VALUE_GET_OBJ(frame->cur_func) : NULL;
    for (size_t i = 0; function != NULL && function->class_id == JS_CLASS_C_FUNCTION && i < 2; i++) {
        JSAtom atom = JS_NewAtom(ctx, holders[i]);
        JSValue holder = plain_property(ctx, ctx->global_obj, atom), name = plain_property(ctx, frame->cur_func, JS_ATOM_name);
        JSAtom method = JS_IsString(name) ? JS_ValueToAtom(ctx, name) : JS_ATOM_NULL;
        JSValue found = JS_IsObject(holder) && method != JS_ATOM_NULL ? plain_property(ctx, holder, method) : JS_UNDEFINED;
        bool is_its = JS_IsObject(found) && JS_VALUE_GET_OBJ(found) == function;
        struct described text;
        describe_string(ctx, name, &text);
        JS_FreeAtom(ctx, atom);
        JS_FreeAtom(ctx, method);
        JS_FreeValue(ctx, holder);
        JS_FreeValue(ctx, name);
        JS_FreeValue(ctx, found);
        if (is_its) {
            return JS_ThrowTypeError(ctx, "%s.%s called on non-object", holders[i], text.text);
        }
    }
    return JS_ThrowTypeError(ctx, "not an object");
}

/* What a program may not do with a property: `format` has %s for the property, then the object. */
static int node_refuse(JSContext *ctx, int flags, const char *format, JSAtom property, JSValueConst object)
{
    if ((flags & JS_PROP_THROW) == 0 && ((flags & JS_PROP_THROW_STRICT) == 0 || !is_strict_mode(ctx))) {
        return false;
    }
    struct described text;
    char name[ATOM_GET_STR_BUF_SIZE];
    describe(ctx, object, &text);
    JS_ThrowTypeError(ctx, format, JS_AtomGetStr(ctx, name, sizeof name, property), text.text);
    return -1;
}

static int node_read_only(JSContext *ctx, int flags, JSAtom property, JSValueConst object)
{
    char format[80], kind[ATOM_GET_STR_BUF_SIZE];
    JS_AtomGetStr(ctx, kind, sizeof kind, js_operator_typeof(ctx, object));
    snprintf(format, sizeof format, "Cannot assign to read only property '%%s' of %.20s '%%s'", kind);
    return node_refuse(ctx, flags, format, property, object);
}

/* A property of what can have none of its own. */
static int node_refuse_primitive(JSContext *ctx, int flags, JSAtom property, JSValueConst value)
{
    char format[80], kind[ATOM_GET_STR_BUF_SIZE];
    if (JS_IsString(value) && (__JS_AtomIsTaggedInt(property) || property == JS_ATOM_length)) {
        return node_read_only(ctx, flags, property, value);
    }
    JS_AtomGetStr(ctx, kind, sizeof kind, js_operator_typeof(ctx, value));
    snprintf(format, sizeof format, "Cannot create property '%%s' on %.20s '%%s'", kind);
    return node_refuse(ctx, flags, format, property, value);
}

/* Where the function that runs is in its source; `operation` is what it does there. */
struct here {
    const char *source, *end, *at; /* `at` is NULL if it is not known */
    int operation;
    JSStackFrame *frame;
};

/* Where a line and a column of the file are in the source of a function; NULL if they are not. */
static const char *place_in_source(const JSFunctionBytecode *function, int line, int column)
{
    const char *at = function->source, *end = at + function->source_len;
    if (is_word((struct range){at, end}, "class")) { /* a constructor has its class's source and its own place */
        while (at < end && !(is_word((struct range){at, end}, "constructor") && !is_name(at[-1]))) {
            at++;
        }
    }
    int left = column - (line == function->line_num ? function->col_num : 1);
    for (int here = function->line_num; here < line && at < end; here++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        at = next != NULL ? next + 1 : end;
    }
    return left >= 0 && left < end - at ? at + left : NULL; /* columns are bytes */
}

static struct here place_of_code(JSContext *ctx)
{
    struct here here = {.frame = ctx->rt->current_stack_frame};
    JSFunctionBytecode *function = here.frame != NULL ? JS_GetFunctionBytecode(here.frame->cur_func) : NULL;
    if (function == NULL || function->source == NULL || here.frame->cur_pc == NULL) {
        return here;
    }
    int column, line = find_line_num(ctx, function, (uint32_t)(here.frame->cur_pc - function->byte_code_buf - 1), &column);
    here.source = function->source;
    here.end = function->source + function->source_len;
    here.operation = here.frame->cur_pc[-1];
    here.at = place_in_source(function, line, column);
    return here;
}

static JSValue node_throw_not_callable(JSContext *ctx, JSValueConst value)
{
    struct described text;
    struct here here = place_of_code(ctx);
    if (here.source != NULL && here.frame->cur_pc[-3] == OP_apply) { /* which has an operand of two bytes */
        return node_throw_not_a_function(ctx, value);
    }
    describe_kind(ctx, value, &text);
    return JS_ThrowTypeError(ctx, "%s is not a function", text.text);
}

/* What is called: the place is that of the last name, or of the bracket behind what has none. */
static JSValue node_throw_not_a_function(JSContext *ctx, JSValueConst value)
{
    struct here here = place_of_code(ctx);
    if (here.frame == NULL || here.source == NULL) {
        return node_throw_not_callable(ctx, value);
    }
    struct printed out = {.text = ""};
    if (here.at != NULL && (is_name(*here.at) || *here.at == '(' || *here.at == '`')) {
        const char *to = behind_name(here.at, here.end);
        print_expression(&out, (struct range){start_of_expression(here.source, here.at), to});
    }
    if (out.length == 0) {
        print_unknown(&out);
    }
    return JS_ThrowTypeError(ctx, "%s is not a function", out.text);
}

static JSValue node_throw_not_a_constructor(JSContext *ctx, JSValueConst value)
{
    struct here here = place_of_code(ctx);
    struct printed out = {.text = ""};
    struct described text;
    describe(ctx, value, &text);
    if (here.at != NULL && is_word((struct range){here.at, here.end}, "new")) {
        const char *from = here.at + 3;
        while (from < here.end && is_blank(*from)) {
            from++;
        }
        const char *to = from < here.end && *from == '(' ? behind_bracket(from, here.end) : from;
        while (to < here.end && (is_name(*to) || *to == '.' || *to == '[')) {
            to = *to == '[' ? behind_bracket(to, here.end) : to + 1;
        }
        print_expression(&out, (struct range){from, to});
    }
    else if (here.source != NULL && (here.operation == OP_init_ctor || (here.at != NULL && is_word((struct range){here.at, here.end}, "super")))) {
        struct described name;
        JSValue own = plain_property(ctx, here.frame->cur_func, JS_ATOM_name);
        describe_string(ctx, own, &name);
        JS_FreeValue(ctx, own);
        bool is_null = JS_IsObject(value) && JS_VALUE_GET_OBJ(value) == JS_VALUE_GET_OBJ(ctx->function_proto);
        return JS_ThrowTypeError(ctx, "Super constructor %.150s of %s is not a constructor", is_null ? "null" : text.text,
                                 name.text[0] != '\0' ? name.text : "anonymous class");
    }
    if (out.length == 0 && JS_IsFunction(ctx, value) && JS_GetFunctionBytecode(value) == NULL && JS_VALUE_GET_OBJ(value)->class_id != JS_CLASS_PROXY) {
        JSValue name = plain_property(ctx, value, JS_ATOM_name);
        describe_string(ctx, name, &text);
        JS_FreeValue(ctx, name);
    }
    return JS_ThrowTypeError(ctx, "%s is not a constructor", out.length > 0 ? out.text : text.text);
}

/* A class or another constructor that was called without `new`. */
static JSValue node_throw_needs_new(JSContext *ctx, JSValueConst function, bool is_class)
{
    struct described name;
    JSValue own = plain_property(ctx, function, JS_ATOM_name);
    describe_string(ctx, own, &name);
    JS_FreeValue(ctx, own);
    if (is_class) {
        return name.text[0] == '\0' ? JS_ThrowTypeError(ctx, "Class constructors cannot be invoked without 'new'")
                                    : JS_ThrowTypeError(ctx, "Class constructor %s cannot be invoked without 'new'", name.text);
    }
    return strcmp(name.text, "Promise") == 0 ? JS_ThrowTypeError(ctx, "Promise constructor cannot be invoked without 'new'")
                                             : JS_ThrowTypeError(ctx, "Constructor %s requires 'new'", name.text);
}

/* The expression that a pattern at `at` takes apart: behind its `=`. */
static struct range value_of_pattern(const char *at, const char *end)
{
    at = behind_bracket(at, end);
    while (at < end && is_blank(*at)) {
        at++;
    }
    if (at + 1 >= end || *at != '=' || at[1] == '=' || at[1] == '>') {
        return (struct range){end, end};
    }
    struct range value = trimmed((struct range){at + 1, end});
    value.to = end_of_expression(value.from, end);
    return value;
}

/* An argument behind `...`; the place is that of what is called. */
static JSValue throw_not_spreadable(JSContext *ctx, struct here here, JSValueConst value)
{
    struct printed out = {.text = ""};
    const char *dots = here.at;
    while (dots + 3 < here.end && memcmp(dots, "...", 3) != 0) {
        dots++;
    }
    if ((!JS_IsUndefined(value) && !JS_IsNull(value)) || dots + 3 >= here.end) {
        return JS_ThrowTypeError(ctx, "Spread syntax requires ...iterable[Symbol.iterator] to be a function");
    }
    print_expression(&out, (struct range){dots + 3, end_of_expression(dots + 3, here.end)});
    return JS_ThrowTypeError(ctx, "%s is not iterable (cannot read property undefined)", out.text);
}

static JSValue node_throw_not_iterable(JSContext *ctx, JSValueConst value)
{
    struct here here = place_of_code(ctx);
    struct printed out = {.text = ""};
    if (here.at != NULL && here.operation == OP_append) {
        const char *from = start_of_expression(here.source, here.at);
        if (from - here.source < 3 || memcmp(from - 3, "...", 3) != 0) {
            return throw_not_spreadable(ctx, here, value);
        }
    }
    bool is_known = here.at != NULL && (here.operation == OP_for_of_start || here.operation == OP_append);
    if (is_known) {
        struct range text = {start_of_expression(here.source, here.at), end_of_expression(here.at, here.end)};
        if (here.operation == OP_for_of_start && *here.at == '[') {
            text = value_of_pattern(here.at, here.end);
        }
        print_expression(&out, text);
        bool is_nothing = JS_IsUndefined(value) || JS_IsNull(value);
        if (is_nothing && *here.at == '[' && here.operation == OP_for_of_start && strcmp(out.text, JS_IsNull(value) ? "null" : "undefined") != 0) {
            out.length = 0;
        }
        if (out.length > 5 && strcmp(out.text + out.length - 5, "(...)") == 0) {
            out.text[out.length - 5] = '\0';
            return JS_ThrowTypeError(ctx, "%s is not a function or its return value is not iterable", out.text);
        }
        if (out.length > 0) {
            return JS_ThrowTypeError(ctx, "%s is not iterable", out.text);
        }
    }
    struct described text;
    describe_kind(ctx, value, &text);
    if (here.source == NULL && JS_IsUndefined(value)) {
        return JS_ThrowTypeError(ctx, "undefined is not iterable");
    }
    return JS_ThrowTypeError(ctx, "%s is not iterable (cannot read property Symbol(Symbol.iterator))", text.text);
}

/* undefined or null that is taken apart by a pattern of an object; its first name is the place. */
static JSValue node_throw_destructured(JSContext *ctx, JSValueConst value)
{
    struct here here = place_of_code(ctx);
    const char *kind = JS_IsNull(value) ? "null" : "undefined";
    if (here.at == NULL) {
        return JS_ThrowTypeError(ctx, "Cannot destructure '%s' as it is %s.", kind, kind);
    }
    const char *open = here.at;
    while (open > here.source && (is_blank(*open) || open == here.at)) {
        open--;
    }
    if (*open != '{') {
        return JS_ThrowTypeError(ctx, "Cannot convert undefined or null to object");
    }
    struct printed out = {.text = ""}, name = {.text = ""};
    const char *before = open;
    while (before > here.source && is_blank(before[-1])) {
        before--;
    }
    if (is_quote(*here.at)) {
        const char *end = behind_quote(here.at, here.end);
        print_bytes(&name, here.at + 1, (size_t)(end - here.at) - 2);
    }
    else {
        print_bytes(&name, here.at, (size_t)(behind_name(here.at, here.end) - here.at));
    }
    if (before > here.source && before[-1] == ':' && name.length > 0) { /* within another pattern */
        return JS_ThrowTypeError(ctx, "Cannot read properties of %s (reading '%s')", kind, name.text);
    }
    print_expression(&out, value_of_pattern(open, here.end));
    if (out.length == 0) {
        print_text(&out, kind);
    }
    if (name.length == 0) {
        return JS_ThrowTypeError(ctx, "Cannot destructure '%s' as it is %s.", out.text, kind);
    }
    return JS_ThrowTypeError(ctx, "Cannot destructure property '%s' of '%s' as it is %s.", name.text, out.text, kind);
}

/* A method of a class that was called on something else. */
static JSValue node_throw_incompatible(JSContext *ctx, JSValueConst value, JSClassID class_id)
{
    struct described text, name;
    char class_name[ATOM_GET_STR_BUF_SIZE];
    JS_AtomGetStr(ctx, class_name, sizeof class_name, ctx->rt->class_array[class_id].class_name);
    JSStackFrame *frame = ctx->rt->current_stack_frame;
    JSValue method = frame != NULL && JS_GetFunctionBytecode(frame->cur_func) == NULL ? plain_property(ctx, frame->cur_func, JS_ATOM_name)
                                                                                      : JS_UNDEFINED;
    describe_string(ctx, method, &name);
    JS_FreeValue(ctx, method);
    describe(ctx, value, &text);
    bool is_getter = strncmp(name.text, "get ", 4) == 0;
    return JS_ThrowTypeError(ctx, "Method %s%.40s.prototype.%.60s called on incompatible receiver %.120s", is_getter ? "get " : "", class_name,
                             is_getter ? name.text + 4 : name.text, text.text);
}

static int node_refuse_in(JSContext *ctx, JSValueConst key, JSValueConst value)
{
    struct described text, name;
    describe(ctx, value, &text);
    describe(ctx, key, &name);
    JS_ThrowTypeError(ctx, "Cannot use 'in' operator to search for '%.100s' in %.120s", name.text, text.text);
    return -1;
}

/* A pattern or flags that are wrong. */
static JSValue node_throw_regexp(JSContext *ctx, JSValueConst pattern, JSValueConst flags, const char *ours)
{
    static const char *const known[][2] = {
        {"expecting ')'", "Unterminated group"},
        {"extraneous characters at the end", "Unmatched ')'"},
        {"nothing to repeat", "Nothing to repeat"},
        {"invalid repetition count", "numbers out of order in {} quantifier"},
        {"duplicate group name", "Duplicate capture group name"},
        {"invalid group name", "Invalid capture group name"},
        {"group name not defined", "Invalid named capture referenced"},
        {"expecting group name", "Invalid named reference"},
        {"invalid group", "Invalid group"},
        {"invalid escape sequence in regular expression", "Invalid escape"},
        {"unknown unicode property name", "Invalid property name"},
        {"unknown unicode property value", "Invalid property name"},
        {"unknown unicode script", "Invalid property name"},
        {"unknown unicode general category", "Invalid property name"},
        {"expecting '{' after \\p", "Invalid property name"},
        {"syntax error", "Lone quantifier brackets"},
        {"invalid class range", "Range out of order in character class"},
        {"invalid character in class in regular expression", "Invalid character in character class"},
        {"invalid class set operation in regular expression", "Invalid set operation in character class"},
        {"invalid modifiers", "Invalid group"},
        {"invalid decimal escape in regular expression", "Invalid decimal escape"},
        {"back reference out of range in regular expression", "Invalid escape"},
        {"too many captures", "Too many captures"},
        {"stack overflow", "Regular expression too large"},
        {"out of memory", "Regular expression too large"},
    };
    const char *words = ours, *source = JS_ToCString(ctx, pattern), *letters = JS_IsString(flags) ? JS_ToCString(ctx, flags) : NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i][0], ours) == 0) {
            words = known[i][1];
        }
    }
    if (source != NULL) {
        size_t length = strlen(source);
        bool is_escape = length > 0 && source[length - 1] == '\\' && !(length > 1 && source[length - 2] == '\\');
        if (strcmp(ours, "unexpected end") == 0) {
            words = is_escape ? "\\ at end of pattern" : "Unterminated character class";
        }
        if (strcmp(ours, "nothing to repeat") == 0 && strstr(source, "(?<=") != NULL) {
            words = "Invalid quantifier";
        }
        if (strcmp(words, "Invalid escape") == 0 && (strstr(source, "\\u") != NULL || strstr(source, "\\c") != NULL)) {
            words = "Invalid Unicode escape";
        }
        if (strcmp(ours, "invalid class range") == 0 && strpbrk(source, "dDsSwW") != NULL && letters != NULL && strpbrk(letters, "uv") != NULL) {
            words = "Invalid character class";
        }
        char *text = js_malloc(ctx, length + 200); /* a pattern is shown whole */
        if (text != NULL) {
            snprintf(text, length + 200, "Invalid regular expression: /%s/%.20s: %s", source, letters != NULL ? letters : "", words);
            JS_Throw(ctx, JS_MakeError2(ctx, JS_SYNTAX_ERROR, !node_is_literal, text));
            js_free(ctx, text);
        }
    }
    JS_FreeCString(ctx, source);
    JS_FreeCString(ctx, letters);
    return JS_EXCEPTION;
}

/* node_is_literal: a literal of a regular expression is compiled, by the parser. */

static JSValue node_throw_flags(JSContext *ctx, JSValueConst flags)
{
    return node_is_literal ? JS_ThrowSyntaxError(ctx, "Invalid regular expression flags")
                           : node_throw_value(ctx, JS_SYNTAX_ERROR, "Invalid flags supplied to RegExp constructor '%s'", flags);
}

/* The name of the function in C that runs. */
static const char *node_method_name(JSContext *ctx)
{
    static struct described name;
    JSStackFrame *frame = ctx->rt->current_stack_frame;
    JSValue own = frame != NULL && JS_IsObject(frame->cur_func) ? plain_property(ctx, frame->cur_func, JS_ATOM_name) : JS_UNDEFINED;
    describe_string(ctx, own, &name);
    JS_FreeValue(ctx, own);
    return name.text;
}

static void node_refuse_trap(JSContext *ctx, JSValueConst trap, JSAtom property, JSValueConst handler)
{
    struct described text, object;
    char name[ATOM_GET_STR_BUF_SIZE];
    describe(ctx, trap, &text);
    describe(ctx, handler, &object);
    JS_ThrowTypeError(ctx, "'%.100s' returned for property '%s' of object '%.100s' is not a function", text.text,
                      JS_AtomGetStr(ctx, name, sizeof name, property), object.text);
}

static JSValue node_throw_bigint(JSContext *ctx)
{
    int operation = place_of_code(ctx).operation;
    bool is_mix = (operation >= OP_mul && operation <= OP_xor) || operation == OP_pow || operation == OP_or;
    return JS_ThrowTypeError(ctx, is_mix ? "Cannot mix BigInt and other types, use explicit conversions" : "Cannot convert a BigInt value to a number");
}

/* Typed arrays. */

static int node_to_length(JSContext *ctx, uint64_t *length, JSValueConst value)
{
    int64_t number;
    if (JS_ToInt64Sat(ctx, &number, value)) {
        return -1;
    }
    if (number < 0 || number > MAX_SAFE_INTEGER) {
        node_throw_value(ctx, JS_RANGE_ERROR, "Invalid typed array length: %s", value);
        return -1;
    }
    *length = (uint64_t)number;
    return 0;
}

static JSValue node_throw_multiple(JSContext *ctx, int class_id, int size_log2)
{
    char name[ATOM_GET_STR_BUF_SIZE];
    JS_AtomGetStr(ctx, name, sizeof name, ctx->rt->class_array[class_id].class_name);
    return JS_ThrowRangeError(ctx, "byte length of %s should be a multiple of %d", name, 1 << size_log2);
}

static JSValue node_throw_offset(JSContext *ctx, int class_id, int size_log2, JSValueConst value)
{
    char name[ATOM_GET_STR_BUF_SIZE];
    uint64_t offset = 0;
    JS_ToIndex(ctx, &offset, value);
    if ((offset & ((1u << size_log2) - 1)) == 0) {
        return node_throw_value(ctx, JS_RANGE_ERROR, "Start offset %s is outside the bounds of the buffer", value);
    }
    JS_AtomGetStr(ctx, name, sizeof name, ctx->rt->class_array[class_id].class_name);
    return JS_ThrowRangeError(ctx, "start offset of %s should be a multiple of %d", name, 1 << size_log2);
}

/* Of the parser. */


static bool is_word_before(JSParseState *s, const char *at, const char *word, const char **from)
{
    size_t length = strlen(word);
    const char *source = (const char *)s->buf_start;
    while (at > source && is_blank(at[-1])) {
        at--;
    }
    *from = at - length;
    return (size_t)(at - source) >= length && memcmp(at - length, word, length) == 0 && (at - length == source || !is_name(at[-1 - (int)length]));
}

static int node_redefined(JSParseState *s, JSAtom name)
{
    char text[ATOM_GET_STR_BUF_SIZE];
    const char *from;
    JS_AtomGetStr(s->ctx, text, sizeof text, name);
    if (is_word_before(s, (const char *)s->token.ptr, text, &from)) { /* the name is the token before, as a rule */
        s->token.ptr = (const uint8_t *)from;
        s->buf_ptr = s->token.ptr + strlen(text);
    }
    return js_parse_error(s, "Identifier '%s' has already been declared", JS_AtomGetStr(s->ctx, text, sizeof text, name));
}

/* The token that the parser is at, which it did not expect there. */
static int node_unexpected(JSParseState *s)
{
    char name[ATOM_GET_STR_BUF_SIZE];
    const char *at = (const char *)s->token.ptr, *await;
    if (s->token.val != TOK_EOF && is_word_before(s, at, "await", &await)) {
        s->token.ptr = (const uint8_t *)await;
        s->buf_ptr = s->token.ptr + 5;
        return js_parse_error(s, "await is only valid in async functions and the top level bodies of modules");
    }
    if (!s->is_module && s->cur_func != NULL && is_word_before(s, at, "import", &await)) {
        s->token.ptr = (const uint8_t *)await;
        s->buf_ptr = s->token.ptr + 6;
        return js_parse_error(s, "Cannot use import statement outside a module");
    }
    static const char *const strict_words[] = {"implements", "interface", "let", "package", "private", "protected", "public", "static", "yield", NULL};
    switch (s->token.val) {
    case TOK_EOF: return js_parse_error(s, "Unexpected end of input");
    case TOK_NUMBER: return js_parse_error(s, "Unexpected number");
    case TOK_STRING: return js_parse_error(s, "Unexpected string");
    case TOK_TEMPLATE: return js_parse_error(s, "Unexpected template string");
    case TOK_ERROR:
    case '@':
    case '\\': return js_parse_error(s, "Invalid or unexpected token");
    case TOK_PRIVATE_NAME: return js_parse_error(s, "Unexpected identifier '%s'", JS_AtomGetStr(s->ctx, name, sizeof name, s->token.u.ident.atom));
    case TOK_IDENT:
        JS_AtomGetStr(s->ctx, name, sizeof name, s->token.u.ident.atom);
        if (s->token.u.ident.is_reserved) {
            return s->token.u.ident.atom == JS_ATOM_enum ? js_parse_error(s, "Unexpected reserved word")
                   : s->cur_func != NULL && s->cur_func->is_strict_mode
                       ? js_parse_error(s, "Unexpected strict mode reserved word")
                       : js_parse_error(s, "Unexpected token '%s'", name);
        }
        return js_parse_error(s, "Unexpected identifier '%s'", name);
    default:
        if (s->token.val == TOK_IMPORT) {
            return js_parse_error(s, "Cannot use import statement outside a module");
        }
        if (s->token.val == TOK_ENUM) {
            return js_parse_error(s, "Unexpected reserved word");
        }
        if (s->cur_func != NULL && s->cur_func->is_strict_mode && is_one_of((struct range){at, (const char *)s->buf_ptr}, strict_words)) {
            return js_parse_error(s, "Unexpected strict mode reserved word");
        }
        return js_parse_error(s, "Unexpected token '%.*s'", (int)(s->buf_ptr - s->token.ptr), at);
    }
}

/* Where it is in the text, in V8's count: units of UTF-16. */
static int node_json_place(JSParseState *s, const uint8_t *at, const char *words)
{
    int position = 0, line = 1, start = 0;
    for (const uint8_t *p = s->buf_start; p < at && p < s->buf_end; p++) {
        if ((*p & 0xc0) != 0x80) {
            position += *p >= 0xf0 ? 2 : 1;
        }
        if (*p == '\n' || (*p == '\r' && p[1] != '\n')) {
            line++;
            start = position;
        }
    }
    const char *in = strcmp(words, "Unexpected non-whitespace character after JSON") == 0 ? "" : " in JSON";
    return js_parse_error(s, "%s%s at position %d (line %d column %d)", words, in, position, line, position - start + 1);
}

/* A token that JSON does not have there, with what is around it in the source. */
static int node_json_error(JSParseState *s)
{
    enum { WHOLE = 40, AROUND = 10 };
    const char *source = (const char *)s->buf_start, *end = (const char *)s->buf_end, *at = (const char *)s->token.ptr;
    size_t length = (size_t)(end - source);
    if ((length == 9 && memcmp(source, "undefined", 9) == 0) || (length == 15 && memcmp(source, "[object Object]", 15) == 0)) {
        return js_parse_error(s, "\"%.*s\" is not valid JSON", (int)length, source);
    }
    /* V8 names the first character that no longer fits a word that JSON has. */
    static const char *const literals[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++) {
        size_t same = 0;
        while (at + same < end && literals[i][same] != '\0' && at[same] == literals[i][same]) {
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
    while (from > source && (*from & 0xc0) == 0x80) {
        from--;
    }
    while (to < end && (*to & 0xc0) == 0x80) {
        to++;
    }
    return js_parse_error(s, "Unexpected token '%.*s', %s\"%.*s\"%s is not valid JSON", size, at, from > source ? "..." : "", (int)(to - from), from,
                          to < end ? "..." : "");
}

/* The name under which an object has another, "property 'x'" or "index 0". */
static void describe_link(JSContext *ctx, JSValueConst holder, JSValueConst held, struct described *out)
{
    JSObject *object = JS_VALUE_GET_OBJ(holder);
    snprintf(out->text, sizeof out->text, "property '...'");
    if (object->class_id == JS_CLASS_ARRAY && object->fast_array) {
        for (uint32_t i = 0; i < object->u.array.count; i++) {
            if (JS_IsObject(object->u.array.u.values[i]) && JS_VALUE_GET_OBJ(object->u.array.u.values[i]) == JS_VALUE_GET_OBJ(held)) {
                snprintf(out->text, sizeof out->text, "index %u", i);
                return;
            }
        }
        return;
    }
    JSShapeProperty *property = get_shape_prop(object->shape);
    for (int i = 0; i < object->shape->prop_count; i++, property++) {
        JSValue value = (property->flags & JS_PROP_TMASK) == JS_PROP_NORMAL && property->atom != JS_ATOM_NULL ? object->prop[i].u.value : JS_UNDEFINED;
        if (JS_IsObject(value) && JS_VALUE_GET_OBJ(value) == JS_VALUE_GET_OBJ(held)) {
            char name[ATOM_GET_STR_BUF_SIZE];
            snprintf(out->text, sizeof out->text, "property '%.100s'", JS_AtomGetStr(ctx, name, sizeof name, property->atom));
            return;
        }
    }
}

/* How JSON.stringify has come back to `value`, which is on `stack` already. */
static void node_throw_circle(JSContext *ctx, JSValueConst stack, JSValueConst value)
{
    enum { FIRST = 2 };
    char text[800];
    size_t length = 0;
    int64_t count = 0, from = -1;
    struct described name, link;
    JS_GetLength(ctx, stack, &count);
    JSValue before = JS_UNDEFINED;
    for (int64_t i = 0; i < count; i++) {
        JSValue at = JS_GetPropertyInt64(ctx, stack, i);
        if (from < 0 && JS_IsObject(at) && JS_VALUE_GET_OBJ(at) == JS_VALUE_GET_OBJ(value)) {
            from = i;
            describe_constructor(ctx, at, &name);
            length = (size_t)snprintf(text, sizeof text, "Converting circular structure to JSON\n    --> starting at object with constructor '%.80s'", name.text);
        }
        else if (from >= 0 && (i <= from + FIRST || i == count - 1)) {
            describe_constructor(ctx, at, &name);
            describe_link(ctx, before, at, &link);
            length += (size_t)snprintf(text + length, sizeof text - length, "\n    |     %.80s -> object with constructor '%.60s'", link.text, name.text);
        }
        else if (from >= 0 && i == from + FIRST + 1) {
            length += (size_t)snprintf(text + length, sizeof text - length, "\n    |     ...");
        }
        JS_FreeValue(ctx, before);
        before = at;
    }
    describe_link(ctx, before, value, &link);
    JS_FreeValue(ctx, before);
    snprintf(text + length, sizeof text - length, "\n    --- %.80s closes the circle", link.text);
    JS_ThrowTypeError(ctx, "%s", text);
}
