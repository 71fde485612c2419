/* BigBird-ETC: the plan is matrix B, element by element; global tokens in a
 * tokenizer.json, in rows and masks, before an anchored change, and in a model
 * that is given some.
 * SPDX-License-Identifier: MIT */
#include "sample_help.h"

#include "base/file.h"
#include "base/json.h"
#include "data/shards.h"
#include "folder/folder.h"
#include "pattern/plan.h"
#include "session/anchor.h"
#include "token/global.h"
#include "token/vocab.h"

TestSuite(etc, .init = sample_setup, .fini = sample_teardown);

/* ---- the plan ------------------------------------------------------------- */

static struct bird_pattern pattern_of(const char *text)
{
    struct bird_pattern p;

    bird_pattern_default(&p);
    WORKS(bird_pattern_parse(&p, text));
    WORKS(bird_pattern_check(&p, "test"));
    p.n_head = 3;
    p.max_positions = 4096;
    return p;
}

/* How often query token q of head h counts key token k. */
static int counts(const struct bird_plan *p, int64_t h, int64_t q, int64_t k)
{
    int64_t n, j = k / p->block;
    const struct bird_run *r = bird_plan_row(p, h, q / p->block, &n);

    for (int64_t i = 0; i < n; i++)
        if (j >= r[i].first && j < r[i].first + r[i].count)
            return r[i].times;
    return 0;
}

/* B(i, :) = B(:, i) = 1 for i <= g, B(g + i, g + j) = A(i, j), by tokens: A is
 * the plan of another pattern over a text of len - g tokens. */
static void check_b(const char *etc, const char *plain, int64_t g, int64_t len)
{
    struct bird_pattern p = pattern_of(etc), q = pattern_of(plain);

    for (int64_t layer = 0; layer < 2; layer++) {
        struct bird_plan *b = NULL, *a = NULL;

        WORKS(bird_plan_new(&b, &p, len, layer));
        WORKS(bird_plan_new(&a, &q, len - g, layer));
        for (int64_t h = 0; h < 3; h++)
            for (int64_t i = 0; i < len; i++)
                for (int64_t j = 0; j < len; j++)
                    cr_assert_eq(
                        counts(b, h, i, j),
                        i < g || j < g ? 1 : counts(a, h, i - g, j - g),
                        "%s, %d tokens, layer %d, head %d: %d, %d", etc,
                        (int)len, (int)layer, (int)h, (int)i, (int)j);
        bird_plan_free(a);
        bird_plan_free(b);
    }
}

Test(etc, plan_is_matrix_b)
{
    for (int64_t block = 1; block <= 4; block++)
        for (int64_t m = 1; m <= 3; m++)
            for (int64_t width = 1; width <= 2; width++)
                for (int64_t r = 0; r <= 2; r++)
                    for (int64_t len = m * block + 1; len < 41; len += 3) {
                        char etc[128], plain[128];

                        snprintf(etc, sizeof(etc),
                                 "etc,block=%d,global=%d,width=%d,n_random=%d,"
                                 "seed=%d",
                                 (int)block, (int)(m * block), (int)width,
                                 (int)r, (int)m);
                        snprintf(plain, sizeof(plain),
                                 "bigbird,block=%d,random=uniform,first=0,last="
                                 "0,width=%d,n_random=%d,seed=%d",
                                 (int)block, (int)width, (int)r, (int)m);
                        check_b(etc, plain, m * block, len);
                    }
    check_b("etc,block=4,global=8,width=2", "window,block=4,width=2", 8, 60);
}

/* The paper's equations alone, and rows of the last block: a window, not all. */
Test(etc, plan_by_hand)
{
    static const char *const rows[] = {"11111111", "11111111", "11110000",
                                       "11111000", "11011100", "11001110",
                                       "11000111", "11000011"};
    struct bird_pattern p = pattern_of("etc,block=3,global=6");
    struct bird_plan *b = NULL;

    WORKS(bird_plan_new(&b, &p, 23, 0));
    cr_assert_eq(b->full, 0);
    cr_assert_eq(b->n_head, 1);
    for (int64_t i = 0; i < 23; i++)
        for (int64_t j = 0; j < 24; j++)
            cr_assert_eq(counts(b, 0, i, j), rows[i / 3][j / 3] - '0');
    bird_plan_free(b);
}

