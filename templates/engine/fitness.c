/* Outputs and targets to the number that evolution makes small: dsgec/fitness/objectives.py. */

/* The rows of a class, or all: `count` from `start` on, then rows that only fill the last lanes. */
typedef struct {
    int64_t start, count;
} dsgec_engine_group;

/* `single` is the target of a lone output; `each` has a column for each class. */
typedef struct {
    const double *single, *each;
    const dsgec_engine_group *groups;
    int64_t group_count, classes;
} Targets;

/* What one thread scores with. */
typedef struct {
    Parser parser;
    Tape tape;
    Blocks blocks;
    const double **outputs;
    size_t outputs_capacity;
} Scoring;

typedef enum { SCORED, NOT_FINITE, REFUSED, SCORE_NO_MEMORY } Outcome;

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

static void rows_squared_error(double *d, const double *a, const double *b, size_t n) {
    size_t i;
    EACH_ROW {
        double difference = a[i] - b[i];
        d[i] = difference * difference;
    }
}

static void rows_add_squared_error(double *d, const double *a, const double *b, size_t n) {
    size_t i;
    EACH_ROW {
        double difference = a[i] - b[i];
        d[i] = d[i] + difference * difference;
    }
}

/* For each row, its squared errors summed over the outputs from left to right. */
static void squared_errors(double *errors, const double *const *outputs, int32_t count,
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

/* The lanes are added in turn; then the root of the mean. */
static double root_mean(const double *lanes, int64_t count) {
    double total = 0.0;
    int lane;
    for (lane = 0; lane < LANES; lane++) {
        total += lanes[lane];
    }
    return dsgec_sqrt(total / (double)count);
}

/* Sums in progress: the group that the next row belongs to. */
typedef struct {
    int64_t group;
    double lanes[LANES], product;
} Sums;

static void end_group(Sums *sums, const dsgec_engine_group *group, int32_t outputs) {
    double root = root_mean(sums->lanes, group->count * outputs);
    sums->product = BY_CLASS ? sums->product * dsgec_exp(root) : root;
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
            end_group(sums, group, outputs);
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

static Outcome measure(Scoring *s, const Table *table, const Targets *targets, double *fitness) {
    double errors[BLOCK];
    int32_t outputs = s->tape.output_count;
    Sums sums;
    size_t row, n;
    memset(&sums, 0, sizeof sums);
    sums.product = 1.0;
    for (row = 0; row < table->rows; row += n) {
        n = table->rows - row < s->blocks.block ? table->rows - row : s->blocks.block;
        run_block(&s->blocks, table, &s->tape, row, n, s->outputs);
        if (BY_CLASS && targets->classes == 0) {
            /* A product over no classes; but an output that is not finite is refused even so. */
            if (!all_finite(s->outputs, outputs, n)) {
                return NOT_FINITE;
            }
            continue;
        }
        squared_errors(errors, s->outputs, outputs, targets, table->rows, row, n);
        add_errors(&sums, targets, errors, row, n, outputs);
    }
    /* Every row is in a group: an output that is not finite makes the fitness so. */
    *fitness = sums.product;
    return *fitness - *fitness == 0.0 ? SCORED : NOT_FINITE;
}

/* Parse a phenotype and assemble its tape. */
static Outcome prepare(Scoring *s, const Table *table, const Targets *targets, const char *text,
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
    open_store(&s->blocks.store, table->rows);
    if (!assemble(&s->tape, &s->parser) || !have_blocks(&s->blocks, count_registers(&s->tape)) ||
        !RESERVE(s->outputs, s->outputs_capacity, s->tape.output_count)) {
        return SCORE_NO_MEMORY;
    }
    return SCORED;
}

static Outcome score(Scoring *s, const Table *table, const Targets *targets, const char *text,
                     size_t length, double *fitness) {
    Outcome outcome;
    TIMED(TIME_PARSING, outcome = prepare(s, table, targets, text, length));
    *fitness = INFINITE;
    if (outcome == SCORED) {
        TIMED(TIME_EVALUATING, outcome = measure(s, table, targets, fitness));
    }
    if (outcome != SCORED) {
        *fitness = INFINITE;
    }
    return outcome;
}
