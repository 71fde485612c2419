/* Alleles as typed columns. The columns are listed once, in the order of the
 * format's content; each record fills their cells, one row for each allele (or
 * allele and feature), and the format writes them as INFO, table or BED. So
 * every score is computed and named in one function.
 * SPDX-License-Identifier: MIT */
#include "variant/variant_out.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "variant/context.h"
#include "variant/variant_motif.h"

enum kind {
    STATUS,
    TOKENS,
    WAY,
    SHORT,
    NO_ALT,
    SCORE,
    LARGEST_DIFF,
    LARGEST_FEATURE,
    LARGEST_SCORE, /* the column's score of that feature */
    MEAN,
    TOP,
    FEATURE, /* the name of the row's feature */
    CLASS,
    MOTIF, /* the column's score: number of a column of variant_motif.h */
    GENE,
    TSS_DISTANCE
};

/* Columns that every model has: their names in tables and in INFO. */
static const struct {
    struct bird_column column;
    int kind;
} fixed[] = {
    {{.name = "STATUS",
      .id = "STATUS",
      .about = "OK and SWAPPED alleles have scores; the others say why not"},
     STATUS},
    {{.name = "TOKENS",
      .type = BIRD_CELL_INTEGER,
      .id = "TOKENS",
      .about = "tokens that the allele changes"},
     TOKENS},
    {{.name = "WAY",
      .id = "WAY",
      .about = "how ALT was tokenized: anchored, with the token borders of "
               "REF; both, the mean of that and of REF with the token borders "
               "of ALT; free, by itself"},
     WAY},
    {{.name = "SHORT",
      .type = BIRD_CELL_INTEGER,
      .once = 1,
      .id = "SHORT",
      .about = "1: the sequence is shorter than the window, and was scored as "
               "it is"},
     SHORT},
    {{.type = BIRD_CELL_FLAG,
      .id = "NO_ALT",
      .about = "the record has no ALT to score"},
     NO_ALT},
};

/* Columns of --genes. */
static const struct {
    struct bird_column column;
    int kind;
} of_genes[] = {
    {{.name = "gene",
      .once = 1,
      .id = "GENE",
      .about = "gene with the nearest transcription start site"},
     GENE},
    {{.name = "tss_distance",
      .type = BIRD_CELL_SIGNED,
      .once = 1,
      .id = "TSS_DISTANCE",
      .about =
          "bp from that site to REF, along the gene: negative is upstream, "
          "0 if the site is within REF"},
     TSS_DISTANCE},
};

/* --- columns ------------------------------------------------------------- */

static int keep_text(struct bird_variant_out *w, const char **out,
                     const char *fmt, ...) BIRD_PRINTF(3, 4);

/* Keep a text as long as the columns. */
static int keep_text(struct bird_variant_out *w, const char **out,
                     const char *fmt, ...)
{
    char *s;
    va_list ap;
    int rc = bird_array_grow(&w->text, &w->cap_text, w->n_text + 1,
                             sizeof(*w->text));

    if (rc)
        return rc;
    va_start(ap, fmt);
    if (vasprintf(&s, fmt, ap) < 0)
        rc = bird_fail_memory(strlen(fmt));
    va_end(ap);
    if (!rc)
        *out = w->text[w->n_text++] = s;
    return rc;
}

static int add(struct bird_variant_out *w, const struct bird_column *c,
               const struct bird_variant_column *from)
{
    int rc = bird_array_grow(&w->column, &w->cap_column, w->n + 1,
                             sizeof(*w->column));

    if (!rc)
        rc =
            bird_array_grow(&w->from, &w->cap_from, w->n + 1, sizeof(*w->from));
    if (rc)
        return rc;
    w->column[w->n] = *c;
    w->from[w->n++] = *from;
    return 0;
}

static int add_plain(struct bird_variant_out *w, const char *name, int kind,
                     enum bird_cell_type type)
{
    return add(w, &(struct bird_column){.name = name, .type = type},
               &(struct bird_variant_column){.kind = kind, .class_id = -1});
}

static int add_fixed(struct bird_variant_out *w, int from, int to)
{
    int rc = 0;

    for (int i = from; i < to && !rc; i++)
        rc = add(w, &fixed[i].column,
                 &(struct bird_variant_column){.kind = fixed[i].kind});
    return rc;
}

