/* Hidden states, pooled vectors and logits of sequences, written to a file. All
 * sequences are tokenized first, because the header of the file holds the sizes
 * of the tensors; then the packs are run one after the other, and each writes
 * its part of the tensors.
 * SPDX-License-Identifier: MIT */
#include "dnabird/embed.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "base/text.h"
#include "dnabird/dnabird.h"
#include "dnabird/intervals.h"
#include "dnabird/reference.h"
#include "dnabird/tiles.h"
#include "head/head.h"
#include "model/config.h"
#include "model/stem.h"
#include "session/embed_file.h"
#include "session/embed_read.h"
#include "session/model.h"
#include "session/pack.h"
#include "session/session.h"

/* Logits in memory at a time; one token has as many as the vocabulary. */
enum { LOGITS = 4 << 20, ROWS_MIN = 128 };

/* The slot of each result in the file; -1: not written. */
struct wanted {
    int64_t offset, inputs, last, mean, pooled, logits, next;
    int64_t *state; /* (n_layer + 1) */
};

struct embed {
    const bird_embed_options *o;
    bird_model *model;
    const struct bird_config *c;
    struct bird_encoder *e;
    struct bird_pack all;
    struct bird_slots file;
    enum bird_embed_form form;
    struct bird_text names;
    int mean; /* wanted */
    struct wanted want;
    int64_t *offset; /* of the batch, from 0 */
    float *x, *part;
    int64_t *token; /* of the batch; only for a model with a stem */
    int64_t cap_offset, cap_token, cap_x, cap_part;
    struct bird_batch b;
    struct bird_pack padded; /* the batch, when sequences are padded */
    int64_t tok0, seq0;      /* tokens and sequences before the batch */
    int64_t n_tok;           /* rows of the batch, without padding */
};

void bird_embed_options_default(bird_embed_options *o)
{
    *o = (bird_embed_options){.layer = BIRD_EMBED_DEFAULT};
    bird_model_run_default(&o->run);
}

static int check_options(const bird_embed_options *o)
{
    int inputs = !!o->fasta + !!o->regions + !!o->ids;

    if (inputs != 1)
        return bird_fail(BIRD_EINVAL, "embed: one input is needed: FASTA, "
                                      "regions of a reference, or token ids");
    if (!o->regions != !o->reference)
        return bird_fail(BIRD_EINVAL,
                         "embed: regions and a reference belong together");
    if (!o->output || !bird_embed_form(o->output))
        return bird_fail(BIRD_EINVAL,
                         "embed: the output is a file whose name ends in "
                         ".safetensors, .npy or .tsv");
    return 0;
}

/* A format for one tensor takes hidden states when the user asks for no other
   result; a format with a row for each sequence cannot take states of tokens. */
static int64_t layer_of(const struct embed *m)
{
    const bird_embed_options *o = m->o;

    if (o->layer != BIRD_EMBED_DEFAULT)
        return o->layer;
    return m->form == BIRD_EMBED_TSV || (m->form == BIRD_EMBED_NPY &&
                                         (o->mean || o->pooled || o->logits))
               ? BIRD_EMBED_NONE
               : BIRD_EMBED_LAST;
}

static int add_state(struct embed *m, int64_t layer)
{
    char name[BIRD_EMBED_NAME];

    snprintf(name, sizeof(name), "hidden_states.%lld", (long long)layer);
    m->want.state[layer] = m->file.n;
    return bird_slots_add(&m->file, name, BIRD_F32, m->all.n_row,
                          m->c->hidden_size);
}

static int add_one(struct embed *m, int64_t *slot, const char *name,
                   int64_t rows, int64_t columns)
{
    *slot = m->file.n;
    return bird_slots_add(&m->file, name, BIRD_F32, rows, columns);
}

