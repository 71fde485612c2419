/* DeepSEA's bundle to labelled sequences, and these read back.
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>

#include "base/build_options.h"
#include "base/file.h"
#include "data/dataset.h"
#include "lab/mat_in.h"
#include "seq_help.h"

TestSuite(deepsea, .init = folder_new, .fini = folder_remove);

/* ---- labelled sequences, which need no library -------------------------- */

#define HEAD                                                                   \
    "##dnabird-labels\t2\n##bin\t2\n##context\t6\n"                            \
    "##profile\ta\tTF\t\t\t\t.\n##profile\tb\tHM\t\t\t\t5\n"                   \
    "##profile\tc\tTF\t\t\t\t.\n#sequence\tlabels\n"

static void opened(bird_dataset *d, const char *text, int64_t context)
{
    bird_dataset_options o = {.format = "bins", .context_bp = context};

    WORKS(bird_dataset_open(d, file_text("s.tsv", text), &o));
}

Test(deepsea, sequences_need_no_reference)
{
    bird_dataset d = {0};
    int64_t known[3], positive[3];

    opened(&d, HEAD "aACGTN\t0,2\nGGGCCC\t.\n", 0);
    cr_assert(d.n == 2 && d.n_label == 3 && d.kind == BIRD_LABEL_MULTI);
    cr_assert(!memcmp(bird_dataset_seq(&d, 0), "AACGTN", 6));
    cr_assert(!memcmp(bird_dataset_seq(&d, 1), "GGGCCC", 6));
    cr_assert_str_eq(d.label_name[1], "b");
    cr_assert_str_eq(d.features.at[1].class_name, "HM");
    cr_assert(d.row[1].contig == -1 && d.row[1].end - d.row[1].start == 2);
    for (int64_t i = 0; i < 2; i++)
        for (int64_t k = 0; k < 3; k++)
            cr_assert_eq(bird_dataset_label(&d, i, k), !i && k != 1);
    WORKS(bird_labels_count(known, positive, &d));
    cr_assert(known[0] == 2 && known[1] == 2 && positive[0] == 1 &&
              positive[1] == 0);
    WORKS(bird_labels_keep(&d, (const uint8_t[]){0, 1, 1}));
    cr_assert(d.n_label == 2 && bird_dataset_label(&d, 0, 1) == 1);
    bird_dataset_free(&d);
}

/* A shorter context is the middle; labels that a model has come first. */
Test(deepsea, sequences_for_a_model)
{
    const char *const name[] = {"c", "x", "a"};
    bird_dataset_options o = {
        .label_name = name, .n_label_name = 3, .context_bp = 4};
    bird_dataset d = {0}, part = {0};
    uint8_t mark[] = {0, 1};

    WORKS(bird_dataset_open(
        &d, file_text("s.tsv", HEAD "ACGTTG\t0\nGGGCCC\t2\n"), &o));
    cr_assert(d.row[0].len == 4 && d.row[0].start == 1 && d.row[0].end == 3);
    cr_assert(!memcmp(bird_dataset_seq(&d, 0), "CGTT", 4));
    cr_assert(bird_dataset_label(&d, 0, 0) == 0 &&
              isnan(bird_dataset_label(&d, 0, 1)) &&
              bird_dataset_label(&d, 0, 2) == 1);
    WORKS(bird_dataset_cut(&part, &d, mark, 1));
    cr_assert(part.n == 1 && !memcmp(bird_dataset_seq(&part, 0), "GGCC", 4));
    cr_assert(bird_dataset_label(&part, 0, 0) == 1 &&
              isnan(bird_dataset_label(&part, 0, 1)));
    bird_dataset_free(&part);
    bird_dataset_free(&d);
}

