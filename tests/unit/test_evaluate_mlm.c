/* evaluate_mlm: figures equal a plain recomputation, window by window. More
   than 800 lines, since all cases are held against that one recomputation.
   SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/file.h"
#include "base/rng.h"
#include "dnabird/train.h"
#include "head/head.h"
#include "peers/markov.h"
#include "seq_help.h"
#include "session/model.h"

enum { CONTIG = 6000, WINDOW = 150, MAX_TOKENS = 4000 };

/* Two contigs, a with soft mask, b without. */
static char contig[2][CONTIG + 1];

static void make_contigs(void)
{
    struct bird_rng r;

    bird_rng_init(&r, 4, 0, 0);
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < CONTIG; i++)
            contig[c][i] =
                (!c && i / 333 % 2
                     ? "acgtaaaa"
                     : "ACGTAAAA")[bird_rng_below(&r, i / 100 % 2 ? 8 : 4)];
}

static void put_fasta(const char *name)
{
    struct bird_text t = {0};

    WORKS(bird_text_printf(&t, ">a\n%s\n>b\n%s\n", contig[0], contig[1]));
    file_text(name, t.s);
    bird_text_free(&t);
}

static void setup(void)
{
    bird_model_init_options o;

    folder_new();
    make_contigs();
    put_fasta("x.fa");
    bird_model_init_options_default(&o);
    o.tokenizer = tests_path(DATA_WORDS);
    o.positions = 176;
    WORKS(bird_model_init(path_of("m"), &o));
}

TestSuite(evaluate_mlm, .init = setup, .fini = folder_remove);

/* Held-out a:1-3000 and b:1-3000, the rest to learn from. */
static bird_mlm_options options(void)
{
    static const char *fasta[1];
    bird_mlm_options o;

    fasta[0] = path_of("x.fa");

    bird_mlm_options_default(&o);
    o.model = path_of("m");
    o.fasta = fasta;
    o.n_fasta = 1;
    o.regions = "a:1-3000,b:1-3000";
    o.train_regions = "a:3001-,b:3001-";
    o.context_bp = WINDOW;
    o.n_order = 2;
    o.order[0] = 2;
    o.order[1] = 5;
    o.n_boot = 0;
    return o;
}

/* A line of the table of hidden tokens. */
struct line {
    int contig, repeat;
    int64_t start, end, window;
    char token[32];
    double bits[6], given_length[6]; /* model, uniform, left x 2, both x 2 */
};

static struct line line[MAX_TOKENS];
static int n_line;

static void read_lines(const char *name)
{
    FILE *f = fopen(path_of(name), "r");
    char text[1024], set[32], part[32];

    cr_assert_not_null(f);
    cr_assert_not_null(fgets(text, sizeof(text), f));
    cr_assert_str_eq(text, "chrom\tstart\tend\twindow\tclass\ttoken\tmodel"
                           "\tmodel_given_length\tuniform\tuniform_given_length"
                           "\tmarkov_left_2\tmarkov_left_2_given_length"
                           "\tmarkov_left_5\tmarkov_left_5_given_length"
                           "\tmarkov_both_2\tmarkov_both_2_given_length"
                           "\tmarkov_both_5\tmarkov_both_5_given_length\n");
    for (n_line = 0; fgets(text, sizeof(text), f); n_line++) {
        struct line *x = &line[n_line];
        long long at[3];
        int used;

        cr_assert_lt(n_line, MAX_TOKENS);
        cr_assert_eq(sscanf(text, "%31s %lld %lld %lld %31s %31s%n", set,
                            &at[0], &at[1], &at[2], part, x->token, &used),
                     6);
        x->contig = set[0] == 'b';
        x->repeat = !strcmp(part, "repeat");
        x->start = at[0];
        x->end = at[1];
        x->window = at[2];
        for (int i = 0, more; i < 6; i++, used += more)
            cr_assert_eq(sscanf(text + used, "%lf %lf%n", &x->bits[i],
                                &x->given_length[i], &more),
                         2);
    }
    fclose(f);
}

