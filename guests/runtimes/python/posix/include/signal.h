/* Signals as Linux numbers them. A handler runs when a call that waits was interrupted, and whenever the program looks
   (`codepod_deliver_signals`). There are no signal sets: nothing is blocked. */
#ifndef CODEPOD_SIGNAL_H
#define CODEPOD_SIGNAL_H

#ifndef _WASI_EMULATED_SIGNAL
#define _WASI_EMULATED_SIGNAL
#endif
#include_next <signal.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

int kill(pid_t, int);
int killpg(pid_t, int);

#ifdef __cplusplus
}
#endif

#endif
