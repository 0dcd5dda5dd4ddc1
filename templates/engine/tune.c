/* Minimise the loss by L-BFGS within bounds: dsgec/search/lbfgs.py. */
#include "learn.c"
#include "variant.h"
#if LEARNING && !defined(DSGEC_TUNE_C)
#define DSGEC_TUNE_C

enum { MEMORY = 8, PLACES = MEMORY + 1, MOST_HALVINGS = 12 };
#define SUFFICIENT 1e-4
#define LEAST_CURVATURE 1e-10
#define LEAST_GRADIENT 1e-7
#define LEAST_DECREASE 1e-10

/* A descent: vectors of `n` values, and the last steps with the changes of the gradient. */
typedef struct {
    size_t n;
    const dsgec_engine_weight *bounds;
    double *x, *gradient, *tried, *found, *direction;
    double *steps[PLACES], *changes[PLACES]; /* a ring buffer, with a place for the current step */
    double loss, tried_loss;
    int32_t pairs, oldest;
    unsigned char *free;
} Descent;

static double dot(const Descent *m, const double *a, const double *b) {
    double total = 0.0;
    size_t i;
    for (i = 0; i < m->n; i++) {
        if (m->free[i]) {
            total += a[i] * b[i];
        }
    }
    return total;
}

static double dot_all(const Descent *m, const double *a, const double *b) {
    double total = 0.0;
    size_t i;
    for (i = 0; i < m->n; i++) {
        total += a[i] * b[i];
    }
    return total;
}

static double between(double value, const dsgec_engine_weight *bounds) {
    return value < bounds->least ? bounds->least : value > bounds->most ? bounds->most : value;
}

/* Find which values are free to move; return 0 if none of them has a gradient. */
static int find_free(Descent *m) {
    size_t i;
    int any = 0;
    for (i = 0; i < m->n; i++) {
        double g = m->gradient[i];
        m->free[i] = !(m->x[i] <= m->bounds[i].least && g > 0.0) &&
                     !(m->x[i] >= m->bounds[i].most && g < 0.0);
        any |= m->free[i] && dsgec_absolute(g) > LEAST_GRADIENT;
    }
    return any;
}

/* Compute minus the inverse Hessian times the gradient for the free values; the others stay. */
static void find_direction(Descent *m) {
    double alpha[MEMORY], curvature[MEMORY], scale = 1.0, *q = m->direction;
    int32_t passed[MEMORY], count = 0, k;
    size_t i;
    for (i = 0; i < m->n; i++) {
        q[i] = m->free[i] ? m->gradient[i] : 0.0;
    }
    for (k = m->pairs - 1; k >= 0; k--) {
        int32_t pair = (m->oldest + k) % PLACES;
        const double *step = m->steps[pair], *change = m->changes[pair];
        double size = dot(m, change, change);
        curvature[count] = dot(m, step, change);
        if (!(curvature[count] > LEAST_CURVATURE * size)) {
            continue;
        }
        if (count == 0) {
            scale = curvature[count] / size;
        }
        alpha[count] = dot(m, step, q) / curvature[count];
        passed[count] = pair;
        for (i = 0; i < m->n; i++) {
            q[i] = m->free[i] ? q[i] - alpha[count] * change[i] : 0.0;
        }
        count++;
    }
    for (i = 0; i < m->n; i++) {
        q[i] = scale * q[i];
    }
    for (k = count - 1; k >= 0; k--) {
        const double *step = m->steps[passed[k]];
        double beta = dot(m, m->changes[passed[k]], q) / curvature[k];
        for (i = 0; i < m->n; i++) {
            q[i] = m->free[i] ? q[i] + (alpha[k] - beta) * step[i] : 0.0;
        }
    }
    for (i = 0; i < m->n; i++) {
        q[i] = -q[i];
    }
}

static double first_length(const Descent *m) {
    double total = 0.0;
    size_t i;
    for (i = 0; i < m->n; i++) {
        if (m->free[i]) {
            total += dsgec_absolute(m->gradient[i]);
        }
    }
    return total > 1.0 ? 1.0 / total : 1.0;
}

