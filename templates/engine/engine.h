/* What the engine exports: the only place where a struct, a constant or a function that C and Python
 * share is declared. cffi reads it, without the lines that begin with `#`. */
#ifndef DSGEC_ENGINE_H
#define DSGEC_ENGINE_H
#include "platform.h"

/* Numbers that dsgec/search and dsgec/search know as well; compared when the library is loaded. */
enum {
    LANES = 8,               /* partial sums of a column */
    LARGEST_CHAMPION = 1000, /* connections of a network in the hall of fame */
    WHOLE_EVERY = 10         /* so many generations there is one that has all rows */
};

/* Why the engine stopped: what most functions return. */
typedef enum {
    OK,
    NO_MEMORY,
    TOO_MANY_LAYERS, /* more than the codes of connections can name */
    NO_THREADS,
    BAD_STATE, /* the bytes to restore are not those of such an engine */
    BAD_CALL   /* an argument that makes no sense */
} dsgec_engine_error;

/* Why an individual has no text. */
typedef enum { NO_FAULT, TOO_LARGE, EXHAUSTED } dsgec_engine_fault;

/* What comes of a text; REFUSED: it is no network of the task. */
typedef enum { SCORED, NOT_FINITE, REFUSED, SCORE_NO_MEMORY } dsgec_engine_outcome;

typedef struct dsgec_engine dsgec_engine;

/* The rows of a class, or all: `count` from `start` on, then rows that only fill the last lanes. */
typedef struct {
    int64_t start, count;
} dsgec_engine_group;

/* An operation of what is done to the columns before the network: its kind and its arguments, which
 * stand before it, or -1. */
typedef enum { CONSTANT_LEAF = -2, COLUMN_LEAF = -1 } dsgec_engine_leaf;
typedef struct {
    int32_t kind, a, b; /* a kind of `dsgec_engine_kind`, or a leaf: `a` is its column */
    double value;       /* of a number */
} dsgec_engine_operation;

/* All of them; `features` has the operation that each feature of the network is, `required` whether
 * a column must have a value. With `has_threshold`, the last of several outputs decides. */
typedef struct {
    const dsgec_engine_operation *operations;
    const int32_t *features, *required;
    int64_t count, columns, classes, has_threshold;
} dsgec_engine_prologue;

/* What a network costs: so much for each of a kind and, for each bit that is set in the needs of its
 * kinds, once. */
typedef struct {
    const int64_t *each, *once;
    const uint64_t *needs;
    int64_t base;
    uint64_t base_needs;
} dsgec_engine_prices;

/* `columns` has one for each feature, `single` is the target of a lone output, `each` has a column
 * for each class; `row_weights` are NULL in an engine whose rows all count the same. */
typedef struct {
    uint64_t seed;
    int64_t population, tournament, elites, max_size, threads, connect_all, codons, wraps, memory;
    double crossover, mutation;
    const double *columns, *single, *each, *row_weights;
    int64_t features, rows, classes, groups;
    const dsgec_engine_group *row_groups;
    int64_t steps; /* of learning; then what is added to the objective */
    double penalty, parsimony;
    int64_t batch; /* rows of a generation, whole lanes of the only group; 0: all */
    const dsgec_engine_prologue *prologue; /* NULL where costs are not asked for */
    const dsgec_engine_prices *prices; /* of what is minimised, if that is not connections */
} dsgec_engine_settings;

/* One generation, with the size and the text of its best individual. */
typedef struct {
    int64_t generation, invalid, evaluations, reused, size, phenotype_start, phenotype_length;
    double best, mean;
} dsgec_engine_row;

/* Generations, as long as the engine does not go on; their texts stand in `scores`. */
typedef struct {
    const dsgec_engine_row *rows;
    const char *phenotypes;
    int64_t count;
} dsgec_engine_rows;

/* The integers of one rule: `length` of the individual's `values`, from `start` on. `part` is, for
 * <features> in DSGE, the layer; in SGE, the depth. All codons of GE are those of rule 0. */
typedef struct {
    int32_t rule, part, start, length;
} dsgec_engine_gene;

/* How a number is being learned: the size of its next step, and its slope at the last one. */
typedef struct {
    double step, gradient;
} dsgec_engine_rate;

/* An individual, as long as the engine does not go on. */
typedef struct {
    const dsgec_engine_gene *genes;
    const int32_t *values;
    const char *phenotype;
    int64_t gene_count, phenotype_length;
    double fitness;
    int32_t fault, invalid;
    const dsgec_engine_rate *rates; /* of its numbers, where they are learned */
    int64_t rate_count;
} dsgec_engine_individual;

