/* Select parents: dsgec/search/selection.py. */
#ifndef DSGEC_SELECTION_C
#define DSGEC_SELECTION_C
#include "individual.c"

/* Return whether individual `i` is better than `j`; if there are several objectives, the population
 * is sorted. */
static inline int precedes(const dsgec_engine *e, int64_t i, int64_t j) {
    return MINIMISES ? i < j : is_better(e->population, i, j);
}

static int64_t tournament(const dsgec_engine *e, Thread *own, Stream *random) {
    int64_t best = below(random, (int32_t)e->settings.population), i;
    (void)own;
    for (i = 1; i < e->settings.tournament; i++) {
        int64_t other = below(random, (int32_t)e->settings.population);
        if (precedes(e, other, best)) {
            best = other;
        }
    }
    return best;
}

/* Return the value of an individual in a case, which is a row if networks are scored. */
static double value_of(const dsgec_engine *e, int32_t number, int32_t at) {
    if (EXTERNAL) {
        return values_of(&e->scores, e->population[number].entry)[at];
    }
    return e->cases.values[(size_t)number * (size_t)e->cases.case_count + (size_t)at];
}

/* Take cases in random order; each keeps only the best of those that are left, and those that are
 * at most its epsilon worse. */
static int64_t filter_by_cases(const dsgec_engine *e, Thread *own, Stream *random,
                               const double *epsilons) {
    const Cases *known = &e->cases;
    int32_t *pool = own->choosing.pool, *cases = own->choosing.cases;
    int32_t count = known->valid_count, left = known->case_count, i, kept;
    if (count == 0) {
        return below(random, (int32_t)e->settings.population);
    }
    memcpy(pool, known->valid, (size_t)count * sizeof *pool);
    memcpy(cases, known->cases, (size_t)left * sizeof *cases);
    for (; left > 0 && count > 1; left--) {
        int32_t drawn = below(random, left), at = cases[drawn];
        double limit = value_of(e, pool[0], at);
        cases[drawn] = cases[left - 1];
        for (i = 1; i < count; i++) {
            double value = value_of(e, pool[i], at);
            limit = value < limit ? value : limit;
        }
        limit = epsilons != NULL ? limit + epsilons[at] : limit;
        for (i = 0, kept = 0; i < count; i++) {
            if (value_of(e, pool[i], at) <= limit) {
                pool[kept++] = pool[i];
            }
        }
        count = kept;
    }
    return pool[below(random, count)];
}

static int64_t lexicase(const dsgec_engine *e, Thread *own, Stream *random) {
    return filter_by_cases(e, own, random, NULL);
}

static int64_t epsilon_lexicase(const dsgec_engine *e, Thread *own, Stream *random) {
    return filter_by_cases(e, own, random, e->cases.epsilons);
}

/* The methods, in the order of the reference: each returns the number of a parent. */
static int64_t (*const SELECTIONS[])(const dsgec_engine *e, Thread *own, Stream *random) = {
    tournament,
    lexicase,
    epsilon_lexicase,
};
enum {
    SELECTION_COUNT = sizeof SELECTIONS / sizeof *SELECTIONS,
    FIRST_BY_CASES = SELECTION_COUNT - 2, /* the last two need cases */
    BY_EPSILON
};

/* Return a parent; NULL if an operator of the caller has failed. */
static const Individual *select_parent(const dsgec_engine *e, Thread *own, Stream *random) {
    if (EXTERNAL && e->settings.select != NULL) {
        int64_t number = e->settings.select(&random->state);
        return number >= 0 && number < e->settings.population ? &e->population[number] : NULL;
    }
    return &e->population[SELECTIONS[e->settings.selection](e, own, random)];
}

/* Sort by Shell's method, since not every C library has a `qsort`. */
static void sort_doubles(double *values, int32_t count) {
    int32_t gap, i, k;
    for (gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (i = gap; i < count; i++) {
            double moved = values[i];
            for (k = i; k >= gap && values[k - gap] > moved; k -= gap) {
                values[k] = values[k - gap];
            }
            values[k] = moved;
        }
    }
}

static double median(double *values, int32_t count) {
    sort_doubles(values, count);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2.0;
}

/* Compute the epsilon of a case: the median absolute deviation of the valid individuals. */
static double deviation(const dsgec_engine *e, int32_t at) {
    const Cases *known = &e->cases;
    double middle;
    int32_t i;
    for (i = 0; i < known->valid_count; i++) {
        known->sorted[i] = value_of(e, known->valid[i], at);
    }
    middle = median(known->sorted, known->valid_count);
    for (i = 0; i < known->valid_count; i++) {
        double difference = value_of(e, known->valid[i], at) - middle;
        known->sorted[i] = difference < 0.0 ? -difference : difference;
    }
    return median(known->sorted, known->valid_count);
}

#define LARGEST_ERROR 1e300

