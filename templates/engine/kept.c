/* What neurons that read only features gave, kept from one network to the next.
 *
 * Children share most of their neurons with their parents, and a neuron is the same numbers in every
 * network: in the end two of three are found here. Which are kept changes no result. */
#ifndef DSGEC_KEPT_C
#define DSGEC_KEPT_C
#include "tape.c"

enum { BLOCK = 512, LEAST_BLOCK = 64, NEAR = 24 * 1024 };
/* NEAR: doubles that stay in the second-level cache, beside the features. */

enum { MOST_KEPT = 512, MOST_KEPT_ROWS = 2048, KEPT_NUMBERS = 1 << 18 };

/* Sum and rows of an entry; `round` is the last block of rows that it was used for. */
typedef struct {
    double weight[TERMS], value;
    size_t row, n;
    uint64_t round;
    int32_t source[TERMS], terms; /* 0 terms: nothing is kept here yet */
} Kept;

typedef struct {
    Kept *items;
    double *memory, *numbers;
    size_t count, stride; /* a power of two; rows of an entry */
    uint64_t round;
} Store;

static void free_store(Store *store) {
    free(store->items);
    free(store->memory);
}

static double *align(double *memory) {
    return memory + (-((uintptr_t)memory / sizeof(double)) % LANES);
}

/* Make the store for a table; without memory, or for a large table, nothing is kept. */
static void open_store(Store *store, size_t rows) {
    size_t stride = (rows < BLOCK ? rows : BLOCK) + LANES, count = MOST_KEPT;
    if (store->stride > 0) {
        return;
    }
    store->stride = stride;
    while (count * stride > KEPT_NUMBERS) {
        count /= 2;
    }
    if (rows > MOST_KEPT_ROWS) {
        return;
    }
    store->items = calloc(count, sizeof *store->items);
    store->memory = malloc((count * stride + LANES) * sizeof *store->memory);
    if (store->items != NULL && store->memory != NULL) {
        store->numbers = align(store->memory);
        store->count = count;
    }
}

static size_t entry_of(const Store *store, const Instruction *in, size_t row) {
    uint64_t hash = dsgec_bits(in->value) ^ row;
    int term;
    for (term = 0; term < in->terms; term++) {
        hash = (hash ^ dsgec_bits(in->weight[term])) * UINT64_C(0x9E3779B97F4A7C15);
        hash = (hash ^ hash >> 29 ^ (uint64_t)(uint32_t)in->source[term]) *
               UINT64_C(0xBF58476D1CE4E5B9);
    }
    return (size_t)(hash >> 32) & (store->count - 1);
}

/* By their bits: 0 and -0 are different weights. */
static int is_kept(const Kept *kept, const Instruction *in, size_t row, size_t n) {
    size_t terms = (size_t)in->terms;
    return kept->terms == in->terms && kept->row == row && kept->n == n &&
           memcmp(&kept->value, &in->value, sizeof in->value) == 0 &&
           memcmp(kept->weight, in->weight, terms * sizeof *in->weight) == 0 &&
           memcmp(kept->source, in->source, terms * sizeof *in->source) == 0;
}

/* Where the numbers of a neuron are or, with `found` 0, are to be made; NULL if they cannot be kept,
 * because another neuron of this network is in their place. */
static double *find_kept(Store *store, const Instruction *in, size_t row, size_t n, int *found) {
    size_t number = entry_of(store, in, row);
    Kept *kept = &store->items[number];
    double *numbers = store->numbers + number * store->stride;
    *found = is_kept(kept, in, row, n);
    if (!*found) {
        if (kept->round == store->round) {
            return NULL;
        }
        kept->terms = in->terms;
        kept->row = row;
        kept->n = n;
        kept->value = in->value;
        memcpy(kept->weight, in->weight, (size_t)in->terms * sizeof *in->weight);
        memcpy(kept->source, in->source, (size_t)in->terms * sizeof *in->source);
    }
    kept->round = store->round;
    return numbers;
}
#endif
