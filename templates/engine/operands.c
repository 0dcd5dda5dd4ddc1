/* Read the tokens of dsgec/network/parse.py that may stand in the place of an operand. */
#ifndef DSGEC_OPERANDS_C
#define DSGEC_OPERANDS_C
#include "engine.h"
#include "layered.c"
#include "memory.h"
#include "nodes.c"
#include "number.c"

/* How strongly operators bind: dsgec/network/syntax.py. */
enum { NOT_OF = 4, COMPARISON = 5, SUM_OF = 6, PRODUCT_OF = 7, NEGATION = 8, POWER_OF = 9 };
enum { LONGEST_INDEX = 7 };
enum { PARSED = 0, NO_NETWORK = -1, PARSE_NO_MEMORY = -2 };

/* An operator or, with strength 0, an open parenthesis: of a call, unless `function` is F_NONE. */
typedef struct {
    int32_t strength, function, values_below;
} Operator;

/* What an expression reads: the number of features and neurons, and the end of its neurons in
 * `reads`. */
typedef struct {
    int32_t mentions, reads;
} Mentions;

typedef struct {
    const char *text;
    int32_t inputs;
    int as_written; /* without folding, for simplify.c */
    Nodes nodes;
    Stretches stretches;
    int32_t *values; /* the stack of operands; after an expression, its values */
    Operator *operators;
    int32_t *neurons, *layers; /* nodes of hidden neurons, and the end of each layer among them */
    int32_t *outputs;
    int32_t *reads;         /* the neurons that are mentioned, by index */
    Mentions *written;       /* of each hidden neuron */
    size_t values_capacity, operators_capacity, neurons_capacity, layers_capacity, outputs_capacity;
    size_t reads_capacity, written_capacity;
    int32_t value_count, operator_count, neuron_count, layer_count, output_count;
    Mentions so_far; /* of the current expression; its `reads` is cumulative */
    int softmax;
    uint64_t key; /* of the function that was called last */
    int32_t function;
#if LEARNING
    const dsgec_engine_weight *weights;
    const double *known;          /* their values if each is a whole token, or NULL */
    int32_t weight_count, weight; /* their number, and the next one in the text */
#endif
} Parser;

static void free_parser(Parser *p) {
    free(p->nodes.items);
    free(p->stretches.items);
    free(p->values);
    free(p->operators);
    free(p->neurons);
    free(p->layers);
    free(p->outputs);
    free(p->reads);
    free(p->written);
}

static inline int is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline int is_word(char c) {
    return is_letter(c) || is_digit(c);
}

static inline size_t skip_spaces(const char *text, size_t at, size_t end) {
    while (at < end && is_space(text[at])) {
        at++;
    }
    return at;
}

/* Make room for everything that a phenotype of this length can need, so that nothing below runs
 * out of memory: an operator adds at most two nodes, and whatever is pushed has at least one
 * character. */
static int have_stacks(Parser *p, size_t length) {
    return length < INT32_MAX / 2 - 8 &&
           RESERVE(p->nodes.items, p->nodes.capacity, 2 * length + 8) &&
           RESERVE(p->values, p->values_capacity, length + 8) &&
           RESERVE(p->operators, p->operators_capacity, length + 8) &&
           RESERVE(p->neurons, p->neurons_capacity, length + 8) &&
           RESERVE(p->layers, p->layers_capacity, length + 8) &&
           RESERVE(p->outputs, p->outputs_capacity, length + 8) &&
           RESERVE(p->reads, p->reads_capacity, length + 8) &&
           RESERVE(p->written, p->written_capacity, length + 8);
}

static inline void push_value(Parser *p, int32_t node) {
    p->values[p->value_count++] = node;
}

static inline void push_operator(Parser *p, int32_t strength, int32_t function,
                                 int32_t values_below) {
    Operator *operator = &p->operators[p->operator_count++];
    operator->strength = strength;
    operator->function = function;
    operator->values_below = values_below;
}

/* Return the link of a numeral that ends at `end` and begins at `start` or, with its sign, at
 * `sign`. */
static inline int32_t find_link(Parser *p, size_t sign, size_t start, size_t end) {
#if LEARNING
    for (; p->weight < p->weight_count; p->weight++) {
        const dsgec_engine_weight *weight = &p->weights[p->weight];
        size_t offset = (size_t)weight->offset;
        if (offset > start) {
            break;
        }
        if ((offset == sign || offset == start) && offset + (size_t)weight->length == end) {
            return offset == sign ? p->weight + 1 : -(p->weight + 1);
        }
    }
#endif
    return (void)p, (void)sign, (void)start, (void)end, 0;
}

static inline int add_constant(Parser *p, double value, int32_t link) {
    int32_t node = add_node(&p->nodes, CONSTANT, -1, -1, value);
    p->nodes.items[node].written = 1;
    push_value(p, with_link(&p->nodes, node, link));
    return value <= DBL_MAX && value >= -DBL_MAX;
}