static int add_states(struct embed *m)
{
    int64_t layer = layer_of(m), n = m->c->n_layer;
    int rc = 0;

    for (int64_t l = 0; !rc && l <= n; l++)
        if (layer == BIRD_EMBED_ALL || layer == l)
            rc = add_state(m, l);
    if (!rc && layer == BIRD_EMBED_INPUTS)
        rc = add_one(m, &m->want.inputs, "inputs_embeds", m->all.n_row,
                     m->c->hidden_size);
    if (!rc && (layer == BIRD_EMBED_ALL || layer == BIRD_EMBED_LAST))
        rc = add_one(m, &m->want.last, "last_hidden_state", m->all.n_row,
                     m->c->hidden_size);
    return rc;
}

/* The tensors of the file, offset first. */
static int add_slots(struct embed *m)
{
    int one = m->form != BIRD_EMBED_SAFETENSORS, rc;
    const struct bird_config *c = m->c;
    struct wanted *w = &m->want;

    w->offset = w->inputs = w->last = w->mean = w->pooled = w->logits =
        w->next = -1;
    rc = bird_array_new(&w->state, c->n_layer + 1, sizeof(*w->state));
    for (int64_t l = 0; !rc && l <= c->n_layer; l++)
        w->state[l] = -1;
    if (!rc && !one) {
        w->offset = 0;
        rc = bird_slots_add(&m->file, "offset", BIRD_I64, m->all.n_seq + 1, 0);
    }
    if (!rc)
        rc = add_states(m);
    if (!rc && m->mean)
        rc = add_one(m, &w->mean, "mean_hidden_state", m->all.n_seq,
                     c->hidden_size);
    if (!rc && m->o->pooled)
        rc = add_one(m, &w->pooled, "pooler_output", m->all.n_seq,
                     c->hidden_size);
    if (!rc && m->o->logits)
        rc = add_one(m, &w->logits, "logits",
                     bird_head_per_token(c) ? m->all.n_row : m->all.n_seq,
                     bird_head_columns(c));
    if (!rc && m->o->logits && !one && c->head->next)
        rc = add_one(m, &w->next, "seq_relationship_logits", m->all.n_seq, 2);
    return rc;
}

/* Check the results asked for against the model and the format. */
static int check_wanted(const struct embed *m)
{
    const bird_embed_options *o = m->o;
    int64_t layer = layer_of(m);
    int64_t n = (layer == BIRD_EMBED_ALL    ? m->c->n_layer + 2
                 : layer == BIRD_EMBED_NONE ? 0
                                            : 1) +
                !!m->mean + !!o->pooled + !!o->logits;

    if (layer < BIRD_EMBED_INPUTS || layer > m->c->n_layer)
        return bird_fail(BIRD_EINVAL,
                         "%s: there is no layer %lld: 0, the embeddings, to "
                         "%lld",
                         bird_model_path(m->model), (long long)layer,
                         (long long)m->c->n_layer);
    if (o->logits && !m->c->head->forward)
        return bird_fail(BIRD_EINVAL,
                         "%s: the model has no head that gives logits",
                         bird_model_path(m->model));
    if (o->logits && m->c->head->needs == BIRD_NEEDS_BINS)
        return bird_fail(BIRD_EUNSUPPORTED,
                         "%s: --logits: the head answers bins of a window on a "
                         "genome: 'promoter -O windows' and 'chromatin' write "
                         "its answers",
                         bird_model_path(m->model));
    if (o->logits && m->c->head->masked && bird_stem_full(m->c, NULL))
        return bird_fail(
            BIRD_EUNSUPPORTED,
            "%s: a row holds several tokens, and the head computes logits of "
            "masked tokens only: 'evaluate --mlm --predictions' writes them",
            bird_model_path(m->model));
    if (!n)
        return bird_fail(BIRD_EINVAL, "embed: no output is chosen: give "
                                      "--layer, --mean, --pooled or --logits");
    if (n != 1 && m->form != BIRD_EMBED_SAFETENSORS)
        return bird_fail(
            BIRD_EINVAL,
            "%s: this format holds one tensor, and %lld were chosen: "
            "write .safetensors",
            o->output, (long long)n);
    if (m->form == BIRD_EMBED_TSV &&
        (layer != BIRD_EMBED_NONE || (o->logits && m->c->head->masked)))
        return bird_fail(BIRD_EINVAL,
                         "%s: a .tsv file has a row a sequence, or a row a "
                         "token with labels of each token: write .npy or "
                         ".safetensors",
                         o->output);
    return 0;
}

