/**
 * Which contig of a reference another file's contig name means: by a table,
 * by the same name, or by the other customary name ("chr7" for "7", "chrM"
 * for "MT"), and back.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_SEQ_CONTIG_MAP_H
#define BIRD_SEQ_CONTIG_MAP_H

#include "base/text.h"
#include "dnabird/genome.h"

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
