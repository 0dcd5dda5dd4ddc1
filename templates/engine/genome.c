/* Genotypes as they are kept, and as slots while they are mapped: dsgec/genome/dsge.py. */

/* The integers of one rule or, for <features> inside a layer, of that layer. */
typedef struct {
    int32_t rule, layer, start, length;
} Gene;

/* Genes in the order of (rule, layer). */
typedef struct {
    Gene *genes;
    int32_t *values;
    size_t genes_capacity, values_capacity;
    int32_t count;
} Genotype;

/* A gene that is being read. `values` are a parent's until they must be changed. */
typedef struct {
    const int32_t *values;
    int32_t *own;
    size_t capacity;
    int32_t length, read;
} Slot;

/* One slot a rule, then one for <features> in each layer. */
typedef struct {
    Slot *items;
    size_t capacity;
    int32_t count;
} Slots;

/* Make slots for `layers` layers. */
static int have_slots(Slots *slots, int32_t layers) {
    size_t wanted = (size_t)RULES + (size_t)layers;
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

/* Put `value` at `index`, which is in the gene or just behind it. */
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
    int32_t number = gene->layer ? RULES + gene->layer - 1 : gene->rule;
    Slot *slot;
    if (!have_slots(slots, gene->layer)) {
        return 0;
    }
    slot = &slots->items[number];
    slot->values = genotype->values + gene->start;
    slot->length = gene->length;
    return 1;
}

static int store_gene(Genotype *genotype, const Slot *slot, int32_t rule, int32_t layer,
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
    gene->layer = layer;
    gene->start = *total;
    gene->length = slot->length;
    memcpy(genotype->values + *total, slot->values, (size_t)slot->length * sizeof(int32_t));
    *total += slot->length;
    return 1;
}

/* The slots as a genotype, which none of them may point into. */
static int store_genotype(Genotype *genotype, const Slots *slots) {
    int32_t rule, layer, total = 0;
    genotype->count = 0;
    for (rule = 0; rule < RULES; rule++) {
        if (!store_gene(genotype, &slots->items[rule], rule, 0, &total)) {
            return 0;
        }
        if (rule == FEATURES) {
            for (layer = 1; layer <= slots->count - RULES; layer++) {
                const Slot *slot = &slots->items[RULES + layer - 1];
                if (!store_gene(genotype, slot, rule, layer, &total)) {
                    return 0;
                }
            }
        }
    }
    return 1;
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
