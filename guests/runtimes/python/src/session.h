/* Sessions: see session.c. */
#ifndef SESSION_H
#define SESSION_H

/* When the snapshot is made: notes what every program starts with. */
void codepod_session_prepare(void);
/* Puts the memory of a session in place of this one. 1 if it did, 0 if there is no such file, -1 with `errno`: EINVAL when it is no session of this
   build. What is not on the stack is another's afterwards. */
int codepod_session_restore(const char *path);
/* Writes this memory to a file. 0, or -1 with `errno`. */
int codepod_session_save(const char *path);

/* Goes on from the image of pandas if the program will want it: see image.c. */
void codepod_take_image(void);

#endif
