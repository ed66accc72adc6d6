/* Why a connection was refused, in curl's own message.

   `strerror` has the gateway's reason, but curl shows that with --verbose only: its message has
   the words of its own error. The linker is told to call these functions in the place of those
   that they are named after. */
#include <stdio.h>
#include <sys/socket.h>

#include <curl/curl.h>

#include "codepod.h"

static char reason[sizeof((struct codepod_reason *)0)->text];

void __real_codepod_note_reason(int number, const char *text);
int __real_connect(int fd, const struct sockaddr *address, socklen_t length);
const char *__real_curl_easy_strerror(CURLcode code);

void __wrap_codepod_note_reason(int number, const char *text)
{
    __real_codepod_note_reason(number, text);
    snprintf(reason, sizeof reason, "%s", text);
}

/* A reason is that of the last connection. */
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    reason[0] = '\0';
    return __real_connect(fd, address, length);
}

const char *__wrap_curl_easy_strerror(CURLcode code)
{
    static char made[sizeof reason + 100];
    const char *words = __real_curl_easy_strerror(code);
    if (code != CURLE_COULDNT_CONNECT || reason[0] == '\0') {
        return words;
    }
    snprintf(made, sizeof made, "%s (codepod: %s)", words, reason);
    return made;
}
