/* pretrain: what is drawn is what the options allow, and as often as they
   say. More than 800 lines, since all cases redraw rows by the same functions.
   SPDX-License-Identifier: MIT */
#include "sample_help.h"

#include "base/parallel.h"
#include "dnabird/tiles.h"

TestSuite(sample, .init = sample_setup, .fini = sample_teardown);

/* ---- letters -------------------------------------------------------------- */

Test(sample, bases_come_back)
{
    struct bird_packed_reference b = {0};
    struct bird_rng r;
    static char got[A_BP];

    WORKS(bird_packed_read(&b, fasta, 2, NULL));
    cr_assert_eq(b.n, 3);
    cr_assert_str_eq(b.contigs.name[2], "chrb");
    bird_rng_init(&r, 3, 0, 0);
    for (int k = 0; k < 2000; k++) {
        int two = k % 2, length = two ? B_BP : A_BP;
        const char *want = two ? genome_b : genome_a;
        int64_t x = (int64_t)bird_rng_below(&r, (uint64_t)length + 1);
        int64_t y = (int64_t)bird_rng_below(&r, (uint64_t)length + 1);
        int64_t lo = x < y ? x : y, hi = x < y ? y : x, n = 0;

        bird_packed_get(got, &b, two ? 2 : 0, lo, hi);
        cr_assert(!memcmp(got, want + lo, (size_t)(hi - lo)));
        for (int64_t i = lo; i < hi; i++)
            n += want[i] == 'N' || want[i] == 'R';
        cr_assert_eq(bird_packed_unknown(&b, two ? 2 : 0, lo, hi), n);
    }
    cr_assert_eq(b.contig[0].n_run, 3);
    cr_assert_eq(b.contig[0].cap_code, A_BP / 4);
    bird_packed_free(&b);
}

Test(sample, contigs_are_found_under_both_customary_names)
{
    struct bird_contigs c = {0};
    char name[32];
    int32_t k;

    cr_assert_eq(bird_contigs_find(&c, "1"), -1);
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof(name), i % 2 ? "chr%d" : "%d", i);
        WORKS(bird_contigs_add(&k, &c, name));
        cr_assert_eq(k, i);
    }
    WORKS(bird_contigs_add(&k, &c, "chrM"));
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof(name), i % 2 ? "%d" : "chr%d", i);
        cr_assert_eq(bird_contigs_find(&c, name), i);
        WORKS(bird_contigs_add(&k, &c, name));
        cr_assert_eq(k, i);
    }
    cr_assert_eq(bird_contigs_find(&c, "MT"), 2000);
    cr_assert_eq(bird_contigs_find(&c, "2000"), -1);
    bird_contigs_free(&c);
}

Test(sample, one_contig_in_two_files_is_refused)
{
    struct bird_packed_reference b = {0};
    const char *twice[2] = {path_b, NULL};
    char other[256];

    snprintf(other, sizeof(other), "%s", file_text("o.fa", ">b\nACGT\n"));
    twice[1] = other;
    FAILS(BIRD_EINVAL, bird_packed_read(&b, twice, 2, NULL),
          "contig b occurs twice");
    cr_assert_eq(b.n, 0);
}

/* ---- rows as a function of step and row ----------------------------------- */

static void all_kinds(bird_sample_options *o, int k)
{
    *o = options_of(k % 2 ? 300 : 64);
    o->kind = k & 1 ? BIRD_SAMPLE_DOCUMENTS : BIRD_SAMPLE_WINDOWS;
    o->next_sentence = k >> 1 & 1;
    o->span = k & 4 ? 3 : 1;
}

struct many {
    struct bird_sampler *s;
    struct full_row *row; /* (64) */
    int rc[64];
};

static void many_row(void *context, int64_t task, int worker)
{
    struct many *m = context;

    (void)worker;
    m->rc[task] = row_make(m->row + task, m->s, task / 8, task % 8);
}

