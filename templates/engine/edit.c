/* A single change of a tree: dsgec/grammar/genome/edit.py. */
#include "tree.c"
#include "variant.h"
#if TREES && !defined(DSGEC_EDIT_C)
#define DSGEC_EDIT_C

typedef enum { OTHER, WRAP, HOIST, WAYS } Way;

/* Return whether a subtree may stand so much deeper in the recursion of its symbol. */
static int part_fits(Trees *t, const Tree *tree, int32_t at, int32_t deeper) {
    int32_t count = 1, i, k;
    if (deeper <= 0) {
        return 1;
    }
    if (!RESERVE(t->chain, t->chain_capacity, 1)) {
        t->out_of_memory = 1;
        return 0;
    }
    t->chain[0] = at;
    for (i = 0; i < count; i++) {
        const TreeNode *node = &tree->items[t->chain[i]];
        const Rule *rule = &rules[node->rule];
        const Branch *branch = branch_of(node->rule, node->choice);
        int32_t child = t->chain[i] + 1;
        if (node->choice < 0 || node->choice >= rule->productions ||
            opens[rule->first_production + node->choice] >
                level_of(rule, node->depth + deeper)) {
            return 0;
        }
        if (!RESERVE(t->chain, t->chain_capacity, count + branch->children)) {
            t->out_of_memory = 1;
            return 0;
        }
        for (k = 0; k < branch->children; k++) {
            if (child_symbols[branch->first_child + k] & 1) {
                t->chain[count++] = child;
            }
            child = tree->items[child].end;
        }
    }
    return 1;
}

/* Append the subtree at `at`, whose root then stands at this depth. */
static void keep_part(Trees *t, const Tree *from, int32_t at, int32_t depth) {
    int32_t deeper = depth - from->items[at].depth, count = 1, start = t->edited.count, i, k;
    keep_nodes(t, from, at, from->items[at].end);
    if (!KEEPS_TREES || deeper == 0 || t->out_of_memory) {
        return;
    }
    if (!RESERVE(t->chain, t->chain_capacity, 1)) {
        t->out_of_memory = 1;
        return;
    }
    t->chain[0] = at;
    for (i = 0; i < count; i++) {
        const TreeNode *node = &from->items[t->chain[i]];
        const Branch *branch = branch_of(node->rule, node->choice);
        int32_t child = t->chain[i] + 1;
        t->edited.items[start + t->chain[i] - at].depth += deeper;
        if (!RESERVE(t->chain, t->chain_capacity, count + branch->children)) {
            t->out_of_memory = 1;
            return;
        }
        for (k = 0; k < branch->children; k++) {
            if (child_symbols[branch->first_child + k] & 1) {
                t->chain[count++] = child;
            }
            child = from->items[child].end;
        }
    }
}

/* Return how many children have the symbol of the rule itself. */
static int32_t count_own(int32_t rule, const Branch *branch) {
    int32_t k, own = 0;
    for (k = 0; k < branch->children; k++) {
        own += child_symbols[branch->first_child + k] >> 1 == rule;
    }
    return own;
}

static const Room *room_at(const TreeNode *node) {
    const Rule *rule = &rules[node->rule];
    return &rooms[rule->first_room + level_of(rule, node->depth)];
}

static int32_t count_others(const TreeNode *node) {
    const Room *room = room_at(node);
    const Branch *current = branch_of(node->rule, node->choice);
    int32_t i, count = 0;
    for (i = 0; i < room->options; i++) {
        count += branch_of(node->rule, options[room->first_option + i])->twin != current->twin;
    }
    return count;
}

/* Count the alternatives that contain the symbol itself, and store the one with this index in
 * `chosen`. */
static int32_t count_wraps(const TreeNode *node, int32_t index, int32_t *chosen) {
    const Room *room = room_at(node);
    int32_t i, count = 0;
    for (i = 0; i < room->options; i++) {
        int32_t option = options[room->first_option + i];
        if (count_own(node->rule, branch_of(node->rule, option)) > 0) {
            *chosen = count == index ? option : *chosen;
            count++;
        }
    }
    return count;
}

/* Append the node at `at` with another choice. */
static void put_choice(Trees *t, int32_t at, int32_t choice) {
    TreeNode *node = add_tree_node(t, &t->edited);
    if (node != NULL) {
        *node = t->mother.items[at];
        node->choice = choice;
    }
}

