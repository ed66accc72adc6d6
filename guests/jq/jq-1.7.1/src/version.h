#define JQ_VERSION "1.7.1"
