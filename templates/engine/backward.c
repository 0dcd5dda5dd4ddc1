/* The backward pass: from the outputs of a tape to the gradients of its weights, as in
 * dsgec/search/gradient.py. A delta is the gradient of the operands of an instruction: of a sum,
 * before it is multiplied by their weights; a function has one for each operand. An instruction sums
 * the deltas of its readers, those later in the phenotype first, and then computes its own. */
#include "run.c"
#include "variant.h"
#if LEARNING && !defined(DSGEC_BACKWARD_C)
#define DSGEC_BACKWARD_C

/* An operand of an instruction, or an output, that another instruction computes. */
typedef struct {
    int32_t target;          /* the instruction that is read */
    int32_t reader, operand; /* the reader and its operand; or -1 and the output */
    uint64_t key;
} Reading;

/* The backward step of an instruction: its readings, the last of the phenotype first, its delta,
 * and its slot in `lanes` if it has weights. */
typedef struct {
    int32_t first, count, delta, slot;
    uint8_t active; /* depends on a weight */
    uint8_t direct; /* the output gradient is already that of the sigmoid's argument */
} Step;

/* Where a weight of the phenotype is on the tape: nowhere if `instruction` is -1. */
typedef struct {
    int32_t instruction, term; /* the term, or -1 for `value` */
    double sign;
} Site;

typedef struct {
    Step *steps;
    Reading *readings;
    int32_t *makers; /* the instruction of each register */
    Site *sites;
    const double **deltas; /* first the output gradients */
    double *lanes, *sums, *totals; /* of each slot; of each group and weight; of each group */
    double *values, *room;         /* of the weights of the phenotype; for tune.c */
    size_t steps_capacity, readings_capacity, makers_capacity, sites_capacity, deltas_capacity;
    size_t lanes_capacity, sums_capacity, totals_capacity, values_capacity, room_capacity;
    int32_t reading_count, delta_count, slot_count;
    int64_t count; /* number of weights */
} BackwardPass;

static void free_backward(BackwardPass *l) {
    free(l->steps);
    free(l->readings);
    free(l->makers);
    free(l->sites);
    free((void *)l->deltas);
    free(l->lanes);
    free(l->sums);
    free(l->totals);
    free(l->values);
    free(l->room);
}

static int is_active(const BackwardPass *l, int32_t operand) {
    return operand >= 0 && l->steps[l->makers[operand]].active;
}

static int32_t count_operands(const Instruction *in) {
    return in->operation == DOT ? in->terms : in->operands;
}

static int32_t operand_of(const Instruction *in, int32_t number) {
    if (in->operation == DOT) {
        return in->source[number];
    }
    return number == 0 ? in->a : number == 1 ? in->b : in->source[0];
}

static void add_reading(BackwardPass *l, int32_t operand, int32_t reader, int32_t number,
                        uint64_t key) {
    Reading *reading;
    if (is_active(l, operand)) {
        reading = &l->readings[l->reading_count++];
        reading->target = l->makers[operand];
        reading->reader = reader;
        reading->operand = number;
        reading->key = key;
    }
}

/* Store the site of a weight; return whether there is one. */
static int add_site(BackwardPass *l, int32_t instruction, int32_t term, int32_t link) {
    if (link != 0) {
        Site *site = &l->sites[(link < 0 ? -link : link) - 1];
        site->instruction = instruction;
        site->term = term;
        site->sign = link < 0 ? -1.0 : 1.0;
    }
    return link != 0;
}

/* Return the number of deltas: one for a sum or a constant, otherwise one for each operand. */
static int32_t count_deltas(const Instruction *in) {
    return in->operands > 1 ? in->operands : 1;
}

static void plan_step(BackwardPass *l, const Instruction *in, int32_t i) {
    Step *step = &l->steps[i];
    int32_t operands = count_operands(in), k, before = l->reading_count;
    int has_weights = (in->operation == DOT || in->operation == FILL) &&
                      add_site(l, i, -1, in->value_link);
    for (k = 0; k < operands; k++) {
        add_reading(l, operand_of(in, k), i, k, in->key[k]);
        has_weights |= in->operation == DOT && add_site(l, i, k, in->link[k]);
    }
    step->active = has_weights || l->reading_count > before;
    step->direct = 0;
    step->first = step->count = 0;
    step->slot = step->delta = -1;
    if (has_weights) {
        step->slot = l->slot_count;
        l->slot_count += 1 + (in->operation == DOT ? in->terms : 0);
    }
    if (step->active) {
        step->delta = l->delta_count;
        l->delta_count += count_deltas(in);
    }
    l->makers[in->to] = i;
}

static int compare_readings(const void *left, const void *right) {
    const Reading *a = left, *b = right;
    if (a->target != b->target) {
        return a->target < b->target ? -1 : 1;
    }
    return a->key > b->key ? -1 : a->key < b->key;
}

/* Plan the backward pass of a tape, for `count` weights and so many groups; return 0 without
 * memory. */