/* Draw the cases of this generation. */
static void draw_cases(dsgec_engine *e, int32_t width) {
    Cases *known = &e->cases;
    Stream random = stream(e->settings.seed, (uint64_t)e->generation, UINT64_MAX);
    double wanted = e->settings.down_sample * (double)width + 0.5;
    int32_t i;
    for (i = 0; i < width; i++) {
        known->cases[i] = i;
    }
    known->case_count = wanted < 1.0 && width > 0 ? 1 : wanted < width ? (int32_t)wanted : width;
    for (i = 0; known->case_count < width && i < known->case_count; i++) {
        int32_t drawn = i + below(&random, width - i), moved = known->cases[drawn];
        known->cases[drawn] = known->cases[i];
        known->cases[i] = moved;
    }
}

/* Whether parents are selected by cases. */
static int selects_by_cases(const dsgec_engine *e) {
    return e->settings.selection >= FIRST_BY_CASES && e->generation > 0;
}

/* Return how many cases there are: values of the caller, or rows without padding. */
static size_t count_cases(const dsgec_engine *e) {
    size_t count = 0;
    int64_t i;
    for (i = 0; i < e->targets.group_count; i++) {
        count += (size_t)e->targets.groups[i].count;
    }
    return EXTERNAL ? e->scores.width : count;
}

/* Return the row that is the case with this number. */
static int64_t row_of(const dsgec_engine *e, int64_t number) {
    const dsgec_engine_group *group = e->targets.groups;
    for (; number >= group->count; group++) {
        number -= group->count;
    }
    return group->start + number;
}

/* Find the valid individuals and the cases of this generation. */
static int begin_selection(dsgec_engine *e) {
    Cases *known = &e->cases;
    size_t population = (size_t)e->settings.population, width = count_cases(e);
    int64_t i;
    if (!RESERVE(known->valid, known->valid_capacity, population) ||
        !RESERVE(known->sorted, known->sorted_capacity, population) ||
        !RESERVE(known->cases, known->cases_capacity, width + 1) ||
        !RESERVE(known->rows, known->rows_capacity, width + 1) ||
        !RESERVE(known->epsilons, known->epsilons_capacity, width + 1)) {
        return NO_MEMORY;
    }
    for (i = 0; i < e->settings.threads; i++) {
        Choosing *own = &e->threads[i].choosing;
        if (!RESERVE(own->pool, own->pool_capacity, population) ||
            !RESERVE(own->cases, own->cases_capacity, width + 1) ||
            !RESERVE(own->errors, own->errors_capacity, EXTERNAL ? 0 : e->table.rows)) {
            return NO_MEMORY;
        }
    }
    known->valid_count = 0;
    for (i = 0; i < e->settings.population; i++) {
        if (!e->population[i].invalid) {
            known->valid[known->valid_count++] = (int32_t)i;
        }
    }
    draw_cases(e, (int32_t)width);
    if (EXTERNAL) {
        return OK;
    }
    for (i = 0; i < known->case_count; i++) {
        known->rows[i] = row_of(e, known->cases[i]);
        known->cases[i] = (int32_t)i;
    }
    return RESERVE(known->values, known->values_capacity, population * (size_t)known->case_count)
               ? OK
               : NO_MEMORY;
}

/* Measure the errors of an individual in the rows of this generation: `case_values` of
 * dsgec/search/scoring.py. */
static void measure_cases(void *owner, int64_t task, int thread) {
    dsgec_engine *e = owner;
    Thread *own = &e->threads[thread];
    Scorer *s = &own->scorer;
    Individual *one = &e->population[task];
    double *errors = own->choosing.errors;
    double *values = e->cases.values + (size_t)task * (size_t)e->cases.case_count;
    size_t row, n;
    Outcome outcome;
    int32_t i;
    one->error = OK;
    if (EXTERNAL || one->invalid) {
        return;
    }
    outcome = prepare(s, &e->table, &e->targets, one->phenotype.data, one->phenotype.length);
    outcome = outcome == SCORED ? fit_line(s, &e->table, &e->targets) : outcome;
    if (outcome == SCORE_NO_MEMORY) {
        one->error = NO_MEMORY;
        return;
    }
    for (row = 0; outcome == SCORED && row < e->table.rows; row += n) {
        n = e->table.rows - row < s->blocks.block ? e->table.rows - row : s->blocks.block;
        run_judged(s, &e->table, &e->targets, row, n, 0);
        row_errors(errors + row, s->outputs, find_wanted(s, &e->table, &e->targets, row),
                   s->tape.output_count, n);
    }
    for (i = 0; i < e->cases.case_count; i++) {
        double error = outcome == SCORED ? errors[e->cases.rows[i]] : LARGEST_ERROR;
        values[i] = error <= LARGEST_ERROR ? error : LARGEST_ERROR;
    }
}

/* Prepare the selection of parents from a new population whose values are known. */
static int prepare_selection(dsgec_engine *e) {
    Cases *known = &e->cases;
    int64_t i;
    if (!selects_by_cases(e)) {
        return OK;
    }
    if (EXTERNAL && begin_selection(e) != OK) {
        return NO_MEMORY;
    }
    for (i = 0; e->settings.selection == BY_EPSILON && known->valid_count > 0 &&
                i < known->case_count; i++) {
        known->epsilons[known->cases[i]] = deviation(e, known->cases[i]);
    }
    return OK;
}
#endif
