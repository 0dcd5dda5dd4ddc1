/* A network as a flat list of nodes: dsgec/network/ir.py and the folding of simplify.py. Sums,
 * differences, negations and products with a constant all become SCALE (value * a), ADD_SCALED (a +
 * value * b) and ADD_CONSTANT (a + value): multiplying by 1 or -1 is exact. */
#ifndef DSGEC_NODES_C
#define DSGEC_NODES_C
#include "arithmetic.h"
#include "functions.h"
#include "variant.h"

typedef enum {
    CONSTANT,
    INPUT,
    SCALE,
    ADD_SCALED,
    ADD_CONSTANT,
    MULTIPLY,
    WHOLE_POWER, /* a to the power `value` */
#define X(name, symbol, activation) OF_##name,
    UNARY_FUNCTIONS(X)
    BINARY_FUNCTIONS(X)
    TERNARY_FUNCTIONS(X)
#undef X
    DOT, /* on the tape: a sum of products with its constant and sigmoid */
    FILL, /* on the tape: a constant in every row */
    AS_WRITTEN /* for phenotypes parsed as written: this + the function */
} Operation;
typedef char operations_fit[AS_WRITTEN + F_NONE <= 255 ? 1 : -1]; /* into a node */

typedef struct {
    double value; /* of a function of three nodes, the third: see third_of */
    int32_t a, b; /* earlier nodes, or the column of an INPUT, or -1 */
    uint8_t operation, written; /* written: a numeral of the phenotype */
#if LEARNING
    int32_t link;        /* of `value`: see link_of */
    uint32_t key, key_b; /* which function of the phenotype reads `a`, and `b` */
#endif
} Node;

/* The nodes. Those from `first` on belong to the current expression and have one reader each. */
typedef struct {
    Node *items;
    size_t capacity;
    int32_t count, first;
#if LEARNING
    uint32_t key; /* number of functions applied so far */
#endif
} Nodes;

/* Add a node, for which there is room, and return its index. */
static inline int32_t add_node(Nodes *nodes, Operation operation, int32_t a, int32_t b,
                               double value) {
    Node *node = &nodes->items[nodes->count];
    node->value = value;
    node->a = a;
    node->b = b;
    node->operation = (uint8_t)operation;
    node->written = 0;
#if LEARNING
    node->link = 0;
    node->key = node->key_b = nodes->key;
#endif
    return nodes->count++;
}

/* Return the third node that a node reads, or -1. */
static inline int32_t third_of(const Node *node) {
    int operation = node->operation;
#define X(name, symbol, activation) || operation == OF_##name
    if (operation >= AS_WRITTEN ? arity[operation - AS_WRITTEN] == 3 : 0 TERNARY_FUNCTIONS(X)) {
        return (int32_t)node->value;
    }
#undef X
    return -1;
}

/* Return what `value` is of a function whose third operand is `c`, or -1. */
static inline double with_third(int32_t c) {
    return c < 0 ? 0.0 : (double)c;
}

/* Return the link of a node, which tells which weight of the phenotype its value is: 1 + the index
 * of the weight, negated if the value is minus the weight, and 0 if it is not a weight:
 * dsgec/search/gradient.py. Without LEARNING all links are 0. */
static inline int32_t link_of(const Nodes *nodes, int32_t i) {
#if LEARNING
    return nodes->items[i].link;
#else
    return (void)nodes, (void)i, 0;
#endif
}

static inline int32_t with_link(Nodes *nodes, int32_t i, int32_t link) {
#if LEARNING
    nodes->items[i].link = link;
#endif
    return (void)nodes, (void)link, i;
}

/* Return the index of the function of the phenotype that reads the operand `a` or `b` of a node. */
static inline uint32_t key_a_of(const Nodes *nodes, int32_t i) {
#if LEARNING
    return nodes->items[i].key;
#else
    return (void)nodes, (void)i, 0;
#endif
}

static inline uint32_t key_b_of(const Nodes *nodes, int32_t i) {
#if LEARNING
    return nodes->items[i].key_b;
#else
    return (void)nodes, (void)i, 0;
#endif
}

