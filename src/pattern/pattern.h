/**
 * Which key blocks a query block attends to: the patterns there are, each a row
 * of a table, and the parameters of one.
 *
 * A row says everything that the rest of the program asks: its names, its
 * parameters with their limits and where they are written, and the list of key
 * blocks of a query block, which plan.c makes a plan of. A new pattern is a
 * file here and its name in BIRD_PATTERNS; options, files and `info` follow.
 * Lists may differ by layer and head; patterns of other papers (strided, fixed,
 * star, random pairs) are lists of blocks of one token.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PATTERN_PATTERN_H
#define BIRD_PATTERN_PATTERN_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "dnabird/error.h"

/** What the r random entries of a row of BigBird hold. */
enum bird_random_blocks {
    BIRD_RANDOM_PLAN,   /* the seeded plan (transformers <= 4.28; training) */
    BIRD_RANDOM_ZERO,   /* block 0, r times (evaluation since 4.29) */
    BIRD_RANDOM_NONE,   /* nothing */
    BIRD_RANDOM_UNIFORM /* uniformly random blocks that the row does not list
                           yet: dnabird's own, which no reference runs */
};

/** What a row of BigBird lists, in addition to its own block. */
enum bird_parts {
    BIRD_PART_GLOBAL = 1, /* the first and the last block, and they list all */
    BIRD_PART_WINDOW = 2, /* the blocks before and after */
    BIRD_PART_RANDOM = 4,
    BIRD_PARTS_ALL = 7
};

/** Indices of own[]: parameters that not every pattern has; rows name them. A
 *  parameter that means the same in two patterns has one index, so that its value
 *  stays when one pattern is changed for the other. */
enum {
    BIRD_OWN_WIDTH,    /* of a window: blocks to either side */
    BIRD_OWN_NEAR,     /* the same, of BigBird's */
    BIRD_OWN_FIRST,    /* BigBird's global blocks at the start, */
    BIRD_OWN_LAST,     /* and at the end */
    BIRD_OWN_STRIDE,   /* w of strided, fixed and star */
    BIRD_OWN_HEADS,    /* enum bird_pattern_heads */
    BIRD_OWN_CAUSAL,   /* 1: no token after the query; plan.c leaves them out */
    BIRD_OWN_RELAY,    /* of star: 0 the last block, 1 the first */
    BIRD_OWN_SPARSITY, /* of random pairs: per cent left out */
    BIRD_OWN_GLOBAL,   /* tokens of ETC in front of the text */
    BIRD_OWN_RANDOM,   /* random blocks of a row of ETC */
    BIRD_PATTERN_OWN
};

/** A pattern and its parameters: what a plan is a function of. */
struct bird_pattern {
    const struct bird_pattern_row *row;
    int64_t random; /* enum bird_random_blocks */
    int64_t block;  /* tokens */
    int64_t n_random;
    int64_t n_head, max_positions; /* of the model */
    int64_t parts;                 /* of enum bird_parts; 0 = all */
    uint64_t seed; /* of BIRD_RANDOM_UNIFORM: another one, other blocks */
    int64_t own[BIRD_PATTERN_OWN];
};

/** The file that a parameter is written in. */
enum bird_pattern_file {
    BIRD_PATTERN_CONFIG, /* config.json */
    BIRD_PATTERN_META    /* dnabird.json */
};

struct bird_pattern_param {
    const char *name;   /* in the file */
    const char *option; /* in --pattern NAME,OPTION=VALUE */
    enum bird_pattern_file file;
    const char *words; /* "plan|zero|none": one of them by its place; NULL: a
                           number */
    int several;       /* several of the words, a bit each */
    int implied;       /* not written when it has its usual value */
    size_t at;         /* of an int64_t in struct bird_pattern */
    int64_t usual, lo, hi;
};

/** The plan that is being made. */
struct bird_plan_job {
    const struct bird_pattern *p;
    int64_t len_tok, n_block, layer;
    void *state; /* of the row's begin() and end() */
};

