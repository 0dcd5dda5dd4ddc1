/* Crossover: dsgec/grammar/genome/dsge.py; mutation is in choices.c. */
#include "choices.c"
#include "lists.c"

/* The index of the first common gene that is exchanged. */
typedef int32_t Exchange;
static const Exchange NOTHING_EXCHANGED = INT32_MAX;

#if !TREES
static Exchange crossover(const Genotype *mother, const Genotype *father, Stream *random) {
    int32_t common = count_common(mother, father);
    return common < 2 ? common : 1 + below(random, common - 1);
}
#endif

/* Load the genes of `own`, and those of `other` from the common gene with index `exchanged` on. */
static int load_child(Slots *slots, const Genotype *own, const Genotype *other,
                      Exchange exchanged) {
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
