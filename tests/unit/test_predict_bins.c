/* Bins of windows through a model: packs, both strands, pairs of labels. */
#include <math.h>

#include "eval/predict.h"
#include "seq_help.h"
#include "session/model_parts.h"
#include "session/pack.h"
#include "tiny.h"

TestSuite(predict_bins, .init = folder_new, .fini = folder_remove);

static struct tiny t;
static struct bird_model m;
static struct bird_bin_labels l;
static struct bird_bin_windows w;
static struct bird_bin_rows rows;
static const char *fasta, *peaks;

/* Single bases, three labels in one pair, windows of 5, 2.5 and 4 bins. */
static void open_all(void)
{
    char *seq = letters_new(4000), *text = fasta_new("A", seq, 60);
    bird_bin_files f = {.in.n_fasta = 1, .in.n_peaks = 1};
    struct bird_config c;
    bird_bin_options o;

    fasta = file_text("r.fa", text);
    peaks = file_text("one.bed", "A\t100\t900\nA\t2000\t2300\n");
    f.in.fasta = &fasta;
    f.in.peaks = &peaks;
    f.sites = file_text("s.bed", "A\t450\t451\t.\t0\t+\n"
                                 "A\t720\t721\t.\t0\t-\n");
    bird_bin_options_default(&o);
    WORKS(bird_bin_labels_open(&l, &f, &o));
    WORKS(bird_bin_windows_open(
        &w, &l, file_text("w.bed", "A\t0\t1000\nA\t400\t900\nA\t1600\t2400\n"),
        &o));
    WORKS(bird_bin_rows_new(&rows, &w));
    cr_assert_eq(rows.d.n, 12);
    WORKS(bird_kmer_write(path_of("k.json"), 1, 1, 0));
    tiny_config(&c, &bird_head_bins_maxmean);
    c.bin_bp = 200;
    c.max_positions = 1024;
    c.n_label = 3;
    c.vocab_size = 64;
    tiny_init(&t, &c, 7);
    m.folder.config = c;
    m.w = t.w;
    WORKS(bird_tokenizer_open(&m.tokenizer, path_of("k.json")));
    free(seq);
    free(text);
}

static void close_all(void)
{
    bird_tokenizer_free(m.tokenizer);
    bird_bin_rows_free(&rows);
    bird_bin_windows_free(&w);
    bird_bin_labels_free(&l);
    tiny_free(&t);
}

/* Probabilities (n_bin, 3) of one window alone, as its strand reads them. */
static int64_t alone(float *p, int64_t i, char strand)
{
    static float x[1100 * 64];
    struct bird_bin_sample d = {0};
    struct bird_encoder *e;
    struct bird_batch b;
    struct bird_pack pack = {.c = &t.c};
    int64_t n;

    WORKS(bird_encoder_new(&e, &t.c, &t.w));
    WORKS(bird_bin_windows_get(&d, &w, i, strand, 0));
    WORKS(bird_pack_add_bins(&pack, m.tokenizer,
                             &(struct bird_binned){d.seq, d.len, d.before}));
    b = bird_pack_batch(&pack);
    n = b.bin[1];
    cr_assert_leq(t.c.hidden_size, 64);
    WORKS(bird_encoder_forward(e, x, NULL, &b));
    WORKS(bird_head_forward(p, NULL, &t.c, &t.w, x, &b));
    for (int64_t k = 0; k < n * 3; k++)
        p[k] = 1 / (1 + expf(-p[k]));
    bird_encoder_free(e);
    bird_pack_free(&pack);
    bird_bin_sample_free(&d);
    return n;
}

Test(predict_bins, both_strands_by_hand)
{
    static const int pair[] = {0, 2, 1};
    double p[2][12 * 3];
    float plus[15], minus[15];

    open_all();
    for (int both = 0; both < 2; both++)
        for (int pack = 0; pack < 2; pack++) {
            struct bird_scoring s = {.m = &m,
                                     .strand = both ? BIRD_STRAND_BOTH
                                                    : BIRD_STRAND_PLUS,
                                     .pack_tokens = pack ? 100000 : 1};

            WORKS(bird_score_windows(p[pack], &s, &w, &rows));
            for (int64_t i = 0; i < w.n; i++) {
                int64_t n = alone(plus, i, '+');

                cr_assert_eq(alone(minus, i, '-'), n);
                cr_assert_eq(n, i == 0 ? 5 : i == 1 ? 3 : 4);
                for (int64_t k = 0; k < n * 3; k++) {
                    int64_t bin = k / 3, at = rows.first[i] + bin;
                    float other = minus[(n - 1 - bin) * 3 + pair[k % 3]];
                    double want = both ? ((double)plus[k] + (double)other) / 2
                                       : (double)plus[k];

                    cr_assert_eq(rows.row[at], at);
                    cr_assert_float_eq(p[pack][at * 3 + k % 3], want, 1e-5,
                                       "%d %d %d", both, (int)i, (int)k);
                }
            }
        }
    close_all();
}

Test(predict_bins, what_is_wrong_is_named)
{
    double p[12 * 3];
    struct bird_scoring s = {.m = &m, .pack_tokens = 100000};

    open_all();
    for (int64_t i = 0; i < t.total; i++)
        t.theta[i] = NAN;
    FAILS(BIRD_EFORMAT, bird_score_windows(p, &s, &w, &rows), "NaN");
    m.folder.config.max_positions = 900;
    FAILS(BIRD_EINVAL, bird_score_windows(p, &s, &w, &rows),
          "the model reads 900");
    close_all();
}
