/* See stdint.h. */
#define HUGE_VAL (1e300 * 1e300)
double sqrt(double x);
double ldexp(double x, int exponent);
