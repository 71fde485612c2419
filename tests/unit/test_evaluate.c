/* evaluate: figures equal those of the predictions it writes. */
#include <math.h>

#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "dnabird/train.h"
#include "seq_help.h"

enum { ROWS = 60, LENGTH = 48 };

/* Random rows; those of label 1 are rich in A. `tail` is what stands after
 * the sequence, by the row's label. */
static void put_rows(const char *name, uint64_t seed, const char *header,
                     const char *const *tail, int n_label)
{
    struct bird_text t = {0};
    struct bird_rng r;

    bird_rng_init(&r, seed, 0, 0);
    WORKS(bird_text_printf(&t, "%s\n", header));
    for (int i = 0; i < ROWS; i++) {
        char seq[LENGTH + 1] = "";
        int label = i % n_label;

        for (int k = 0; k < LENGTH; k++)
            seq[k] = "ACGTAAAA"[bird_rng_below(&r, label ? 8 : 4)];
        WORKS(bird_text_printf(&t, "%s,%s\n", seq, tail[label]));
    }
    file_text(name, t.s);
    bird_text_free(&t);
}

static void learn(const char *out, const char *train, const char *label,
                  const char *head)
{
    bird_finetune_options o;

    bird_finetune_options_default(&o);
    o.train = path_of(train);
    o.valid = path_of(train);
    o.data.label = label;
    o.run.preset = "tiny";
    o.run.tokenizer = tests_path(DATA_WORDS);
    o.run.out = path_of(out);
    o.head = head;
    o.run.steps = 3;
    o.batch = 8;
    WORKS(bird_finetune(&o));
}

static void setup(void)
{
    static const char *const binary[] = {"0", "1"};

    folder_new();
    put_rows("train.csv", 1, "sequence,label", binary, 2);
    put_rows("test.csv", 2, "sequence,label", binary, 2);
}

TestSuite(evaluate, .init = setup, .fini = folder_remove);

static bird_evaluate_options options(const char *model)
{
    bird_evaluate_options o;

    bird_evaluate_options_default(&o);
    o.model = path_of(model);
    o.test = path_of("test.csv");
    o.metrics.n_boot = 40;
    return o;
}

static bird_evaluation done(const bird_evaluate_options *o)
{
    bird_evaluation e;

    WORKS(bird_evaluate(&e, o));
    return e;
}

static void refused(const bird_evaluate_options *o, int code, const char *part)
{
    bird_evaluation e = {.n_row = 77};

    FAILS(code, bird_evaluate(&e, o), part);
    cr_assert_eq(e.n_row, 77);
}

static const bird_metrics *find(const bird_evaluation *e, const char *part,
                                const char *predictor, const char *label)
{
    for (int64_t i = 0; i < e->n_figures; i++) {
        const bird_figures *f = &e->figures[i];

        if (!strcmp(f->part, part) && !strcmp(f->predictor, predictor) &&
            (label ? f->label && !strcmp(f->label, label) : !f->label))
            return &f->m;
    }
    cr_assert_fail("no figures of %s/%s", part, predictor);
    return NULL;
}

/* Equal bits: both come from one function. */
static void same(const bird_metrics *a, const bird_metrics *b)
{
    cr_assert_eq(a->n, b->n);
    cr_assert_eq(a->n_positive, b->n_positive);
    cr_assert_arr_eq(a->value, b->value, sizeof(a->value));
    cr_assert_arr_eq(a->lo, b->lo, sizeof(a->lo));
    cr_assert_arr_eq(a->hi, b->hi, sizeof(a->hi));
}

/* Column `at` (from 0) of lines after the header, of "name label p ..."; nine
 * digits are enough for the very float. */
static void predictions(double *p, int32_t *y, const char *name, int at)
{
    struct bird_text t = {0};
    char *line, *save;
    int i = 0;

    WORKS(bird_file_read(&t, path_of(name)));
    strtok_r(t.s, "\n", &save);
    for (; (line = strtok_r(NULL, "\n", &save)); i++) {
        char *field = line;

        cr_assert_eq(atoi(line), i + 1);
        y[i] = atoi(strchr(line, '\t') + 1);
        for (int k = 0; k < at; k++)
            field = strchr(field, '\t') + 1;
        p[i] = (double)strtof(field, NULL);
    }
    cr_assert_eq(i, ROWS);
    bird_text_free(&t);
}

