/**
 * Rows of probabilities, one a bin, into a matrix, tracks or calls.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_PREDICT_PROFILE_OUT_H
#define BIRD_PREDICT_PROFILE_OUT_H

#include <stdint.h>

#include "dnabird/chromatin.h"
#include "dnabird/features.h"
#include "dnabird/reference.h"

struct bird_profile_row {
    const char *contig;
    int64_t record; /* number of the contig, to tell equal names apart */
    int64_t start, end;
    const char *name;   /* of the region or sequence, or NULL */
    const char *status; /* why not scored; NULL: scored */
    const float *p;     /* (n) of the chosen features */
};

struct bird_profile_out_options {
    const bird_chromatin_options *scan;
    const bird_features *features; /* (n) the chosen ones */
    const char *model;             /* name and digest */
    const double *threshold;       /* (n) of the calls of each */
    const bird_genome *genome;     /* bigWig: all contigs; else NULL */
};

struct bird_profile_out;

/** Owner: the options' parts are borrowed until the end. */
BIRD_MUST_CHECK int
bird_profile_out_open(struct bird_profile_out **out,
                      const struct bird_profile_out_options *o);
/** Rows in order of contigs and starts, unless the form is TSV without an
 *  index. */
BIRD_MUST_CHECK int bird_profile_out_put(struct bird_profile_out *t,
                                         const struct bird_profile_row *row);
/** Flush and give all files their names; t is freed, whatever comes back.
 *  @param[out] n_row,n_file what was written */
BIRD_MUST_CHECK int bird_profile_out_close(struct bird_profile_out *t,
                                           int64_t *n_row, int64_t *n_file);
/** Give up; NULL is fine. */
void bird_profile_out_free(struct bird_profile_out *t);

/** Is it a form of one file a feature? */
int bird_profile_is_track(enum bird_chromatin_format format);

#endif
