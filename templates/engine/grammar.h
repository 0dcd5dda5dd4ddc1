/* The tables of a grammar (dsgec/grammar/genome/rule_tables.py) as constants. They are defined in
 * a file of their own, grammar.c, so that the engine is compiled once for all grammars. */
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
    int32_t sigmoid;  /* whether it is applied to a single output */
    int32_t top;      /* the production that derives <start>; the next one is empty */
    int32_t unrolled; /* SGE: number of unrolled symbols */
    int32_t depths;   /* SGE: number of depths below the first, over all rules */
    int32_t has_sums, first_is_sum; /* whether terms are merged, and whether <start> is a sum */
} Grammar;

/* A terminal. `head` holds it if it is short enough to be copied without testing its length. */
typedef struct {
    int32_t length;
    char head[HEAD + 1];
    const char *text;
} Piece;

/* Kinds of terminals. Replacing one by another of the same kind, except ANY_TEXT, does not change
 * how layers are separated. */
enum { ANY_TEXT, ALL_DIGITS, A_NAME };

/* A leaf is one short terminal, or empty: `head` holds it, and `leaf` is 1. `most` is an upper
 * bound of the length of its terminals and those of the rules that are expanded together with it;
 * `choices` bounds the number of their choices. */
typedef struct {
    char head[2 * HEAD]; /* so that the size is a power of two */
    int32_t kind, leaf, head_length, cost, first_symbol, symbols, most, choices;
} Production;

typedef struct {
    int32_t first_production, productions, limit, first_room, rooms, unused[3];
} Rule;

/* The alternatives that can still end within the remaining depth. */
typedef struct {
    int32_t first_option, options;
} Room;

/* SGE: a symbol of the unrolled recursion. `size` is the length of its gene, `room` the entry of
 * `rooms` that its integers are taken from. */
typedef struct {
    int32_t rule, depth, size, room;
} UnrolledSymbol;

/* SGE: the number of depths below the first of a rule, and of all rules before it. */
typedef struct {
    int32_t count, before;
} Depths;

/* The nonterminals of a production. Productions of a rule with the same `twin` are equal; `deeper`
 * tells whether it has a symbol of its rule's own recursion. */
typedef struct {
    int32_t first_child, children, twin, deeper;
} Branch;

/* The numerals of a rule that derives nothing else: their number, and the first of them in
 * `numeral_values`. */
typedef struct {
    int32_t first, count;
} Numerals;

/* The sums that productions write, and their terms: dsgec/grammar/genome/sums.py. There is a role
 * for each of `child_symbols`, and a shape for each production of a rule that does not derive
 * numerals. */
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

/* -1 - a piece, or a rule and, in the low bits, its kind. DEEPER: it belongs to the recursion of
 * its parent. The other kinds are not recursive and have no role in layers: a PLAIN rule has only
 * leaves; a single one (PLAIN, not a leaf) has one alternative, whose symbols follow it; a FLAT
 * rule has alternatives of terminals, plain and single rules. */
OF_GRAMMAR int32_t symbols[];

OF_GRAMMAR Production productions[];
OF_GRAMMAR int32_t opens[]; /* the least remaining depth for each production */
OF_GRAMMAR Rule rules[];
OF_GRAMMAR Room rooms[];
OF_GRAMMAR int32_t options[];
OF_GRAMMAR UnrolledSymbol unrolled[];
OF_GRAMMAR Depths depths[];
OF_GRAMMAR Branch branches[];
OF_GRAMMAR int32_t child_symbols[]; /* twice a rule, plus 1 in the recursion of its parent */

/* For each production: twice the number of neuron separators between each child and the one before
 * it, plus 1 if the child is in parentheses; at the end, twice the number after the last child. */
OF_GRAMMAR int32_t gaps[];
OF_GRAMMAR uint8_t within_one[]; /* of a rule: whether it derives only parts of one neuron */
OF_GRAMMAR Role roles[];
OF_GRAMMAR Shape shapes[];
OF_GRAMMAR WrittenTerm written_terms[];
OF_GRAMMAR int32_t first_shape[]; /* index of the first shape of a rule */

/* Parallel to the shapes: the feature that a production names, and the effect of an operator. */
OF_GRAMMAR int32_t named_features[];
OF_GRAMMAR int32_t effects[];
OF_GRAMMAR uint8_t names_source[]; /* of a rule: whether it derives only features */
OF_GRAMMAR Numerals numeral_lists[];
OF_GRAMMAR double numeral_values[];
#endif