/* A text of the hall of fame, as long as the engine does not go on. */
typedef struct {
    const char *phenotype;
    int64_t size, cost, phenotype_length;
    double fitness;
    const dsgec_engine_gene *genes; /* where numbers are learned */
    const int32_t *values;
    int64_t gene_count;
} dsgec_engine_champion;

/* A simplified network, whose text stays until the next one is described. */
typedef struct {
    int64_t layers, neurons, features, connections, text_length;
    const char *text;
} dsgec_engine_network;

/* A number of a text that can be learned: where its numeral stands, and its bounds. */
typedef struct {
    int32_t offset, length;
    double least, most;
} dsgec_engine_weight;

/* Seconds since the library was loaded; all 0 but in a build with DSGEC_TIMED. */
typedef struct {
    double mapping, breeding, parsing, evaluating; /* mapping is part of breeding */
} dsgec_engine_seconds;

/* An engine that has not begun; its tables stay the caller's. NULL with an `error` otherwise. */
dsgec_engine *dsgec_engine_new(const dsgec_engine_settings *settings, int *error);
void dsgec_engine_free(dsgec_engine *e);

/* Go on for so many generations, or until the time is up; `rows` gets those that became whole. */
int dsgec_engine_step(dsgec_engine *e, int64_t generations, double seconds,
                      dsgec_engine_rows *rows);

/* The generation that comes next, 0 before the first; -1 during one. */
int64_t dsgec_engine_generation(const dsgec_engine *e);

/* The best individual's number. */
int64_t dsgec_engine_best(const dsgec_engine *e);

/* The fitness of every individual, infinity of an invalid one. */
void dsgec_engine_fitness(const dsgec_engine *e, double *fitness);
int dsgec_engine_look(const dsgec_engine *e, int64_t number, dsgec_engine_individual *view);

/* The hall of fame, by size or by the cost that is minimised, into room for LARGEST_CHAMPION + 1: how many there are. */
int64_t dsgec_engine_champions(const dsgec_engine *e, dsgec_engine_champion *champions);

/* The networks that come of the best one by making it smaller, in so many rounds at most; as
 * `dsgec_engine_champions`, or -1 - an error. None by an engine that does not vary trees. */
int64_t dsgec_engine_prune(dsgec_engine *e, int64_t rounds, dsgec_engine_champion *champions);

/* The state between two generations as bytes, which stay until the next call. */
int dsgec_engine_save(dsgec_engine *e, const char **data, size_t *length);
int dsgec_engine_restore(dsgec_engine *e, const char *data, size_t length);

/* A valid individual as bytes, which stay until the next call. */
int dsgec_engine_send(dsgec_engine *e, int64_t number, const char **data, size_t *length);

/* Put an individual that `dsgec_engine_send` of such an engine gave in the place of another. */
int dsgec_engine_receive(dsgec_engine *e, int64_t number, const char *data, size_t length);

/* The outcome and the fitness of one text. */
int dsgec_engine_score(dsgec_engine *e, const char *text, size_t length, double *fitness);

/* The outputs of one text, a column each, in `capacity` columns: their number, or -1 or less. */
int dsgec_engine_evaluate(dsgec_engine *e, const char *text, size_t length, double *outputs,
                          int capacity);
int dsgec_engine_describe(dsgec_engine *e, const char *text, size_t length,
                          dsgec_engine_network *network);

/* The name of a kind of what networks do, from 0 on; NULL behind the last. */
const char *dsgec_engine_kind(int64_t number);

/* How much of each kind the C of a network does for a row. */
int dsgec_engine_work(dsgec_engine *e, const char *text, size_t length, int64_t *counts);

/* The loss of one text, which is the objective + penalty * the squares of its `count` weights, and
 * its slope by each weight, unless `gradient` is NULL. `values` are those of the weights; NULL: as the
 * text has them. Gives the outcome; REFUSED by an engine without learning. */
int dsgec_engine_gradient(dsgec_engine *e, const char *text, size_t length,
                          const dsgec_engine_weight *weights, int64_t count, double penalty,
                          const double *values, double *loss, double *gradient);

/* Lower the loss of one text from `values` on, which get what is found between the bounds of the
 * weights, with so many evaluations at most, and 1 at least: `used`. Gives the outcome. */
int dsgec_engine_tune(dsgec_engine *e, const char *text, size_t length,
                      const dsgec_engine_weight *weights, int64_t count, double penalty,
                      int64_t evaluations, double *values, double *loss, int64_t *used);

/* The value of a number as a text has it. */
double dsgec_engine_number(const char *text, size_t length);
void dsgec_engine_times(dsgec_engine_seconds *seconds);
#endif
