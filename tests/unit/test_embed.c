/* session/embed: the reference's values from token ids, files, failures. */
#include <math.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "folder/safetensors.h"
#include "seq_help.h"

TestSuite(embed, .init = folder_new, .fini = folder_remove);

static bird_embed_options options(const char *model, const char *output)
{
    bird_embed_options o;

    bird_embed_options_default(&o);
    o.model = model;
    o.output = output;
    return o;
}

static bird_embed_summary done(const bird_embed_options *o)
{
    bird_embed_summary s = {0};

    WORKS(bird_embed_write(&s, o));
    return s;
}

static void refused(const bird_embed_options *o, int code, const char *word)
{
    bird_embed_summary s = {.n_seq = 77};
    int before = files_in(folder); /* a failed run leaves none */

    FAILS(code, bird_embed_write(&s, o), word);
    cr_assert_eq(s.n_seq, 77);
    cr_assert_eq(files_in(folder), before);
}

/* A tiny model of 64 positions with the small tokenizer, as m in the folder. */
static const char *tiny_model(void)
{
    bird_model_init_options o;

    bird_model_init_options_default(&o);
    o.tokenizer = tests_path(DATA_WORDS);
    o.positions = 64;
    WORKS(bird_model_init(path_of("m"), &o));
    return path_of("m");
}

static float *reals(int64_t *n, const bird_tensors *t, const char *name)
{
    const struct bird_tensor *x = bird_tensors_find(t, name);
    float *out = NULL;

    cr_assert_not_null(x, "%s", name);
    *n = bird_tensor_count(x);
    WORKS(bird_array_new(&out, *n, sizeof(*out)));
    bird_tensor_to_f32(out, x);
    return out;
}

/* Rows of the case as a file of ids, used[r] tokens of row r without the
 * padding at its end; 0: left out, for holes in the mask or token types, which
 * ids alone cannot say. How many rows there are. */
static int write_ids(int *used, const bird_tensors *io)
{
    const struct bird_tensor *t = bird_tensors_find(io, "input_ids");
    int64_t n, rows = t->shape[0], len = t->shape[1];
    float *ids = reals(&n, io, "input_ids"), *mask = NULL, *type = NULL;
    FILE *f = fopen(path_of("ids"), "w");
    int count = 0;

    if (bird_tensors_find(io, "attention_mask"))
        mask = reals(&n, io, "attention_mask");
    if (bird_tensors_find(io, "token_type_ids"))
        type = reals(&n, io, "token_type_ids");
    for (int64_t r = 0; r < rows; r++) {
        int64_t k = len;

        while (mask && k && mask[r * len + k - 1] < 0.5f)
            k--;
        used[r] = (int)k;
        for (int64_t i = r * len; i < r * len + k; i++)
            if ((mask && mask[i] < 0.5f) || (type && type[i] > 0.5f))
                used[r] = 0;
        for (int64_t i = 0; i < used[r]; i++)
            fprintf(f, "%d%c", (int)ids[r * len + i],
                    i + 1 < used[r] ? ' ' : '\n');
        count += used[r] > 0;
    }
    fclose(f);
    free(ids);
    free(mask);
    free(type);
    return count;
}

/* A tensor of ours, rows packed, against the reference's, rows padded. */
static void compare(const bird_tensors *ours, const bird_tensors *io,
                    const char *name, const int *used, const json_t *info)
{
    const struct bird_tensor *t = bird_tensors_find(io, name);
    double atol = json_number_value(json_object_get(info, "atol"));
    double rtol = json_number_value(json_object_get(info, "rtol"));
    int64_t n, m, k = 0;
    float *x = reals(&n, ours, name), *y = reals(&m, io, name);
    int64_t padded = t->n_dim == 3 ? t->shape[1] : 1;
    int64_t columns = t->shape[t->n_dim - 1];

    for (int64_t r = 0; r < t->shape[0]; r++)
        for (int64_t i = 0;
             used[r] && i < (t->n_dim == 3 ? used[r] : 1) * columns; i++, k++) {
            double want = (double)y[r * padded * columns + i];

            cr_assert_lt(k, n);
            cr_assert_leq(fabs((double)x[k] - want), atol + rtol * fabs(want),
                          "%s, row %lld", name, (long long)r);
        }
    cr_assert_eq(k, n, "%s", name);
    free(x);
    free(y);
}

