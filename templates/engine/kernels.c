/* Loops over rows, whose number is always a multiple of LANES. A result may overwrite an operand,
 * but no iteration depends on another, which the pragma tells the compiler. */
#ifndef DSGEC_KERNELS_C
#define DSGEC_KERNELS_C
#include "arithmetic.h"
#include "engine.h"
#include "functions.h"

#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__) && !defined(__TINYC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif
/* The rows of a block, at most. */
enum { BLOCK = 512 };

/* Written so that gcc sees a whole number of vectors and generates no remainder loop. */
#define EACH_ROW INDEPENDENT for (i = 0; i != (n & ~(size_t)(LANES - 1)); i++)

/* Inline every call into the loop, even if the compiler considers it too large. */
#if defined(__GNUC__) && !defined(__TINYC__)
#define WHOLE_LOOP static __attribute__((flatten)) void
#else
#define WHOLE_LOOP static void
#endif

/* A part of the lanes, as wide as the vectors of the processor. */
#if defined(__GNUC__) && !defined(__TINYC__)
#if defined(__AVX512F__)
enum { PART = 8 };
#elif defined(__AVX__)
enum { PART = 4 };
#else
enum { PART = 2 };
#endif
typedef double Part __attribute__((vector_size(PART * 8), aligned(8), may_alias));
#else
enum { PART = 1 };
typedef double Part;
#endif
#define PART_AT(values) (*(const Part *)(const void *)(values))
#define PUT_PART(values, part) (*(Part *)(void *)(values) = (part))

/* Add errors to the lanes, row i to lane i mod LANES; `n` may be any number. */
static void add_to_lanes(double *lanes, const double *errors, size_t n) {
    double l0 = lanes[0], l1 = lanes[1], l2 = lanes[2], l3 = lanes[3];
    double l4 = lanes[4], l5 = lanes[5], l6 = lanes[6], l7 = lanes[7];
    size_t i, whole = n / LANES * LANES;
    for (i = 0; i < whole; i += LANES) {
        l0 += errors[i];
        l1 += errors[i + 1];
        l2 += errors[i + 2];
        l3 += errors[i + 3];
        l4 += errors[i + 4];
        l5 += errors[i + 5];
        l6 += errors[i + 6];
        l7 += errors[i + 7];
    }
    lanes[0] = l0, lanes[1] = l1, lanes[2] = l2, lanes[3] = l3;
    lanes[4] = l4, lanes[5] = l5, lanes[6] = l6, lanes[7] = l7;
    for (; i < n; i++) {
        lanes[i - whole] += errors[i];
    }
}
#endif
