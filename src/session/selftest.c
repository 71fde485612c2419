/* Golden answers of a model folder: computed, written, and computed again.
 *
 * One sequence at a time goes through encoder and head, without the packs and
 * the cache of a session; other tests check that packs and cache change no
 * answer. SPDX-License-Identifier: MIT */
#include "session/selftest.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/mem.h"
#include "dnabird/reference.h"
#include "folder/folder.h"
#include "head/head.h"
#include "model/stem.h"
#include "session/model.h"
#include "session/pack.h"

enum {
    N_SEQ = 100,     /* sequences of a new file */
    N_KEPT = 16,     /* answers kept for each sequence */
    LONG_EVERY = 25, /* one of 25 sequences is as long as the model's window, */
    LONG_BP = 8192,  /* but not longer than this */
    WINDOW_BP = 2000, /* when the model gives no window */
    N_TRY = 5000,     /* positions tried to find known bases */
    PART_ROWS = 128   /* rows whose logits over the vocabulary are in memory */
};

static const char file_name[] = BIRD_SELFTEST_NAME;

struct test {
    bird_model *model;
    const struct bird_config *c;
    struct bird_encoder *e;
    struct bird_pack pack;
    float *x, *logits;
    int64_t n_value, cap_x, cap_logits;
    double *value; /* (n_value) answers to the current sequence */
    int64_t cap_value;
};

static void test_free(struct test *t)
{
    bird_encoder_free(t->e);
    bird_pack_free(&t->pack);
    bird_model_close(t->model);
    free(t->x);
    free(t->logits);
    free(t->value);
}

static int test_open(struct test *t, const char *folder,
                     const bird_model_run *run)
{
    int rc = bird_model_open_for(&t->model, folder,
                                 &(struct bird_model_use){.run = run});

    if (rc)
        return rc;
    t->c = t->pack.c = bird_model_config(t->model);
    t->pack.pad_to = run->pad_to;
    t->pack.pad_id = (int32_t)t->c->pad_id;
    return bird_encoder_new(&t->e, t->c, bird_model_weights(t->model));
}

/* --- answers ------------------------------------------------------------- */

static int encode(struct test *t, const char *seq, int64_t len)
{
    const struct bird_config *c = t->c;

    bird_pack_clear(&t->pack);
    return c->head->needs == BIRD_NEEDS_BINS
               ? bird_pack_add_bins(&t->pack, bird_model_tokenizer(t->model),
                                    &(struct bird_binned){seq, len, 0})
               : bird_pack_add(
                     &t->pack, bird_model_tokenizer(t->model), seq, len,
                     t->pack.pad_to ? t->pack.pad_to
                                    : bird_stem_tokens(c, c->max_positions));
}

static int take(struct test *t, const float *x, int64_t n)
{
    int rc = bird_array_grow(&t->value, &t->cap_value, n, sizeof(*t->value));

    for (int64_t i = 0; !rc && i < n; i++)
        t->value[i] = (double)x[i];
    t->n_value = n;
    return rc;
}

/* log softmax of these logits at index `which` */
static double log_share(const float *logit, int64_t n, int64_t which)
{
    double top = (double)logit[0], sum = 0;

    for (int64_t i = 1; i < n; i++)
        top = (double)logit[i] > top ? (double)logit[i] : top;
    for (int64_t i = 0; i < n; i++)
        sum += exp((double)logit[i] - top);
    return (double)logit[which] - top - log(sum);
}

/* The log probability of every token as read, some rows at a time, since the
 * logits of a token are as wide as the vocabulary. */
static int take_tokens(struct test *t)
{
    int64_t v = bird_head_columns(t->c), d = t->c->hidden_size;
    int64_t n = t->pack.n_tok;
    int rc = bird_array_grow(&t->value, &t->cap_value, n, sizeof(*t->value));

    if (!rc)
        rc = bird_array_grow(&t->logits, &t->cap_logits, PART_ROWS * v,
                             sizeof(*t->logits));
    for (int64_t i = 0; !rc && i < n; i += PART_ROWS) {
        int64_t offset[] = {0, i + PART_ROWS < n ? PART_ROWS : n - i};
        struct bird_batch b = {.n_seq = 1, .offset = offset};

        rc = bird_head_forward(t->logits, NULL, t->c,
                               bird_model_weights(t->model), t->x + i * d, &b);
        for (int64_t k = 0; !rc && k < offset[1]; k++)
            t->value[i + k] =
                log_share(t->logits + k * v, v, t->pack.ids[i + k]);
    }
    t->n_value = n;
    return rc;
}

static int take_logits(struct test *t, const struct bird_batch *b)
{
    int64_t rows = bird_head_per_token(t->c) ? t->pack.n_row
                   : b->bin                  ? b->bin[1]
                                             : 1;
    int64_t n = rows * bird_head_columns(t->c);
    int rc = bird_array_grow(&t->logits, &t->cap_logits, n, sizeof(*t->logits));

    if (!rc)
        rc = bird_head_forward(t->logits, NULL, t->c,
                               bird_model_weights(t->model), t->x, b);
    return rc ? rc : take(t, t->logits, n);
}

