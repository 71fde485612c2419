/* The layout of a model, from its head, dnabird.json and the user's options. The
 * user's value comes first, then the folder's, then a default. All checks are here,
 * so that callers need none.
 * SPDX-License-Identifier: MIT */
#include "session/layout.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"
#include "head/head.h"
#include "model/stem.h"
#include "session/model.h"
#include "session/session.h"
#include "token/vocab.h"

enum bird_answers bird_config_answers(const struct bird_config *c)
{
    if (c->head->masked)
        return BIRD_ANSWERS_TOKENS;
    return bird_head_scores(c) ? BIRD_ANSWERS_LABELS : BIRD_ANSWERS_NONE;
}

int64_t bird_config_bins(const struct bird_config *c, int64_t len)
{
    return c->head->n_bin ? c->head->n_bin(c, len) : 1;
}

int bird_config_on_grid(const struct bird_config *c)
{
    return c->head->n_bin != NULL;
}

int bird_config_measures(const struct bird_config *c)
{
    return bird_head_scores(c) &&
           bird_head_activation(c) == BIRD_ACTIVATE_NOTHING;
}

static int choose_context(struct bird_layout *l, const bird_model *m,
                          const struct bird_layout_request *r)
{
    char how[64];

    l->context_bp = r->context_bp > 0 ? r->context_bp : bird_model_window(m);
    if (l->context_bp > 0)
        return 0;
    snprintf(how, sizeof(how), "%s BP", r->option);
    return bird_model_fail_window(m, how);
}

/* One answer a window: one bin, which is the whole window. */
static int lay_window(struct bird_layout *l, const bird_model *m,
                      const struct bird_layout_request *r)
{
    int rc = choose_context(l, m, r);

    l->own_stride_bp = bird_model_stride(m);
    l->core_bp = l->bin_bp = l->context_bp;
    l->bins = 1;
    l->stride_bp = r->stride_bp > 0 ? r->stride_bp : bird_model_stride(m);
    if (l->stride_bp < 1)
        l->stride_bp = l->context_bp / 4 > 0 ? l->context_bp / 4 : 1;
    return rc;
}

/* One answer a window, reported for a bin in its middle. */
static int lay_profile(struct bird_layout *l, const bird_model *m,
                       const struct bird_layout_request *r)
{
    int64_t context = r->context_bp > 0 ? r->context_bp : bird_model_window(m);
    int64_t bin;
    int rc = bird_json_int(&l->own_bin_bp, bird_model_meta(m), "bin_bp", 1,
                           INT32_MAX, bird_model_path(m));

    if (rc)
        return rc;
    if (!l->own_bin_bp)
        l->own_bin_bp = bird_model_stride(m);
    bin = r->bin_bp > 0 ? r->bin_bp : l->own_bin_bp;
    if (bin < 1 || context < 1)
        return bird_model_fail_window(m, "--context BP and --bin BP");
    if (context < bin || (context - bin) % 2)
        return bird_fail(BIRD_EINVAL,
                         "%s: bins of %lld bp in a context of %lld bp: give "
                         "--bin and --context so that as many bases of the "
                         "context lie on either side of the bin",
                         bird_model_path(m), (long long)bin,
                         (long long)context);
    l->context_bp = context;
    l->margin_bp = (context - bin) / 2;
    l->core_bp = l->bin_bp = l->stride_bp = bin;
    l->bins = 1;
    l->on_grid = 1;
    return 0;
}

/* Overlapping bins divide a bin, so that all of them lie on one grid. */
static int choose_stride(struct bird_layout *l, const bird_model *m,
                         int64_t asked)
{
    int64_t own = bird_model_stride(m);

    l->own_stride_bp = own > 0 ? own : l->bin_bp;
    l->stride_bp = asked > 0 ? asked : l->own_stride_bp;
    return l->bin_bp % l->stride_bp == 0
               ? 0
               : bird_fail(BIRD_EINVAL,
                           "%s predicts bins of %lld bp: a stride of %lld "
                           "bp does not divide them",
                           bird_model_path(m), (long long)l->bin_bp,
                           (long long)l->stride_bp);
}

