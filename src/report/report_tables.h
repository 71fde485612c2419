/**
 * The tables of the report.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_REPORT_REPORT_TABLES_H
#define BIRD_REPORT_REPORT_TABLES_H

#include <jansson.h>

#include "report/report_page.h"

/** `measured` of dnabird.json: a table for each set; the numbers are kept
 *  for the source. */
void bird_report_measured(struct bird_report_page *p, const char *source,
                          const json_t *measured);

/** All fields of dnabird.json except `measured`, and those of config.json;
 *  either may be NULL. */
void bird_report_settings(struct bird_markup *m, const json_t *config,
                          const json_t *meta);

#endif