/* Evaluate, and read the table of hidden tokens. */
static void score(bird_mlm_evaluation *e, bird_mlm_options *o)
{
    o->tokens = path_of("tokens.tsv");
    WORKS(bird_evaluate_mlm(e, o));
    read_lines("tokens.tsv");
}

static void upper(char *out, const char *s, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        out[i] = (char)(s[i] & ~0x20);
}

/* How many bits the logits leave open among the tokens of n bases (0: all). */
static double bits_of(const float *logits, const bird_tokenizer *t,
                      int64_t columns, int32_t id, size_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < columns; i++) {
        const char *text = bird_tokenizer_token(t, (int32_t)i);

        if (!n || (strlen(text) == n && strspn(text, "ACGT") == n))
            sum += exp((double)logits[i]);
    }
    return log2(sum) - (double)logits[id] / log(2);
}

/* Logits of the tokens from .. to of a window, read alone between [CLS] and [SEP]. */
static void read_alone(float *logits, const bird_model *m, const int32_t *ids,
                       int64_t n, int64_t from, int64_t to)
{
    const struct bird_config *c = bird_model_config(m);
    int64_t len = to - from + 2, offset[2] = {0, len};
    struct bird_batch b = {.n_seq = 1, .offset = offset};
    struct bird_encoder *encoder;
    float *h = malloc((size_t)(len * c->hidden_size) * sizeof(*h));
    float *own = malloc((size_t)(len * c->vocab_size) * sizeof(*own));
    int32_t row[WINDOW + 2];

    row[0] = ids[0];
    memcpy(row + 1, ids + from, (size_t)(to - from) * sizeof(*row));
    row[len - 1] = ids[n - 1];
    b.ids = row;
    WORKS(bird_encoder_new(&encoder, c, bird_model_weights(m)));
    WORKS(bird_encoder_forward(encoder, h, NULL, &b));
    WORKS(bird_head_forward(own, NULL, c, bird_model_weights(m), h, &b));
    memcpy(logits + from * c->vocab_size, own + c->vocab_size,
           (size_t)((to - from) * c->vocab_size) * sizeof(*own));
    bird_encoder_free(encoder);
    free(h);
    free(own);
}

/* One window alone through encoder and head, in rows of so many tokens (0: in one):
 * lines i .. i + n - 1. */
static void check_window(const bird_model *m, int64_t row, int i, int n)
{
    const struct bird_config *c = bird_model_config(m);
    const struct line *x = &line[i];
    bird_encoding e = {0};
    char text[WINDOW];
    float *logits;
    int32_t id[WINDOW];
    int64_t at[WINDOW], n_seen = 0, pieces = 1;

    upper(text, contig[x->contig] + x->window, WINDOW);
    cr_assert_eq(
        bird_tokenizer_encode(bird_model_tokenizer(m), &e, text, WINDOW, 1), 0);
    for (int64_t k = 1; k + 1 < e.n; k++)
        if (n_seen < n && x[n_seen].start == x->window + e.start[k]) {
            cr_assert_eq(x[n_seen].end, x->window + e.start[k + 1]);
            cr_assert_str_eq(
                x[n_seen].token,
                bird_tokenizer_token(bird_model_tokenizer(m), e.ids[k]));
            at[n_seen] = k;
            id[n_seen++] = e.ids[k];
            e.ids[k] = bird_tokenizer_id(bird_model_tokenizer(m), "[MASK]");
        }
    cr_assert_eq(n_seen, n, "window %lld: %lld of %d lines are tokens",
                 (long long)x->window, (long long)n_seen, n);
    cr_assert_eq(n, (int)floor(0.15 * (double)(e.n - 2) + 0.5));
    while (row && (e.n - 2 + pieces - 1) / pieces > row - 2)
        pieces++;
    cr_assert(!row || pieces > 2, "%lld tokens", (long long)e.n);
    logits = malloc((size_t)(e.n * c->vocab_size) * sizeof(*logits));
    for (int64_t k = 0; k < pieces; k++)
        read_alone(logits, m, e.ids, e.n, 1 + (e.n - 2) * k / pieces,
                   1 + (e.n - 2) * (k + 1) / pieces);
    for (int k = 0; k < n; k++) {
        const float *own = logits + at[k] * c->vocab_size;
        size_t length = strlen(x[k].token);

        cr_assert_float_eq(
            x[k].bits[0],
            bits_of(own, bird_model_tokenizer(m), c->vocab_size, id[k], 0),
            2e-5);
        cr_assert_float_eq(
            x[k].given_length[0],
            bits_of(own, bird_model_tokenizer(m), c->vocab_size, id[k], length),
            2e-5);
    }
    bird_encoding_free(&e);
    free(logits);
}

