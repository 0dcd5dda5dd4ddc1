/* Growth and crossover: dsgec/genome/dsge.py; its mutation is in choices.c. */

static int32_t count_common(const Genotype *mother, const Genotype *father) {
    int32_t m = 0, f = 0, common = 0;
    while (m < mother->count && f < father->count) {
        int order = compare_genes(&mother->genes[m], &father->genes[f]);
        common += order == 0;
        m += order <= 0;
        f += order >= 0;
    }
    return common;
}

/* The number of the first of the common genes that are exchanged. */
typedef int32_t Exchange;
static const Exchange NOTHING_EXCHANGED = INT32_MAX;

static Exchange crossover(const Genotype *mother, const Genotype *father, Stream *random) {
    int32_t common = count_common(mother, father);
    return common < 2 ? common : 1 + below(random, common - 1);
}

/* Load the genes of `own` but, from the common one number `exchanged` on, those of `other`. */
static int load_child(Slots *slots, const Genotype *own, const Genotype *other, Exchange exchanged) {
    int32_t o = 0, i, common = 0;
    clear_slots(slots);
    for (i = 0; i < own->count; i++) {
        const Gene *gene = &own->genes[i];
        int order = -1;
        while (o < other->count && (order = compare_genes(gene, &other->genes[o])) > 0) {
            o++;
        }
        if (o < other->count && order == 0 && common++ >= exchanged) {
            if (!load_gene(slots, other, &other->genes[o])) {
                return 0;
            }
        } else if (!load_gene(slots, own, gene)) {
            return 0;
        }
    }
    return 1;
}

/* The slots of a new individual: empty, so the mapping draws everything. */
static int grow(Mapping *map, Stream *random) {
    (void)random;
    clear_slots(&map->slots);
    return OK;
}

static int is_gene(uint64_t rule, uint64_t part) {
    return rule < RULES && (part == 0 || (int64_t)rule == FEATURES) && part <= INT32_MAX / STRIDE;
}

/* Whether a genotype has all that the mapping takes for granted: it mends what is not as it should
 * be. */
static int is_whole(const Mapping *map, const Genotype *genotype) {
    (void)map;
    (void)genotype;
    return 1;
}
