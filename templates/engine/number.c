/* Convert decimal numerals to the nearest double, as Python's float() does. */
#ifndef DSGEC_NUMBER_C
#define DSGEC_NUMBER_C
#include "arithmetic.h"
#include "digits.h"

#define INFINITE dsgec_from_bits(UINT64_C(0x7ff0000000000000))

enum { WORDS = 256, MOST_DIGITS = 800 }; /* 767 digits can matter, then only whether more follow */

/* An integer, low word first, of `count` words, the last of which is not 0. */
typedef struct {
    uint32_t word[WORDS];
    int count;
} Whole;

static void multiply_add(Whole *n, uint32_t factor, uint32_t term) {
    uint64_t carry = term;
    int i;
    for (i = 0; i < n->count; i++) {
        carry += (uint64_t)n->word[i] * factor;
        n->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry > 0) {
        n->word[n->count++] = (uint32_t)carry;
    }
}

static void multiply_by_power_of_ten(Whole *n, int64_t exponent) {
    for (; exponent >= 9; exponent -= 9) {
        multiply_add(n, 1000000000u, 0);
    }
    for (; exponent > 0; exponent--) {
        multiply_add(n, 10, 0);
    }
}

static int bit_length(const Whole *n) {
    uint32_t top = n->count ? n->word[n->count - 1] : 0;
    int bits = 32 * (n->count - 1);
    for (; top > 0; top >>= 1) {
        bits++;
    }
    return bits;
}

static void shift_left(Whole *n, int bits) {
    int words = bits / 32, i;
    memmove(n->word + words, n->word, (size_t)n->count * sizeof *n->word);
    memset(n->word, 0, (size_t)words * sizeof *n->word);
    n->count += words;
    for (i = 0; i < bits % 32; i++) {
        multiply_add(n, 2, 0);
    }
}

static void shift_right_once(Whole *n) {
    int i;
    for (i = 0; i < n->count; i++) {
        uint32_t above = i + 1 < n->count ? n->word[i + 1] : 0;
        n->word[i] = n->word[i] >> 1 | above << 31;
    }
    if (n->count > 0 && n->word[n->count - 1] == 0) {
        n->count--;
    }
}

static int compare_wholes(const Whole *a, const Whole *b) {
    int i;
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (i = a->count - 1; i >= 0; i--) {
        if (a->word[i] != b->word[i]) {
            return a->word[i] < b->word[i] ? -1 : 1;
        }
    }
    return 0;
}

static void subtract(Whole *a, const Whole *b) {
    uint64_t borrow = 0;
    int i;
    for (i = 0; i < a->count; i++) {
        uint64_t taken = (uint64_t)(i < b->count ? b->word[i] : 0) + borrow;
        borrow = taken > a->word[i];
        a->word[i] = (uint32_t)(a->word[i] - taken);
    }
    while (a->count > 0 && a->word[a->count - 1] == 0) {
        a->count--;
    }
}

/* Return value * 2^exponent, which is exact or too large, in two steps because 2^exponent can be
 * out of range. */
static double scale_by_power_of_two(double value, int exponent) {
    int half = exponent / 2;
    value *= dsgec_from_bits((uint64_t)(1023 + half) << 52);
    return value * dsgec_from_bits((uint64_t)(1023 + exponent - half) << 52);
}

/* Return top / bottom, rounded once; with `sticky`, digits of the top were dropped. */
static double divide_wholes(Whole *top, Whole *bottom, int sticky) {
    int shift = 55 - (bit_length(top) - bit_length(bottom)), step, length = 0, unit, dropped;
    uint64_t quotient = 0, kept, rest;
    shift_left(shift >= 0 ? top : bottom, shift >= 0 ? shift : -shift);
    shift_left(bottom, 56);
    for (step = 0; step <= 56; step++) {
        quotient <<= 1;
        if (compare_wholes(top, bottom) >= 0) {
            subtract(top, bottom);
            quotient |= 1;
        }
        shift_right_once(bottom);
    }
    sticky = sticky || top->count > 0;
    while (quotient >> length > 0) {
        length++;
    }
    unit = length - 53 - shift; /* the exponent of the last bit of the result */
    unit = unit < -1074 ? -1074 : unit;
    dropped = unit + shift;
    if (dropped >= 64) {
        return 0.0;
    }
    kept = quotient >> dropped;
    rest = quotient - (kept << dropped);
    if (rest > UINT64_C(1) << (dropped - 1)) {
        kept++;
    } else if (rest == UINT64_C(1) << (dropped - 1)) {
        kept += sticky || (kept & 1);
    }
    return scale_by_power_of_two((double)kept, unit);
}