/* The window that begins with line i has so many lines. */
static int window_lines(int i)
{
    int n = 1;

    while (i + n < n_line && line[i + n].window == line[i].window &&
           line[i + n].contig == line[i].contig)
        n++;
    return n;
}

Test(evaluate_mlm, the_model_equals_single_windows)
{
    bird_mlm_options o = options();
    bird_mlm_evaluation e = {0};
    const struct bird_model_use use = {0};
    bird_model *m = NULL;
    int n_window = 0;

    score(&e, &o);
    WORKS(bird_model_open_for(&m, o.model, &use));
    for (int i = 0; i < n_line; i += window_lines(i), n_window++)
        check_window(m, 0, i, window_lines(i));
    cr_assert_eq(n_window, 40);
    cr_assert_eq(e.n_window, 40);
    cr_assert_eq(e.n_hidden, n_line);
    cr_assert_eq(e.n_unknown, 0);
    cr_assert_eq(e.rest_bp, 0);
    cr_assert_eq(e.n_class_window, 20);
    cr_assert_eq(e.n_trained, 0);
    cr_assert_eq(e.train_bp, 6000);
    bird_model_close(m);
    bird_mlm_evaluation_free(&e);
}

/* The same tokens are hidden, and the model reads up to 20 tokens at a time. */
Test(evaluate_mlm, windows_are_read_in_rows)
{
    bird_mlm_options o = options();
    bird_mlm_evaluation whole = {0}, e = {0};
    const struct bird_model_use use = {0};
    bird_model *m = NULL;

    WORKS(bird_evaluate_mlm(&whole, &o));
    o.row_tok = 20;
    score(&e, &o);
    cr_assert_eq(e.n_hidden, whole.n_hidden);
    cr_assert_eq(e.n_bp, whole.n_bp);
    WORKS(bird_model_open_for(&m, o.model, &use));
    for (int i = 0; i < n_line; i += window_lines(i))
        check_window(m, o.row_tok, i, window_lines(i));
    bird_model_close(m);
    bird_mlm_evaluation_free(&e);
    bird_mlm_evaluation_free(&whole);
}

static const bird_mlm_value *figure(const bird_mlm_evaluation *e,
                                    const char *set, enum bird_mlm_class part,
                                    const char *predictor,
                                    enum bird_mlm_metric metric)
{
    for (int64_t i = 0; i < e->n_figures; i++) {
        const bird_mlm_value *f = &e->figures[i];

        if (!strcmp(f->set, set) && f->part == part &&
            !strcmp(f->predictor, predictor) && f->metric == metric)
            return f;
    }
    return NULL;
}

/* Figures of a set and class are quotients of the lines' sums. */
static void check_figures(const bird_mlm_evaluation *e, const char *set,
                          enum bird_mlm_class part)
{
    static const char *const name[6] = {"model",         "uniform",
                                        "markov_left_2", "markov_left_5",
                                        "markov_both_2", "markov_both_5"};
    double bits[6] = {0}, given[6] = {0}, bp = 0;
    int n = 0;

