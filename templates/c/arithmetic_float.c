/* == guard == */
/* The one arithmetic: every function is a fixed sequence of binary32 operations, so that its bits
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
#if FLT_RADIX != 2 || FLT_MANT_DIG != 24 || FLT_MAX_EXP != 128
#error "this code needs a float of 32 bits, which this compiler has not"
#endif
#if defined(FLT_EVAL_METHOD) /* 16: as 0, and there is a type of 16 bits */
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16
#error "this code needs float arithmetic in single precision (on x86: -msse2 -mfpmath=sse)"
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
static inline uint32_t dsgec_bits(float x) {
    union { float number; uint32_t bits; } both;
    both.number = x;
    return both.bits;
}
/* == from_bits == */
static inline float dsgec_from_bits(uint32_t n) {
    union { float number; uint32_t bits; } both;
    both.bits = n;
    return both.number;
}
/* == div == */
static inline float dsgec_div(float a, float b) {
    float d = b == 0.0f ? 1.0f : b;
    float q = a / d;
    return b == 0.0f ? 1.0f : q;
}
/* == neg == */
static inline float dsgec_neg(float x) {
    return -x;
}
/* == absolute: needs bits, from_bits == */
static inline float dsgec_absolute(float x) {
    return dsgec_from_bits(dsgec_bits(x) & UINT32_C(0x7fffffff));
}
/* == minimum == */
static inline float dsgec_minimum(float a, float b) {
    float n = a != a ? a : b;
    return a < b ? a : n;
}
/* == maximum == */
static inline float dsgec_maximum(float a, float b) {
    float n = a != a ? a : b;
    return a > b ? a : n;
}
/* == relu == */
static inline float dsgec_relu(float x) {
    return x < 0.0f ? 0.0f : x;
}
/* == fill == */
static inline float dsgec_fill(float a, float b) {
    return a != a ? b : a;
}
/* == equals == */
static inline float dsgec_equals(float a, float b) {
    return a == b ? 1.0f : 0.0f;
}
/* == sqrt: needs absolute, bits, from_bits == */
/* Correctly rounded, so the instruction and the loop over its digits (Kahan) give the same bits. The
 * instruction is taken where the compiler says that it needs no library for it. */
#if defined(__NO_MATH_ERRNO__) && (defined(__SSE2__) || defined(__aarch64__) || defined(__ARM_FP))
static inline float dsgec_sqrt(float x) {
    return __builtin_sqrtf(dsgec_absolute(x));
}
#else
static inline float dsgec_sqrt(float x) {
    float a = dsgec_absolute(x);
    float u = a < 1.1754944e-38f ? a * 16777216.0f : a;
    float back = a < 1.1754944e-38f ? 0.00024414062f : 1.0f;
    uint32_t m = dsgec_bits(u);
    uint32_t e = m >> 23;
    uint32_t q = 0, s = 0, r = UINT32_C(1) << 24;
    if (m == 0 || e == 255) {
        return a;
    }
    m = (m & UINT32_C(0x007fffff)) | (UINT32_C(1) << 23);
    m = m << ((e & 1) == 0 ? 2 : 1);
    for (; r != 0; r = r >> 1) {
        uint32_t t = s + r;
        if (t <= m) {
            s = t + r;
            m = m - t;
            q = q + r;
        }
        m = m << 1;
    }
    q = q + (q & (m != 0)); /* never half way */
    return dsgec_from_bits((q >> 1) + (((e + 125) >> 1) << 23)) * back;
}
#endif
/* == exp_core == */
/* exp(r) - 1 - r for |r| <= ln(2)/2. */
static inline float dsgec_exp_core(float r) {
    float z = r * r;
    float p01 = 0.49999997f + r * 0.16666545f;
    float p23 = 0.04166811f + r * 0.008366361f;
    return z * (p01 + z * (p23 + z * 0.0013819096f));
}
/* == exp_sum: needs bits, exp_core, from_bits == */
/* exp(x + low) for a low far below x. The magic number 1.5 * 2^23 + 254 rounds to the integer k and
 * leaves k + 254 in the low bits; 2^k is two factors, because it can be out of range. */
