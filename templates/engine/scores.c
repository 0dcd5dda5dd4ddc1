/* The scores of the phenotypes seen so far, by 128 bits of their hash: dsgec/search/scoring.py. */
#ifndef DSGEC_SCORES_C
#define DSGEC_SCORES_C
#include "memory.h"
#include "number.c"

typedef struct {
    uint64_t low, high;
} Hash;

typedef struct {
    Hash hash;
    double fitness;
    int32_t outcome, size; /* the number of connections, if it was scored */
    int64_t cost;
} Entry;

typedef struct {
    Entry *entries;
    uint32_t *table; /* 1 + the index of an entry, or 0 */
    double *values;  /* `width` for each entry, in an EXTERNAL engine */
    size_t capacity, count, table_size, values_capacity, width;
} Scores;

enum { PENDING = -1 };

static void free_scores(Scores *scores) {
    free(scores->entries);
    free(scores->table);
    free(scores->values);
}

/* Make room for the values of all entries. */
static int have_values(Scores *scores) {
    return RESERVE(scores->values, scores->values_capacity, scores->count * scores->width + 1);
}

static double *values_of(const Scores *scores, int64_t entry) {
    return scores->values + (size_t)entry * scores->width;
}

static inline uint64_t read_word(const char *bytes, size_t count) {
    uint64_t word = 0;
    size_t i;
#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__)
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && count == 8) {
        memcpy(&word, bytes, 8);
        return word;
    }
#endif
    for (i = 0; i < count; i++) {
        word |= (uint64_t)(unsigned char)bytes[i] << 8 * i;
    }
    return word;
}

static inline uint64_t rotate(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

static inline uint64_t finish(uint64_t x) {
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

/* MurmurHash3 (Appleby), the 128-bit variant, the same on every machine. */
static Hash hash_text(const char *text, size_t length) {
    const uint64_t c1 = UINT64_C(0x87c37b91114253d5), c2 = UINT64_C(0x4cf5ad432745937f);
    uint64_t h1 = 0, h2 = 0, k1, k2;
    size_t at;
    Hash hash;
    for (at = 0; at + 16 <= length; at += 16) {
        k1 = read_word(text + at, 8);
        k2 = read_word(text + at + 8, 8);
        h1 ^= rotate(k1 * c1, 31) * c2;
        h1 = (rotate(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= rotate(k2 * c2, 33) * c1;
        h2 = (rotate(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    k1 = read_word(text + at, length - at < 8 ? length - at : 8);
    k2 = length - at > 8 ? read_word(text + at + 8, length - at - 8) : 0;
    h2 ^= rotate(k2 * c2, 33) * c1;
    h1 ^= rotate(k1 * c1, 31) * c2;
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    h1 = finish(h1);
    h2 = finish(h2);
    hash.low = h1 + h2;
    hash.high = h2 + hash.low;
    return hash;
}

static void place_entry(uint32_t *table, size_t size, const Hash *hash, size_t number) {
    size_t at = (size_t)hash->low & (size - 1);
    while (table[at] != 0) {
        at = (at + 1) & (size - 1);
    }
    table[at] = (uint32_t)number + 1;
}

static int enlarge_table(Scores *scores) {
    size_t size = scores->table_size ? 2 * scores->table_size : 1024, i;
    uint32_t *table = calloc(size, sizeof *table);
    if (table == NULL) {
        return 0;
    }
    for (i = 0; i < scores->count; i++) {
        place_entry(table, size, &scores->entries[i].hash, i);
    }
    free(scores->table);
    scores->table = table;
    scores->table_size = size;
    return 1;
}

/* Return the index of the entry of a hash, or -1. */
static int64_t find_entry(const Scores *scores, const Hash *hash) {
    size_t at;
    if (scores->table_size == 0) {
        return -1;
    }
    at = (size_t)hash->low & (scores->table_size - 1);
    for (; scores->table[at] != 0; at = (at + 1) & (scores->table_size - 1)) {
        const Hash *other = &scores->entries[scores->table[at] - 1].hash;
        if (other->low == hash->low && other->high == hash->high) {
            return scores->table[at] - 1;
        }
    }
    return -1;
}

/* Add an entry and return its index, or -1 without memory. */
static int64_t add_entry(Scores *scores, const Hash *hash) {
    Entry *entry;
    if (scores->count >= UINT32_MAX - 1 ||
        (2 * (scores->count + 1) > scores->table_size && !enlarge_table(scores)) ||
        !RESERVE(scores->entries, scores->capacity, scores->count + 1)) {
        return -1;
    }
    entry = &scores->entries[scores->count];
    entry->hash = *hash;
    entry->fitness = INFINITE;
    entry->outcome = PENDING;
    entry->size = 0;
    entry->cost = 0;
    place_entry(scores->table, scores->table_size, hash, scores->count);
    return (int64_t)scores->count++;
}

/* Remove all entries from this one on. */
static void cut_scores(Scores *scores, size_t count) {
    size_t i;
    scores->count = count;
    if (scores->table_size > 0) {
        memset(scores->table, 0, scores->table_size * sizeof *scores->table);
    }
    for (i = 0; i < count; i++) {
        place_entry(scores->table, scores->table_size, &scores->entries[i].hash, i);
    }
}

/* Remove all entries. */
static void clear_scores(Scores *scores) {
    cut_scores(scores, 0);
}
#endif
