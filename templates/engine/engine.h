/* What the engine exports: the only place where a struct, a constant or a function that C and
 * Python share is declared. cffi reads it, without the lines that begin with `#`. */
#ifndef DSGEC_ENGINE_H
#define DSGEC_ENGINE_H
#include "platform.h"

/* Constants that dsgec/search defines as well; they are compared when the library is loaded. */
enum {
    LANES = 8,               /* partial sums of a column */
    LARGEST_CHAMPION = 1000, /* connections of a network in the hall of fame */
    WHOLE_EVERY = 10,        /* one generation in so many is scored on all rows */
    FEW_VALUES = 16          /* with more cases, fewer phenotypes are remembered */
};

/* The error codes that most functions return. */
typedef enum {
    OK,
    NO_MEMORY,
    TOO_MANY_LAYERS, /* more than the codes of connections can number */
    NO_THREADS,
    BAD_STATE, /* the bytes to restore are not those of such an engine */
    BAD_CALL,  /* an invalid argument */
    OPERATOR_FAILED /* an operator of the caller */
} dsgec_engine_error;

/* Why an individual has no phenotype. */
typedef enum { NO_FAULT, TOO_LARGE, EXHAUSTED } dsgec_engine_fault;

/* The outcome of scoring a phenotype. REFUSED: it is not a network for this task. */
typedef enum { SCORED, NOT_FINITE, REFUSED, SCORE_NO_MEMORY } dsgec_engine_outcome;

typedef struct dsgec_engine dsgec_engine;

/* The rows of a class, or all rows: `count` rows from `start` on, followed by padding rows that
 * fill the last lanes. */
typedef struct {
    int64_t start, count;
} dsgec_engine_group;

/* An operation on the columns before the network: its kind and its arguments, which are earlier
 * operations or -1. */
typedef enum { CONSTANT_LEAF = -2, COLUMN_LEAF = -1 } dsgec_engine_leaf;
typedef struct {
    int32_t kind, a, b, c; /* a kind of `dsgec_engine_kind`, or a leaf; `a` is the column of a leaf */
    double value;       /* of a constant */
} dsgec_engine_operation;

/* All operations before the network. `features` holds the operation that computes each feature,
 * `required` whether a column must have a value. With `has_threshold`, the last output is compared
 * with a threshold. */
typedef struct {
    const dsgec_engine_operation *operations;
    const int32_t *features, *required;
    int64_t count, columns, classes, has_threshold;
} dsgec_engine_prologue;

/* The cost of a network: a price for each operation by its kind, and a price paid once for each
 * part (a bit) that its kinds need. */
typedef struct {
    const int64_t *each, *once;
    const uint64_t *needs;
    int64_t base;
    uint64_t base_needs;
} dsgec_engine_prices;

/* The integers of one rule: `length` of the individual's `values`, from `start` on. `part` is the
 * layer for <features> in DSGE and the depth in SGE. All codons of GE belong to rule 0. In PSGE, the
 * number of rules is that of the probabilities, and the next one that of the mutation rates. */
typedef struct {
    int32_t rule, part, start, length;
} dsgec_engine_gene;
/* A genotype of the caller, sorted by rule and part. */
typedef struct {
    const dsgec_engine_gene *genes;
    const int32_t *values;
    int32_t count;
} dsgec_engine_genotype;

/* The settings of an engine. `columns` holds one column for each feature, `single` is the target of
 * a single output, and `each` has a target column for each class. `row_weights` is NULL if all rows
 * have the same weight. */
