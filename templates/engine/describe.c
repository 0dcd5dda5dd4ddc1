/* Describe a simplified network by its sizes and its text: dsgec/network/structure.py and text.py.
 * A constant is written as `@` and its bits in hexadecimal, since only Python prints numbers. */
#ifndef DSGEC_DESCRIBE_C
#define DSGEC_DESCRIBE_C
#include "simplify.c"

/* An entry of the stack of what is to be printed: a text, or a node and how strongly it must
 * bind. */
typedef struct {
    const char *text;
    int32_t node, strength;
} Todo;

typedef struct {
    Parser parser;
    SimplifiedNetwork network;
    int64_t *mentions; /* number of features and neurons below a node, down to the next neuron */
    Todo *todo;
    size_t mentions_capacity, todo_capacity;
    int32_t todo_count;
    Buffer text;
} Describer;

static void free_describer(Describer *d) {
    free_parser(&d->parser);
    free_simplified(&d->network);
    free(d->mentions);
    free(d->todo);
    free(d->text.data);
}

static int count_mentions(Describer *d, dsgec_engine_network *answer) {
    const SimplifiedNetwork *s = &d->network;
    const Nodes *nodes = &s->folded.nodes;
    int32_t i;
    if (!RESERVE(d->mentions, d->mentions_capacity, nodes->count)) {
        return 0;
    }
    answer->layers = s->kept_layers;
    answer->neurons = s->kept_count;
    answer->features = answer->connections = 0;
    for (i = 0; i < nodes->count; i++) {
        const Node *node = &nodes->items[i];
        d->mentions[i] = node->operation == INPUT;
        if (!s->live[i]) {
            continue;
        }
        answer->features += node->operation == INPUT;
        if (node->operation >= AS_WRITTEN) {
            int32_t c = third_of(node);
            d->mentions[i] = d->mentions[node->a] + (node->b < 0 ? 0 : d->mentions[node->b]) +
                             (c < 0 ? 0 : d->mentions[c]);
        }
        if (s->layer[i] > 0) {
            answer->connections += d->mentions[i];
            d->mentions[i] = 1;
        }
    }
    for (i = 0; i < s->output_count; i++) {
        answer->connections += d->mentions[s->outputs[i]];
    }
    return 1;
}

static int print(Buffer *text, const char *piece) {
    size_t length = strlen(piece);
    if (!RESERVE(text->data, text->capacity, text->length + length)) {
        return 0;
    }
    memcpy(text->data + text->length, piece, length);
    text->length += length;
    return 1;
}

static int print_index(Buffer *text, const char *before, int64_t number) {
    char digits[24], *at = digits + sizeof digits - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return print(text, before) && print(text, at);
}

static int print_number(Buffer *text, double value, int32_t strength) {
    uint64_t bits = dsgec_bits(value);
    int brackets = bits >> 63 && strength > NEGATION, i;
    char digits[18];
    digits[0] = '@';
    for (i = 0; i < 16; i++) {
        digits[1 + i] = "0123456789abcdef"[bits >> (60 - 4 * i) & 15];
    }
    digits[17] = '\0';
    return print(text, brackets ? "(" : "") && print(text, digits) &&
           print(text, brackets ? ")" : "");
}

static int print_neuron(Buffer *text, const SimplifiedNetwork *s, int32_t position) {
    return print_index(text, "h_", s->layer[position]) &&
           print_index(text, "_", s->number[position]);
}

static int later(Describer *d, const char *text, int32_t node, int32_t strength) {
    Todo *todo;
    if (!RESERVE(d->todo, d->todo_capacity, d->todo_count + 1)) {
        return 0;
    }
    todo = &d->todo[d->todo_count++];
    todo->text = text;
    todo->node = node;
    todo->strength = strength;
    return 1;
}

static int later_pair(Describer *d, const Node *node, const char *sign, int32_t own,
                      int32_t strength) {
    /* `^` binds to the right, comparisons to neither side, the others to the left. */
    int left = own != POWER_OF && own != COMPARISON, brackets = own < strength;
    return later(d, brackets ? ")" : "", -1, 0) && later(d, NULL, node->b, own + (own != POWER_OF)) &&
           later(d, sign, -1, 0) && later(d, NULL, node->a, own + !left) &&
           later(d, brackets ? "(" : "", -1, 0);
}

