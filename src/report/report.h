/**
 * Inside the report: the table of a run, and the parts of the page.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_TRAIN_REPORT_H
#define BIRD_TRAIN_REPORT_H

#include <jansson.h>
#include <stdint.h>

#include "dnabird/report.h"
#include "track/markup.h"

/** Most columns of a training.tsv. */
enum { BIRD_LOG_COLUMNS = 64 };

/** training.tsv by columns. Start with {0}. */
struct bird_log {
    struct bird_text text; /* the names point into it */
    const char *name[BIRD_LOG_COLUMNS];
    double *value[BIRD_LOG_COLUMNS]; /* (n_row); NaN: NA, empty, no number */
    int is_text[BIRD_LOG_COLUMNS];   /* 1: some entry is neither */
    int n_column;
    int64_t n_row;
};

/**
 * Read a table of numbers: a line of names, among them `step`, and lines of
 * as many fields. A last line without its end is left out; an empty file is a
 * table without columns.
 * Errors: BIRD_EIO; BIRD_EFORMAT a line of another number of fields, no
 * `step`, a binary file; BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_log_read(struct bird_log *out, const char *path);
void bird_log_free(struct bird_log *l);

/** A column by its name; NULL when there is none of numbers. */
const double *bird_log_column(const struct bird_log *l, const char *name);

/** The section of the curves. Errors: BIRD_ENOMEM, also in m->rc. */
BIRD_MUST_CHECK int bird_report_curves(struct bird_markup *m,
                                       const struct bird_log *l);

/** The figures at the top: where the run stands. meta may be NULL. */
void bird_report_tiles(struct bird_markup *m, const struct bird_log *l,
                       const json_t *meta);

/** dnabird.json's `measured`: a table for every set. */
void bird_report_measured(struct bird_markup *m, const json_t *measured);

/** All fields of dnabird.json but `measured`, and those of config.json;
 *  either may be NULL. */
void bird_report_settings(struct bird_markup *m, const json_t *config,
                          const json_t *meta);

/** A file of figures: tables of `dnabird evaluate` and its relatives. */
BIRD_MUST_CHECK int bird_report_evaluation(struct bird_markup *m,
                                           const char *path);

#endif
