/* A table of any bytes is read within bounds, and its numbers are those that strtod reads.
 *
 * The first four bytes say how: separator, quote, columns, and how much room there is. The rest is
 * read as `read_block` of dsgec/data/native.py does, with a line that needs care left out. */
static int is_plain(const char *text, size_t length, double *value) {
    char copy[2048], *end;
    if (length == 0 || length >= sizeof copy) {
        return 0;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    if (strspn(copy, "0123456789.eE+-") != length) {
        return 0;
    }
    *value = strtod(copy, &end);
    return end == copy + length && *value - *value == 0.0;
}

/* A line without quotes: cut at every separator, it has these numbers and, from `cell` on, these
 * texts. Gives the number of the text after them. */
static int64_t check_line(const dsgec_rows *r, int64_t row, int64_t cell, const char *at,
                          const char *end) {
    int64_t column;
    for (column = 0; column < r->columns; column++) {
        const char *stop = memchr(at, r->separator, (size_t)(end - at)), *from = at, *to;
        double found = r->numbers[row * r->columns + column], value;
        EXPECT((stop == NULL) == (column == r->columns - 1));
        to = stop = stop == NULL ? end : stop;
        for (; from < to && *from == ' '; from++) {
        }
        for (; to > from && to[-1] == ' '; to--) {
        }
        if (is_plain(from, (size_t)(to - from), &value)) {
            EXPECT(dsgec_bits(found) == dsgec_bits(value));
        } else if (to - from < 2048) {
            EXPECT(found != found);
        }
        if (found != found && from < to) {
            const dsgec_cell *text = &r->cells[cell++];
            EXPECT(cell <= r->cell_count && text->row == row && text->column == column);
            EXPECT(r->text + text->start == at && text->length == stop - at && !text->doubled);
        }
        at = stop + 1;
    }
    return cell;
}

static void check_rows(const dsgec_rows *r) {
    const char *at = r->text, *end = r->text + r->used, *stop, *next;
    int64_t line = 0, row = 0, cell = 0;
    EXPECT(r->used <= r->length && r->rows <= r->most_rows && r->cell_count <= r->most_cells);
    for (; row < r->rows; line++, at = next) {
        EXPECT(at < end && line <= r->lines[row]);
        stop = memchr(at, '\n', (size_t)(end - at));
        next = stop == NULL ? end : stop + 1;
        stop = stop == NULL ? end : stop;
        stop -= stop > at && stop[-1] == '\r';
        if (line < r->lines[row]) {
            continue;
        }
        if (memchr(at, r->quote, (size_t)(stop - at)) == NULL) {
            cell = check_line(r, row, cell, at, stop);
        }
        for (; cell < r->cell_count && r->cells[cell].row == row; cell++) {
            const dsgec_cell *text = &r->cells[cell];
            EXPECT(text->start >= at - r->text && text->length > 0);
            EXPECT(text->start + text->length <= stop - r->text);
        }
        row++;
    }
    EXPECT(cell == r->cell_count);
}

static void read_part(dsgec_rows *r, int scarce) {
    size_t columns = (size_t)r->columns;
    int outcome;
    r->most_rows = scarce & 1 ? 1 + (scarce >> 2 & 3) : (int64_t)(r->length / columns) + 1;
    r->most_cells = scarce & 2 ? r->columns + (scarce >> 4) : 4096;
    r->numbers = malloc((size_t)r->most_rows * columns * sizeof *r->numbers);
    r->lines = malloc((size_t)r->most_rows * sizeof *r->lines);
    r->cells = malloc((size_t)r->most_cells * sizeof *r->cells);
    EXPECT(r->numbers != NULL && r->lines != NULL && r->cells != NULL);
    outcome = dsgec_read_rows(r);
    check_rows(r);
    EXPECT(outcome != READ_ALL || r->used == r->length);
    EXPECT(outcome != FULL || (r->used > 0 && r->used < r->length));
    if (outcome == CAREFUL) { /* Python takes this line */
        const char *at = r->text + r->used, *stop = memchr(at, '\n', r->length - r->used);
        r->used = stop == NULL ? r->length : (size_t)(stop + 1 - r->text);
    }
    free(r->numbers);
    free(r->lines);
    free(r->cells);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    dsgec_rows rows;
    char *text;
    size_t used, length;
    if (size < 4) {
        return 0;
    }
    length = size - 4;
    text = malloc(length + !length); /* exactly as large, so that a look beyond it is found */
    EXPECT(text != NULL);
    memcpy(text, data + 4, length);
    for (used = 0; used < length; used += rows.used) {
        memset(&rows, 0, sizeof rows);
        rows.separator = ",;\t|"[data[0] % 4];
        rows.quote = "\"'"[data[1] % 2];
        rows.columns = 1 + data[2] % 8;
        rows.text = text + used;
        rows.length = length - used;
        read_part(&rows, data[3]);
    }
    free(text);
    return 0;
}
