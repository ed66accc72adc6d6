/* What wasi-libc does not have, or has less of: kinds and modes of files come from the kernel. */
#ifdef __wasi__
#include <errno.h>
#include <stdint.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#undef S_IFIFO
#define S_IFIFO 0010000
#undef S_ISFIFO
#define S_ISFIFO(mode) (((mode) & S_IFMT) == S_IFIFO)

/* In Rust: the mode of a path, or of a descriptor where there is none. */
int codepod_mode(const char *path, int descriptor, int follow, uint32_t *mode);

static inline int codepod_stat(const char *path, struct stat *st) {
	uint32_t mode;
	int status = stat(path, st);
	if (status == 0 && codepod_mode(path, -1, 1, &mode) == 0)
		st->st_mode = mode;
	return status;
}

static inline int codepod_lstat(const char *path, struct stat *st) {
	uint32_t mode;
	int status = lstat(path, st);
	if (status == 0 && codepod_mode(path, -1, 0, &mode) == 0)
		st->st_mode = mode;
	return status;
}

static inline int codepod_fstat(int descriptor, struct stat *st) {
	uint32_t mode;
	int status = fstat(descriptor, st);
	if (status == 0 && codepod_mode(NULL, descriptor, 0, &mode) == 0)
		st->st_mode = mode;
	return status;
}

/* wasi-libc says that everything is allowed; file asks about what it cannot read. */
static inline int codepod_access(const char *path, int wanted) {
	uint32_t mode;
	if (codepod_mode(path, -1, 1, &mode) != 0)
		return -1;
	if (((wanted & W_OK) && !(mode & 0222)) || ((wanted & X_OK) && !(mode & 0111)))
		return -1;
	return 0;
}

#define access(path, wanted) codepod_access(path, wanted)
#define stat(path, st) codepod_stat(path, st)
#define lstat(path, st) codepod_lstat(path, st)
#define fstat(descriptor, st) codepod_fstat(descriptor, st)

/* For unpacking by other programs, which does not happen here. */
static inline int dup2(int from, int to) {
	(void)from;
	(void)to;
	errno = ENOSYS;
	return -1;
}

static inline int pipe(int ends[2]) {
	(void)ends;
	errno = ENOSYS;
	return -1;
}

static inline char *mktemp(char *name) {
	return name;
}
#endif
