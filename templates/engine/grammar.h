/* The grammar: dsgec.grammar.genome.tables as constants, how individuals are written and what is measured.
 *
 * They are defined in a file of their own, grammar.c, so that the engine is compiled once for all
 * grammars. */
#ifndef DSGEC_GRAMMAR_H
#define DSGEC_GRAMMAR_H
#include "platform.h"
#include "variant.h"

#ifdef __GNUC__
#define OF_GRAMMAR extern __attribute__((visibility("hidden"))) const
#else
#define OF_GRAMMAR extern const
#endif

typedef struct {
    int32_t rules;
    int32_t start, layer, features, output_layer; /* rules, or -1 */
    int32_t inputs;                               /* alternatives of <features> */
    int32_t sigmoid;  /* a single output goes through it */
    int32_t top;      /* the production that makes <start>; the next one makes nothing */
    int32_t unrolled; /* SGE: symbols that recursion is unrolled to */
    int32_t depths;   /* SGE: depths below the first, of all rules */
    int32_t has_sums, first_is_sum; /* whether terms are merged; whether <start> is a sum */
} Grammar;

/* `head` has the text if it is short enough to be copied without a look at its length. */
typedef struct {
    int32_t length;
    char head[HEAD + 1];
    const char *text;
} Piece;

/* Texts that take one another's place without a change to how layers are cut. */
enum { ANY_TEXT, ALL_DIGITS, A_NAME };

/* A leaf is one short text, or none: `head` has it, and `leaf` is 1. `most` is how long its texts
 * and those of the rules that are done with it can get, and a bit more; `choices` how many these
 * can have. */
typedef struct {
    char head[2 * HEAD]; /* so that the size is a power of two */
    int32_t kind, leaf, head_length, cost, first_symbol, symbols, most, choices;
} Production;

typedef struct {
    int32_t first_production, productions, limit, first_room, rooms, unused[3];
} Rule;

/* The alternatives that may be taken with so much room. */
typedef struct {
    int32_t first_option, options;
} Room;

/* SGE: a symbol that recursion is unrolled to. `size` is how many integers the gene has, `room` what
 * they are taken from. */
typedef struct {
    int32_t rule, depth, size, room;
} UnrolledSymbol;

/* SGE: how many depths below the first a rule has, and how many the rules before it have. */
typedef struct {
    int32_t count, before;
} Depths;

/* The symbols of a production, without its texts. Productions of a rule that are `twin` are equal;
 * one is `deeper` if it has a symbol of its rule's own recursion. */
typedef struct {
    int32_t first_child, children, twin, deeper;
} Branch;

/* Of a rule that is folded to numbers, how many it has and where they stand in `numeral_values`. */
typedef struct {
    int32_t first, count;
} Numerals;

/* The sums that productions write, and the terms in them: dsgec/grammar/genome/sums.py. A role for each of
 * `child_symbols`; a shape for each production of a rule that makes no numbers. */
typedef struct {
    int32_t sum, sign, before, after, may_begin, remaining;
} Role;

typedef struct {
    int32_t first_term, terms, begun, in_parentheses, is_only, is_close;
} Shape;

typedef struct {
    int32_t sum, sign, number, source, feature, is_all;
} WrittenTerm;

OF_GRAMMAR Grammar grammar;
OF_GRAMMAR Piece pieces[];

/* -1 - a piece, or a rule and, in the low bits, its kind. DEEPER: it belongs to the recursion of its
 * parent. The others are not recursive and have no part in layers: a PLAIN rule has only leaves; one
 * that is SINGLE has one alternative, whose symbols stand behind it; one that is FLAT has alternatives
 * of texts, plain and single rules. */
OF_GRAMMAR int32_t symbols[];

OF_GRAMMAR Production productions[];
OF_GRAMMAR int32_t opens[]; /* the least room with which each production may be taken */
OF_GRAMMAR Rule rules[];
OF_GRAMMAR Room rooms[];
OF_GRAMMAR int32_t options[];
OF_GRAMMAR UnrolledSymbol unrolled[];
OF_GRAMMAR Depths depths[];
OF_GRAMMAR Branch branches[];
OF_GRAMMAR int32_t child_symbols[]; /* twice a rule, and 1 more in the recursion of its parent */

/* For each production, twice the separators of neurons before each of its children, since the one
 * before it, and 1 more if the child stands in parentheses; and twice those behind the last. */
OF_GRAMMAR int32_t gaps[];
OF_GRAMMAR uint8_t within_one[]; /* of a rule, whether all its texts lie within one neuron */
OF_GRAMMAR Role roles[];
OF_GRAMMAR Shape shapes[];
OF_GRAMMAR WrittenTerm written_terms[];
OF_GRAMMAR int32_t first_shape[]; /* where the shapes of a rule begin */

/* Beside the shapes: the feature that a production is, and what it does if it is an operator. */
OF_GRAMMAR int32_t named_features[];
OF_GRAMMAR int32_t effects[];
OF_GRAMMAR uint8_t names_source[]; /* of a rule, whether all its texts are features */
OF_GRAMMAR Numerals numeral_lists[];
OF_GRAMMAR double numeral_values[];
#endif
