/**
 * The tables of the report.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_REPORT_REPORT_TABLES_H
#define BIRD_REPORT_REPORT_TABLES_H

#include <jansson.h>

#include "report/report_page.h"

/** dnabird.json's `measured`: a table for every set, and facts of the source. */
void bird_report_measured(struct bird_report_page *p, const char *source,
                          const json_t *measured);

/** All fields of dnabird.json but `measured`, and those of config.json;
 *  either may be NULL. */
void bird_report_settings(struct bird_markup *m, const json_t *config,
                          const json_t *meta);

#endif
