/* Run a tape over the rows, one block at a time. */
#ifndef DSGEC_RUN_C
#define DSGEC_RUN_C
#include "neuron_cache.c"
#include "printed/row_functions.c"
#include "bits.c"

/* A register begins at a cache line and is one line longer than a block, so that registers do not
 * all map to the same cache sets. */
typedef struct {
    double *memory, *registers;
    const double **places; /* where the values of each register are: in it, or in the cache */
    size_t capacity, places_capacity, block, stride;
    NeuronCache cache;
    BitBlocks bits;
} Blocks;

/* Choose the number of rows of a block so that its registers stay in the cache. */
static int have_blocks(Blocks *blocks, int32_t registers) {
    size_t rows = NEAR / (size_t)(registers > 0 ? registers : 1) / LANES * LANES;
    rows = rows > BLOCK ? BLOCK : rows;
    blocks->block = rows < LEAST_BLOCK ? LEAST_BLOCK : rows;
    blocks->stride = blocks->block + LANES;
    if (!RESERVE(blocks->memory, blocks->capacity, (size_t)registers * blocks->stride + LANES) ||
        !RESERVE(blocks->places, blocks->places_capacity, registers)) {
        return 0;
    }
    blocks->registers = align(blocks->memory);
    return 1;
}

static void free_blocks(Blocks *blocks) {
    free(blocks->memory);
    free(blocks->places);
    free(blocks->bits.words);
    free(blocks->bits.binary);
    free_cache(&blocks->cache);
}

static const double *find_operand(const Blocks *blocks, const Table *table, size_t row,
                                  int32_t operand) {
    if (operand >= 0) {
        return blocks->places[operand];
    }
    return table->columns + (size_t)(-1 - operand) * table->rows + row;
}

static void run_sum(Blocks *blocks, const Table *table, const Instruction *in, size_t row,
                    size_t n) {
    double *to = blocks->registers + (size_t)in->to * blocks->stride;
    const double *x[TERMS];
    int term, found = 0;
    if (in->cacheable && blocks->cache.count > 0) {
        double *cached = find_cached(&blocks->cache, in, row, n, &found);
        to = cached != NULL ? cached : to;
    }
    if (!found) {
        for (term = 0; term < in->terms; term++) {
            x[term] = find_operand(blocks, table, row, in->source[term]);
        }
        (in->sigmoid ? rows_sig_sum : rows_sum)[in->terms](to, in->weight, x, in->value, n);
    }
    blocks->places[in->to] = to;
}

static void run_function(Blocks *blocks, const Table *table, const Instruction *in, size_t row,
                         size_t n) {
    double *to = blocks->registers + (size_t)in->to * blocks->stride;
    const double *a, *b, *c;
    if (in->operation == FILL) {
        rows_fill(to, in->value, n);
        blocks->places[in->to] = to;
        return;
    }
    a = find_operand(blocks, table, row, in->a);
    b = in->operands > 1 ? find_operand(blocks, table, row, in->b) : NULL;
    c = in->operands > 2 ? find_operand(blocks, table, row, in->source[0]) : NULL;
    rows_of[in->operation](to, a, b, c, n);
    blocks->places[in->to] = to;
}

/* Return the number of registers of a tape, including those for the softmax. */
static int32_t count_registers(const Tape *t) {
    return t->registers + (t->softmax ? t->output_count : 0);
}

/* Run the tape on the `n` rows from `row` on; `outputs` gets pointers to the outputs. */
static void run_block(Blocks *blocks, const Table *table, const Tape *t, size_t row, size_t n,
                      const double **outputs) {
    int32_t i;
    if (t->is_logical) {
        run_bits(&blocks->bits, table, t, row, n, blocks->registers, blocks->stride, outputs);
        return;
    }
    blocks->cache.round++;
    for (i = 0; i < t->count; i++) {
        if (t->items[i].operation == DOT) {
            run_sum(blocks, table, &t->items[i], row, n);
        } else {
            run_function(blocks, table, &t->items[i], row, n);
        }
    }
    for (i = 0; i < t->output_count; i++) {
        outputs[i] = find_operand(blocks, table, row, t->outputs[i]);
    }
    if (t->softmax) { /* in the registers after those of the tape */
        double *made = blocks->registers + (size_t)t->registers * blocks->stride;
        rows_softmax(outputs, made, blocks->stride, t->output_count, n);
        for (i = 0; i < t->output_count; i++) {
            outputs[i] = made + (size_t)i * blocks->stride;
        }
    }
}
#endif
