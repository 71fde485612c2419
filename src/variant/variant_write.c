/* Rows of tables, and which writer a form has. SPDX-License-Identifier: MIT */
#include "variant/variant_write.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "dnabird/dnabird.h"

#define SHORT "\tSHORT" /* name of the last column of tables */

void bird_variant_writer_free(struct bird_variant_writer *w)
{
    bird_text_free(&w->line);
    bird_text_free(&w->word);
    free(w->words);
    free(w->numbers);
    free(w->integers);
    free(w->top);
}

static int put(struct bird_variant_writer *w, const char *text)
{
    return bird_text_put(&w->line, text, (int64_t)strlen(text));
}

/* A number in a table: six digits, '.' or what kipoi's readers take. */
static int put_number(struct bird_variant_writer *w, double v)
{
    if (isnan(v))
        return put(w, w->format == BIRD_VARIANT_KIPOI ? "\tnan" : "\t.");
    return bird_text_printf(&w->line, "\t%.6g", v);
}

int bird_variant_top(struct bird_text *out, struct bird_variant_writer *w,
                     const struct bird_outcome *o)
{
    const struct bird_shown *s = w->shown;
    int64_t n = bird_outcome_top(w->top, s->top, s, o);
    /* in each form as its other columns spell a feature: INFO has no room for
     * a name's letters */
    int table = w->format >= BIRD_VARIANT_TSV, rc = 0;

    for (int64_t k = 0; k < n && !rc; k++) {
        int64_t i = w->top[k];

        rc = bird_text_printf(out, "%s%s:",
                              !k      ? ""
                              : table ? ";"
                                      : "|",
                              table ? s->features.at[i].name : s->id[i]);
        if (!rc)
            rc = bird_vcf_number(out,
                                 bird_outcome_score(s, o, BIRD_SCORE_DIFF, i));
        if (!rc && s->calibration) {
            rc = bird_text_put(out, ":", 1);
            if (!rc)
                rc = bird_vcf_number(out,
                                     bird_outcome_score(s, o, BIRD_SCORE_E, i));
        }
    }
    return rc;
}

/* "# label: text", on one line whatever the text holds. */
static int put_provenance(struct bird_variant_writer *w, const char *label,
                          const char *text)
{
    int64_t from = w->line.n;
    int rc = text ? bird_text_printf(&w->line, "# %s: %s", label, text) : 0;

    for (int64_t i = from; !rc && i < w->line.n; i++)
        if (iscntrl((unsigned char)w->line.s[i]))
            w->line.s[i] = ' ';
    return rc || !text ? rc : put(w, "\n");
}

static int put_summary_columns(struct bird_variant_writer *w)
{
    const struct bird_shown *s = w->shown;
    int rc = put(w, "\tmax_diff\tmax_feature");

    for (int64_t c = 0; c < s->n_class && s->n_class > 1 && !rc; c++)
        rc = bird_text_printf(&w->line, "\tmax_diff/%s\tmax_feature/%s",
                              s->class_name[c], s->class_name[c]);
    if (!rc && s->calibration)
        rc = put(w, "\tmle");
    return rc || s->top < 1 ? rc : put(w, "\ttop");
}

/* A feature as kipoi-veff2 has it: the parts of CELL|FACTOR|TREATMENT joined by
 * '_', and no number behind those that come several times. */
static int put_kipoi_name(struct bird_text *line, const char *name)
{
    const char *bar = strrchr(name, '|'),
               *mark = bar ? strrchr(bar, '#') : NULL;
    int64_t from = line->n;
    int rc;

    if (!mark || !mark[1] || mark[1 + strspn(mark + 1, "0123456789")])
        mark = name + strlen(name);
    rc = bird_text_put(line, name, mark - name);
    for (int64_t i = from; !rc && i < line->n; i++)
        if (line->s[i] == '|')
            line->s[i] = '_';
    return rc;
}

static int put_kipoi_column(struct bird_variant_writer *w, const char *name,
                            const char *score)
{
    int rc = bird_text_printf(&w->line, "\t%s/", w->kipoi);

    if (!rc)
        rc = put_kipoi_name(&w->line, name);
    return rc ? rc : bird_text_printf(&w->line, "/%s", score);
}

/* Columns of chosen scores; kipoi has all features of a score together. */
static int put_score_columns(struct bird_variant_writer *w)
{
    const struct bird_shown *s = w->shown;
    int kipoi = w->format == BIRD_VARIANT_KIPOI, rc = 0;
    int64_t outer = kipoi ? s->n_score : s->n_feature;
    int64_t inner = kipoi ? s->n_feature : s->n_score;

    for (int64_t i = 0; i < outer && !rc; i++)
        for (int64_t j = 0; j < inner && !rc; j++) {
            int64_t f = s->feature[kipoi ? j : i];
            const char *score =
                bird_variant_score_name(s->score[kipoi ? i : j]);

            rc = kipoi ? put_kipoi_column(w, s->features.at[f].name, score)
                 : s->features.n == 1
                     ? bird_text_printf(&w->line, "\t%s", score)
                     : bird_text_printf(&w->line, "\t%s/%s",
                                        s->features.at[f].name, score);
        }
    return rc;
}

