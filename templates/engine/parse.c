/* Parse a phenotype to nodes: the operator-precedence parser of dsgec/network/parse.py. */
#ifndef DSGEC_PARSE_C
#define DSGEC_PARSE_C
#include "grammar.h"
#include "operands.c"

static inline int32_t make_node(Parser *p, int function, int32_t a, int32_t b, int32_t c) {
    return p->as_written ? apply_as_written(&p->nodes, function, a, b, c)
                         : apply(&p->nodes, (Function)function, a, b, c);
}

static void call(Parser *p, int function, int32_t arguments) {
    const int32_t *first = p->values + (p->value_count -= arguments);
    push_value(p, make_node(p, function, first[0], arguments > 1 ? first[1] : -1,
                            arguments > 2 ? first[2] : -1));
}

/* Apply the operators that bind at least as strongly, down to an open parenthesis. */
static inline void reduce_all(Parser *p, int32_t strength) {
    while (p->operator_count > 0) {
        const Operator *top = &p->operators[p->operator_count - 1];
        /* `^` binds to the right, and comparisons are not chained. */
        if (top->strength == 0 || top->strength < strength ||
            (top->strength == strength && (strength == POWER_OF || strength == COMPARISON))) {
            return;
        }
        p->operator_count--;
        call(p, top->function, arity[top->function]);
    }
}

/* Handle `)` or `,`; `softmax` tells whether it closed one. */
static int close_parenthesis(Parser *p, char sign) {
    const Operator *opened;
    reduce_all(p, 0);
    if (p->operator_count == 0) {
        return 0;
    }
    opened = &p->operators[p->operator_count - 1];
    if (sign == ',') {
        return opened->function != F_NONE;
    }
    p->operator_count--;
    if (opened->function == F_softmax) {
        p->softmax = 1;
    } else if (opened->function != F_NONE) {
        int32_t arguments = p->value_count - opened->values_below;
        if (arguments != arity[opened->function]) {
            return 0;
        }
        call(p, opened->function, arguments);
    }
    return 1;
}

static int is_power(const char *text, size_t at, size_t end) {
    at = skip_spaces(text, at, end);
    return at < end && (text[at] == '^' || (text[at] == '*' && at + 1 < end && text[at + 1] == '*'));
}

/* Read a feature or a neuron at `at`; return its end, or 0. */
static inline size_t add_source(Parser *p, size_t at, size_t end) {
    if (p->text[at] == 'x') {
        return add_feature(p, at, end);
    }
    return p->text[at] == 'h' && at + 1 < end && p->text[at + 1] == '_' ? add_hidden(p, at, end) : 0;
}

/* Add the product of a weight and a source to the sum before it if nothing binds it more strongly;
 * return whether that was done. */
static inline int add_to_sum(Parser *p, int32_t source, double weight, int32_t link, size_t at,
                             size_t end) {
    uint32_t key = last_key(&p->nodes);
    int32_t *sum;
    if (p->operator_count == 0 || p->operators[p->operator_count - 1].strength != SUM_OF ||
        p->operators[p->operator_count - 1].function != F_add) {
        return 0;
    }
    sum = &p->values[p->value_count - 1];
    at = skip_spaces(p->text, at, end);
    if (p->nodes.items[*sum].operation == CONSTANT ||
        (at < end && p->text[at] != '+' && p->text[at] != ')')) {
        return 0;
    }
    p->operator_count--;
    count_applied(&p->nodes, 1);
    *sum = add_node(&p->nodes, ADD_SCALED, *sum, source, weight);
    with_key_b(&p->nodes, with_link(&p->nodes, *sum, link), key);
    return 1;
}

/* Read `* x_1` after a number, which is most of any network, in one step; return its end, or 0.
 * Nothing may bind the number to its left, and no power may follow. */
static inline size_t add_weighted(Parser *p, double weight, int32_t link, size_t at, size_t end) {
    Mentions before = p->so_far;
    size_t after;
    int32_t source;
    if (at + 1 >= end || p->text[at] != '*' || p->as_written ||
        (p->operator_count > 0 && p->operators[p->operator_count - 1].strength > SUM_OF)) {
        return 0;
    }
    after = add_source(p, at + 1, end);
    if (after == 0) {
        return 0;
    }
    source = p->values[--p->value_count];
    if (is_power(p->text, after, end) || p->nodes.items[source].operation == CONSTANT) {
        p->nodes.count -= source >= p->nodes.first;
        p->so_far = before;
        return 0;
    }
    count_applied(&p->nodes, 1);
    if (add_to_sum(p, source, weight, link, after, end)) {
        return after;
    }
    push_value(p, with_link(&p->nodes, add_node(&p->nodes, SCALE, source, -1, weight), link));
    return after;
}

