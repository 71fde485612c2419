/* The score `motif`: options, columns and cells.
 * SPDX-License-Identifier: MIT */
#include "variant/variant_motif.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

enum column { SUM, NAME, ID, STRAND, POSITION, CHANGE, AGREEMENT };

static const struct bird_column columns[BIRD_MOTIF_COLUMNS] = {
    [SUM] = {.name = "motif",
             .type = BIRD_CELL_REAL,
             .id = "MOTIF",
             .about = "change of motif matches (bits): how far the best match "
                      "of each motif is above its threshold with this allele, "
                      "less the same with the reference allele, summed over "
                      "motifs"},
    [NAME] = {.name = "motif_name",
              .id = "MOTIF_NAME",
              .about = "name of the motif with the largest change in size"},
    [ID] = {.name = "motif_id",
            .id = "MOTIF_ID",
            .about = "identifier of that motif"},
    [STRAND] = {.name = "motif_strand",
                .id = "MOTIF_STRAND",
                .about = "strand of its match, + or -"},
    [POSITION] = {.name = "motif_pos",
                  .type = BIRD_CELL_INTEGER,
                  .id = "MOTIF_POS",
                  .about = "position of the first base of its match, in the "
                           "reference allele for a loss and in this allele "
                           "for a gain"},
    [CHANGE] = {.name = "motif_change",
                .type = BIRD_CELL_REAL,
                .id = "MOTIF_CHANGE",
                .about = "change of that motif (bits)"},
    [AGREEMENT] = {.name = "motif_agreement",
                   .id = "MOTIF_AGREE",
                   .about = "whether motif has the sign of the model's "
                            "difference, or llr, of the row's feature, or of "
                            "the selected one where it is largest in size: "
                            "same, against, or none (no match changes, or "
                            "gains equal losses)"},
};

const struct bird_column *bird_motif_column(int k)
{
    return &columns[k];
}

int bird_motif_is_name(const char *word, size_t n)
{
    return n == strlen("motif") && !memcmp(word, "motif", n);
}

/* The number of scores in the list, and how many of them are `motif` or are made
 * of it. */
static int64_t count_scores(const char *list, int64_t *n_motif,
                            int64_t *n_effect)
{
    int64_t n = 0;

    *n_motif = *n_effect = 0;
    while (list && *list) {
        size_t k = strcspn(list, ",");

        n++;
        *n_motif += bird_motif_is_name(list, k);
        *n_effect += bird_score_find(list, k) == BIRD_SCORE_EFFECT;
        list += k + (list[k] == ',');
    }
    return n;
}

static int is_none(const bird_variant_options *o)
{
    return o->motifs && !strcmp(o->motifs, "none");
}

int bird_motif_is_only_score(const bird_variant_options *o)
{
    int64_t n_motif, n_effect;

    return count_scores(o->scores, &n_motif, &n_effect) == n_motif && n_motif;
}

int bird_motif_is_wanted(const bird_variant_options *o)
{
    int64_t n_motif, n_effect, n = count_scores(o->scores, &n_motif, &n_effect);

    return n_motif > 0 || (!n && o->motifs && !is_none(o));
}

int bird_motif_is_default(const bird_variant_options *o,
                          enum bird_content content)
{
    return (!o->scores || !*o->scores) && !is_none(o) &&
           content != BIRD_CONTENT_SCORES;
}

/* Refuse options of a model, which have no effect where none is run: those that
 * differ from the usual ones. */
