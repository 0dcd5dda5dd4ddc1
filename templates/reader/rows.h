/* What the reader of tables exports. cffi reads it, without the lines that begin with `#`. */
#ifndef DSGEC_ROWS_H
#define DSGEC_ROWS_H
#include "platform.h"

/* A cell that is not a number, which Python reads. */
typedef struct {
    int64_t row, column, start, length, doubled; /* doubled: whether it contains doubled quotes */
} dsgec_cell;

/* In: `text` holds whole lines, and there is room for `most_rows` rows and `most_cells` cells. Out:
 * how many were read, and how much of the text. `lines` holds the line of each row, from 0. */
typedef struct {
    const char *text;
    size_t length;
    char separator, quote;
    int64_t columns, most_rows, most_cells;
    double *numbers;
    int32_t *lines;
    dsgec_cell *cells;
    int64_t rows, cell_count, line_count;
    size_t used;
} dsgec_rows;

/* FULL: no more room; CAREFUL: Python must read the next line. */
enum { READ_ALL, FULL, CAREFUL };

int dsgec_read_rows(dsgec_rows *r);
#endif