    for (int i = 0; i < n_line; i++) {
        const struct line *x = &line[i];

        if ((strcmp(set, "all") != 0 && x->contig != (set[0] == 'b')) ||
            (part != BIRD_MLM_ALL &&
             (x->contig || x->repeat != (part == BIRD_MLM_REPEAT))))
            continue;
        n++;
        bp += (double)(x->end - x->start);
        for (int p = 0; p < 6; p++) {
            bits[p] += x->bits[p];
            given[p] += x->given_length[p];
        }
    }
    for (int p = 0; p < 6; p++) {
        const bird_mlm_value *f =
            figure(e, set, part, name[p], BIRD_MLM_BITS_PER_BASE);

        cr_assert_not_null(f);
        cr_assert_eq(f->n_token, n);
        cr_assert_eq(f->n_base, (int64_t)bp);
        cr_assert_float_eq(f->value, bits[p] / bp, 1e-6);
        cr_assert(isnan(f->lo));
        f = figure(e, set, part, name[p], BIRD_MLM_BITS_PER_TOKEN);
        cr_assert_float_eq(f->value, bits[p] / n, 1e-6);
        f = figure(e, set, part, name[p], BIRD_MLM_BITS_GIVEN_LENGTH);
        cr_assert_float_eq(f->value, given[p] / bp, 1e-6);
        f = figure(e, set, part, name[p], BIRD_MLM_MODEL_LESS);
        cr_assert_eq(f != NULL, p > 0);
        if (f)
            cr_assert_float_eq(f->value, (bits[0] - bits[p]) / bp, 2e-6);
    }
    cr_assert_float_eq(
        figure(e, set, part, "tokens", BIRD_MLM_BASES_PER_TOKEN)->value, bp / n,
        1e-12);
    cr_assert_float_eq(
        figure(e, set, part, "uniform", BIRD_MLM_BITS_PER_BASE)->value, 2,
        1e-12);
}

Test(evaluate_mlm, figures_are_quotients_of_sums)
{
    bird_mlm_options o = options();
    bird_mlm_evaluation e = {0};

    o.by_contig = 1;
    score(&e, &o);
    check_figures(&e, "all", BIRD_MLM_ALL);
    check_figures(&e, "all", BIRD_MLM_REPEAT);
    check_figures(&e, "all", BIRD_MLM_NONREPEAT);
    check_figures(&e, "a", BIRD_MLM_ALL);
    check_figures(&e, "a", BIRD_MLM_REPEAT);
    check_figures(&e, "b", BIRD_MLM_ALL);
    cr_assert_null(
        figure(&e, "b", BIRD_MLM_NONREPEAT, "model", BIRD_MLM_BITS_PER_BASE));
    bird_mlm_evaluation_free(&e);
}

/* The class of a token is that of more than half of its letters. */
Test(evaluate_mlm, classes_follow_lower_case)
{
    bird_mlm_options o = options();
    bird_mlm_evaluation e = {0};
    int n_repeat = 0;

    score(&e, &o);
    for (int i = 0; i < n_line; i++) {
        const struct line *x = &line[i];
        int64_t lower = 0;

        for (int64_t k = x->start; k < x->end; k++)
            lower += contig[x->contig][k] >= 'a';
        cr_assert_eq(x->repeat, 2 * lower > x->end - x->start);
        n_repeat += x->repeat;
    }
    cr_assert_gt(n_repeat, 100);
    bird_mlm_evaluation_free(&e);
}

/* What stands beside line i in letters, hidden ones as '.'. */
static void show_window(char *out, int i)
{
    int first = i, n;

    while (first && line[first - 1].window == line[i].window &&
           line[first - 1].contig == line[i].contig)
        first--;
    n = window_lines(first);
    upper(out, contig[line[i].contig] + line[i].window, WINDOW);
    for (int k = first; k < first + n; k++)
        memset(out + line[k].start - line[k].window, '.',
               (size_t)(line[k].end - line[k].start));
}