static int put(struct embed *m, int64_t slot, int64_t row, const float *x,
               int64_t n)
{
    int64_t wide = m->file.slot[slot].tensor.shape[1];
    int64_t bytes = wide * (int64_t)sizeof(float);

    for (int64_t i = 0; i < n * wide; i++)
        if (!isfinite(x[i]))
            return bird_fail(BIRD_EFORMAT,
                             "%s: model returned NaN or infinity: the weights "
                             "may be corrupt",
                             bird_model_path(m->model));
    return bird_slots_put(&m->file, slot, row * bytes, x, (size_t)(n * bytes));
}

/* Write the rows of the batch's tokens, without padding. */
static int put_rows(struct embed *m, int64_t slot, const float *x)
{
    int64_t d = m->c->hidden_size, tok = m->tok0;
    int rc = 0;

    if (!m->b.mask)
        return put(m, slot, tok, x, m->n_tok);
    for (int64_t i = 0; !rc && i < m->b.n_seq; i++)
        rc = put(m, slot, tok + m->offset[i], x + m->b.offset[i] * d,
                 m->offset[i + 1] - m->offset[i]);
    return rc;
}

/* Write the mean of each sequence's rows, without padding. */
static int put_mean(struct embed *m, const float *x)
{
    int64_t d = m->c->hidden_size;
    int rc = bird_array_grow(&m->part, &m->cap_part, m->b.n_seq * d,
                             sizeof(*m->part));

    for (int64_t i = 0; !rc && i < m->b.n_seq; i++) {
        const float *row = x + m->b.offset[i] * d;
        int64_t n = m->offset[i + 1] - m->offset[i];

        for (int64_t k = 0; k < d; k++) {
            double sum = 0;

            for (int64_t t = 0; t < n; t++)
                sum += (double)row[t * d + k];
            m->part[i * d + k] = (float)(sum / (double)n);
        }
    }
    return rc ? rc : put(m, m->want.mean, m->seq0, m->part, m->b.n_seq);
}

static int put_state(void *context, int64_t layer, const float *x)
{
    struct embed *m = context;
    int64_t slot = m->want.state[layer];
    int rc = slot < 0 ? 0 : put_rows(m, slot, x), last = layer == m->c->n_layer;

    if (!rc && last && m->want.last >= 0)
        rc = put_rows(m, m->want.last, x);
    if (!rc && last && m->want.mean >= 0)
        rc = put_mean(m, x);
    return rc;
}

/* Move the rows of m->x together, over the padding between them. */
static void close_gaps(struct embed *m)
{
    int64_t d = m->c->hidden_size;

    for (int64_t i = 0; m->b.mask && i < m->b.n_seq; i++)
        memmove(m->x + m->offset[i] * d, m->x + m->b.offset[i] * d,
                (size_t)((m->offset[i + 1] - m->offset[i]) * d) *
                    sizeof(*m->x));
}

/* Write the logits of each token, some rows at a time; overwrites m->x. */
static int put_token_logits(struct embed *m)
{
    int64_t columns = bird_head_columns(m->c), d = m->c->hidden_size;
    int64_t n = m->n_tok, rows = LOGITS / columns;
    int rc;

    close_gaps(m);
    rows = rows < ROWS_MIN ? ROWS_MIN : rows;
    rows = rows > n ? n : rows;
    rc = bird_array_grow(&m->part, &m->cap_part, rows * columns,
                         sizeof(*m->part));
    for (int64_t i = 0; !rc && i < n; i += rows) {
        int64_t offset[] = {0, i + rows < n ? rows : n - i};
        struct bird_batch b = {.n_seq = 1, .offset = offset};

        rc = bird_head_forward(m->part, NULL, m->c,
                               bird_model_weights(m->model), m->x + i * d, &b);
        if (!rc)
            rc = put(m, m->want.logits, m->tok0 + i, m->part, offset[1]);
    }
    return rc;
}

