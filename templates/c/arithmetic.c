/* == guard == */
/* The one arithmetic: every function is a fixed sequence of binary64 operations, so that its bits
 * are the same on every machine. Contraction, fast-math and wide evaluation would change them. */
#include <float.h>
#include <stdint.h>
#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#error "this code must be compiled without -ffast-math: it would change the results"
#endif
#if defined(__FINITE_MATH_ONLY__)
#if __FINITE_MATH_ONLY__
#error "this code must be compiled without -ffinite-math-only: it must know a NaN"
#endif
#endif
#if FLT_RADIX != 2 || DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
#error "this code needs a double of 64 bits, which this compiler has not: export with --dtype float"
#endif
#if defined(FLT_EVAL_METHOD) /* 16: as 0, and there is a type of 16 bits */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1 && FLT_EVAL_METHOD != 16
#error "this code needs double arithmetic in double precision (on x86: -msse2 -mfpmath=sse)"
#endif
#endif
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#pragma clang fp reassociate(off)
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#elif defined(__GNUC__) && !defined(__TINYC__)
/* The last changes no value; without it gcc makes branches of selects, and no vectors. */
#pragma GCC optimize("fp-contract=off", "no-unsafe-math-optimizations", "no-associative-math", \
                     "no-reciprocal-math", "signed-zeros", "no-trapping-math")
#elif !defined(__TINYC__)
#pragma STDC FP_CONTRACT OFF
#endif
/* == bits == */
static inline uint64_t dsgec_bits(double x) {
    union { double number; uint64_t bits; } both;
    both.number = x;
    return both.bits;
}
/* == from_bits == */
static inline double dsgec_from_bits(uint64_t n) {
    union { double number; uint64_t bits; } both;
    both.bits = n;
    return both.number;
}
/* == div == */
static inline double dsgec_div(double a, double b) {
    double d = b == 0.0 ? 1.0 : b;
    double q = a / d;
    return b == 0.0 ? 1.0 : q;
}
/* == neg == */
static inline double dsgec_neg(double x) {
    return -x;
}
/* == absolute: needs bits, from_bits == */
static inline double dsgec_absolute(double x) {
    return dsgec_from_bits(dsgec_bits(x) & UINT64_C(0x7fffffffffffffff));
}
/* == minimum == */
static inline double dsgec_minimum(double a, double b) {
    double n = a != a ? a : b;
    return a < b ? a : n;
}
/* == maximum == */
static inline double dsgec_maximum(double a, double b) {
    double n = a != a ? a : b;
    return a > b ? a : n;
}
/* == relu == */
static inline double dsgec_relu(double x) {
    return x < 0.0 ? 0.0 : x;
}
/* == fill == */
static inline double dsgec_fill(double a, double b) {
    return a != a ? b : a;
}
/* == equals == */
static inline double dsgec_equals(double a, double b) {
    return a == b ? 1.0 : 0.0;
}
/* == sqrt: needs absolute, bits, from_bits == */
/* Correctly rounded, so the instruction and the loop over its digits (Kahan) give the same bits. The
 * instruction is taken where the compiler says that it needs no library for it. */
#if defined(__NO_MATH_ERRNO__) && (defined(__SSE2__) || defined(__aarch64__))
static inline double dsgec_sqrt(double x) {
    return __builtin_sqrt(dsgec_absolute(x));
}
#else
static inline double dsgec_sqrt(double x) {
    double a = dsgec_absolute(x);
    double u = a < 2.2250738585072014e-308 ? a * 18014398509481984.0 : a;
    double back = a < 2.2250738585072014e-308 ? 7.450580596923828e-09 : 1.0;
    uint64_t m = dsgec_bits(u);
    uint64_t e = m >> 52;
    uint64_t q = 0, s = 0, r = UINT64_C(1) << 53;
    if (m == 0 || e == 2047) {
        return a;
    }
    m = (m & UINT64_C(0x000fffffffffffff)) | (UINT64_C(1) << 52);
    m = m << ((e & 1) == 0 ? 2 : 1);
    for (; r != 0; r = r >> 1) {
        uint64_t t = s + r;
        if (t <= m) {
            s = t + r;
            m = m - t;
            q = q + r;
        }
        m = m << 1;
    }
    q = q + (q & (m != 0)); /* never half way */
    return dsgec_from_bits((q >> 1) + (((e + 1021) >> 1) << 52)) * back;
}
#endif
/* == exp_core == */
/* exp(r) - 1 - r for |r| <= ln(2)/2. Pairs of terms (Estrin) make a short chain of dependences. */
static inline double dsgec_exp_core(double r) {
    double z = r * r;
    double w = z * z;
    double p01 = 0.5000000000000004 + r * 0.16666666666666496;
    double p23 = 0.041666666666581656 + r * 0.008333333333462953;
    double p45 = 0.001388888893022589 + r * 0.00019841269536166674;
    double p67 = 2.480150667943323e-05 + r * 2.7557587721068823e-06;
    double p89 = 2.762553676944757e-07 + r * 2.4992450692466455e-08;
    double low = p01 + z * p23;
    double high = (p45 + z * p67) + w * p89;
    return z * (low + w * high);
}
/* == exp_sum: needs bits, exp_core, from_bits == */
/* exp(x + low) for a low far below x. The magic number 1.5 * 2^52 + 2046 rounds to the integer k
 * and leaves k + 2046 in the low bits; 2^k is two factors, because it can be out of range.
 * a is exact, and a - b is not: so b goes into the sum by way of the small term. */
