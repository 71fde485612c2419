/*
 * A scan beside one window at a time. The bytes are width, stride, strand and a
 * FASTA file; of a small model every window that the scan scores must have, to
 * the bit, the answer that a session gives to its bases alone, and its contig's
 * name; no window may be missing. SPDX-License-Identifier: MIT
 */
#include "fuzz_help.h"
#include "head/head.h"

#include "base/rng.h"
#include "dnabird/error.h"
#include "dnabird/reference.h"
#include "dnabird/tiles.h"
#include "model/weights.h"
#include "scan/scan.h"
#include "session/model.h"

enum { MOST_BYTES = 1024, MOST_ROWS = 1024 };

static bird_model *model;

struct row {
    int64_t contig, start, end;
    uint64_t name; /* mixed */
    int is_short, is_unknown;
    float value;
};

struct rows {
    struct row at[MOST_ROWS]; /* one for each value of a bin */
    int n, read, strands;
};

struct contigs {
    struct bird_text bases;
    int64_t end[MOST_BYTES + 1];
    uint64_t name[MOST_BYTES + 1];
    int n;
};

static uint64_t mix_name(const char *s)
{
    return bird_mix_bytes(0, s, (int64_t)strlen(s));
}

/* As small as can be, of random weights. */
static void make_model(void)
{
    const char *tests = getenv("BIRD_TEST_DATA");
    bird_tokenizer *t = NULL;
    struct bird_param *list = NULL;
    struct bird_weights w = {0};
    struct bird_config c;
    struct bird_rng r;
    float *block;
    int64_t n, total;
    char path[4096];

    snprintf(path, sizeof(path), "%s/golden/t_bpe_tiny/tokenizer.json",
             tests ? tests : "tests");
    MUST(!bird_tokenizer_open(&t, path));
    bird_config_default(&c);
    c.vocab_size = bird_tokenizer_count(t);
    c.hidden_size = c.intermediate_size = 8;
    c.n_head = c.n_layer = 1;
    c.max_positions = 160;
    c.cls_id = 1;
    c.sep_id = 2;
    c.pad_id = 3;
    c.n_label = 2;
    c.head = &bird_head_sequence;
    MUST(!bird_config_check(&c, NULL));
    MUST(!bird_params_list(&list, &n, &total, &c));
    block = malloc((size_t)total * sizeof(*block));
    MUST(block);
    bird_rng_init(&r, 1, 0, 0);
    for (int64_t i = 0; i < total; i++)
        block[i] = (float)bird_rng_below(&r, 2001) / 500 - 2;
    MUST(!bird_weights_bind(&w, block, list, n, &c));
    free(list);
    MUST(!bird_weights_prepare(&w, &c, BIRD_FLOAT32, 0));
    MUST(!bird_model_borrow(&model, &c, &w, t));
}

static int keep(void *context, const struct bird_scan_row *r)
{
    struct rows *rows = context;
    struct row x = {.contig = r->contig,
                    .start = r->start,
                    .end = r->end,
                    .name = mix_name(r->name)};

    MUST(rows->n + rows->strands <= MOST_ROWS);
    MUST(!r->status == !!r->value);
    if (r->status) {
        x.is_short = !strcmp(r->status, BIRD_STATUS_SHORT);
        x.is_unknown = !strcmp(r->status, BIRD_STATUS_UNKNOWN);
        MUST(x.is_short || x.is_unknown);
        rows->at[rows->n++] = x;
    }
    for (int i = 0; r->value && i < rows->strands; i++) {
        x.value = r->value[i];
        MUST(x.value >= 0 && x.value <= 1);
        rows->at[rows->n++] = x;
    }
    return 0;
}

