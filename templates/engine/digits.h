/* Classification of characters, and the extent of numerals. */
#ifndef DSGEC_DIGITS_H
#define DSGEC_DIGITS_H
#include "platform.h"

static inline int is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline int is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline size_t skip_digits(const char *text, size_t at, size_t length) {
    while (at < length && is_digit(text[at])) {
        at++;
    }
    return at;
}

/* Return the end of the exponent that begins at `at`, or 0. */
static size_t exponent_end(const char *text, size_t at, size_t length) {
    if (at >= length || (text[at] != 'e' && text[at] != 'E')) {
        return 0;
    }
    at++;
    if (at < length && (text[at] == '+' || text[at] == '-')) {
        at++;
    }
    return at < length && is_digit(text[at]) ? skip_digits(text, at, length) : 0;
}
#endif