static inline float dsgec_exp_sum(float x, float low) {
    float high = x > 89.0f ? 89.0f : x;
    float y = high < -104.0f ? -104.0f : high;
    float tail = y == x ? low : 0.0f;
    float t = y * 1.442695f + 12583166.0f;
    float k = t - 12583166.0f;
    float a = y - k * 0.69314575f;
    float b = k * 1.4286068e-06f - tail;
    float p = 1.0f + (a + (dsgec_exp_core(a - b) - b));
    uint32_t n = dsgec_bits(t);
    uint32_t h = n >> 1;
    return (p * dsgec_from_bits(h << 23)) * dsgec_from_bits((n - h) << 23);
}
/* == exp: needs exp_sum == */
static inline float dsgec_exp(float x) {
    return dsgec_exp_sum(x, 0.0f);
}
/* == exp_down: needs bits, exp_core, from_bits == */
/* exp(x) for x <= 0, the same bits for less work: 2^(k + 24) is always in range. */
static inline float dsgec_exp_down(float x) {
    float y = x < -104.0f ? -104.0f : x;
    float t = y * 1.442695f + 12583063.0f;
    float k = t - 12583063.0f;
    float a = y - k * 0.69314575f;
    float b = k * 1.4286068e-06f;
    float p = 1.0f + (a + (dsgec_exp_core(a - b) - b));
    return (p * dsgec_from_bits(dsgec_bits(t) << 23)) * 5.9604645e-08f;
}
/* == sig: needs absolute, exp_down == */
static inline float dsgec_sig(float x) {
    float e = dsgec_exp_down(-dsgec_absolute(x));
    float top = x >= 0.0f ? 1.0f : e;
    return top / (1.0f + e);
}
/* == sig_parts: needs absolute, bits, exp_core, from_bits == */
/* sig in three parts, with the same operations in the same order: exp(-|x|) is a power of 2 (scale)
 * times exp(a - b), the second part is exp(a - b) - 1, the third is the result. */
static inline void dsgec_sig_first(float x, float *scale, float *a, float *b) {
    float v = -dsgec_absolute(x);
    float y = v < -104.0f ? -104.0f : v;
    float t = y * 1.442695f + 12583063.0f;
    float k = t - 12583063.0f;
    *scale = dsgec_from_bits(dsgec_bits(t) << 23);
    *a = y - k * 0.69314575f;
    *b = k * 1.4286068e-06f;
}
static inline float dsgec_sig_second(float a, float b) {
    return a + (dsgec_exp_core(a - b) - b);
}
static inline float dsgec_sig_third(float x, float scale, float m) {
    float e = ((1.0f + m) * scale) * 5.9604645e-08f;
    float top = x >= 0.0f ? 1.0f : e;
    return top / (1.0f + e);
}
/* == tanh: needs absolute, bits, exp_core, from_bits == */
/* With m = exp(-2|x|) - 1 it is -m / (2 + m), and m = (2^k - 1) + 2^k * q with q = exp(a - b) - 1
 * keeps its digits where x is small: no second polynomial. What rounding takes from m is given
 * back by the divisor, where it costs no rounding: its share is -2/m, about 6.4 + 4.8 m. */
