/* What networks are scored against, and the errors that several objectives share. */

/* `single` is the target of a lone output; `each` has a column for each class. */
typedef struct {
    const double *single, *each;
    const dsgec_engine_group *groups;
    int64_t group_count, classes;
    double spread; /* of a numeric target, for R2 */
} Targets;

/* The errors of a class's rows, or of all, when they have been summed; `before` is the fitness of
 * the groups before, at first 1. */
typedef struct {
    double before, total;
    int64_t count;
    int32_t outputs;
    const Targets *targets;
} GroupSum;

/* What one thread scores with. */
typedef struct {
    Parser parser;
    Tape tape;
    Blocks blocks;
    const double **outputs;
    size_t outputs_capacity;
} Scoring;

typedef dsgec_engine_outcome Outcome;

static void free_scoring(Scoring *s) {
    free_parser(&s->parser);
    free_tape(&s->tape);
    free_blocks(&s->blocks);
    free(s->outputs);
}

/* Whether a network has as many outputs as the task needs. */
static int fits(const Targets *targets, int32_t outputs) {
    if (targets->classes == 2) {
        return outputs == 1 || outputs == 2;
    }
    return outputs == (targets->classes > 1 ? targets->classes : 1);
}

static inline void rows_squared_error(double *d, const double *a, const double *b, size_t n) {
    size_t i;
    EACH_ROW {
        double difference = a[i] - b[i];
        d[i] = difference * difference;
    }
}

static inline void rows_add_squared_error(double *d, const double *a, const double *b, size_t n) {
    size_t i;
    EACH_ROW {
        double difference = a[i] - b[i];
        d[i] = d[i] + difference * difference;
    }
}

/* For each row, its squared errors summed over the outputs from left to right. */
static inline void squared_errors(double *errors, const double *const *outputs, int32_t count,
                           const Targets *targets, size_t rows, size_t row, size_t n) {
    int32_t k;
    if (count == 1) {
        rows_squared_error(errors, outputs[0], targets->single + row, n);
        return;
    }
    rows_squared_error(errors, outputs[0], targets->each + row, n);
    for (k = 1; k < count; k++) {
        rows_add_squared_error(errors, outputs[k], targets->each + (size_t)k * rows + row, n);
    }
}
