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
/* Written so that gcc sees a whole number of vectors and generates no remainder loop. */
#define EACH_ROW INDEPENDENT for (i = 0; i != (n & ~(size_t)(LANES - 1)); i++)

#define UNARY(name, expression)                              \
    static void name(double *d, const double *a, size_t n) { \
        size_t i;                                            \
        EACH_ROW {                                           \
            double x = a[i];                                 \
            d[i] = (expression);                             \
        }                                                    \
    }

#define BINARY(name, expression)                                              \
    static void name(double *d, const double *a, const double *b, size_t n) { \
        size_t i;                                                             \
        EACH_ROW {                                                            \
            double x = a[i], y = b[i];                                        \
            d[i] = (expression);                                              \
        }                                                                     \
    }

/* The kernels of neg and sig are never run, because sums include them. */
#define X(name, symbol, activation) UNARY(rows_##symbol, dsgec_##symbol(x))
UNARY_FUNCTIONS(X)
#undef X
#define X(name, symbol, activation) BINARY(rows_##symbol, dsgec_##symbol(x, y))
BINARY_FUNCTIONS(X)
#undef X
UNARY(rows_exp_down, dsgec_exp_down(x))
UNARY(rows_invert, dsgec_div(1.0, x))
BINARY(rows_multiply, x * y)
BINARY(rows_subtract, x - y)
BINARY(rows_add, x + y)
BINARY(rows_quotient, x / y)

static void rows_fill(double *d, double value, size_t n) {
    size_t i;
    EACH_ROW { d[i] = value; }
}

/* w0 * x0 + w1 * x1 + ... + number, added from left to right, and the sigmoid of that. */
typedef void (*SumKernel)(double *d, const double *w, const double *const *x, double number,
                          size_t n);

#define SUM_OF_1 w0 *x0[i]
#define SUM_OF_2 (SUM_OF_1 + w1 * x1[i])
#define SUM_OF_3 (SUM_OF_2 + w2 * x2[i])
#define SUM_OF_4 (SUM_OF_3 + w3 * x3[i])
#define SUM_OF_5 (SUM_OF_4 + w4 * x4[i])
#define SUM_OF_6 (SUM_OF_5 + w5 * x5[i])
#define SUM_OF_7 (SUM_OF_6 + w6 * x6[i])
#define SUM_OF_8 (SUM_OF_7 + w7 * x7[i])
#define TERM_1 const double *x0 = x[0]; double w0 = w[0];
#define TERM_2 TERM_1 const double *x1 = x[1]; double w1 = w[1];
#define TERM_3 TERM_2 const double *x2 = x[2]; double w2 = w[2];
#define TERM_4 TERM_3 const double *x3 = x[3]; double w3 = w[3];
#define TERM_5 TERM_4 const double *x4 = x[4]; double w4 = w[4];
#define TERM_6 TERM_5 const double *x5 = x[5]; double w5 = w[5];
#define TERM_7 TERM_6 const double *x6 = x[6]; double w6 = w[6];
#define TERM_8 TERM_7 const double *x7 = x[7]; double w7 = w[7];

#define SUM(terms)                                                                          \
    static void rows_sum_##terms(double *d, const double *w, const double *const *x,        \
                                 double number, size_t n) {                                 \
        TERM_##terms size_t i;                                                              \
        EACH_ROW { d[i] = SUM_OF_##terms + number; }                                        \
    }                                                                                       \
    static void rows_sig_##terms(double *d, const double *w, const double *const *x,        \
                                 double number, size_t n) {                                 \
        TERM_##terms size_t i;                                                              \
        EACH_ROW { d[i] = dsgec_sig(SUM_OF_##terms + number); }                             \
    }

SUM(1)
SUM(2)
SUM(3)
SUM(4)
SUM(5)
SUM(6)
SUM(7)
SUM(8)

/* Indexed by sigmoid, and by the number of terms - 1. */
enum { TERMS = 8 };
static const SumKernel sum_kernels[2][TERMS] = {
    {rows_sum_1, rows_sum_2, rows_sum_3, rows_sum_4, rows_sum_5, rows_sum_6, rows_sum_7,
     rows_sum_8},
    {rows_sig_1, rows_sig_2, rows_sig_3, rows_sig_4, rows_sig_5, rows_sig_6, rows_sig_7,
     rows_sig_8},
};

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