/* Held out by sequence, both strands on one side. */
Test(deepsea, sequences_are_held_out_by_what_they_are)
{
    char text[64 * 24 + sizeof(HEAD)] = HEAD;
    bird_dataset d = {0};
    uint8_t mark[128];
    int n = 0;

    for (int i = 0; i < 64; i++) {
        char seq[7] = "", turned[7] = "";

        for (int p = 0; p < 6; p++)
            seq[p] = "ACGT"[(i * 7 + (i >> p)) & 3];
        bird_reverse_complement(turned, seq, 6);
        sprintf(text + strlen(text), "%s\t.\n%s\t.\n", seq, turned);
    }
    opened(&d, text, 0);
    WORKS(bird_dataset_mark_fraction(mark, &d, 0.5, 1));
    for (int i = 0; i < 64; i++) {
        cr_assert_eq(mark[2 * i], mark[2 * i + 1]);
        n += mark[2 * i];
    }
    cr_assert(n > 8 && n < 56, "%d", n);
    bird_dataset_free(&d);
}

static void wrong(const char *text, int64_t context, const char *part)
{
    bird_dataset_options o = {.format = "bins", .context_bp = context};
    bird_dataset d;
    int rc = bird_dataset_open(&d, file_text("w.tsv", text), &o);

    cr_assert(rc == BIRD_EFORMAT || rc == BIRD_EINVAL, "%d", rc);
    SAYS(part);
}

Test(deepsea, sequences_are_checked)
{
    wrong(HEAD "ACGTTG\n", 0, "line 8: a row has");
    wrong(HEAD "ACGTT\t0\n", 0, "another length");
    wrong(HEAD "ACGTT1\t0\n", 0, "'1' at position 6");
    wrong(HEAD "ACGTTG\t3\n", 0, "rising numbers");
    wrong(HEAD "ACGTTG\t1\n", 8, "positions on a reference");
    wrong(HEAD "ACGTTG\t1\n", 3, "as wide");
    wrong("##dnabird-labels\t2\n##bin\t2\n##context\t5\n##profile\ta\t\t\t\t\t"
          ".\n#sequence\tlabels\n",
          0, "around its middle");
    wrong("##dnabird-labels\t2\n##contig\tA\t5\n##bin\t2\n##context\t4\n"
          "##profile\ta\t\t\t\t\t.\n#sequence\tlabels\n",
          0, "it has contigs");
    wrong("##dnabird-labels\t2\n##bin\t2\n#chrom\tstart\tend\tlabels\n", 0,
          "'#sequence' first");
    wrong(HEAD, 0, "no sequence in this file");
}

/* ---- slabs --------------------------------------------------------------- */

static int64_t slab(int64_t x_chunk, int64_t y_chunk, int64_t bytes)
{
    /* 40 and 10 bytes a row */
    struct bird_mat_array x = {
        .dim = {1000, 4, 10}, .size = 1, .chunk_rows = x_chunk};
    struct bird_mat_array y = {
        .dim = {1000, 10, 1}, .size = 1, .chunk_rows = y_chunk};

    return bird_mat_slab_rows(&x, &y, bytes);
}

Test(deepsea, slabs_end_where_chunks_do)
{
    cr_assert_eq(slab(1, 1, 5000), 100);
    cr_assert_eq(slab(1, 1, 50000), 1000);
    cr_assert_eq(slab(1, 1, 5000000), 1000);
    cr_assert_eq(slab(32, 16, 5000), 96);
    cr_assert_eq(slab(6, 8, 5000), 96);   /* of both */
    cr_assert_eq(slab(30, 70, 5000), 90); /* of the sequences alone */
    cr_assert_eq(slab(300, 1, 5000), 100);
    cr_assert_eq(slab(1, 1, 1), 1);
}

#ifdef HAVE_MATIO

#include <hdf5.h>

#include "deepsea.h"

static const struct deepsea_file small = {.part = "train",
                                          .form = MAT_FT_MAT73,
                                          .type = MAT_C_UINT8,
                                          .n = 150,
                                          .length = 30,
                                          .n_label = 5};

