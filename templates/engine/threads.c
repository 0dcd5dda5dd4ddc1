/* A pool of threads; which thread does which task has no effect on the results. */
#ifndef DSGEC_THREADS_C
#define DSGEC_THREADS_C
#include "arithmetic.h"
#include "clock.h"

#if HAS_CLOCK && !defined(__TINYC__)
#define THREADED 1
#include <pthread.h>
#else
#define THREADED 0
#endif

/* Does the task with this index, with the working memory of this thread. */
typedef void (*Task)(void *owner, int64_t task, int thread);

typedef struct Pool Pool;

/* `next` is the first task that is not taken. */
struct Pool {
    Task task;
    void *owner;
    int64_t next, count, chunk;
    double deadline;
    int threads;
#if THREADED
    struct Worker {
        Pool *pool;
        pthread_t thread;
        int number;
    } *workers;
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    int64_t round;
    int started, busy, quit;
#endif
};

/* Take the next tasks and return their number, 0 if none are left. */
static int64_t take_tasks(Pool *pool, int64_t *first) {
    int64_t count;
#if THREADED
    if (pool->threads > 1) {
        pthread_mutex_lock(&pool->lock);
    }
#endif
    *first = pool->next;
    count = pool->count - pool->next < pool->chunk ? pool->count - pool->next : pool->chunk;
    pool->next += count;
#if THREADED
    if (pool->threads > 1) {
        pthread_mutex_unlock(&pool->lock);
    }
#endif
    return count;
}

static void do_tasks(Pool *pool, int thread) {
    int64_t first, count, i;
    do {
        count = take_tasks(pool, &first);
        for (i = 0; i < count; i++) {
            pool->task(pool->owner, first + i, thread);
        }
    } while (count > 0 && now() < pool->deadline);
}

#if THREADED
static void *work(void *argument) {
    struct Worker *worker = argument;
    Pool *pool = worker->pool;
    int64_t round = 0;
    (void)dsgec_enter(); /* a thread inherits the floating-point settings of its creator */
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->round == round && !pool->quit) {
            pthread_cond_wait(&pool->start, &pool->lock);
        }
        if (pool->quit) {
            break;
        }
        round = pool->round;
        pthread_mutex_unlock(&pool->lock);
        do_tasks(pool, worker->number);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) {
            pthread_cond_signal(&pool->done);
        }
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}
#endif

/* Start the other threads; without thread support, the calling thread does everything. */
static int open_pool(Pool *pool, int threads) {
    pool->threads = THREADED && threads > 1 ? threads : 1;
#if THREADED
    if (pool->threads == 1) {
        return OK;
    }
    pool->workers = calloc((size_t)pool->threads, sizeof *pool->workers);
    if (pool->workers == NULL) {
        pool->threads = 1;
        return NO_MEMORY;
    }
    if (pthread_mutex_init(&pool->lock, NULL) != 0) {
        pool->threads = 1;
        return NO_THREADS;
    }
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (; pool->started < pool->threads - 1; pool->started++) {
        struct Worker *worker = &pool->workers[pool->started];
        worker->pool = pool;
        worker->number = pool->started + 1;
        if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
            return NO_THREADS;
        }
    }
#endif
    return OK;
}

static void close_pool(Pool *pool) {
#if THREADED
    int i;
    if (pool->threads > 1) {
        pthread_mutex_lock(&pool->lock);
        pool->quit = 1;
        pthread_cond_broadcast(&pool->start);
        pthread_mutex_unlock(&pool->lock);
        for (i = 0; i < pool->started; i++) {
            pthread_join(pool->workers[i].thread, NULL);
        }
        pthread_cond_destroy(&pool->start);
        pthread_cond_destroy(&pool->done);
        pthread_mutex_destroy(&pool->lock);
    }
    free(pool->workers);
#else
    (void)pool;
#endif
}

/* Run tasks from `pool->next` on, until all `count` are done or the time is up. */
static void run_tasks(Pool *pool, Task task, void *owner, int64_t count) {
    int64_t share = (count - pool->next) / (8 * pool->threads);
    pool->task = task;
    pool->owner = owner;
    pool->count = count;
    pool->chunk = share < 1 ? 1 : share > 16 ? 16 : share;
#if THREADED
    if (pool->threads > 1) {
        pthread_mutex_lock(&pool->lock);
        pool->busy = pool->threads - 1;
        pool->round++;
        pthread_cond_broadcast(&pool->start);
        pthread_mutex_unlock(&pool->lock);
        do_tasks(pool, 0);
        pthread_mutex_lock(&pool->lock);
        while (pool->busy > 0) {
            pthread_cond_wait(&pool->done, &pool->lock);
        }
        pthread_mutex_unlock(&pool->lock);
        return;
    }
#endif
    do_tasks(pool, 0);
}
#endif