/* Accept the tried values. The step is stored unless its curvature is too small. */
static void take_step(Descent *m) {
    int32_t place = (m->oldest + m->pairs) % PLACES;
    double *step = m->steps[place], *change = m->changes[place];
    size_t i;
    for (i = 0; i < m->n; i++) {
        change[i] = m->found[i] - m->gradient[i];
        m->x[i] = m->tried[i];
        m->gradient[i] = m->found[i];
    }
    m->loss = m->tried_loss;
    if (dot_all(m, step, change) > LEAST_CURVATURE * dot_all(m, change, change)) {
        if (m->pairs == MEMORY) {
            m->oldest = (m->oldest + 1) % PLACES;
        } else {
            m->pairs++;
        }
    }
}

/* Search along the direction, halving the length until the loss is low enough; return whether it
 * is. */
static int search_line(Descent *m, Scorer *s, const Table *table, const Targets *targets,
                       double penalty, int64_t evaluations, int64_t *used) {
    double *step = m->steps[(m->oldest + m->pairs) % PLACES];
    double length = m->pairs > 0 ? 1.0 : first_length(m);
    int halvings;
    size_t i;
    for (halvings = 0; halvings <= MOST_HALVINGS; halvings++) {
        for (i = 0; i < m->n; i++) {
            m->tried[i] = between(m->x[i] + length * m->direction[i], &m->bounds[i]);
            step[i] = m->tried[i] - m->x[i];
        }
        ++*used;
        if (learn(s, table, targets, penalty, m->tried, &m->tried_loss, m->found) == SCORED &&
            m->tried_loss <= m->loss + SUFFICIENT * dot_all(m, m->gradient, step)) {
            return 1;
        }
        if (*used >= evaluations) {
            return 0;
        }
        length *= 0.5;
    }
    return 0;
}

/* Make room for a descent of `n` values; return 0 without memory. */
static int open_descent(Descent *m, BackwardPass *l, size_t n, const dsgec_engine_weight *bounds) {
    double *room;
    int k;
    if (!RESERVE(l->room, l->room_capacity, (5 + 2 * PLACES) * n + n / sizeof *l->room + 1)) {
        return 0;
    }
    room = l->room;
    m->n = n;
    m->bounds = bounds;
    m->x = room;
    m->gradient = room + n;
    m->tried = room + 2 * n;
    m->found = room + 3 * n;
    m->direction = room + 4 * n;
    for (k = 0; k < PLACES; k++) {
        m->steps[k] = room + (size_t)(5 + 2 * k) * n;
        m->changes[k] = room + (size_t)(6 + 2 * k) * n;
    }
    m->free = (unsigned char *)(room + (5 + 2 * PLACES) * n);
    m->pairs = m->oldest = 0;
    return 1;
}

/* Minimise the loss of a prepared network, starting from `values`, which gets the result. */
static Outcome tune(Scorer *s, const Table *table, const Targets *targets, double penalty,
                    const dsgec_engine_weight *bounds, int64_t evaluations, double *values,
                    double *loss, int64_t *used) {
    Descent m;
    Outcome outcome;
    size_t i;
    int small = 0;
    *used = 0;
    if (!open_descent(&m, &s->backward, (size_t)s->backward.count, bounds)) {
        return SCORE_NO_MEMORY;
    }
    for (i = 0; i < m.n; i++) {
        m.x[i] = between(values[i], &bounds[i]);
    }
    outcome = learn(s, table, targets, penalty, m.x, &m.loss, m.gradient);
    *used = 1;
    if (outcome != SCORED) {
        return outcome;
    }
    while (*used < evaluations && small < 2 && find_free(&m)) {
        double before = m.loss;
        find_direction(&m);
        if (!(dot(&m, m.gradient, m.direction) < 0.0)) {
            m.pairs = 0;
            find_direction(&m);
        }
        if (search_line(&m, s, table, targets, penalty, evaluations, used)) {
            take_step(&m);
            small = before - m.loss < LEAST_DECREASE * dsgec_absolute(before) ? small + 1 : 0;
        } else if (m.pairs == 0) {
            break;
        } else {
            m.pairs = 0; /* restart with the steepest descent */
        }
    }
    memcpy(values, m.x, m.n * sizeof *values);
    *loss = m.loss;
    return SCORED;
}
#endif
