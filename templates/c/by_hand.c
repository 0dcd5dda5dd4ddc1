/* What no printer prints of the arithmetic in C: sections by hand, for double and for float. `real`
 * and `word` are the types; {a|b} is a for double and b for float. */
/* == guard == */
/* The one arithmetic: every function is a fixed sequence of {binary64|binary32} operations, so that its bits
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
#if FLT_RADIX != 2 || {DBL_MANT_DIG|FLT_MANT_DIG} != {53|24} || {DBL_MAX_EXP|FLT_MAX_EXP} != {1024|128}
#error "this code needs a {double|float} of {64|32} bits, which this compiler has not{: export with --dtype float|}"
#endif
#if defined(FLT_EVAL_METHOD) /* 16: as 0, and there is a type of 16 bits */
#if FLT_EVAL_METHOD != 0{ && FLT_EVAL_METHOD != 1|} && FLT_EVAL_METHOD != 16
#error "this code needs {double|float} arithmetic in {double|single} precision (on x86: -msse2 -mfpmath=sse)"
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
static inline word dsgec_bits(real x) {
    union { real number; word bits; } both;
    both.number = x;
    return both.bits;
}
/* == from_bits == */
static inline real dsgec_from_bits(word n) {
    union { real number; word bits; } both;
    both.bits = n;
    return both.number;
}
/* == sqrt: needs absolute, bits, from_bits == */
/* Correctly rounded, so the instruction and the loop over its digits (Kahan) give the same bits. The
 * instruction is taken where the compiler says that it needs no library for it. */
#if defined(__NO_MATH_ERRNO__) && (defined(__SSE2__) || defined(__aarch64__){| || defined(__ARM_FP)})
static inline real dsgec_sqrt(real x) {
    return {__builtin_sqrt|__builtin_sqrtf}(dsgec_absolute(x));
}
#else
static inline real dsgec_sqrt(real x) {
    real a = dsgec_absolute(x);
    real u = a < {2.2250738585072014e-308|1.1754944e-38f} ? a * {18014398509481984.0|16777216.0f} : a;
    real back = a < {2.2250738585072014e-308|1.1754944e-38f} ? {7.450580596923828e-09|0.00024414062f} : {1.0|1.0f};
    word m = dsgec_bits(u);
    word e = m >> {52|23};
    word q = 0, s = 0, r = WORD_C(1) << {53|24};
    if (m == 0 || e == {2047|255}) {
        return a;
    }
    m = (m & WORD_C({0x000fffffffffffff|0x007fffff})) | (WORD_C(1) << {52|23});
    m = m << ((e & 1) == 0 ? 2 : 1);
    for (; r != 0; r = r >> 1) {
        word t = s + r;
        if (t <= m) {
            s = t + r;
            m = m - t;
            q = q + r;
        }
        m = m << 1;
    }
    q = q + (q & (m != 0)); /* never half way */
    return dsgec_from_bits((q >> 1) + (((e + {1021|125}) >> 1) << {52|23})) * back;
}
#endif
/* == softmax: needs exp_down, maximum == */
static inline void dsgec_softmax(real *z, int n) {
    real m = n > 0 ? z[0] : {0.0|0.0f};
    real s = {0.0|0.0f};
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