static inline double dsgec_exp_sum(double x, double low) {
    double high = x > 710.0 ? 710.0 : x;
    double y = high < -746.0 ? -746.0 : high;
    double tail = y == x ? low : 0.0;
    double t = y * 1.4426950408889634 + 6755399441057790.0;
    double k = t - 6755399441057790.0;
    double a = y - k * 0.6931471805598903;
    double b = k * 5.497923018708371e-14 - tail;
    double p = 1.0 + (a + (dsgec_exp_core(a - b) - b));
    uint64_t n = dsgec_bits(t);
    uint64_t h = n >> 1;
    return (p * dsgec_from_bits(h << 52)) * dsgec_from_bits((n - h) << 52);
}
/* == exp: needs exp_sum == */
static inline double dsgec_exp(double x) {
    return dsgec_exp_sum(x, 0.0);
}
/* == exp_down: needs bits, exp_core, from_bits == */
/* exp(x) for x <= 0, the same bits for less work: 2^(k + 64) is always in range. */
static inline double dsgec_exp_down(double x) {
    double y = x < -746.0 ? -746.0 : x;
    double t = y * 1.4426950408889634 + 6755399441056831.0;
    double k = t - 6755399441056831.0;
    double a = y - k * 0.6931471805598903;
    double b = k * 5.497923018708371e-14;
    double p = 1.0 + (a + (dsgec_exp_core(a - b) - b));
    return (p * dsgec_from_bits(dsgec_bits(t) << 52)) * 5.421010862427522e-20;
}
/* == sig: needs absolute, exp_down == */
static inline double dsgec_sig(double x) {
    double e = dsgec_exp_down(-dsgec_absolute(x));
    double top = x >= 0.0 ? 1.0 : e;
    return top / (1.0 + e);
}
/* == sig_parts: needs absolute, bits, exp_core, from_bits == */
/* sig in three parts, with the same operations in the same order: exp(-|x|) is a power of 2 (scale)
 * times exp(a - b), the second part is exp(a - b) - 1, the third is the result. */
static inline void dsgec_sig_first(double x, double *scale, double *a, double *b) {
    double v = -dsgec_absolute(x);
    double y = v < -746.0 ? -746.0 : v;
    double t = y * 1.4426950408889634 + 6755399441056831.0;
    double k = t - 6755399441056831.0;
    *scale = dsgec_from_bits(dsgec_bits(t) << 52);
    *a = y - k * 0.6931471805598903;
    *b = k * 5.497923018708371e-14;
}
static inline double dsgec_sig_second(double a, double b) {
    return a + (dsgec_exp_core(a - b) - b);
}
static inline double dsgec_sig_third(double x, double scale, double m) {
    double e = ((1.0 + m) * scale) * 5.421010862427522e-20;
    double top = x >= 0.0 ? 1.0 : e;
    return top / (1.0 + e);
}
/* == tanh: needs absolute, bits, exp_core, from_bits == */
/* With m = exp(-2|x|) - 1 it is -m / (2 + m), and m = (2^k - 1) + 2^k * q with q = exp(a - b) - 1
 * keeps its digits where x is small: no second polynomial. What rounding takes from m is given
 * back by the divisor, where it costs no rounding: its share is -2/m, about 6.4 + 4.8 m. */
