/* Genotypes in their stored form, and as slots while they are mapped:
 * dsgec/grammar/genome/genotype.py. */
#ifndef DSGEC_GENOME_C
#define DSGEC_GENOME_C
#include "engine.h"
#include "grammar.h"
#include "memory.h"

typedef dsgec_engine_gene Gene;

/* In PSGE, genes of the rules after the last hold probabilities and mutation rates. */
enum { MORE_GENES = PROBABILISTIC ? 2 : 0 };

/* The genes, sorted by (rule, part). */
typedef struct {
    Gene *genes;
    int32_t *values;
    size_t genes_capacity, values_capacity;
    int32_t count;
} Genotype;

/* A gene that is being read. `values` belongs to a parent until it is changed. */
typedef struct {
    const int32_t *values;
    int32_t *own;
    size_t capacity;
    int32_t length, read;
} Slot;

/* One slot for each rule, then one for each part from 1 on. */
typedef struct {
    Slot *items;
    size_t capacity;
    int32_t count;
} Slots;

static inline int32_t find_slot(int32_t rule, int32_t part) {
    if (part == 0) {
        return rule;
    }
    return grammar.rules + (BY_DEPTH ? depths[rule].before : 0) + part - 1;
}

/* Make slots for `parts` parts. */
static int have_slots(Slots *slots, int32_t parts) {
    size_t wanted = (size_t)grammar.rules + (size_t)parts;
    if (wanted > (size_t)slots->count) {
        if (!RESERVE(slots->items, slots->capacity, wanted)) {
            return 0;
        }
        memset(slots->items + slots->count, 0, (wanted - (size_t)slots->count) * sizeof(Slot));
        slots->count = (int32_t)wanted;
    }
    return 1;
}

static void free_slots(Slots *slots) {
    int32_t i;
    for (i = 0; i < slots->count; i++) {
        free(slots->items[i].own);
    }
    free(slots->items);
}

/* Store `value` at `index`, which is in the gene or just after it. */
static int put_value(Slot *slot, int32_t index, int32_t value) {
    int borrowed = slot->values != slot->own;
    int32_t length = index == slot->length ? index + 1 : slot->length;
    if (!RESERVE(slot->own, slot->capacity, length)) {
        return 0;
    }
    if (borrowed) {
        memcpy(slot->own, slot->values, (size_t)slot->length * sizeof *slot->own);
    }
    slot->own[index] = value;
    slot->values = slot->own;
    slot->length = length;
    return 1;
}

static void clear_slots(Slots *slots) {
    int32_t i;
    for (i = 0; i < slots->count; i++) {
        slots->items[i].values = slots->items[i].own;
        slots->items[i].length = 0;
        slots->items[i].read = 0;
    }
}

static void read_again(Slots *slots) {
    int32_t i;
    for (i = 0; i < slots->count; i++) {
        slots->items[i].read = 0;
    }
}

static int load_gene(Slots *slots, const Genotype *genotype, const Gene *gene) {
    int32_t number = find_slot(gene->rule, gene->part);
    Slot *slot;
    if (!have_slots(slots, number < grammar.rules ? 0 : number - grammar.rules + 1)) {
        return 0;
    }
    slot = &slots->items[number];
    slot->values = genotype->values + gene->start;
    slot->length = gene->length;
    return 1;
}

static int store_gene(Genotype *genotype, const Slot *slot, int32_t rule, int32_t part,
                      int32_t *total) {
    Gene *gene;
    if (slot->length == 0) {
        return 1;
    }
    if (slot->length > INT32_MAX - *total ||
        !RESERVE(genotype->genes, genotype->genes_capacity, genotype->count + 1) ||
        !RESERVE(genotype->values, genotype->values_capacity, *total + slot->length)) {
        return 0;
    }
    gene = &genotype->genes[genotype->count++];
    gene->rule = rule;
    gene->part = part;
    gene->start = *total;
    gene->length = slot->length;
    memcpy(genotype->values + *total, slot->values, (size_t)slot->length * sizeof(int32_t));
    *total += slot->length;
    return 1;
}

static int32_t last_part(const Slots *slots, int32_t rule) {
    if (PROBABILISTIC) {
        return 0;
    }
    if (BY_DEPTH) {
        return depths[rule].count;
    }
    return rule == grammar.features ? slots->count - grammar.rules : 0;
}

/* Store the slots as a genotype, into which none of them may point. */
static int store_genotype(Genotype *genotype, const Slots *slots) {
    int32_t rule, part, total = 0;
    genotype->count = 0;
    for (rule = 0; rule < grammar.rules + MORE_GENES; rule++) {
        for (part = 0; part <= last_part(slots, rule); part++) {
            const Slot *slot = &slots->items[find_slot(rule, part)];
            if (!store_gene(genotype, slot, rule, part, &total)) {
                return 0;
            }
        }
    }
    return 1;
}

static int compare_genes(const Gene *a, const Gene *b) {
    if (a->rule != b->rule) {
        return a->rule < b->rule ? -1 : 1;
    }
    return (a->part > b->part) - (a->part < b->part);
}

static int copy_genotype(Genotype *to, const Genotype *from) {
    size_t total = 0;
    if (from->count > 0) {
        const Gene *last = &from->genes[from->count - 1];
        total = (size_t)last->start + (size_t)last->length;
    }
    if (!RESERVE(to->genes, to->genes_capacity, from->count) ||
        !RESERVE(to->values, to->values_capacity, total)) {
        return 0;
    }
    to->count = from->count;
    if (total > 0) {
        memcpy(to->genes, from->genes, (size_t)from->count * sizeof *to->genes);
        memcpy(to->values, from->values, total * sizeof *to->values);
    }
    return 1;
}

static void free_genotype(Genotype *genotype) {
    free(genotype->genes);
    free(genotype->values);
}
#endif
