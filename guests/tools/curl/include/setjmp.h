/* curl includes it and jumps nowhere (HAVE_SIGSETJMP is not set); wasi-libc's does not compile
   without exceptions. */