typedef struct {
    uint64_t seed;
    int64_t population, tournament, elites, max_size, threads, connect_all, codons, wraps, memory;
    double crossover, mutation;
    const double *columns, *single, *each, *row_weights;
    int64_t features, rows, classes, groups;
    const dsgec_engine_group *row_groups;
    int64_t steps; /* gradient steps; then penalties added to the objective */
    double penalty, parsimony;
    int64_t selection; /* the number of a method of selection.c */
    int64_t batch; /* rows of a mini-batch, a multiple of LANES; 0: all rows */
    const dsgec_engine_prologue *prologue; /* NULL if costs are not needed */
    const dsgec_engine_prices *prices; /* NULL unless flash or cycles are minimised */
    double down_sample; /* the share of the cases that lexicase selection uses in a generation */
    double learning_factor, grammar_mutation, grammar_deviation; /* of PSGE and Co-PSGE */
    int64_t adaptive; /* whether individuals have mutation rates of their own */
    double rate_mutation, rate_deviation;
    int64_t initialisation; /* of the first generation: plan.c */

    /* Operators of the caller of an EXTERNAL engine, or NULL. They draw from `state`, and return a
     * negative number on failure. Genotypes are read until the next call. */
    int64_t (*select)(uint64_t *state);
    int64_t (*cross)(int64_t mother, int64_t father, uint64_t *state,
                     dsgec_engine_genotype *children);
    int64_t (*mutate)(const dsgec_engine_genotype *before, uint64_t *state,
                      dsgec_engine_genotype *after);
} dsgec_engine_settings;

/* One generation, with the size and the phenotype of its best individual. */
typedef struct {
    int64_t generation, invalid, evaluations, reused, size, phenotype_start, phenotype_length;
    double best, mean;
} dsgec_engine_row;

/* Generations, valid until the engine continues; `phenotypes` holds their texts. */
typedef struct {
    const dsgec_engine_row *rows;
    const char *phenotypes;
    int64_t count;
} dsgec_engine_rows;

/* The state of learning a weight: the size of its next step, and its gradient at the last step. */
typedef struct {
    double step, gradient;
} dsgec_engine_rate;

/* An individual, valid until the engine continues. */
typedef struct {
    const dsgec_engine_gene *genes;
    const int32_t *values;
    const char *phenotype;
    int64_t gene_count, phenotype_length;
    double fitness;
    int32_t fault, invalid;
    const dsgec_engine_rate *rates; /* of its weights, in an engine that learns */
    int64_t rate_count;
    const double *cases; /* or objectives, in an EXTERNAL engine */
    int64_t case_count;
} dsgec_engine_individual;

/* An entry of the hall of fame, valid until the engine continues. */
typedef struct {
    const char *phenotype;
    int64_t size, cost, phenotype_length;
    double fitness;
    const dsgec_engine_gene *genes; /* in an engine that learns */
    const int32_t *values;
    int64_t gene_count;
} dsgec_engine_champion;

/* A simplified network; its text is valid until the next network is described. */
typedef struct {
    int64_t layers, neurons, features, connections, text_length;
    const char *text;
} dsgec_engine_network;

/* A learnable weight of a phenotype: where its numeral stands, and its bounds. */
typedef struct {
    int32_t offset, length;
    double least, most;
} dsgec_engine_weight;

/* Seconds since the library was loaded; all 0 unless it was built with DSGEC_TIMED. */
typedef struct {
    double mapping, breeding, parsing, evaluating; /* mapping is part of breeding */
} dsgec_engine_seconds;

/* Create an engine. Its tables remain the caller's. Returns NULL and sets `error` on failure. */
dsgec_engine *dsgec_engine_new(const dsgec_engine_settings *settings, int *error);
void dsgec_engine_free(dsgec_engine *e);

/* Run up to `generations` generations, or until the time is up. `rows` gets those that were
 * completed. */
int dsgec_engine_step(dsgec_engine *e, int64_t generations, double seconds,
                      dsgec_engine_rows *rows);

/* The phenotypes that wait for a score, each different and new; `ends` has where each ends in
 * `texts`. They are valid until they are scored. */
typedef struct {
    const char *texts;
    const int64_t *ends;
    int64_t count;
} dsgec_engine_phenotypes;

/* In an EXTERNAL engine, `dsgec_engine_step` returns when phenotypes wait for a score. Get them,
 * none if none wait. */
int dsgec_engine_waiting(dsgec_engine *e, dsgec_engine_phenotypes *phenotypes);

/* Get one of them as an individual; its fitness is not known yet. */
int dsgec_engine_look_waiting(const dsgec_engine *e, int64_t number,
                              dsgec_engine_individual *view);

