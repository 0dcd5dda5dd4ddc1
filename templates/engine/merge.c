/* Merge the terms of a sum that have the same source: dsgec/grammar/genome/merge.py. */
#include "tree.c"
#include "variant.h"
#if TREES && !defined(DSGEC_MERGE_C)
#define DSGEC_MERGE_C

enum { CONSTANT_TERM = 0, ADDS = 1, MULTIPLIES = 0, BINDS = 2, OWN_SUM = 0, NO_SUM = -1 };

/* The position of a node: its parent, its index among the children, its sum, or none, and its sign
 * in it. `replaced` is the child that has taken its place, or -1. */
typedef struct {
    int32_t parent, child, sum, sign, replaced;
    uint8_t may_begin, removed;
} Position;

/* A term; `previous` is the preceding term of the same sum, or -1. */
typedef struct {
    int32_t source, number, sign, top, previous;
} SumTerm;

/* The working memory; `last` holds the last term of each sum. */
typedef struct {
    Position *places;
    SumTerm *terms;
    int32_t *last;
    size_t places_capacity, terms_capacity, last_capacity;
    int32_t term_count, sum_count;
    int any_removed, out_of_memory;
} Merger;

static void free_merger(Merger *m) {
    free(m->places);
    free(m->terms);
    free(m->last);
}

static const Shape *shape_of(const TreeNode *node) {
    return &shapes[first_shape[node->rule] + node->choice];
}

static void begin_sums(Merger *m, int32_t count) {
    if (!RESERVE(m->last, m->last_capacity, m->sum_count + count)) {
        m->out_of_memory = 1;
        return;
    }
    for (; count > 0; count--) {
        m->last[m->sum_count++] = -1;
    }
}

static int32_t child_at(const Tree *tree, int32_t at, int32_t number) {
    for (at++; number > 0; number--) {
        at = tree->items[at].end;
    }
    return at;
}

/* Return the effect of the operator next to a child; ADDS if it is not a symbol. */
static int32_t effect_at(const Tree *tree, int32_t parent, int32_t operator_child) {
    const TreeNode *node;
    if (operator_child < 0) {
        return ADDS;
    }
    node = &tree->items[child_at(tree, parent, operator_child)];
    return effects[first_shape[node->rule] + node->choice];
}

static int stands_close(const Merger *m, const Tree *tree, int32_t at) {
    const TreeNode *node;
    while (m->places[at].replaced >= 0) {
        at = m->places[at].replaced;
    }
    node = &tree->items[at];
    return makes_weights(node->rule) || names_source[node->rule] || shape_of(node)->is_close;
}

/* Remove a term by replacing its parent by the remaining child; return whether that is possible. */
static int remove_term(Merger *m, const Tree *tree, int32_t at) {
    while (at >= 0) {
        int32_t child = m->places[at].child, parent = m->places[at].parent, remaining, kept, i;
        const Role *own;
        const Shape *shape;
        if (parent < 0) {
            return 0;
        }
        shape = shape_of(&tree->items[parent]);
        if (m->places[parent].replaced >= 0 || shape->is_only) {
            at = parent;
            continue;
        }
        own = &roles[branch_of(tree->items[parent].rule, tree->items[parent].choice)->first_child];
        remaining = own[child].remaining;
        if (remaining < 0 ||
            (remaining > child && effect_at(tree, parent, own[remaining].before) != ADDS)) {
            return 0;
        }
        kept = child_at(tree, parent, remaining);
        if (shape->in_parentheses && !stands_close(m, tree, kept)) {
            return 0;
        }
        m->places[parent].replaced = kept;
        for (i = parent; i < tree->items[parent].end; i++) {
            m->places[i].removed |= i < kept || i >= tree->items[kept].end;
        }
        m->any_removed = 1;
        return 1;
    }
    return 0;
}

static double number_at(const TreeNode *node) {
    return numeral_values[numeral_lists[node->rule].first + node->choice];
}

/* Add the weight of a removed term to that of another. */
static void move_term(Tree *tree, const SumTerm *to, const SumTerm *removed) {
    TreeNode *node = &tree->items[to->number];
    double value = removed->number < 0 ? 1.0 : number_at(&tree->items[removed->number]);
    double sign = (double)(to->sign * removed->sign);
    node->choice = nearest(node->rule, number_at(node) + sign * value);
}

/* Merge a term with the first one of the same source in the same sum, if there is one. */
static void add_sum_term(Merger *m, Tree *tree, int32_t sum, SumTerm term) {
    int32_t i = m->last[sum];
    SumTerm *earlier;
    while (i >= 0 && m->terms[i].source != term.source) {
        i = m->terms[i].previous;
    }
    if (i < 0) {
        if (!RESERVE(m->terms, m->terms_capacity, m->term_count + 1)) {
            m->out_of_memory = 1;
            return;
        }
        term.previous = m->last[sum];
        m->last[sum] = m->term_count;
        m->terms[m->term_count++] = term;
        return;
    }
    earlier = &m->terms[i];
    if (earlier->number >= 0 && remove_term(m, tree, term.top)) {
        move_term(tree, earlier, &term);
    } else if (term.number >= 0 && remove_term(m, tree, earlier->top)) {
        move_term(tree, &term, earlier);
        term.previous = earlier->previous;
        *earlier = term;
    }
}

