/* Mends upstream's types where WebAssembly minds; 0 and an exception if one is not there. */
int codepod_mend(void);
