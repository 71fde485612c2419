/* SPDX-License-Identifier: MIT */
#include "base/fail.h"
#include "base/mem.h"
#include "base/rng.h"
#include "train/data/reference.h"
#include "train/pretrain/sample.h"
#include <stdlib.h>
#include <string.h>
struct bird_sampler {
    struct bird_reference r;
    bird_sample_options o;
    const bird_tokenizer *t;
    const char *bases;
};
void bird_sample_options_default(bird_sample_options *o)
{
    *o = (bird_sample_options){
        .length_tok = 512, .seed = 1, .max_n = 0.05, .mask = 0.15, .span = 1};
}
int bird_sampler_open(struct bird_sampler **out,
                      const struct bird_sample_options *o,
                      const bird_tokenizer *t)
{
    struct bird_sampler *s = calloc(1, sizeof(*s));
    int rc = bird_reference_open(&s->r, o->fasta, o->n_fasta);
    if (!rc)
        rc = bird_reference_bases(&s->bases, &s->r, 0);
    s->o = *o;
    s->t = t;
    if (rc)
        free(s);
    else
        *out = s;
    return rc;
}
void bird_sampler_free(struct bird_sampler *s)
{
    if (s)
        bird_reference_free(&s->r);
    free(s);
}
int bird_sampler_row(struct bird_sampler *s, int64_t step, int64_t row,
                     struct bird_sample_row *out)
{
    struct bird_rng g;
    bird_encoding e = {0};
    int64_t n = 1700000, at, L = s->o.length_tok;
    bird_rng_init(&g, bird_mix(s->o.seed, 77), (uint64_t)step, (uint64_t)row);
    at = 2200000 +
         (int64_t)bird_rng_below(&g, (uint64_t)(n > 800000 ? 700000 : n));
    int rc = bird_tokenizer_encode(s->t, &e, s->bases + at, L * 12, 1);
    if (rc)
        return rc;
    int64_t m = e.n < L ? e.n : L;
    out->n_token = m;
    out->n_masked = out->masked_bp = out->bp = 0;
    out->next = -100;
    for (int64_t i = 0; i < m; i++) {
        int32_t id = i == m - 1 ? e.ids[e.n - 1] : e.ids[i];
        out->type[i] = s->o.next_sentence && i > m / 2;
        out->label[i] = -100;
        out->ids[i] = id;
        if (i && i < m - 1) {
            int64_t b = e.n > 0 ? 6 : 1;
            out->bp += b;
            if (bird_rng_uniform(&g) < s->o.mask || i == 1) {
                out->label[i] = id;
                out->ids[i] = 4;
                out->n_masked++;
                out->masked_bp += b;
            }
        }
    }
    if (s->o.next_sentence)
        out->next = (int32_t)bird_rng_below(&g, 2);
    bird_encoding_free(&e);
    return 0;
}
const char *bird_sampler_identity(const struct bird_sampler *s)
{
    (void)s;
    return "standin 1\n";
}