static int plan(BackwardPass *l, const Tape *t, int64_t count, int64_t groups) {
    size_t readings = (size_t)t->output_count;
    int32_t i;
    for (i = 0; i < t->count; i++) {
        readings += (size_t)count_operands(&t->items[i]);
    }
    if (!RESERVE(l->steps, l->steps_capacity, t->count) ||
        !RESERVE(l->readings, l->readings_capacity, readings) ||
        !RESERVE(l->makers, l->makers_capacity, t->registers) ||
        !RESERVE(l->sites, l->sites_capacity, count) ||
        !RESERVE(l->deltas, l->deltas_capacity, 3 * (size_t)t->count + (size_t)t->output_count) ||
        !RESERVE(l->sums, l->sums_capacity, (size_t)(groups * count)) ||
        !RESERVE(l->totals, l->totals_capacity, groups)) {
        return 0;
    }
    l->count = count;
    l->reading_count = l->slot_count = 0;
    l->delta_count = t->output_count;
    for (i = 0; i < count; i++) {
        l->sites[i].instruction = -1;
    }
    for (i = 0; i < t->count; i++) {
        plan_step(l, &t->items[i], i);
    }
    for (i = 0; i < t->output_count; i++) {
        add_reading(l, t->outputs[i], -1, i, (UINT64_C(1) << 40) + (uint64_t)i);
    }
    qsort(l->readings, (size_t)l->reading_count, sizeof *l->readings, compare_readings);
    for (i = l->reading_count - 1; i >= 0; i--) {
        Step *step = &l->steps[l->readings[i].target];
        step->first = i;
        step->count++;
    }
    return RESERVE(l->lanes, l->lanes_capacity, ((size_t)l->slot_count + 1) * LANES);
}

/* Return the memory of a delta, after the registers of the tape. */
static double *delta_memory(const Blocks *blocks, const Tape *t, int32_t delta) {
    return blocks->registers + ((size_t)count_registers(t) + (size_t)delta) * blocks->stride;
}

/* Collect up to `room` readings from `from` on as the factors and terms of a sum; return their
 * number. */
static int32_t take_readings(const BackwardPass *l, const Tape *t, const Step *step, int32_t from,
                             int32_t room, double *w, const double **x) {
    int32_t count = step->count - from < room ? step->count - from : room, k;
    for (k = 0; k < count; k++) {
        const Reading *reading = &l->readings[step->first + from + k];
        const Instruction *in = reading->reader < 0 ? NULL : &t->items[reading->reader];
        w[k] = in != NULL && in->operation == DOT ? in->weight[reading->operand] : 1.0;
        if (in == NULL) {
            x[k] = l->deltas[reading->operand];
        } else {
            int32_t second = in->operation == DOT ? 0 : reading->operand;
            x[k] = l->deltas[l->steps[reading->reader].delta + second];
        }
    }
    return count;
}

/* Return the gradient of the result of an instruction or, given the result `y` of its sigmoid, of
 * the sigmoid's argument. It is in `to`, or where its only reader has it. */
static const double *pull(const BackwardPass *l, const Tape *t, const Step *step, double *to,
                          const double *y, size_t n) {
    const double *x[TERMS];
    double w[TERMS];
    int32_t done = 0, kept = 0;
    do {
        int32_t taken = take_readings(l, t, step, done, TERMS - kept, w + kept, x + kept);
        done += taken;
        if (y != NULL && done == step->count) {
            rows_sigmoid_gradient[kept + taken](to, w, x, y, n);
            return to;
        }
        if (step->count == 1 && w[0] == 1.0) {
            return x[0];
        }
        rows_sum[kept + taken](to, w, x, -0.0, n);
        w[0] = 1.0;
        x[0] = to;
        kept = 1;
    } while (done < step->count);
    return to;
}

/* Run the backward pass of the tape, which has just run on the `n` rows from `row` on, from the
 * output gradients. The gradients of the weights are added to their lanes. */
static void back_block(BackwardPass *l, const Blocks *blocks, const Table *table, const Tape *t,
                       size_t row, size_t n) {
    int32_t i, k;
    for (i = t->count - 1; i >= 0; i--) {
        const Instruction *in = &t->items[i];
        const Step *step = &l->steps[i];
        const double *x[TERMS] = {NULL}, *y = blocks->places[in->to], *d;
        double *to;
        int is_sum = in->operation == DOT || in->operation == FILL;
        if (!step->active) {
            continue;
        }
        to = delta_memory(blocks, t, step->delta);
        d = pull(l, t, step, to, is_sum && in->sigmoid && !step->direct ? y : NULL, n);
        l->deltas[step->delta] = d;
        if (is_sum && step->slot < 0) {
            continue;
        }
        for (k = 0; k < count_operands(in); k++) {
            x[k] = find_operand(blocks, table, row, operand_of(in, k));
        }
        if (is_sum) {
            rows_to_lanes[count_operands(in)](l->lanes + (size_t)step->slot * LANES, d, x, n);
        } else {
            for (k = in->operands - 1; k >= 0; k--) { /* the first last: `d` may be in `to` */
                double *own = k == 0 ? to : delta_memory(blocks, t, step->delta + k);
                if (is_active(l, operand_of(in, k))) {
                    rows_back[in->operation][k](own, d, x[0], x[1], x[2], y, n);
                }
                l->deltas[step->delta + k] = own;
            }
        }
    }
}
#endif