static int refuse_of_models(const bird_variant_options *o,
                            const bird_variant_options *usual)
{
    const bird_variant_params *w = &o->params;
    const double max_n = usual->params.max_unknown;
    const struct {
        const char *option;
        int given;
    } of_models[] = {
        {"-F or --cell", o->features != NULL},
        {"--table", o->table != NULL},
        {"--zero-shot", o->zero_shot != NULL},
        {"--long", o->long_rows},
        {"--window", w->window_bp != usual->params.window_bp},
        {"--strand", w->strand != usual->params.strand},
        {"--span", w->span_bp != usual->params.span_bp},
        {"--max-n", w->max_unknown < max_n || w->max_unknown > max_n},
        {"--shifts", w->shifts != NULL},
        {"--tokens", w->tokens != usual->params.tokens},
        {"--precision", w->precision != usual->params.precision}};

    for (size_t i = 0; i < sizeof(of_models) / sizeof(*of_models); i++)
        if (of_models[i].given)
            return bird_fail(BIRD_EINVAL,
                             "--scores motif runs no model, so %s has no "
                             "effect: leave it out, or add a score of the "
                             "model (--scores diff,motif)",
                             of_models[i].option);
    return 0;
}

int bird_motif_check(const bird_variant_options *o, enum bird_content content)
{
    bird_variant_options usual;
    int64_t n_motif, n_effect;

    count_scores(o->scores, &n_motif, &n_effect);
    if ((n_motif || n_effect) && is_none(o))
        return bird_fail(BIRD_EINVAL,
                         "--scores %s needs motifs, not --motifs none",
                         n_motif ? "motif" : "effect");
    if (!bird_motif_is_wanted(o)) {
        if (o->motifs && !is_none(o) && !n_effect)
            return bird_fail(BIRD_EINVAL, "--motifs is for the scores motif "
                                          "and effect: add one to --scores");
        return 0;
    }
    if (content == BIRD_CONTENT_SCORES)
        return bird_fail(
            BIRD_EINVAL,
            "the score motif has no feature, so this format cannot "
            "hold it: use -O tsv");
    if (!bird_motif_is_only_score(o))
        return 0;
    bird_variant_options_default(&usual);
    return refuse_of_models(o, &usual);
}

/* The largest difference (or llr) in size among the features of -F or --cell, else
 * among those of the summaries. */
static double largest(const struct bird_selected_scores *s,
                      const struct bird_allele_result *o)
{
    int score = bird_main_score(s);
    int64_t i = bird_allele_largest(s, o, -1);
    double x, most = (double)NAN;

    if (!s->n_feature || s->n_feature == s->features.n)
        return i < 0 ? (double)NAN : bird_allele_score(s, o, score, i);
    for (int64_t k = 0; k < s->n_feature; k++) {
        x = bird_allele_score(s, o, score, s->feature[k]);
        if (!k || fabs(x) > fabs(most))
            most = x;
    }
    return most;
}

/* "same", "against", "none"; NULL: the model has no direction. */
static const char *agreement(const struct bird_selected_scores *s,
                             const struct bird_allele_result *o,
                             int64_t feature)
{
    double x = !o->p_ref ? (double)NAN
               : feature >= 0
                   ? bird_allele_score(s, o, bird_main_score(s), feature)
                   : largest(s, o);

    if (isnan(x) || x == 0)
        return NULL;
    if (!o->motif.sum)
        return "none";
    return (x > 0) == (o->motif.sum > 0) ? "same" : "against";
}

void bird_motif_cell(struct bird_cell *out, int k,
                     const struct bird_selected_scores *s,
                     const struct bird_allele_result *o, int64_t feature)
{
    static const char *const strand[] = {"+", "-"};
    const struct bird_motif *m = o->motif.motif;

    if (!o->has_motif)
        return;
    if (k == SUM)
        out->real = (double)o->motif.sum / BIRD_MOTIF_UNIT;
    else if (k == AGREEMENT)
        out->text = agreement(s, o, feature);
    else if (!m)
        return;
    else if (k == NAME)
        out->text = m->name;
    else if (k == ID)
        out->text = m->id;
    else if (k == STRAND)
        out->text = strand[o->motif.strand == '-'];
    else if (k == POSITION)
        out->integer = o->motif.pos + 1;
    else
        out->real = (double)o->motif.change / BIRD_MOTIF_UNIT;
}
