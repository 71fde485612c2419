/**
 * Inside `dnabird bench`: options, rows, the stopwatch, and the encoder that is
 * measured.
 *
 * Every measurement alternates with its own reference: cblas_sgemm over the
 * shapes of the encoder's linear layers, on as many threads, each thread
 * calling it by itself for its share of the rows; and with the processor's own
 * rate, multiply-adds on registers alone. The work is counted from
 * the configuration: two operations for each useful multiplication, that is
 * the linear layers, and in attention the products of a query with the keys
 * that its plan lists (each once; global rows see all). Other
 * computation (softmax, normalisation, activation, padding of a tile) is not
 * counted, so it lowers the rate. docs/benchmarks.md
 * SPDX-License-Identifier: MIT
 */
#ifndef DNABIRD_TOOLS_BENCH_H
#define DNABIRD_TOOLS_BENCH_H

#include <jansson.h>
#include <stdint.h>

#include "base/text.h"
#include "dnabird/model.h"
#include "folder/folder.h"
#include "model/encoder.h"

/** Fill with bench_options_default(). */
struct bench_options {
    const char *model; /* folder, or NULL: random weights of a preset's shape */
    int preset;        /* of bench_presets */
    int64_t tokens;    /* of a sequence; tokenizing: bp read at most */
    int64_t sequences; /* that are packed together */
    int64_t repeats;   /* at most */
    double seconds;    /* after which no repeat is begun */
    int64_t threads;   /* 0: all cores */
    const char *fasta; /* for tokenizers: sequence, N left out; NULL: random */
    const char *tokenizer; /* training: the vocabulary; NULL: the preset's */
    int recompute;         /* training: layers run again in the backward pass */
    int precision;         /* enum bird_precision */
    const char *map; /* of attention, as init takes it; NULL: the model's */
    int cpu_time;    /* seconds of the processor, not of the clock */
    int json;
    const char *output; /* NULL: standard output */
};

extern const char *const bench_presets[]; /* "base", "small", "tiny" */

void bench_options_default(struct bench_options *o);

/* clang-format off */
/** Rows of the option tables. */
#define BENCH_MODEL_OPTIONS(o)                                                 \
    {'m', "model", OPT_TEXT, &(o)->model, "DIR",                               \
     "model folder, instead of a preset"},                                     \
    {0, "preset", OPT_CHOICE, &(o)->preset, "base|small|tiny",                 \
     "shape of a model with random weights"}
#define BENCH_RUN_OPTIONS(o)                                                   \
    {0, "runs", OPT_COUNT, &(o)->repeats, "INT", "largest number of runs"},      \
    {0, "cpu-time", OPT_FLAG, &(o)->cpu_time, NULL,                            \
     "processor time instead of wall-clock time, for a machine that does "     \
     "other things as well; with -t 1"},                                       \
    {0, "json", OPT_FLAG, &(o)->json, NULL, "print JSON"},                     \
    CLI_STDOUT(&(o)->output)
#define BENCH_SETTINGS(o)                                                      \
    OPT_FILE_ONLY,                                                             \
    {0, "seconds", OPT_REAL, &(o)->seconds, "REAL",                            \
     "start no other run after this time"}
#define BENCH_THREADS(value)                                                   \
    {'t', "threads", OPT_SIZE, value, "INT",                                    \
     "threads (default: the cores this process may use)"}
/* clang-format on */

/** Check what all kinds share. Errors: BIRD_EINVAL */
BIRD_MUST_CHECK int bench_check(const struct bench_options *o);

/* ---- rows ----------------------------------------------------------------
 * A row is a JSON object, keys in the order of the output; what was not
 * measured is null. One table of columns prints it as text.
 */

struct bench_column {
    const char *title, *key;
    int width;  /* negative: to the left */
    int digits; /* of a fraction */
    char unit;  /* '%': a share as a percentage; 'm': thousandths; or 0 */
};

/** What bench_put_rate() adds but for the operations, as columns. */
/* clang-format off */
#define BENCH_RATE_COLUMNS                                                     \
    {"GFLOP/s", "gflop_per_s", 8, 1, 0},                                       \
    {"sgemm", "sgemm_gflop_per_s", 8, 1, 0},                                   \
    {"share", "share_of_sgemm", 6, 1, '%'},                                    \
    {"peak", "peak_gflop_per_s", 7, 1, 0},                                     \
    {"of peak", "share_of_peak", 7, 1, '%'}
/* clang-format on */

/** The figure of that name; NaN when it is null or missing. */
double bench_number(const json_t *row, const char *key);

/** Add a figure; null when it is not finite. */
void bench_put(json_t *row, const char *key, double x);

/** One line of the n columns, with `heading` their titles above; below it what
 *  the row has behind the last column's key, by its name. */
void bench_print(const struct bench_column *c, int n, json_t *row, int heading);

/** Print a row or an array of rows, which is freed. Errors: BIRD_ENOMEM, also
 *  when j is NULL */
BIRD_MUST_CHECK int bench_print_json(json_t *j);

/* ---- the stopwatch ------------------------------------------------------- */

/** What is measured, and parts of it run by themselves or NULL. */
enum { BENCH_LINEAR, BENCH_ATTENTION, BENCH_PLAIN, BENCH_PARTS };
struct bench_body {
    void *context;
    int (*run)(void *context);
    int (*part[BENCH_PARTS])(void *context); /* PLAIN: all, in float32 or
                                                with softmax */
};

