/* Mini-batch Adam for networks with one shared hidden layer: dsgec/search/walk/descent.py. Sums over
 * sources are in the order of the sources, sums over rows in PARTIALS partial sums. */
#include "descent.h"
#include "arithmetic.h"

static const double MOMENTUM = 0.9, NEW_MOMENTUM = 0.1, SQUARE = 0.99, NEW_SQUARE = 0.01;
static const double LEAST_ROOT = 1e-8;

typedef double Block[BATCH];

/* A batch of the inputs; the values of each neuron before and after its function; its gradient. */
typedef struct {
    Block *inputs, *before, *after, *gradient;
} Blocks;

static int64_t count_neurons(const dsgec_walk_table *table, const dsgec_walk_network *net) {
    return net->hidden + table->outputs;
}

static Blocks blocks_of(const dsgec_walk_table *table, const dsgec_walk_network *net, double *at) {
    int64_t neurons = count_neurons(table, net);
    Block *block = (Block *)at;
    Block *own = block + net->inputs;
    Blocks found = {block, own, own + neurons, own + 2 * neurons};
    return found;
}

static const double *values_of(const dsgec_walk_network *net, const Blocks *b, int64_t source) {
    return source < net->inputs ? b->inputs[source] : b->after[source - net->inputs];
}

/* Copy a batch of the inputs to where they are aligned and close to each other. */
static void copy_inputs(
    const dsgec_walk_table *table, const dsgec_walk_network *net, const Blocks *b, int64_t row
) {
    int64_t i;
    int r;
    for (i = 0; i < net->inputs; i++) {
        const double *x = table->columns + net->used[i] * table->stride + row;
        for (r = 0; r < BATCH; r++) {
            b->inputs[i][r] = x[r];
        }
    }
}

static void activate(int64_t activation, const double *x, double *y) {
    int r;
    switch (activation) {
    case CLIP:
        for (r = 0; r < BATCH; r++) {
            y[r] = dsgec_clip(x[r]);
        }
        break;
    case RELU:
        for (r = 0; r < BATCH; r++) {
            y[r] = dsgec_relu(x[r]);
        }
        break;
    case SIG:
        for (r = 0; r < BATCH; r++) {
            y[r] = dsgec_sig(x[r]);
        }
        break;
    default:
        for (r = 0; r < BATCH; r++) {
            y[r] = dsgec_tanh(x[r]);
        }
    }
}

