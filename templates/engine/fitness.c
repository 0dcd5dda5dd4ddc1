/* Compute the fitness of a network by the functions of its objective, which are printed from
 * dsgec/search/objectives.py: row_errors and group_fitness and, if LEARNING, learned_errors,
 * learned_fitness, row_gradients and group_factor. Its constants are 1 or 0:
 * CHECKS_OUTPUTS: the errors could be finite although an output is not;
 * BY_CLASS: the rows of each class are summed on their own, and the fitness is the product;
 * LOGISTIC: the gradients by the arguments of a softmax or sigmoid are the outputs minus the targets;
 * SURROGATE: weights are learned by another objective. */
#ifndef DSGEC_FITNESS_C
#define DSGEC_FITNESS_C
#include "clock.h"
#include "linear.c"
#include "objective.h"

/* The sums so far, and the group of the next row. */
typedef struct {
    int64_t group;
    double lanes[LANES], fitness;
} Sums;

static void end_group(Sums *sums, const Targets *targets, int32_t outputs) {
    double rows = (double)targets->groups[sums->group].count;
    sums->fitness *= group_fitness(add_lanes(sums->lanes), rows, rows * outputs, targets->spread);
    memset(sums->lanes, 0, sizeof sums->lanes);
    sums->group++;
}

static void add_errors(Sums *sums, const Targets *targets, const double *errors, size_t row,
                       size_t n, int32_t outputs) {
    size_t at = row, end = row + n;
    while (at < end && sums->group < targets->group_count) {
        const dsgec_engine_group *group = &targets->groups[sums->group];
        size_t last = (size_t)(group->start + group->count);
        size_t whole = (last + LANES - 1) / LANES * LANES;
        size_t stop = last < end ? last : end;
        if (stop > at) {
            add_to_lanes(sums->lanes, errors + (at - row), stop - at);
        }
        at = whole < end ? whole : end;
        if (whole <= end) {
            end_group(sums, targets, outputs);
        }
    }
}

static int all_finite(const double *const *outputs, int32_t count, size_t n) {
    int32_t k;
    size_t i;
    for (k = 0; k < count; k++) {
        for (i = 0; i < n; i++) {
            if (!(outputs[k][i] - outputs[k][i] == 0.0)) {
                return 0;
            }
        }
    }
    return 1;
}

static Outcome measure(Scorer *s, const Table *table, const Targets *targets, double *fitness) {
    double errors[BLOCK];
    int32_t outputs = s->tape.output_count;
    int no_classes = BY_CLASS && targets->classes == 0;
    Outcome outcome = fit_line(s, table, targets);
    size_t row = first_row(targets), end = end_row(targets), n;
    Sums sums;
    if (outcome != SCORED) {
        return outcome;
    }
    memset(&sums, 0, sizeof sums);
    sums.fitness = 1.0;
    for (; row < end; row += n) {
        n = end - row < s->blocks.block ? end - row : s->blocks.block;
        run_judged(s, table, targets, row, n, 0);
        if ((CHECKS_OUTPUTS || no_classes) &&
            !all_finite(s->outputs, outputs, n)) {
            return NOT_FINITE; /* the sums would not show it */
        }
        if (no_classes) {
            continue; /* an empty product */
        }
        row_errors(errors, s->outputs, find_wanted(s, table, targets, row), outputs, n);
        weigh(errors, targets, row, n);
        add_errors(&sums, targets, errors, row, n, outputs);
    }
    /* Otherwise an output that is not finite makes the fitness not finite, as every row is in a
     * group. */
    *fitness = sums.fitness;
    return *fitness - *fitness == 0.0 ? SCORED : NOT_FINITE;
}

/* Parse a phenotype and assemble its tape. */
static Outcome prepare(Scorer *s, const Table *table, const Targets *targets, const char *text,
                       size_t length) {
    int parsed;
    s->parser.inputs = (int32_t)table->features;
    parsed = parse(&s->parser, text, length);
    if (parsed == PARSE_NO_MEMORY) {
        return SCORE_NO_MEMORY;
    }
    if (parsed == NO_NETWORK || !fits(targets, s->parser.output_count)) {
        return REFUSED;
    }
    open_cache(&s->blocks.cache, table->rows);
    if (!assemble(&s->tape, &s->parser) || !have_blocks(&s->blocks, count_registers(&s->tape)) ||
        !RESERVE(s->outputs, s->outputs_capacity, 2 * s->tape.output_count)) {
        return SCORE_NO_MEMORY;
    }
    s->tape.is_logical = is_logical(&s->tape, table, &s->blocks.bits) &&
                         have_blocks(&s->blocks, s->tape.output_count);
    return SCORED;
}

static Outcome score(Scorer *s, const Table *table, const Targets *targets, const char *text,
                     size_t length, double *fitness, int32_t *size) {
    Outcome outcome;
    TIMED(parsing, outcome = prepare(s, table, targets, text, length));
    *fitness = INFINITE;
    *size = 0;
    if (outcome == SCORED) {
        TIMED(evaluating, outcome = measure(s, table, targets, fitness));
    }
    if (outcome != SCORED) {
        *fitness = INFINITE;
        return outcome;
    }
    *size = count_connections(&s->parser);
    return outcome;
}
#endif