/* Opens the case; how many of its rows ids can say. */
static int run_case(const char *name, int *used, bird_tensors **io,
                    json_t **info, bird_embed_options *o)
{
    WORKS(bird_json_open(info, tests_path("golden/%s/case.json", name)));
    WORKS(bird_tensors_open(io, tests_path("golden/%s/io.safetensors", name)));
    *o = options(golden(name), path_of("out.safetensors"));
    o->ids = path_of("ids");
    o->layer = BIRD_EMBED_ALL;
    o->pooled = o->logits = 1;
    o->run.blocks =
        strcmp(json_string_value(json_object_get(*info, "random_blocks")),
               "zero")
            ? BIRD_BLOCKS_PLAN
            : BIRD_BLOCKS_ZERO;
    /* the rows of a case are as long as its longest: so are ours */
    o->run.pad_to = bird_tensors_find(*io, "input_ids")->shape[1];
    return write_ids(used, *io);
}

static void check_case(const char *name, int rows)
{
    static const char *const head[] = {"last_hidden_state", "pooler_output",
                                       "logits"};
    bird_tensors *io = NULL, *ours = NULL;
    bird_embed_options o;
    json_t *info = NULL;
    int used[64];

    cr_assert_geq(run_case(name, used, &io, &info, &o), rows, "%s", name);
    for (int threads = 1; threads <= 2; threads++) {
        bird_embed_summary s;

        bird_threads_set(threads);
        s = done(&o);
        WORKS(bird_tensors_open(&ours, o.output));
        for (int64_t l = 0; l <= s.n_layer; l++) {
            char state[40];

            snprintf(state, sizeof(state), "hidden_states.%lld", (long long)l);
            compare(ours, io, state, used, info);
        }
        for (size_t i = 0; i < sizeof(head) / sizeof(*head); i++)
            compare(ours, io, head[i], used, info);
        bird_tensors_free(ours);
    }
    bird_tensors_free(io);
    json_decref(info);
}

Test(embed, reference_values_full_attention)
{
    check_case("a_full_short_pad", 2);
}

Test(embed, reference_values_block_zero)
{
    check_case("b_sparse_eval", 1);
}

Test(embed, reference_values_seeded_plan)
{
    check_case("c_sparse_train_plan", 1);
}

Test(embed, reference_values_classifier)
{
    check_case("e_seqcls", 3);
}

/* What is padding for one sequence of a batch changes what it sees: the last
 * block is global, and the random blocks are those of the padded length. */
Test(embed, reference_values_of_padded_batches)
{
    check_case("d_sparse_pad_eval", 2);
    check_case("d_sparse_pad_train_plan", 2);
    check_case("v_config_variants", 2);
}

Test(embed, padding_is_not_nothing)
{
    bird_tensors *io = NULL, *ours = NULL;
    bird_embed_options o;
    json_t *info = NULL;
    int used[64];
    int64_t n, m;
    float *x, *y;
    double off = 0;

    cr_assert_eq(run_case("d_sparse_pad_eval", used, &io, &info, &o), 2);
    o.run.pad_to = 0;
    done(&o);
    WORKS(bird_tensors_open(&ours, o.output));
    x = reals(&n, ours, "pooler_output");
    y = reals(&m, io, "pooler_output");
    for (int64_t i = n / 2; i < n; i++) { /* the second row: n is two rows */
        /* no fmax(): gcc 12 for arm64 stops at it with an internal error */
        double d = fabs((double)x[i] - (double)y[i]);

        if (d > off)
            off = d;
    }
    cr_assert_gt(off, 1e-2);
    free(x);
    free(y);
    bird_tensors_free(ours);
    bird_tensors_free(io);
    json_decref(info);
}

