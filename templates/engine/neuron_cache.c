/* A cache of the values of neurons that read only features. Children share most of their neurons
 * with their parents, and a neuron has the same values in every network: two of three are
 * eventually found here. What is cached changes no result. */
#ifndef DSGEC_NEURON_CACHE_C
#define DSGEC_NEURON_CACHE_C
#include "tape.c"

enum { LEAST_BLOCK = 64, NEAR = 24 * 1024 };
/* NEAR: doubles that fit into the second-level cache together with the features. */

enum { MOST_CACHED = 512, MOST_CACHED_ROWS = 2048, MOST_CACHED_VALUES = 1 << 18 };

/* The sum and the rows of an entry; `round` is the last block of rows that it was used for. */
typedef struct {
    double weight[TERMS], value;
    size_t row, n;
    uint64_t round;
    int32_t source[TERMS], terms; /* no terms: the entry is empty */
} CachedNeuron;

typedef struct {
    CachedNeuron *items;
    double *memory, *values;
    size_t count, stride; /* a power of two; the length of an entry */
    uint64_t round;
} NeuronCache;

static void free_cache(NeuronCache *cache) {
    free(cache->items);
    free(cache->memory);
}

static double *align(double *memory) {
    return memory + (-((uintptr_t)memory / sizeof(double)) % LANES);
}

/* Create the cache for a table; without memory, or for a large table, it stays empty. */
static void open_cache(NeuronCache *cache, size_t rows) {
    size_t stride = (rows < BLOCK ? rows : BLOCK) + LANES, count = MOST_CACHED;
    if (cache->stride > 0) {
        return;
    }
    cache->stride = stride;
    while (count * stride > MOST_CACHED_VALUES) {
        count /= 2;
    }
    if (rows > MOST_CACHED_ROWS) {
        return;
    }
    cache->items = calloc(count, sizeof *cache->items);
    cache->memory = malloc((count * stride + LANES) * sizeof *cache->memory);
    if (cache->items != NULL && cache->memory != NULL) {
        cache->values = align(cache->memory);
        cache->count = count;
    }
}

static size_t entry_of(const NeuronCache *cache, const Instruction *in, size_t row) {
    uint64_t hash = dsgec_bits(in->value) ^ row;
    int term;
    for (term = 0; term < in->terms; term++) {
        hash = (hash ^ dsgec_bits(in->weight[term])) * UINT64_C(0x9E3779B97F4A7C15);
        hash = (hash ^ hash >> 29 ^ (uint64_t)(uint32_t)in->source[term]) *
               UINT64_C(0xBF58476D1CE4E5B9);
    }
    return (size_t)(hash >> 32) & (cache->count - 1);
}

/* Compare bits: 0 and -0 are different weights. */
static int is_cached(const CachedNeuron *cached, const Instruction *in, size_t row, size_t n) {
    size_t terms = (size_t)in->terms;
    return cached->terms == in->terms && cached->row == row && cached->n == n &&
           memcmp(&cached->value, &in->value, sizeof in->value) == 0 &&
           memcmp(cached->weight, in->weight, terms * sizeof *in->weight) == 0 &&
           memcmp(cached->source, in->source, terms * sizeof *in->source) == 0;
}

/* Return where the values of a neuron are or, if `found` is 0, are to be stored; NULL if another
 * neuron of this network occupies the entry. */
static double *find_cached(NeuronCache *cache, const Instruction *in, size_t row, size_t n,
                           int *found) {
    size_t number = entry_of(cache, in, row);
    CachedNeuron *cached = &cache->items[number];
    double *values = cache->values + number * cache->stride;
    *found = is_cached(cached, in, row, n);
    if (!*found) {
        if (cached->round == cache->round) {
            return NULL;
        }
        cached->terms = in->terms;
        cached->row = row;
        cached->n = n;
        cached->value = in->value;
        memcpy(cached->weight, in->weight, (size_t)in->terms * sizeof *in->weight);
        memcpy(cached->source, in->source, (size_t)in->terms * sizeof *in->source);
    }
    cached->round = cache->round;
    return values;
}
#endif