struct bird_pattern_row {
    const char *name; /* of --pattern */
    const char *type; /* config.json's attention_type */
    const struct bird_pattern_param *param;
    int n_param;
    int transformers; /* transformers has this attention_type */
    /** And has it with these parameters, too? NULL: yes. */
    int (*is_reference)(const struct bird_pattern *p);
    int has_random; /* it may have random blocks */
    /** Tokens before [CLS] that are not of the text: the tokenizer puts them
     *  there. NULL: none. */
    int64_t (*global_tokens)(const struct bird_pattern *p);
    /** Full attention at this length? NULL: never. */
    int (*is_full)(const struct bird_pattern *p, int64_t len_tok);
    /** Do heads differ? NULL: no. */
    int (*by_head)(const struct bird_pattern *p);
    /** After how many layers lists come again; 0: never. NULL: 1, all layers
     *  have the same. */
    int64_t (*period)(const struct bird_pattern *p);
    /** Parameters that do not go together: BIRD_EINVAL; NULL: all do. */
    int (*check)(const struct bird_pattern *p);
    /** Before and after the lists of a plan, or NULL. end() is called after a
     *  begin() that failed, too. */
    int (*begin)(struct bird_plan_job *j);
    void (*end)(struct bird_plan_job *j);
    /** Entries that list() writes at most, in addition to one for each block.
     *  NULL: 0 */
    int64_t (*extra)(const struct bird_pattern *p);
    /** The key blocks of query block i of a head, rising: how many. A block
     *  listed k times counts k times. NULL: all blocks at every length. */
    int64_t (*list)(int32_t *list, const struct bird_plan_job *j, int64_t head,
                    int64_t i);
    /** Lines for `info`, each begun with BIRD_INFO_LINE; NULL: none.
     *  @param why  why p->random is what it is */
    int (*describe)(struct bird_text *t, const struct bird_pattern *p,
                    const char *why);
};

/** The patterns. The first is what a model has that says nothing. */
#define BIRD_PATTERNS(ROW)                                                     \
    ROW(bigbird)                                                               \
    ROW(full)                                                                  \
    ROW(window) ROW(etc) ROW(strided) ROW(fixed) ROW(star) ROW(random)

#define BIRD_PATTERN_DECLARE(name)                                             \
    extern const struct bird_pattern_row bird_pattern_##name;
BIRD_PATTERNS(BIRD_PATTERN_DECLARE)
#undef BIRD_PATTERN_DECLARE

/** A name and its value, as `info` prints them. */
#define BIRD_INFO_LINE "%-13s "

/** The first pattern with the usual parameters; sizes of the model are 0. */
void bird_pattern_default(struct bird_pattern *p);

/**
 * Set the pattern from "NAME" or "NAME,OPTION=VALUE,..." (sets of words: with +
 * between them). A parameter that the text omits keeps its value, or gets its
 * default if the old pattern lacks it.
 * Errors: BIRD_EINVAL; *p is then untouched
 */
BIRD_MUST_CHECK int bird_pattern_parse(struct bird_pattern *p,
                                       const char *text);

/** Set one parameter of p's pattern by its option's name, words of a set with
 *  + or commas between them. Errors: BIRD_EINVAL; *p is then untouched. */
BIRD_MUST_CHECK int bird_pattern_set(struct bird_pattern *p, const char *option,
                                     const char *value);

/**
 * Apply the options of `init`: a pattern as bird_pattern_parse() takes it,
 * BigBird's random blocks and parts ("full": the pattern of that name); NULL and
 * 0 keep what p has. Errors: BIRD_EINVAL
 */
BIRD_MUST_CHECK int bird_pattern_options(struct bird_pattern *p,
                                         const char *pattern,
                                         const char *random, const char *parts,
                                         uint64_t seed);

/** Take over the pattern of this attention_type: 1 known. */
int bird_pattern_take_type(struct bird_pattern *p, const char *type);

/** Read the parameters that this file has; absent ones stay.
 *  Errors: BIRD_EFORMAT, BIRD_EUNSUPPORTED; the sentence names the field. */
BIRD_MUST_CHECK int bird_pattern_read(struct bird_pattern *p, const json_t *o,
                                      enum bird_pattern_file file,
                                      const char *path);

/** Put them into that file's object. Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_pattern_write(json_t *o, const struct bird_pattern *p,
                                       enum bird_pattern_file file);

/** Is this field of dnabird.json a parameter of some pattern? */
int bird_pattern_is_field(const char *name);
/** Delete them all from its object. */
void bird_pattern_forget(json_t *meta);

/** Check the parameters' limits, and whether they go together: BIRD_EINVAL,
 *  with the field's name. */
BIRD_MUST_CHECK int bird_pattern_check(const struct bird_pattern *p,
                                       const char *path);

/** The pattern as text for bird_pattern_parse(), without default parameters.
 *  Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_pattern_text(struct bird_text *t,
                                      const struct bird_pattern *p);

/** Has transformers this pattern, with these parameters? */
int bird_pattern_is_reference(const struct bird_pattern *p);

/** After how many layers lists come again: 1 all layers have the same, 0
 *  never. */
int64_t bird_pattern_period(const struct bird_pattern *p);

/** Tokens [G1], ..., [Gg] that the pattern has in front of [CLS]; 0: none. */
int64_t bird_pattern_global_tokens(const struct bird_pattern *p);

/** "plan", "zero", "none" or "uniform". */
const char *bird_random_name(int64_t random);

/** Does no token see a later one? */
int bird_pattern_is_causal(const struct bird_pattern *p);

/** ", causal" or "". */
const char *bird_causal_words(const struct bird_pattern *p);

/** Full attention at this length, by the pattern or as its rule for short
 *  sequences has it? */
int bird_pattern_is_full(const struct bird_pattern *p, int64_t len_tok);

#endif