Test(evaluate, figures_are_those_of_the_predictions)
{
    bird_evaluate_options o;
    bird_evaluation e;
    bird_metrics m;
    bird_dataset d;
    bird_baseline *b;
    double p[ROWS], floor[ROWS], gc[ROWS];
    int32_t y[ROWS];
    json_t *j;

    learn("m", "train.csv", NULL, "sequence");
    o = options("m/");
    o.predictions = path_of("p.tsv");
    o.json = path_of("f.json");
    o.output = path_of("f.tsv");
    o.metrics.threshold = 0.45;
    e = done(&o);
    cr_assert_eq(e.n_row, ROWS);
    cr_assert_str_eq(e.model, "m");
    cr_assert_eq(strlen(e.digest), 64);
    cr_assert_eq(e.n_notice, 0);
    predictions(p, y, "p.tsv", 2);
    WORKS(bird_metrics_measure(&m, p, y, ROWS, 2, &o.metrics));
    same(find(&e, "all", "model", NULL), &m);
    cr_assert_eq(m.n_positive, ROWS / 2);

    WORKS(bird_dataset_open(&d, path_of("test.csv"), NULL));
    WORKS(bird_baseline_open(&b, path_of("m/baseline.safetensors")));
    for (int k = 0; k < BIRD_N_BASELINE; k++) {
        enum bird_baseline_kind kind = (enum bird_baseline_kind)k;

        WORKS(bird_baseline_score_rows(b, kind, floor, &d));
        WORKS(bird_metrics_measure(&m, floor, y, ROWS, 2, &o.metrics));
        same(find(&e, "all", bird_baseline_name(kind), NULL), &m);
    }
    for (int i = 0; i < ROWS; i++)
        gc[i] = bird_gc_share(bird_dataset_seq(&d, i), LENGTH);
    WORKS(bird_metrics_measure(&m, gc, y, ROWS, 2, &o.metrics));
    same(find(&e, "all", "GC", NULL), &m);

    /* k-mers tell these rows apart best */
    WORKS(bird_baseline_score_rows(b, BIRD_BASELINE_KMER, floor, &d));
    WORKS(bird_metrics_compare(&m, p, floor, y, ROWS, 2, &o.metrics));
    same(find(&e, "all", "model-k-mers", NULL), &m);
    bird_baseline_free(b);
    bird_dataset_free(&d);

    WORKS(bird_json_open(&j, path_of("f.json")));
    cr_assert_str_eq(json_string_value(json_object_get(
                         json_object_get(j, "model"), "digest")),
                     e.digest);
    json_decref(j);
    cr_assert(bird_file_exists(path_of("f.tsv")));
    bird_evaluation_free(&e);
    cr_assert_null(e.figures);
}

Test(evaluate, clean_rows_share_nothing_with_train)
{
    struct bird_text t = {0}, test = {0};
    bird_evaluate_options o;
    bird_evaluation e;
    bird_metrics m;
    double p[ROWS];
    int32_t y[ROWS];
    char *second, *third;

    learn("m", "train.csv", NULL, "sequence");
    /* training rows: the second test row, and 40 letters of the third */
    WORKS(bird_file_read(&test, path_of("test.csv")));
    second = strchr(strchr(test.s, '\n') + 1, '\n') + 1;
    third = strchr(second, '\n') + 1;
    WORKS(bird_text_printf(&t, "sequence\n%.*s\n%.40sACGTACGT\n", LENGTH,
                           second, third + 8));
    file_text("seen.csv", t.s);
    o = options("m");
    o.train = path_of("seen.csv");
    o.predictions = path_of("p.tsv");
    e = done(&o);
    cr_assert_eq(e.n_exact, 1);
    cr_assert_eq(e.n_overlap, 1);
    cr_assert_eq(e.shared_k, 30);
    cr_assert_eq(e.n_notice, 1);
    cr_assert(strstr(e.notice[0], "2 of 60 rows are not clean: 1 are whole"));
    predictions(p, y, "p.tsv", 2);
    memmove(p + 1, p + 3, (ROWS - 3) * sizeof(*p));
    memmove(y + 1, y + 3, (ROWS - 3) * sizeof(*y));
    o.metrics.threshold = 0.5; /* where a model without a map decides */
    WORKS(bird_metrics_measure(&m, p, y, ROWS - 2, 2, &o.metrics));
    same(find(&e, "clean", "model", NULL), &m);
    cr_assert_eq(find(&e, "clean", "GC", NULL)->n, ROWS - 2);
    bird_evaluation_free(&e);

    /* nothing clean is left: no figures, a notice */
    o.train = o.test;
    e = done(&o);
    cr_assert_eq(e.n_exact, ROWS);
    cr_assert(strstr(e.notice[0], "no clean rows"));
    cr_assert_str_eq(e.figures[e.n_figures - 1].part, "all");
    bird_evaluation_free(&e);
    bird_text_free(&t);
    bird_text_free(&test);
}

