/* What the descent of the walk exports. cffi reads it, without the lines that begin with `#`. */
#ifndef DSGEC_DESCENT_H
#define DSGEC_DESCENT_H
#include "platform.h"

/* BATCH: rows of a step; BATCH_STRIDE: how far the next step begins; PARTIALS: partial sums. */
enum { BATCH = 64, BATCH_STRIDE = 61, PARTIALS = 8 };

enum { CLIP, RELU, SIG, TANH };

/* `rows` rows, and after them BATCH more, with the first ones again; each column has `stride` rows.
 * A survey looks at the first `surveyed` ones.
 * With one output, `targets` has the probability of the second class; otherwise a column for each. */
typedef struct {
    int64_t inputs, outputs, rows, surveyed, stride;
    const double *columns, *targets, *row_weights;
} dsgec_walk_table;

/* The neuron k has the connections from first[k] to first[k + 1]; hidden neurons come before the
 * outputs. A source is the place of an input among the `inputs` ones that are `used` or, behind
 * these, a hidden neuron. `values` has the weights of the connections and then the biases of the
 * neurons, as have the moments of Adam, the limits and the gradient.
 * The network computes with `seen`, which is `values` unless it has levels: then it has the
 * nearest `levels` of the values. The levels of a kind of value begin at first_level[kind], in ascending
 * order, and each of them has the middle between it and the next one. Kinds are weights and biases of
 * hidden neurons, and weights and biases of outputs. Values of hidden neurons are then rounded to
 * multiples of `unit`, of which 1 has `units`, up to `top`. */
typedef struct {
    int64_t inputs, hidden, connections, activation, has_levels;
    const int32_t *used, *first, *sources;
    double *values, *momentum, *square, *gradient, *seen;
    const double *least, *most;
    double penalty;
    const double *levels, *middles;
    const int32_t *first_level;
    double units, unit, top;
} dsgec_walk_network;

/* Take a step of Adam for each of the rates. `steps` were taken before; `powers` has the powers of
 * both decays; the scratch has BATCH numbers for each used input and 3 BATCH for each neuron. */
void dsgec_walk_descend(
    const dsgec_walk_table *table, const dsgec_walk_network *net, const double *rates, int64_t count,
    int64_t steps, double *powers, double *scratch
);

/* Return the mean loss of the surveyed rows without the penalty. `sums` gets the sum of each hidden neuron's
 * values, and then of their squares. If `absent` is not null, it gets for each neuron the gradient
 * by the weight of every source that it may have, whether or not it is connected; all inputs are
 * used then. */
double dsgec_walk_survey(
    const dsgec_walk_table *table, const dsgec_walk_network *net, double *sums, double *absent,
    double *scratch
);
#endif
