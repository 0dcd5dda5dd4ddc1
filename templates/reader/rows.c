/* Read the lines of a table as numbers; cells that are not numbers are left to Python, with their
 * positions. */
#include "arithmetic.h"
#include "number.c"
#include "rows.h"

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && *at == ' ') {
        at++;
    }
    return at;
}

static int ends_cell(const dsgec_rows *r, const char *at, const char *end) {
    return at == end || *at == r->separator;
}

/* Read a finite number and return the end of its cell; NULL if it is not a number. */
static const char *read_number_cell(const dsgec_rows *r, const char *at, const char *end,
                                    double *value) {
    int negative;
    size_t length;
    at = skip_blanks(at, end);
    negative = at < end && *at == '-';
    at += negative || (at < end && *at == '+');
    length = scan_number(at, 0, (size_t)(end - at), value);
    if (length == 0 || *value - *value != 0.0) {
        return NULL;
    }
    *value = negative ? -*value : *value;
    at = skip_blanks(at + length, end);
    return ends_cell(r, at, end) ? at : NULL;
}

/* Read a cell of text, which is kept unless it is blank, and return its end; NULL if its quotes
 * need Python. */
static const char *read_text_cell(dsgec_rows *r, const char *at, const char *end, int64_t column) {
    const char *start = at, *stop;
    int doubled = 0;
    dsgec_cell *cell;
    if (at < end && *at == r->quote) {
        start++;
        stop = memchr(start, r->quote, (size_t)(end - start));
        while (stop != NULL && stop + 1 < end && stop[1] == r->quote) {
            doubled = 1;
            stop = memchr(stop + 2, r->quote, (size_t)(end - stop - 2));
        }
        if (stop == NULL || !ends_cell(r, stop + 1, end)) {
            return NULL;
        }
        at = stop + 1;
    } else {
        at = memchr(at, r->separator, (size_t)(end - at));
        at = stop = at == NULL ? end : at;
    }
    if (skip_blanks(start, stop) < stop) {
        cell = &r->cells[r->cell_count++];
        cell->row = r->rows;
        cell->column = column;
        cell->start = start - r->text;
        cell->length = stop - start;
        cell->doubled = doubled;
    }
    return at;
}

/* Return whether a byte is certainly part of a text: all blanks of Unicode begin with one of these
 * four. */
static int is_text_byte(unsigned char byte) {
    return (byte > ' ' && byte < 0x80) ||
           (byte >= 0xc0 && byte != 0xc2 && byte != 0xe1 && byte != 0xe2 && byte != 0xe3);
}

/* Return whether a kept cell certainly contains more than blanks, of which Python knows many. */
static int has_text(const dsgec_rows *r, int64_t first_cell) {
    int64_t cell, i;
    for (cell = first_cell; cell < r->cell_count; cell++) {
        for (i = 0; i < r->cells[cell].length; i++) {
            if (is_text_byte((unsigned char)r->text[r->cells[cell].start + i])) {
                return 1;
            }
        }
    }
    return 0;
}

/* Read the cells of a line; return 0 if it needs Python. A line of blank cells is not a row. */
static int read_line(dsgec_rows *r, const char *at, const char *end) {
    double *numbers = r->numbers + r->rows * r->columns;
    const char *after;
    int64_t column, first_cell = r->cell_count;
    int blank = 1;
    for (column = 0; column < r->columns; column++) {
        after = read_number_cell(r, at, end, &numbers[column]);
        blank = blank && after == NULL;
        if (after == NULL) {
            numbers[column] = dsgec_from_bits(UINT64_C(0x7ff8000000000000));
            after = read_text_cell(r, at, end, column);
        }
        if (after == NULL || (after == end) != (column == r->columns - 1)) {
            r->cell_count = first_cell;
            return 0;
        }
        at = after + 1;
    }
    if (blank && r->cell_count > first_cell && !has_text(r, first_cell)) {
        r->cell_count = first_cell;
        return 0;
    }
    if (!blank || r->cell_count > first_cell) {
        r->lines[r->rows++] = (int32_t)r->line_count;
    }
    return 1;
}

static int read_rows(dsgec_rows *r) {
    const char *at = r->text, *end = r->text + r->length, *stop, *next;
    r->rows = r->cell_count = r->line_count = 0;
    for (r->used = 0; at < end; at = next) {
        if (r->rows == r->most_rows || r->cell_count + r->columns > r->most_cells) {
            return FULL;
        }
        stop = memchr(at, '\n', (size_t)(end - at));
        next = stop == NULL ? end : stop + 1;
        stop = stop == NULL ? end : stop;
        stop -= stop > at && stop[-1] == '\r';
        if (stop > at && !read_line(r, at, stop)) {
            return CAREFUL;
        }
        r->line_count++;
        r->used = (size_t)(next - r->text);
    }
    return READ_ALL;
}

int dsgec_read_rows(dsgec_rows *r) {
    const dsgec_environment found = dsgec_enter();
    const int outcome = read_rows(r);
    dsgec_leave(found);
    return outcome;
}