static void turn_around(const char *from, const char *to)
{
    struct bird_text t = {0};
    bird_dataset d;
    char seq[LENGTH + 1] = "";

    WORKS(bird_dataset_open(&d, path_of(from), NULL));
    WORKS(bird_text_printf(&t, "sequence,label\n"));
    for (int64_t i = 0; i < d.n; i++) {
        bird_reverse_complement(seq, bird_dataset_seq(&d, i), LENGTH);
        WORKS(bird_text_printf(&t, "%s,%d\n", seq, d.row[i].label));
    }
    file_text(to, t.s);
    bird_text_free(&t);
    bird_dataset_free(&d);
}

Test(evaluate, both_strands_are_averaged)
{
    bird_evaluate_options o;
    bird_evaluation e;
    double plus[ROWS], minus[ROWS], both[ROWS], again[ROWS];
    int32_t y[ROWS];
    json_t *j;

    learn("m", "train.csv", NULL, "sequence");
    turn_around("test.csv", "turned.csv");
    o = options("m");
    o.metrics.n_boot = 0;
    o.predictions = path_of("p.tsv");
    e = done(&o);
    cr_assert_eq(e.both_strands, 0);
    predictions(plus, y, "p.tsv", 2);
    bird_evaluation_free(&e);
    o.test = path_of("turned.csv");
    e = done(&o);
    predictions(minus, y, "p.tsv", 2);
    bird_evaluation_free(&e);
    o.test = path_of("test.csv");
    o.strand = BIRD_STRAND_BOTH;
    e = done(&o);
    cr_assert_eq(e.both_strands, 1);
    predictions(both, y, "p.tsv", 2);
    bird_evaluation_free(&e);
    for (int i = 0; i < ROWS; i++) {
        cr_assert_float_eq(both[i], (plus[i] + minus[i]) / 2, 1e-7);
        cr_assert_neq(plus[i], minus[i]);
    }

    /* as the model says, unless the caller does */
    WORKS(bird_json_open(&j, path_of("m/dnabird.json")));
    cr_assert_eq(json_object_set_new(j, "strand", json_string("both")), 0);
    WORKS(bird_json_write(j, path_of("m/dnabird.json")));
    json_decref(j);
    o.strand = BIRD_STRAND_MODEL;
    e = done(&o);
    predictions(again, y, "p.tsv", 2);
    cr_assert_arr_eq(again, both, sizeof(both));
    bird_evaluation_free(&e);
    o.strand = BIRD_STRAND_PLUS;
    e = done(&o);
    predictions(again, y, "p.tsv", 2);
    cr_assert_arr_eq(again, plus, sizeof(plus));
    bird_evaluation_free(&e);
}

