/* Save a population and the scores as bytes, between two generations: dsgec/search/state.py. Only
 * genotypes and scores are saved; phenotypes are derived from the genotypes again. */
#ifndef DSGEC_STATE_C
#define DSGEC_STATE_C
#include "individual.c"

#if EXTERNAL
static const char MAGIC[] = "dsgec-anyfit-1\n";
#elif LEARNING
static const char MAGIC[] = "dsgec-learns-1\n";
#else
static const char MAGIC[] = "dsgec-engine-2\n";
#endif

static int put_word(Buffer *text, uint64_t word, size_t bytes) {
    size_t i;
    if (!RESERVE(text->data, text->capacity, text->length + bytes)) {
        return 0;
    }
    for (i = 0; i < bytes; i++) {
        text->data[text->length++] = (char)(unsigned char)(word >> 8 * i & 0xff);
    }
    return 1;
}

static int put_genotype(Buffer *text, const Genotype *genotype) {
    int32_t i, k;
    if (!put_word(text, (uint64_t)genotype->count, 4)) {
        return 0;
    }
    for (i = 0; i < genotype->count; i++) {
        const Gene *gene = &genotype->genes[i];
        if (!put_word(text, (uint64_t)gene->rule, 4) || !put_word(text, (uint64_t)gene->part, 4) ||
            !put_word(text, (uint64_t)gene->length, 4)) {
            return 0;
        }
        for (k = 0; k < gene->length; k++) {
            if (!put_word(text, (uint64_t)genotype->values[gene->start + k], 4)) {
                return 0;
            }
        }
    }
    return 1;
}

/* Write the size, and the cost if it is minimised. */
static int put_size(Buffer *text, int32_t size, int64_t cost) {
    return put_word(text, (uint64_t)size, 4) &&
           (!MINIMISES || EXTERNAL || put_word(text, (uint64_t)cost, 8));
}

/* Write the score and the rates of an individual that learns, which do not follow from its
 * phenotype. */
static int put_learned(Buffer *text, const Individual *individual) {
    int32_t i;
    int written = put_word(text, (uint64_t)individual->outcome, 1) &&
                  put_word(text, dsgec_bits(individual->fitness), 8) &&
                  put_size(text, individual->size, individual->cost) &&
                  put_word(text, (uint64_t)individual->rates.count, 4);
    for (i = 0; written && i < individual->rates.count; i++) {
        written = put_word(text, dsgec_bits(individual->rates.items[i].step), 8) &&
                  put_word(text, dsgec_bits(individual->rates.items[i].gradient), 8);
    }
    return written;
}

/* Write the cases or objectives of a phenotype that was scored by the caller. */
static int put_values(Buffer *text, const Scores *scores, int64_t entry) {
    size_t i;
    int written = 1;
    for (i = 0; EXTERNAL && written && i < scores->width; i++) {
        written = put_word(text, dsgec_bits(values_of(scores, entry)[i]), 8);
    }
    return written;
}

static int put_hall(Buffer *text, const Hall *hall) {
    int slot;
    for (slot = 0; slot <= LARGEST_CHAMPION; slot++) {
        const Champion *champion = &hall->slots[slot];
        size_t length = champion->phenotype.length;
        if (!put_word(text, length, 4)) {
            return 0;
        }
        if (length == 0) {
            continue;
        }
        if (!put_word(text, dsgec_bits(champion->fitness), 8)) {
            return 0;
        }
        if (LEARNING) {
            if (!put_genotype(text, &champion->genotype)) {
                return 0;
            }
            continue;
        }
        if (!RESERVE(text->data, text->capacity, text->length + length)) {
            return 0;
        }
        memcpy(text->data + text->length, champion->phenotype.data, length);
        text->length += length;
    }
    return 1;
}

/* Write the state to `saved`. */
static int save_state(dsgec_engine *e) {
    Buffer *text = &e->saved;
    int64_t i;
    size_t n;
    int written;
    text->length = 0;
    if (!RESERVE(text->data, text->capacity, sizeof MAGIC)) {
        return NO_MEMORY;
    }
    memcpy(text->data, MAGIC, sizeof MAGIC);
    text->length = sizeof MAGIC;
    written = put_word(text, (uint64_t)e->generation, 8) &&
              put_word(text, (uint64_t)e->evaluations, 8) &&
              put_word(text, (uint64_t)e->reused, 8) &&
              put_word(text, (uint64_t)e->settings.population, 8) &&
              put_word(text, (uint64_t)e->scores.count, 8) &&
              (!EXTERNAL || put_word(text, (uint64_t)e->scores.width, 8));
    for (i = 0; written && e->generation > 0 && i < e->settings.population; i++) {
        written = have_genotype(&e->population[i]) &&
                  put_genotype(text, &e->population[i].genotype) &&
                  (!LEARNING || put_learned(text, &e->population[i]));
    }
    for (n = 0; written && n < e->scores.count; n++) {
        const Entry *entry = &e->scores.entries[n];
        written = put_word(text, entry->hash.low, 8) && put_word(text, entry->hash.high, 8) &&
                  put_word(text, dsgec_bits(entry->fitness), 8) &&
                  put_word(text, (uint64_t)entry->outcome, 1) &&
                  put_size(text, entry->size, entry->cost) &&
                  (entry->outcome != SCORED || put_values(text, &e->scores, (int64_t)n));
    }
    return written && (EXTERNAL || put_hall(text, &e->hall)) ? OK : NO_MEMORY;
}
#endif