/* Compute all answers to a sequence into t->value. */
static int answer(struct test *t, const char *seq, int64_t len)
{
    const struct bird_head_row *head = t->c->head;
    int64_t d = t->c->hidden_size;
    struct bird_batch b;
    int rc = encode(t, seq, len);

    if (rc)
        return rc;
    if (!t->pack.n_tok)
        return bird_fail(BIRD_EFORMAT, "a sequence of %lld bp has no tokens",
                         (long long)len);
    b = bird_pack_batch(&t->pack);
    rc = bird_array_grow(&t->x, &t->cap_x, t->pack.n_row * d, sizeof(*t->x));
    if (!rc)
        rc = bird_encoder_forward(t->e, t->x, NULL, &b);
    if (rc)
        return rc;
    if (!head->forward || (head->masked && bird_stem_pool(t->c) > 1))
        return take(t, t->x, t->pack.n_row * d);
    return head->masked ? take_tokens(t) : take_logits(t, &b);
}

/* --- writing ------------------------------------------------------------- */

/* Length in bases of sequence i of a new file. */
static int64_t length_of(const struct test *t, int64_t i)
{
    const struct bird_config *c = t->c;
    int64_t window =
        bird_model_window(t->model) ? bird_model_window(t->model) : WINDOW_BP;
    int64_t n = i % LONG_EVERY == LONG_EVERY - 1
                    ? (window < LONG_BP ? window : LONG_BP)
                    : 60 * (1 + i % 5);
    int64_t most = bird_stem_tokens(c, c->max_positions) -
                   bird_pattern_global_tokens(&c->pattern) - 2;

    if (c->head->needs == BIRD_NEEDS_BINS && n > most)
        n = most; /* models of bins do not trim long sequences */
    return n > 0 ? n : 1;
}

/* Fetch the bases from offset `at` of all contigs laid end to end; fewer at the
 * end of a contig. @return 1 when at most a tenth of the bases is unknown */
static int fetch(struct bird_golden_pieces *p, int64_t at)
{
    int64_t contig = 0, known = 0, n, rc;

    while (at >= bird_genome_length(p->genome, contig))
        at -= bird_genome_length(p->genome, contig++);
    n = bird_genome_length(p->genome, contig);
    at = at + p->n > n ? (n > p->n ? n - p->n : 0) : at;
    p->n = n - at < p->n ? n - at : p->n;
    rc = bird_genome_fetch(p->genome, contig, at, at + p->n, p->bases);
    if (rc)
        return (int)rc;
    for (int64_t i = 0; i < p->n; i++)
        known += strchr("ACGT", p->bases[i]) != NULL;
    return known * 10 >= p->n * 9;
}

int bird_golden_pieces_open(struct bird_golden_pieces *p, const char *fasta,
                            int64_t n_piece, int64_t most)
{
    int rc = bird_array_new(&p->bases, most, 1);

    p->n_piece = n_piece;
    return rc ? rc : bird_genome_open(&p->genome, fasta);
}

void bird_golden_pieces_close(struct bird_golden_pieces *p)
{
    bird_genome_free(p->genome);
    free(p->bases);
    *p = (struct bird_golden_pieces){0};
}

/* When the bases at an offset are unknown, try the offset further on by the
 * golden section: these steps come near every offset. */
int bird_golden_piece(struct bird_golden_pieces *p, int64_t i, int64_t n)
{
    int64_t total = 0, step;
    int rc = 0;

    for (int64_t c = 0; c < bird_genome_count(p->genome); c++)
        total += bird_genome_length(p->genome, c);
    step = (int64_t)(0.6180339887498949 * (double)total);
    for (int64_t k = 0; !rc && k < N_TRY && total; k++) {
        p->n = n;
        rc = fetch(p, (total / p->n_piece * i + step * k) % total);
    }
    if (rc > 0)
        return 0;
    return rc ? rc
              : bird_fail(BIRD_EFORMAT,
                          "%s: too few known bases (A, C, G, T) for a "
                          "self-test",
                          bird_genome_path(p->genome));
}

int bird_golden_put(struct bird_text *out, const double *value, int64_t n,
                    int64_t i, const char *folder)
{
    int64_t kept = n < N_KEPT ? n : N_KEPT;
    int rc = 0;

    for (int64_t k = 0; !rc && k < kept; k++) {
        int64_t which = (i % n + k * (n / kept)) % n;

        if (!isfinite(value[which]))
            return bird_fail(BIRD_EFORMAT,
                             "%s: model returned NaN or infinity: the weights "
                             "may be corrupt",
                             folder);
        rc = bird_text_printf(out, "%c%lld:%.9g", k ? ',' : '\t',
                              (long long)which, value[which]);
    }
    return rc ? rc : bird_text_put(out, "\n", 1);
}

static int put_sequences(struct bird_text *out, struct test *t,
                         const char *fasta)
{
    struct bird_golden_pieces p = {0};
    int rc = bird_golden_pieces_open(&p, fasta, N_SEQ, LONG_BP);

    for (int64_t i = 0; !rc && i < N_SEQ; i++) {
        rc = bird_golden_piece(&p, i, length_of(t, i));
        if (!rc)
            rc = answer(t, p.bases, p.n);
        if (!rc)
            rc = bird_text_put(out, p.bases, p.n);
        if (!rc)
            rc = bird_golden_put(out, t->value, t->n_value, i,
                                 bird_model_path(t->model));
    }
    bird_golden_pieces_close(&p);
    return rc;
}

