/* Run a tape of logical functions on 64 rows at a time: a register has a bit for each row, which
 * tells whether its value is true. Only the outputs become numbers again, so they have to be 1 or
 * 0. */
#ifndef DSGEC_BITS_C
#define DSGEC_BITS_C
#include "neuron_cache.c"

enum { WORD_ROWS = 64, BLOCK_WORDS = BLOCK / WORD_ROWS };

/* Features by column; the rows are in groups, each padded to a multiple of LANES. If every column
 * has two values at most, `bits` tells in which rows they are true, WORD_ROWS rows in a word, and
 * `binary` which columns have no other values than 1 and 0. */
typedef struct {
    const double *columns;
    size_t rows, features;
    uint64_t *bits;
    uint8_t *binary;
} Table;

/* The bits of the registers, and which of them are 1 or 0 and no other truth value. */
typedef struct {
    uint64_t *words;
    uint8_t *binary;
    size_t words_capacity, binary_capacity;
} BitBlocks;

static int is_one_or_zero(double value) {
    return value == 1.0 || dsgec_bits(value) == 0;
}

/* Return the number of words of a column: one more than there are, as rows may begin within one. */
static size_t count_words(const Table *table) {
    return (table->rows + WORD_ROWS - 1) / WORD_ROWS + 1;
}

/* Return whether a column has at most two values in the rows of the groups. */
static int has_two_values(const double *column, const dsgec_engine_group *groups, int64_t count) {
    double first = column[groups[0].start], second = first;
    int64_t group, i;
    for (group = 0; group < count; group++) {
        const double *values = column + groups[group].start;
        for (i = 0; i < groups[group].count; i++) {
            if (values[i] != first && values[i] != second) {
                if (second != first) {
                    return 0;
                }
                second = values[i];
            }
        }
    }
    return 1;
}

/* Store the bits of a table whose columns have two values at most; return 0 without memory. */
static int make_bits(Table *table, const dsgec_engine_group *groups, int64_t count) {
    size_t column, row;
    for (column = 0; column < table->features; column++) {
        if (!has_two_values(table->columns + column * table->rows, groups, count)) {
            return 1;
        }
    }
    table->bits = calloc(table->features * count_words(table), sizeof *table->bits);
    table->binary = malloc(table->features);
    if (table->bits == NULL || table->binary == NULL) {
        return 0;
    }
    for (column = 0; column < table->features; column++) {
        const double *values = table->columns + column * table->rows;
        uint64_t *bits = table->bits + column * count_words(table);
        table->binary[column] = 1;
        for (row = 0; row < table->rows; row++) {
            bits[row / WORD_ROWS] |= (uint64_t)(values[row] > 0.0) << row % WORD_ROWS;
            table->binary[column] &= (uint8_t)is_one_or_zero(values[row]);
        }
    }
    return 1;
}

static int is_binary(const BitBlocks *blocks, const Table *table, int32_t operand) {
    return operand >= 0 ? blocks->binary[operand] : table->binary[-1 - operand];
}

/* Return whether a tape consists of logical functions and its outputs are 1 or 0; 0 without
 * memory, too. */
static int is_logical(const Tape *t, const Table *table, BitBlocks *blocks) {
    int32_t i;
    if (table->bits == NULL || t->softmax || t->output_count > NEAR / BLOCK ||
        !RESERVE(blocks->words, blocks->words_capacity, (size_t)t->registers * BLOCK_WORDS + 1) ||
        !RESERVE(blocks->binary, blocks->binary_capacity, (size_t)t->registers + 1)) {
        return 0;
    }
    for (i = 0; i < t->count; i++) {
        const Instruction *in = &t->items[i];
        uint8_t *binary = &blocks->binary[in->to];
        switch (in->operation) {
        case OF_not: case OF_and: case OF_or: case OF_xor: case OF_nand: case OF_nor:
            *binary = 1;
            break;
        case OF_if:
            *binary = is_binary(blocks, table, in->b) && is_binary(blocks, table, in->source[0]);
            break;
        case FILL: *binary = (uint8_t)is_one_or_zero(in->value); break;
        default: return 0;
        }
    }
    for (i = 0; i < t->output_count; i++) {
        if (!is_binary(blocks, table, t->outputs[i])) {
            return 0;
        }
    }
    return 1;
}

/* Return `n` words of an operand; those of rows that begin within a word are moved to `moved`. */
static const uint64_t *find_bits(const BitBlocks *blocks, const Table *table, size_t row,
                                 int32_t operand, uint64_t *moved, size_t n) {
    const uint64_t *bits;
    size_t shift = row % WORD_ROWS, i;
    if (operand >= 0) {
        return blocks->words + (size_t)operand * BLOCK_WORDS;
    }
    bits = table->bits + (size_t)(-1 - operand) * count_words(table) + row / WORD_ROWS;
    for (i = 0; shift > 0 && i < n; i++) {
        moved[i] = bits[i] >> shift | bits[i + 1] << (WORD_ROWS - shift);
    }
    return shift > 0 ? moved : bits;
}

#define EACH_WORD(expression) for (i = 0; i < n; i++) { to[i] = (expression); } break

/* Run an instruction on `n` words; the result may overwrite an operand. */
static void run_logical(const Instruction *in, uint64_t *to, const uint64_t *a, const uint64_t *b,
                        const uint64_t *c, size_t n) {
    size_t i;
    switch (in->operation) {
    case OF_not: EACH_WORD(~a[i]);
    case OF_and: EACH_WORD(a[i] & b[i]);
    case OF_or: EACH_WORD(a[i] | b[i]);
    case OF_xor: EACH_WORD(a[i] ^ b[i]);
    case OF_nand: EACH_WORD(~(a[i] & b[i]));
    case OF_nor: EACH_WORD(~(a[i] | b[i]));
    case OF_if: EACH_WORD((a[i] & b[i]) | (~a[i] & c[i]));
    default: EACH_WORD(in->value > 0.0 ? UINT64_MAX : 0); /* FILL */
    }
}

/* Run a logical tape on the `n` rows from `row` on. The outputs are stored `stride` apart from each
 * other. */
static void run_bits(const BitBlocks *blocks, const Table *table, const Tape *t, size_t row,
                     size_t n, double *results, size_t stride, const double **outputs) {
    uint64_t moved[3][BLOCK_WORDS];
    size_t words = (n + WORD_ROWS - 1) / WORD_ROWS, i;
    int32_t k;
    for (k = 0; k < t->count; k++) {
        const Instruction *in = &t->items[k];
        const uint64_t *a = NULL, *b = NULL, *c = NULL;
        if (in->operands > 0) {
            a = find_bits(blocks, table, row, in->a, moved[0], words);
        }
        if (in->operands > 1) {
            b = find_bits(blocks, table, row, in->b, moved[1], words);
        }
        if (in->operands > 2) {
            c = find_bits(blocks, table, row, in->source[0], moved[2], words);
        }
        run_logical(in, blocks->words + (size_t)in->to * BLOCK_WORDS, a, b, c, words);
    }
    for (k = 0; k < t->output_count; k++) {
        const uint64_t *bits = find_bits(blocks, table, row, t->outputs[k], moved[0], words);
        double *values = results + (size_t)k * stride;
        for (i = 0; i < n; i++) {
            values[i] = (double)(bits[i / WORD_ROWS] >> i % WORD_ROWS & 1);
        }
        outputs[k] = values;
    }
}
#endif