static const char *list(void)
{
    return file_text("l.tsv", "name\tclass\nk0\tDHS\nk1\tTF\nk2\tTF\nk3\tTF\n"
                              "k4\tHM\n");
}

static bird_deepsea_options reading(const struct deepsea_file *f,
                                    const char *out)
{
    bird_deepsea_options o;

    bird_deepsea_options_default(&o);
    o.mat = f->path;
    o.profiles = list();
    o.output = path_of(out);
    o.bin = 10;
    return o;
}

/* What the file should become. */
static struct bird_text expected(const struct deepsea_file *f)
{
    struct bird_text t = {0};

    WORKS(bird_text_printf(&t,
                           "##dnabird-labels\t2\n##source\t%s\t%sxdata\n"
                           "##bin\t10\n##context\t%d\n"
                           "##profile\tk0\tDHS\t\t\t\t.\n"
                           "##profile\tk1\tTF\t\t\t\t.\n"
                           "##profile\tk2\tTF\t\t\t\t.\n"
                           "##profile\tk3\tTF\t\t\t\t.\n"
                           "##profile\tk4\tHM\t\t\t\t.\n"
                           "#sequence\tlabels\n",
                           strrchr(f->path, '/') + 1, f->part, (int)f->length));
    for (int64_t i = 0; i < f->n; i++) {
        int any = 0;

        for (int64_t p = 0; p < f->length; p++)
            WORKS(bird_text_printf(&t, "%c", deepsea_letter(f, i, p)));
        WORKS(bird_text_put(&t, "\t", 1));
        for (int64_t k = 0; k < f->n_label; k++)
            if (deepsea_label(f, i, k))
                WORKS(bird_text_printf(&t, any++ ? ",%d" : "%d", (int)k));
        WORKS(bird_text_printf(&t, any ? "\n" : ".\n"));
    }
    return t;
}

static void check(struct deepsea_file f, int64_t memory)
{
    struct bird_text want, got = {0};
    bird_deepsea_options o;
    bird_deepsea_tally t;

    f.path = path_of("train.mat");
    cr_assert_eq(deepsea_write(&f), 0);
    o = reading(&f, "o.tsv");
    o.memory = memory;
    want = expected(&f);
    WORKS(bird_deepsea_data_write(&o, &t));
    WORKS(bird_file_read(&got, o.output));
    cr_assert_str_eq(got.s, want.s);
    cr_assert(t.n_sample == f.n && t.n_row == f.n && t.n_profile == f.n_label);
    cr_assert(t.n_pair == f.n / 2 && t.n_complement == f.n / 2);
    cr_assert_eq(t.n_other_labels, 0);
    bird_text_free(&want);
    bird_text_free(&got);
}

Test(deepsea, all_types_and_both_versions)
{
    static const enum matio_classes type[] = {MAT_C_UINT8, MAT_C_INT8,
                                              MAT_C_SINGLE, MAT_C_DOUBLE};

    for (int v = 0; v < 2; v++)
        for (int k = 0; k < 5; k++) {
            struct deepsea_file f = small;

            f.form = v ? MAT_FT_MAT73 : MAT_FT_MAT5;
            f.type = k < 4 ? type[k] : MAT_C_UINT8;
            f.logical = k == 4;
            f.part = k == 1 ? "valid" : k == 2 ? "test" : "train";
            check(f, 1 << 20);
        }
}

/* However many samples are read at a time. */
Test(deepsea, slabs_do_not_show)
{
    for (int64_t memory = 1; memory < 40000; memory = memory * 3 + 1000)
        for (int v = 0; v < 2; v++) {
            struct deepsea_file f = small;

            f.form = v ? MAT_FT_MAT73 : MAT_FT_MAT5;
            check(f, memory);
        }
}

