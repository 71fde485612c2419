/* Profiles and the choice among them. SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "folder/feature.h"
#include "seq_help.h"

TestSuite(features, .init = folder_new, .fini = folder_remove);

static const bird_feature some[] = {
    {"K562|DNase|None", "DHS", "K562", "DNase", "None", 3},
    {"K562|CTCF|None#1", "TF", "K562", "CTCF", "None", 130},
    {"K562|CTCF|None#2", "TF", "K562", "CTCF", "None", 131},
    {"HepG2|CTCF|None", "TF", "HepG2", "CTCF", "None", 140},
    {"HepG2|H3K27ac|None", "HM", "HepG2", "H3K27ac", "None", 820},
    {"mine", "", "", "", "", -1}};
enum { N = sizeof(some) / sizeof(*some) };

static bird_features list(void)
{
    bird_features f = {0};

    for (int i = 0; i < N; i++)
        WORKS(bird_features_put(&f, &some[i]));
    return f;
}

/* "011000": what a text chooses. */
static const char *chosen(const char *text)
{
    static char out[N + 1];
    bird_features f = list();
    uint8_t mark[N];

    WORKS(bird_features_select(mark, &f, text));
    for (int i = 0; i < N; i++)
        out[i] = (char)('0' + mark[i]);
    bird_features_free(&f);
    return out;
}

Test(features, terms_choose)
{
    cr_assert_str_eq(chosen(NULL), "111111");
    cr_assert_str_eq(chosen(""), "111111");
    cr_assert_str_eq(chosen("mine"), "000001");
    cr_assert_str_eq(chosen("class:tf"), "011100");
    cr_assert_str_eq(chosen("TF"), "011100");
    cr_assert_str_eq(chosen("K562"), "111000");
    cr_assert_str_eq(chosen("factor:CTCF"), "011100");
    cr_assert_str_eq(chosen("cell:Hep*"), "000110");
    cr_assert_str_eq(chosen("H3K*"), "000010");
    cr_assert_str_eq(chosen("*|CTCF|*"), "011100");
    cr_assert_str_eq(chosen("name:K562|CTCF|None#?"), "011000");
    cr_assert_str_eq(chosen("treatment:None"), "111110");
    cr_assert_str_eq(chosen("index:130-140"), "011100");
    cr_assert_str_eq(chosen("820"), "000010");
    cr_assert_str_eq(chosen("label:0-1,label:5"), "110001");
    cr_assert_str_eq(chosen("^TF"), "100011");
    cr_assert_str_eq(chosen("K562,^CTCF"), "100000");
    cr_assert_str_eq(chosen("^CTCF, K562 ,mine"), "100001");
}

Test(features, terms_come_from_a_file)
{
    char text[256];

    snprintf(text, sizeof(text), "@%s", file_text("l", "mine\r\n\nclass:HM\n"));
    cr_assert_str_eq(chosen(text), "000011");
}

Test(features, what_fits_nothing_is_said)
{
    bird_features f = list();
    uint8_t mark[N];

    FAILS(BIRD_EINVAL, bird_features_select(mark, &f, "class:XY"),
          "no feature matches 'class:XY'");
    FAILS(BIRD_EINVAL, bird_features_select(mark, &f, "mine,q"), "matches 'q'");
    FAILS(BIRD_EINVAL, bird_features_select(mark, &f, "index:9-3"),
          "index:9-3");
    FAILS(BIRD_EINVAL, bird_features_select(mark, &f, "mine,^mine"),
          "excludes every feature");
    FAILS(BIRD_EIO, bird_features_select(mark, &f, "@/no/such"), "/no/such");
    bird_features_free(&f);
    FAILS(BIRD_EINVAL, bird_features_select(mark, &f, NULL), "'' excludes");
}

Test(features, a_list_that_names_itself_ends)
{
    bird_features f = list();
    uint8_t mark[N];
    char text[256];

    snprintf(text, sizeof(text), "@%s", path_of("loop"));
    file_text("loop", text);
    FAILS(BIRD_EINVAL, bird_features_select(mark, &f, text), "too deep");
    bird_features_free(&f);
}

Test(features, come_back_from_json)
{
    struct bird_folder folder_ = {.path = (char *)(uintptr_t) "m"};
    bird_features f = list(), g = {0};

    folder_.meta = json_object();
    folder_.config.n_label = N;
    WORKS(bird_features_describe(folder_.meta, &f));
    folder_.labels = json_incref(json_object_get(folder_.meta, "labels"));
    WORKS(bird_features_read(&g, &folder_));
    cr_assert_eq(g.n, N);
    for (int i = 0; i < N; i++) {
        cr_assert_str_eq(g.at[i].name, some[i].name);
        cr_assert_str_eq(g.at[i].class_name, some[i].class_name);
        cr_assert_str_eq(g.at[i].cell, some[i].cell);
        cr_assert_str_eq(g.at[i].factor, some[i].factor);
        cr_assert_str_eq(g.at[i].treatment, some[i].treatment);
        cr_assert_eq(g.at[i].index, some[i].index);
    }
    bird_features_free(&g);
    json_array_remove(json_object_get(folder_.meta, "features"), 0);
    FAILS(BIRD_EFORMAT, bird_features_read(&g, &folder_), "'features'");
    json_object_set_new(folder_.meta, "features", json_string("x"));
    FAILS(BIRD_EFORMAT, bird_features_read(&g, &folder_), "'features'");
    json_decref(folder_.meta);
    json_decref(folder_.labels);
    bird_features_free(&f);
}

Test(features, classes_in_the_order_met)
{
    bird_features f = list();
    const char **name;
    int64_t n;
    int32_t of[N];
    static const int32_t want[N] = {0, 1, 1, 1, 2, 3};

    WORKS(bird_features_classes(&name, &n, of, &f));
    cr_assert_eq(n, 4);
    cr_assert_str_eq(name[2], "HM");
    cr_assert_str_eq(name[3], "");
    cr_assert_arr_eq(of, want, sizeof(want));
    free((void *)name);
    bird_features_free(&f);
}

/* The shipped catalogue: DeepSEA's order, every name once. */
Test(features, deepsea_has_919_names)
{
    char *path = NULL;
    FILE *in;
    char line[512], class_name[8];
    int n = 0, index, counts[3] = {0};

    cr_assert(asprintf(&path, "%s/chromatin/deepsea_919.tsv",
                       getenv("DNABIRD_DATA")) > 0);
    in = fopen(path, "r");
    cr_assert(in, "%s", path);
    cr_assert(fgets(line, sizeof(line), in));
    cr_assert_str_eq(line,
                     "index\tclass\tcell_type\tfactor\ttreatment\tname\n");
    while (fgets(line, sizeof(line), in)) {
        cr_assert_eq(sscanf(line, "%d\t%7s", &index, class_name), 2);
        cr_assert_eq(index, n++);
        counts[!strcmp(class_name, "TF")   ? 1
               : !strcmp(class_name, "HM") ? 2
                                           : 0]++;
        cr_assert_str_eq(class_name, index < 125   ? "DHS"
                                     : index < 815 ? "TF"
                                                   : "HM");
    }
    cr_assert_eq(n, 919);
    cr_assert(counts[0] == 125 && counts[1] == 690 && counts[2] == 104);
    fclose(in);
    free(path);
}