static int later_function(Describer *d, const Node *node, int32_t strength) {
    int function = node->operation - AS_WRITTEN, brackets;
    switch (function) {
    case F_lt: return later_pair(d, node, " < ", COMPARISON, strength);
    case F_le: return later_pair(d, node, " <= ", COMPARISON, strength);
    case F_gt: return later_pair(d, node, " > ", COMPARISON, strength);
    case F_ge: return later_pair(d, node, " >= ", COMPARISON, strength);
    case F_eq: return later_pair(d, node, " = ", COMPARISON, strength);
    case F_ne: return later_pair(d, node, " != ", COMPARISON, strength);
    case F_add: return later_pair(d, node, " + ", SUM_OF, strength);
    case F_sub: return later_pair(d, node, " - ", SUM_OF, strength);
    case F_mul: return later_pair(d, node, " * ", PRODUCT_OF, strength);
    case F_div: return later_pair(d, node, " / ", PRODUCT_OF, strength);
    case F_pow: return later_pair(d, node, " ^ ", POWER_OF, strength);
    case F_neg:
        brackets = strength > NEGATION;
        if (d->network.folded.nodes.items[node->a].operation == CONSTANT) {
            return later(d, brackets ? "))" : ")", -1, 0) && later(d, NULL, node->a, 0) &&
                   later(d, brackets ? "(-(" : "-(", -1, 0);
        }
        return later(d, brackets ? ")" : "", -1, 0) && later(d, NULL, node->a, NEGATION) &&
               later(d, brackets ? "(-" : "-", -1, 0);
    default:
        return later(d, ")", -1, 0) &&
               (third_of(node) < 0 ||
                (later(d, NULL, third_of(node), 0) && later(d, ", ", -1, 0))) &&
               (node->b < 0 || (later(d, NULL, node->b, 0) && later(d, ", ", -1, 0))) &&
               later(d, NULL, node->a, 0) && later(d, "(", -1, 0) &&
               later(d, function_names[function], -1, 0);
    }
}

/* Print the expression of a node; neurons of layers before `layer` are printed by name. */
static int print_expression(Describer *d, int32_t position, int32_t layer) {
    const SimplifiedNetwork *s = &d->network;
    d->todo_count = 0;
    if (!later(d, NULL, position, 0)) {
        return 0;
    }
    while (d->todo_count > 0) {
        Todo todo = d->todo[--d->todo_count];
        const Node *node = todo.node < 0 ? NULL : &s->folded.nodes.items[todo.node];
        int done;
        if (node == NULL) {
            done = print(&d->text, todo.text);
        } else if (s->layer[todo.node] > 0 && s->layer[todo.node] < layer) {
            done = print_neuron(&d->text, s, todo.node);
        } else if (node->operation == CONSTANT) {
            done = print_number(&d->text, node->value, todo.strength);
        } else if (node->operation == INPUT) {
            done = print_index(&d->text, "x_", (int64_t)node->a + 1);
        } else {
            done = later_function(d, node, todo.strength);
        }
        if (!done) {
            return 0;
        }
    }
    return 1;
}

static int print_outputs(Describer *d) {
    const SimplifiedNetwork *s = &d->network;
    int softmax = d->parser.softmax;
    int32_t i;
    for (i = 0; softmax && i < s->output_count; i++) {
        if (!print_index(&d->text, i > 0 ? ", y_" : "y_", (int64_t)i + 1)) {
            return 0;
        }
    }
    for (i = 0; i < s->output_count; i++) {
        int begun = softmax ? print(&d->text, i > 0 ? ", " : " = softmax(")
                            : print_index(&d->text, "y_", (int64_t)i + 1) && print(&d->text, " = ");
        if (!begun || !print_expression(d, s->outputs[i], INT32_MAX) ||
            (!softmax && !print(&d->text, "\n"))) {
            return 0;
        }
    }
    return !softmax || print(&d->text, ")\n");
}

/* Print the equations of the network, in the order in which it computes. */
static int print_network(Describer *d) {
    const SimplifiedNetwork *s = &d->network;
    int32_t i;
    d->text.length = 0;
    if (!print_index(&d->text, "inputs = ", d->parser.inputs) || !print(&d->text, "\n")) {
        return 0;
    }
    for (i = 0; i < s->kept_count; i++) {
        int32_t position = s->kept[i];
        if (!print_neuron(&d->text, s, position) || !print(&d->text, " = ") ||
            !print_expression(d, position, s->layer[position]) || !print(&d->text, "\n")) {
            return 0;
        }
    }
    return print_outputs(d);
}

/* Simplify the network of a phenotype; it is valid until the next call. */
static int simplify_phenotype(Describer *d, size_t features, const char *text, size_t length) {
    int parsed;
    d->parser.as_written = 1;
    d->parser.inputs = (int32_t)features;
    parsed = parse(&d->parser, text, length);
    if (parsed == NO_NETWORK) {
        return BAD_CALL;
    }
    return parsed == PARSED && simplify(&d->network, &d->parser) ? OK : NO_MEMORY;
}

static int describe(Describer *d, size_t features, const char *text, size_t length,
                    dsgec_engine_network *answer) {
    int error = simplify_phenotype(d, features, text, length);
    if (error != OK) {
        return error;
    }
    if (!count_mentions(d, answer) || !print_network(d)) {
        return NO_MEMORY;
    }
    answer->text = d->text.data;
    answer->text_length = (int64_t)d->text.length;
    return OK;
}
#endif
