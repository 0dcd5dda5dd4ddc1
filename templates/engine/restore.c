/* Restore a population and the scores from bytes, and exchange individuals between engines:
 * dsgec/search/state.py. The bytes are not trusted: they either restore a complete state or are
 * refused. */
#ifndef DSGEC_RESTORE_C
#define DSGEC_RESTORE_C
#include "cost.c"
#include "state.c"

typedef struct {
    const char *data;
    size_t at, length;
    int failed;
} Bytes;

static uint64_t get_word(Bytes *reader, size_t bytes) {
    uint64_t word;
    if (reader->failed || reader->length - reader->at < bytes) {
        reader->failed = 1;
        return 0;
    }
    word = read_word(reader->data + reader->at, bytes);
    reader->at += bytes;
    return word;
}

static int get_gene(Bytes *reader, Genotype *genotype, int32_t *total) {
    uint64_t rule = get_word(reader, 4), part = get_word(reader, 4), length = get_word(reader, 4);
    Gene *gene, *before;
    uint64_t k;
    if (reader->failed || !is_gene(rule, part) || length == 0 ||
        length > (reader->length - reader->at) / 4 || length > (uint64_t)(INT32_MAX - *total)) {
        return BAD_STATE;
    }
    if (!RESERVE(genotype->genes, genotype->genes_capacity, genotype->count + 1) ||
        !RESERVE(genotype->values, genotype->values_capacity, (size_t)*total + length)) {
        return NO_MEMORY;
    }
    gene = &genotype->genes[genotype->count];
    before = genotype->count > 0 ? gene - 1 : NULL;
    gene->rule = (int32_t)rule;
    gene->part = (int32_t)part;
    gene->start = *total;
    gene->length = (int32_t)length;
    if (before != NULL && compare_genes(before, gene) >= 0) {
        return BAD_STATE;
    }
    for (k = 0; k < length; k++) {
        uint64_t value = get_word(reader, 4);
        if (value > INT32_MAX) {
            return BAD_STATE;
        }
        genotype->values[(*total)++] = (int32_t)value;
    }
    genotype->count++;
    return OK;
}

static int same_genotype(const Genotype *a, const Genotype *b) {
    const Gene *last;
    size_t total;
    if (a->count != b->count) {
        return 0;
    }
    if (a->count == 0) {
        return 1;
    }
    last = &a->genes[a->count - 1];
    total = (size_t)last->start + (size_t)last->length;
    return memcmp(a->genes, b->genes, (size_t)a->count * sizeof *a->genes) == 0 &&
           memcmp(a->values, b->values, total * sizeof *a->values) == 0;
}

/* Read a genotype into `spare`, then map it; one that needs repair was never saved. */
static int get_individual(dsgec_engine *e, Bytes *reader, Individual *individual,
                          Genotype *spare) {
    Mapper *map = &e->threads[0].mapping;
    Stream random = stream(0, 0, 0);
    uint64_t genes = get_word(reader, 4);
    int32_t total = 0;
    int error = OK;
    spare->count = 0;
    for (; error == OK && genes > 0; genes--) {
        error = get_gene(reader, spare, &total);
    }
    if (error != OK || reader->failed || !is_complete(map, spare)) {
        return error != OK ? error : BAD_STATE;
    }
    if (!load_child(&map->slots, spare, spare, NOTHING_EXCHANGED)) {
        return NO_MEMORY;
    }
    individual->rates.count = 0;
    map_slots(e, map, individual, &random);
    clear_slots(&map->slots);
    if (individual->error != OK) {
        return individual->error;
    }
    return same_genotype(spare, &individual->genotype) ? OK : BAD_STATE;
}

static const uint64_t LARGEST_COST = UINT64_C(1) << 53; /* up to which it is exact as a double */

static int is_finite(double number) {
    return number - number == 0.0;
}

/* Read what `put_size` wrote; without minimising, the cost is the size. */
static uint64_t get_size(Bytes *reader, uint64_t *cost) {
    uint64_t size = get_word(reader, 4);
    *cost = MINIMISES && !EXTERNAL ? get_word(reader, 8) : size;
    return size;
}

/* Return whether a score is possible, which is all that can be checked. */
static int is_score(uint64_t outcome, double fitness, uint64_t size, uint64_t cost) {
    if (outcome == SCORED) {
        return is_finite(fitness) && size <= INT32_MAX && cost <= LARGEST_COST;
    }
    return outcome <= REFUSED && fitness == INFINITE && size == 0 && cost == 0;
}