static struct bird_flanks flanks_of(int i)
{
    struct bird_flanks f = {0};
    char text[WINDOW];
    int64_t from = line[i].start - line[i].window - 1;
    int64_t to = line[i].end - line[i].window;

    show_window(text, i);
    for (; from >= 0 && text[from] != '.' && f.n_left < 12; from--)
        f.left += (uint64_t)bird_markov_code(text[from]) << 2 * f.n_left++;
    for (; to < WINDOW && text[to] != '.' && f.n_right < 12; to++)
        f.right += (uint64_t)(3 - bird_markov_code(text[to]))
                   << 2 * f.n_right++;
    return f;
}

static struct bird_markov *learn(void)
{
    struct bird_markov_counter *c;
    struct bird_markov *m;

    WORKS(bird_markov_counter_new(&c, 5, 6000));
    for (int i = 0; i < 2; i++) {
        bird_markov_counter_add(c, contig[i] + 3000, 3000);
        bird_markov_counter_end(c);
    }
    WORKS(bird_markov_finish(&m, c));
    bird_markov_counter_free(c);
    return m;
}

Test(evaluate_mlm, baselines_see_what_is_not_hidden)
{
    bird_mlm_options o = options();
    bird_mlm_evaluation e = {0};
    struct bird_markov *m = learn();
    struct bird_pool pool = {0};
    struct bird_strings_workspace *room;
    struct bird_strings *tail[BIRD_MARKOV_TAIL];
    int n_short = 0;

    score(&e, &o);
    room = bird_strings_workspaces(&pool, 256, 32);
    cr_assert_eq(pool.rc, 0);
    for (int i = 0; i < BIRD_MARKOV_TAIL; i++)
        WORKS(bird_strings_all(&tail[i], i + 1));
    for (int i = 0; i < n_line; i++) {
        const struct line *x = &line[i];
        uint8_t code[32];
        int n = (int)strlen(x->token);
        struct bird_hidden h = {m, 2, n, code, flanks_of(i)};

        for (int j = 0; j < n; j++)
            code[j] = (uint8_t)bird_markov_code(x->token[j]);
        n_short += h.flanks.n_left < 5 || h.flanks.n_right < 5;
        for (int k = 0; k < 2; k++, h.k = 5) {
            double part[BIRD_N_MARKOV_PART];

            bird_hidden_parts(
                part, &h,
                tail[(n < BIRD_MARKOV_TAIL ? n : BIRD_MARKOV_TAIL) - 1], room);
            cr_assert_float_eq(x->bits[2 + k], -part[BIRD_MARKOV_LEFT], 1e-5);
            cr_assert_float_eq(x->bits[4 + k], -bird_hidden_mix(&h, part),
                               1e-5);
        }
        cr_assert_float_eq(x->bits[1], 2 * n, 1e-6);
    }
    cr_assert_gt(n_short, 50);
    for (int i = 0; i < BIRD_MARKOV_TAIL; i++)
        bird_strings_free(tail[i]);
    bird_pool_free(&pool);
    bird_markov_free(m);
    bird_mlm_evaluation_free(&e);
}