/* Score all that wait: the fitness of each, infinite if it is invalid, its size, and `width` values
 * (cases or objectives), the same number in all calls. */
int dsgec_engine_give(dsgec_engine *e, const double *fitness, const int32_t *sizes,
                      const double *values, int64_t width);

/* Give up an unfinished generation of an EXTERNAL engine: it can then be saved. */
int dsgec_engine_abandon(dsgec_engine *e);

/* Return the next generation, 0 before the first; -1 if one is unfinished. */
int64_t dsgec_engine_generation(const dsgec_engine *e);

/* Return the index of the best individual. */
int64_t dsgec_engine_best(const dsgec_engine *e);

/* Store the fitness of every individual; infinity if it is invalid. */
void dsgec_engine_fitness(const dsgec_engine *e, double *fitness);
int dsgec_engine_look(const dsgec_engine *e, int64_t number, dsgec_engine_individual *view);

/* Store the hall of fame, ordered by size or by the cost that is minimised, in an array of
 * LARGEST_CHAMPION + 1 and return the number of entries. */
int64_t dsgec_engine_champions(const dsgec_engine *e, dsgec_engine_champion *champions);

/* Prune the best network in up to `rounds` rounds and store what that finds as
 * `dsgec_engine_champions` does. Returns -1 - an error on failure, and 0 in an engine that does not
 * vary trees. */
int64_t dsgec_engine_prune(dsgec_engine *e, int64_t rounds, dsgec_engine_champion *champions);

/* Save the state between two generations; the bytes are valid until the next call. */
int dsgec_engine_save(dsgec_engine *e, const char **data, size_t *length);
int dsgec_engine_restore(dsgec_engine *e, const char *data, size_t length);

/* Save a valid individual; the bytes are valid until the next call. */
int dsgec_engine_send(dsgec_engine *e, int64_t number, const char **data, size_t *length);

/* Replace an individual by one that `dsgec_engine_send` of an engine of the same run saved. */
int dsgec_engine_receive(dsgec_engine *e, int64_t number, const char *data, size_t length);

/* Score one phenotype and return the outcome. */
int dsgec_engine_score(dsgec_engine *e, const char *phenotype, size_t length, double *fitness);

/* Evaluate one phenotype; each output is a column of `outputs`, which has room for `capacity`.
 * Returns the number of outputs, or a negative number on failure. */
int dsgec_engine_evaluate(dsgec_engine *e, const char *phenotype, size_t length, double *outputs,
                          int capacity);
int dsgec_engine_describe(dsgec_engine *e, const char *phenotype, size_t length,
                          dsgec_engine_network *network);

/* Return the name of a kind of operation, from 0 on; NULL after the last. */
const char *dsgec_engine_kind(int64_t number);

/* Count the operations of each kind that the C of a network executes for a row. */
int dsgec_engine_work(dsgec_engine *e, const char *phenotype, size_t length, int64_t *counts);

/* Compute the loss of one phenotype, which is the objective + penalty * the sum of its `count`
 * squared weights, and its gradient unless that is NULL. `values` replaces the values of the
 * weights; NULL: those of the phenotype. Returns the outcome; REFUSED by an engine without
 * learning. */
int dsgec_engine_gradient(dsgec_engine *e, const char *phenotype, size_t length,
                          const dsgec_engine_weight *weights, int64_t count, double penalty,
                          const double *values, double *loss, double *gradient);

/* Minimise the loss of one phenotype, starting from `values`, which gets the result within the
 * bounds of the weights, in at most `evaluations` evaluations; `used` gets their number. Returns
 * the outcome. */
int dsgec_engine_tune(dsgec_engine *e, const char *phenotype, size_t length,
                      const dsgec_engine_weight *weights, int64_t count, double penalty,
                      int64_t evaluations, double *values, double *loss, int64_t *used);

/* Return the value of a numeral. */
double dsgec_engine_number(const char *text, size_t length);
void dsgec_engine_times(dsgec_engine_seconds *seconds);
#endif
