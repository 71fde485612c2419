/* The head of spans (BigBirdForQuestionAnswering): two logits of every token, how
 * well a span begins and ends there. It is a feed-forward block of the encoder's kind
 * on top of the hidden states, then a linear layer:
 *
 *   t = LN(down(act(up(h))) + h);  logits = qa_outputs(t)
 *
 * Inference alone. transformers then subtracts 1e6 from the logits of the question, all
 * tokens up to the first [SEP] but the first one; here they are left as they are.
 * SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "head/kind.h"
#include "model/linear.h"
#include "model/stem.h"

enum { PART = 256, ENDS = 2 }; /* rows at a time; begin and end */

static int span_forward(float *logits, float *next, const struct bird_config *c,
                        const struct bird_weights *w, const float *x,
                        const struct bird_batch *b)
{
    const struct bird_kernels *k = bird_kernels();
    int64_t d = c->hidden_size, f = c->intermediate_size;
    int64_t all = b->offset[b->n_seq];
    struct bird_dropout none = {0};
    float *u, *t;
    int rc = bird_array_new(&u, PART * (f + d), sizeof(*u));

    (void)next;
    if (rc)
        return rc;
    t = u + PART * f;
    for (int64_t i = 0; i < all; i += PART) {
        const float *h = x + i * d;
        int64_t n = i + PART < all ? PART : all - i;

        bird_linear_forward(u, h, &w->span_up,
                            (struct bird_linear_shape){n, f, d, 0});
        k->bias_act_forward(u, u, NULL, c->act, n, f);
        bird_linear_forward(t, u, &w->span_down,
                            (struct bird_linear_shape){n, d, f, 0});
        k->residual_layernorm_forward(t, NULL, NULL, t, NULL, h,
                                      w->span_norm.gain, w->span_norm.beta,
                                      (float)c->layer_norm_eps, none, 0, n, d);
        bird_linear_forward(logits + i * ENDS, t, &w->classifier,
                            (struct bird_linear_shape){n, ENDS, d, 0});
    }
    free(u);
    return 0;
}

static int span_backward(struct bird_loss *out, float *dx, float *logits,
                         const struct bird_head_pass *p)
{
    (void)out, (void)dx, (void)logits, (void)p;
    return bird_fail(BIRD_EUNSUPPORTED,
                     "the head of spans (BigBirdForQuestionAnswering) is read "
                     "and computed, not trained");
}

static void span_tensors(struct bird_param_list *l, const struct bird_config *c)
{
    int64_t d = c->hidden_size, f = c->intermediate_size;

    bird_params_add_linear(l, f, d, "qa_classifier.intermediate.dense");
    bird_params_add_linear(l, d, f, "qa_classifier.output.dense");
    bird_params_add_norm(l, d, "qa_classifier.output.LayerNorm");
    bird_params_add_linear(l, ENDS, d, "qa_classifier.qa_outputs");
}

static int check_span(const struct bird_config *c, const char *path)
{
    if (bird_stem_pool(c) > 1)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: a head of spans needs a stem without pools",
                         path);
    return 0;
}

const struct bird_head_row bird_head_span = {
    .name = "span",
    .architecture = "BigBirdForQuestionAnswering",
    .about = "begin and end of a span (question answering)",
    .needs = BIRD_NEEDS_ALL,
    .no_pooler = 1,
    .labels = ENDS,
    .marker = "qa_classifier.qa_outputs.weight",
    .check = check_span,
    .tensors = span_tensors,
    .forward = span_forward,
    .backward = span_backward};
