/* Reads the file named with all memory exactly as large as it says; prints what was read. */
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    FILE *file = fopen(arguments[1], "rb");
    long size, columns = strtol(arguments[2], NULL, 10);
    dsgec_rows rows = {0};
    char *text;
    int outcome;
    (void)count;
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    text = malloc((size_t)size + !size);
    if (fread(text, 1, (size_t)size, file) != (size_t)size) {
        return 1;
    }
    fclose(file);
    rows.text = text;
    rows.length = (size_t)size;
    rows.separator = ',';
    rows.quote = '"';
    rows.columns = columns;
    rows.most_rows = strtol(arguments[3], NULL, 10);
    rows.most_cells = strtol(arguments[4], NULL, 10);
    rows.numbers = malloc((size_t)(rows.most_rows * columns) * sizeof *rows.numbers);
    rows.lines = malloc((size_t)rows.most_rows * sizeof *rows.lines);
    rows.cells = malloc((size_t)rows.most_cells * sizeof *rows.cells);
    outcome = dsgec_read_rows(&rows);
    printf("%d %ld %ld %zu\n", outcome, (long)rows.rows, (long)rows.cell_count, rows.used);
    free(text);
    free(rows.numbers);
    free(rows.lines);
    free(rows.cells);
    return 0;
}