static int64_t read_index(const char *text, size_t start, size_t end) {
    int64_t number = 0;
    for (; start < end; start++) {
        number = number * 10 + (text[start] - '0');
    }
    return number;
}

/* Read `x_1`, `x1`, `x[0]` or `x[:,0]` at `at`; return its end, or 0. */
static inline size_t add_feature(Parser *p, size_t at, size_t end) {
    const char *text = p->text;
    size_t start, after;
    int64_t column;
    at++;
    if (at < end && text[at] == '[') {
        size_t colon;
        at = skip_spaces(text, at + 1, end);
        if (at < end && text[at] == ':') {
            colon = skip_spaces(text, at + 1, end);
            if (colon >= end || text[colon] != ',') {
                return 0;
            }
            at = skip_spaces(text, colon + 1, end);
        }
        start = at;
        after = skip_digits(text, start, end);
        at = skip_spaces(text, after, end);
        if (after == start || at >= end || text[at] != ']') {
            return 0;
        }
        at++;
        column = after - start <= LONGEST_INDEX ? read_index(text, start, after) : INT32_MAX;
    } else {
        uint64_t number = 0;
        start = at + (at < end && text[at] == '_');
        for (at = start; at < end && is_digit(text[at]); at++) {
            number = number * 10 + (uint64_t)(text[at] - '0');
        }
        if (at == start) {
            return 0;
        }
        column = at - start <= LONGEST_INDEX ? (int64_t)number - 1 : INT32_MAX;
    }
    if ((at < end && (is_word(text[at]) || text[at] == '[')) || column < 0 ||
        column >= p->inputs) {
        return 0;
    }
    push_value(p, add_node(&p->nodes, INPUT, (int32_t)column, -1, 0.0));
    p->so_far.mentions++;
    return at;
}

/* Read `h_1_2` or `h_1,2` at `at`; return its end, or 0. */
static size_t add_hidden(Parser *p, size_t at, size_t end) {
    size_t layer_end = skip_digits(p->text, at + 2, end), after;
    int64_t layer, neuron, first;
    if (layer_end == at + 2 || layer_end >= end ||
        (p->text[layer_end] != '_' && p->text[layer_end] != ',')) {
        return 0;
    }
    after = skip_digits(p->text, layer_end + 1, end);
    if (after == layer_end + 1 || (after < end && is_word(p->text[after])) ||
        layer_end - at - 2 > LONGEST_INDEX || after - layer_end - 1 > LONGEST_INDEX) {
        return 0;
    }
    layer = read_index(p->text, at + 2, layer_end) - 1;
    neuron = read_index(p->text, layer_end + 1, after) - 1;
    if (layer < 0 || layer >= p->layer_count || neuron < 0) {
        return 0;
    }
    first = layer > 0 ? p->layers[layer - 1] : 0;
    if (neuron >= p->layers[layer] - first) {
        return 0;
    }
    push_value(p, p->neurons[first + neuron]);
    p->so_far.mentions++;
    p->reads[p->so_far.reads++] = (int32_t)(first + neuron);
    return after;
}

/* Return the function with the name text[at:end], ignoring a prefix `np.` and `_` around it. */
static int find_function(Parser *p, size_t at, size_t end) {
    const char *text = p->text;
    uint64_t key = 0;
    size_t i;
    int alias;
    if (end - at >= 3 && memcmp(text + at, "np.", 3) == 0) {
        at += 3;
    }
    while (at < end && text[at] == '_') {
        at++;
    }
    while (end > at && text[end - 1] == '_') {
        end--;
    }
    if (end == at || end - at > 8) {
        return F_NONE;
    }
    for (i = 0; i < end - at; i++) {
        key |= (uint64_t)(unsigned char)text[at + i] << 8 * i;
    }
    if (key == p->key) {
        return p->function;
    }
    for (alias = 0; alias < ALIASES; alias++) {
        if (aliases[alias].key == key) {
            p->key = key;
            p->function = aliases[alias].function;
            return p->function;
        }
    }
    return F_NONE;
}

/* Return the end of the name that begins at `at`. */
static size_t skip_name(const char *text, size_t at, size_t end) {
    while (at < end && (is_word(text[at]) || text[at] == '.')) {
        at++;
    }
    return at;
}

/* Open a function call, or a `not` before an operand; return the offset after it, or 0. */
static size_t open_call(Parser *p, size_t at, size_t end) {
    size_t after = skip_name(p->text, at, end);
    int function = find_function(p, at, after);
    after = skip_spaces(p->text, after, end);
    if (function == F_not && (after >= end || p->text[after] != '(')) {
        push_operator(p, NOT_OF, F_not, 0);
        return after;
    }
    if (function == F_NONE || after >= end || p->text[after] != '(') {
        return 0;
    }
    if (function == F_softmax && (p->operator_count > 0 || p->value_count > 0)) {
        return 0;
    }
    push_operator(p, 0, function, p->value_count);
    /* In a single expression, an activation is a hidden neuron that is mentioned where it
     * stands. */
    p->so_far.mentions += !LAYERED && is_activation[function];
    return after + 1;
}
#endif