static int put_columns(struct bird_variant_writer *w)
{
    const struct bird_shown *s = w->shown;
    int rc;

    if (w->format == BIRD_VARIANT_BED)
        return put(w, "#chrom\tstart\tend\tname\tscore\tstrand\tdiff\tfeature"
                      "\tstatus\tshort");
    rc = put(w, "#CHROM\tPOS\tID\tREF\tALT");
    if (rc || w->format == BIRD_VARIANT_KIPOI)
        return rc ? rc : put_score_columns(w);
    rc = put(w, "\tSTATUS\tTOKENS\tWAY");
    if (!rc && w->long_rows) {
        rc = put(w, "\tFEATURE\tCLASS");
        for (int64_t j = 0; j < s->n_score && !rc; j++)
            rc = bird_text_printf(&w->line, "\t%s",
                                  bird_variant_score_name(s->score[j]));
        return rc ? rc : put(w, SHORT);
    }
    if (!rc && s->features.n > 1)
        rc = put_summary_columns(w);
    if (!rc)
        rc = put_score_columns(w);
    return rc ? rc : put(w, SHORT);
}

static int table_header(struct bird_variant_writer *w,
                        const struct bird_provenance *p, int to_stream)
{
    int rc = 0;

    bird_text_clear(&w->line);
    /* kipoi's readers take the first line for the columns */
    if (p && w->format != BIRD_VARIANT_KIPOI &&
        ((rc = bird_text_printf(&w->line, "# dnabird %s\n", bird_version())) ||
         (rc = put_provenance(w, "command", p->command)) ||
         (rc = put_provenance(w, "model", p->model)) ||
         (rc = put_provenance(w, "reference", p->reference)) ||
         (rc = put_provenance(w, "background", p->background))))
        return rc;
    rc = put_columns(w);
    if (!rc)
        rc = put(w, "\n");
    return rc || !to_stream ? rc
                            : bird_output_put(w->stream, w->line.s, w->line.n);
}

int bird_variant_header(struct bird_variant_writer *w,
                        const struct bird_provenance *p, int to_stream)
{
    int rc = bird_array_new(&w->top, w->shown->top, sizeof(*w->top));

    if (rc)
        return rc;
    return w->vcf ? bird_variant_vcf_header(w, p, to_stream)
                  : table_header(w, p, to_stream);
}

static int put_summary(struct bird_variant_writer *w,
                       const struct bird_outcome *o)
{
    const struct bird_shown *s = w->shown;
    int rc = 0;

    for (int64_t c = -1; c < (s->n_class > 1 ? s->n_class : 0) && !rc; c++) {
        int64_t i = o->p_ref ? bird_outcome_largest(s, o, (int32_t)c) : -1;

        rc =
            put_number(w, i < 0 ? (double)NAN
                                : bird_outcome_score(s, o, BIRD_SCORE_DIFF, i));
        if (!rc)
            rc = bird_text_printf(&w->line, "\t%s",
                                  i < 0 ? "." : s->features.at[i].name);
    }
    if (!rc && s->calibration)
        rc = put_number(w, bird_outcome_mean(s, o));
    if (rc || s->top < 1)
        return rc;
    rc = put(w, "\t");
    if (!rc)
        rc = o->p_ref ? bird_variant_top(&w->line, w, o) : put(w, ".");
    return rc;
}

static int put_scores(struct bird_variant_writer *w,
                      const struct bird_outcome *o)
{
    const struct bird_shown *s = w->shown;
    int kipoi = w->format == BIRD_VARIANT_KIPOI, rc = 0;
    int64_t outer = kipoi ? s->n_score : s->n_feature;
    int64_t inner = kipoi ? s->n_feature : s->n_score;

    for (int64_t i = 0; i < outer && !rc; i++)
        for (int64_t j = 0; j < inner && !rc; j++)
            rc = put_number(w, bird_outcome_score(s, o, s->score[kipoi ? i : j],
                                                  s->feature[kipoi ? j : i]));
    return rc;
}

/* The first five columns; alt is one of the record's, or ".". */
static int put_place(struct bird_variant_writer *w,
                     const struct bird_vcf_record *r, const char *alt)
{
    /* a missing ID is an empty field in kipoi-veff2's tables */
    int empty = w->format == BIRD_VARIANT_KIPOI && !strcmp(r->id, ".");

    return bird_text_printf(&w->line, "%s\t%lld\t%s\t%s\t%s", r->contig,
                            (long long)r->pos + 1, empty ? "" : r->id, r->ref,
                            alt);
}

static int put_state(struct bird_variant_writer *w,
                     const struct bird_outcome *o)
{
    const char *status = bird_variant_status_name((int)o->status);

    return o->p_ref ? bird_text_printf(&w->line, "\t%s\t%lld\t%s", status,
                                       (long long)o->n_changed,
                                       o->free ? "free" : "anchored")
                    : bird_text_printf(&w->line, "\t%s\t.\t.", status);
}

