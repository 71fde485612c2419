/**
 * Numbers of contig names, for seq and data, and which contig of a reference a
 * name in another file means.
 *
 * "chr20" and "20" are aliases of one contig, and so are "chrM", "M", "MT" and
 * "chrMT".
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
    char **name; /* (n) as first written */
    int64_t n, cap;
    struct bird_map *index; /* numbers by name; NULL: empty */
};

void bird_contigs_free(struct bird_contigs *c);

/** The contig of exactly this name; -1: none. */
int64_t bird_contigs_find_exact(const struct bird_contigs *c, const char *name);

/** The contig of this name or, if there is none, of an alias; -1: none. */
int32_t bird_contigs_find(const struct bird_contigs *c, const char *name);

/**
 * The same; a new name is added.
 * Errors: BIRD_ENOMEM; BIRD_ERANGE more than 2^31 contigs
 */
BIRD_MUST_CHECK int bird_contigs_add(int32_t *out, struct bird_contigs *c,
                                     const char *name);

/** Append a name that is not in the list; aliases do not count. */
BIRD_MUST_CHECK int bird_contigs_append(struct bird_contigs *c,
                                        const char *name);

/**
 * Store the name of a record, which must be unique in its file. Start with
 * *names NULL; free with bird_names_free(). Errors: BIRD_EFORMAT a second
 * record of this name, with `file`, name and both lines; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_names_add(struct bird_map **names, const char *file,
                                   const char *name, int64_t line);
void bird_names_free(struct bird_map *names);

struct bird_contig_map;

/**
 * A map from names in other files to contigs of g, which must outlive the map.
 * Owner: *out is the caller's. Errors: BIRD_EIO, BIRD_EFORMAT a line without
 * two names or a name twice; BIRD_ERANGE a second name that g does not have.
 *
 * @param path a table of other name and name in g, separated by blanks or tabs;
 *             lines that begin with # are skipped; or NULL
 */
BIRD_MUST_CHECK int bird_contig_map_new(struct bird_contig_map **out,
                                        const bird_genome *g, const char *path);
void bird_contig_map_free(struct bird_contig_map *m);

/**
 * The contig of g that this name means, into *contig; -1: none. Names that
 * differ are remembered.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_contig_map_find(struct bird_contig_map *m,
                                         int64_t *contig, const char *name);

/** "20 is chr20, 21 is chr21 and 3 more": the names that differed so far; "" if
 *  there are none. Borrowed. */
const char *bird_contig_map_told(struct bird_contig_map *m);

/**
 * The name of contig `i` of g in the style of another file, with or without
 * "chr", into out (cleared first). In that file `example` means contig `like`.
 * Errors: BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_contig_map_name(struct bird_text *out,
                                         const struct bird_contig_map *m,
                                         int64_t i, const char *example,
                                         int64_t like);

#endif
