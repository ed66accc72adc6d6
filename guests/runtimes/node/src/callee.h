/* The text of an expression as V8 prints it in messages ("a.b(...).c is not a function").
 *
 * V8 prints its syntax tree. The engine keeps none, so this reads the source again, around the place that a
 * message is about: names, calls, brackets, literals and operators are told apart, and what is
 * none of them is "(intermediate value)". It only reads between the ends that it is given.
 */
struct printed {
    char text[240];
    size_t length;
    int depth; /* of parentheses and brackets within each other */
};

enum { DEEPEST_PRINTED = 24 };

struct range {
    const char *from, *to;
};

static bool is_name(char c) { return c == '_' || c == '$' || c == '#' || (c & 0x80) != 0 || isalnum((unsigned char)c); }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_quote(char c) { return c == '"' || c == '\'' || c == '`'; }

static void print_bytes(struct printed *out, const char *from, size_t length)
{
    size_t room = sizeof out->text - 1 - out->length;
    if (length > room) {
        length = room;
    }
    memcpy(out->text + out->length, from, length);
    out->length += length;
    out->text[out->length] = '\0';
}

static void print_text(struct printed *out, const char *text) { print_bytes(out, text, strlen(text)); }
static void print_unknown(struct printed *out) { print_text(out, "(intermediate value)"); }

static struct range trimmed(struct range in)
{
    while (in.from < in.to && is_blank(*in.from)) {
        in.from++;
    }
    while (in.to > in.from && is_blank(in.to[-1])) {
        in.to--;
    }
    return in;
}

/* Behind a string or template that begins at `at`. */
static const char *behind_quote(const char *at, const char *end)
{
    char quote = *at++;
    while (at < end && *at != quote) {
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    }
    return at < end ? at + 1 : end;
}

/* Behind a bracket's end; `at` is where it begins. */
static const char *behind_bracket(const char *at, const char *end)
{
    int depth = 0;
    while (at < end) {
        if (is_quote(*at)) {
            at = behind_quote(at, end);
            continue;
        }
        depth += *at == '(' || *at == '[' || *at == '{';
        depth -= *at == ')' || *at == ']' || *at == '}';
        at++;
        if (depth == 0) {
            break;
        }
    }
    return at;
}

static const char *behind_name(const char *at, const char *end)
{
    while (at < end && is_name(*at)) {
        at++;
    }
    return at;
}

/* Where something begins that is looked for outside of brackets and strings; `in.to` if nowhere. */
static const char *outside_of_brackets(struct range in, char wanted)
{
    const char *at = in.from;
    while (at < in.to) {
        if (*at == wanted) {
            return at;
        }
        at = is_quote(*at) ? behind_quote(at, in.to) : *at == '(' || *at == '[' || *at == '{' ? behind_bracket(at, in.to) : at + 1;
    }
    return in.to;
}

static void print_expression(struct printed *out, struct range in);

static void print_parts(struct printed *out, struct range in, bool known)
{
    for (bool first = true; in.from < in.to; first = false) {
        const char *comma = outside_of_brackets(in, ',');
        struct range part = trimmed((struct range){in.from, comma});
        if (!first && known) {
            print_text(out, ",");
        }
        if (known) {
            print_expression(out, part);
        }
        else if (part.from < part.to) {
            print_unknown(out);
        }
        in.from = comma < in.to ? comma + 1 : in.to;
    }
}

static bool is_word(struct range in, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(in.to - in.from) >= length && memcmp(in.from, word, length) == 0 &&
           (in.from + length == in.to || !is_name(in.from[length]));
}

static bool is_one_of(struct range in, const char *const words[])
{
    for (; *words != NULL; words++) {
        if (is_word(in, *words)) {
            return true;
        }
    }
    return false;
}

static void print_string(struct printed *out, const char *from, const char *to)
{
    print_text(out, "\"");
    print_bytes(out, from + 1, (size_t)(to - from) - (to - from > 1 ? 2 : 1));
    print_text(out, "\"");
}