static int get_learned(Bytes *reader, Individual *individual) {
    uint64_t outcome = get_word(reader, 1), bits = get_word(reader, 8), cost;
    uint64_t size = get_size(reader, &cost), count = get_word(reader, 4), i;
    individual->fitness = dsgec_from_bits(bits);
    individual->rates.count = 0;
    if (reader->failed || (individual->fault && outcome != REFUSED) ||
        !is_score(outcome, individual->fitness, size, cost) ||
        (count != 0 && count != (uint64_t)individual->weight_count)) {
        return BAD_STATE;
    }
    individual->outcome = (int32_t)outcome;
    individual->invalid = outcome != SCORED;
    individual->size = (int32_t)size;
    individual->cost = (int64_t)cost;
    if (!RESERVE(individual->rates.items, individual->rates.capacity, count)) {
        return NO_MEMORY;
    }
    for (i = 0; i < count; i++) {
        Rate *rate = &individual->rates.items[i];
        rate->step = dsgec_from_bits(get_word(reader, 8));
        rate->gradient = dsgec_from_bits(get_word(reader, 8));
        if (reader->failed || !(rate->step > 0.0) || !is_finite(rate->step) ||
            !is_finite(rate->gradient)) {
            return BAD_STATE;
        }
    }
    individual->rates.count = (int32_t)count;
    return OK;
}

/* Read what `put_values` wrote; all values are finite. */
static int get_values(Bytes *reader, Scores *scores, int64_t entry) {
    size_t i;
    if (!have_values(scores)) {
        return NO_MEMORY;
    }
    for (i = 0; i < scores->width; i++) {
        double value = dsgec_from_bits(get_word(reader, 8));
        if (reader->failed || !is_finite(value)) {
            return BAD_STATE;
        }
        values_of(scores, entry)[i] = value;
    }
    return OK;
}

static int get_scores(dsgec_engine *e, Bytes *reader, uint64_t count) {
    for (; count > 0; count--) {
        Hash hash;
        uint64_t bits, outcome, size, cost;
        int64_t number;
        double fitness;
        hash.low = get_word(reader, 8);
        hash.high = get_word(reader, 8);
        bits = get_word(reader, 8);
        outcome = get_word(reader, 1);
        size = get_size(reader, &cost);
        fitness = dsgec_from_bits(bits);
        if (reader->failed || !is_score(outcome, fitness, size, cost) ||
            find_entry(&e->scores, &hash) >= 0) {
            return BAD_STATE;
        }
        number = add_entry(&e->scores, &hash);
        if (number < 0) {
            return NO_MEMORY;
        }
        e->scores.entries[number].fitness = fitness;
        e->scores.entries[number].outcome = (int32_t)outcome;
        e->scores.entries[number].size = (int32_t)size;
        e->scores.entries[number].cost = (int64_t)cost;
        if (EXTERNAL) {
            int error = outcome == SCORED ? get_values(reader, &e->scores, number)
                                          : have_values(&e->scores) ? OK : NO_MEMORY;
            if (error != OK) {
                return error;
            }
        }
    }
    return OK;
}

/* Restore a champion, which must be a network for the task and belong to its slot. */
static int restore_champion(dsgec_engine *e, int slot, double fitness, const char *text,
                         size_t length) {
    Thread *own = &e->threads[0];
    Champion *champion;
    int32_t size = 0;
    int64_t cost = 0;
    Outcome outcome = prepare(&own->scorer, &e->table, &e->targets, text, length);
    if (outcome == SCORED) {
        size = count_connections(&own->scorer.parser);
        outcome = find_cost(e, own, text, length, size, &cost);
    }
    if (outcome == SCORE_NO_MEMORY) {
        return NO_MEMORY;
    }
    champion = outcome == SCORED ? find_champion(&e->hall, fitness, size, cost) : NULL;
    if (champion == NULL || champion != &e->hall.slots[slot] ||
        (MINIMISES && e->hall.count != slot + 1)) {
        return BAD_STATE;
    }
    return set_champion(champion, fitness, size, cost, text, length) ? OK : NO_MEMORY;
}

/* Read a champion saved by its genotype; its phenotype has so many bytes. */
static int get_learned_champion(dsgec_engine *e, Bytes *reader, int slot, size_t length,
                                double fitness) {
    Individual made;
    Genotype spare;
    int error;
    memset(&made, 0, sizeof made);
    memset(&spare, 0, sizeof spare);
    error = get_individual(e, reader, &made, &spare);
    if (error == OK && (made.fault || made.phenotype.length != length)) {
        error = BAD_STATE;
    }
    error = error == OK ? restore_champion(e, slot, fitness, made.phenotype.data, length) : error;
    if (error == OK && !copy_genotype(&e->hall.slots[slot].genotype, &made.genotype)) {
        error = NO_MEMORY;
    }
    free_individual(&made);
    free_genotype(&spare);
    return error;
}

static int get_champion(dsgec_engine *e, Bytes *reader, int slot) {
    size_t length = (size_t)get_word(reader, 4);
    const char *text;
    double fitness;
    if (length == 0) {
        return reader->failed ? BAD_STATE : OK;
    }
    fitness = dsgec_from_bits(get_word(reader, 8));
    if (reader->failed || !is_finite(fitness)) {
        return BAD_STATE;
    }
    if (LEARNING) {
        return get_learned_champion(e, reader, slot, length, fitness);
    }
    if (length > reader->length - reader->at) {
        return BAD_STATE;
    }
    text = reader->data + reader->at;
    reader->at += length;
    return restore_champion(e, slot, fitness, text, length);
}