/* Convert any number of digits. `point` is how many of them precede the decimal point. */
static double read_exactly(const char *digits, size_t length, int64_t exponent) {
    Whole top, bottom;
    int64_t point = 0, used = 0;
    size_t i;
    int sticky = 0, after_point = 0;
    top.count = bottom.count = 0;
    for (i = 0; i < length && (is_digit(digits[i]) || digits[i] == '.'); i++) {
        if (digits[i] == '.') {
            after_point = 1;
        } else if (used == 0 && digits[i] == '0') {
            point -= after_point;
        } else {
            point += !after_point;
            if (used < MOST_DIGITS) {
                multiply_add(&top, 10, (uint32_t)(digits[i] - '0'));
                used++;
            } else {
                sticky = sticky || digits[i] != '0';
            }
        }
    }
    if (used == 0 || point + exponent < -330) {
        return 0.0;
    }
    if (point + exponent > 310) {
        return INFINITE;
    }
    exponent += point - used;
    multiply_add(&bottom, 0, 1);
    multiply_by_power_of_ten(exponent >= 0 ? &top : &bottom, exponent >= 0 ? exponent : -exponent);
    return divide_wholes(&top, &bottom, sticky);
}

static const double TENS[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Return the first 64 bits of top / bottom, which is the result times 2^-shift, and whether more
 * follow. */
#if defined(__SIZEOF_INT128__)
__extension__ typedef unsigned __int128 Wide;

static uint64_t divide_bits(uint64_t top, uint64_t bottom, int *shift, int *more) {
    int up = __builtin_clzll(top), down = __builtin_clzll(bottom);
    uint64_t divisor = bottom << down;
    Wide dividend = (Wide)(top << up) << 63, quotient = dividend / divisor;
    Wide rest = dividend - quotient * divisor;
    int lacking = !((uint64_t)quotient >> 63);
    if (lacking) {
        rest += rest;
        quotient += quotient + (rest >= divisor);
        rest -= rest >= divisor ? divisor : 0;
    }
    *shift = 63 + up - down + lacking;
    *more = rest > 0;
    return (uint64_t)quotient;
}
#else
static uint64_t divide_bits(uint64_t top, uint64_t bottom, int *shift, int *more) {
    uint64_t quotient = top / bottom, rest = top % bottom;
    for (*shift = 0; quotient >> 63 == 0; ++*shift) {
        rest *= 2;
        quotient = quotient * 2 + (rest >= bottom);
        rest -= rest >= bottom ? bottom : 0;
    }
    *more = rest > 0;
    return quotient;
}
#endif

/* Return an integer of up to 19 digits over a power of ten up to 10^18, rounded once. */
static double divide_by_power_of_ten(uint64_t top, uint64_t bottom) {
    int shift, more;
    uint64_t quotient = divide_bits(top, bottom, &shift, &more);
    uint64_t kept = quotient >> 11, dropped = quotient & 2047;
    kept += dropped > 1024 || (dropped == 1024 && (more || (kept & 1)));
    return scale_by_power_of_two((double)kept, 11 - shift);
}

static int64_t read_exponent(const char *text, size_t at, size_t length) {
    int64_t exponent = 0;
    int negative = at + 1 < length && text[at + 1] == '-';
    for (at++; at < length; at++) {
        if (is_digit(text[at]) && exponent < 1000000000) {
            exponent = exponent * 10 + (text[at] - '0');
        }
    }
    return negative ? -exponent : exponent;
}

/* Return the value of the numeral text[0:length]. */
static double read_number(const char *text, size_t length) {
    uint64_t mantissa = 0;
    int64_t exponent = 0, scale;
    size_t at = 0, digits = 0;
    int after_point = 0;
    for (; at < length && (is_digit(text[at]) || text[at] == '.'); at++) {
        if (text[at] == '.') {
            after_point = 1;
            continue;
        }
        mantissa = mantissa * 10 + (uint64_t)(text[at] - '0');
        digits++;
        exponent -= after_point;
    }
    scale = at < length ? read_exponent(text, at, length) : 0;
    exponent += scale;
    /* Both the digits and the power of ten are exact, so one operation rounds once (Clinger). */
    if (digits <= 19 && mantissa <= UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22) {
        double value = (double)mantissa;
        return exponent < 0 ? value / TENS[-exponent] : value * TENS[exponent];
    }
    if (digits <= 19 && mantissa > 0 && exponent < 0 && exponent >= -18) {
        return divide_by_power_of_ten(mantissa, (uint64_t)TENS[-exponent]);
    }
    return read_exactly(text, at, scale);
}

/* Return the end of the numeral that begins at `at`, and its value; `at` itself if there is
 * none. */
static inline size_t scan_number(const char *text, size_t at, size_t end, double *value) {
    uint64_t mantissa = 0;
    size_t after = at, point, exponent, digits;
    for (; after < end && is_digit(text[after]); after++) {
        mantissa = mantissa * 10 + (uint64_t)(text[after] - '0');
    }
    digits = after - at;
    point = after;
    if (after < end && text[after] == '.') {
        for (after++; after < end && is_digit(text[after]); after++) {
            mantissa = mantissa * 10 + (uint64_t)(text[after] - '0');
        }
        digits += after - point - 1;
    }
    if (digits == 0) {
        return at;
    }
    exponent = exponent_end(text, after, end);
    if (exponent > 0 || digits > 15) {
        after = exponent > 0 ? exponent : after;
        *value = read_number(text + at, after - at);
        return after;
    }
    *value = (double)mantissa;
    if (after > point + 1) {
        *value /= TENS[after - point - 1];
    }
    return after;
}
#endif