/* What is behind a primary expression: names, keys, arguments. */
static void print_links(struct printed *out, struct range in)
{
    while (in.from < in.to) {
        const char *end;
        if (*in.from == '(') {
            print_text(out, "(...)");
            end = behind_bracket(in.from, in.to);
        }
        else if (*in.from == '[') {
            end = behind_bracket(in.from, in.to);
            struct range key = trimmed((struct range){in.from + 1, end > in.from + 1 ? end - 1 : end});
            if (key.from < key.to && is_quote(*key.from) && behind_quote(key.from, key.to) == key.to) {
                print_text(out, ".");
                print_bytes(out, key.from + 1, (size_t)(key.to - key.from) - 2);
            }
            else {
                print_text(out, "[");
                print_expression(out, key);
                print_text(out, "]");
            }
        }
        else if (is_quote(*in.from)) {
            end = behind_quote(in.from, in.to);
        }
        else {
            end = in.from + 1;
            if (!is_blank(*in.from)) {
                print_bytes(out, in.from, 1);
            }
        }
        in.from = end;
    }
}

static void print_primary(struct printed *out, struct range in)
{
    static const char *const unnamed[] = {"function", "class", "async", "await", "yield", "new", "import", NULL};
    static const char *const operators[] = {"typeof", "void", "delete", NULL};
    in = trimmed(in);
    if (in.from == in.to) {
        return;
    }
    const char *end = in.from;
    if (is_one_of(in, unnamed)) {
        /* What is called or looked up in it is outside of its own brackets: "(intermediate value).x". */
        bool is_new = is_word(in, "new");
        end = outside_of_brackets(in, is_new ? '(' : '\0');
        end = end < in.to ? behind_bracket(end, in.to) : in.to;
        print_unknown(out);
    }
    else if (is_one_of(in, operators) || strchr("!~+-", *in.from) != NULL) {
        end = is_name(*in.from) ? behind_name(in.from, in.to) : in.from + 1;
        print_text(out, "(");
        print_bytes(out, in.from, (size_t)(end - in.from));
        print_text(out, is_name(*in.from) ? " " : "");
        print_primary(out, (struct range){end, in.to});
        print_text(out, ")");
        return;
    }
    else if (*in.from == '(') {
        end = behind_bracket(in.from, in.to);
        print_expression(out, (struct range){in.from + 1, end > in.from + 1 ? end - 1 : end});
    }
    else if (*in.from == '[' || *in.from == '{') {
        end = behind_bracket(in.from, in.to);
        print_bytes(out, in.from, 1);
        print_parts(out, (struct range){in.from + 1, end > in.from + 1 ? end - 1 : end}, *in.from == '[');
        print_text(out, *in.from == '[' ? "]" : "}");
    }
    else if (is_quote(*in.from)) {
        end = behind_quote(in.from, in.to);
        print_string(out, in.from, end);
    }
    else if (is_name(*in.from)) {
        end = behind_name(in.from, in.to);
        print_bytes(out, in.from, (size_t)(end - in.from));
    }
    print_links(out, (struct range){end, in.to});
}

/* The last operator of the weakest kind outside of brackets. */
static struct range weakest_operator(struct range in)
{
    static const char *const kinds[][6] = {
        {"??", "||"}, {"&&"}, {"===", "!==", "==", "!="}, {"<=", ">=", " < ", " > "}, {" + ", " - "}, {" * ", " / ", " % ", "**"},
    };
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        struct range found = {in.to, in.to};
        for (const char *at = in.from; at < in.to;) {
            if (is_quote(*at) || *at == '(' || *at == '[' || *at == '{') {
                at = is_quote(*at) ? behind_quote(at, in.to) : behind_bracket(at, in.to);
                continue;
            }
            size_t length = 0;
            for (size_t i = 0; i < 6 && kinds[kind][i] != NULL && length == 0; i++) {
                size_t size = strlen(kinds[kind][i]);
                length = (size_t)(in.to - at) > size && at > in.from && memcmp(at, kinds[kind][i], size) == 0 ? size : 0;
            }
            if (length > 0) {
                found = (struct range){at, at + length};
            }
            at += length > 0 ? length : 1;
        }
        if (found.from < in.to) {
            return found;
        }
    }
    return (struct range){in.to, in.to};
}