/* Return the feature or hidden neuron that a node names. */
static int32_t source_at(const Tree *tree, int32_t at) {
    for (;; at++) { /* a nonterminal may precede it */
        const TreeNode *node = &tree->items[at];
        int32_t feature;
        if (node->choice >= rules[node->rule].productions) {
            return -1 - node->choice;
        }
        feature = named_features[first_shape[node->rule] + node->choice];
        if (feature >= 0) {
            return feature;
        }
    }
}

/* Store the position of a child. */
static void place_child(Merger *m, const Tree *tree, int32_t at, int32_t number, int32_t child,
                        const Role *role, int32_t first) {
    const Position *own = &m->places[at];
    Position *place = &m->places[child];
    int32_t before, after;
    place->parent = at;
    place->child = number;
    place->sum = NO_SUM;
    place->sign = 1;
    place->may_begin = role->may_begin;
    if (role->sum == NO_SUM) {
        return;
    }
    before = effect_at(tree, at, role->before);
    after = effect_at(tree, at, role->after);
    if (before == BINDS || after == BINDS || before == MULTIPLIES || after == MULTIPLIES) {
        place->may_begin = before != BINDS && after != BINDS;
    } else if (role->sum != OWN_SUM) {
        place->sum = first + role->sum - 1;
        place->sign = role->sign * before;
    } else if (own->sum != NO_SUM) {
        place->sum = own->sum;
        place->sign = own->sign * role->sign * before;
    }
}

static SumTerm term_of(int32_t source, int32_t number, int32_t sign, int32_t top) {
    SumTerm term;
    term.source = source;
    term.number = number;
    term.sign = sign;
    term.top = top;
    term.previous = -1;
    return term;
}

/* Find the terms of a node that is neither a weight nor a source. */
static void look_inside(Merger *m, Tree *tree, int32_t at) {
    const TreeNode node = tree->items[at];
    const Shape *shape = shape_of(&node);
    const Branch *branch = branch_of(node.rule, node.choice);
    Position *place = &m->places[at];
    int32_t first, child = at + 1, k;
    if (place->sum == NO_SUM && place->may_begin && shape->in_parentheses) {
        place->sum = m->sum_count;
        place->sign = 1;
        begin_sums(m, 1);
    }
    first = m->sum_count;
    begin_sums(m, shape->begun);
    for (k = 0; k < branch->children; k++) {
        place_child(m, tree, at, k, child, &roles[branch->first_child + k], first);
        child = tree->items[child].end;
    }
    for (k = 0; k < shape->terms && !m->out_of_memory; k++) {
        const WrittenTerm *term = &written_terms[shape->first_term + k];
        int is_own = term->sum == OWN_SUM;
        int32_t sum = is_own ? place->sum : first + term->sum - 1;
        if (sum != NO_SUM) {
            int32_t source = term->source < 0
                                 ? term->feature
                                 : source_at(tree, child_at(tree, at, term->source));
            int32_t number = term->number < 0 ? -1 : child_at(tree, at, term->number);
            int32_t sign = is_own ? place->sign * term->sign : term->sign;
            add_sum_term(m, tree, sum, term_of(source, number, sign, term->is_all ? at : -1));
        }
    }
}

/* Find the terms of a tree, whose ends are set, and merge them where possible; return whether any
 * were merged. The nodes marked as `removed` are not yet dropped. */
static int find_repeats(Merger *m, Tree *tree) {
    int32_t at = 0;
    m->term_count = m->sum_count = 0;
    m->any_removed = m->out_of_memory = 0;
    if (!RESERVE(m->places, m->places_capacity, tree->count)) {
        m->out_of_memory = 1;
        return 0;
    }
    for (at = 0; at < tree->count; at++) {
        m->places[at].replaced = -1;
        m->places[at].removed = 0;
    }
    m->places[0].parent = -1;
    m->places[0].sum = grammar.first_is_sum ? 0 : NO_SUM;
    m->places[0].sign = 1;
    m->places[0].may_begin = 0;
    begin_sums(m, grammar.first_is_sum);
    for (at = 0; at < tree->count && !m->out_of_memory;) {
        const TreeNode *node = &tree->items[at];
        const Position *place = &m->places[at];
        if (makes_weights(node->rule)) {
            if (place->sum != NO_SUM) {
                add_sum_term(m, tree, place->sum, term_of(CONSTANT_TERM, at, place->sign, at));
            }
            at++;
        } else if (names_source[node->rule]) {
            int32_t end = node->end;
            if (place->sum != NO_SUM) {
                add_sum_term(m, tree, place->sum,
                             term_of(source_at(tree, at), -1, place->sign, at));
            }
            at = end;
        } else {
            look_inside(m, tree, at++);
        }
    }
    return m->any_removed && !m->out_of_memory;
}

/* Drop the nodes that are marked as removed. */
static void drop_removed(const Merger *m, Tree *tree) {
    int32_t i, left = 0;
    for (i = 0; i < tree->count; i++) {
        if (!m->places[i].removed) {
            tree->items[left++] = tree->items[i];
        }
    }
    tree->count = left;
}
#endif