/* Replace an alternative by another; children whose symbols match in order are kept. */
static void apply_other(Trees *t, int32_t at, Stream *random) {
    const TreeNode node = t->mother.items[at];
    const Branch *before = branch_of(node.rule, node.choice), *after;
    int32_t choice = grow_option(node.rule, level_of(&rules[node.rule], node.depth), before, LATER,
                                 random);
    int32_t kept = 0, position = at + 1, k;
    put_choice(t, at, choice);
    after = branch_of(node.rule, choice);
    for (k = 0; k < after->children; k++) {
        int32_t child = child_symbols[after->first_child + k], found = kept, place = position;
        while (found < before->children && t->mother.items[place].rule != child >> 1) {
            place = t->mother.items[place].end;
            found++;
        }
        if (found < before->children) {
            keep_part(t, &t->mother, place, child & 1 ? node.depth + 1 : 0);
            position = t->mother.items[place].end;
            kept = found + 1;
        } else {
            grow_nodes(t, child >> 1, child & 1 ? node.depth + 1 : 0, LATER, random);
        }
    }
}

/* Wrap a subtree: an alternative that contains the symbol itself gets it as that child. */
static void apply_wrap(Trees *t, int32_t at, Stream *random) {
    const TreeNode node = t->mother.items[at];
    const Branch *branch;
    int32_t choice = 0, own, place, k;
    count_wraps(&node, below(random, count_wraps(&node, -1, &choice)), &choice);
    branch = branch_of(node.rule, choice);
    own = count_own(node.rule, branch);
    place = below(random, own);
    put_choice(t, at, choice);
    for (k = 0; k < branch->children; k++) {
        int32_t child = child_symbols[branch->first_child + k];
        if (child >> 1 == node.rule && place-- == 0) {
            keep_part(t, &t->mother, at, child & 1 ? node.depth + 1 : 0);
        } else {
            grow_nodes(t, child >> 1, child & 1 ? node.depth + 1 : 0, LATER, random);
        }
    }
}

/* Hoist a child of the same symbol to the place of its parent; it counts as the same node. */
static void apply_hoist(Trees *t, int32_t at, Stream *random) {
    const TreeNode *node = &t->mother.items[at];
    const Branch *branch = branch_of(node->rule, node->choice);
    int32_t place = below(random, count_own(node->rule, branch)), child = at + 1, k;
    for (k = 0; k < branch->children; k++) {
        if (child_symbols[branch->first_child + k] >> 1 == node->rule && place-- == 0) {
            int32_t top = t->edited.count;
            keep_part(t, &t->mother, child, node->depth);
            if (!t->out_of_memory) {
                t->edited.items[top].origin = at;
            }
            return;
        }
        child = t->mother.items[child].end;
    }
}

/* Replace a weight by a near one or a new one. */
static void apply_move(Trees *t, int32_t at, Stream *random) {
    const TreeNode node = t->mother.items[at];
    int32_t count = numeral_lists[node.rule].count, rank;
    if (chance(random, IS_NEW)) {
        put_choice(t, at, new_weight(node.rule, random));
        if (!t->out_of_memory) {
            t->edited.items[t->edited.count - 1].origin = -1;
        }
    } else {
        double value = numeral_values[numeral_lists[node.rule].first + node.choice];
        double move = gaussian(random), size = value < 0.0 ? -value : value;
        double spread = RELATIVE_MOVE * size > LEAST_MOVE ? RELATIVE_MOVE * size : LEAST_MOVE;
        rank = nearest(node.rule, value + spread * move);
        if (rank == node.choice) { /* the move is smaller than the distance of the numerals */
            rank += move > 0.0 ? 1 : -1;
            rank = rank < 0 ? 0 : rank >= count ? count - 1 : rank;
        }
        put_choice(t, at, rank);
    }
}

/* Return the position of the node of a rule, or of a weight (`rule` -1), with this index, and set
 * the ends of its subtree. */
static int32_t find_place(Tree *tree, int32_t rule, int32_t index) {
    int32_t at = 0;
    for (;; at++) {
        int32_t own = tree->items[at].rule;
        if ((rule < 0 ? makes_weights(own) : own == rule) && index-- == 0) {
            set_ends(tree, at);
            return at;
        }
    }
}