/* One sample by hand: channels A, G, C, T, and none for N. */
Test(deepsea, the_order_of_channels)
{
    static uint8_t x[7][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0},
                              {0, 0, 1, 0}, {0, 0, 0, 1}, {0, 0, 0, 0},
                              {0, 1, 0, 0}};
    static uint8_t y[5] = {0, 1, 0, 0, 1};
    size_t x_dim[3] = {1, 4, 7}, y_dim[2] = {1, 5};
    struct deepsea_file f = small;
    bird_deepsea_options o;
    bird_deepsea_tally t;
    struct bird_text got = {0};
    mat_t *mat;

    f.path = path_of("hand.mat");
    mat = Mat_CreateVer(f.path, NULL, MAT_FT_MAT73);
    cr_assert_eq(deepsea_put(mat, &f, "xdata", 3, x_dim, x), 0);
    cr_assert_eq(deepsea_put(mat, &f, "data", 2, y_dim, y), 0);
    Mat_Close(mat);
    o = reading(&f, "o.tsv");
    o.bin = 3;
    WORKS(bird_deepsea_data_write(&o, &t));
    WORKS(bird_file_read(&got, o.output));
    cr_assert(strstr(got.s, "\nAAGCTNG\t1,4\n"), "%s", got.s);
    cr_assert(t.n_pair == 0 && t.n_unknown == 1);
    bird_text_free(&got);
}

/* The catalogue of 919 is what labels are without a list. */
Test(deepsea, labels_of_the_catalogue)
{
    struct deepsea_file f = small;
    bird_deepsea_options o;
    struct bird_text got = {0};
    bird_dataset d = {0};

    f.path = path_of("train.mat");
    f.n = 4;
    f.n_label = 919;
    cr_assert_eq(deepsea_write(&f), 0);
    o = reading(&f, "o.tsv.zst");
    o.profiles = NULL;
    o.summary = path_of("sum.tsv");
    WORKS(bird_deepsea_data_write(&o, NULL));
    WORKS(bird_dataset_open(&d, o.output, NULL));
    cr_assert_eq(d.n_label, 919);
    cr_assert_str_eq(d.label_name[0], "8988T|DNase|None");
    cr_assert_eq(d.features.at[918].index, 918);
    for (int64_t i = 0; i < 4; i++)
        for (int64_t k = 0; k < 919; k++)
            cr_assert_eq(bird_dataset_label(&d, i, k), deepsea_label(&f, i, k));
    WORKS(bird_file_read(&got, o.summary));
    cr_assert(strstr(got.s, "train\t8988T|DNase|None\tDHS\tNA\t4\t"));
    bird_text_free(&got);
    bird_dataset_free(&d);
}

static void spoiled(enum deepsea_fault fault, int64_t sample, int64_t at,
                    const char *part)
{
    for (int v = 0; v < 2; v++) {
        struct deepsea_file f = small;
        bird_deepsea_options o;

        f.path = path_of("train.mat");
        f.form = v ? MAT_FT_MAT73 : MAT_FT_MAT5;
        f.fault = fault;
        f.sample = sample;
        f.at = at;
        cr_assert_eq(deepsea_write(&f), 0);
        o = reading(&f, "o.tsv");
        o.memory = 5000; /* not in the first slab */
        FAILS(BIRD_EFORMAT, bird_deepsea_data_write(&o, NULL), part);
        SAYS("train.mat: 'train");
        cr_assert(access(o.output, F_OK));
    }
}

Test(deepsea, what_is_no_base_or_label)
{
    spoiled(DEEPSEA_TWO, 149, 29,
            "'trainxdata': sample 150, position 30: 2 of");
    spoiled(DEEPSEA_VALUE, 70, 0,
            "sample 71, position 1: a channel is neither");
    spoiled(DEEPSEA_LABEL, 99, 4,
            "'traindata': sample 100, label 5: neither 0 nor 1");
}