struct bench_times {
    int64_t repeats;
    double best_s, median_s;
    double part_s[BENCH_PARTS]; /* best; NaN: not measured */
    double sgemm;               /* the reference's 1e9 operations a second */
    double peak;                /* the processor's, in the precision of the
                                   options; NaN: not known */
    double peak_mib;            /* resident at most, weights included */
};

/**
 * Raise *best to the rate of multiply-adds on registers alone, 1e9 operations a
 * second of all threads: of AVX2 or AVX-512 in float32, AVX512-BF16 in bfloat16,
 * AVX512-VNNI in int8, as the kernels and the processor have them; else *best
 * stays. AMX, which oneDNN uses where it is there, is not measured.
 */
void bench_peak(double *best, int precision);

/** Add operations, 1e9, their rate, the reference's and the processor's, and the
 *  shares of both. */
void bench_put_rate(json_t *row, double gflop, const struct bench_times *t);

/** Seconds since some moment, by the clock (wall or processor time) that the
 *  options of bench_measure() choose. */
double bench_now(void);

/** Start the phases of base/timer.h, by that clock. */
void bench_phases(void);

/** Resident memory at most since bench_measure() began the run, or since the
 *  count was begun anew, MiB. */
double bench_peak_mib(void);

/** From here on the peak counts anew, where the system can do that. */
void bench_peak_reset(void);

/**
 * Run the body in alternation with the reference; c NULL: no reference. The first
 * run warms up and does not count, unless it took all of the time.
 */
BIRD_MUST_CHECK int bench_measure(struct bench_times *out,
                                  const struct bench_body *body,
                                  const struct bird_config *c,
                                  const struct bench_options *o);

/* ---- the encoder --------------------------------------------------------- */

/** sequences x tokens random ids; start with {0}. */
struct bench_batch {
    struct bird_batch b;
    int64_t *offset;
    int32_t *ids;
};
BIRD_MUST_CHECK int bench_batch_new(struct bench_batch *out,
                                    const struct bird_config *c,
                                    const struct bench_options *o);
void bench_batch_free(struct bench_batch *b);

/** Useful operations of a forward pass, in 1e9. */
BIRD_MUST_CHECK int bench_count(double *linear, double *attention,
                                const struct bird_config *c, int64_t tokens,
                                int64_t sequences);

/** Operations of a stem's pass over so many tokens, in 1e9; train: forward and
 *  backward. An addition of a first layer that reads a table counts as one. */
double bench_count_stem(const struct bird_config *c, int64_t tokens, int train);

/** The preset's configuration with enough positions. */
BIRD_MUST_CHECK int bench_preset(struct bird_config *c,
                                 const struct bench_options *o);

/** Weights of a folder, or of a preset when path is NULL; start with {0}. Free
 *  in any case. */
struct bench_weights {
    struct bird_folder folder;
    struct bird_config c;
    const float *block; /* in the file, or own */
    float *own;
    struct bird_param *list;
    int64_t n_param;
    struct bird_weights w;
};
BIRD_MUST_CHECK int bench_weights_open(struct bench_weights *m,
                                       const char *path,
                                       const struct bench_options *o);
/** Random weights of m->c. */
BIRD_MUST_CHECK int bench_weights_random(struct bench_weights *m);
void bench_weights_free(struct bench_weights *m);

/** Regions of the first max_bp bases of a file; *out is the caller's. */
BIRD_MUST_CHECK int bench_first_bases(struct bird_text *out, const char *fasta,
                                      int64_t max_bp);

/** Bases a token of a tokenizer.json, and its vocabulary: on bases from the
 *  start of a file, N left out; fasta NULL: drawn at random. */
BIRD_MUST_CHECK int bench_tokens(double *bases_per_token, int64_t *vocabulary,
                                 const char *tokenizer, const char *fasta);

/** Begin a row of the encoder: what it is of, and its times. */
json_t *bench_row(const char *name, const struct bird_config *c,
                  const struct bench_options *o, const struct bench_times *t,
                  double gflop);

/** The error of x (n): root mean square as a share of `right`, and largest. */
void bench_error(double error[2], const float *x, const float *right,
                 int64_t n);

/** What a row in lower precision adds: of the weights w, and the error
 *  against float32. */
void bench_put_low(json_t *row, const struct bird_weights *w,
                   const struct bench_options *o, const struct bench_times *t,
                   const double error[2]);

/* ---- what there is to measure; *row is the caller's ----------------------
 * Errors: BIRD_EINVAL options; BIRD_ERANGE more tokens than a folder's model
 * reads; those of opening a model; BIRD_ENOMEM
 */

BIRD_MUST_CHECK int bench_forward(json_t **row, const struct bench_options *o);
BIRD_MUST_CHECK int bench_linear(json_t **row, const struct bench_options *o);
BIRD_MUST_CHECK int bench_attention(json_t **row,
                                    const struct bench_options *o);

/** The tokenizer of a model folder (NULL: of the shipped one), one thread. */
BIRD_MUST_CHECK int bench_tokenize(json_t **row, const struct bench_options *o);

/** A training step of a preset. */
BIRD_MUST_CHECK int bench_train(json_t **row, const struct bench_options *o);

/** The stem that is measured where no model is given: that of
 *  docs/trials/stem.md. */
#define BENCH_STEM "15x128/5:relu,7x128/4:relu,5x128:relu"

/* `bench scan`, `bench variant` ...: argv[0] is the kind. */
int cmd_bench_bins(int argc, char **argv);
int cmd_bench_stem(int argc, char **argv);
int cmd_bench_scan(int argc, char **argv);
int cmd_bench_variant(int argc, char **argv);
int cmd_bench_scaling(int argc, char **argv);

#endif
