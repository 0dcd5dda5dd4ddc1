/* A monotonic clock, for deadlines and, in a build with DSGEC_TIMED, for profiling. */
#ifndef DSGEC_CLOCK_H
#define DSGEC_CLOCK_H
#include "engine.h"

#if defined(__unix__) || defined(__APPLE__)
#define HAS_CLOCK 1
#include <time.h>
#else
#define HAS_CLOCK 0
#endif

/* Return monotonic seconds; without a clock, deadlines never pass. */
static double now(void) {
#if HAS_CLOCK
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#else
    return 0.0;
#endif
}

/* The times that benchmarks measure. One thread only: they are not synchronised. */
#if defined(DSGEC_TIMED)
static dsgec_engine_seconds times;
#define TIMED(part, statement)              \
    do {                                    \
        double started = now();             \
        statement;                          \
        times.part += now() - started;      \
    } while (0)
#else
#define TIMED(part, statement) \
    do {                       \
        statement;             \
    } while (0)
#endif
#endif