static void print_pair(struct printed *out, struct range in, struct range operator)
{
    struct range sign = trimmed(operator);
    print_text(out, "(");
    print_expression(out, (struct range){in.from, operator.from});
    print_text(out, " ");
    print_bytes(out, sign.from, (size_t)(sign.to - sign.from));
    print_text(out, " ");
    print_expression(out, (struct range){operator.to, in.to});
    print_text(out, ")");
}

static void print_expression(struct printed *out, struct range in)
{
    in = trimmed(in);
    if (out->depth++ >= DEEPEST_PRINTED) {
        print_unknown(out);
    }
    else {
        const char *comma = outside_of_brackets(in, ','), *equals = outside_of_brackets(in, '=');
        const char *question = outside_of_brackets(in, '?');
        bool is_choice = question + 1 < in.to && question[1] != '.' && question[1] != '?';
        struct range operator = weakest_operator(in);
        if (comma < in.to) {
            print_pair(out, in, (struct range){comma, comma + 1});
        }
        else if (equals + 1 < in.to && equals[1] == '>') {
            print_unknown(out);
        }
        else if (is_choice) {
            print_unknown(out), print_unknown(out), print_unknown(out);
        }
        else if (operator.from < in.to) {
            print_pair(out, in, operator);
        }
        else {
            print_primary(out, (struct range){in.from, equals});
        }
    }
    out->depth--;
}

/* The beginning of the bracket or string that ends before `at`. */
static const char *before_bracket(const char *source, const char *at)
{
    int depth = 0;
    while (at > source) {
        at--;
        if (is_quote(*at)) {
            const char *from = at;
            while (from > source && from[-1] != *at && from[-1] != '\n') {
                from--;
            }
            at = from > source && from[-1] == *at ? from - 1 : at;
        }
        depth += (*at == ')' || *at == ']' || *at == '}') - (*at == '(' || *at == '[' || *at == '{');
        if (depth <= 0) {
            break;
        }
    }
    return at;
}

/* Where the expression begins that goes on at `at` with a name, a dot or a bracket. */
static const char *start_of_expression(const char *source, const char *at)
{
    for (;;) {
        const char *before = at;
        if (*at == '.' || *at == '?') {
            while (before > source && is_blank(before[-1])) {
                before--;
            }
        }
        if (before == source) {
            break;
        }
        char last = before[-1];
        if (is_name(last) && !(is_name(*at) && before != at)) {
            at = before - 1;
        }
        else if (last == '.' && !(before - source >= 3 && before[-2] == '.')) {
            at = before - 1;
        }
        else if (last == '?' && *at == '.') {
            at = before - 1;
        }
        else if (last == ')' || last == ']' || (last == '}' && *at == '.')) {
            at = before_bracket(source, before);
        }
        else if (is_quote(last) && (*at == '.' || *at == '[')) {
            at = before_bracket(source, before);
            break;
        }
        else {
            break;
        }
    }
    /* `new X().y`: what is made has no name. */
    const char *word = at;
    while (word > source && is_blank(word[-1])) {
        word--;
    }
    if (word < at && word - source >= 3 && memcmp(word - 3, "new", 3) == 0 && (word - source == 3 || !is_name(word[-4]))) {
        at = word - 3;
    }
    return at;
}

/* The end of the expression that has a name or a literal at `at`. */
static const char *end_of_expression(const char *at, const char *end)
{
    if (at < end && is_quote(*at)) {
        at = behind_quote(at, end);
    }
    else if (at < end && (*at == '[' || *at == '{' || *at == '(')) {
        at = behind_bracket(at, end);
    }
    while (at < end) {
        if (is_name(*at) || *at == '.') {
            at++;
        }
        else if (*at == '?' && at + 1 < end && at[1] == '.') {
            at += 2;
        }
        else if (*at == '(' || *at == '[') {
            at = behind_bracket(at, end);
        }
        else {
            break;
        }
    }
    return at;
}
