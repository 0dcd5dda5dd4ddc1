/* A clock: for slices of time and, in a build with DSGEC_TIMED, for where the time goes. */
#ifndef DSGEC_CLOCK_H
#define DSGEC_CLOCK_H
#include "engine.h"

#if defined(__unix__) || defined(__APPLE__)
#define HAS_CLOCK 1
#include <time.h>
#else
#define HAS_CLOCK 0
#endif

/* Seconds of a clock that only goes forward; without one, no deadline ever comes. */
static double now(void) {
#if HAS_CLOCK
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
#else
    return 0.0;
#endif
}

/* What `dsgec bench` measures. One thread only: nothing guards the sums. */
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
