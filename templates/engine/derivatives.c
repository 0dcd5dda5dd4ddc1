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
#endif