static inline float dsgec_tanh(float x) {
    float u = dsgec_absolute(x);
    float y = u > 10.0f ? -20.0f : -2.0f * u;
    float t = y * 1.442695f + 12583039.0f;
    float k = t - 12583039.0f;
    float s = dsgec_from_bits(dsgec_bits(t) << 23);
    float a = y - k * 0.69314575f;
    float b = k * 1.4286068e-06f;
    float g = dsgec_exp_core(a - b) - b;
    float q = a + g;
    float q_low = (a - q) + g;
    float c = s * q;
    float h = s - 1.0f;
    float m = h + c;
    float m_low = ((h - m) + c) + s * q_low;
    float v = (0.0f - m) / ((s + 1.0f) + (c + m_low * (6.4f + 4.8f * m)));
    return dsgec_from_bits(dsgec_bits(v) | (dsgec_bits(x) & UINT32_C(0x80000000)));
}
/* == softmax: needs exp_down, maximum == */
static inline void dsgec_softmax(float *z, int n) {
    float m = n > 0 ? z[0] : 0.0f;
    float s = 0.0f;
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
 * Or-ing the exponent into 2^23 makes it a float without a conversion. */
static inline float dsgec_log(float x) {
    float a = dsgec_absolute(x);
    float u = a < 1.1754944e-38f ? a * 33554432.0f : a;
    float bias = a < 1.1754944e-38f ? 8388760.0f : 8388735.0f;
    uint32_t n = dsgec_bits(u);
    uint32_t e = (n + UINT32_C(0x004afb0d)) >> 23;
    float k = dsgec_from_bits(e | UINT32_C(0x4b000000)) - bias;
    float m = dsgec_from_bits((n - (e << 23)) + UINT32_C(0x3f800000));
    float f = m - 1.0f;
    float s = f / (2.0f + f);
    float z = s * s;
    float q = 0.28537303f + z * 0.23582314f;
    float h = 0.5f * f * f;
    float v;
    q = 0.40000334f + z * q;
    q = 0.6666666f + z * q;
    v = s * (h + z * q) + k * 1.4286068e-06f;
    v = k * 0.69314575f - ((h - v) - f);
    v = a <= 3.4028235e+38f ? v : a;
    return a == 0.0f ? 0.0f : v;
}
/* == sum_error == */
/* What rounding took from s = a + b (Knuth). */
static inline float dsgec_sum_error(float a, float b, float s) {
    float c = s - a;
    return (a - (s - c)) + (b - c);
}
/* == product_error == */
/* What rounding took from p = a * b (Veltkamp, Dekker); not fma, which not every target has. */
static inline float dsgec_product_error(float a, float b, float p) {
    float c = a * 4097.0f;
    float d = b * 4097.0f;
    float ah = c - (c - a);
    float bh = d - (d - b);
    float al = a - ah;
    float bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}
/* == turn: needs absolute, bits == */
/* sin(|x| + quarter * pi/2), and of 0 in place of an x out of the domain. |x| times 2/pi is exact in
 * whole numbers, modulo 4, with 62 bits behind the point, so that all digits are kept beside a
 * multiple of pi/2. */
static inline float dsgec_turn(float x, uint32_t quarter) {
    float a = dsgec_absolute(x);
    float y = a <= 1000000.0f ? a : 0.0f;
    uint32_t n = dsgec_bits(y);
    uint32_t s = y < 0.00024414062f ? 52 : 152 - (n >> 23);
    uint32_t left = s <= 32 ? 32 - s : 0;
    uint32_t right = s <= 32 ? 0 : s - 32;
    uint64_t m = (n & UINT32_C(0x007fffff)) | UINT32_C(0x00800000);
    uint64_t f = (((m * UINT64_C(0xa2f9836e)) << left) >> right) + ((m * UINT64_C(0x4e441529)) >> s);
    uint64_t k = y < 0.00024414062f ? 0 : (f + (UINT64_C(1) << 61)) >> 62;
    float r = (float)(int64_t)(f - (k << 62)) * 3.4061215e-19f;
    float z, sine, cosine, v;
    r = y < 0.00024414062f ? y : r;
    z = r * r;
    sine = r + z * r * (-0.16666655f + z * (0.008332177f + z * -0.00019517202f));
    cosine = (1.0f - 0.5f * z) + z * z * (0.041666646f + z * (-0.0013887367f + z * 2.4438388e-05f));
    k = k + quarter;
    v = (k & 1) == 0 ? sine : cosine;
    v = (k & 2) == 0 ? v : -v;
    return x != x ? x : v;
}
/* == sin: needs turn == */
static inline float dsgec_sin(float x) {
    float v = dsgec_turn(x, 0);
    v = x < 0.0f ? 0.0f - v : v;
    return x == 0.0f ? x : v;
}
/* == cos: needs turn == */
static inline float dsgec_cos(float x) {
    return dsgec_turn(x, 1);
}
/* == power: needs absolute, bits, exp_sum, from_bits, product_error, sum_error == */
/* |x|^b = exp(b * log|x|) with the logarithm and the product as sums of two floats. As in log,
 * s = (m - 1)/(m + 1); here log(m) = 2 (s + s v), v = z (1/3 + z q), z = s^2.
 * |b| > 2^36 gives what 2^36 gives: 0, 1 or infinity. */
static inline float dsgec_power(float x, float b) {
    float a = dsgec_absolute(x);
    float u = a < 1.1754944e-38f ? a * 33554432.0f : a;
    float bias = a < 1.1754944e-38f ? 8388760.0f : 8388735.0f;
    uint32_t n = dsgec_bits(u);
    uint32_t e = (n + UINT32_C(0x004afb0d)) >> 23;
    float k = dsgec_from_bits(e | UINT32_C(0x4b000000)) - bias;
    float m = dsgec_from_bits((n - (e << 23)) + UINT32_C(0x3f800000));
    float f = m - 1.0f;
    float g = m + 1.0f;
    float g_low = dsgec_sum_error(m, 1.0f, g);
    float s = f / g;
    float sg = s * g;
    float s_low = (((f - sg) - dsgec_product_error(s, g, sg)) - s * g_low) / g;
    float z = s * s;
    float z_low = dsgec_product_error(s, s, z) + 2.0f * s * s_low;
    float q = 0.11092505f + z * 0.097339675f;
    float c, v, v_low, w, w_low, h, h_low, ln, ln_low, y, y_low, p;
    q = 0.14285937f + z * q;
    q = 0.19999999f + z * q;
    q = z * q;
    c = 0.33333334f + q;
    v = z * c;
    v_low = z * (((0.33333334f - c) + q) + -9.934108e-09f) + z_low * c;
    v_low = dsgec_product_error(z, c, v) + v_low;
    w = s * v;
    w_low = dsgec_product_error(s, v, w) + (s * v_low + s_low * v);
    h = s + w;
    h_low = ((s - h) + w) + (s_low + w_low);
    y = k * 0.69314575f;
    p = y + 2.0f * h;
    y_low = ((y - p) + 2.0f * h) + (k * 1.4286068e-06f + 2.0f * h_low);
    ln = p + y_low;
    ln_low = (p - ln) + y_low;
    c = b > 68719476736.0f ? 68719476736.0f : b;
    c = c < -68719476736.0f ? -68719476736.0f : c;
    p = c * ln;
    v = dsgec_exp_sum(p, dsgec_product_error(c, ln, p) + c * ln_low);
    w = b < 0.0f ? 0.0f : 1.0f;
    w = b > 0.0f ? a : w;
    v = a > 3.4028235e+38f ? w : v;
    w = b == 0.0f ? 1.0f : 0.0f;
    v = a == 0.0f ? w : v;
    v = b != b ? b : v;
    return a != a ? a : v;
}
