/* Loaded with LD_PRELOAD: the n-th system call of a kind on a file beneath a root fails, or ends
 * the process. Nothing is counted before `dsgec_inject` is called. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    OPEN = 1,
    READ = 2,
    WRITE = 4,
    HALF = 8, /* half of the bytes are written; the next write fails */
    SYNC = 16,
    RENAME = 32,
    MKDIR = 64,
    UNLINK = 128,
    STAT = 256,
    CLOSE = 512
};
enum { KILLED = 137 };

static char root[PATH_MAX];
static size_t root_length;
static int kinds, failure, persistent;
static long at, count, failed; /* the call that fails, those so far, those that failed */

/* From now on: the `n`-th call of the `which` kinds fails with `number`, or with 0 ends the
 * process; `on`: so do all later ones. */
void dsgec_inject(const char *beneath, int which, long n, int number, int on) {
    snprintf(root, sizeof root, "%s", beneath);
    root_length = strlen(root);
    kinds = which;
    at = n;
    failure = number;
    persistent = on;
    __atomic_store_n(&count, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&failed, 0, __ATOMIC_SEQ_CST);
}

/* How many calls have failed. */
long dsgec_failed(void) {
    return __atomic_load_n(&failed, __ATOMIC_SEQ_CST);
}

static int is_beneath(const char *path) {
    return strncmp(path, root, root_length) == 0 &&
           (path[root_length] == '/' || path[root_length] == '\0');
}

static int is_open_beneath(int descriptor) {
    char link[64], path[PATH_MAX];
    ssize_t length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, path, sizeof path - 1);
    if (length <= 0) {
        return 0;
    }
    path[length] = '\0';
    return is_beneath(path);
}

static int is_named_beneath(int folder, const char *path) {
    char here[PATH_MAX];
    if (path == NULL || path[0] == '/') {
        return path != NULL && is_beneath(path);
    }
    if (folder != AT_FDCWD) {
        return is_open_beneath(folder);
    }
    return getcwd(here, sizeof here) != NULL && is_beneath(here);
}

static int is_turn(void) {
    long number = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    if (number != at && !(persistent && number > at)) {
        return 0;
    }
    __atomic_add_fetch(&failed, 1, __ATOMIC_SEQ_CST);
    return 1;
}

static int fails(int is_ours) {
    if (!is_ours || !is_turn()) {
        return 0;
    }
    if (failure == 0) {
        _exit(KILLED);
    }
    errno = failure;
    return 1;
}

#define COUNTED(kind, is_ours) ((kinds & (kind)) && fails(is_ours))
#define REAL(type, name, parameters)                                    \
    static type(*real) parameters;                                      \
    if (real == NULL) {                                                 \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                      \
    }

#define OPENS(name)                                                     \
    int name(const char *path, int flags, ...) {                        \
        REAL(int, name, (const char *, int, ...))                       \
        va_list more;                                                   \
        va_start(more, flags);                                          \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more);                                                   \
        if (COUNTED(OPEN, is_named_beneath(AT_FDCWD, path))) {          \
            return -1;                                                  \
        }                                                               \
        return real(path, flags, mode);                                 \
    }
OPENS(open)
OPENS(open64)

#define OPENS_AT(name)                                                  \
    int name(int folder, const char *path, int flags, ...) {            \
        REAL(int, name, (int, const char *, int, ...))                  \
        va_list more;                                                   \
        va_start(more, flags);                                          \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; \
        va_end(more);                                                   \
        if (COUNTED(OPEN, is_named_beneath(folder, path))) {            \
            return -1;                                                  \
        }                                                               \
        return real(folder, path, flags, mode);                         \
    }
OPENS_AT(openat)
OPENS_AT(openat64)

DIR *opendir(const char *path) {
    REAL(DIR *, opendir, (const char *))
    return COUNTED(OPEN, is_named_beneath(AT_FDCWD, path)) ? NULL : real(path);
}

DIR *fdopendir(int descriptor) {
    REAL(DIR *, fdopendir, (int))
    return COUNTED(OPEN, is_open_beneath(descriptor)) ? NULL : real(descriptor);
}