Test(sample, rows_are_functions_of_seed_step_and_row)
{
    struct many m = {.row = calloc(64, sizeof(struct full_row))};
    struct full_row *x = calloc(1, sizeof(*x));
    bird_sample_options o;

    cr_assert(m.row && x);
    for (int k = 0; k < 8; k++) {
        struct bird_sampler *other;

        all_kinds(&o, k);
        m.s = sampler_of(&o);
        other = sampler_of(&o);
        bird_threads_set(3);
        bird_parallel(64, many_row, &m);
        for (int i = 63; i >= 0; i--) {
            cr_assert_eq(m.rc[i], 0);
            WORKS(row_make(x, other, i / 8, i % 8));
            cr_assert(row_equal(x, m.row + i), "kind %d, row %d", k, i);
            cr_assert(!i || !row_equal(x, m.row + i - 1));
        }
        cr_assert_str_eq(bird_sampler_identity(m.s),
                         bird_sampler_identity(other));
        bird_sampler_free(other);
        o.seed++;
        other = sampler_of(&o);
        WORKS(row_make(x, other, 0, 0));
        cr_assert(!row_equal(x, m.row));
        cr_assert_str_neq(bird_sampler_identity(m.s),
                          bird_sampler_identity(other));
        bird_sampler_free(other);
        bird_sampler_free(m.s);
    }
    free(m.row);
    free(x);
}

Test(sample, bases_are_those_allowed_and_steps_have_no_end)
{
    bird_sample_options o = options_of(64);
    struct bird_sampler *s = sampler_of(&o);

    cr_assert_eq(bird_sampler_bases(s), A_BP - 6002 + B_BP);
    cr_assert_eq(bird_sampler_steps(s), INT64_MAX);
    bird_sampler_free(s);
}

/* ---- where rows lie -------------------------------------------------------- */

/* Where the letters lie on a stretch, on either strand; -1: nowhere. */
static int64_t find(const char *letters, const char *genome, int64_t start,
                    int64_t end, int *minus)
{
    char *text = strndup(genome + start, (size_t)(end - start)), *at;
    int64_t n = (int64_t)strlen(letters), pos = -1;

    for (*minus = 0; *minus < 2 && pos < 0; ++*minus) {
        if (*minus)
            bird_reverse_complement(text, text, end - start);
        at = strstr(text, letters);
        if (at && *minus)
            pos = end - (at - text) - n;
        else if (at)
            pos = start + (at - text);
    }
    --*minus;
    free(text);
    return pos;
}

Test(sample, windows_lie_in_the_regions_and_fill_the_row)
{
    /* after exclusion: b 1000 .. 9000 and 9500 .. 9530, a 30000 .. 34000 */
    bird_sample_options o = options_of(128);
    char include[256], exclude[256];
    struct letters *x = calloc(1, sizeof(*x));
    int64_t in[3] = {0}, minus = 0, n = 3000;
    struct bird_sampler *s;

    snprintf(include, sizeof(include), "%s",
             file_text("in.bed", "b\t1000\t8000\nchra\t30000\t34000\n"
                                 "b\t7000\t9530\nzzz\t0\t100\n"));
    snprintf(exclude, sizeof(exclude), "%s",
             file_text("ex.bed", "b\t9000\t9500\n"));
    o.include = include;
    o.exclude = exclude;
    o.max_n = 0.0;
    s = sampler_of(&o);
    cr_assert_eq(bird_sampler_bases(s), 8000 + 30 + 4000 - 1);
    for (int i = 0; i < n; i++) {
        int side, k = 0;

        draw(x, s, i);
        cr_assert_eq(x->d.ids[0], s->words.cls);
        cr_assert_eq(x->d.ids[x->d.n_token - 1], s->words.sep);
        cr_assert_eq(x->d.second, x->d.n_token);
        if (find(x->all, genome_b, 1000, 9000, &side) >= 0)
            k = 0;
        else if (find(x->all, genome_a, 30000, 34000, &side) >= 0)
            k = 1;
        else if (find(x->all, genome_b, 9500, 9530, &side) >= 0)
            k = 2;
        else
            cr_assert(0, "row %d lies elsewhere", i);
        cr_assert(k == 2 || x->d.n_token == 128);
        cr_assert(k != 2 || x->n == 30);
        in[k]++;
        minus += side;
    }
    cr_assert(likely((double)in[0], (double)n, 8000.0 / 12030.0));
    cr_assert(likely((double)in[2], (double)n, 30.0 / 12030.0));
    cr_assert(likely((double)minus, (double)n, 0.5));
    bird_sampler_free(s);
    free(x);
}

