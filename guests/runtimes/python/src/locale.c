/* Locales: there is one, C.UTF-8. wasi-libc takes any name for it; programs should hear that theirs is not there. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

extern char *__real_setlocale(int category, const char *name);

static int is_known(const char *name, size_t length)
{
    static const char *const known[] = {"", "C", "POSIX", "C.UTF-8", "C.utf8"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i]) == length && strncmp(known[i], name, length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The locale that the environment asks for. */
static const char *of_environment(void)
{
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && *value != '\0') {
            return value;
        }
    }
    return "";
}

char *__wrap_setlocale(int category, const char *name)
{
    const char *asked = name != NULL && *name == '\0' ? of_environment() : name;
    /* What `setlocale(LC_ALL, NULL)` gives: a name for each category. */
    for (const char *part = asked; part != NULL;) {
        size_t length = strcspn(part, ";");
        if (!is_known(part, length)) {
            return NULL;
        }
        part = part[length] == ';' ? part + length + 1 : NULL;
    }
    return __real_setlocale(category, name);
}
