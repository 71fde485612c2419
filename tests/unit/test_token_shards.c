/* pretrain: rows from token shards are the rows that are drawn; what is
   damaged or of something else is refused. SPDX-License-Identifier: MIT */
#include "sample_help.h"

#include "base/file.h"
#include "data/shards.h"
#include "dnabird/sample.h"

TestSuite(token_shards, .init = sample_setup, .fini = sample_teardown);

enum { FILE_ROWS = 7 };

static bird_token_shards_options shards_of(const bird_sample_options *o,
                                           int64_t rows)
{
    return (bird_token_shards_options){.sample = *o,
                                       .tokenizer = path_words,
                                       .rows = rows,
                                       .batch_tok = 4 * o->length_tok,
                                       .rows_per_file = FILE_ROWS};
}

static int make(const char *name, const bird_sample_options *o, int64_t rows)
{
    bird_token_shards_options w = shards_of(o, rows);
    bird_token_shards *x = NULL;
    int rc = bird_token_shards_open(&x, path_of(name), &w);

    if (!rc)
        rc = bird_token_shards_write(x, NULL, NULL);
    bird_token_shards_free(x);
    return rc;
}

static bird_sample_options from_shards(const char *name,
                                       const bird_sample_options *o)
{
    static char path[256];
    bird_sample_options r = *o;

    snprintf(path, sizeof(path), "%s", path_of(name));
    r.fasta = NULL;
    r.n_fasta = 0;
    r.include = r.exclude = NULL;
    r.shards = path;
    return r;
}

static void read_file(struct bird_text *out, const char *dir, int k)
{
    char name[64];

    snprintf(name, sizeof(name), "%s/%06d.tokens.zst", dir, k);
    if (k < 0)
        snprintf(name, sizeof(name), "%s/tokens.json", dir);
    WORKS(bird_file_read(out, path_of(name)));
}

static void same_files(const char *a, const char *b, int n)
{
    struct bird_text x = {0}, y = {0};

    for (int k = -1; k < n; k++) {
        read_file(&x, a, k);
        read_file(&y, b, k);
        cr_assert_eq(x.n, y.n, "file %d", k);
        cr_assert(!memcmp(x.s, y.s, (size_t)x.n), "file %d", k);
    }
    bird_text_free(&x);
    bird_text_free(&y);
}

static void check_equal(bird_sample_options *o, const char *name)
{
    struct full_row *x = calloc(2, sizeof(*x));
    struct bird_sampler *fly, *disk;
    bird_sample_options r;

    WORKS(make(name, o, 30));
    for (int k = 0; k < 3; k++) { /* masks are drawn when read */
        o->mask = k ? 0.3 : 0.15;
        o->span = k == 2 ? 4 : 1;
        r = from_shards(name, o);
        fly = sampler_of(o);
        disk = sampler_of(&r);
        cr_assert_str_eq(bird_sampler_identity(fly),
                         bird_sampler_identity(disk));
        cr_assert_eq(bird_sampler_bases(fly), bird_sampler_bases(disk));
        cr_assert_eq(bird_sampler_steps(disk), 7);
        for (int i = 29; i >= 0; i--) {
            WORKS(row_make(x, fly, i / 4, i % 4));
            WORKS(row_make(x + 1, disk, i / 4, i % 4));
            cr_assert(row_equal(x, x + 1), "row %d", i);
        }
        FAILS(BIRD_ERANGE, row_make(x, disk, 7, 2), "rows for 7 steps");
        FAILS(BIRD_ERANGE, row_make(x, disk, INT64_MAX / 2, 0), "7 steps");
        FAILS(BIRD_ERANGE, row_make(x, disk, 0, 4), "4 rows per step");
        bird_sampler_free(fly);
        bird_sampler_free(disk);
    }
    free(x);
}

Test(token_shards, rows_equal_those_on_the_fly)
{
    bird_sample_options o = options_of(100);
    char include[256];

    snprintf(include, sizeof(include), "%s",
             file_text("in.bed", "b\t100\t30000\na\t15000\t27000\n"));
    o.include = include;
    o.max_n = 0.2; /* runs of N as one token, and rows drawn anew */
    check_equal(&o, "w");
    o.next_sentence = 1;
    check_equal(&o, "wn");
    o = options_of(333);
    o.kind = BIRD_SAMPLE_DOCUMENTS;
    check_equal(&o, "d");
    o.next_sentence = 1;
    check_equal(&o, "dn");
}