Test(sample, starts_are_uniform)
{
    bird_sample_options o = options_of(16);
    struct letters *x = calloc(1, sizeof(*x));
    struct bird_sampler *s;
    int64_t in[10] = {0}, n = 5000;
    char include[256];
    int side;

    snprintf(include, sizeof(include), "%s",
             file_text("in.bed", "b\t0\t10000\n"));
    o.include = include;
    s = sampler_of(&o);
    for (int i = 0; i < n; i++) {
        draw(x, s, i);
        in[find(x->all, genome_b, 0, 10000, &side) / 1000]++;
    }
    for (int k = 0; k < 10; k++)
        cr_assert(likely((double)in[k], (double)n, 0.1), "%d: %d", k,
                  (int)in[k]);
    bird_sampler_free(s);
    free(x);
}

Test(sample, a_short_row_is_a_whole_interval)
{
    bird_sample_options o = options_of(4096);
    struct letters *x = calloc(1, sizeof(*x));
    struct bird_sampler *s;
    char include[256];
    int side;

    snprintf(include, sizeof(include), "%s",
             file_text("in.bed", "b\t100\t700\n"));
    o.include = include;
    s = sampler_of(&o);
    for (int i = 0; i < 20; i++) {
        draw(x, s, i);
        cr_assert_eq(x->n, 600);
        cr_assert_eq(find(x->all, genome_b, 100, 700, &side), 100);
    }
    bird_sampler_free(s);
    free(x);
}

Test(sample, stretches_rich_in_n_are_drawn_anew)
{
    bird_sample_options o = options_of(200);
    struct letters *x = calloc(1, sizeof(*x));
    struct bird_sampler *s = sampler_of(&o);
    int64_t rich = 0, n = 2000;
    char include[256];

    for (int i = 0; i < n; i++) {
        int64_t unknown = 0, bp = 0;

        draw(x, s, i);
        rich += x->d.n_rich;
        for (int64_t k = 0; k < x->d.n_token; k++) {
            const char *token = bird_tokenizer_token(words, x->ids[k]);

            bp += x->bp[k];
            if (token[0] == 'N' || token[0] == '-' || !strcmp(token, "[UNK]"))
                unknown += x->bp[k];
        }
        cr_assert_leq((double)unknown, 0.05 * (double)bp);
    }
    /* c and a tenth of a: about 9 % of the bases */
    cr_assert_gt(rich, n / 20);
    cr_assert_lt(rich, n / 5);
    bird_sampler_free(s);
    snprintf(include, sizeof(include), "%s",
             file_text("n.bed", "a\t20100\t20200\na\t20300\t20310\n"));
    o.include = include;
    FAILS(BIRD_EINVAL, bird_sampler_open(&s, &o, words), "no A, C, G or T");
    file_text("n.bed", "a\t20100\t26001\n");
    FAILS(BIRD_EINVAL, bird_sampler_open(&s, &o, words), "sampled sequences");
    free(x);
}