/* Full attention is said of a length where every row lists all, and of no
 * other. */
Test(etc, full_means_the_same)
{
    struct bird_pattern p = pattern_of("etc,block=2,global=4,width=2");

    for (int64_t len = 1; len < 30; len++) {
        struct bird_plan *b = NULL;
        int all = 1;

        WORKS(bird_plan_new(&b, &p, len, 0));
        for (int64_t i = 0; i < len; i++)
            for (int64_t j = 0; j < len; j++)
                all &= j < 4 || i < 4 || llabs(i / 2 - j / 2) <= 2;
        cr_assert_eq(b->full, all, "%d tokens", (int)len);
        bird_plan_free(b);
    }
}

Test(etc, parameters)
{
    struct bird_pattern p, q;
    struct bird_text t = {0};
    json_t *config = json_object(), *meta = json_object();

    bird_pattern_default(&p);
    WORKS(bird_pattern_parse(&p, "etc,block=8,global=20"));
    FAILS(BIRD_EINVAL, bird_pattern_check(&p, "m"),
          "20 global tokens are not a multiple of the block size, which is 8");
    FAILS(BIRD_EINVAL, bird_pattern_parse(&p, "etc,global=0"), "use 1 to 4096");
    WORKS(bird_pattern_parse(&p, "etc,global=24,width=2,n_random=3,seed=9"));
    cr_assert_eq(bird_pattern_global_tokens(&p), 24);
    cr_assert(!bird_pattern_is_reference(&p));
    WORKS(bird_pattern_write(config, &p, BIRD_PATTERN_CONFIG));
    WORKS(bird_pattern_write(meta, &p, BIRD_PATTERN_META));
    bird_pattern_default(&q);
    cr_assert_eq(bird_pattern_global_tokens(&q), 0);
    cr_assert(bird_pattern_take_type(&q, "etc"));
    WORKS(bird_pattern_read(&q, config, BIRD_PATTERN_CONFIG, "c"));
    WORKS(bird_pattern_read(&q, meta, BIRD_PATTERN_META, "m"));
    WORKS(bird_pattern_text(&t, &q));
    cr_assert_str_eq(t.s, "etc,block=8,global=24,width=2,n_random=3,seed=9");
    bird_text_free(&t);
    json_decref(config);
    json_decref(meta);
}

/* ---- the tokenizer -------------------------------------------------------- */

/* words.json with g global tokens. */
static bird_tokenizer *with_global(int64_t g)
{
    bird_tokenizer *t = NULL;

    WORKS(bird_global_write(path_of("g.json"), path_words, g));
    WORKS(bird_tokenizer_open(&t, path_of("g.json")));
    return t;
}

/* Ids of the old vocabulary stay; what is encoded has the new ones in front,
 * which have no bases. */
Test(etc, tokenizer_puts_them_in_front)
{
    bird_tokenizer *t = with_global(6);
    int64_t n = bird_tokenizer_count(words);
    bird_encoding a = {0}, b = {0};

    cr_assert_eq(bird_tokenizer_count(t), n + 6);
    cr_assert_eq(bird_tokenizer_global(t), 6);
    cr_assert_eq(bird_tokenizer_global(words), 0);
    cr_assert_str_eq(bird_tokenizer_token(t, (int32_t)n), "[G1]");
    for (int special = 0; special < 2; special++) {
        int64_t more = special ? 6 : 0;

        WORKS(bird_tokenizer_encode(words, &a, genome_a, 500, special));
        WORKS(bird_tokenizer_encode(t, &b, genome_a, 500, special));
        cr_assert_eq(b.n, a.n + more);
        for (int64_t i = 0; i < more; i++) {
            cr_assert_eq(b.ids[i], n + i);
            cr_assert_eq(b.start[i], 0);
        }
        for (int64_t i = 0; i < a.n; i++) {
            cr_assert_eq(b.ids[more + i], a.ids[i]);
            cr_assert_eq(b.start[more + i], a.start[i]);
        }
    }
    FAILS(BIRD_EINVAL,
          bird_global_write(path_of("h.json"), path_of("g.json"), 2),
          "has a token [G1] already");
    FAILS(BIRD_EINVAL, bird_global_write(path_of("h.json"), path_words, 4097),
          "use 0 to 4096");
    cr_assert(!bird_file_exists(path_of("h.json")));
    bird_encoding_free(&a);
    bird_encoding_free(&b);
    bird_tokenizer_free(t);
}