Test(embed, random_blocks_matter)
{
    bird_tensors *io = NULL, *a = NULL, *b = NULL;
    bird_embed_options o;
    json_t *info = NULL;
    int used[64];
    int64_t n;
    float *x, *y;

    cr_assert_gt(run_case("c_sparse_train_plan", used, &io, &info, &o), 0);
    o.layer = BIRD_EMBED_LAST;
    done(&o);
    WORKS(bird_tensors_open(&a, o.output));
    o.run.blocks = BIRD_BLOCKS_NONE;
    o.output = path_of("none.safetensors");
    done(&o);
    WORKS(bird_tensors_open(&b, o.output));
    x = reals(&n, a, "last_hidden_state");
    y = reals(&n, b, "last_hidden_state");
    cr_assert_neq(memcmp(x, y, (size_t)n * sizeof(*x)), 0);
    cr_assert_str_eq(bird_tensors_metadata(b, "random_blocks"), "none");
    free(x);
    free(y);
    bird_tensors_free(a);
    bird_tensors_free(b);
    bird_tensors_free(io);
    json_decref(info);
}

static int same_tensor(const char *one, const char *other, const char *name)
{
    bird_tensors *a = NULL, *b = NULL;
    const struct bird_tensor *x, *y;
    int same;

    WORKS(bird_tensors_open(&a, one));
    WORKS(bird_tensors_open(&b, other));
    x = bird_tensors_find(a, name);
    y = bird_tensors_find(b, name);
    cr_assert(x && y);
    same = x->size == y->size && !memcmp(x->data, y->data, x->size);
    bird_tensors_free(a);
    bird_tensors_free(b);
    return same;
}

Test(embed, fasta_and_regions_meet)
{
    bird_embed_options o = options(tiny_model(), path_of("fasta.safetensors"));
    bird_embed_summary s;

    o.fasta = file_text("in.fa", ">a\nACGTACGTTTGCA\n>b\nTTTGC\n>c\nGCAAA\n");
    s = done(&o);
    cr_assert_eq(s.n_seq, 3);
    cr_assert_eq(s.n_tensor, 2); /* offset and the last hidden state */
    o.fasta = NULL;
    o.reference = path_of("in.fa");
    /* the third is TTTGC again, as the other strand of c */
    o.regions = file_text("r.bed", "a\t0\t13\nb\t0\t5\tx\t0\t+\n"
                                   "b\t0\t5\n");
    o.output = path_of("bed.safetensors");
    done(&o);
    cr_assert(!same_tensor(path_of("fasta.safetensors"),
                           path_of("bed.safetensors"), "last_hidden_state"));
    o.regions = file_text("r.bed", "a\t0\t13\nb\t0\t5\tx\t0\t+\n"
                                   "b\t0\t5\tx\t0\t-\n");
    done(&o);
    cr_assert(same_tensor(path_of("fasta.safetensors"),
                          path_of("bed.safetensors"), "last_hidden_state"));
    cr_assert(same_tensor(path_of("fasta.safetensors"),
                          path_of("bed.safetensors"), "offset"));
}