/* A token is hidden or not whatever else is evaluated. */
Test(evaluate_mlm, masks_depend_on_seed_and_place)
{
    static struct line kept[MAX_TOKENS];
    bird_mlm_options o = options();
    bird_mlm_evaluation e = {0};
    int n_kept, n_same = 0;

    score(&e, &o);
    bird_mlm_evaluation_free(&e);
    memcpy(kept, line, sizeof(kept));
    n_kept = n_line;
    o.regions = "b:151-450"; /* two windows that were among the others */
    score(&e, &o);
    bird_mlm_evaluation_free(&e);
    for (int i = 0, k = 0; i < n_line; i++) {
        while (k < n_kept && (kept[k].contig != line[i].contig ||
                              kept[k].start != line[i].start))
            k++;
        cr_assert_lt(k, n_kept);
        cr_assert_float_eq(kept[k].bits[0], line[i].bits[0], 1e-5);
        cr_assert_float_eq(kept[k].bits[4], line[i].bits[4], 1e-6);
    }
    o.regions = "a:1-3000,b:1-3000";
    o.seed = 2;
    score(&e, &o);
    bird_mlm_evaluation_free(&e);
    cr_assert_eq(n_line, n_kept);
    for (int i = 0, k = 0; i < n_line; i++)
        for (; k < n_kept && kept[k].contig <= line[i].contig &&
               (kept[k].contig < line[i].contig ||
                kept[k].start <= line[i].start);
             k++)
            n_same += kept[k].contig == line[i].contig &&
                      kept[k].start == line[i].start;
    cr_assert_lt(n_same, n_kept / 4); /* 15 % by chance */
    cr_assert_gt(n_same, n_kept / 20);
}

/* Windows by tokens lie between gaps, one behind the other; what is left out
 * is counted. */
Test(evaluate_mlm, windows_by_tokens)
{
    bird_mlm_options o = options();
    bird_mlm_evaluation e = {0};
    const struct bird_model_use use = {0};
    bird_model *m = NULL;
    bird_encoding x = {0};
    int64_t at = 0;

    memset(contig[1] + 1000, 'N', 30); /* a gap */
    memset(contig[1] + 1500, 'N', 5);  /* none */
    put_fasta("x.fa");
    o.regions = "b:1-3000";
    o.context_bp = 0;
    o.length_tok = 52;
    score(&e, &o);
    WORKS(bird_model_open_for(&m, o.model, &use));
    cr_assert_eq(
        bird_tokenizer_encode(bird_model_tokenizer(m), &x, contig[1], 1000, 0),
        0);
    for (int i = 0; i < n_line && line[i].window < 1000;
         i += window_lines(i), at += 50)
        cr_assert_eq(line[i].window, x.start[at]);
    cr_assert_eq(at, x.n / 50 * 50);
    for (int i = 0; i < n_line; i++)
        cr_assert(line[i].end <= 1000 || line[i].start >= 1030);
    cr_assert_eq(e.n_bp + e.rest_bp, 3000);
    cr_assert_eq(e.n_token, 50 * e.n_window);
    bird_encoding_free(&x);
    bird_model_close(m);
    bird_mlm_evaluation_free(&e);
}

/* Other letters: windows with too many are left out, hidden tokens with some
 * are not scored. */
Test(evaluate_mlm, other_letters_are_counted)
{
    bird_mlm_options o = options();
    bird_mlm_evaluation e = {0};

    memset(contig[1] + 310, 'N', 100);
    for (int i = 600; i < 3000; i += 30)
        contig[1][i] = "NRY"[i % 3];
    put_fasta("x.fa");
    o.regions = "b:1-3000";
    score(&e, &o);
    cr_assert_eq(e.n_window, 19);
    cr_assert_eq(e.n_rich, 1);
    cr_assert_gt(e.n_unknown, 2);
    cr_assert_eq(e.n_hidden, n_line + e.n_unknown);
    for (int i = 0; i < n_line; i++)
        for (int64_t k = line[i].start; k < line[i].end; k++)
            cr_assert_geq(bird_markov_code(contig[1][k]), 0);
    bird_mlm_evaluation_free(&e);
    o.windows = 7;
    WORKS(bird_evaluate_mlm(&e, &o));
    cr_assert_eq(e.n_window, 7);
    cr_assert_eq(e.n_not_drawn, 12);
    bird_mlm_evaluation_free(&e);
    o.windows = 0;
    o.context_bp = 1400; /* more tokens than 176 */
    o.max_n = 1;
    WORKS(bird_evaluate_mlm(&e, &o));
    cr_assert_eq(e.n_window, 2);
    cr_assert_eq(e.n_cut, 2);
    cr_assert_eq(e.n_token, 2 * 174);
    cr_assert_lt(e.n_bp, 2800);
    cr_assert_eq(e.rest_bp, 200);
    bird_mlm_evaluation_free(&e);
}

