/**
 * Names of contigs to numbers: the one dictionary of seq and data, and on top
 * of it which contig of a reference another file's name means.
 *
 * "chr20" and "20" are customary names of one contig, "chrM", "M", "MT" and
 * "chrMT" too.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_CONTIGS_H
#define BIRD_SEQ_CONTIGS_H

#include <stdint.h>

#include "base/text.h"
#include "dnabird/reference.h"

struct bird_map;

/** Names in the order they were added; start with {0}. */
struct bird_contigs {
    char **name; /* (n) as they were first written */
    int64_t n, cap;
    struct bird_map *index; /* numbers by name; NULL: empty */
};

void bird_contigs_free(struct bird_contigs *c);

/** The contig of exactly this name; -1: none. */
int64_t bird_contigs_find_exact(const struct bird_contigs *c, const char *name);

/** Where no contig has this name the one of another customary name; -1. */
int32_t bird_contigs_find(const struct bird_contigs *c, const char *name);

/**
 * The same, added when it is not there.
 * Errors: BIRD_ENOMEM; BIRD_ERANGE more than 2^31 contigs
 */
BIRD_MUST_CHECK int bird_contigs_add(int32_t *out, struct bird_contigs *c,
                                     const char *name);

/** Append a name that is not there, other customary ones aside. */
BIRD_MUST_CHECK int bird_contigs_append(struct bird_contigs *c,
                                        const char *name);

/**
 * Note the name of a file's record, which may come once. Start with *names
 * NULL; bird_names_free().
 * Errors: BIRD_EFORMAT it is there already, with `file`, name and both lines;
 * BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_names_add(struct bird_map **names, const char *file,
                                   const char *name, int64_t line);
void bird_names_free(struct bird_map *names);

struct bird_contig_map;

/**
 * For names of other files on g, which must outlive the map.
 * Owner: *out is the caller's. Errors: BIRD_EIO, BIRD_EFORMAT a line without
 * two names or a name twice; BIRD_ERANGE a second name that g does not have.
 *
 * @param path a table, other name and name in g, divided by blanks or tabs,
 *             lines of # passed over; or NULL
 */
BIRD_MUST_CHECK int bird_contig_map_new(struct bird_contig_map **out,
                                        const bird_genome *g, const char *path);
void bird_contig_map_free(struct bird_contig_map *m);

/**
 * The contig of g that this name means, into *contig; -1: none. What was
 * found under another name is remembered.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_contig_map_find(struct bird_contig_map *m,
                                         int64_t *contig, const char *name);

/** "20 is chr20, 21 is chr21 and 3 more", of the names that differ so far;
 *  "" when none does. Borrowed. */
const char *bird_contig_map_told(struct bird_contig_map *m);

/**
 * The name that contig `i` of g has in the other file, where `example` is a
 * name of that file that means contig `like`: with or without "chr", as
 * there. Into out (cleared first). Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_contig_map_name(struct bird_text *out,
                                         const struct bird_contig_map *m,
                                         int64_t i, const char *example,
                                         int64_t like);

#endif