static inline int32_t with_key_b(Nodes *nodes, int32_t i, uint32_t key) {
#if LEARNING
    nodes->items[i].key_b = key;
#endif
    return (void)nodes, (void)key, i;
}

/* Return the index of the function that was applied last. */
static inline uint32_t last_key(const Nodes *nodes) {
#if LEARNING
    return nodes->key;
#else
    return (void)nodes, 0;
#endif
}

static inline void count_applied(Nodes *nodes, uint32_t functions) {
#if LEARNING
    nodes->key += functions;
#endif
    (void)nodes, (void)functions;
}

/* Exclude a weight from learning. */
static inline void freeze(Nodes *nodes, int32_t i) {
    if (LEARNING && nodes->items[i].operation == CONSTANT) {
        with_link(nodes, i, 0);
    }
}

/* Return whether a node may be folded into its reader. With LEARNING a neuron may not: its
 * gradients are summed before they are passed on to its weights. */
static inline int is_part(const Nodes *nodes, int32_t i) {
    return !LEARNING || i >= nodes->first;
}

static double whole_power(double base, int exponent) {
    unsigned bits = (unsigned)(exponent < 0 ? -exponent : exponent), bit = 1;
    double result = base;
    if (exponent == 0) {
        return 1.0;
    }
    while (bit <= bits / 2) {
        bit *= 2;
    }
    for (bit /= 2; bit > 0; bit /= 2) {
        result = result * result;
        if (bits & bit) {
            result = result * base;
        }
    }
    return exponent < 0 ? dsgec_div(1.0, result) : result;
}

static double apply_constants(Function function, double a, double b, double c) {
    switch (function) {
    case F_add: return a + b;
    case F_sub: return a - b;
    case F_mul: return a * b;
    case F_pow: return whole_power(a, (int)b);
#define X(name, symbol, activation) case F_##name: return dsgec_##symbol(a);
    UNARY_FUNCTIONS(X)
#undef X
#define X(name, symbol, activation) case F_##name: return dsgec_##symbol(a, b);
    BINARY_FUNCTIONS(X)
#undef X
#define X(name, symbol, activation) case F_##name: return dsgec_##symbol(a, b, c);
    TERNARY_FUNCTIONS(X)
#undef X
    case F_softmax:
    case F_NONE: break;
    }
    abort(); /* the parser applies neither */
}

static Operation operation_of(Function function) {
    switch (function) {
    case F_mul: return MULTIPLY;
#define X(name, symbol, activation) case F_##name: return OF_##name;
    UNARY_FUNCTIONS(X)
    BINARY_FUNCTIONS(X)
    TERNARY_FUNCTIONS(X)
#undef X
    case F_add:
    case F_sub:
    case F_pow:
    case F_softmax:
    case F_NONE: break;
    }
    abort(); /* these have no operation of their own */
}

/* Add a node, in place of the node `spent` if that is the last one and has no other reader: most
 * nodes are constants and products within a sum. */
static int32_t put_node(Nodes *nodes, int32_t spent, Operation operation, int32_t a, int32_t b,
                        double value) {
    if (spent == nodes->count - 1 && spent >= nodes->first && a != spent && b != spent) {
        nodes->count--;
    }
    return add_node(nodes, operation, a, b, value);
}

/* Add constant * a, where the constant may be the node just before `a`. */
static int32_t add_product(Nodes *nodes, int32_t number, int32_t a) {
    double value = nodes->items[number].value;
    int32_t link = link_of(nodes, number);
    if (number == a - 1 && a == nodes->count - 1 && number >= nodes->first &&
        nodes->items[a].operation == INPUT) {
        nodes->items[number] = nodes->items[a];
        nodes->count--;
        a = number;
    }
    return with_link(nodes, put_node(nodes, number, SCALE, a, -1, value), link);
}

