/**
 * Alleles with their scores as typed columns, to any format of the table.
 * SPDX-License-Identifier: MIT
 */
#ifndef BIRD_VARIANT_VARIANT_OUT_H
#define BIRD_VARIANT_VARIANT_OUT_H

#include "seq/genes.h"
#include "seq/vcf_in.h"
#include "track/writer.h"
#include "variant/variant_score.h"

/** What a column shows. */
struct bird_variant_column {
    int kind;        /* enum kind of variant_out.c */
    int64_t feature; /* of scores */
    int score;
    int32_t class_id; /* of summaries; -1: all features */
};

/** Start with {0}. */
struct bird_variant_out {
    bird_track *track;
    const struct bird_selected_scores *selected; /* borrowed */
    int plain_ids; /* 1: names of features as INFO allows them */
    int long_rows; /* 1: a row for each allele and feature */
    int largest;   /* 1: a row shows the largest difference alone */
    /* for a table of all changes; set before opening, else NULL and 0 */
    const struct bird_format *format; /* instead of that of the options */
    const char *settings;             /* of bird_track_extra */
    int headless,
        exact; /* exact: 1: values that other scores are made of have all
                  digits. headless: 1: no header */
    struct bird_variant_column *from; /* (n) what the columns show */
    struct bird_column *column;       /* (n) */
    int64_t n, cap_from, cap_column;
    char **text; /* (n_text) names of columns, lines of a header */
    int64_t n_text, cap_text, first_line;
    struct bird_cell *cell; /* of a record */
    const char **alt;
    struct bird_text word; /* texts of its cells, each ends in NUL */
    int64_t cap_cell, cap_alt;
    int64_t *top;                     /* (selected->top) */
    struct bird_genes *genes;         /* NULL: no columns of genes */
    struct bird_contig_map *map;      /* with genes: contigs of the records */
    const bird_genome *genome;        /* ... and of the reference; borrowed */
    struct bird_nearest_gene nearest; /* to the record */
};

/** The format of the options, or of the output's name. */
BIRD_MUST_CHECK int bird_variant_format(const struct bird_format **out,
                                        const bird_variant_options *o);

/** Texts of the provenance lines; NULL: no line. */
struct bird_provenance {
    const char *model, *reference, *background;
};

/**
 * Open the output and write its header.
 * @param name        of the model, for columns that name it
 * @param from_bytes  resume an output of this size; 0: begin it
 * Errors: those of bird_track_open(); BIRD_EFORMAT a VCF header
 */
BIRD_MUST_CHECK int
bird_variant_out_open(struct bird_variant_out *out,
                      const bird_variant_options *o,
                      const struct bird_selected_scores *selected,
                      const struct bird_provenance *p, struct bird_vcf *v,
                      const char *name, int64_t from_bytes);

/** Write a record with the results of its alleles (r->n_alt). */
BIRD_MUST_CHECK int bird_variant_out_put(struct bird_variant_out *out,
                                         struct bird_vcf_record *r,
                                         const struct bird_allele_result *o);

/** Free all; a track that was not closed is discarded. */
/** Add what the output has to say about its file of genes to a notice.
 *  Errors: BIRD_ENOMEM */
BIRD_MUST_CHECK int bird_variant_out_note(const struct bird_variant_out *w,
                                          struct bird_text *notice);
void bird_variant_out_free(struct bird_variant_out *out);

#endif
