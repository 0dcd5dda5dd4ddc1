/* Loops over rows of the backward pass: from the gradient of a result to that of its operands. */
#include "kernels.c"
#include "variant.h"
#if LEARNING && !defined(DSGEC_DERIVATIVES_C)
#define DSGEC_DERIVATIVES_C

/* Inline every call into the loop, even if the compiler considers it too large. */
#if defined(__GNUC__) && !defined(__TINYC__)
#define WHOLE_LOOP static __attribute__((flatten)) void
#else
#define WHOLE_LOOP static void
#endif

/* d * the derivative at (a, y), or at (a, b, y): dsgec/arithmetic. `d` may be `to`. */
#define X(name, derivative) \
    WHOLE_LOOP rows_##derivative(double *to, const double *d, const double *a, const double *y, \
                                 size_t n) { \
        size_t i; \
        EACH_ROW { to[i] = d[i] * dsgec_##derivative(a[i], y[i]); } \
    }
UNARY_DERIVATIVES(X)
#undef X

#define OF_PAIR(derivative) \
    WHOLE_LOOP rows_##derivative(double *to, const double *d, const double *a, const double *b, \
                                 const double *y, size_t n) { \
        size_t i; \
        EACH_ROW { to[i] = d[i] * dsgec_##derivative(a[i], b[i], y[i]); } \
    }
#define X(name, derivative_a, derivative_b) OF_PAIR(derivative_a) OF_PAIR(derivative_b)
BINARY_DERIVATIVES(X)
#undef X

/* d * the derivative of 1 / b. */
static void rows_invert_derivative(double *to, const double *d, const double *b, const double *y,
                                   size_t n) {
    size_t i;
    EACH_ROW { to[i] = d[i] * dsgec_div_derivative_b(1.0, b[i], y[i]); }
}

/* (w0 * x0 + w1 * x1 + ...) * the derivative of a sigmoid with the result y. */
typedef void (*SigmoidGradientKernel)(double *d, const double *w, const double *const *x,
                                      const double *y, size_t n);

#define SIGMOID_GRADIENT(terms) \
    static void rows_sigmoid_gradient_##terms(double *d, const double *w, const double *const *x, \
                                              const double *y, size_t n) { \
        TERM_##terms size_t i; \
        EACH_ROW { d[i] = (SUM_OF_##terms) * dsgec_sig_derivative(y[i], y[i]); } \
    }

SIGMOID_GRADIENT(1)
SIGMOID_GRADIENT(2)
SIGMOID_GRADIENT(3)
SIGMOID_GRADIENT(4)
SIGMOID_GRADIENT(5)
SIGMOID_GRADIENT(6)
SIGMOID_GRADIENT(7)
SIGMOID_GRADIENT(8)

/* Indexed by the number of terms - 1. */
static const SigmoidGradientKernel sigmoid_gradient_kernels[TERMS] = {
    rows_sigmoid_gradient_1, rows_sigmoid_gradient_2,
    rows_sigmoid_gradient_3, rows_sigmoid_gradient_4,
    rows_sigmoid_gradient_5, rows_sigmoid_gradient_6,
    rows_sigmoid_gradient_7, rows_sigmoid_gradient_8,
};

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

/* Add d, d * x0, d * x1, ... to their lanes, row i to lane i mod LANES. The lanes of d come
 * first. */
typedef void (*LanesKernel)(double *lanes, const double *d, const double *const *x, size_t n);

#define SUMS_0
#define SUMS_1 Part s0 = PART_AT(to + LANES); const double *x0 = x[0];
#define SUMS_2 SUMS_1 Part s1 = PART_AT(to + 2 * LANES); const double *x1 = x[1];
#define SUMS_3 SUMS_2 Part s2 = PART_AT(to + 3 * LANES); const double *x2 = x[2];
#define SUMS_4 SUMS_3 Part s3 = PART_AT(to + 4 * LANES); const double *x3 = x[3];
#define SUMS_5 SUMS_4 Part s4 = PART_AT(to + 5 * LANES); const double *x4 = x[4];
#define SUMS_6 SUMS_5 Part s5 = PART_AT(to + 6 * LANES); const double *x5 = x[5];
#define SUMS_7 SUMS_6 Part s6 = PART_AT(to + 7 * LANES); const double *x6 = x[6];
#define SUMS_8 SUMS_7 Part s7 = PART_AT(to + 8 * LANES); const double *x7 = x[7];
#define ADDED_0
#define ADDED_1 s0 += e * PART_AT(x0 + i);
#define ADDED_2 ADDED_1 s1 += e * PART_AT(x1 + i);
#define ADDED_3 ADDED_2 s2 += e * PART_AT(x2 + i);
#define ADDED_4 ADDED_3 s3 += e * PART_AT(x3 + i);
#define ADDED_5 ADDED_4 s4 += e * PART_AT(x4 + i);
#define ADDED_6 ADDED_5 s5 += e * PART_AT(x5 + i);
#define ADDED_7 ADDED_6 s6 += e * PART_AT(x6 + i);
#define ADDED_8 ADDED_7 s7 += e * PART_AT(x7 + i);
#define PUT_0
#define PUT_1 PUT_PART(to + LANES, s0);
#define PUT_2 PUT_1 PUT_PART(to + 2 * LANES, s1);
#define PUT_3 PUT_2 PUT_PART(to + 3 * LANES, s2);
#define PUT_4 PUT_3 PUT_PART(to + 4 * LANES, s3);
#define PUT_5 PUT_4 PUT_PART(to + 5 * LANES, s4);
#define PUT_6 PUT_5 PUT_PART(to + 6 * LANES, s5);
#define PUT_7 PUT_6 PUT_PART(to + 7 * LANES, s6);
#define PUT_8 PUT_7 PUT_PART(to + 8 * LANES, s7);

#define ADD_LANES(terms) \
    static void lanes_##terms(double *lanes, const double *d, const double *const *x, size_t n) { \
        size_t part, i; \
        (void)x; \
        for (part = 0; part < LANES; part += PART) { \
            double *to = lanes + part; \
            Part s = PART_AT(to); \
            SUMS_##terms for (i = part; i < n; i += LANES) { \
                Part e = PART_AT(d + i); \
                s += e; \
                ADDED_##terms \
            } \
            PUT_PART(to, s); \
            PUT_##terms \
        } \
    }

ADD_LANES(0)
ADD_LANES(1)
ADD_LANES(2)
ADD_LANES(3)
ADD_LANES(4)
ADD_LANES(5)
ADD_LANES(6)
ADD_LANES(7)
ADD_LANES(8)

static const LanesKernel lanes_kernels[TERMS + 1] = {
    lanes_0, lanes_1, lanes_2, lanes_3, lanes_4, lanes_5, lanes_6, lanes_7, lanes_8,
};
#endif