/* With one feature, names of columns have no feature. */
static int is_only(const struct bird_variant_out *w)
{
    return w->selected->features.n == 1;
}

/* Add the score of a feature; -1: of each row's feature. */
static int add_score(struct bird_variant_out *w, int64_t feature, int score)
{
    const struct bird_selected_scores *s = w->selected;
    const struct bird_score_row *row = bird_score_row(score);
    int bare = is_only(w) || feature < 0, rc = 0;
    struct bird_column c = {.name = row->name,
                            .type = BIRD_CELL_REAL,
                            .score = row->name,
                            .id = row->id};

    if (w->exact && row->whole)
        c.type = BIRD_CELL_FLOAT;
    else if (w->exact && s->n_replicate &&
             bird_replicate_score_index(score) >= 0)
        c.type = BIRD_CELL_DOUBLE;
    if (feature >= 0) {
        c.feature = s->features.at[feature].name;
        rc = keep_text(w, &c.about, "%.200s: %s", c.feature, row->about);
    }
    if (!rc && !bare)
        rc = keep_text(w, &c.name, "%s/%s", c.feature, row->name);
    if (!rc && !bare)
        rc = keep_text(w, &c.id, "%s_%s", row->id, s->id[feature]);
    return rc ? rc
              : add(w, &c,
                    &(struct bird_variant_column){
                        .kind = SCORE, .feature = feature, .score = score});
}

/* Add the columns feature by feature. */
static int add_scores(struct bird_variant_out *w)
{
    const struct bird_selected_scores *s = w->selected;
    int rc = 0;

    for (int64_t k = 0; k < s->n_feature && !rc; k++)
        for (int64_t j = 0; j < s->n_score && !rc; j++)
            rc = add_score(w, s->feature[k], s->score[j]);
    return rc;
}

/* Add the columns score by score. */
static int add_scores_turned(struct bird_variant_out *w)
{
    const struct bird_selected_scores *s = w->selected;
    int rc = 0;

    for (int64_t j = 0; j < s->n_score && !rc; j++)
        for (int64_t k = 0; k < s->n_feature && !rc; k++)
            rc = add_score(w, s->feature[k], s->score[j]);
    return rc;
}

/* Add the largest difference of a class (-1: of all features), and its
 * feature. */
static int add_largest(struct bird_variant_out *w, int32_t class_id)
{
    const struct bird_selected_scores *s = w->selected;
    int all = class_id < 0;
    const char *of = !all                           ? s->class_name[class_id]
                     : s->n_summed == s->features.n ? "all features"
                                                    : "labels of 'chromatin'";
    struct bird_column diff = {
        .name = "max_diff", .type = BIRD_CELL_REAL, .id = "MAX"};
    struct bird_column feature = {.name = "max_feature", .id = "FEATURE"};
    struct bird_variant_column from = {.kind = LARGEST_DIFF,
                                       .class_id = class_id};
    int rc = keep_text(w, &diff.about,
                       "difference of probabilities or measured values of the "
                       "feature where it "
                       "is largest in size, of %.100s",
                       of);

    if (!rc)
        rc = keep_text(w, &feature.about, "that feature, of %.100s", of);
    if (!all &&
        (rc || (rc = keep_text(w, &diff.name, "max_diff/%s", of)) ||
         (rc = keep_text(w, &feature.name, "max_feature/%s", of)) ||
         (rc = keep_text(w, &diff.id, "MAX_%s", s->class_id[class_id])) ||
         (rc = keep_text(w, &feature.id, "FEATURE_%s", s->class_id[class_id]))))
        return rc;
    if (!rc)
        rc = add(w, &diff, &from);
    from.kind = LARGEST_FEATURE;
    return rc ? rc : add(w, &feature, &from);
}

/* Add noise bar and combined score of the feature with the largest
 * difference. */