Test(sample, bases_under_tokens_are_their_letters)
{
    bird_sample_options o = options_of(500);
    struct letters *x = calloc(1, sizeof(*x));
    struct bird_sampler *s;

    o.max_n = 1.0; /* runs of N are one token, R is none at all */
    s = sampler_of(&o);
    for (int i = 0; i < 300; i++) {
        draw(x, s, i);
        for (int64_t k = 0; k < x->d.n_token; k++) {
            const char *token = bird_tokenizer_token(words, x->ids[k]);

            if (!strcmp(token, "-"))
                cr_assert_gt(x->bp[k], 9);
            else if (token[0] == '[')
                cr_assert_eq(x->bp[k], !strcmp(token, "[UNK]"));
            else
                cr_assert_eq(x->bp[k], (int)strlen(token));
        }
    }
    bird_sampler_free(s);
    free(x);
}

/* ---- documents -------------------------------------------------------------- */

/* Borders of document i as the paper has them: 50 to 100 sentences of 500 to
   1000 bp, or as many as there is room for. */
static int64_t borders_of(int64_t *border, const struct bird_sampler *s,
                          int64_t i, int64_t room)
{
    struct bird_rng r;
    int64_t n, at = 0, k;

    bird_rng_init(&r, s->o.seed, BIRD_STREAM_DOCUMENT, (uint64_t)i);
    n = 50 + (int64_t)bird_rng_below(&r, 51);
    for (k = 0, border[0] = 0; k < n && at < room; k++) {
        at += 500 + (int64_t)bird_rng_below(&r, 501);
        border[k + 1] = at = at < room ? at : room;
    }
    return k;
}

Test(sample, documents_follow_the_paper)
{
    bird_sample_options o = options_of(64);
    int64_t passes = 0, next = 0, contig = 0, border[101], n;
    struct bird_sampler *s;

    o.kind = BIRD_SAMPLE_DOCUMENTS;
    s = sampler_of(&o);
    for (int64_t i = 0; i < s->n_document; i++) {
        const struct bird_document *d = s->document + i;
        int64_t end = s->bases.contig[d->contig].length;

        if (passes % 10 == 0 && next == 0)
            contig = d->contig;
        cr_assert_eq(d->contig, contig);
        if (next) {
            cr_assert_eq(d->start, next);
        } else {
            cr_assert_geq(d->start, 0);
            cr_assert_leq(d->start, end < 50000 ? end / 10 : 5000);
        }
        n = borders_of(border, s, i, end - d->start);
        cr_assert_eq(d->length, border[n]);
        next = d->start + d->length;
        cr_assert(next == end || n >= 50);
        passes += next == end;
        next = next == end ? 0 : next;
    }
    cr_assert_eq(passes, 10 * 3);
    cr_assert_gt(s->n_document, passes); /* 60 kb is more than one */
    bird_sampler_free(s);
}

Test(sample, rows_begin_at_sentences_of_their_document)
{
    bird_sample_options o = options_of(256);
    int64_t border[101], n, cut, k, m, begins[101] = {0};
    struct bird_sampler *s;
    struct bird_sample_position p;
    struct bird_rng r;

    o.kind = BIRD_SAMPLE_DOCUMENTS;
    s = sampler_of(&o);
    bird_rng_init(&r, 9, 9, 9);
    for (int i = 0; i < 5000; i++) {
        bird_position_sample(&p, s, &r, 2000);
        cr_assert_eq(p.start, s->document[p.interval].start);
        cr_assert_eq(p.end - p.start, s->document[p.interval].length);
        cr_assert(bird_position_left(&p) >= 2000 || p.from == 0);
        n = borders_of(border, s, p.interval,
                       s->bases.contig[p.contig].length - p.start);
        /* on the other strand the borders are counted from the end */
        for (k = 0; k < n; k++)
            if (p.from ==
                (p.strand == '+' ? border[k] : border[n] - border[n - k]))
                break;
        cr_assert_lt(k, n);
        begins[k]++;
        if (bird_position_left(&p) < 2000)
            continue;
        cut = p.from + bird_position_cut(&p, s, &r, 2000);
        for (m = 1; m < n; m++)
            if (cut ==
                (p.strand == '+' ? border[m] : border[n] - border[n - m]))
                break;
        cr_assert(m > k && m < n);
        cr_assert_lt(cut, p.from + 2000);
    }
    for (k = 0; k < 45; k++)
        cr_assert_gt(begins[k], 0);
    bird_sampler_free(s);
}

