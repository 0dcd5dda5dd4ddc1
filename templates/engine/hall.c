/* The hall of fame: the best phenotype for each number of connections or, if a cost is minimised,
 * the Pareto front of fitness and cost, by cost: dsgec/search/individual.py. */
#ifndef DSGEC_HALL_C
#define DSGEC_HALL_C
#include "genome.c"

typedef struct {
    double fitness;
    int64_t size, cost;
    Buffer phenotype; /* empty if the slot is free */
    Genotype genotype; /* in an engine that learns */
} Champion;

typedef struct {
    Champion slots[LARGEST_CHAMPION + 1];
    int32_t count; /* entries of a front */
} Hall;

static void free_hall(Hall *hall) {
    int slot;
    for (slot = 0; slot <= LARGEST_CHAMPION; slot++) {
        free(hall->slots[slot].phenotype.data);
        free_genotype(&hall->slots[slot].genotype);
    }
}

static int set_champion(Champion *champion, double fitness, int64_t size, int64_t cost,
                        const char *text, size_t length) {
    if (!RESERVE(champion->phenotype.data, champion->phenotype.capacity, length)) {
        return 0;
    }
    memcpy(champion->phenotype.data, text, length);
    champion->phenotype.length = length;
    champion->fitness = fitness;
    champion->size = size;
    champion->cost = cost;
    return 1;
}

static void swap_champions(Champion *a, Champion *b) {
    Champion swapped = *a;
    *a = *b;
    *b = swapped;
}

/* Return the slot on the front for a phenotype, after removing those that it dominates; NULL if it
 * is dominated. */
static Champion *find_on_front(Hall *hall, double fitness, int64_t cost) {
    Champion *slots = hall->slots;
    int32_t at = 0, end, k;
    while (at < hall->count && slots[at].cost < cost) {
        at++;
    }
    if ((at > 0 && slots[at - 1].fitness <= fitness) ||
        (at < hall->count && slots[at].cost == cost && slots[at].fitness <= fitness)) {
        return NULL;
    }
    for (end = at; end < hall->count && slots[end].fitness >= fitness; end++) {
    }
    if (end == at) {
        if (hall->count > LARGEST_CHAMPION) {
            return NULL;
        }
        for (k = hall->count++; k > at; k--) {
            swap_champions(&slots[k], &slots[k - 1]);
        }
        return &slots[at];
    }
    for (k = end; k < hall->count; k++) {
        swap_champions(&slots[at + 1 + k - end], &slots[k]);
    }
    for (k = hall->count - (end - at - 1); k < hall->count; k++) {
        slots[k].phenotype.length = 0;
    }
    hall->count -= end - at - 1;
    return &slots[at];
}

/* Return the slot for a phenotype that was scored; NULL if it does not belong into the hall. */
static Champion *find_champion(Hall *hall, double fitness, int32_t size, int64_t cost) {
    Champion *champion;
    if (size > LARGEST_CHAMPION) {
        return NULL;
    }
    if (MINIMISES) {
        return find_on_front(hall, fitness, cost);
    }
    champion = &hall->slots[size];
    return champion->phenotype.length > 0 && champion->fitness <= fitness ? NULL : champion;
}

static int64_t list_champions(const Hall *hall, dsgec_engine_champion *champions) {
    int64_t slot, count = 0;
    for (slot = 0; slot <= LARGEST_CHAMPION; slot++) {
        const Champion *champion = &hall->slots[slot];
        if (champion->phenotype.length > 0) {
            champions[count].phenotype = champion->phenotype.data;
            champions[count].phenotype_length = (int64_t)champion->phenotype.length;
            champions[count].size = champion->size;
            champions[count].cost = champion->cost;
            champions[count].genes = champion->genotype.genes;
            champions[count].values = champion->genotype.values;
            champions[count].gene_count = champion->genotype.count;
            champions[count++].fitness = champion->fitness;
        }
    }
    return count;
}
#endif