static int scan(struct rows *rows, const char *path, int64_t width,
                int64_t stride, enum bird_strand strand)
{
    const struct bird_scan_input input = {.fasta = path, .max_unknown = 0.5};
    struct bird_scan_plan plan = {
        .model = model, .strand = strand, .put = keep, .context = rows};
    struct bird_scan *s = NULL;
    int rc = bird_layout_of(&plan.layout, model,
                            &(struct bird_layout_request){.context_bp = width,
                                                          .stride_bp = stride});

    rows->strands = strand == BIRD_STRAND_EACH ? 2 : 1;
    if (!rc)
        rc = bird_scan_begin(&s, &input, &plan);
    if (!rc)
        rc = bird_scan_run(s);
    bird_scan_close(s);
    return rc;
}

static int read_contigs(struct contigs *out, const uint8_t *data, size_t size)
{
    bird_fastx *r = NULL;
    bird_piece p;
    int rc = bird_fastx_open_memory(&r, "x", data, (int64_t)size, 0);

    while (!rc && (rc = bird_fastx_next(r, &p)) > 0) {
        MUST(!bird_text_put(&out->bases, p.seq, p.n));
        if (p.last) {
            out->name[out->n] = mix_name(p.name);
            out->end[out->n++] = out->bases.n;
        }
        rc = 0;
    }
    bird_fastx_free(r);
    return rc;
}

static int64_t unknown(const char *s, int64_t n)
{
    int64_t k = 0;

    for (int64_t i = 0; i < n; i++)
        k += !strchr("ACGT", s[i]);
    return k;
}

/* The rows of one window: of each strand, or one that says why not. */
static void check_window(struct rows *rows, bird_session *alone,
                         const struct row *w, const char *s, int64_t width,
                         int64_t length)
{
    int64_t n = w->end - w->start;
    int is_short = length<width, is_unknown = 2 * unknown(s, n)> n;
    float want[4];
    int k = 0;

    MUST(bird_session_size(alone, n) <= 4);
    if (!is_short && !is_unknown)
        MUST(!bird_session_score(alone, &s, &n, 1, want));
    for (; rows->read < rows->n; rows->read++, k++) {
        const struct row *r = &rows->at[rows->read];

        if (r->contig != w->contig || r->start != w->start)
            break;
        MUST(r->end == w->end && r->name == w->name);
        if (is_short || is_unknown)
            MUST((r->is_short && is_short) || (r->is_unknown && is_unknown));
        else
            MUST(!r->is_short && !r->is_unknown && r->value == want[k]);
    }
    MUST(k > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum bird_strand strands[] = {
        BIRD_STRAND_EACH, BIRD_STRAND_PLUS, BIRD_STRAND_MINUS,
        BIRD_STRAND_BOTH};
    static bird_session *alone[4];
    static struct memory_file file;
    static struct rows rows;
    static struct contigs all;
    struct choices c = {data, size};
    int64_t width = 8 + choose(&c, 128), stride = 4 + choose(&c, 128);
    int strand = choose(&c, 4), rc;
    bird_session_options o = {.strand = strands[strand], .threads = 1};

    if (c.n > MOST_BYTES)
        return 0;
    if (!model)
        make_model();
    if (!alone[strand])
        MUST(!bird_session_new(&alone[strand], model, &o));
    memory_file_put(&file, c.s, c.n);
    all.n = 0;
    bird_text_clear(&all.bases);
    rows.n = rows.read = 0;
    rc = read_contigs(&all, c.s, c.n);
    MUST(!scan(&rows, file.path, width, stride, strands[strand]) == !rc);
    for (int64_t i = 0; !rc && i < all.n; i++) {
        int64_t from = i ? all.end[i - 1] : 0, length = all.end[i] - from;
        int64_t n = bird_window_count(length, width, stride);

        for (int64_t k = 0; k < n; k++) {
            struct row w = {.contig = i, .name = all.name[i]};

            bird_window_at(&w.start, &w.end, length, width, stride, k);
            check_window(&rows, alone[strand], &w, all.bases.s + from + w.start,
                         width, length);
        }
    }
    MUST(rc || rows.read == rows.n);
    return 0;
}
