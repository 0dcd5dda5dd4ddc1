/* Split a layered phenotype into layers and neurons: dsgec/network/syntax.py. */
#ifndef DSGEC_LAYERED_C
#define DSGEC_LAYERED_C
#include "digits.h"
#include "memory.h"

typedef struct {
    size_t start, end;
    int ends_layer;
} Stretch;

typedef struct {
    Stretch *items;
    size_t count, capacity;
} Stretches;

static inline int comes_before_a_sign(char c) {
    return c == '+' || c == '*' || c == '/' || c == '^' || c == ',' || c == '(' || c == '<' ||
           c == '>' || c == '=';
}

static int add_stretch(Stretches *found, size_t start, size_t end, int ends_layer) {
    if (!RESERVE(found->items, found->capacity, found->count + 1)) {
        return 0;
    }
    found->items[found->count].start = start;
    found->items[found->count].end = end;
    found->items[found->count].ends_layer = ends_layer;
    found->count++;
    return 1;
}

/* Find the neurons of `text`, in order, or only count them if `found` is NULL. Returns 0 if there
 * is no memory. */
static int cut(const char *text, size_t length, Stretches *found, size_t *count) {
    size_t at = 0, start = 0, resume = 0, end;
    int64_t depth = 0;
    char last = 0; /* the last character since `start` that is not whitespace */
    *count = 1;
    while (at < length) {
        char c = text[at];
        if (c == '-') {
            if (at >= resume && last != 0 && !comes_before_a_sign(last)) {
                int ends_layer = at + 1 < length && text[at + 1] == '-';
                if (found != NULL && !add_stretch(found, start, at, ends_layer)) {
                    return 0;
                }
                ++*count;
                start = at + 1 + (size_t)ends_layer;
                resume = ends_layer ? start : resume;
                last = 0;
            } else if (at >= start) {
                last = c;
            }
            at++;
        } else if (is_digit(c)) {
            last = c;
            end = at = skip_digits(text, at, length);
            if (end < length && text[end] == '.') {
                end = skip_digits(text, end + 1, length);
            }
            end = exponent_end(text, end, length);
            at = end ? end : at;
        } else if (c == '.') {
            last = c;
            end = skip_digits(text, at + 1, length);
            end = end > at + 1 ? exponent_end(text, end, length) : 0;
            at = end ? end : at + 1;
        } else if (c == '(' || c == ')') {
            depth = c == '(' ? 1 : -1;
            for (at++; at < length && depth != 0; at++) { /* parentheses contain no separators */
                depth += text[at] == '(';
                depth -= text[at] == ')';
            }
            last = text[at - 1];
        } else {
            last = is_space(c) ? last : c;
            at++;
        }
    }
    return found == NULL || add_stretch(found, start, length, 1);
}
#endif
