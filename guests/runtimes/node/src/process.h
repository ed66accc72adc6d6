/* The end of a process. */
#ifndef NODE_PROCESS_H
#define NODE_PROCESS_H

/* Puts back what others share with us, and writes what is still in buffers; before every `_Exit`. */
void process_leave(void);

#endif