Test(token_shards, threads_change_nothing)
{
    bird_sample_options o = options_of(64);

    bird_threads_set(1);
    WORKS(make("t1", &o, 300));
    bird_threads_set(3);
    WORKS(make("t3", &o, 300));
    same_files("t1", "t3", 43);
}

/* ---- stopping, going on, growing --------------------------------------------- */

static int stop_at(void *context, const bird_progress *p)
{
    int64_t *most = context;

    cr_assert_eq(p->total, 300);
    return p->done >= *most;
}

Test(token_shards, a_stopped_run_is_gone_on_with)
{
    bird_sample_options o = options_of(64);
    bird_token_shards_options w = shards_of(&o, 300);
    bird_token_shards_plan p;
    bird_token_shards *x = NULL;
    int64_t most = 100;

    bird_threads_set(1);
    WORKS(make("whole", &o, 300));
    WORKS(bird_token_shards_open(&x, path_of("part"), &w));
    cr_assert(access(path_of("part"), F_OK), "opening writes nothing");
    FAILS(BIRD_ECANCELED, bird_token_shards_write(x, stop_at, &most),
          "the same command goes on");
    bird_token_shards_free(x);
    /* what kill leaves */
    file_text("part/000030.tokens.zst.tmp77", "half");
    file_text("part/tokens.json.tmp77", "half");
    file_text("part/mine.tmp77", "not ours");
    cr_assert_eq(truncate(path_of("part/000003.tokens.zst"), 200), 0);
    o = from_shards("part", &o);
    FAILS(BIRD_EFORMAT,
          bird_sampler_open((struct bird_sampler **)&x, &o, words),
          "000003.tokens.zst: cut short");
    WORKS(bird_token_shards_open(&x, path_of("part"), &w));
    bird_token_shards_plan_get(x, &p);
    cr_assert_eq(p.rows_there, 14 * FILE_ROWS - FILE_ROWS);
    cr_assert_eq(p.rows, 300);
    cr_assert_eq(p.files, 43);
    WORKS(bird_token_shards_write(x, NULL, NULL));
    bird_token_shards_free(x);
    same_files("whole", "part", 43);
    cr_assert(access(path_of("part/000030.tokens.zst.tmp77"), F_OK));
    cr_assert(access(path_of("part/tokens.json.tmp77"), F_OK));
    cr_assert(!access(path_of("part/mine.tmp77"), F_OK));
}

Test(token_shards, rows_may_be_added)
{
    bird_sample_options o = options_of(64), r;
    struct bird_sampler *s;

    WORKS(make("all", &o, 50));
    WORKS(make("grown", &o, 10));
    WORKS(make("grown", &o, 50));
    same_files("all", "grown", 8);
    WORKS(make("grown", &o, 20)); /* fewer: they stay */
    same_files("all", "grown", 8);
    r = from_shards("grown", &o);
    s = sampler_of(&r);
    cr_assert_eq(bird_sampler_steps(s), 12);
    bird_sampler_free(s);
}

Test(token_shards, the_estimate_holds)
{
    bird_sample_options o = options_of(512);
    bird_token_shards_options w = shards_of(&o, 0);
    bird_token_shards_plan p;
    bird_token_shards *x = NULL;
    int64_t bytes = 0;
    char name[32];

    w.steps = 100;
    WORKS(bird_token_shards_open(&x, path_of("e"), &w));
    bird_token_shards_plan_get(x, &p);
    cr_assert_eq(p.rows, 400);
    cr_assert_eq(p.rows_per_step, 4);
    cr_assert_eq(p.rows_measured, 16);
    cr_assert_eq(p.bases, A_BP - 6002 + B_BP);
    cr_assert_gt(p.bytes_free, 0);
    WORKS(bird_token_shards_write(x, NULL, NULL));
    bird_token_shards_free(x);
    for (int k = 0; k < 58; k++) {
        snprintf(name, sizeof(name), "e/%06d.tokens.zst", k);
        bytes += file_size(path_of(name));
    }
    cr_assert_float_eq((double)p.bytes_needed / (double)bytes, 1.0, 0.1);
    w.steps = INT64_C(1) << 44;
    WORKS(bird_token_shards_open(&x, path_of("big"), &w));
    FAILS(BIRD_EIO, bird_token_shards_write(x, NULL, NULL), "are free");
    bird_token_shards_free(x);
    cr_assert(access(path_of("big"), F_OK));
}

/* ---- what is refused --------------------------------------------------------- */

