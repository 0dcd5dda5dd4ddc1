/* Score an individual, with gradient steps: dsgec/search/learner.py. */
#ifndef DSGEC_STEPS_C
#define DSGEC_STEPS_C
#include "cost.c"
#include "learn.c"

#if LEARNING
static double value_at(int32_t rule, int32_t rank) {
    return numeral_values[numeral_lists[rule].first + rank];
}

static int have_steps(Steps *steps, const Individual *child) {
    int32_t count = child->weight_count, i;
    if (!RESERVE(steps->weights, steps->weights_capacity, count + 1) ||
        !RESERVE(steps->values, steps->values_capacity, count + 1) ||
        !RESERVE(steps->gradient, steps->gradient_capacity, count + 1) ||
        !RESERVE(steps->moved, steps->moved_capacity, count + 1) ||
        !RESERVE(steps->ranks, steps->ranks_capacity, count + 1)) {
        return 0;
    }
    for (i = 0; i < count; i++) {
        const Weight *weight = &child->weights[i];
        steps->weights[i].offset = weight->offset;
        steps->weights[i].length = weight->length;
        steps->weights[i].least = value_at(weight->rule, 0);
        steps->weights[i].most = value_at(weight->rule, numeral_lists[weight->rule].count - 1);
        steps->values[i] = value_at(weight->rule, weight->rank);
    }
    return 1;
}

/* Compute the fitness with these values and, unless it is NULL, the gradient. */
static Outcome assess(const dsgec_engine *e, Scorer *s, Individual *child, const double *values,
                      double *fitness, double *gradient) {
    Outcome outcome;
    child->evaluations++;
    TIMED(evaluating, outcome = learn(s, &e->table, e->current, e->settings.penalty, values,
                                      fitness, gradient));
    if (SURROGATE && outcome == SCORED) { /* the learned loss is not the objective */
        double squares = 0.0;
        int32_t i;
        for (i = 0; i < child->weight_count; i++) {
            squares += values[i] * values[i];
        }
        outcome = measure(s, &e->table, e->current, fitness);
        *fitness = *fitness + e->settings.penalty * squares;
    }
    *fitness = *fitness + e->settings.parsimony * (double)child->size;
    return outcome;
}

/* Update the rates by one more gradient, and compute the moves of the weights. Signs of gradients
 * are hard to predict, so all cases are computed for every weight. */
static void advance(Rate *rates, const double *gradient, double *moves, int32_t count) {
    int32_t i;
    for (i = 0; i < count; i++) {
        double step = rates[i].step, agreement = gradient[i] * rates[i].gradient;
        double faster = step * FASTER < LARGEST_STEP ? step * FASTER : LARGEST_STEP;
        double slower = step * SLOWER > LEAST_STEP ? step * SLOWER : LEAST_STEP;
        double g = agreement < 0.0 ? 0.0 : gradient[i]; /* the weight does not move */
        step = agreement > 0.0 ? faster : step;
        step = agreement < 0.0 ? slower : step;
        rates[i].step = step;
        rates[i].gradient = g;
        moves[i] = g > 0.0 ? -step : 0.0;
        moves[i] = g < 0.0 ? step : moves[i];
    }
}

/* Reduce the rate after a step that did not help. */
static void shrink_step(Rate *rate) {
    rate->step = rate->step * SLOWER > LEAST_STEP ? rate->step * SLOWER : LEAST_STEP;
    rate->gradient = 0.0;
}

/* Move the weights by their rates; return whether any of them gets another numeral. */
static int move_weights(Steps *steps, Individual *child) {
    int32_t i;
    int any = 0;
    advance(child->rates.items, steps->gradient, steps->moved, child->weight_count);
    for (i = 0; i < child->weight_count; i++) {
        int32_t rule = child->weights[i].rule;
        steps->ranks[i] = child->weights[i].rank;
        if (steps->moved[i] != 0.0) {
            steps->ranks[i] = nearest(rule, steps->values[i] + steps->moved[i]);
        }
        steps->moved[i] = value_at(rule, steps->ranks[i]);
        any |= steps->ranks[i] != child->weights[i].rank;
    }
    return any;
}

static void accept_move(Steps *steps, Individual *child) {
    int32_t i;
    for (i = 0; i < child->weight_count; i++) {
        child->weights[i].rank = steps->ranks[i];
        steps->values[i] = steps->moved[i];
    }
}

static void reject_move(const Steps *steps, Individual *child) {
    int32_t i;
    for (i = 0; i < child->weight_count; i++) {
        if (steps->ranks[i] != child->weights[i].rank) {
            shrink_step(&child->rates.items[i]);
        }
    }
}