/* Packs must not show: many sequences, and each by itself. */
Test(embed, packs_do_not_show)
{
    bird_embed_options o = options(tiny_model(), path_of("all.safetensors"));
    bird_tensors *all = NULL, *one = NULL;
    const struct bird_tensor *x, *y, *offset;
    int64_t at;
    FILE *f = fopen(path_of("ids"), "w");

    for (int s = 0; s < 100; s++)
        for (int i = 0; i < 60; i++)
            fprintf(f, "%d%c", 5 + (s * 7 + i * 3) % 20, i < 59 ? ' ' : '\n');
    fclose(f);
    o.ids = path_of("ids");
    o.pooled = 1;
    cr_assert_eq(done(&o).n_tok, 6000);
    f = fopen(path_of("last"), "w");
    for (int i = 0; i < 60; i++)
        fprintf(f, "%d ", 5 + (99 * 7 + i * 3) % 20);
    fclose(f); /* no newline at the end */
    o.ids = path_of("last");
    o.output = path_of("one.safetensors");
    done(&o);
    WORKS(bird_tensors_open(&all, path_of("all.safetensors")));
    WORKS(bird_tensors_open(&one, path_of("one.safetensors")));
    offset = bird_tensors_find(all, "offset");
    memcpy(&at, (const char *)offset->data + 99 * 8, 8);
    cr_assert_eq(at, 5940);
    x = bird_tensors_find(all, "last_hidden_state");
    y = bird_tensors_find(one, "last_hidden_state");
    for (int i = 0; i < 60 * 64; i++) {
        float a, b;

        memcpy(&a, (const char *)x->data + 4 * (5940 * 64 + i), 4);
        memcpy(&b, (const char *)y->data + 4 * i, 4);
        cr_assert_float_eq(a, b, 1e-5f);
    }
    bird_tensors_free(all);
    bird_tensors_free(one);
}

Test(embed, npy_is_the_same_tensor)
{
    bird_embed_options o = options(tiny_model(), path_of("o.safetensors"));
    struct bird_text npy = {0};
    bird_tensors *t = NULL;
    const struct bird_tensor *x;
    size_t head;

    o.ids = file_text("ids", "2 7 8 9 3\n2 5 3\n");
    o.layer = 1;
    o.pooled = 1;
    cr_assert_eq(done(&o).n_tensor, 3);
    WORKS(bird_tensors_open(&t, o.output));
    x = bird_tensors_find(t, "hidden_states.1");
    o.output = path_of("o.npy");
    o.pooled = 0;
    cr_assert_eq(done(&o).n_tensor, 1);
    WORKS(bird_file_read(&npy, o.output));
    cr_assert_eq(memcmp(npy.s, "\x93NUMPY\x01\x00", 8), 0);
    head = 10 + (unsigned char)npy.s[8] + 256 * (size_t)(unsigned char)npy.s[9];
    cr_assert_eq(head % 64, 0);
    cr_assert_eq(npy.s[head - 1], '\n');
    cr_assert_not_null(strstr(npy.s + 10, "'descr': '<f4'"));
    cr_assert_not_null(strstr(npy.s + 10, "'shape': (8, 64)"));
    cr_assert_eq((size_t)npy.n, head + x->size);
    cr_assert_eq(memcmp(npy.s + head, x->data, x->size), 0);
    bird_text_free(&npy);
    bird_tensors_free(t);
    o.layer = BIRD_EMBED_DEFAULT;
    o.pooled = 1; /* one tensor: the last state is left out */
    cr_assert_eq(done(&o).n_tensor, 1);
}

Test(embed, wrong_options_are_refused)
{
    bird_embed_options o = options(tiny_model(), path_of("o.npy"));

    refused(&o, BIRD_EINVAL, "one input");
    o.ids = file_text("ids", "2 7 3\n");
    o.fasta = path_of("ids");
    refused(&o, BIRD_EINVAL, "one input");
    o.fasta = NULL;
    o.reference = path_of("ids");
    refused(&o, BIRD_EINVAL, "belong together");
    o.reference = NULL;
    o.output = path_of("o.txt");
    refused(&o, BIRD_EINVAL, ".safetensors, .npy or .tsv");
    o.output = ".npy";
    refused(&o, BIRD_EINVAL, ".safetensors, .npy or .tsv");
    o.output = path_of("o.npy");
    o.layer = BIRD_EMBED_ALL;
    refused(&o, BIRD_EINVAL, "one tensor");
    o.layer = 3;
    refused(&o, BIRD_EINVAL, "no layer 3");
    o.layer = BIRD_EMBED_NONE;
    refused(&o, BIRD_EINVAL, "no output");
    o.layer = BIRD_EMBED_LAST;
    o.pooled = 1;
    refused(&o, BIRD_EINVAL, "one tensor");
    o.pooled = 0;
    o.output = path_of("none/o.npy");
    refused(&o, BIRD_EIO, "none/o.npy");
    o.model = path_of("nowhere");
    refused(&o, BIRD_EIO, "nowhere");
}