static int put_pooled(struct embed *m)
{
    int rc = bird_array_grow(&m->part, &m->cap_part,
                             m->b.n_seq * m->c->hidden_size, sizeof(*m->part));

    if (!rc)
        rc = bird_head_pool(m->part, m->c, bird_model_weights(m->model), m->x,
                            &m->b);
    return rc ? rc : put(m, m->want.pooled, m->seq0, m->part, m->b.n_seq);
}

static int put_sequence_logits(struct embed *m)
{
    int rc =
        bird_array_grow(&m->part, &m->cap_part,
                        m->b.n_seq * bird_head_columns(m->c), sizeof(*m->part));

    if (!rc)
        rc = bird_head_forward(m->part, NULL, m->c,
                               bird_model_weights(m->model), m->x, &m->b);
    return rc ? rc : put(m, m->want.logits, m->seq0, m->part, m->b.n_seq);
}

static int put_next(struct embed *m)
{
    int rc = bird_array_grow(&m->part, &m->cap_part, m->b.n_seq * 2,
                             sizeof(*m->part));

    if (!rc)
        rc = bird_head_next(m->part, m->c, bird_model_weights(m->model), m->x,
                            &m->b);
    return rc ? rc : put(m, m->want.next, m->seq0, m->part, m->b.n_seq);
}

/* The sequences of the batch with padding after each. */
static int pad_batch(struct embed *m, int64_t n)
{
    const int32_t *ids = m->all.ids + m->tok0;
    int rc = 0;

    bird_pack_clear(&m->padded);
    m->padded.pad_to = m->o->run.pad_to;
    m->padded.pad_id = (int32_t)m->c->pad_id;
    for (int64_t i = 0; !rc && i < n; i++)
        rc = bird_pack_add_ids(&m->padded, ids + m->offset[i], NULL,
                               m->offset[i + 1] - m->offset[i]);
    m->b = bird_pack_batch(&m->padded);
    return rc;
}

/* The next batch, from sequence m->seq0: as many sequences as fit, at least
 * one. */
static int next_batch(struct embed *m)
{
    const struct bird_pack *p = &m->all;
    int64_t first = m->seq0, n = 1, pad = m->o->run.pad_to;
    int rc;

    m->tok0 = p->offset[first]; /* in rows for a model with a stem */
    while (first + n < p->n_seq &&
           (pad ? (n + 1) * pad : p->offset[first + n + 1] - m->tok0) <=
               BIRD_PACK_TOKENS)
        n++;
    rc = bird_array_grow(&m->offset, &m->cap_offset, n + 1, sizeof(*m->offset));
    if (rc)
        return rc;
    for (int64_t i = 0; i <= n; i++)
        m->offset[i] = p->offset[first + i] - m->tok0;
    m->n_tok = m->offset[n];
    m->b = (struct bird_batch){
        .n_seq = n, .offset = m->offset, .ids = p->ids + m->tok0};
    if (p->c) {
        rc =
            bird_array_grow(&m->token, &m->cap_token, n + 1, sizeof(*m->token));
        if (rc)
            return rc;
        for (int64_t i = 0; i <= n; i++)
            m->token[i] = p->token[first + i] - p->token[first];
        m->b.token = m->token;
        m->b.ids = p->ids + p->token[first];
    }
    if (pad)
        rc = pad_batch(m, n);
    return rc ? rc
              : bird_array_grow(&m->x, &m->cap_x,
                                m->b.offset[n] * m->c->hidden_size,
                                sizeof(*m->x));
}

static int run_batch(struct embed *m)
{
    const struct wanted *w = &m->want;
    int rc = 0,
        more = w->last >= 0 || w->mean >= 0 || w->pooled >= 0 || w->logits >= 0;

    for (int64_t l = 0; l <= m->c->n_layer; l++)
        more |= w->state[l] >= 0;
    if (w->inputs >= 0) {
        rc = bird_encoder_inputs(m->e, m->x, &m->b);
        if (!rc)
            rc = put_rows(m, w->inputs, m->x);
    }
    if (!rc && more)
        rc = bird_encoder_forward_each(m->e, m->x, put_state, m, &m->b);
    if (!rc && w->pooled >= 0)
        rc = put_pooled(m);
    if (!rc && w->next >= 0)
        rc = put_next(m);
    if (!rc && w->logits >= 0)
        rc = bird_head_per_token(m->c) ? put_token_logits(m)
                                       : put_sequence_logits(m);
    return rc;
}

