/* Non-dominated sorting by any number of objectives: dsgec/search/fronts.py. */
#ifndef DSGEC_OBJECTIVE_FRONTS_C
#define DSGEC_OBJECTIVE_FRONTS_C
#include "front.c"

/* The order in which no point is dominated by a later one. */
static int by_values(const Point *a, const Point *b) {
    size_t i;
    int order = 0;
    for (i = 0; order == 0 && i < a->width; i++) {
        order = compare_doubles(a->values[i], b->values[i]);
    }
    return order != 0 ? order : compare_integers(a->number, b->number);
}

/* The order along one objective, whose value is in `fitness`, within each front. */
static int by_objective(const Point *a, const Point *b) {
    int order = compare_integers(a->front, b->front);
    order = order != 0 ? order : compare_doubles(a->fitness, b->fitness);
    return order != 0 ? order : compare_integers(a->number, b->number);
}

/* Return whether the first of two points, in the order of `by_values`, dominates the other. */
static int dominates(const Point *a, const Point *b) {
    size_t i;
    for (i = 0; i < a->width; i++) {
        if (a->values[i] > b->values[i]) {
            return 0;
        }
    }
    return 1;
}

/* Find the front of each point, given points in the order of `by_values`: the first of which no
 * point dominates it. */
static void find_objective_fronts(Point *points, int64_t count) {
    int64_t i, k;
    for (i = 0; i < count; i++) {
        points[i].front = 0;
        for (k = 0; k < i; k++) {
            if (points[k].front >= points[i].front && dominates(&points[k], &points[i])) {
                points[i].front = points[k].front + 1;
            }
        }
    }
}

/* Add the crowding distances along one objective, given points in the order of `by_objective`. */
static void add_crowding(Point *points, int64_t count) {
    int64_t start, end, k;
    for (start = 0; start < count; start = end) {
        double span;
        for (end = start; end < count && points[end].front == points[start].front; end++) {
        }
        span = points[end - 1].fitness - points[start].fitness;
        points[start].crowding = INFINITE;
        points[end - 1].crowding = INFINITE;
        for (k = start + 1; span > 0.0 && k < end - 1; k++) {
            points[k].crowding += (points[k + 1].fitness - points[k - 1].fitness) / span;
        }
    }
}

/* Sort the points, the best first, as `order_points` does for two objectives. */
static void order_by_objectives(Point *points, Point *spare, int64_t count) {
    int64_t i, valid = 0, others = 0;
    size_t objective, width;
    for (i = 0; i < count; i++) {
        points[i].crowding = 0.0;
        if (points[i].fitness == INFINITE) {
            spare[others++] = points[i];
        } else {
            points[valid++] = points[i];
        }
    }
    if (others > 0) {
        memcpy(points + valid, spare, (size_t)others * sizeof *points);
    }
    width = valid > 0 ? points[0].width : 0;
    sort_points(points, spare, valid, by_values);
    find_objective_fronts(points, valid);
    for (objective = 0; objective < width; objective++) {
        for (i = 0; i < valid; i++) {
            points[i].fitness = points[i].values[objective];
        }
        sort_points(points, spare, valid, by_objective);
        add_crowding(points, valid);
    }
    sort_points(points, spare, valid, by_rank);
}
#endif