static inline double dsgec_tanh(double x) {
    double u = dsgec_absolute(x);
    double y = u > 20.0 ? -40.0 : -2.0 * u;
    double t = y * 1.4426950408889634 + 6755399441056767.0;
    double k = t - 6755399441056767.0;
    double s = dsgec_from_bits(dsgec_bits(t) << 52);
    double a = y - k * 0.6931471805598903;
    double b = k * 5.497923018708371e-14;
    double g = dsgec_exp_core(a - b) - b;
    double q = a + g;
    double q_low = (a - q) + g;
    double c = s * q;
    double h = s - 1.0;
    double m = h + c;
    double m_low = ((h - m) + c) + s * q_low;
    double v = (0.0 - m) / ((s + 1.0) + (c + m_low * (6.4 + 4.8 * m)));
    return dsgec_from_bits(dsgec_bits(v) | (dsgec_bits(x) & UINT64_C(0x8000000000000000)));
}
/* == softmax: needs exp_down, maximum == */
static inline void dsgec_softmax(double *z, int n) {
    double m = n > 0 ? z[0] : 0.0;
    double s = 0.0;
    int i;
    for (i = 1; i < n; i++) {
        m = dsgec_maximum(m, z[i]);
    }
    for (i = 0; i < n; i++) {
        z[i] = dsgec_exp_down(z[i] - m);
        s = s + z[i];
    }
    for (i = 0; i < n; i++) {
        z[i] = z[i] / s;
    }
}
/* == log: needs absolute, bits, from_bits == */
/* |x| = 2^k * m with m from sqrt(1/2) to sqrt(2), and log(m) = 2 atanh(s) with s = (m - 1)/(m + 1).
 * Or-ing the exponent into 2^52 makes it a double without a conversion. */
static inline double dsgec_log(double x) {
    double a = dsgec_absolute(x);
    double u = a < 2.2250738585072014e-308 ? a * 18014398509481984.0 : a;
    double bias = a < 2.2250738585072014e-308 ? 4503599627371573.0 : 4503599627371519.0;
    uint64_t n = dsgec_bits(u);
    uint64_t e = (n + UINT64_C(0x00095f619980c433)) >> 52;
    double k = dsgec_from_bits(e | UINT64_C(0x4330000000000000)) - bias;
    double m = dsgec_from_bits((n - (e << 52)) + UINT64_C(0x3ff0000000000000));
    double f = m - 1.0;
    double s = f / (2.0 + f);
    double z = s * s;
    double q = 0.15314035190282466 + z * 0.1479611186642276;
    double h = 0.5 * f * f;
    double v;
    q = 0.18183564892133203 + z * q;
    q = 0.22222198562983544 + z * q;
    q = 0.2857142874248006 + z * q;
    q = 0.39999999999414293 + z * q;
    q = 0.6666666666666734 + z * q;
    v = s * (h + z * q) + k * 5.497923018708371e-14;
    v = k * 0.6931471805598903 - ((h - v) - f);
    v = a <= 1.7976931348623157e+308 ? v : a;
    return a == 0.0 ? 0.0 : v;
}
/* == sum_error == */
/* What rounding took from s = a + b (Knuth). */
static inline double dsgec_sum_error(double a, double b, double s) {
    double c = s - a;
    return (a - (s - c)) + (b - c);
}
/* == product_error == */
/* What rounding took from p = a * b (Veltkamp, Dekker); not fma, which not every target has. */
static inline double dsgec_product_error(double a, double b, double p) {
    double c = a * 134217729.0;
    double d = b * 134217729.0;
    double ah = c - (c - a);
    double bh = d - (d - b);
    double al = a - ah;
    double bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}
/* == turn: needs absolute, bits, sum_error == */
/* sin(x + quarter * pi/2), and of 0 in place of an x out of the domain. pi/2 is three parts of 33
 * bits, exact times k, and a tail, so that r + d keeps all digits beside a multiple of pi/2. */