/* Bases of the longest token. */
static int64_t longest_token(const bird_tokenizer *t)
{
    int64_t longest = t->kmer > 1 ? t->kmer : 1;

    for (int64_t i = 0; i < t->vocab.n; i++) {
        const char *s = bird_vocab_text(&t->vocab, i);
        int64_t n = s ? (int64_t)strspn(s, "ACGTNacgtn") : 0;

        if (s && !s[n] && n > longest)
            longest = n;
    }
    return longest;
}

/* Before memory for windows is asked for: one that no sequence of bases would
 * let the model read. */
static int check_reads(const struct bird_layout *l, const bird_model *m,
                       const char *option)
{
    const struct bird_config *c = bird_model_config(m);
    int64_t most = bird_stem_tokens(c, c->max_positions);

    if (bird_model_tokenizer(m) && l->context_bp > most &&
        l->context_bp / longest_token(bird_model_tokenizer(m)) > most)
        return bird_fail(BIRD_EINVAL,
                         "%s: %s: a window of %lld bp is more than the %lld "
                         "tokens that the model reads: use a shorter window",
                         bird_model_path(m), option, (long long)l->context_bp,
                         (long long)most);
    return 0;
}

static int lay_bins(struct bird_layout *l, const bird_model *m,
                    const struct bird_layout_request *r)
{
    int64_t bin = bird_model_config(m)->bin_bp, margin = 0;
    int rc = bird_json_int(&margin, bird_model_meta(m), "margin_bp", 0,
                           INT32_MAX, bird_model_path(m));

    l->bin_bp = l->own_bin_bp = bin;
    l->unknown = BIRD_UNKNOWN_OF_BIN;
    l->on_grid = 1;
    if (r->bin_bp > 0 && r->bin_bp != bin)
        return bird_fail(BIRD_EINVAL,
                         "%s predicts bins of %lld bp: --bin cannot change "
                         "them",
                         bird_model_path(m), (long long)bin);
    if (!rc)
        rc = choose_stride(l, m, r->profile ? bin : r->stride_bp);
    if (!rc)
        rc = choose_context(l, m, r);
    if (!rc)
        rc = check_reads(l, m, r->option);
    if (rc)
        return rc;
    l->margin_bp = (margin + bin - 1) / bin * bin;
    l->core_bp = l->context_bp - 2 * l->margin_bp;
    l->bins = l->core_bp / bin;
    if (l->core_bp < bin)
        return bird_fail(BIRD_EINVAL,
                         "%s: %s: %lld bp are too short: give at least %lld "
                         "bp, margins of %lld bp at both ends and a bin of "
                         "%lld bp",
                         bird_model_path(m), r->option,
                         (long long)l->context_bp,
                         (long long)(2 * l->margin_bp + bin),
                         (long long)l->margin_bp, (long long)bin);
    if (l->core_bp % bin)
        return bird_fail(BIRD_EINVAL,
                         "%s: %s: %lld bp less margins of %lld bp at both ends "
                         "is not a whole number of bins of %lld bp",
                         bird_model_path(m), r->option,
                         (long long)l->context_bp, (long long)l->margin_bp,
                         (long long)bin);
    return 0;
}

int bird_layout_of(struct bird_layout *out, const bird_model *m,
                   const struct bird_layout_request *r)
{
    const struct bird_config *c = bird_model_config(m);

    *out = (struct bird_layout){.n_label = bird_model_labels(c),
                                .strand_pair = bird_model_strand_pair(m),
                                .own_context_bp = bird_model_window(m)};
    if (bird_config_on_grid(c))
        return lay_bins(out, m, r);
    return r->profile ? lay_profile(out, m, r) : lay_window(out, m, r);
}