static int run(struct embed *m)
{
    const bird_embed_options *o = m->o;
    bird_progress p = {"embedding", "tokens", 0, m->all.n_row, NULL, NULL, 0};
    int rc = 0;

    if (m->want.offset >= 0)
        rc = bird_slots_put(&m->file, m->want.offset, 0, m->all.offset,
                            (size_t)(m->all.n_seq + 1) * sizeof(int64_t));
    while (!rc && m->seq0 < m->all.n_seq) {
        rc = next_batch(m);
        if (!rc)
            rc = run_batch(m);
        m->seq0 += m->b.n_seq;
        p.done = m->all.offset[m->seq0];
        if (!rc && o->progress && o->progress(o->progress_context, &p))
            rc = bird_fail(BIRD_ECANCELED, "embed: stopped");
    }
    return rc;
}

/* Open the model for the run that the options ask for. */
static int open_model(struct embed *m)
{
    const struct bird_model_use use = {
        .no_tokenizer = m->o->ids != 0, .run = &m->o->run, .identify = 1};
    int rc = bird_model_open_for(&m->model, m->o->model, &use);

    if (rc)
        return rc;
    m->c = bird_model_config(m->model);
    m->all.c = m->c->n_stem ? m->c : NULL;
    return 0;
}

static void summarise(bird_embed_summary *out, const struct embed *m)
{
    *out = (bird_embed_summary){.n_seq = m->all.n_seq,
                                .n_tok = m->all.n_tok,
                                .n_row = m->all.n_row,
                                .n_tensor = m->file.n,
                                .n_layer = m->c->n_layer,
                                .n_feature = m->c->hidden_size,
                                .n_byte = m->file.end};
}

static int embed(struct embed *m, bird_embed_summary *out)
{
    const char *metadata[] = {
        "format",        "pt",
        "dnabird",       bird_version(),
        "model",         NULL,
        "random_blocks", NULL,
        "precision",     bird_precision_name(m->o->run.precision)};
    int lower =
        m->o->run.precision != BIRD_FLOAT32; /* then the file names it */
    struct bird_text *names = NULL;
    int rc = check_options(m->o);

    if (rc || (rc = open_model(m)))
        return rc;
    m->form = bird_embed_form(m->o->output);
    m->mean = m->o->mean;
    if (m->form == BIRD_EMBED_TSV) {
        names = &m->names;
        m->mean |=
            m->o->layer == BIRD_EMBED_DEFAULT && !m->o->pooled && !m->o->logits;
    }
    if ((rc = check_wanted(m)) ||
        (rc = bird_embed_read(&m->all, names, m->o, m->c,
                              bird_model_tokenizer(m->model))) ||
        (rc = add_slots(m)) ||
        (rc = bird_encoder_new(&m->e, m->c, bird_model_weights(m->model))))
        return rc;
    metadata[5] = bird_model_digest(m->model);
    metadata[7] = bird_random_name(m->c->pattern.random);
    rc = bird_slots_open(&m->file, m->o->output, m->names.s, metadata,
                         4 + lower);
    if (!rc)
        rc = run(m);
    if (!rc)
        rc = bird_slots_commit(&m->file);
    if (!rc)
        summarise(out, m);
    return rc;
}

int bird_embed_write(bird_embed_summary *out, const bird_embed_options *o)
{
    struct embed m = {.o = o};
    int rc = embed(&m, out);

    bird_slots_free(&m.file);
    bird_encoder_free(m.e);
    bird_pack_free(&m.all);
    bird_pack_free(&m.padded);
    bird_text_free(&m.names);
    bird_model_close(m.model);
    free(m.want.state);
    free(m.offset);
    free(m.token);
    free(m.x);
    free(m.part);
    return rc;
}
