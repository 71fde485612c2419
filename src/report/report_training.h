/**
 * The table training.tsv: read column by column, plotted against its steps.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_REPORT_REPORT_TRAINING_H
#define BIRD_REPORT_REPORT_TRAINING_H

#include <stdint.h>

#include "report/report_page.h"

/* Columns at most. */
enum { BIRD_TRAINING_COLUMNS = 64 };

/** The table by columns. Start with {0}. */
struct bird_training_log {
    struct bird_text text; /* of the file; the names point into it */
    const char *name[BIRD_TRAINING_COLUMNS];
    double *value[BIRD_TRAINING_COLUMNS]; /* (n_row); NaN: none, or text */
    int is_text[BIRD_TRAINING_COLUMNS];   /* 1: a value of the column is text */
    int n_column;
    int64_t n_row;
};

/** Read a file that a run may still be writing: an incomplete last line is
 *  ignored. Errors: BIRD_EIO; BIRD_EFORMAT no column `step`, with file and
 *  line. */
BIRD_MUST_CHECK int bird_training_log_read(struct bird_training_log *out,
                                           const char *path);
void bird_training_log_free(struct bird_training_log *l);

/** Its last numbers as tiles. @param steps of the whole run; <= 0: not known */
void bird_training_tiles(struct bird_report_page *p, const char *source,
                         const struct bird_training_log *l, int64_t steps);

/** All its curves, as a section. */
BIRD_MUST_CHECK int bird_training_curves(struct bird_markup *m,
                                         const struct bird_training_log *l);

#endif