/* Strands that do not fit are counted; those that fit can be left out. */
Test(deepsea, complements)
{
    struct deepsea_file f = small;
    bird_deepsea_options o;
    bird_deepsea_tally t;

    f.path = path_of("train.mat");
    f.fault = DEEPSEA_UNKNOWN;
    f.sample = 80;
    f.at = 3;
    cr_assert_eq(deepsea_write(&f), 0);
    o = reading(&f, "o.tsv");
    WORKS(bird_deepsea_data_write(&o, &t));
    cr_assert(t.n_complement == 74 && t.n_row == 150 && t.n_unknown == 1);
    o.drop_complements = 1;
    o.memory = 3000;
    WORKS(bird_deepsea_data_write(&o, &t));
    cr_assert(t.n_complement == 74 && t.n_row == 76 && t.n_other_labels == 0);
    f.fault = DEEPSEA_TURN_LABEL;
    cr_assert_eq(deepsea_write(&f), 0);
    WORKS(bird_deepsea_data_write(&o, &t));
    cr_assert(t.n_complement == 75 && t.n_row == 76 && t.n_other_labels == 1);
}

static void refused(const struct deepsea_file *f, int code, const char *part)
{
    bird_deepsea_options o = reading(f, "o.tsv");

    FAILS(code, bird_deepsea_data_write(&o, NULL), part);
    cr_assert(!strchr(bird_last_error(), '\n'));
    cr_assert(access(o.output, F_OK));
}

/* A file is no such file, lacks an array, or has one of another form. */
Test(deepsea, other_files)
{
    struct deepsea_file f = small;
    size_t dims[3] = {150, 30, 4};
    static uint8_t zero[150 * 30 * 4];
    mat_t *mat;

    f.path = path_of("none.mat");
    refused(&f, BIRD_EIO, "none.mat: No such file");
    f.path = file_text("text.mat", "no MATLAB");
    refused(&f, BIRD_EFORMAT, "text.mat: not a MATLAB file");
    f.path = path_of("train.mat");
    f.part = "other";
    cr_assert_eq(deepsea_write(&f), 0);
    refused(&f, BIRD_EFORMAT, "not a file of DeepSEA's bundle");
    f.part = "train";
    f.type = MAT_C_INT16;
    cr_assert_eq(deepsea_write(&f), 0);
    refused(&f, BIRD_EFORMAT, "array of logical");
    f.type = MAT_C_UINT8;
    f.n_label = 4;
    cr_assert_eq(deepsea_write(&f), 0);
    refused(&f, BIRD_EFORMAT, "4 labels a sample, but");
    mat = Mat_CreateVer(f.path, NULL, MAT_FT_MAT73);
    cr_assert_eq(deepsea_put(mat, &f, "xdata", 3, dims, zero), 0);
    Mat_Close(mat);
    refused(&f, BIRD_EFORMAT, "but no 'traindata'");
    mat = Mat_CreateVer(f.path, NULL, MAT_FT_MAT73);
    cr_assert_eq(deepsea_put(mat, &f, "xdata", 3, dims, zero), 0);
    cr_assert_eq(deepsea_put(mat, &f, "data", 2, dims, zero), 0);
    Mat_Close(mat);
    refused(&f, BIRD_EFORMAT, "150 x 30 x 4: should be samples x 4 channels");
}

/* fopen() as it is, unless a test has it fail, or give what cannot be read. */
static struct {
    int code;
    const char *instead;
} opening;

FILE *fopen(const char *path, const char *mode)
{
    static FILE *(*real)(const char *, const char *);

    if (opening.code) {
        errno = opening.code;
        return NULL;
    }
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    return real(opening.instead ? opening.instead : path, mode);
}

/* What the system did not give is no reason to get the file again. */
Test(deepsea, a_device_that_fails)
{
    struct deepsea_file f = small;
    struct bird_mat m = {0};

    f.path = path_of("train.mat");
    cr_assert_eq(deepsea_write(&f), 0);
    opening.code = EMFILE;
    FAILS(BIRD_EIO, bird_mat_open(&m, f.path), strerror(EMFILE));
    bird_mat_close(&m);
    opening.code = 0;
    opening.instead = "/proc/self/mem";
    FAILS(BIRD_EIO, bird_mat_open(&m, f.path), strerror(EIO));
    bird_mat_close(&m);
}