/* Add a + factor * b, of which at most one is a constant. */
static int32_t add_sum(Nodes *nodes, int32_t a, double factor, int32_t b) {
    const Node *left = &nodes->items[a], *right = &nodes->items[b];
    int32_t link = factor < 0.0 ? -link_of(nodes, b) : link_of(nodes, b), sum;
    uint32_t key;
    if (right->operation == CONSTANT) {
        sum = put_node(nodes, b, ADD_CONSTANT, a, -1, factor * right->value);
        return with_link(nodes, sum, link);
    }
    if (left->operation == CONSTANT) {
        double number = left->value;
        int32_t scaled = factor == 1.0 ? b : add_node(nodes, SCALE, b, -1, factor);
        sum = add_node(nodes, ADD_CONSTANT, scaled, -1, number);
        return with_link(nodes, sum, link_of(nodes, a));
    }
    if (right->operation == SCALE && is_part(nodes, b)) {
        key = key_a_of(nodes, b);
        sum = put_node(nodes, b, ADD_SCALED, a, right->a, factor * right->value);
        return with_key_b(nodes, with_link(nodes, sum, link), key);
    }
    if (left->operation == SCALE && factor == 1.0 && is_part(nodes, a)) {
        sum = add_node(nodes, ADD_SCALED, b, left->a, left->value);
        return with_key_b(nodes, with_link(nodes, sum, link_of(nodes, a)), key_a_of(nodes, a));
    }
    return add_node(nodes, ADD_SCALED, a, b, factor);
}

enum { MOST_MULTIPLICATIONS = 16 }; /* of an integer power, and a few more */

/* Only an integer that is written out makes a power a repeated multiplication. */
static int is_whole_power(const Node *exponent) {
    double value = exponent->value;
    return exponent->written && value >= -64.0 && value <= 64.0 && value == (int)value;
}

static int32_t apply_power(Nodes *nodes, int32_t a, int32_t b) {
    const Node *exponent = &nodes->items[b];
    double value = exponent->value;
    int base_is_number = nodes->items[a].operation == CONSTANT;
    double base = nodes->items[a].value;
    freeze(nodes, a);
    freeze(nodes, b);
    if (!is_whole_power(exponent)) {
        if (base_is_number && exponent->operation == CONSTANT) {
            return add_node(nodes, CONSTANT, -1, -1, dsgec_power(base, value));
        }
        return add_node(nodes, OF_power, a, b, 0.0);
    }
    if (base_is_number || value == 0.0) {
        return add_node(nodes, CONSTANT, -1, -1, whole_power(base, (int)value));
    }
    a = add_node(nodes, WHOLE_POWER, a, -1, value);
    count_applied(nodes, MOST_MULTIPLICATIONS);
    return a;
}

/* Add a function of nodes without folding, for simplify.c. */
static int32_t apply_as_written(Nodes *nodes, int function, int32_t a, int32_t b, int32_t c) {
    if (function == F_pow && !is_whole_power(&nodes->items[b])) {
        function = F_power;
    }
    return add_node(nodes, (Operation)(AS_WRITTEN + function), a, b, with_third(c));
}

/* Add a function of nodes, folding constants. What it does not have is -1. */
static int32_t apply(Nodes *nodes, Function function, int32_t a, int32_t b, int32_t c) {
    const Node *left = &nodes->items[a], *right = b < 0 ? NULL : &nodes->items[b];
    const Node *last = c < 0 ? NULL : &nodes->items[c];
    count_applied(nodes, 1);
    if (function == F_pow) {
        return apply_power(nodes, a, b);
    }
    if (left->operation == CONSTANT && (right == NULL || right->operation == CONSTANT) &&
        (last == NULL || last->operation == CONSTANT)) {
        double value = apply_constants(function, left->value, right ? right->value : 0.0,
                                       last ? last->value : 0.0);
        return add_node(nodes, CONSTANT, -1, -1, value);
    }
    switch (function) {
    case F_add: return add_sum(nodes, a, 1.0, b);
    case F_sub: return add_sum(nodes, a, -1.0, b);
    case F_neg: return add_node(nodes, SCALE, a, -1, -1.0);
    case F_mul:
        if (left->operation == CONSTANT) {
            return add_product(nodes, a, b);
        }
        if (right->operation == CONSTANT) {
            return add_product(nodes, b, a);
        }
        break;
    case F_power:
        freeze(nodes, a);
        freeze(nodes, b);
        break;
    default: break;
    }
    return add_node(nodes, operation_of(function), a, b, with_third(c));
}
#endif
