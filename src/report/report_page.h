/**
 * A report being made: its page, and the numbers that stand for each source,
 * which are tiles of the page and rows of the table for other programs.
 *
 * As in track/page.h a failure sticks (m.rc) where a function returns nothing.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_REPORT_REPORT_PAGE_H
#define BIRD_REPORT_REPORT_PAGE_H

#include <stdint.h>
#include <stdio.h>

#include "dnabird/report.h"
#include "report/report_region.h"
#include "report/report_rows.h"
#include "track/page.h"

/** A number of a source: a file or the folder of a run. */
struct bird_report_fact {
    char *source;
    char *key;  /* for programs: auroc */
    char *what; /* for people: AUROC */
    double value;
};

struct bird_report_page {
    const bird_report_options *o;
    struct bird_markup m;
    struct bird_report_fact *fact; /* (n_fact) */
    int64_t n_fact, cap_fact;
    struct bird_region_view view; /* what is drawn along the sequence */
};

/** Keep a number; NaN is passed over. */
void bird_report_fact(struct bird_report_page *p, const char *source,
                      const char *key, const char *what, double value);

/** The same, and show it: within an element of class "tiles". */
void bird_report_tile(struct bird_report_page *p, const char *source,
                      const char *key, const char *what, double value);

/** The last part of a path: what a source is called. */
const char *bird_report_name(const char *path);
/** The same of one of the files of a report, with as many folders before it as
 *  tell it from the others. */
const char *bird_report_source(const bird_report_options *o, const char *path);

/** The section of a file, to be closed: under its name, or, of one file alone,
 *  which is the page's title, under what it is. */
void bird_report_section(struct bird_report_page *p, const char *path,
                         const char *what);

/** What a file says of its making, as a table of the command and what it
 *  read. */
void bird_report_about(struct bird_report_page *p,
                       const struct bird_text *about);

/*
 * One file each: its section of the page, and its numbers. Lanes are added to
 * p->view, whose region is set where nobody asked for one.
 * Errors: BIRD_EIO, BIRD_EFORMAT with file and line, BIRD_ENOMEM
 */
BIRD_MUST_CHECK int bird_report_training(struct bird_report_page *p,
                                         const char *path);
BIRD_MUST_CHECK int bird_report_evaluation(struct bird_report_page *p,
                                           const char *path);
BIRD_MUST_CHECK int bird_report_answers(struct bird_report_page *p,
                                        const char *path);
BIRD_MUST_CHECK int bird_report_scan(struct bird_report_page *p,
                                     const char *path);
/** Of that file no more than the region which is drawn. */
BIRD_MUST_CHECK int bird_report_scan_region(struct bird_report_page *p,
                                            const char *path);
BIRD_MUST_CHECK int bird_report_alleles(struct bird_report_page *p,
                                        const char *path);

/** How probabilities and shares of positives go together, as a chart. */
void bird_reliability_chart(struct bird_markup *m, const double *probability,
                            const double *observed, int64_t n);

/** All facts as a table that MultiQC reads. Errors: BIRD_EIO, BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_report_multiqc(const struct bird_report_page *p,
                                        FILE *f);

#endif