static int get_hall(dsgec_engine *e, Bytes *reader) {
    int slot, error = OK;
    for (slot = 0; !EXTERNAL && error == OK && slot <= LARGEST_CHAMPION; slot++) {
        error = get_champion(e, reader, slot);
    }
    if (error != OK) {
        return error;
    }
    return reader->at == reader->length ? OK : BAD_STATE;
}

static int set_scores(dsgec_engine *e) {
    int64_t i;
    for (i = 0; i < e->settings.population; i++) {
        Individual *individual = &e->population[i];
        individual->fitness = INFINITE;
        individual->size = 0;
        individual->cost = 0;
        individual->outcome = REFUSED;
        individual->invalid = 1;
        if (individual->fault) {
            continue;
        }
        individual->entry = find_entry(&e->scores, &individual->hash);
        if (individual->entry < 0) {
            return BAD_STATE;
        }
        recall_score(individual, &e->scores.entries[individual->entry]);
        individual->invalid = individual->outcome != SCORED;
    }
    return OK;
}

/* Restore the state of an engine that has not started. */
static int restore_state(dsgec_engine *e, const char *data, size_t length) {
    Bytes reader = {data, sizeof MAGIC, length, 0};
    Genotype spare;
    uint64_t generation, evaluations, reused, population, scores;
    int64_t i;
    int error = OK;
    if (length < sizeof MAGIC || memcmp(data, MAGIC, sizeof MAGIC) != 0) {
        return BAD_STATE;
    }
    generation = get_word(&reader, 8);
    evaluations = get_word(&reader, 8);
    reused = get_word(&reader, 8);
    population = get_word(&reader, 8);
    scores = get_word(&reader, 8);
    e->scores.width = EXTERNAL ? (size_t)get_word(&reader, 8) : 0;
    if (reader.failed || e->scores.width > reader.length / 8 ||
        population != (uint64_t)e->settings.population ||
        (LEARNING && scores != 0) || /* it remembers none */
        generation > INT64_MAX / 2 || evaluations > INT64_MAX / 2 || reused > INT64_MAX / 2) {
        return BAD_STATE;
    }
    memset(&spare, 0, sizeof spare);
    for (i = 0; error == OK && generation > 0 && i < e->settings.population; i++) {
        error = get_individual(e, &reader, &e->population[i], &spare);
        if (LEARNING && error == OK) {
            error = get_learned(&reader, &e->population[i]);
        }
    }
    free_genotype(&spare);
    error = error == OK ? get_scores(e, &reader, scores) : error;
    error = error == OK ? get_hall(e, &reader) : error;
    error = error == OK && generation > 0 && !LEARNING ? set_scores(e) : error;
    e->generation = (int64_t)generation;
    e->evaluations = (int64_t)evaluations;
    e->reused = (int64_t)reused;
    return error;
}

/* Write a valid individual for another engine of the run, which has another seed. */
static int write_migrant(dsgec_engine *e, Individual *individual) {
    Buffer *text = &e->saved;
    text->length = 0;
    if (!have_genotype(individual) || !put_genotype(text, &individual->genotype)) {
        return NO_MEMORY;
    }
    if (LEARNING) {
        return put_learned(text, individual) ? OK : NO_MEMORY;
    }
    return put_word(text, dsgec_bits(individual->fitness), 8) &&
                   put_size(text, individual->size, individual->cost) &&
                   put_values(text, &e->scores, individual->entry)
               ? OK
               : NO_MEMORY;
}

/* Replace an individual by one that was written so; its score is remembered. */
static int read_migrant(dsgec_engine *e, Individual *individual, const char *data, size_t length) {
    Bytes reader = {data, 0, length, 0};
    Genotype spare;
    uint64_t size, cost;
    double fitness;
    int error;
    memset(&spare, 0, sizeof spare);
    error = get_individual(e, &reader, individual, &spare);
    free_genotype(&spare);
    if (error != OK) {
        return error;
    }
    if (LEARNING) {
        error = get_learned(&reader, individual);
        return error != OK || (reader.at == length && !individual->invalid) ? error : BAD_STATE;
    }
    fitness = dsgec_from_bits(get_word(&reader, 8));
    size = get_size(&reader, &cost);
    if (reader.failed || reader.at + 8 * e->scores.width != length || individual->fault ||
        !is_score(SCORED, fitness, size, cost)) {
        return BAD_STATE;
    }
    individual->entry = find_entry(&e->scores, &individual->hash);
    if (individual->entry < 0) {
        individual->entry = add_entry(&e->scores, &individual->hash);
        if (individual->entry < 0) {
            return NO_MEMORY;
        }
        e->scores.entries[individual->entry].fitness = fitness;
        e->scores.entries[individual->entry].outcome = SCORED;
        e->scores.entries[individual->entry].size = (int32_t)size;
        e->scores.entries[individual->entry].cost = (int64_t)cost;
        error = EXTERNAL ? get_values(&reader, &e->scores, individual->entry) : OK;
        if (error != OK) {
            return error;
        }
    }
    recall_score(individual, &e->scores.entries[individual->entry]);
    individual->invalid = individual->outcome != SCORED;
    return OK;
}
#endif
