/**
 * The forms of a track: a row of a table each.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRACK_WRITER_H
#define BIRD_TRACK_WRITER_H

#include "base/text.h"
#include "dnabird/track.h"
#include "track/output.h"

struct bird_writer;

/** A track being written. */
struct bird_track {
    const struct bird_writer *writer;
    bird_track_options options; /* its texts are the caller's: header only */
    struct bird_output *sink;
    struct bird_text line; /* the row being formatted */
    struct bird_text contig;
    int64_t start, largest_bp, n_row, record;
};

/**
 * A form. open and close deal with the destination, header and put with the
 * content; the text forms share the first two.
 */
struct bird_writer {
    const char *name;       /* as -O takes it */
    const char *extensions; /* ".bed", or several: ".bedgraph .bg" */
    int (*open)(struct bird_track *t);
    int (*header)(struct bird_track *t);
    int (*put)(struct bird_track *t, const bird_track_row *row);
    int (*close)(struct bird_track *t); /* takes t->sink, failing or not */
};

extern const struct bird_writer bird_writer_bed, bird_writer_bedgraph,
    bird_writer_tsv, bird_writer_windows;

/** For the text forms: a sink, a column line, a formatted row. */
BIRD_MUST_CHECK int bird_text_track_open(struct bird_track *t);
BIRD_MUST_CHECK int bird_text_track_close(struct bird_track *t);
/** Provenance lines, then "#" and the columns, tab-separated. */
BIRD_MUST_CHECK int bird_text_track_header(struct bird_track *t,
                                           const char *columns);
/** Send t->line. */
BIRD_MUST_CHECK int bird_text_track_send(struct bird_track *t);

/** BIRD_EINVAL unless value is a probability and the summit lies inside. */
BIRD_MUST_CHECK int bird_track_check_call(const bird_track_row *r);

/** A probability as a BED score: round(1000 p) within 0..1000. */
int bird_track_score(double probability);

#endif