static int add_largest_more(struct bird_variant_out *w)
{
    const struct bird_selected_scores *s = w->selected;
    const struct {
        int score, has;
        struct bird_column column;
    } more[] = {
        {BIRD_SCORE_SD,
         s->n_replicate > 0,
         {.name = "max_sd",
          .type = BIRD_CELL_REAL,
          .id = "MAX_SD",
          .about = "noise bar: standard deviation of that difference over "
                   "windows and strands"}},
        {BIRD_SCORE_AGREEMENT,
         s->n_replicate > 0,
         {.name = "max_agreement",
          .type = BIRD_CELL_REAL,
          .id = "MAX_AGREE",
          .about = "noise bar: share of the windows and strands whose "
                   "difference has that sign"}},
        {BIRD_SCORE_COMBINED,
         s->second,
         {.name = "max_combined",
          .type = BIRD_CELL_REAL,
          .id = "MAX_COMBINED",
          .about = "mean of 1 - e of that difference, and of the "
                   "masked-language model's log-likelihood ratio and "
                   "distance"}},
        {BIRD_SCORE_EFFECT,
         s->scans_motifs && s->motif_weight > 0,
         {.name = "max_effect",
          .type = BIRD_CELL_REAL,
          .id = "MAX_EFFECT",
          .about = "that difference plus the weighted change of motif "
                   "matches"}}};
    int rc = 0;

    for (size_t i = 0; i < sizeof(more) / sizeof(*more) && !rc; i++)
        if (more[i].has)
            rc = add(w, &more[i].column,
                     &(struct bird_variant_column){.kind = LARGEST_SCORE,
                                                   .score = more[i].score,
                                                   .class_id = -1});
    return rc;
}

/* Add the summaries over features, if there are several. */
static int add_summary(struct bird_variant_out *w)
{
    const struct bird_selected_scores *s = w->selected;
    struct bird_column mean = {.name = "mle",
                               .type = BIRD_CELL_REAL,
                               .id = "MLE",
                               .about =
                                   s->n_summed == s->features.n
                                       ? "mean over all features of -log10 "
                                         "e-value"
                                       : "mean over the labels of 'chromatin' "
                                         "of -log10 e-value"};
    struct bird_column top = {
        .name = "top",
        .id = "TOP",
        .about = s->calibration
                     ? "features with the largest differences in size, as "
                       "name:difference:e-value, | between them"
                     : "features with the largest differences in size, as "
                       "name:difference, | between them"};
    int rc, n_class = 0;

    if (is_only(w))
        return 0;
    for (int64_t c = 0; c < s->n_class; c++)
        n_class += bird_selected_scores_sum_class(s, (int32_t)c);
    if (!(rc = add_largest(w, -1)))
        rc = add_largest_more(w);
    for (int64_t c = 0; c < s->n_class && n_class > 1 && !rc; c++)
        if (bird_selected_scores_sum_class(s, (int32_t)c))
            rc = add_largest(w, (int32_t)c);
    if (!rc && s->calibration)
        rc = add(w, &mean, &(struct bird_variant_column){.kind = MEAN});
    if (!rc && s->top > 0)
        rc = add(w, &top, &(struct bird_variant_column){.kind = TOP});
    return rc;
}

static int list_long(struct bird_variant_out *w)
{
    int rc = add_plain(w, "FEATURE", FEATURE, BIRD_CELL_TEXT);

    if (!rc)
        rc = add_plain(w, "CLASS", CLASS, BIRD_CELL_TEXT);
    for (int64_t j = 0; j < w->selected->n_score && !rc; j++)
        rc = add_score(w, -1, w->selected->score[j]);
    return rc;
}

/* Add the change of motif matches, and with a model whether both agree. */
static int add_motif(struct bird_variant_out *w)
{
    int n = BIRD_MOTIF_COLUMNS - !w->selected->features.n, rc = 0;

    for (int k = 0; k < n && w->selected->motif && !rc; k++)
        rc = add(w, bird_motif_column(k),
                 &(struct bird_variant_column){.kind = MOTIF, .score = k});
    return rc;
}

/* Without a model. */
static int list_motif_columns(struct bird_variant_out *w,
                              enum bird_content content)
{
    int rc = content == BIRD_CONTENT_LARGEST ? add_motif(w) : 0;

    if (content == BIRD_CONTENT_LARGEST)
        return rc ? rc : add_plain(w, "status", STATUS, BIRD_CELL_TEXT);
    rc = add_fixed(w, STATUS, STATUS + 1);
    if (!rc && content == BIRD_CONTENT_FIELDS)
        rc = add_fixed(w, NO_ALT, NO_ALT + 1);
    return rc ? rc : add_motif(w);
}