/* ---- next sentence ----------------------------------------------------------- */

static void check_pairs(enum bird_sample_kind kind, int64_t length)
{
    bird_sample_options o = options_of(length);
    struct letters *x = calloc(1, sizeof(*x));
    int64_t random = 0, n = 1000, full = 0;
    struct bird_sampler *s;
    int side;

    o.kind = kind;
    o.next_sentence = 1;
    o.max_n = 0.0;
    s = sampler_of(&o);
    for (int i = 0; i < n; i++) {
        int follows;

        draw(x, s, i);
        cr_assert(x->d.next == 0 || x->d.next == 1);
        cr_assert_eq(x->ids[0], s->words.cls);
        cr_assert_eq(x->ids[x->d.second - 1], s->words.sep);
        cr_assert_eq(x->ids[x->d.n_token - 1], s->words.sep);
        cr_assert_gt(strlen(x->a), 0);
        cr_assert_gt(strlen(x->b), 0);
        follows = find(x->all, genome_a, 0, A_BP, &side) >= 0 ||
                  find(x->all, genome_b, 0, B_BP, &side) >= 0;
        cr_assert_eq(follows, x->d.next == 0, "row %d: next %d, %s / %s", i,
                     x->d.next, x->a, x->b);
        cr_assert(find(x->b, genome_a, 0, A_BP, &side) >= 0 ||
                  find(x->b, genome_b, 0, B_BP, &side) >= 0);
        full += x->d.n_token == length;
        random += x->d.next;
    }
    cr_assert(likely((double)random, (double)n, 0.5));
    cr_assert_gt(full, n * 9 / 10);
    bird_sampler_free(s);
    free(x);
}

Test(sample, half_of_the_windows_go_on)
{
    check_pairs(BIRD_SAMPLE_WINDOWS, 100);
}

Test(sample, half_of_the_document_rows_go_on)
{
    check_pairs(BIRD_SAMPLE_DOCUMENTS, 700);
}

/* ---- what is refused --------------------------------------------------------- */

/* Of a token on either strand more than half of whose bases lie in the mask,
   and of no other. */
Test(sample, tokens_of_the_mask_count_less)
{
    static char text[A_BP], path[256], turned[8 * ROW_MAX];
    static uint8_t inside[A_BP];
    static struct letters x;
    bird_sample_options o = options_of(200);
    int64_t n = 0, strands[2] = {0};
    float weight[ROW_MAX];
    struct bird_sampler *s;

    for (int i = 0; i < 19000; i += 23) {
        n += snprintf(text + n, sizeof(text) - (size_t)n, "chra\t%d\t%d\n", i,
                      i + 1 + i % 17);
        memset(inside + i, 1, (size_t)(1 + i % 17));
    }
    snprintf(path, sizeof(path), "%s", file_text("mask.bed", text));
    o.n_fasta = 1;
    o.include = "a:101-19000";
    o.repeats = path;
    o.repeat_weight = 0.25;
    s = sampler_of(&o);
    for (int row = 0; row < 40; row++) {
        const char *at;
        int64_t from;
        int forward;

        x.d = (struct bird_sampled_row){
            .ids = x.ids, .bp = x.bp, .weight = weight};
        WORKS(bird_row_sample(&x.d, s, 7, row));
        x.n = row_letters(x.all, x.ids, 0, x.d.n_token);
        bird_reverse_complement(turned, x.all, x.n);
        turned[x.n] = '\0';
        at = strstr(genome_a, x.all);
        forward = at != NULL;
        strands[forward]++;
        if (!at)
            at = strstr(genome_a, turned);
        cr_assert(at);
        from = forward ? at - genome_a : at - genome_a + x.n;
        for (int64_t i = 0; i < x.d.n_token; i++) {
            int64_t start = forward ? from : from - x.bp[i], covered = 0;

            for (int64_t k = start; k < start + x.bp[i]; k++)
                covered += inside[k];
            cr_assert(weight[i] == (2 * covered > x.bp[i] ? 0.25f : 1));
            from += forward ? x.bp[i] : -x.bp[i];
        }
    }
    cr_assert(strands[0] && strands[1]);
    bird_sampler_free(s);
}