#define CONTROLS(name)                                                  \
    int name(int descriptor, int command, ...) {                        \
        REAL(int, name, (int, int, ...))                                \
        va_list more;                                                   \
        va_start(more, command);                                        \
        void *argument = va_arg(more, void *);                          \
        va_end(more);                                                   \
        if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) &&       \
            COUNTED(OPEN, is_open_beneath(descriptor))) {               \
            return -1;                                                  \
        }                                                               \
        return real(descriptor, command, argument);                     \
    }
CONTROLS(fcntl)
CONTROLS(fcntl64)

ssize_t read(int descriptor, void *data, size_t length) {
    REAL(ssize_t, read, (int, void *, size_t))
    return COUNTED(READ, is_open_beneath(descriptor)) ? -1 : real(descriptor, data, length);
}

ssize_t write(int descriptor, const void *data, size_t length) {
    REAL(ssize_t, write, (int, const void *, size_t))
    if ((kinds & HALF) && is_open_beneath(descriptor) && is_turn()) {
        if (length < 2 || failed > 1) {
            errno = failure;
            return -1;
        }
        if (failure == 0) {
            real(descriptor, data, length / 2);
            _exit(KILLED);
        }
        at++; /* and so the next one fails */
        return real(descriptor, data, length / 2);
    }
    return COUNTED(WRITE, is_open_beneath(descriptor)) ? -1 : real(descriptor, data, length);
}

/* Nothing is synced: no disk loses its power here, and it would be half of the time. */
int fsync(int descriptor) {
    return COUNTED(SYNC, is_open_beneath(descriptor)) ? -1 : 0;
}

int close(int descriptor) {
    REAL(int, close, (int))
    if (COUNTED(CLOSE, is_open_beneath(descriptor))) {
        real(descriptor);
        errno = failure;
        return -1;
    }
    return real(descriptor);
}

int rename(const char *from, const char *to) {
    REAL(int, rename, (const char *, const char *))
    return COUNTED(RENAME, is_named_beneath(AT_FDCWD, to)) ? -1 : real(from, to);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
    REAL(int, renameat, (int, const char *, int, const char *))
    return COUNTED(RENAME, is_named_beneath(to_folder, to)) ? -1
                                                            : real(from_folder, from, to_folder, to);
}

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, (const char *, mode_t))
    return COUNTED(MKDIR, is_named_beneath(AT_FDCWD, path)) ? -1 : real(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(int, mkdirat, (int, const char *, mode_t))
    return COUNTED(MKDIR, is_named_beneath(folder, path)) ? -1 : real(folder, path, mode);
}

int unlink(const char *path) {
    REAL(int, unlink, (const char *))
    return COUNTED(UNLINK, is_named_beneath(AT_FDCWD, path)) ? -1 : real(path);
}

int unlinkat(int folder, const char *path, int flags) {
    REAL(int, unlinkat, (int, const char *, int))
    return COUNTED(UNLINK, is_named_beneath(folder, path)) ? -1 : real(folder, path, flags);
}

int rmdir(const char *path) {
    REAL(int, rmdir, (const char *))
    return COUNTED(UNLINK, is_named_beneath(AT_FDCWD, path)) ? -1 : real(path);
}

#define STATS(name, of)                                                 \
    int name(const char *path, struct of *status) {                     \
        REAL(int, name, (const char *, struct of *))                    \
        return COUNTED(STAT, is_named_beneath(AT_FDCWD, path)) ? -1 : real(path, status); \
    }
STATS(stat, stat)
STATS(stat64, stat64)
STATS(lstat, stat)
STATS(lstat64, stat64)

#define STATS_AT(name, of)                                              \
    int name(int folder, const char *path, struct of *status, int flags) { \
        REAL(int, name, (int, const char *, struct of *, int))          \
        return COUNTED(STAT, is_named_beneath(folder, path)) ? -1       \
                                                             : real(folder, path, status, flags); \
    }
STATS_AT(fstatat, stat)
STATS_AT(fstatat64, stat64)

#define STATS_OPEN(name, of)                                            \
    int name(int descriptor, struct of *status) {                       \
        REAL(int, name, (int, struct of *))                             \
        return COUNTED(STAT, is_open_beneath(descriptor)) ? -1 : real(descriptor, status); \
    }
STATS_OPEN(fstat, stat)
STATS_OPEN(fstat64, stat64)