static int list_scores(struct bird_variant_out *w, enum bird_content content)
{
    int rc;

    if (!w->selected->features.n)
        return list_motif_columns(w, content);
    switch (content) {
    case BIRD_CONTENT_FIELDS:
        rc = add_fixed(w, STATUS, NO_ALT + 1);
        if (!rc)
            rc = add_scores(w);
        if (!rc)
            rc = add_summary(w);
        return rc ? rc : add_motif(w);
    case BIRD_CONTENT_SCORES:
        return add_scores_turned(w);
    case BIRD_CONTENT_LARGEST:
        if ((rc = add_plain(
                 w, bird_variant_score_name(bird_main_score(w->selected)),
                 LARGEST_DIFF, BIRD_CELL_REAL)) ||
            (rc = add_plain(w, "feature", LARGEST_FEATURE, BIRD_CELL_TEXT)) ||
            (rc = add_plain(w, "status", STATUS, BIRD_CELL_TEXT)))
            return rc;
        rc = add_plain(w, "short", SHORT, BIRD_CELL_INTEGER);
        return rc ? rc : add_motif(w);
    default:
        rc = add_fixed(w, STATUS, WAY + 1);
        if (!rc && w->long_rows)
            rc = list_long(w);
        else if (!rc && !(rc = add_summary(w)))
            rc = add_scores(w);
        if (!rc)
            rc = add_motif(w);
        return rc ? rc : add_fixed(w, SHORT, SHORT + 1);
    }
}

static int list_columns(struct bird_variant_out *w, enum bird_content content)
{
    int rc = list_scores(w, content);

    for (size_t i = 0; i < sizeof(of_genes) / sizeof(*of_genes); i++)
        if (!rc && w->genes)
            rc = add(w, &of_genes[i].column,
                     &(struct bird_variant_column){.kind = of_genes[i].kind});
    return rc;
}

/* Add a line to the VCF header for every feature that INFO may name. */
static int describe_features(struct bird_variant_out *w)
{
    const struct bird_selected_scores *s = w->selected;
    const char *line;
    int rc = 0;

    w->first_line = w->n_text;
    for (int64_t i = 0; i < s->features.n && !is_only(w) && !rc; i++) {
        const bird_feature *x = &s->features.at[i];

        rc = keep_text(w, &line, "<ID=%s,Number=%lld,Name=\"%s\",Class=\"%s\">",
                       s->id[i], (long long)i, x->name, x->class_name);
    }
    return rc;
}

/* --- cells --------------------------------------------------------------- */

/* Put "feature:diff" or "feature:diff:e" of the top features, with the names
 * that the other columns have; separated by '|' in INFO, which does not allow
 * ';'. */
static int put_top(struct bird_variant_out *w,
                   const struct bird_allele_result *o)
{
    const struct bird_selected_scores *s = w->selected;
    int64_t n = bird_allele_top(w->top, s->top, s, o);
    int rc = 0;

    for (int64_t k = 0; k < n && !rc; k++) {
        int64_t i = w->top[k];

        rc = bird_text_printf(&w->word, "%s%s:",
                              !k             ? ""
                              : w->plain_ids ? "|"
                                             : ";",
                              w->plain_ids ? s->id[i] : s->features.at[i].name);
        if (!rc)
            rc = bird_vcf_number(&w->word,
                                 bird_allele_score(s, o, BIRD_SCORE_DIFF, i));
        if (!rc && s->calibration) {
            rc = bird_text_put(&w->word, ":", 1);
            if (!rc)
                rc = bird_vcf_number(&w->word,
                                     bird_allele_score(s, o, BIRD_SCORE_E, i));
        }
    }
    return rc ? rc : bird_text_put(&w->word, "", 1);
}

