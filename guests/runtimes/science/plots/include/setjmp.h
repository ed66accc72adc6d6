/* There is no way back out of a function here: what would jump ends the process (cxx.c). */
#ifndef CODEPOD_SETJMP_H
#define CODEPOD_SETJMP_H
typedef int jmp_buf[1];
#define setjmp(buffer) ((void)(buffer), 0)
#ifdef __cplusplus
extern "C"
#endif
__attribute__((__noreturn__)) void longjmp(jmp_buf buffer, int value);
#endif