static inline double dsgec_turn(double x, uint64_t quarter) {
    double y = dsgec_absolute(x) <= 1000000.0 ? x : 0.0;
    double t = y * 0.6366197723675814 + 6755399441055744.0;
    double k = t - 6755399441055744.0;
    uint64_t n = dsgec_bits(t) + quarter;
    double h1 = y - k * 1.5707963267341256;
    double b2 = k * 6.077100506303966e-11;
    double h2 = h1 - b2;
    double e2 = dsgec_sum_error(h1, -b2, h2);
    double b3 = k * 2.0222662487111665e-21;
    double h3 = h2 - b3;
    double e3 = dsgec_sum_error(h2, -b3, h3);
    double low = (e2 + e3) - k * 8.4784276603689e-32;
    double r = h3 + low;
    double d = (h3 - r) + low;
    double z = r * r;
    double h = 0.5 * z;
    double w = 1.0 - h;
    double p = -2.5050758113532378e-08 + z * 1.589679549745234e-10;
    double q = 2.0875723307482948e-09 + z * -1.1359649494725844e-11;
    double sine, cosine, v;
    p = 2.755731369191356e-06 + z * p;
    q = -2.755731435259117e-07 + z * q;
    p = -0.00019841269829807813 + z * p;
    q = 2.4801587289483072e-05 + z * q;
    p = 0.008333333333322413 + z * p;
    q = -0.0013888888888874125 + z * q;
    p = -0.16666666666666632 + z * p;
    q = 0.0416666666666666 + z * q;
    sine = r + (z * r * p + d * w);
    cosine = w + (((1.0 - w) - h) + (z * z * q - r * d));
    v = (n & 1) == 0 ? sine : cosine;
    v = (n & 2) == 0 ? v : -v;
    return x != x ? x : v;
}
/* == sin: needs turn == */
static inline double dsgec_sin(double x) {
    double v = dsgec_turn(x, 0);
    return x == 0.0 ? x : v;
}
/* == cos: needs turn == */
static inline double dsgec_cos(double x) {
    return dsgec_turn(x, 1);
}
/* == power: needs absolute, bits, exp_sum, from_bits, product_error, sum_error == */
/* |x|^b = exp(b * log|x|) with the logarithm and the product as sums of two doubles. As in log,
 * s = (m - 1)/(m + 1); here log(m) = 2 (s + s v), v = z (1/3 + z q), z = s^2.
 * |b| > 2^65 gives what 2^65 gives: 0, 1 or infinity. */
static inline double dsgec_power(double x, double b) {
    double a = dsgec_absolute(x);
    double u = a < 2.2250738585072014e-308 ? a * 18014398509481984.0 : a;
    double bias = a < 2.2250738585072014e-308 ? 4503599627371573.0 : 4503599627371519.0;
    uint64_t n = dsgec_bits(u);
    uint64_t e = (n + UINT64_C(0x00095f619980c433)) >> 52;
    double k = dsgec_from_bits(e | UINT64_C(0x4330000000000000)) - bias;
    double m = dsgec_from_bits((n - (e << 52)) + UINT64_C(0x3ff0000000000000));
    double f = m - 1.0;
    double g = m + 1.0;
    double g_low = dsgec_sum_error(m, 1.0, g);
    double s = f / g;
    double sg = s * g;
    double s_low = (((f - sg) - dsgec_product_error(s, g, sg)) - s * g_low) / g;
    double z = s * s;
    double z_low = dsgec_product_error(s, s, z) + 2.0 * s * s_low;
    double q = 0.05837409588627797 + z * 0.05994504672492568;
    double c, v, v_low, w, w_low, h, h_low, ln, ln_low, y, y_low, p;
    q = 0.06668158688379339 + z * q;
    q = 0.07692278436125195 + z * q;
    q = 0.09090909435148431 + z * q;
    q = 0.11111111108768279 + z * q;
    q = 0.14285714285722556 + z * q;
    q = 0.1999999999999999 + z * q;
    q = z * q;
    c = 0.3333333333333333 + q;
    v = z * c;
    v_low = z * (((0.3333333333333333 - c) + q) + 1.850371707708594e-17) + z_low * c;
    v_low = dsgec_product_error(z, c, v) + v_low;
    w = s * v;
    w_low = dsgec_product_error(s, v, w) + (s * v_low + s_low * v);
    h = s + w;
    h_low = ((s - h) + w) + (s_low + w_low);
    y = k * 0.6931471805598903;
    p = y + 2.0 * h;
    y_low = ((y - p) + 2.0 * h) + (k * 5.497923018708371e-14 + 2.0 * h_low);
    ln = p + y_low;
    ln_low = (p - ln) + y_low;
    c = b > 36893488147419103232.0 ? 36893488147419103232.0 : b;
    c = c < -36893488147419103232.0 ? -36893488147419103232.0 : c;
    p = c * ln;
    v = dsgec_exp_sum(p, dsgec_product_error(c, ln, p) + c * ln_low);
    w = b < 0.0 ? 0.0 : 1.0;
    w = b > 0.0 ? a : w;
    v = a > 1.7976931348623157e+308 ? w : v;
    w = b == 0.0 ? 1.0 : 0.0;
    v = a == 0.0 ? w : v;
    v = b != b ? b : v;
    return a != a ? a : v;
}
