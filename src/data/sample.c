/* Samplers: opening, rows, counts. SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/identity.h"
#include "data/sampler.h"
#include "data/shards.h"

void bird_sample_options_default(bird_sample_options *o)
{
    *o = (bird_sample_options){.kind = BIRD_SAMPLE_WINDOWS,
                               .length_tok = 512,
                               .seed = 1,
                               .max_n = 0.05,
                               .mask = 0.15,
                               .span = 1};
}

static int check_options(const struct bird_sample_options *o)
{
    if (o->kind != BIRD_SAMPLE_WINDOWS && o->kind != BIRD_SAMPLE_DOCUMENTS)
        return bird_fail(BIRD_EINVAL, "no such kind of sampling");
    if (o->length_tok < 8 || o->length_tok > 1 << 24)
        return bird_fail(BIRD_EINVAL,
                         "rows of %lld tokens: 8 to 16777216 are possible",
                         (long long)o->length_tok);
    if (!(o->max_n >= 0.0 && o->max_n <= 1.0))
        return bird_fail(BIRD_EINVAL, "a share of N of %g: it lies in 0 to 1",
                         o->max_n);
    if (!(o->mask > 0.0 && o->mask <= 1.0))
        return bird_fail(BIRD_EINVAL,
                         "a masked share of %g: it lies above 0, up to 1",
                         o->mask);
    if (o->span < 1 || o->span > 1000)
        return bird_fail(BIRD_EINVAL,
                         "spans of up to %d tokens: 1 to 1000 are possible",
                         o->span);
    if (o->shards && (o->n_fasta || o->include || o->exclude ||
                      o->held_out[0] || o->held_out[1]))
        return bird_fail(BIRD_EINVAL,
                         "%s: token shards are read instead of references and "
                         "regions: give the one or the others",
                         o->shards);
    return 0;
}

/* The five special tokens in their two spellings; [CLS], [SEP] and [MASK]
   are needed. */
static int find_words(struct bird_sample_words *w, const bird_tokenizer *t)
{
    static const char *const name[5][2] = {{"[CLS]", "<s>"},
                                           {"[SEP]", "</s>"},
                                           {"[MASK]", "<mask>"},
                                           {"[PAD]", "<pad>"},
                                           {"[UNK]", "<unk>"}};
    int32_t id[5];
    int rc;

    w->n = bird_tokenizer_count(t);
    rc = bird_array_new(&w->special, w->n, 1);
    if (!rc)
        rc = bird_array_new(&w->letters, w->n, sizeof(*w->letters));
    if (rc)
        return rc;
    for (int64_t i = 0; i < w->n; i++) {
        const char *token = bird_tokenizer_token(t, (int32_t)i);

        w->letters[i] = token ? (int32_t)strlen(token) : 0;
    }
    for (int i = 0; i < 5; i++) {
        id[i] = bird_tokenizer_id(t, name[i][0]);
        if (id[i] < 0)
            id[i] = bird_tokenizer_id(t, name[i][1]);
        if (id[i] >= 0)
            w->special[id[i]] = 1;
        else if (i < 3)
            return bird_fail(BIRD_EUNSUPPORTED,
                             "the tokenizer has no token %s: pretraining needs "
                             "it",
                             name[i][0]);
    }
    w->cls = id[0];
    w->sep = id[1];
    w->mask = id[2];
    return 0;
}

static int open_data(struct bird_sampler *s,
                     const struct bird_sample_options *o, json_t *identity)
{
    int rc;

    if (o->shards) {
        rc = bird_shards_open(&s->shards, o->shards, identity);
        if (!rc)
            s->n_base = bird_shards_bases(s->shards);
        return rc ? rc : bird_identity_text(s, bird_shards_identity(s->shards));
    }
    rc = bird_areas_open(s, o);
    if (!rc)
        rc = bird_words_measure(s);
    if (!rc)
        rc = bird_identity_add_data(identity, s);
    return rc ? rc : bird_identity_text(s, identity);
}

int bird_sampler_open(struct bird_sampler **out,
                      const struct bird_sample_options *o,
                      const bird_tokenizer *t)
{
    struct bird_sampler *s = NULL;
    json_t *identity = NULL;
    int rc = check_options(o);

    if (rc || (rc = bird_array_new(&s, 1, sizeof(*s))))
        return rc;
    s->o = *o;
    s->t = t;
    rc = find_words(&s->words, t);
    if (!rc)
        rc = bird_identity_of_options(&identity, s);
    if (!rc)
        rc = open_data(s, o, identity);
    json_decref(identity);
    if (rc)
        bird_sampler_free(s);
    else
        *out = s;
    return rc;
}

void bird_sampler_free(struct bird_sampler *s)
{
    if (!s)
        return;
    bird_bases_free(&s->bases);
    bird_places_free(&s->allowed);
    bird_shards_free(s->shards);
    bird_text_free(&s->identity);
    free(s->words.special);
    free(s->words.letters);
    free(s->document);
    free(s->sum);
    free(s);
}

int bird_sampler_row(struct bird_sampler *s, int64_t step, int64_t row,
                     struct bird_sample_row *out)
{
    /* bases under tokens stand where the labels will be: each is read before
       its label is written */
    struct bird_drawn d = {.ids = out->ids, .bp = out->label};
    int rc;

    if (step < 0 || row < 0)
        return bird_fail(BIRD_ERANGE, "step %lld, row %lld: both count from 0",
                         (long long)step, (long long)row);
    rc = s->shards ? bird_shards_row(&d, s->shards, s, step, row)
                   : bird_row_draw(&d, s, step, row);
    if (!rc)
        rc = bird_row_mask(out, &d, s, step, row);
    if (rc)
        return rc;
    s->rows++;
    s->tokens += out->n_token;
    s->bp += out->bp;
    s->n_rich += out->n_rich;
    s->masked += out->n_masked;
    s->masked_bp += out->masked_bp;
    return 0;
}

void bird_sampler_count(const struct bird_sampler *s,
                        struct bird_sample_count *out)
{
    *out = (struct bird_sample_count){s->rows,   s->tokens, s->bp,
                                      s->n_rich, s->masked, s->masked_bp};
}

int64_t bird_sampler_bases(const struct bird_sampler *s)
{
    return s->n_base;
}

int64_t bird_sampler_steps(const struct bird_sampler *s)
{
    return s->shards ? bird_shards_steps(s->shards) : INT64_MAX;
}

const char *bird_sampler_identity(const struct bird_sampler *s)
{
    return s->identity.s;
}
