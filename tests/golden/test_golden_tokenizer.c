/*
 * Encoding equals the reference library on every case file that is there:
 * t_bpe_tiny in tests/golden or $DNABIRD_GOLDEN, *.cases.json in
 * tests/golden/tokenizer or $DNABIRD_GOLDEN_TOKENIZER. A tokenizer file lies
 * beside its cases or in $DNABIRD_TOKENIZERS.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "dnabird/tokenizer.h"

static char *path_of(const char *folder, const char *name)
{
    char *s = NULL;

    cr_assert_geq(asprintf(&s, "%s/%s", folder, name), 0);
    return s;
}

static json_t *json_from(const char *path)
{
    json_error_t e;
    json_t *j = json_load_file(path, 0, &e);

    cr_assert_not_null(j, "%s: line %d: %s", path, e.line, e.text);
    return j;
}

static void same_ids(const bird_encoding *e, const json_t *ids,
                     const char *file, const char *name)
{
    int64_t n = (int64_t)json_array_size(ids);

    cr_assert(json_is_array(ids), "%s: %s: no ids", file, name);
    for (int64_t i = 0; i < n && i < e->n; i++) {
        int64_t want = json_integer_value(json_array_get(ids, (size_t)i));

        cr_assert_eq(e->ids[i], want, "%s: %s: token %ld is %d, not %ld", file,
                     name, (long)i, e->ids[i], (long)want);
    }
    cr_assert_eq(e->n, n, "%s: %s: %ld tokens, not %ld", file, name, (long)e->n,
                 (long)n);
}

/* A token that is a text of its own stands where its start says. */
static void starts_fit(const bird_tokenizer *t, const bird_encoding *e,
                       const char *text, const char *file, const char *name)
{
    int64_t n = (int64_t)strlen(text), before = 0;

    for (int64_t i = 0; i < e->n; i++) {
        const char *s = bird_tokenizer_token(t, e->ids[i]);
        int64_t at = e->start[i];

        cr_assert(at >= before && at < n, "%s: %s: token %ld starts at %ld",
                  file, name, (long)i, (long)at);
        cr_assert(i == 0 || at > before, "%s: %s: token %ld has no width", file,
                  name, (long)i);
        before = at;
        if (!strcmp(s, "[UNK]"))
            continue;
        if (!strcmp(s, "-") && text[at] == 'N')
            cr_assert(!strncmp(text + at, "NNNNNNNNNN", 10), "%s: %s", file,
                      name);
        else
            cr_assert(!strncmp(text + at, s, strlen(s)),
                      "%s: %s: token %ld '%s' does not stand at %ld", file,
                      name, (long)i, s, (long)at);
    }
}

static int cases_run(const char *cases_path, const char *tokenizer_path)
{
    json_t *root = json_from(cases_path), *one;
    bird_tokenizer *t = NULL;
    bird_encoding e = {0};
    size_t i;
    int n = 0;

    WORKS(bird_tokenizer_open(&t, tokenizer_path));
    json_array_foreach(json_object_get(root, "cases"), i, one)
    {
        const char *name = json_string_value(json_object_get(one, "name"));
        const char *text = json_string_value(json_object_get(one, "text"));
        int64_t size = (int64_t)strlen(text);

        WORKS(bird_tokenizer_encode(t, &e, text, size, 1));
        same_ids(&e, json_object_get(one, "ids"), cases_path, name);
        WORKS(bird_tokenizer_encode(t, &e, text, size, 0));
        same_ids(&e, json_object_get(one, "ids_no_special"), cases_path, name);
        starts_fit(t, &e, text, cases_path, name);
        n++;
    }
    bird_encoding_free(&e);
    bird_tokenizer_free(t);
    json_decref(root);
    return n;
}

static char *golden_folder(const char *variable, const char *name)
{
    const char *other = getenv(variable);
    const char *tests = getenv("BIRD_TEST_DATA");

    if (other)
        return strdup(other);
    cr_assert_not_null(tests, "BIRD_TEST_DATA is not set");
    return path_of(tests, name);
}

Test(golden_tokenizer, tiny_case_of_the_model_suite)
{
    char *folder = golden_folder("DNABIRD_GOLDEN", "golden");
    char *cases = path_of(folder, "t_bpe_tiny/case.json");
    char *tokenizer = path_of(folder, "t_bpe_tiny/tokenizer.json");

    cr_assert_gt(cases_run(cases, tokenizer), 0, "%s: no case", cases);
    free(folder);
    free(cases);
    free(tokenizer);
}

static int file_run(const char *folder, const char *name)
{
    const char *elsewhere = getenv("DNABIRD_TOKENIZERS");
    char *cases = path_of(folder, name), *tokenizer;
    json_t *root = json_from(cases);
    const char *file = json_string_value(json_object_get(root, "tokenizer"));
    int n;

    cr_assert_not_null(file, "%s: no field 'tokenizer'", cases);
    tokenizer = path_of(folder, file);
    if (access(tokenizer, R_OK) != 0 && elsewhere) {
        free(tokenizer);
        tokenizer = path_of(elsewhere, file);
    }
    n = cases_run(cases, tokenizer);
    cr_assert_gt(n, 0, "%s: no case", cases);
    json_decref(root);
    free(tokenizer);
    free(cases);
    return n;
}

Test(golden_tokenizer, every_case_file)
{
    char *folder =
        golden_folder("DNABIRD_GOLDEN_TOKENIZER", "golden/tokenizer");
    DIR *d = opendir(folder);
    struct dirent *entry;
    int n = 0;

    cr_assert_not_null(d, "%s: no such folder", folder);
    while ((entry = readdir(d))) {
        size_t k = strlen(entry->d_name);

        if (k > 11 && !strcmp(entry->d_name + k - 11, ".cases.json"))
            n += file_run(folder, entry->d_name);
    }
    closedir(d);
    cr_assert_gt(n, 0, "%s: no *.cases.json", folder);
    free(folder);
}