static void refused(const bird_sample_options *o, int code, const char *part)
{
    bird_sample_options r = from_shards("s", o);
    struct bird_sampler *s = NULL;

    FAILS(code, bird_sampler_open(&s, &r, words), part);
}

Test(token_shards, other_options_are_refused)
{
    bird_sample_options o = options_of(64), p;
    bird_tokenizer *kept = words;
    char json[256];

    WORKS(make("s", &o, 10));
    p = o;
    p.seed = 5;
    refused(&p, BIRD_EINVAL, "another seed (1, not 5)");
    FAILS(BIRD_EINVAL, make("s", &p, 10), "another seed");
    p = o;
    p.length_tok = 65;
    refused(&p, BIRD_EINVAL, "another length (64, not 65)");
    p = o;
    p.kind = BIRD_SAMPLE_DOCUMENTS;
    refused(&p, BIRD_EINVAL, "another sampling (windows, not documents)");
    p = o;
    p.max_n = 0.5;
    refused(&p, BIRD_EINVAL, "another max_n");
    p = o;
    p.next_sentence = 1;
    refused(&p, BIRD_EINVAL, "another next_sentence (false, not true)");
    p = o;
    p.n_fasta = 1;
    FAILS(BIRD_EINVAL, make("s", &p, 10), "another reference");
    p = o;
    p.exclude = file_text("ex.bed", "b\t5\t6\n");
    FAILS(BIRD_EINVAL, make("s", &p, 10), "another regions");
    snprintf(json, sizeof(json), "%s",
             file_text("t.json",
                       "{\"model\": {\"type\": \"BPE\", \"vocab\": {"
                       "\"[CLS]\": 0, \"[SEP]\": 1, \"[MASK]\": 2, \"A\": 3, "
                       "\"C\": 4, \"G\": 5, \"T\": 6}, \"merges\": []}}"));
    WORKS(bird_tokenizer_open(&words, json));
    refused(&o, BIRD_EINVAL, "another tokenizer");
    bird_tokenizer_free(words);
    words = kept;
}

static void poke(const char *name, int64_t at, int n)
{
    FILE *f = fopen(path_of(name), "r+b");

    cr_assert(f);
    for (int i = 0; i < n; i++) {
        int c;

        cr_assert(!fseek(f, (long)at + i, SEEK_SET));
        c = getc(f);
        cr_assert(!fseek(f, (long)at + i, SEEK_SET));
        putc(c ^ 0x41, f);
    }
    cr_assert(!fclose(f));
}

Test(token_shards, damage_is_refused)
{
    static const char file[] = "s/000001.tokens.zst";
    bird_sample_options o = options_of(64), r = from_shards("s", &o);
    struct full_row *x = calloc(1, sizeof(*x));
    struct bird_sampler *s;
    int64_t size;

    FAILS(BIRD_EIO, bird_sampler_open(&s, &r, words), "tokens.json");
    WORKS(make("s", &o, 30));
    s = sampler_of(&r);
    size = file_size(path_of(file));
    poke(file, size - 40, 8); /* in the last of 7 rows */
    WORKS(row_make(x, s, 3, 0));
    FAILS(BIRD_EFORMAT, row_make(x, s, 3, 1), "row 6 of it: it is damaged");
    poke(file, size - 40, 8);
    WORKS(row_make(x, s, 3, 1));
    poke(file, 96 + 8, 8); /* where row 1 begins */
    FAILS(BIRD_EFORMAT, row_make(x, s, 2, 0), "is not in the file");
    poke(file, 96 + 8, 8);
    poke(file, 20, 1); /* the key */
    refused(&o, BIRD_EFORMAT, "another set");
    poke(file, 20, 1);
    poke(file, 0, 1);
    refused(&o, BIRD_EFORMAT, "not a token shard");
    poke(file, 0, 1);
    cr_assert_eq(truncate(path_of(file), size - 1), 0);
    refused(&o, BIRD_EFORMAT, "cut short");
    cr_assert_eq(truncate(path_of(file), 50), 0);
    refused(&o, BIRD_EFORMAT, "cut short");
    cr_assert_eq(unlink(path_of(file)), 0);
    refused(&o, BIRD_EIO, "000001.tokens.zst: No such file");
    file_text("s/tokens.json", "{\"format\": \"dnabird tokens\", \"version\": "
                               "2}");
    refused(&o, BIRD_EUNSUPPORTED, "version 2");
    file_text("s/tokens.json", "{\"format\": \"other\", \"version\": 1}");
    refused(&o, BIRD_EFORMAT, "not a description");
    file_text("s/tokens.json", "{\"format\": \"dnabird tokens\", \"version\": "
                               "1, \"rows\": 5, \"rows_per_step\": 1, "
                               "\"rows_per_shard\": 0}");
    refused(&o, BIRD_EFORMAT, "rows_per_shard");
    bird_sampler_free(s);
    free(x);
}