/* The largest difference of a class, and the feature that has it. */
static void fill_largest(struct bird_cell *out,
                         const struct bird_variant_out *w,
                         const struct bird_variant_column *c,
                         const struct bird_allele_result *o)
{
    const struct bird_selected_scores *s = w->selected;
    int64_t i = o->p_ref ? bird_allele_largest(s, o, c->class_id) : -1;

    if (i < 0)
        return;
    out->real = bird_allele_score(
        s, o, c->kind == LARGEST_SCORE ? c->score : bird_main_score(s), i);
    out->text = w->plain_ids ? s->id[i] : s->features.at[i].name;
}

/* Fill a cell; `feature` is that of the row. A missing value is NAN, a
 * negative integer, or NULL. */
static int fill(struct bird_cell *out, struct bird_variant_out *w,
                const struct bird_variant_column *c,
                const struct bird_allele_result *o, int64_t feature)
{
    const struct bird_selected_scores *s = w->selected;
    static const bird_feature none = {.name = "",
                                      .class_name = "",
                                      .cell = "",
                                      .factor = "",
                                      .treatment = ""};
    const bird_feature *x = s->features.n ? &s->features.at[feature] : &none;

    *out = (struct bird_cell){.real = (double)NAN, .integer = -1};
    switch ((enum kind)c->kind) {
    case STATUS:
        out->text = bird_variant_status_name((int)o->status);
        return 0;
    case NO_ALT:
        out->integer = o->status == BIRD_VARIANT_NO_ALT;
        return 0;
    case SCORE:
        out->real = bird_allele_score(s, o, c->score,
                                      c->feature < 0 ? feature : c->feature);
        return 0;
    case LARGEST_DIFF:
    case LARGEST_FEATURE:
    case LARGEST_SCORE:
        fill_largest(out, w, c, o);
        return 0;
    case MEAN:
        out->real = bird_allele_mean(s, o);
        return 0;
    case GENE:
        out->text = w->nearest.name;
        return 0;
    case TSS_DISTANCE:
        out->integer = w->nearest.name ? w->nearest.distance : INT64_MIN;
        return 0;
    case MOTIF:
        bird_motif_cell(out, c->score, s, o,
                        w->long_rows             ? feature
                        : w->largest && o->p_ref ? bird_allele_largest(s, o, -1)
                                                 : -1);
        return 0;
    default:
        break;
    }
    if (!o->p_ref)
        return 0;
    switch ((enum kind)c->kind) {
    case TOKENS:
        out->integer = o->request.n_changed;
        return 0;
    case WAY:
        out->text = o->request.tokenized_alone   ? "free"
                    : o->request.both_directions ? "both"
                                                 : "anchored";
        return 0;
    case SHORT:
        out->integer = o->request.cut != 0;
        return 0;
    case FEATURE:
        out->text = x->name;
        return 0;
    case CLASS:
        out->text = *x->class_name ? x->class_name : NULL;
        return 0;
    default: /* TOP: its text is in w->word, which may still be reallocated */
        out->integer = w->word.n;
        return put_top(w, o);
    }
}

static int fill_row(struct bird_variant_out *w, int64_t row, const char *alt,
                    const struct bird_allele_result *o, int64_t feature)
{
    int rc = bird_array_grow(&w->cell, &w->cap_cell, (row + 1) * w->n,
                             sizeof(*w->cell));

    if (!rc)
        rc = bird_array_grow(&w->alt, &w->cap_alt, row + 1, sizeof(*w->alt));
    if (rc)
        return rc;
    w->alt[row] = alt;
    for (int64_t k = 0; k < w->n && !rc; k++)
        rc = fill(&w->cell[row * w->n + k], w, &w->from[k], o, feature);
    return rc;
}

/* Set the pointers to texts, which no longer move. SHORT of a record is 1 if
 * any of its alleles was scored in less than a window. */
static void settle_rows(struct bird_variant_out *w, int64_t n_row)
{
    for (int64_t k = 0; k < w->n; k++)
        for (int64_t i = 0; i < n_row; i++) {
            struct bird_cell *c = &w->cell[i * w->n + k];

            if (w->from[k].kind == TOP && c->integer >= 0)
                c->text = w->word.s + c->integer;
            if (w->from[k].kind == SHORT && w->plain_ids) {
                if (c->integer == 1)
                    w->cell[k].integer = 1;
                else if (!i && c->integer == 0)
                    c->integer = -1;
            }
        }
}

