/* Outputs and targets to the number that evolution makes small: dsgec/fitness/objectives.py. */

/* `single` is the target of a lone output; `each` has a column for each class. */
typedef struct {
    const double *single, *each;
    const dsgec_engine_group *groups;
    int64_t group_count, classes;
    double spread; /* of a quantity, for R2 */
} Targets;

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

static void rows_add_distance(double *d, const double *a, const double *b, size_t n) {
    size_t i;
    EACH_ROW { d[i] = d[i] + dsgec_absolute(a[i] - b[i]); }
}

/* For each row, the distances of its outputs, summed from left to right. */
static void distances(double *errors, const double *const *outputs, int32_t count,
                      const Targets *targets, size_t rows, size_t row, size_t n) {
    int32_t k;
    rows_fill(errors, 0.0, n);
    for (k = 0; k < count; k++) {
        const double *wanted = count == 1 ? targets->single : targets->each + (size_t)k * rows;
        rows_add_distance(errors, outputs[k], wanted + row, n);
    }
}

/* -log of the probability of each row's class, which is kept away from 0 and 1. */
static void surprises(double *errors, const double *const *outputs, int32_t count,
                      const Targets *targets, size_t rows, size_t row, size_t n) {
    const double least = 2.220446049250313e-16, most = 1.0 - 2.220446049250313e-16;
    size_t i;
    int32_t k;
    rows_fill(errors, 0.0, n);
    for (k = 0; k < count; k++) {
        const double *wanted = count == 1 ? targets->single : targets->each + (size_t)k * rows;
        const double *output = outputs[k], *is_class = wanted + row;
        EACH_ROW {
            double other = count == 1 ? 1.0 - output[i] : errors[i];
            errors[i] = is_class[i] == 1.0 ? output[i] : other;
        }
    }
    EACH_ROW {
        double p = errors[i] < least ? least : errors[i];
        errors[i] = -dsgec_log(p > most ? most : p);
    }
}

/* 1 for each row that is given another class than its own. */
static void mistakes(double *errors, const double *const *outputs, int32_t count,
                     const Targets *targets, size_t rows, size_t row, size_t n) {
    size_t i;
    int32_t k;
    for (i = 0; i < n; i++) {
        double best = outputs[0][i];
        if (count == 1) {
            errors[i] = (best >= 0.5) != (targets->single[row + i] == 1.0) ? 1.0 : 0.0;
            continue;
        }
        errors[i] = 1.0 - targets->each[row + i];
        for (k = 1; k < count; k++) {
            if (outputs[k][i] > best) {
                best = outputs[k][i];
                errors[i] = 1.0 - targets->each[(size_t)k * rows + row + i];
            }
        }
    }
}

static void row_errors(double *errors, const double *const *outputs, int32_t count,
                       const Targets *targets, size_t rows, size_t row, size_t n) {
    switch ((int)OBJECTIVE) {
    case MAE: distances(errors, outputs, count, targets, rows, row, n); break;
    case LOG_LOSS: surprises(errors, outputs, count, targets, rows, row, n); break;
    case ACCURACY: mistakes(errors, outputs, count, targets, rows, row, n); break;
    default: squared_errors(errors, outputs, count, targets, rows, row, n); break;
    }
}

/* The lanes are added in turn. */
static double add_lanes(const double *lanes) {
    double total = 0.0;
    int lane;
    for (lane = 0; lane < LANES; lane++) {
        total += lanes[lane];
    }
    return total;
}

/* The squared distances of a quantity from its mean, summed. */
static double measure_spread(const Targets *targets) {
    double lanes[LANES] = {0.0}, squares[LANES], mean;
    size_t count = (size_t)targets->groups[0].count, row, i, n;
    add_to_lanes(lanes, targets->single, count);
    mean = add_lanes(lanes) / (double)count;
    memset(lanes, 0, sizeof lanes);
    for (row = 0; row < count; row += n) {
        n = count - row < LANES ? count - row : LANES;
        for (i = 0; i < n; i++) {
            squares[i] = (targets->single[row + i] - mean) * (targets->single[row + i] - mean);
        }
        add_to_lanes(lanes, squares, n);
    }
    return add_lanes(lanes);
}

/* Sums in progress: the group that the next row belongs to. */
typedef struct {
    int64_t group;
    double lanes[LANES], product;
} Sums;

static void end_group(Sums *sums, const Targets *targets, int32_t outputs) {
    int64_t count = targets->groups[sums->group].count;
    double total = add_lanes(sums->lanes), mean = total / (double)(count * outputs);
    switch ((int)OBJECTIVE) {
    case EXP_RMSE: sums->product *= dsgec_exp(dsgec_sqrt(mean)); break;
    case RMSE: sums->product = dsgec_sqrt(mean); break;
    case MSE:
    case MAE: sums->product = mean; break;
    case R2: sums->product = total / targets->spread; break;
    default: sums->product = total / (double)count; break;
    }
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

static Outcome measure(Scoring *s, const Table *table, const Targets *targets, double *fitness) {
    double errors[BLOCK];
    int32_t outputs = s->tape.output_count;
    int no_classes = OBJECTIVE == EXP_RMSE && targets->classes == 0;
    Sums sums;
    size_t row, n;
    memset(&sums, 0, sizeof sums);
    sums.product = 1.0;
    for (row = 0; row < table->rows; row += n) {
        n = table->rows - row < s->blocks.block ? table->rows - row : s->blocks.block;
        run_block(&s->blocks, table, &s->tape, row, n, s->outputs);
        if ((OBJECTIVE == LOG_LOSS || OBJECTIVE == ACCURACY || no_classes) &&
            !all_finite(s->outputs, outputs, n)) {
            return NOT_FINITE; /* here the sums would not tell */
        }
        if (no_classes) {
            continue; /* a product over nothing */
        }
        row_errors(errors, s->outputs, outputs, targets, table->rows, row, n);
        add_errors(&sums, targets, errors, row, n, outputs);
    }
    /* Otherwise an output that is not finite makes the fitness so, as every row is in a group. */
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
