/* Non-dominated sorting by fitness and cost: dsgec/search/loop.py. */
#ifndef DSGEC_FRONT_C
#define DSGEC_FRONT_C
#include "number.c"

typedef struct {
    double fitness, crowding; /* the crowding distance */
    int64_t cost, number;
    const double *values; /* of several objectives, in an EXTERNAL engine */
    size_t width;
    int32_t front;
} Point;

static int compare_doubles(double a, double b) {
    return a < b ? -1 : a > b;
}

static int compare_integers(int64_t a, int64_t b) {
    return a < b ? -1 : a > b;
}

/* The order of the sweep. */
static int by_cost(const Point *a, const Point *b) {
    int order = compare_integers(a->cost, b->cost);
    order = order != 0 ? order : compare_doubles(a->fitness, b->fitness);
    return order != 0 ? order : compare_integers(a->number, b->number);
}

static int by_front(const Point *a, const Point *b) {
    int order = compare_integers(a->front, b->front);
    return order != 0 ? order : compare_integers(a->cost, b->cost);
}

static int by_rank(const Point *a, const Point *b) {
    int order = compare_integers(a->front, b->front);
    order = order != 0 ? order : compare_doubles(b->crowding, a->crowding);
    return order != 0 ? order : compare_integers(a->number, b->number);
}

typedef int (*Comparison)(const Point *a, const Point *b);

/* Sort by merging, since not every C library has a `qsort`; `spare` has the same size. */
static void sort_points(Point *points, Point *spare, int64_t count, Comparison compare) {
    int64_t width, start, i, j, k;
    for (width = 1; width < count; width *= 2) {
        for (start = 0; start < count; start += 2 * width) {
            int64_t middle = start + width < count ? start + width : count;
            int64_t end = middle + width < count ? middle + width : count;
            for (i = start, j = middle, k = start; k < end; k++) {
                int left = i < middle && (j == end || compare(&points[i], &points[j]) <= 0);
                spare[k] = left ? points[i++] : points[j++];
            }
        }
        memcpy(points, spare, (size_t)count * sizeof *points);
    }
}

/* Find the front of each point, given points sorted by cost; `least` gets the lowest fitness of
 * each front. */
static void find_fronts(Point *points, int64_t count, double *least) {
    int32_t fronts = 0;
    int64_t i;
    for (i = 0; i < count; i++) {
        int32_t low = 0, high = fronts; /* the first front whose lowest fitness is higher */
        while (low < high) {
            int32_t middle = low + (high - low) / 2;
            if (points[i].fitness < least[middle]) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        points[i].front = low;
        least[low] = points[i].fitness;
        fronts += low == fronts;
    }
}

/* Compute the crowding distances of the points of one front, sorted by cost. */
static void measure_crowding(Point *front, int64_t count) {
    const Point *last = &front[count - 1];
    int64_t k;
    for (k = 0; k < count; k++) {
        front[k].crowding = INFINITE;
        if (k > 0 && k < count - 1) {
            double costs = (double)(front[k + 1].cost - front[k - 1].cost) /
                           (double)(last->cost - front->cost);
            front[k].crowding = costs + (front[k - 1].fitness - front[k + 1].fitness) /
                                          (front->fitness - last->fitness);
        }
    }
}

/* Sort the points, the best first. Those of invalid individuals, whose fitness is infinite, come
 * last, in their order. `spare` has the same size. */
static void order_points(Point *points, Point *spare, int64_t count, double *least) {
    int64_t i, valid = 0, others = 0, end;
    for (i = 0; i < count; i++) {
        if (points[i].fitness == INFINITE) {
            spare[others++] = points[i];
        } else {
            points[valid++] = points[i];
        }
    }
    if (others > 0) {
        memcpy(points + valid, spare, (size_t)others * sizeof *points);
    }
    sort_points(points, spare, valid, by_cost);
    find_fronts(points, valid, least);
    sort_points(points, spare, valid, by_front);
    for (i = 0; i < valid; i = end) {
        for (end = i; end < valid && points[end].front == points[i].front; end++) {
        }
        measure_crowding(points + i, end - i);
    }
    sort_points(points, spare, valid, by_rank);
}
#endif