/* Any post-processor becomes a template as the tokenizers library reads it. */
Test(etc, post_processors)
{
#define WORD_LEVEL                                                             \
    "{\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"U\", \"vocab\": "  \
    "{\"U\": 0, \"CC\": 7, \"A\": 2}}, \"added_tokens\": [{\"id\": 9, "        \
    "\"content\": \"S\"}]"
    static const char *const post[] = {
        "}", ", \"post_processor\": null}",
        ", \"post_processor\": {\"type\": \"BertProcessing\", \"sep\": "
        "[\"S\", 9], \"cls\": [\"CC\", 7]}}",
        ", \"post_processor\": {\"type\": \"TemplateProcessing\", \"single\": "
        "[{\"SpecialToken\": {\"id\": \"CC\", \"type_id\": 0}}, {\"Sequence\": "
        "{\"id\": \"A\", \"type_id\": 0}}, {\"SpecialToken\": {\"id\": \"S\", "
        "\"type_id\": 0}}], \"special_tokens\": {\"CC\": {\"id\": \"CC\", "
        "\"ids\": [7], \"tokens\": [\"CC\"]}, \"S\": {\"id\": \"S\", \"ids\": "
        "[9], \"tokens\": [\"S\"]}}}}"};
    static const char *const want[] = {"10 11 2", "10 11 2", "10 11 7 2 9",
                                       "10 11 7 2 9"};
    static const size_t pair[] = {4, 4, 7, 0};

    for (size_t k = 0; k < sizeof(post) / sizeof(*post); k++) {
        char file[1024], got[64] = "";
        bird_tokenizer *t = NULL;
        bird_encoding e = {0};
        json_t *root = NULL, *p;

        snprintf(file, sizeof(file), WORD_LEVEL "%s", post[k]);
        WORKS(
            bird_global_write(path_of("o.json"), file_text("i.json", file), 2));
        WORKS(bird_tokenizer_open(&t, path_of("o.json")));
        WORKS(bird_tokenizer_encode(t, &e, "A", 1, 1));
        for (int64_t i = 0; i < e.n; i++)
            snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%d",
                     i ? " " : "", e.ids[i]);
        cr_assert_str_eq(got, want[k], "%d: %s", (int)k, got);
        WORKS(bird_json_open(&root, path_of("o.json")));
        p = json_object_get(root, "post_processor");
        cr_assert_str_eq(json_string_value(json_object_get(p, "type")),
                         "TemplateProcessing");
        cr_assert_eq(json_array_size(json_object_get(p, "pair")), pair[k]);
        cr_assert_eq(json_array_size(json_object_get(root, "added_tokens")), 3);
        json_decref(root);
        bird_encoding_free(&e);
        bird_tokenizer_free(t);
    }
}

/* ---- rows and masks ------------------------------------------------------- */

/* As long a row of bases as without them; they are not masked, have no bases,
 * type 0 and no label. */
