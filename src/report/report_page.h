/**
 * Inside a report: its page, and the numbers of each source, which are tiles of
 * the page and rows of the table for other programs.
 *
 * As in track/page.h the first failure is kept in m.rc where a function returns
 * nothing.
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

/** A number of a source; a source is a file or the folder of a run. */
struct bird_fact {
    char *source;
    char *key;  /* for programs: "auroc" */
    char *what; /* for readers: "AUROC" */
    double value;
};

struct bird_report_page {
    const bird_report_options *o;
    struct bird_markup m;
    struct bird_fact *fact; /* (n_fact) */
    int64_t n_fact, cap_fact;
    struct bird_region_view view; /* the tracks along the sequence */
};

/** Keep a number; NaN is ignored. */
void bird_report_fact(struct bird_report_page *p, const char *source,
                      const char *key, const char *what, double value);

/** Keep a number and show it as a tile; to be called within an element of
 *  class "tiles". */
void bird_report_tile(struct bird_report_page *p, const char *source,
                      const char *key, const char *what, double value);

/** The last component of a path, by which a source is named. */
const char *bird_report_name(const char *path);
/** The name of one of the files of a report: its last component, with as
 *  many folders before it as make the name unique. */
const char *bird_report_source(const bird_report_options *o, const char *path);

/** Open the section of a file; the caller closes it. The heading is the
 *  file's name, or, when the report has one file, whose name is the page's
 *  title, the kind of the file. */
void bird_report_section(struct bird_report_page *p, const char *path,
                         const char *what);

/** The comment lines of a file as a table: the command and its inputs. */
void bird_report_about(struct bird_report_page *p,
                       const struct bird_text *about);

/* The section and the numbers of one file, by its kind. Tracks are added to
 * p->view, whose region is set when the user gave none.
 * Errors: BIRD_EIO, BIRD_EFORMAT with file and line, BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_report_training(struct bird_report_page *p,
                                         const char *path);
BIRD_MUST_CHECK int bird_report_evaluation(struct bird_report_page *p,
                                           const char *path);
BIRD_MUST_CHECK int bird_report_answers(struct bird_report_page *p,
                                        const char *path);
BIRD_MUST_CHECK int bird_report_scan(struct bird_report_page *p,
                                     const char *path);
/** Set the region of p->view from a file, and nothing else. */
BIRD_MUST_CHECK int bird_report_scan_region(struct bird_report_page *p,
                                            const char *path);
BIRD_MUST_CHECK int bird_report_alleles(struct bird_report_page *p,
                                        const char *path);

/** A calibration chart: share of positives against predicted probability. */
void bird_reliability_chart(struct bird_markup *m, const double *probability,
                            const double *observed, int64_t n);

/** All numbers as a table for MultiQC. Errors: BIRD_EIO, BIRD_ENOMEM. */
BIRD_MUST_CHECK int bird_report_multiqc(const struct bird_report_page *p,
                                        FILE *f);

#endif
