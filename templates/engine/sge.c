/* Growth and crossover: dsgec/grammar/genome/sge.py; its mutation is in choices.c. */
#include "choices.c"

/* Draw every integer of every gene of a new individual that is not planned. */
static int grow(Mapper *map, Stream *random) {
    int32_t g, i;
    if (!have_slots(&map->slots, grammar.depths)) {
        return NO_MEMORY;
    }
    clear_slots(&map->slots);
    for (i = 0; i < map->plan.length; i++) {
        const PlannedNode *node = &map->plan.planned[i];
        Slot *slot = &map->slots.items[find_slot(node->rule, node->depth)];
        if (node->choice != OPEN && !put_value(slot, slot->length, node->choice)) {
            return NO_MEMORY;
        }
    }
    for (g = 0; g < grammar.unrolled; g++) {
        const UnrolledSymbol *gene = &unrolled[g];
        const Room *room = &rooms[gene->room];
        Slot *slot = &map->slots.items[find_slot(gene->rule, gene->depth)];
        slot->length = slot->length < gene->size ? slot->length : gene->size;
        for (i = slot->length; i < gene->size; i++) {
            if (!put_value(slot, i, options[room->first_option + below(random, room->options)])) {
                return NO_MEMORY;
            }
        }
    }
    return OK;
}

/* Which genes are exchanged: one draw from `mask` for each. */
typedef struct {
    int crossed;
    Stream mask;
} Exchange;
static const Exchange NOTHING_EXCHANGED = {0, {0}};

static Exchange crossover(const Genotype *mother, const Genotype *father, Stream *random) {
    Exchange exchange = {1, *random};
    int32_t g;
    (void)mother;
    (void)father;
    for (g = 0; g < grammar.unrolled; g++) {
        (void)below(random, 2);
    }
    return exchange;
}

/* Load each gene from `own` or, where genes are exchanged, from `other`. */
static int load_child(Slots *slots, const Genotype *own, const Genotype *other,
                      Exchange exchange) {
    int32_t i;
    if (!have_slots(slots, grammar.depths)) {
        return 0;
    }
    clear_slots(slots);
    for (i = 0; i < own->count; i++) {
        const Genotype *from = exchange.crossed && below(&exchange.mask, 2) ? other : own;
        if (!load_gene(slots, from, &from->genes[i])) {
            return 0;
        }
    }
    return 1;
}

static int is_gene(uint64_t rule, uint64_t part) {
    return rule < (uint64_t)grammar.rules && part <= (uint64_t)depths[rule].count;
}

/* Return whether a genotype has all genes, with valid integers. */
static int is_complete(const Mapper *map, const Genotype *genotype) {
    int32_t g, i;
    (void)map;
    if (genotype->count != grammar.unrolled) {
        return 0;
    }
    for (g = 0; g < grammar.unrolled; g++) {
        const Gene *gene = &genotype->genes[g];
        const Rule *rule = &rules[unrolled[g].rule];
        if (gene->rule != unrolled[g].rule || gene->part != unrolled[g].depth ||
            gene->length != unrolled[g].size) {
            return 0;
        }
        for (i = 0; i < gene->length; i++) {
            int32_t choice = genotype->values[gene->start + i];
            if (choice >= rule->productions ||
                opens[rule->first_production + choice] > unrolled[g].room - rule->first_room) {
                return 0;
            }
        }
    }
    return 1;
}