/* Add a number that was read, with the source that it is the weight of; return the offset after it,
 * or 0. */
static inline size_t add_operand(Parser *p, double value, int32_t link, size_t after, size_t end) {
    size_t weighted = add_weighted(p, value, link, after, end);
    if (weighted > 0) {
        return value <= DBL_MAX && value >= -DBL_MAX ? weighted : 0;
    }
    return add_constant(p, value, link) ? after : 0;
}

/* Read a weight with a known value at `at`; return its end, or 0. */
static inline size_t add_known(Parser *p, size_t at, size_t end) {
#if LEARNING
    for (; p->known != NULL && p->weight < p->weight_count; p->weight++) {
        size_t offset = (size_t)p->weights[p->weight].offset;
        size_t after = at + (size_t)p->weights[p->weight].length;
        double value = p->known[p->weight];
        if (offset == at && !(p->text[at] == '-' && is_power(p->text, after, end))) {
            value = p->text[at] == '-' && value == 0.0 ? -0.0 : value;
            return add_operand(p, value, p->weight + 1, after, end);
        }
        if (offset >= at) {
            break;
        }
    }
#endif
    return (void)p, (void)at, (void)end, 0;
}

/* Read an operand, or what may precede one, at `at`; return the offset after it, or 0. */
static inline size_t read_operand(Parser *p, size_t at, size_t end, int *operand_next) {
    const char *text = p->text;
    double value = 0.0;
    size_t after = add_known(p, at, end), start;
    char c = text[at];
    *operand_next = 0;
    if (after > 0) {
        return after;
    }
    after = scan_number(text, at, end, &value);
    if (after > at) {
        return add_operand(p, value, find_link(p, at, at, after), after, end);
    }
    if ((after = add_source(p, at, end)) > 0) {
        return after;
    }
    if (c == '-') {
        start = skip_spaces(text, at + 1, end);
        after = scan_number(text, start, end, &value);
        if (after > start && !is_power(text, after, end)) {
            return add_operand(p, -value, find_link(p, at, start, after), after, end);
        }
        push_operator(p, NEGATION, F_neg, 0);
        *operand_next = 1;
        return at + 1;
    }
    *operand_next = 1;
    if (c == '(') {
        push_operator(p, 0, F_NONE, p->value_count);
        return at + 1;
    }
    if (c == '+') {
        return at + 1;
    }
    return is_letter(c) ? open_call(p, at, end) : 0;
}

/* Read what may follow an operand, at `at`; return the offset after it, or 0. */
static inline size_t read_operator(Parser *p, size_t at, size_t end, int *operand_next) {
    int32_t strength = COMPARISON, function;
    char c = p->text[at];
    int is_equal = at + 1 < end && p->text[at + 1] == '=';
    size_t start;
    if (c == ')' || c == ',') {
        *operand_next = c == ',';
        return close_parenthesis(p, c) ? at + 1 : 0;
    }
    at++;
    switch (c) {
    case '+': strength = SUM_OF, function = F_add; break;
    case '-': strength = SUM_OF, function = F_sub; break;
    case '/': strength = PRODUCT_OF, function = F_div; break;
    case '^': strength = POWER_OF, function = F_pow; break;
    case '*':
        if (at < end && p->text[at] == '*') {
            at++;
            strength = POWER_OF, function = F_pow;
        } else {
            strength = PRODUCT_OF, function = F_mul;
        }
        break;
    case '<': function = is_equal ? F_le : F_lt, at += (size_t)is_equal; break;
    case '>': function = is_equal ? F_ge : F_gt, at += (size_t)is_equal; break;
    case '=': function = F_eq, at += (size_t)is_equal; break;
    case '!':
        if (!is_equal) {
            return 0;
        }
        function = F_ne, at++;
        break;
    default:
        if (!is_letter(c)) {
            return 0;
        }
        start = at - 1;
        at = skip_name(p->text, start, end);
        function = find_function(p, start, at);
        strength = strength_of_word[function];
        if (strength == 0) {
            return 0;
        }
    }
    reduce_all(p, strength);
    if (strength == COMPARISON && p->operator_count > 0 &&
        p->operators[p->operator_count - 1].strength == COMPARISON) {
        return 0;
    }
    push_operator(p, strength, function, 0);
    *operand_next = 1;
    return at;
}

