/* The targets that networks are scored against, and errors that several objectives share. */
#ifndef DSGEC_ERRORS_C
#define DSGEC_ERRORS_C
#include "backward.c"
#include "run.c"

/* For functions that not every objective needs. */
#if defined(__GNUC__) && !defined(__TINYC__)
#define SHARED static inline __attribute__((unused))
#else
#define SHARED static inline
#endif

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

/* An objective is a file in objectives/ with the functions of its entry in
 * dsgec/search/objectives.py: row_errors and group_fitness and, if LEARNING, row_gradients and
 * group_factor. Its constants are 1 or 0:
 * CHECKS_OUTPUTS: the errors could be finite although an output is not;
 * BY_CLASS: the rows of each class are summed on their own, and the fitness is the product;
 * LOGISTIC: the gradients by the arguments of a softmax or sigmoid are the outputs minus the targets.
 * If weights are learned by another loss, it defines SURROGATE and LEARNED_ERRORS. */

/* The summed errors of the rows of a class, or of all rows. */
typedef struct {
    double total;
    int64_t count;
    int32_t outputs;
    const Targets *targets;
} GroupSum;

/* The working memory of a thread that scores. */
typedef struct {
    Parser parser;
    Tape tape;
    Blocks blocks;
    const double **outputs;
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

#define LEAST_PROBABILITY 2.220446049250313e-16
#define MOST_PROBABILITY (1.0 - LEAST_PROBABILITY)

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

SHARED void rows_squared_error(double *d, const double *a, const double *b, size_t n) {
    size_t i;
    EACH_ROW {
        double difference = a[i] - b[i];
        d[i] = difference * difference;
    }
}

SHARED void rows_add_squared_error(double *d, const double *a, const double *b, size_t n) {
    size_t i;
    EACH_ROW {
        double difference = a[i] - b[i];
        d[i] = d[i] + difference * difference;
    }
}

/* Sum the squared errors of each row over the outputs, from left to right. */
SHARED void squared_errors(double *errors, const double *const *outputs, int32_t count,
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

/* Compute -log of the probability of each row's class, which is clipped away from 0 and 1. */
SHARED void log_losses(double *errors, const double *const *outputs, int32_t count,
                              const Targets *targets, size_t rows, size_t row, size_t n) {
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
        double p = errors[i] < LEAST_PROBABILITY ? LEAST_PROBABILITY : errors[i];
        errors[i] = -dsgec_log(p > MOST_PROBABILITY ? MOST_PROBABILITY : p);
    }
}

/* Compute half the derivative of the squared error by its output. */
SHARED void difference_gradients(double *gradients, const double *output, const double *wanted,
                                    size_t n) {
    size_t i;
    EACH_ROW { gradients[i] = output[i] - wanted[i]; }
}
#if LEARNING

/* Compute the derivative of -log p by one of `count` outputs; 0 where p is clipped. */
SHARED void log_loss_gradients(double *gradients, const double *output, const double *wanted,
                                   int32_t count, size_t n) {
    size_t i;
    EACH_ROW {
        double p = count > 1 || wanted[i] == 1.0 ? output[i] : 1.0 - output[i];
        double derivative = dsgec_log_derivative(p, p), other = count > 1 ? 0.0 : derivative;
        int clipped = p < LEAST_PROBABILITY || p > MOST_PROBABILITY;
        gradients[i] = clipped ? 0.0 : wanted[i] == 1.0 ? -derivative : other;
    }
}
#endif
#endif