/* A name that would end a line of the header, or a column. */
Test(deepsea, a_name_with_control_characters)
{
    struct deepsea_file f = small;
    struct bird_text got = {0};
    bird_deepsea_options o;

    f.path = path_of("a\nb\tc.mat");
    cr_assert_eq(deepsea_write(&f), 0);
    o = reading(&f, "o.tsv");
    WORKS(bird_deepsea_data_write(&o, NULL));
    WORKS(bird_file_read(&got, o.output));
    cr_assert_not_null(strstr(got.s, "\n##source\ta_b_c.mat\ttrainxdata\n"));
    bird_text_free(&got);
}

/* A v5 file of 216 bytes: one array, uint8, of 8 bytes. */
static const char *tiny_v5(int32_t samples)
{
    static const char text[124] = "MATLAB 5.0 MAT-file";
    int32_t item[] = {14, 80, 6,  8, 9, 0, 5, 12, samples, 4, 1000,
                      0,  1,  10, 0, 0, 0, 0, 2,  8,       0, 0};
    const char *path = path_of("tiny.mat");
    FILE *f = fopen(path, "wb");

    memcpy(item + 14, "trainxdata", 10);
    cr_assert(f && fwrite(text, sizeof(text), 1, f) == 1);
    cr_assert(fwrite("\0\1IM", 4, 1, f) == 1);
    cr_assert(fwrite(item, sizeof(item), 1, f) == 1 && !fclose(f));
    return path;
}

/* The same of HDF5, nothing of it ever written. */
static const char *tiny_v73(hsize_t samples)
{
    struct deepsea_file f = small;
    hsize_t dim[] = {1000, 4, samples}, chunk[] = {8, 4, 64};
    hid_t file, space, how, set, type, attribute;

    f.path = path_of("tiny.mat");
    f.form = MAT_FT_MAT73;
    cr_assert_eq(deepsea_write(&f), 0);
    file = H5Fopen(f.path, H5F_ACC_RDWR, H5P_DEFAULT);
    cr_assert(file >= 0 && H5Ldelete(file, "trainxdata", H5P_DEFAULT) >= 0);
    space = H5Screate_simple(3, dim, NULL);
    how = H5Pcreate(H5P_DATASET_CREATE);
    cr_assert(H5Pset_chunk(how, 3, chunk) >= 0 && H5Pset_deflate(how, 9) >= 0);
    set = H5Dcreate2(file, "trainxdata", H5T_NATIVE_UINT8, space, H5P_DEFAULT,
                     how, H5P_DEFAULT);
    type = H5Tcopy(H5T_C_S1);
    cr_assert(set >= 0 && H5Tset_size(type, 5) >= 0);
    H5Sclose(space);
    space = H5Screate(H5S_SCALAR);
    attribute =
        H5Acreate2(set, "MATLAB_class", type, space, H5P_DEFAULT, H5P_DEFAULT);
    cr_assert(H5Awrite(attribute, type, "uint8") >= 0);
    H5Aclose(attribute);
    H5Tclose(type);
    H5Sclose(space);
    H5Pclose(how);
    H5Dclose(set);
    cr_assert(H5Fclose(file) >= 0);
    return f.path;
}

/* A few bytes that claim 2^31 samples are refused before anything is read. */
Test(deepsea, more_samples_than_bytes, .timeout = 20)
{
    struct deepsea_file f = small;

    f.path = tiny_v5(INT32_MAX);
    refused(&f, BIRD_EFORMAT,
            "claims 2147483647 x 4 x 1000 values, more than "
            "a file of 216 bytes can hold");
    f.path = tiny_v5(1);
    refused(&f, BIRD_EFORMAT, "claims 1 x 4 x 1000 values");
    f.path = tiny_v73(INT32_MAX);
    refused(&f, BIRD_EFORMAT, "claims 2147483647 x 4 x 1000 values");
}