/* Read one expression and leave its values in `values`; only a softmax has several. */
static int read_neuron(Parser *p, size_t at, size_t end) {
    int operand_next = 1;
    p->value_count = p->operator_count = 0;
    p->softmax = 0;
    p->nodes.first = p->nodes.count;
    for (;;) {
        at = skip_spaces(p->text, at, end);
        if (at >= end) {
            break;
        }
        if (p->softmax) {
            return 0;
        }
        at = operand_next ? read_operand(p, at, end, &operand_next)
                          : read_operator(p, at, end, &operand_next);
        if (at == 0) {
            return 0;
        }
    }
    if (operand_next) {
        return 0;
    }
    reduce_all(p, 0);
    return p->operator_count == 0;
}

static int read_single(Parser *p, size_t start, size_t end) {
    return read_neuron(p, start, end) && !p->softmax;
}

/* Read the hidden layers. A layer can refer only to the layers before it, so it is counted when it
 * is complete. */
static int read_hidden(Parser *p, size_t stretches, size_t *done) {
    size_t i = 0, last = stretches - 1;
    while (last > 0 && !p->stretches.items[last - 1].ends_layer) {
        last--;
    }
    for (; i < last; i++) {
        const Stretch *stretch = &p->stretches.items[i];
        if (!read_single(p, stretch->start, stretch->end)) {
            return 0;
        }
        freeze(&p->nodes, p->values[0]);
        p->neurons[p->neuron_count] = p->values[0];
        p->written[p->neuron_count++] = p->so_far;
        p->so_far.mentions = 0;
        if (stretch->ends_layer) {
            p->layers[p->layer_count++] = p->neuron_count;
        }
    }
    *done = last;
    return 1;
}

static void keep_outputs(Parser *p) {
    memcpy(p->outputs + p->output_count, p->values, (size_t)p->value_count * sizeof *p->outputs);
    p->output_count += p->value_count;
}

static int read_outputs(Parser *p, size_t first, size_t stretches) {
    const Stretch *stretch = &p->stretches.items[first];
    size_t i;
    if (stretches - first == 1) {
        int read = read_neuron(p, stretch->start, stretch->end);
        keep_outputs(p);
        return read;
    }
    for (i = first; i < stretches; i++, stretch++) {
        if (!read_single(p, stretch->start, stretch->end)) {
            return 0;
        }
        keep_outputs(p);
    }
    return 1;
}

/* Parse a phenotype: PARSED with nodes, outputs and softmax, or NO_NETWORK where Python refuses
 * it. */
static int parse(Parser *p, const char *text, size_t length) {
    size_t count, done = 0;
    int read;
    p->text = text;
    p->nodes.count = 0;
#if LEARNING
    p->nodes.key = 0;
    p->weight = 0;
#endif
    p->stretches.count = 0;
    p->neuron_count = p->layer_count = p->output_count = 0;
    p->so_far.mentions = p->so_far.reads = 0;
    if (!have_stacks(p, length)) {
        return PARSE_NO_MEMORY;
    }
    if (LAYERED) {
        if (!cut(text, length, &p->stretches, &count)) {
            return PARSE_NO_MEMORY;
        }
        read = read_hidden(p, count, &done) && read_outputs(p, done, count);
    } else {
        read = read_neuron(p, 0, length);
        keep_outputs(p);
    }
    if (read && grammar.sigmoid && p->output_count == 1 && !p->softmax) {
        p->outputs[0] = make_node(p, F_sig, p->outputs[0], -1, -1);
    }
    return read ? PARSED : NO_NETWORK;
}

/* Return the number of connections as written, without those into neurons that no output depends
 * on: `count_connections` of dsgec/network/structure.py. Neurons read only earlier ones, so one
 * backward pass finds all that are needed. */
static int32_t count_connections(Parser *p) {
    int32_t *needed = p->values, total = 0, i, k;
    memset(needed, 0, (size_t)p->neuron_count * sizeof *needed);
    for (i = p->neuron_count; i >= 0; i--) {
        const Mentions *expression = i == p->neuron_count ? &p->so_far : &p->written[i];
        if (i == p->neuron_count || needed[i]) {
            total += expression->mentions;
            for (k = i > 0 ? p->written[i - 1].reads : 0; k < expression->reads; k++) {
                needed[p->reads[k]] = 1;
            }
        }
    }
    return total;
}
#endif