Test(evaluate, several_labels_have_figures_each)
{
    static const char *const train[] = {"0,1,0", "1,0,1"};
    static const char *const test[] = {"0,1,0", "1,NA,0"};
    bird_evaluate_options o;
    bird_evaluation e;
    const bird_metrics *a, *b, *median;

    put_rows("several.csv", 3, "sequence,a,b,c", train, 2);
    put_rows("asked.csv", 4, "sequence,a,b,c", test, 2);
    learn("m", "several.csv", "*", "cls");
    o = options("m");
    o.test = path_of("asked.csv");
    o.metrics.n_boot = -1;
    o.predictions = path_of("p.tsv");
    o.output = path_of("f.tsv");
    o.json = path_of("f.json");
    e = done(&o);
    cr_assert_eq(e.n_label, 3);
    a = find(&e, "all", "model", "a");
    cr_assert_eq(a->n, ROWS);
    cr_assert_eq(a->n_positive, ROWS / 2);
    cr_assert(isnan(a->lo[BIRD_AUROC]));
    median = find(&e, "all", "model", "median");
    cr_assert_float_eq(median->value[BIRD_AUROC], a->value[BIRD_AUROC], 0);
    cr_assert_gt(find(&e, "all", "k-mers", "a")->value[BIRD_AUROC], 0.9);
    /* b has positives alone, c none */
    for (int64_t i = 0; i < e.n_figures; i++)
        cr_assert(!strcmp(e.figures[i].label, "a") ||
                  !strcmp(e.figures[i].label, "median"));
    cr_assert_eq(e.n_notice, 1);
    cr_assert(strstr(e.notice[0], "2 of 3 labels have no positives or no "
                                  "negatives and were not evaluated: b, c"));
    bird_evaluation_free(&e);

    /* labels whose two figures differ: the median lies between */
    put_rows("asked.csv", 5, "sequence,a,b,c",
             (const char *const[]){"0,1,0", "1,0,0"}, 2);
    e = done(&o);
    a = find(&e, "all", "model", "a");
    b = find(&e, "all", "model", "b");
    median = find(&e, "all", "model", "median");
    cr_assert_float_eq(median->value[BIRD_AUROC],
                       (a->value[BIRD_AUROC] + b->value[BIRD_AUROC]) / 2,
                       1e-12);
    bird_evaluation_free(&e);

    /* one column is too few, and a class a row is another kind */
    o.data.label = "a";
    refused(&o, BIRD_EINVAL, "the model answers 3 labels");
    o.data.label = "a,b";
    refused(&o, BIRD_EINVAL, "2 label columns, but the model has 3 labels");
    o.data.label = "none";
    refused(&o, BIRD_EFORMAT, "no column 'none'");
}

Test(evaluate, classes_may_be_words)
{
    static const char *const words[] = {"none", "core", "far"};
    bird_evaluate_options o;
    bird_evaluation e;
    struct bird_text t = {0};

    put_rows("words.csv", 3, "sequence,label", words, 3);
    learn("m", "words.csv", NULL, "sequence");
    o = options("m");
    o.test = path_of("words.csv");
    o.predictions = path_of("p.tsv");
    e = done(&o);
    cr_assert_eq(find(&e, "all", "model", NULL)->n_class, 3);
    cr_assert_gt(find(&e, "all", "k-mers", NULL)->value[BIRD_AUROC], 0.7);
    for (int64_t i = 0; i < e.n_figures; i++)
        cr_assert_str_neq(e.figures[i].predictor, "GC");
    WORKS(bird_file_read(&t, path_of("p.tsv")));
    cr_assert_eq(strncmp(t.s, "name\tlabel\tcore\tfar\tnone\n1\tnone\t", 32), 0,
                 "%.40s", t.s);
    bird_evaluation_free(&e);
    bird_text_free(&t);
    file_text("other.csv", "sequence,label\nACGTACGT,core\nACGGACGT,near\n");
    o.test = path_of("other.csv");
    refused(&o, BIRD_EFORMAT, "'near' is not one of the classes");
}

static int stop_at_once(void *context, const bird_progress *p)
{
    cr_expect_str_eq(p->unit, "sequences");
    *(int64_t *)context = p->total;
    return p->done >= 1;
}