int bird_selftest_write(const char *folder, const char *fasta)
{
    struct test t = {.n_value = 0};
    struct bird_text out = {0};
    bird_model_run run;
    char *path = NULL;
    int rc;

    bird_model_run_default(&run);
    rc = test_open(&t, folder, &run);
    if (!rc)
        rc = bird_text_printf(&out, "# sequence, then outputs of the model in "
                                    "float32 as NUMBER:VALUE; or sequence, "
                                    "change, differences that it makes; '.': "
                                    "the sequence before; dnabird info "
                                    "--selftest compares\n");
    if (!rc)
        rc = put_sequences(&out, &t, fasta);
    if (!rc)
        rc = bird_path_join(&path, folder, file_name);
    if (!rc)
        rc = bird_file_write(path, out.s, (size_t)out.n);
    free(path);
    bird_text_free(&out);
    test_free(&t);
    return rc;
}

/* --- comparing ----------------------------------------------------------- */

/* Largest difference that passes, relative to the output or to 1, whichever is
 * more; docs/model-folder.md has the measurements. */
static double tolerance_of(enum bird_precision p)
{
    return p == BIRD_INT8 ? 1 : p == BIRD_BFLOAT16 ? 0.3 : 1e-4;
}

/* Read one "NUMBER:VALUE" of the list at *at and move *at past it. */
static int next_pair(int64_t *which, double *value, char **at)
{
    char *end;

    errno = 0;
    *which = strtoll(*at, &end, 10);
    if (!isdigit((unsigned char)**at) || *end != ':' || errno)
        return 0;
    *at = end + 1;
    *value = strtod(*at, &end);
    if (end == *at || !isfinite(*value) || (*end && *end != ','))
        return 0;
    *at = *end ? end + 1 : end;
    return 1;
}

int bird_golden_compare(bird_selftest *out, const double *value, int64_t n,
                        char *list)
{
    double worst = 0, want;
    int64_t which;

    for (; *list; out->n_answer++) {
        double off;

        if (!next_pair(&which, &want, &list))
            return bird_fail(BIRD_EFORMAT, "answers are NUMBER:VALUE between "
                                           "commas");
        if (which >= n)
            return bird_fail(BIRD_EFORMAT,
                             "answer %lld of a sequence that has %lld",
                             (long long)which, (long long)n);
        off = fabs(value[which] - want) / fmax(1, fabs(want));
        worst = isfinite(off) ? fmax(worst, off) : (double)INFINITY;
    }
    out->n_seq++;
    out->n_agree += worst <= out->tolerance;
    out->largest = fmax(out->largest, worst);
    return 0;
}

static int compare(bird_selftest *out, void *context, char *sequence,
                   char *change, char *answers)
{
    struct test *t = context;
    int rc = change ? 0 : answer(t, sequence, (int64_t)strlen(sequence));

    return rc || change
               ? rc
               : bird_golden_compare(out, t->value, t->n_value, answers);
}

int bird_golden_read(bird_selftest *out, const char *folder,
                     bird_golden_row *row, void *context)
{
    struct bird_text text = {0};
    char *line, *next, *path = NULL;
    int64_t number = 0;
    int rc = bird_path_join(&path, folder, file_name);

    if (!rc && !bird_file_exists(path))
        rc = bird_fail(BIRD_EINVAL,
                       "%s: no %s in the model: 'dnabird export --selftest "
                       "FASTA' writes a folder with one",
                       folder, file_name);
    if (!rc)
        rc = bird_file_read(&text, path);
    next = text.s;
    while (!rc && next && (line = strsep(&next, "\n"))) {
        char *sequence = line, *change = NULL, *answers;

        number++;
        if (!*line || *line == '#')
            continue;
        strsep(&line, "\t");
        answers = strsep(&line, "\t");
        if (line) {
            change = answers;
            answers = line;
        }
        if (!*sequence || !answers || !*answers)
            rc = bird_fail(BIRD_EFORMAT,
                           "a sequence, a tab and its answers are expected");
        else
            rc = row(out, context, sequence, change, answers);
        if (rc)
            rc = bird_fail_in(rc, "%s: line %lld", path, (long long)number);
    }
    free(path);
    bird_text_free(&text);
    return rc;
}

int bird_model_selftest(bird_selftest *out, const char *folder,
                        const bird_model_run *run)
{
    struct test t = {.n_value = 0};
    bird_selftest found = {.tolerance = tolerance_of(run->precision)};
    int rc = test_open(&t, folder, run);

    if (!rc)
        rc = bird_golden_read(&found, folder, compare, &t);
    if (!rc && !found.n_seq)
        rc = bird_fail(BIRD_EFORMAT, "%s/%s: no sequence in it", folder,
                       file_name);
    if (!rc)
        *out = found;
    test_free(&t);
    return rc;
}