/* Take steps of all weights at once, as long as they help; return whether any did. */
static int take_steps(const dsgec_engine *e, Scorer *s, Steps *steps, Individual *child,
                      int64_t left) {
    int any = 0;
    for (; left > 0; left--) {
        double fitness;
        if (!move_weights(steps, child)) {
            break;
        }
        if (assess(e, s, child, steps->moved, &fitness, left > 1 ? steps->gradient : NULL) !=
                SCORED ||
            !(fitness < child->fitness)) {
            reject_move(steps, child);
            break;
        }
        accept_move(steps, child);
        child->fitness = fitness;
        any = 1;
    }
    return any;
}

static int begin_rates(Rates *rates, int32_t count) {
    int32_t i;
    if (rates->count == count) {
        return 1;
    }
    if (!RESERVE(rates->items, rates->capacity, count)) {
        return 0;
    }
    for (i = 0; i < count; i++) {
        rates->items[i].step = FIRST_STEP;
        rates->items[i].gradient = 0.0;
    }
    rates->count = count;
    return 1;
}

static void write_weight(Genotype *genotype, const Weight *weight) {
    int32_t rule = BY_CODON ? 0 : weight->rule, i = 0;
    while (genotype->genes[i].rule != rule || genotype->genes[i].part != 0) {
        i++;
    }
    genotype->values[genotype->genes[i].start + weight->index] = weight->rank;
}

/* Write the learned weights into the phenotype and the genotype. */
static int write_weights(Steps *steps, Individual *child) {
    Buffer *to = &steps->text, from = child->phenotype;
    size_t at = 0, room = from.length + (size_t)child->weight_count * (HEAD + 1) + HEAD + 1;
    int32_t i;
    if (!RESERVE(to->data, to->capacity, room)) {
        return 0;
    }
    to->length = 0;
    for (i = 0; i < child->weight_count; i++) {
        Weight *weight = &child->weights[i];
        int32_t first = rules[weight->rule].first_production;
        const Production *numeral = &productions[first + weight->rank];
        size_t before = (size_t)weight->offset - at;
        memcpy(to->data + to->length, from.data + at, before);
        to->length += before;
        at = (size_t)weight->offset + (size_t)weight->length;
        weight->offset = (int32_t)to->length;
        weight->length = numeral->head_length;
        memcpy(to->data + to->length, numeral->head, (size_t)numeral->head_length);
        to->length += (size_t)numeral->head_length;
        write_weight(&child->genotype, weight);
    }
    memcpy(to->data + to->length, from.data + at, from.length - at);
    to->length += from.length - at;
    child->phenotype = *to;
    *to = from;
    return 1;
}

/* Score an individual after at most so many steps of its weights. */
static void learn_individual(const dsgec_engine *e, Thread *own, Individual *child,
                             int64_t most_steps) {
    Scorer *s = &own->scorer;
    Steps *steps = &own->steps;
    int learns = most_steps > 0 && child->weight_count > 0 && child->learns;
    Outcome outcome = SCORE_NO_MEMORY;
    child->evaluations = child->size = 0;
    child->cost = 0;
    child->fitness = INFINITE;
    if (have_steps(steps, child)) {
        TIMED(parsing, outcome = prepare_weights(s, &e->table, &e->targets, child->phenotype.data,
                                                 child->phenotype.length, steps->weights,
                                                 steps->values, child->weight_count));
    }
    if (outcome == SCORED) {
        child->size = count_connections(&s->parser);
        outcome = assess(e, s, child, steps->values, &child->fitness,
                         learns ? steps->gradient : NULL);
    }
    if (outcome != SCORED) {
        child->fitness = INFINITE;
        child->size = 0;
        child->rates.count = 0;
    } else if (learns) {
        if (!begin_rates(&child->rates, child->weight_count) ||
            (take_steps(e, s, steps, child, most_steps) && !write_weights(steps, child))) {
            outcome = SCORE_NO_MEMORY;
        }
    }
    if (outcome == SCORED) {
        outcome = find_cost(e, own, child->phenotype.data, child->phenotype.length, child->size,
                            &child->cost);
    }
    child->outcome = (int32_t)outcome;
    child->invalid = outcome != SCORED;
}

/* The elite is scored on other rows than before, without steps. */
static void score_individual(void *owner, int64_t task, int thread) {
    dsgec_engine *e = owner;
    int64_t number = e->fresh[task];
    learn_individual(e, &e->threads[thread], &e->offspring[number],
                     number < first_child(e) ? 0 : e->settings.steps);
}
#else

static void score_individual(void *owner, int64_t task, int thread) {
    dsgec_engine *e = owner;
    Thread *own = &e->threads[thread];
    Individual *child = &e->offspring[e->fresh[task]];
    Outcome outcome = score(&own->scorer, &e->table, &e->targets, child->phenotype.data,
                            child->phenotype.length, &child->fitness, &child->size);
    child->evaluations = outcome != REFUSED;
    child->cost = 0;
    if (outcome == SCORED) {
        outcome = find_cost(e, own, child->phenotype.data, child->phenotype.length, child->size,
                            &child->cost);
    }
    child->outcome = (int32_t)outcome;
}
#endif
#endif