Test(token_shards, options_that_make_no_sense_are_refused)
{
    bird_sample_options o = options_of(64);
    bird_token_shards_options w = shards_of(&o, 0);
    bird_token_shards *x = NULL;

    FAILS(BIRD_EINVAL, bird_token_shards_open(&x, folder, &w), "how many");
    w.rows = 5;
    w.batch_tok = 0;
    FAILS(BIRD_EINVAL, bird_token_shards_open(&x, folder, &w),
          "--batch must lie");
    w.batch_tok = 64;
    w.tokenizer = NULL;
    FAILS(BIRD_EINVAL, bird_token_shards_open(&x, folder, &w), "no tokenizer");
    w.tokenizer = path_words;
    w.sample.shards = folder;
    FAILS(BIRD_EINVAL, bird_token_shards_open(&x, folder, &w),
          "not from token shards");
    w.sample.shards = NULL;
    w.rows = 0;
    w.steps = INT64_MAX;
    w.batch_tok = 1 << 20;
    FAILS(BIRD_EINVAL, bird_token_shards_open(&x, folder, &w), "2^48 rows");
    cr_assert_null(x);
}

/* ---- a row and its bytes ------------------------------------------------------ */

Test(token_shards, any_row_comes_back_and_no_noise_does)
{
    bird_sample_options o = options_of(64);
    struct bird_sampler *s = sampler_of(&o);
    struct bird_shard_packer p = {0};
    struct bird_text bytes = {0};
    int32_t ids[64], bp[64], ids2[64], bp2[64];
    struct bird_sampled_row d = {.ids = ids, .bp = bp};
    struct bird_sampled_row e = {.ids = ids2, .bp = bp2};
    struct bird_rng r;

    bird_rng_init(&r, 1, 2, 3);
    for (int k = 0; k < 500; k++) {
        d.n_token = 5 + (int64_t)bird_rng_below(&r, 60);
        d.next = (int32_t)bird_rng_below(&r, 3) - 1;
        d.second = d.next < 0 ? d.n_token : 3;
        d.next = d.next < 0 ? BIRD_SAMPLE_NONE : d.next;
        d.n_rich = (int64_t)bird_rng_below(&r, 10000);
        for (int64_t i = 0; i < d.n_token; i++) {
            ids[i] = (int32_t)bird_rng_below(&r, (uint64_t)s->words.n);
            bp[i] =
                (int32_t)(bird_rng_next(&r) >> 33 >> bird_rng_below(&r, 31));
        }
        bytes.n = 0;
        WORKS(bird_shard_pack(&bytes, &p, &d, &s->words));
        WORKS(bird_shard_unpack(&e, bytes.s, bytes.n, 64, &s->words));
        cr_assert(e.n_token == d.n_token && e.second == d.second &&
                  e.next == d.next && e.n_rich == d.n_rich);
        cr_assert(!memcmp(ids, ids2, 4 * (size_t)d.n_token));
        cr_assert(!memcmp(bp, bp2, 4 * (size_t)d.n_token));
        cr_assert_eq(
            bird_shard_unpack(&e, bytes.s, bytes.n, d.n_token - 1, &s->words),
            BIRD_EFORMAT);
        cr_assert_eq(bird_shard_unpack(&e, bytes.s, bytes.n - 1, 64, &s->words),
                     BIRD_EFORMAT);
        bytes.s[bird_rng_below(&r, (uint64_t)bytes.n)] ^= 0x10;
        if (!bird_shard_unpack(&e, bytes.s, bytes.n, 64, &s->words))
            cr_assert(!memcmp(ids, ids2, 4 * (size_t)d.n_token));
    }
    ids[0] = (int32_t)s->words.n - 1;
    bytes.n = 0;
    WORKS(bird_shard_pack(&bytes, &p, &d, &s->words));
    s->words.n--; /* a vocabulary that lacks this id */
    FAILS(BIRD_EFORMAT, bird_shard_unpack(&e, bytes.s, bytes.n, 64, &s->words),
          "not a row");
    bird_shard_packer_free(&p);
    bird_text_free(&bytes);
    bird_sampler_free(s);
}