Test(etc, rows_are_those_without_them)
{
    bird_sample_options o = options_of(128);
    bird_tokenizer *t = with_global(8);
    struct bird_sampler *plain = sampler_of(&o), *s = NULL;
    static struct full_row a, b;

    o.length_tok = 136;
    WORKS(bird_sampler_open(&s, &o, t));
    cr_assert_str_neq(bird_sampler_identity(s), bird_sampler_identity(plain));
    for (int64_t row = 0; row < 40; row++) {
        WORKS(row_make(&a, plain, 3, row));
        WORKS(row_make(&b, s, 3, row));
        cr_assert_eq(b.row.n_token, a.row.n_token + 8);
        cr_assert_eq(b.row.n_masked, a.row.n_masked);
        cr_assert_eq(b.row.bp, a.row.bp);
        for (int i = 0; i < 8; i++) {
            cr_assert_eq(b.ids[i], bird_tokenizer_count(words) + i);
            cr_assert_eq(b.label[i], BIRD_SAMPLE_NONE);
            cr_assert_eq(b.type[i], 0);
        }
        for (int64_t i = 0; i < a.row.n_token; i++) {
            /* random tokens in the place of masked ones, too */
            cr_assert_eq(b.ids[8 + i], a.ids[i]);
            cr_assert_eq(b.label[8 + i], a.label[i]);
        }
    }
    bird_sampler_free(s);
    s = NULL;
    o.next_sentence = 1;
    WORKS(bird_sampler_open(&s, &o, t));
    for (int64_t row = 0; row < 40; row++) {
        WORKS(row_make(&b, s, 3, row));
        cr_assert_leq(b.row.n_token, 136);
        for (int i = 0; i < 9; i++) {
            cr_assert_eq(b.label[i], BIRD_SAMPLE_NONE);
            cr_assert_eq(b.type[i], 0);
        }
    }
    bird_sampler_free(s);
    s = NULL;
    o.length_tok = 15;
    FAILS(BIRD_EINVAL, bird_sampler_open(&s, &o, t),
          "rows of 15 tokens, of which 8 are global ones of the tokenizer: use "
          "16 or more");
    bird_sampler_free(plain);
    bird_tokenizer_free(t);
}

/* ---- a changed allele ----------------------------------------------------- */

/* Alleles keep the tokens and positions of their flanks, all moved by g. */
Test(etc, anchored_changes_are_moved)
{
    bird_tokenizer *t = with_global(5);
    struct bird_anchor x = {.t = words, .max_tokens = 64};
    struct bird_anchor y = {.t = t, .max_tokens = 69};

    for (int64_t at = 100; at < 140; at++) {
        struct bird_rows a[2] = {0}, b[2] = {0};
        struct bird_anchored what[2];
        int trimmed;

        WORKS(bird_anchor_ref(&x, &a[0], &trimmed, genome_a + 300, 240));
        WORKS(bird_anchor_ref(&y, &b[0], &trimmed, genome_a + 300, 240));
        WORKS(bird_anchor_alt(&x, &a[1], &what[0], 1, at, at + 1, "TG", 2));
        WORKS(bird_anchor_alt(&y, &b[1], &what[1], 1, at, at + 1, "TG", 2));
        cr_assert_eq(what[0].free, what[1].free);
        for (int k = 0; k < 2; k++) {
            cr_assert_eq(b[k].n, a[k].n + 5);
            for (int64_t i = 0; i < b[k].n; i++) {
                cr_assert_eq(b[k].ids[i], i < 5
                                              ? bird_tokenizer_count(words) + i
                                              : a[k].ids[i - 5]);
                cr_assert_eq(b[k].position[i],
                             i < 5 ? i : a[k].position[i - 5] + 5);
            }
            bird_rows_free(&a[k]);
            bird_rows_free(&b[k]);
        }
    }
    bird_anchor_free(&x);
    bird_anchor_free(&y);
    bird_tokenizer_free(t);
}

/* ---- a model that is given some ------------------------------------------- */

struct weights {
    struct bird_folder f;
    float *block;
    struct bird_param *list;
    int64_t n;
};

static struct weights weights_of(const char *name)
{
    struct weights w = {0};
    int64_t total;

    WORKS(bird_folder_open_intact(&w.f, path_of(name)));
    WORKS(bird_folder_weights(&w.block, &w.list, &w.n, &total, &w.f));
    return w;
}

static void weights_free(struct weights *w)
{
    bird_folder_free(&w->f);
    free(w->block);
    free(w->list);
}

static const float *tensor(const struct weights *w, const char *name,
                           int64_t row)
{
    const struct bird_param *p = bird_params_find(w->list, w->n, name);

    cr_assert_not_null(p, "%s", name);
    cr_assert_lt(row, p->shape[0], "%s", name);
    return w->block + p->offset + row * p->shape[1];
}

static int same(const struct weights *a, int64_t i, const struct weights *b,
                int64_t j, const char *name)
{
    size_t n = (size_t)bird_params_find(a->list, a->n, name)->shape[1];

    return !memcmp(tensor(a, name, i), tensor(b, name, j), n * sizeof(float));
}

#define POSITION "bert.embeddings.position_embeddings.weight"
#define WORD     "bert.embeddings.word_embeddings.weight"

