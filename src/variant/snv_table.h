/**
 * Tables of all single-base changes of some regions: written by
 * `dnabird mutate -R`, read by `dnabird variant --table`.
 *
 * A table is the output of `variant -O tsv` for all these changes. Values that
 * other scores are made of (p_ref and p_alt, or ll_ref, ll_alt and distance)
 * have nine digits, so that scores computed from them equal those of a run
 * without the table. The line "# settings:" has, as JSON, the settings that the
 * values depend on.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_SNV_TABLE_H
#define BIRD_VARIANT_SNV_TABLE_H

#include <jansson.h>

#include "dnabird/variant.h"
#include "variant/base_run.h"
#include "variant/variant_site.h"

/** Version of the table's format that is written and read. */
enum { BIRD_SNV_FORM = 1 };

/** Start of the header line with the settings. */
#define BIRD_SNV_SETTINGS "# settings: "

/** The settings that the values depend on. Owner: *out is the caller's. */
BIRD_MUST_CHECK int bird_snv_settings(json_t **out,
                                      const struct bird_variant_context *s);

/**
 * Score every change of the run's merged regions, or of a shard of them, and
 * write the table with the column `score` and the values that it is made of.
 * The run's track is not used.
 * Errors: those of bird_mutate_run()
 */
BIRD_MUST_CHECK int bird_snv_table_run(struct bird_base_run *run,
                                       bird_mutate_summary *sum,
                                       const bird_mutate_options *o, int score);

/* --- reading ------------------------------------------------------------- */

struct bird_snv_lookup;

/**
 * Open a table for a run of this context. With `summed` the table must also
 * have the features that summaries are over.
 *
 * Owner   *out is the caller's; context and selected are borrowed
 * Errors  BIRD_EINVAL another model or setting, or a missing column, which is
 *         named; those of bird_indexed_open()
 */
BIRD_MUST_CHECK int
bird_snv_lookup_open(struct bird_snv_lookup **out, const char *path,
                     struct bird_variant_context *context,
                     const struct bird_selected_scores *selected, int summed);

/** The same from a header and rows in memory, which are found at every
 *  position. For tests. */
BIRD_MUST_CHECK int bird_snv_lookup_open_memory(
    struct bird_snv_lookup **out, const char *name, const char *header,
    const char *rows, struct bird_variant_context *context,
    const struct bird_selected_scores *selected, int summed);
void bird_snv_lookup_free(struct bird_snv_lookup *l);

/**
 * Find a change: 1, and *a is filled for bird_snv_lookup_take(); 0: the table
 * does not have it, and it must be computed.
 * Errors: BIRD_EFORMAT an invalid row, or another reference
 */
BIRD_MUST_CHECK int bird_snv_lookup_find(struct bird_snv_lookup *l,
                                         struct bird_allele_request *a,
                                         const struct bird_change *c);

/** Fill a result with the values of an allele that was found, as
 *  bird_allele_result_fill() does; borrowed until the next find. */
void bird_snv_lookup_take(struct bird_allele_result *out,
                          const struct bird_snv_lookup *l,
                          const struct bird_request *r);

/** Drop all values. */
void bird_snv_lookup_evict(struct bird_snv_lookup *l);

#endif