/* Mark the rules of a tree that have alternatives and are not weights; return their number. */
static int32_t mark_changeable(const Tree *tree, uint8_t *marks) {
    int32_t rule, count = 0;
    for (rule = 0; rule < grammar.rules; rule++) {
        marks[rule] = tree->counts[rule] > 0 && rules[rule].productions > 1 && !makes_weights(rule);
        count += marks[rule];
    }
    return count;
}

static int32_t find_marked(const uint8_t *marks, int32_t index) {
    int32_t rule = 0;
    while (!marks[rule] || index-- > 0) {
        rule++;
    }
    return rule;
}

/* Change the structure at one place, in a way drawn from those that are possible there. */
static void change_structure(Trees *t, int32_t at, Stream *random) {
    const TreeNode *node = &t->mother.items[at];
    int32_t chosen = 0, count = 0;
    Way ways[WAYS];
    if (DYNAMIC && node->rule == grammar.features) {
        put_choice(t, at, NO_NODE);
        return;
    }
    if (count_others(node) > 0) {
        ways[count++] = OTHER;
    }
    if (count_wraps(node, -1, &chosen) > 0 && part_fits(t, &t->mother, at, 1)) {
        ways[count++] = WRAP;
    }
    if (count_own(node->rule, branch_of(node->rule, node->choice)) > 0) {
        ways[count++] = HOIST;
    }
    if (count == 0) {
        keep_nodes(t, &t->mother, at, node->end);
        return;
    }
    switch (ways[below(random, count)]) {
    case OTHER: apply_other(t, at, random); break;
    case WRAP: apply_wrap(t, at, random); break;
    case HOIST: apply_hoist(t, at, random); break;
    case WAYS: break;
    }
}

/* Mutate the mother at one place. */
static void mutate_tree(Trees *t, Stream *random) {
    uint8_t marks[MOST_RULES];
    int32_t weights = t->weights, rule_count = mark_changeable(&t->mother, marks);
    int32_t rule = -1, at;
    int is_move = weights > 0 && (rule_count == 0 || chance(random, CHANGES_NUMBER));
    t->edited.count = 0;
    if (!is_move && rule_count == 0) {
        keep_nodes(t, &t->mother, 0, t->mother.count);
        return;
    }
    if (!is_move) {
        rule = find_marked(marks, below(random, rule_count));
    }
    at = find_place(&t->mother, rule, below(random, is_move ? weights : t->mother.counts[rule]));
    keep_nodes(t, &t->mother, 0, at);
    if (is_move) {
        apply_move(t, at, random);
    } else {
        change_structure(t, at, random);
    }
    keep_nodes(t, &t->mother, t->mother.items[at].end, t->mother.count);
}

/* Replace a subtree of the mother by one of the father, if it fits. */
static void exchange_parts(Trees *t, Stream *random) {
    uint8_t marks[MOST_RULES], others[MOST_RULES];
    int32_t count = 0, rule, at, other, i;
    mark_changeable(&t->mother, marks);
    mark_changeable(&t->father, others);
    t->edited.count = 0;
    memcpy(t->edited.counts, t->mother.counts, sizeof t->edited.counts);
    for (i = 0; i < grammar.rules; i++) {
        marks[i] = marks[i] && others[i];
        count += marks[i];
    }
    if (count > 0) {
        rule = find_marked(marks, below(random, count));
        at = find_place(&t->mother, rule, below(random, t->mother.counts[rule]));
        other = find_place(&t->father, rule, below(random, t->father.counts[rule]));
        if (part_fits(t, &t->father, other,
                      t->mother.items[at].depth - t->father.items[other].depth)) {
            int32_t end = t->mother.items[at].end, last = t->father.items[other].end;
            keep_nodes(t, &t->mother, 0, at);
            keep_part(t, &t->father, other, t->mother.items[at].depth);
            keep_nodes(t, &t->mother, end, t->mother.count);
            if (KEEPS_TREES) {
                count_nodes(&t->edited, t->mother.items + at, end - at, -1);
                count_nodes(&t->edited, t->father.items + other, last - other, 1);
            }
            return;
        }
    }
    keep_nodes(t, &t->mother, 0, t->mother.count);
}
#endif
