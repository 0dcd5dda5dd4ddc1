/* The targets that networks are scored against. */
#ifndef DSGEC_ERRORS_C
#define DSGEC_ERRORS_C
#include "backward.c"
#include "run.c"

/* The targets. `single` is for a single output; `each` has a column for each class. Whatever is
 * summed over the rows is WEIGHED first. */
typedef struct {
    const double *single, *each, *row_weights;
    const dsgec_engine_group *groups;
    int64_t group_count, classes;
    double mean, spread; /* of a numeric target */
} Targets;

#if WEIGHTED
#define WEIGHED(value, targets, row) ((value) * (targets)->row_weights[row])
#else
#define WEIGHED(value, targets, row) (value)
#endif

/* The working memory of a thread that scores. */
typedef struct {
    Parser parser;
    Tape tape;
    Blocks blocks;
    const double **outputs; /* and behind them the targets of each */
    size_t outputs_capacity;
#if LINEAR
    double *column, slope; /* the fitted output of all rows, and the slope of the fit */
    size_t column_capacity;
#endif
#if LEARNING
    BackwardPass backward;
#endif
} Scorer;

typedef dsgec_engine_outcome Outcome;

static void free_scorer(Scorer *s) {
    free_parser(&s->parser);
    free_tape(&s->tape);
    free_blocks(&s->blocks);
    free(s->outputs);
#if LINEAR
    free(s->column);
#endif
#if LEARNING
    free_backward(&s->backward);
#endif
}

/* Return whether a network has as many outputs as the task needs. */
static int fits(const Targets *targets, int32_t outputs) {
    if (targets->classes == 2) {
        return outputs == 1 || outputs == 2;
    }
    return outputs == (targets->classes > 1 ? targets->classes : 1);
}

/* Return pointers to the targets of each output from `row` on; they are behind the outputs. */
static const double *const *find_wanted(const Scorer *s, const Table *table,
                                        const Targets *targets, size_t row) {
    int32_t count = s->tape.output_count, k;
    const double **wanted = s->outputs + count;
    wanted[0] = (count == 1 ? targets->single : targets->each) + row;
    for (k = 1; k < count; k++) {
        wanted[k] = targets->each + (size_t)k * table->rows + row;
    }
    return wanted;
}
#endif