/* The nearest level of a kind; the lower one of two that are equally near. */
static double nearest_level(const dsgec_walk_network *net, int kind, double value) {
    int32_t low = net->first_level[kind], high = net->first_level[kind + 1] - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (net->middles[middle] < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return net->levels[low];
}

/* Give each value the nearest level, if there are levels. */
static void settle(const dsgec_walk_table *table, const dsgec_walk_network *net) {
    int64_t k, c;
    for (k = 0; net->has_levels && k < count_neurons(table, net); k++) {
        int kind = k < net->hidden ? 0 : 2;
        for (c = net->first[k]; c < net->first[k + 1]; c++) {
            net->seen[c] = nearest_level(net, kind, net->values[c]);
        }
        c = net->connections + k;
        net->seen[c] = nearest_level(net, kind + 1, net->values[c]);
    }
}

/* Round values that are not negative to multiples of the unit. */
static void round_to_units(const dsgec_walk_network *net, double *y) {
    const double whole = 4503599627370496.0; /* 2^52, which has no digits after the point */
    int r;
    for (r = 0; r < BATCH; r++) {
        double scaled = y[r] * net->units + 0.5;
        double rounded = (scaled + whole) - whole;
        rounded = rounded > scaled ? rounded - 1.0 : rounded;
        rounded = rounded * net->unit;
        y[r] = rounded > net->top ? net->top : rounded;
    }
}

/* Multiply a gradient by the derivative of the function. */
static void differentiate(int64_t activation, const double *x, const double *y, double *gradient) {
    int r;
    switch (activation) {
    case CLIP:
        for (r = 0; r < BATCH; r++) {
            gradient[r] = gradient[r] * dsgec_clip_derivative(x[r], y[r]);
        }
        break;
    case RELU:
        for (r = 0; r < BATCH; r++) {
            gradient[r] = gradient[r] * dsgec_relu_derivative(x[r], y[r]);
        }
        break;
    case SIG:
        for (r = 0; r < BATCH; r++) {
            gradient[r] = gradient[r] * dsgec_sig_derivative(x[r], y[r]);
        }
        break;
    default:
        for (r = 0; r < BATCH; r++) {
            gradient[r] = gradient[r] * dsgec_tanh_derivative(x[r], y[r]);
        }
    }
}

static void add_sources(const dsgec_walk_network *net, const Blocks *b, int64_t neuron) {
    double *sum = b->before[neuron], bias = net->seen[net->connections + neuron];
    int64_t c;
    int r;
    for (r = 0; r < BATCH; r++) {
        sum[r] = bias;
    }
    for (c = net->first[neuron]; c < net->first[neuron + 1]; c++) {
        const double *x = values_of(net, b, net->sources[c]);
        double weight = net->seen[c];
        for (r = 0; r < BATCH; r++) {
            sum[r] = sum[r] + weight * x[r];
        }
    }
}

/* Compute the outputs of a batch of rows, as probabilities. */
static void forward(
    const dsgec_walk_table *table, const dsgec_walk_network *net, const Blocks *b, int64_t row
) {
    int64_t k, outputs = table->outputs;
    Block *z = b->before + net->hidden, *p = b->after + net->hidden;
    Block most, sum;
    int r;
    copy_inputs(table, net, b, row);
    for (k = 0; k < net->hidden; k++) {
        add_sources(net, b, k);
        activate(net->activation, b->before[k], b->after[k]);
        if (net->has_levels) {
            round_to_units(net, b->after[k]);
        }
    }
    for (k = 0; k < outputs; k++) {
        add_sources(net, b, net->hidden + k);
    }
    if (outputs == 1) {
        activate(SIG, z[0], p[0]);
        return;
    }
    for (r = 0; r < BATCH; r++) {
        most[r] = z[0][r];
        sum[r] = 0.0;
    }
    for (k = 1; k < outputs; k++) {
        for (r = 0; r < BATCH; r++) {
            most[r] = most[r] > z[k][r] ? most[r] : z[k][r];
        }
    }
    for (k = 0; k < outputs; k++) {
        for (r = 0; r < BATCH; r++) {
            p[k][r] = dsgec_exp_down(z[k][r] - most[r]);
            sum[r] = sum[r] + p[k][r];
        }
    }
    for (k = 0; k < outputs; k++) {
        for (r = 0; r < BATCH; r++) {
            p[k][r] = p[k][r] / sum[r];
        }
    }
}

static double add_lanes(const double *lanes) {
    double a = lanes[0] + lanes[4], b = lanes[1] + lanes[5];
    double c = lanes[2] + lanes[6], d = lanes[3] + lanes[7];
    return (a + c) + (b + d);
}

static double sum_products(const double *a, const double *b) {
    double lanes[PARTIALS] = {0.0};
    int r, l;
    for (r = 0; r < BATCH; r += PARTIALS) {
        for (l = 0; l < PARTIALS; l++) {
            lanes[l] = lanes[l] + a[r + l] * b[r + l];
        }
    }
    return add_lanes(lanes);
}

static double sum_rows(const double *a) {
    double lanes[PARTIALS] = {0.0};
    int r, l;
    for (r = 0; r < BATCH; r += PARTIALS) {
        for (l = 0; l < PARTIALS; l++) {
            lanes[l] = lanes[l] + a[r + l];
        }
    }
    return add_lanes(lanes);
}

/* Compute the gradients of the rows by what goes into each neuron; rows from `count` on have none. */
static void backward(
    const dsgec_walk_table *table, const dsgec_walk_network *net, const Blocks *b, int64_t row,
    int64_t count
) {
    int64_t k, c, hidden = net->hidden;
    int r;
    for (k = 0; k < hidden; k++) {
        for (r = 0; r < BATCH; r++) {
            b->gradient[k][r] = 0.0;
        }
    }
    for (k = 0; k < table->outputs; k++) {
        const double *wanted = table->targets + k * table->stride + row;
        const double *by = table->row_weights + row;
        double *own = b->gradient[hidden + k];
        for (r = 0; r < BATCH; r++) {
            own[r] = (b->after[hidden + k][r] - wanted[r]) * by[r];
        }
        for (r = (int)count; r < BATCH; r++) {
            own[r] = 0.0;
        }
        for (c = net->first[hidden + k]; c < net->first[hidden + k + 1]; c++) {
            if (net->sources[c] >= net->inputs) {
                double *below = b->gradient[net->sources[c] - net->inputs];
                double weight = net->seen[c];
                for (r = 0; r < BATCH; r++) {
                    below[r] = below[r] + own[r] * weight;
                }
            }
        }
    }
    for (k = 0; k < hidden; k++) {
        differentiate(net->activation, b->before[k], b->after[k], b->gradient[k]);
    }
}

static void sum_gradients(
    const dsgec_walk_table *table, const dsgec_walk_network *net, const Blocks *b
) {
    int64_t k, c, neurons = count_neurons(table, net);
    double share = 1.0 / BATCH;
    for (k = 0; k < neurons; k++) {
        for (c = net->first[k]; c < net->first[k + 1]; c++) {
            const double *x = values_of(net, b, net->sources[c]);
            net->gradient[c] = sum_products(b->gradient[k], x) * share;
        }
        net->gradient[net->connections + k] = sum_rows(b->gradient[k]) * share;
    }
}

static void update(
    const dsgec_walk_network *net, int64_t count, double rate, double first_power,
    double second_power
) {
    double step = rate / (1.0 - first_power), scale = 1.0 / (1.0 - second_power);
    double decay = 2.0 * net->penalty;
    double *value = net->values, *momentum = net->momentum, *square = net->square;
    const double *gradient = net->gradient, *least = net->least, *most = net->most;
    int64_t p;
    for (p = 0; p < count; p++) {
        double own = gradient[p] + decay * value[p], moved;
        momentum[p] = MOMENTUM * momentum[p] + NEW_MOMENTUM * own;
        square[p] = SQUARE * square[p] + NEW_SQUARE * (own * own);
        moved = value[p] - step * momentum[p] / (dsgec_sqrt(square[p] * scale) + LEAST_ROOT);
        moved = moved < least[p] ? least[p] : moved;
        value[p] = moved > most[p] ? most[p] : moved;
    }
}

void dsgec_walk_descend(
    const dsgec_walk_table *table, const dsgec_walk_network *net, const double *rates, int64_t count,
    int64_t steps, double *powers, double *scratch
) {
    Blocks b = blocks_of(table, net, scratch);
    int64_t t, parameters = net->connections + count_neurons(table, net);
    const dsgec_environment found = dsgec_enter();
    for (t = 0; t < count; t++) {
        int64_t row = (steps + t) * BATCH_STRIDE % table->rows;
        settle(table, net);
        forward(table, net, &b, row);
        backward(table, net, &b, row, BATCH);
        sum_gradients(table, net, &b);
        powers[0] = powers[0] * MOMENTUM;
        powers[1] = powers[1] * SQUARE;
        update(net, parameters, rates[t], powers[0], powers[1]);
    }
    dsgec_leave(found);
}

/* Add the losses of a batch's first rows to partial sums. */
static void add_losses(
    const dsgec_walk_table *table, const dsgec_walk_network *net, const Blocks *b, int64_t row,
    int64_t count, double *lanes
) {
    int64_t k, r;
    for (r = 0; r < count; r++) {
        double chance = 0.0;
        if (table->outputs == 1) {
            double p = b->after[net->hidden][r];
            chance = table->targets[row + r] > 0.5 ? p : 1.0 - p;
        }
        for (k = 0; k < table->outputs && table->outputs > 1; k++) {
            if (table->targets[k * table->stride + row + r] > 0.5) {
                chance = b->after[net->hidden + k][r];
            }
        }
        chance = chance < 1e-300 ? 1e-300 : chance;
        lanes[r % PARTIALS] = lanes[r % PARTIALS] - dsgec_log(chance) * table->row_weights[row + r];
    }
}

static void add_absent(
    const dsgec_walk_table *table, const dsgec_walk_network *net, const Blocks *b, double *absent
) {
    int64_t k, s, sources = table->inputs + net->hidden;
    for (k = 0; k < count_neurons(table, net); k++) {
        int has_neurons = k >= net->hidden && net->hidden > 0;
        int64_t end = has_neurons ? sources : table->inputs;
        for (s = has_neurons ? table->inputs : 0; s < end; s++) {
            double *sum = absent + k * sources + s;
            *sum = *sum + sum_products(b->gradient[k], values_of(net, b, s));
        }
    }
}

double dsgec_walk_survey(
    const dsgec_walk_table *table, const dsgec_walk_network *net, double *sums, double *absent,
    double *scratch
) {
    Blocks b = blocks_of(table, net, scratch);
    double lanes[PARTIALS] = {0.0}, total;
    int64_t row, k, r;
    const dsgec_environment found = dsgec_enter();
    settle(table, net);
    for (row = 0; row < table->surveyed; row += BATCH) {
        int64_t count = table->surveyed - row < BATCH ? table->surveyed - row : BATCH;
        forward(table, net, &b, row);
        add_losses(table, net, &b, row, count, lanes);
        if (absent) {
            backward(table, net, &b, row, count);
            add_absent(table, net, &b, absent);
        }
        for (k = 0; k < net->hidden; k++) {
            for (r = count; r < BATCH; r++) {
                b.after[k][r] = 0.0;
            }
            sums[k] = sums[k] + sum_rows(b.after[k]);
            sums[net->hidden + k] = sums[net->hidden + k] + sum_products(b.after[k], b.after[k]);
        }
    }
    total = add_lanes(lanes) / (double)table->surveyed;
    dsgec_leave(found);
    return total;
}