static void one_id_line(bird_embed_options *o, const char *text, int code,
                        const char *word)
{
    o->ids = file_text("ids", text);
    refused(o, code, word);
}

Test(embed, wrong_input_is_refused_by_name)
{
    bird_embed_options o = options(tiny_model(), path_of("o.safetensors"));
    char text[400] = "2 7 3\n";

    one_id_line(&o, "", BIRD_EFORMAT, "no sequence");
    one_id_line(&o, "2 7 3\n\n2 3\n", BIRD_ERANGE, "line 2 has no tokens");
    one_id_line(&o, "2 x 3\n", BIRD_EFORMAT, "'x'");
    one_id_line(&o, "2 7.5\n", BIRD_EFORMAT, "'7.5'");
    one_id_line(&o, "2 -1\n", BIRD_ERANGE, "line 1: id -1");
    one_id_line(&o, "2\n3 4000000\n", BIRD_ERANGE, "line 2: id 4000000");
    one_id_line(&o, "99999999999999999999\n", BIRD_ERANGE, "vocabulary");
    for (int i = 0; i < 65; i++)
        strcat(text, "7 ");
    one_id_line(&o, text, BIRD_ERANGE, "line 2 has 65 tokens");
    o.ids = path_of("missing");
    refused(&o, BIRD_EIO, "missing");
    o = options(o.model, path_of("o.safetensors"));
    memset(text, 'N', 390);
    memcpy(text, ">long one\n", 10);
    text[390] = '\0';
    for (int i = 10; i < 390; i++)
        text[i] = "ACGT"[i * i % 7 % 4];
    o.fasta = file_text("in.fa", text);
    refused(&o, BIRD_ERANGE, "'long'");
    o.fasta = NULL;
    o.regions = file_text("r.bed", "long\t0\t380\n");
    o.reference = path_of("in.fa");
    bird_embed_summary s; /* the index is written beside it meanwhile */
    FAILS(BIRD_ERANGE, bird_embed_write(&s, &o), "long:1-380");
    o.regions = file_text("r.bed", "other\t0\t380\n");
    refused(&o, BIRD_ERANGE, "other");
    o.regions = o.reference = NULL;
    o.fasta = path_of("in.fa");
    o.model = tests_path("golden/b_sparse_eval");
    refused(&o, BIRD_EINVAL, "no tokenizer.json");
}

static int stop(void *context, const bird_progress *p)
{
    (void)context;
    return p->done == p->total;
}

Test(embed, stopping_leaves_nothing)
{
    bird_embed_options o = options(tiny_model(), path_of("o.safetensors"));

    o.ids = file_text("ids", "2 7 3\n");
    o.progress = stop;
    refused(&o, BIRD_ECANCELED, "stopped");
}

Test(embed, a_model_without_a_head_gives_no_logits)
{
    bird_embed_options o = options(tiny_model(), path_of("o.safetensors"));
    json_t *config = NULL, *kind = json_array();

    WORKS(bird_json_open(&config, path_of("m/config.json")));
    json_array_append_new(kind, json_string("BigBirdModel"));
    json_object_set_new(config, "architectures", kind);
    WORKS(bird_json_write(config, path_of("m/config.json")));
    json_decref(config);
    cr_assert_eq(remove(path_of("m/dnabird.json")), 0);
    o.ids = file_text("ids", "2 7 3\n");
    o.logits = 1;
    refused(&o, BIRD_EINVAL, "no head");
    o.logits = 0;
    done(&o);
}

Test(embed, a_full_disk_is_told)
{
    bird_embed_options o = options(tiny_model(), path_of("full.npy"));

    cr_assert_eq(symlink("/dev/full", o.output), 0);
    o.ids = file_text("ids", "2 7 3\n");
    refused(&o, BIRD_EIO, "No space left");
}