/* Find the gene on the contig by its name in the VCF, else in the reference. */
static int find_gene(struct bird_variant_out *w,
                     const struct bird_vcf_record *r)
{
    int64_t end = r->pos + (int64_t)strlen(r->ref), contig = -1;
    int rc = 0;

    bird_genes_nearest(&w->nearest, w->genes, r->contig, r->pos, end);
    if (!w->nearest.name)
        rc = bird_contig_map_find(w->map, &contig, r->contig);
    if (!rc && contig >= 0)
        bird_genes_nearest(&w->nearest, w->genes,
                           bird_genome_name(w->genome, contig), r->pos, end);
    return rc;
}

int bird_variant_out_put(struct bird_variant_out *w, struct bird_vcf_record *r,
                         const struct bird_allele_result *o)
{
    static const struct bird_allele_result none = {.status =
                                                       BIRD_VARIANT_NO_ALT};
    const struct bird_selected_scores *s = w->selected;
    int64_t n = 0;
    int rc = w->genes ? find_gene(w, r) : 0;

    bird_text_clear(&w->word);
    for (int64_t a = 0; a < (r->n_alt ? r->n_alt : 1) && !rc; a++) {
        const char *alt = r->n_alt ? r->alt[a] : ".";
        const struct bird_allele_result *x = r->n_alt ? &o[a] : &none;
        int64_t rows = w->long_rows && x->p_ref ? s->n_feature : 1;

        for (int64_t k = 0; k < rows && !rc; k++)
            rc = fill_row(w, n++, alt, x, w->long_rows ? s->feature[k] : 0);
    }
    if (rc)
        return rc;
    settle_rows(w, n);
    return bird_track_put_record(w->track, r, n, w->alt, w->cell);
}

/* --- the output ---------------------------------------------------------- */

int bird_variant_out_open(struct bird_variant_out *w,
                          const bird_variant_options *o,
                          const struct bird_selected_scores *selected,
                          const struct bird_provenance *p, struct bird_vcf *v,
                          const char *name, int64_t from_bytes)
{
    const struct bird_format *f;
    bird_track_options track = {.path = o->output,
                                .index = o->index,
                                .no_version = o->no_version,
                                .command = o->command,
                                .model = p->model,
                                .reference = p->reference};
    struct bird_track_extra x = {.background = p->background,
                                 .resumable = 1,
                                 .restart = o->force,
                                 .from_bytes = from_bytes,
                                 .vcf = v,
                                 .prefix = o->prefix,
                                 .drop_genotypes = o->drop_genotypes,
                                 .label = o->label ? o->label : name,
                                 .settings = w->settings,
                                 .headless = w->headless};
    int rc = bird_variant_format(&f, o);

    if (rc)
        return rc;
    f = w->format ? w->format : f;
    w->selected = selected;
    w->plain_ids = f->content == BIRD_CONTENT_FIELDS;
    w->long_rows = o->long_rows;
    w->largest = f->content == BIRD_CONTENT_LARGEST;
    rc = bird_array_new(&w->top, selected->top, sizeof(*w->top));
    if (!rc && o->genes)
        rc = bird_genes_read(&w->genes, o->genes);
    if (!rc)
        rc = list_columns(w, f->content);
    if (!rc && w->plain_ids)
        rc = describe_features(w);
    if (rc)
        return rc;
    x.column = w->column;
    x.n_column = w->n;
    if (w->plain_ids) {
        x.header = (const char *const *)w->text + w->first_line;
        x.n_header = w->n_text - w->first_line;
    }
    return bird_track_begin(&w->track, f, &track, &x);
}

int bird_variant_out_note(const struct bird_variant_out *w,
                          struct bird_text *notice)
{
    char genes[512] = "";

    if (w->genes)
        bird_genes_notice(genes, sizeof(genes), w->genes);
    return *genes ? bird_context_note(notice, "%s", genes) : 0;
}

void bird_variant_out_free(struct bird_variant_out *w)
{
    bird_track_free(w->track);
    for (int64_t i = 0; i < w->n_text; i++)
        free(w->text[i]);
    free(w->text);
    free(w->from);
    free(w->column);
    free(w->cell);
    free(w->alt);
    free(w->top);
    bird_genes_free(w->genes);
    bird_text_free(&w->word);
}