static int stop_later(void *context, const bird_progress *p)
{
    (void)p;
    return --*(int *)context < 0;
}

/* A stop is heeded within a slab, and nothing is left. */
Test(deepsea, stops_within_a_slab)
{
    struct deepsea_file f = small;
    bird_deepsea_options o;

    f.path = path_of("train.mat");
    cr_assert_eq(deepsea_write(&f), 0);
    for (int calls = 0; calls < 3; calls++) {
        int left = calls;

        o = reading(&f, "o.tsv"); /* all is one slab */
        o.progress = stop_later;
        o.progress_context = &left;
        FAILS(BIRD_ECANCELED, bird_deepsea_data_write(&o, NULL), "stopped");
        cr_assert(access(o.output, F_OK));
    }
}

/* What was cut short anywhere is refused in one line, without a crash. */
Test(deepsea, cut_files)
{
    for (int v = 0; v < 2; v++) {
        struct deepsea_file f = small;
        int64_t size;

        f.path = path_of("train.mat");
        f.form = v ? MAT_FT_MAT73 : MAT_FT_MAT5;
        cr_assert_eq(deepsea_write(&f), 0);
        size = file_size(f.path);
        for (int64_t left = size - 1; left > 0; left -= 1 + size / 23) {
            bird_deepsea_options o;

            f.path = path_of("train.mat"); /* the names take turns */
            o = reading(&f, "o.tsv");
            cr_assert_eq(truncate(f.path, left), 0);
            cr_assert_lt(bird_deepsea_data_write(&o, NULL), 0, "%d: %ld of %ld",
                         v, (long)left, (long)size);
            cr_assert(!strchr(bird_last_error(), '\n'));
            cr_assert(access(o.output, F_OK));
        }
    }
}

/* Of a damaged file libmatio 1.5.23 and HDF5 1.10 lose some memory of their own:
 * LeakSanitizer need not tell. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:inflateCopy\nleak:libhdf5\n";
}

const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}

/* A byte that changed on the way: no crash; in a v5 file no change either. */
Test(deepsea, damaged_files)
{
    for (int v = 0; v < 2; v++) {
        struct deepsea_file f = small;
        struct bird_text whole = {0}, good = {0}, got = {0};
        bird_deepsea_options o;

        f.path = path_of("train.mat");
        f.form = v ? MAT_FT_MAT73 : MAT_FT_MAT5;
        cr_assert_eq(deepsea_write(&f), 0);
        o = reading(&f, "o.tsv");
        WORKS(bird_deepsea_data_write(&o, NULL));
        WORKS(bird_file_read(&good, o.output));
        WORKS(bird_file_read(&whole, f.path));
        for (int64_t at = 0; at < whole.n; at += 1 + whole.n / 211) {
            whole.s[at] ^= 0x24;
            WORKS(bird_file_write(f.path, whole.s, (size_t)whole.n));
            whole.s[at] ^= 0x24;
            remove(o.output);
            if (bird_deepsea_data_write(&o, NULL)) {
                cr_assert(access(o.output, F_OK));
                continue;
            }
            WORKS(bird_file_read(&got, o.output));
            cr_assert(v || !strcmp(got.s, good.s)); /* zlib's checksum */
        }
        bird_text_free(&whole);
        bird_text_free(&good);
        bird_text_free(&got);
    }
}

#else

Test(deepsea, without_the_library_it_is_refused)
{
    bird_deepsea_options o;

    bird_deepsea_options_default(&o);
    o.mat = "train.mat";
    o.output = path_of("o.tsv");
    FAILS(BIRD_EUNSUPPORTED, bird_deepsea_data_write(&o, NULL),
          "this build has no libmatio");
    cr_assert(access(o.output, F_OK));
}

#endif