/* The last column: 1 where the contig is shorter than the window. */
static int put_short(struct bird_variant_writer *w,
                     const struct bird_outcome *o)
{
    return put(w, !o->p_ref ? "\t.\n" : o->cut ? "\t1\n" : "\t0\n");
}

static int table_row(struct bird_variant_writer *w,
                     const struct bird_vcf_record *r, const char *alt,
                     const struct bird_outcome *o)
{
    int rc = put_place(w, r, alt);

    if (!rc && w->format != BIRD_VARIANT_KIPOI)
        rc = put_state(w, o);
    if (!rc && w->format != BIRD_VARIANT_KIPOI && w->shown->features.n > 1)
        rc = put_summary(w, o);
    if (!rc)
        rc = put_scores(w, o);
    if (rc)
        return rc;
    return w->format == BIRD_VARIANT_KIPOI ? put(w, "\n") : put_short(w, o);
}

/* A row a feature; one of '.' for an allele without scores. */
static int long_rows(struct bird_variant_writer *w,
                     const struct bird_vcf_record *r, const char *alt,
                     const struct bird_outcome *o)
{
    const struct bird_shown *s = w->shown;
    int rc = 0;

    for (int64_t k = 0; k < (o->p_ref ? s->n_feature : 1) && !rc; k++) {
        const bird_feature *x = &s->features.at[s->feature[k]];

        rc = put_place(w, r, alt);
        if (!rc)
            rc = put_state(w, o);
        if (!rc)
            rc = o->p_ref
                     ? bird_text_printf(&w->line, "\t%s\t%s", x->name,
                                        *x->class_name ? x->class_name : ".")
                     : put(w, "\t.\t.");
        for (int64_t j = 0; j < s->n_score && !rc; j++)
            rc = put_number(
                w, bird_outcome_score(s, o, s->score[j], s->feature[k]));
        if (!rc)
            rc = put_short(w, o);
    }
    return rc;
}

static int bed_row(struct bird_variant_writer *w,
                   const struct bird_vcf_record *r, const char *alt,
                   const struct bird_outcome *o)
{
    const struct bird_shown *s = w->shown;
    int64_t start = r->pos > 0 ? r->pos : 0, best = -1;
    int64_t end = r->pos + (int64_t)strlen(r->ref);
    double diff = (double)NAN;
    int rc;

    if (o->p_ref) {
        best = bird_outcome_largest(s, o, -1);
        diff = bird_outcome_score(s, o, BIRD_SCORE_DIFF, best);
    }
    rc = bird_text_printf(&w->line, "%s\t%lld\t%lld\t", r->contig,
                          (long long)start,
                          (long long)(end > start ? end : start + 1));
    if (!rc)
        rc = strcmp(r->id, ".")
                 ? put(w, r->id)
                 : bird_text_printf(&w->line, "%s>%s", r->ref, alt);
    if (!rc)
        rc = bird_text_printf(&w->line, "\t%d\t.",
                              best < 0 ? 0 : (int)lround(1000 * fabs(diff)));
    if (!rc)
        rc = put_number(w, diff);
    if (!rc)
        rc = bird_text_printf(&w->line, "\t%s\t%s",
                              best < 0 ? "." : s->features.at[best].name,
                              bird_variant_status_name((int)o->status));
    return rc ? rc : put_short(w, o);
}

static int table_write(struct bird_variant_writer *w,
                       const struct bird_vcf_record *r,
                       const struct bird_outcome *o)
{
    static const struct bird_outcome none = {.status = BIRD_VARIANT_NO_ALT};
    int rc = 0;

    bird_text_clear(&w->line);
    for (int64_t a = 0; a < (r->n_alt ? r->n_alt : 1) && !rc; a++) {
        const char *alt = r->n_alt ? r->alt[a] : ".";
        const struct bird_outcome *x = r->n_alt ? &o[a] : &none;

        if (w->format == BIRD_VARIANT_BED)
            rc = bed_row(w, r, alt, x);
        else if (w->format == BIRD_VARIANT_TSV && w->long_rows)
            rc = long_rows(w, r, alt, x);
        else
            rc = table_row(w, r, alt, x);
    }
    return rc ? rc : bird_output_put(w->stream, w->line.s, w->line.n);
}

int bird_variant_write(struct bird_variant_writer *w, struct bird_vcf_record *r,
                       const struct bird_outcome *o)
{
    int rc = bird_array_grow(&w->words, &w->cap_words, r->n_alt + 1,
                             sizeof(*w->words));

    if (!rc)
        rc = bird_array_grow(&w->numbers, &w->cap_numbers, r->n_alt + 1,
                             sizeof(*w->numbers));
    if (!rc)
        rc = bird_array_grow(&w->integers, &w->cap_integers, r->n_alt + 1,
                             sizeof(*w->integers));
    if (rc)
        return rc;
    return w->vcf ? bird_variant_vcf_write(w, r, o) : table_write(w, r, o);
}