static void grow(const char *to, const char *from,
                 const bird_model_grow_options *o)
{
    char path[256];

    snprintf(path, sizeof(path), "%s", path_of(to));
    WORKS(bird_model_grow(path, path_of(from), o));
}

/* [CLS] and the bases keep the positions and words that they had. */
Test(etc, a_model_is_given_global_tokens)
{
    bird_model_init_options o;
    bird_model_grow_options g;
    struct weights a, b, c;
    bird_tokenizer *t = NULL;
    int64_t n = bird_tokenizer_count(words);

    bird_model_init_options_default(&o);
    o.tokenizer = path_words;
    WORKS(bird_model_init(path_of("m"), &o));
    bird_model_grow_options_default(&g);
    g.pattern = "etc,block=8,global=24";
    grow("e", "m", &g);
    a = weights_of("m");
    b = weights_of("e");
    cr_assert_eq(b.f.config.max_positions, a.f.config.max_positions + 24);
    cr_assert_eq(b.f.config.vocab_size, n + 24);
    for (int64_t i = 0; i < a.f.config.max_positions; i++)
        cr_assert(same(&a, i, &b, i + 24, POSITION), "%d", (int)i);
    for (int64_t i = 0; i < n; i++) {
        cr_assert(same(&a, i, &b, i, WORD), "%d", (int)i);
        cr_assert(same(&a, i, &b, i, "cls.predictions.bias"));
    }
    for (int64_t i = 0; i < 24; i++) { /* drawn, and not copies of each other */
        cr_assert(!same(&b, n + i, &b, n + (i + 1) % 24, WORD));
        cr_assert(!same(&b, i, &b, (i + 1) % 24, POSITION));
        cr_assert(!same(&b, i, &a, i, POSITION));
    }
    for (int64_t i = 0; i < a.n; i++)
        if (strcmp(a.list[i].name, POSITION) != 0 &&
            strcmp(a.list[i].name, WORD) != 0 &&
            strcmp(a.list[i].name, "cls.predictions.bias") != 0)
            cr_assert_eq(memcmp(tensor(&a, a.list[i].name, 0),
                                tensor(&b, a.list[i].name, 0),
                                (size_t)a.list[i].count * sizeof(float)),
                         0, "%s", a.list[i].name);
    WORKS(bird_tokenizer_open(&t, b.f.tokenizer));
    cr_assert_eq(bird_tokenizer_global(t), 24);
    WORKS(bird_config_check_tokenizer(&b.f.config, t, "e"));
    FAILS(BIRD_EFORMAT, bird_config_check_tokenizer(&a.f.config, t, "m"),
          "the model");
    a.f.config.vocab_size = n + 24;
    FAILS(BIRD_EFORMAT, bird_config_check_tokenizer(&a.f.config, t, "m"),
          "m: the tokenizer puts 24 global tokens ([G1], ...) before a text, "
          "but the attention pattern is bigbird with 0 of them");
    FAILS(BIRD_EFORMAT, bird_config_check_tokenizer(&b.f.config, words, "m"),
          "puts 0 global tokens");

    /* repeated positions leave out the global tokens' */
    bird_model_grow_options_default(&g);
    g.positions = 1600;
    grow("long", "e", &g);
    c = weights_of("long");
    for (int64_t i = 0; i < 1600; i++)
        cr_assert(same(&c, i, &b, i < 24 ? i : 24 + (i - 24) % 512, POSITION),
                  "%d", (int)i);
    g.positions = 0;
    g.pattern = "bigbird";
    FAILS(BIRD_EINVAL, bird_model_grow(path_of("x"), path_of("e"), &g),
          "their number cannot be changed, only etc with global=24");
    g.pattern = "etc,block=16,global=16";
    g.positions = 512;
    FAILS(BIRD_EINVAL, bird_model_grow(path_of("x"), path_of("m"), &g),
          "512 positions are fewer than the model's 512 and 16 global tokens");
    g.positions = 0;
    g.widen = 2;
    FAILS(BIRD_EUNSUPPORTED, bird_model_grow(path_of("x"), path_of("m"), &g),
          "one after the other");
    cr_assert(!bird_file_exists(path_of("x")));
    weights_free(&a);
    weights_free(&b);
    weights_free(&c);
    bird_tokenizer_free(t);
}
