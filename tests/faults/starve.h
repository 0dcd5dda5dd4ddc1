/* Included before the engine: its n-th request for memory, or for a thread, is refused. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* Requests that are left before the one that fails, those that failed, and blocks not freed. */
/* Weak, as an engine is two files that have them in common. */
__attribute__((weak)) int64_t starve_left, starve_failed, starve_held;
__attribute__((weak)) int starve_always;

/* The `n`-th request from now on fails; `always`: so do all later ones. With 0, none. */
__attribute__((weak)) void dsgec_starve(int64_t n, int always) {
    __atomic_store_n(&starve_left, n, __ATOMIC_SEQ_CST);
    __atomic_store_n(&starve_failed, 0, __ATOMIC_SEQ_CST);
    starve_always = always && n > 0;
}

__attribute__((weak)) int64_t dsgec_starved(void) {
    return __atomic_load_n(&starve_failed, __ATOMIC_SEQ_CST);
}

static int starve_refuses(void) {
    int64_t left = __atomic_fetch_sub(&starve_left, 1, __ATOMIC_SEQ_CST);
    if (left != 1 && !(starve_always && left < 1)) {
        return 0;
    }
    __atomic_fetch_add(&starve_failed, 1, __ATOMIC_SEQ_CST);
    return 1;
}

static void *starve_count(void *block, const void *before) {
    __atomic_fetch_add(&starve_held, block != NULL && before == NULL, __ATOMIC_SEQ_CST);
    return block;
}

static inline void *starve_malloc(size_t size) {
    return starve_refuses() ? NULL : starve_count(malloc(size), NULL);
}

static inline void *starve_calloc(size_t count, size_t size) {
    return starve_refuses() ? NULL : starve_count(calloc(count, size), NULL);
}

static inline void *starve_realloc(void *block, size_t size) {
    const int is_new = block == NULL;
    return starve_refuses() ? NULL : starve_count(realloc(block, size), is_new ? NULL : "");
}

static inline void starve_free(void *block) {
    __atomic_fetch_sub(&starve_held, block != NULL, __ATOMIC_SEQ_CST);
    free(block);
}

static inline int starve_thread(pthread_t *thread, const pthread_attr_t *attributes,
                                void *(*start)(void *), void *argument) {
    return starve_refuses() ? EAGAIN : pthread_create(thread, attributes, start, argument);
}

#define malloc starve_malloc
#define calloc starve_calloc
#define realloc starve_realloc
#define free starve_free
#define pthread_create starve_thread