Test(evaluate_mlm, intervals_hold_the_figure)
{
    bird_mlm_options o = options();
    bird_mlm_evaluation e = {0};
    const bird_mlm_value *f;

    o.n_boot = 300;
    WORKS(bird_evaluate_mlm(&e, &o));
    for (int64_t i = 0; i < e.n_figures; i++) {
        f = &e.figures[i];
        cr_assert_leq(f->lo, f->value + 1e-12);
        cr_assert_geq(f->hi, f->value - 1e-12);
    }
    f = figure(&e, "all", BIRD_MLM_ALL, "markov_left_5",
               BIRD_MLM_BITS_PER_BASE);
    cr_assert_gt(f->hi - f->lo, 0.005);
    cr_assert_lt(f->hi - f->lo, 0.3);
    bird_mlm_evaluation_free(&e);
}

Test(evaluate_mlm, training_sequence_among_the_windows_is_told)
{
    bird_mlm_options o = options();
    bird_mlm_evaluation e = {0};

    o.train_regions = "b:2999-4000"; /* the last window of b */
    WORKS(bird_evaluate_mlm(&e, &o));
    cr_assert_eq(e.n_trained, 1);
    cr_assert(strstr(e.notice, "1 of 40 windows touch sequence"));
    bird_mlm_evaluation_free(&e);
    o.train_regions = NULL;
    WORKS(bird_evaluate_mlm(&e, &o));
    cr_assert(strstr(e.notice, "no Markov baselines"));
    cr_assert_null(figure(&e, "all", BIRD_MLM_ALL, "markov_left_2",
                          BIRD_MLM_BITS_PER_BASE));
    cr_assert_not_null(
        figure(&e, "all", BIRD_MLM_ALL, "uniform", BIRD_MLM_BITS_PER_BASE));
    bird_mlm_evaluation_free(&e);
}

static int stop(void *context, const bird_progress *p)
{
    (void)p;
    ++*(int *)context;
    return 1;
}

Test(evaluate_mlm, a_stop_leaves_nothing)
{
    bird_mlm_options o = options();
    bird_mlm_evaluation e = {.n_window = 77};
    int n_call = 0;

    o.progress = stop;
    o.progress_context = &n_call;
    o.tokens = path_of("tokens.tsv");
    o.json = path_of("f.json");
    cr_assert_eq(bird_evaluate_mlm(&e, &o), BIRD_ECANCELED);
    cr_assert_eq(n_call, 1);
    cr_assert_eq(e.n_window, 77);
    cr_assert_not(bird_file_exists(o.tokens));
    cr_assert_not(bird_file_exists(o.json));
}

Test(evaluate_mlm, options_are_checked)
{
    bird_mlm_options o = options();
    bird_mlm_evaluation e = {0};

    o.length_tok = 30;
    FAILS(BIRD_EINVAL, bird_evaluate_mlm(&e, &o), "in bp or in tokens");
    o = options();
    o.stride_bp = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_evaluate_mlm(&e, &o), "at most 2^31 - 1");
    o = options();
    o.order[1] = 2;
    FAILS(BIRD_EINVAL, bird_evaluate_mlm(&e, &o), "orders");
    o = options();
    o.mask = 0;
    cr_assert_eq(bird_evaluate_mlm(&e, &o), BIRD_EINVAL);
    o = options();
    o.context_bp = 0;
    o.length_tok = 177;
    FAILS(BIRD_EINVAL, bird_evaluate_mlm(&e, &o), "reads 176");
    o.length_tok = 2;
    FAILS(BIRD_EINVAL, bird_evaluate_mlm(&e, &o), "special");
}