Test(evaluate, failures_leave_nothing)
{
    bird_evaluate_options o;
    bird_model_init_options init;
    int64_t total = 0;

    learn("m", "train.csv", NULL, "sequence");
    o = options("m");
    o.predictions = path_of("p.tsv");
    o.strand = BIRD_STRAND_BOTH;
    o.progress = stop_at_once;
    o.progress_context = &total;
    refused(&o, BIRD_ECANCELED, "stopped after 1 of 60");
    cr_assert_eq(total, ROWS);
    cr_assert(!bird_file_exists(path_of("p.tsv")));
    o.progress = NULL;

    file_text("plain.csv", "sequence\nACGT\n");
    o.test = path_of("plain.csv");
    o.data.label = "";
    refused(&o, BIRD_EINVAL, "no labels to measure against");
    cr_assert(!bird_file_exists(path_of("p.tsv")));
    o.data.label = NULL;
    o.test = path_of("none.csv");
    refused(&o, BIRD_EIO, "none.csv");
    o.test = NULL;
    refused(&o, BIRD_EINVAL, "--test");

    o = options("m");
    o.predictions = o.json = path_of("one");
    refused(&o, BIRD_EINVAL, "two outputs go there");
    o.json = path_of("no/f.json");
    refused(&o, BIRD_EIO, "no/f.json");
    cr_assert(!bird_file_exists(path_of("one")));
    o = options("m");
    o.shared_k = 64;
    refused(&o, BIRD_EINVAL, "shared k");
    o = options("m");
    o.metrics.threshold = (double)NAN;
    refused(&o, BIRD_EINVAL, "threshold");
    o.metrics.threshold = -0.5;
    refused(&o, BIRD_EINVAL, "got -0.5");
    o = options("m");
    o.baseline_train = path_of("none.csv");
    refused(&o, BIRD_EIO, "none.csv");
    o = options("nothing");
    refused(&o, BIRD_EIO, "nothing");

    bird_model_init_options_default(&init);
    init.tokenizer = tests_path(DATA_WORDS);
    WORKS(bird_model_init(path_of("mlm"), &init));
    o = options("mlm");
    refused(&o, BIRD_EINVAL, "does not classify sequences");
}

Test(evaluate, baselines_may_be_fitted_or_missing)
{
    bird_evaluate_options o;
    bird_evaluation e;
    double value;

    learn("m", "train.csv", NULL, "sequence");
    o = options("m");
    e = done(&o);
    value = find(&e, "all", "k-mers", NULL)->value[BIRD_AUROC];
    bird_evaluation_free(&e);
    cr_assert_eq(unlink(path_of("m/baseline.safetensors")), 0);
    e = done(&o);
    cr_assert_eq(e.n_notice, 1);
    cr_assert(strstr(e.notice[0], "has no baselines"));
    find(&e, "all", "model-GC", NULL);
    bird_evaluation_free(&e);
    o.baseline_train = path_of("train.csv");
    e = done(&o);
    cr_assert_eq(e.n_notice, 0);
    cr_assert_float_eq(find(&e, "all", "k-mers", NULL)->value[BIRD_AUROC],
                       value, 0);
    bird_evaluation_free(&e);

    /* rows of another length have no floor of positions */
    file_text("short.csv", "sequence,label\nACGTACGTAC,0\nACGTACGTAA,1\n");
    o.test = path_of("short.csv");
    e = done(&o);
    cr_assert_eq(e.n_notice, 1);
    cr_assert(strstr(e.notice[0], "position baseline is for 48 bp"));
    bird_evaluation_free(&e);
}

Test(evaluate, threads_do_not_matter)
{
    bird_evaluate_options o;
    bird_evaluation a, b;
    int was = bird_threads();

    learn("m", "train.csv", NULL, "sequence");
    o = options("m");
    o.train = path_of("train.csv");
    bird_threads_set(1);
    a = done(&o);
    bird_threads_set(3);
    b = done(&o);
    bird_threads_set(was);
    cr_assert_eq(a.n_figures, b.n_figures);
    for (int64_t i = 0; i < a.n_figures; i++)
        same(&a.figures[i].m, &b.figures[i].m);
    bird_evaluation_free(&a);
    bird_evaluation_free(&b);
}

Test(evaluate, finetune_refuses_what_is_no_number)
{
    bird_finetune_options o, bad;

    bird_finetune_options_default(&o);
    o.train = o.valid = "x.csv";
    o.run.preset = "tiny";
    o.run.tokenizer = "x.json";
    o.run.out = path_of("run");
    bad = o;
    bad.run.optimizer = (enum bird_optimizer)9;
    FAILS(BIRD_EINVAL, bird_finetune(&bad), "optimizer 9");
    bad = o;
    bad.run.clip = (double)NAN;
    FAILS(BIRD_EINVAL, bird_finetune(&bad), "clip");
    bad = o;
    bad.run.dropout = (double)NAN;
    FAILS(BIRD_EINVAL, bird_finetune(&bad), "--dropout");
    bad = o;
    bad.shift_bp = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_finetune(&bad), "--shift");
    bad = o;
    bad.head = NULL;
    FAILS(BIRD_EINVAL, bird_finetune(&bad), "head");
    bad = o;
    bad.window_bp = INT64_MAX;
    FAILS(BIRD_EINVAL, bird_finetune(&bad), "windows of at most");
}