/* What the step divides by; a row without a mask weighs what it counts. */
Test(sample, a_row_weighs_its_masked_tokens)
{
    static struct full_row x;
    bird_sample_options o = options_of(200);
    const char *mask = file_text("mask.bed", "a\t0\t30000\nb\t0\t20000\n");
    int64_t less = 0, more = 0;

    for (int masked = 0; masked < 2; masked++) {
        struct bird_sampler *s;

        o.next_sentence = masked;
        o.repeats = masked ? mask : NULL;
        s = sampler_of(&o);
        for (int row = 0; row < 60; row++) {
            double weight = 0;

            WORKS(row_make(&x, s, 0, row));
            for (int64_t i = 0; i < x.row.n_token; i++) {
                double w = (double)x.weight[i];

                if (x.label[i] < 0)
                    continue;
                less += w < 1;
                more += w == 1;
                weight += w;
            }
            cr_assert_float_eq(x.row.masked_weight, weight, 1e-9);
            if (!masked)
                cr_assert(x.row.masked_weight == (double)x.row.n_masked);
            if (!masked)
                cr_assert(x.row.masked_weight_bp == (double)x.row.masked_bp);
        }
        cr_assert(masked == (less > 100) && more > 100);
        bird_sampler_free(s);
    }
}

Test(sample, options_that_make_no_sense_are_refused)
{
    struct bird_sampler *s = NULL;
    bird_sample_options o = options_of(7);

    FAILS(BIRD_EINVAL, bird_sampler_open(&s, &o, words), "--length must lie");
    o = options_of(64);
    o.mask = 0.0;
    FAILS(BIRD_EINVAL, bird_sampler_open(&s, &o, words), "masked share of 0");
    o = options_of(64);
    o.max_n = -0.1;
    FAILS(BIRD_EINVAL, bird_sampler_open(&s, &o, words), "share of N");
    o = options_of(64);
    o.span = 0;
    FAILS(BIRD_EINVAL, bird_sampler_open(&s, &o, words), "spans of up to 0");
    o = options_of(64);
    o.shards = folder;
    FAILS(BIRD_EINVAL, bird_sampler_open(&s, &o, words), "the one or");
    o = options_of(64);
    o.n_fasta = 0;
    FAILS(BIRD_EINVAL, bird_sampler_open(&s, &o, words), "no reference");
    o = options_of(64);
    o.include = "none.bed";
    FAILS(BIRD_EIO, bird_sampler_open(&s, &o, words), "none.bed");
    cr_assert_null(s);
}

Test(sample, a_tokenizer_without_masks_is_refused)
{
    static const char json[] =
        "{\"model\": {\"type\": \"BPE\", \"vocab\": {\"[CLS]\": 0, "
        "\"[SEP]\": 1, \"A\": 2, \"C\": 3, \"G\": 4, \"T\": 5}, "
        "\"merges\": []}}";
    bird_sample_options o = options_of(64);
    struct bird_sampler *s = NULL;
    bird_tokenizer *t = NULL;

    WORKS(bird_tokenizer_open(&t, file_text("t.json", json)));
    FAILS(BIRD_EUNSUPPORTED, bird_sampler_open(&s, &o, t), "[MASK]");
    bird_tokenizer_free(t);
}
