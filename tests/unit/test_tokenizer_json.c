/* token: what a tokenizer.json may hold, and what is refused by name. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "check.h"
#include "dnabird/tokenizer.h"
#include "token/bpe_automaton.h"
#include "token/vocab.h"

/* A small model; its merges make AC, ACG, GT. */
#define VOCAB                                                                  \
    "\"vocab\": {\"?\": 0, \"A\": 1, \"C\": 2, \"G\": 3, \"T\": 4, \"-\": 5, " \
    "\"AC\": 6, \"ACG\": 7, \"GT\": 8, \" \": 9}"
#define MERGES "\"merges\": [\"A C\", \"AC G\", \"G T\"]"
#define MODEL  "{\"type\": \"BPE\", \"unk_token\": \"?\", " VOCAB ", " MERGES "}"

static int parse(bird_tokenizer **t, const char *model, const char *rest)
{
    struct bird_text s = {0};
    int rc;

    WORKS(bird_text_printf(&s, "{\"model\": %s%s%s}", model, *rest ? ", " : "",
                           rest));
    rc = bird_tokenizer_parse(t, s.s, (size_t)s.n, "t.json");
    bird_text_free(&s);
    return rc;
}

/* Encode and print as "id@start id@start". */
static void expect(const char *model, const char *rest, const char *text,
                   const char *want)
{
    bird_tokenizer *t = NULL;
    bird_encoding e = {0};
    struct bird_text got = {0};

    WORKS(parse(&t, model, rest));
    WORKS(bird_tokenizer_encode(t, &e, text, (int64_t)strlen(text), 1));
    WORKS(bird_text_put(&got, "", 0));
    for (int64_t i = 0; i < e.n; i++)
        WORKS(bird_text_printf(&got, "%s%d@%d", i ? " " : "", e.ids[i],
                               (int)e.start[i]));
    cr_assert_str_eq(got.s ? got.s : "", want, "%s on '%s' gives %s", rest,
                     text, got.s ? got.s : "");
    bird_text_free(&got);
    bird_encoding_free(&e);
    bird_tokenizer_free(t);
}

static void refused(const char *model, const char *rest, int code,
                    const char *why)
{
    bird_tokenizer *t = NULL;
    int rc = parse(&t, model, rest);

    cr_assert_eq(rc, code, "%s %s: status %d", model, rest, rc);
    cr_assert_null(t);
    SAYS("t.json");
    SAYS(why);
}

Test(tokenizer_json, merges_come_in_both_forms)
{
    expect(MODEL, "", "ACGTAC", "7@0 4@3 6@4");
    expect("{" VOCAB ", \"unk_token\": \"?\", \"merges\": [[\"A\", \"C\"], "
           "[\"AC\", \"G\"], [\"G\", \"T\"]]}",
           "", "ACGTAC", "7@0 4@3 6@4");
    expect(MODEL, "", "", "");
    expect(MODEL, "", "aGé日\xffT", "0@0 3@1 0@2 0@4 0@7 4@8");
}

Test(tokenizer_json, unknown_characters_stand_fuse_or_vanish)
{
    expect("{\"unk_token\": \"?\", \"fuse_unk\": true, " VOCAB ", " MERGES "}",
           "", "AxyéCzA", "1@0 0@1 2@5 0@6 1@7");
    /* Without an unknown token the neighbours meet. */
    expect("{" VOCAB ", " MERGES "}", "", "AxyCGxT", "7@0 4@6");
    expect("{" VOCAB ", " MERGES "}", "", "ACGT", "7@0 4@3");
}

Test(tokenizer_json, merges_out_of_order_take_the_plain_way)
{
    const char *model = "{" VOCAB ", \"unk_token\": \"?\", \"fuse_unk\": "
                        "true, \"merges\": [\"AC G\", \"A C\", \"G T\"]}";
    const char *twice = "{\"vocab\": {\"A\": 0, \"AA\": 1, \"AAA\": 2}, "
                        "\"merges\": [\"A A\", \"AA A\", \"A AA\"]}";
    bird_tokenizer *t = NULL;

    cr_assert_eq(parse(&t, model, ""), 0);
    cr_assert_null(t->automaton);
    bird_tokenizer_free(t);
    expect(model, "", "ACGTACxyT", "7@0 4@3 6@4 0@6 4@8");
    cr_assert_eq(parse(&t, twice, ""), 0);
    cr_assert_null(t->automaton);
    bird_tokenizer_free(t);
    expect(twice, "", "AAAAA", "1@0 2@2");
    /* A letter beyond ASCII that merges. */
    expect("{\"vocab\": {\"é\": 0, \"A\": 1, \"éA\": 2}, \"merges\": [\"é "
           "A\"]}",
           "", "AéAé", "1@0 2@1 0@4");
    /* Of two merges of one pair the later one's rank counts. */
    expect("{\"vocab\": {\"A\": 0, \"B\": 1, \"C\": 2, \"AB\": 3, \"BC\": 4},"
           " \"merges\": [\"A B\", \"B C\", \"A B\"]}",
           "", "ABC", "0@0 4@1");
}

#define ADDED(text, id, more)                                                  \
    "\"added_tokens\": [{\"id\": " id ", \"content\": \"" text "\", "          \
    "\"special\": true" more "}]"

Test(tokenizer_json, added_tokens_are_cut_out_first)
{
    const char *two = "\"added_tokens\": [{\"id\": 20, \"content\": \"CG\"}, "
                      "{\"id\": 21, \"content\": \"CGC\"}]";

    expect(MODEL, ADDED("CG", "20", ""), "ACGTACG", "1@0 20@1 4@3 1@4 20@5");
    expect(MODEL, two, "ACGCGC", "1@0 21@1 3@4 2@5");
    expect(MODEL, ADDED("?", "0", ", \"normalized\": false"), "A?C",
           "1@0 0@1 2@2");
}

#define NORMAL(x) "\"normalizer\": " x

Test(tokenizer_json, normalizers_keep_positions)
{
    expect(MODEL, NORMAL("{\"type\": \"Strip\"}"),
           " \tAC\xc2\xa0GT\xe3\x80\x80", "6@2 0@4 8@6");
    expect(MODEL,
           NORMAL("{\"type\": \"Strip\", \"strip_left\": false, "
                  "\"strip_right\": true}"),
           " A ", "9@0 1@1");
    expect(MODEL, NORMAL("{\"type\": \"Lowercase\"}"), "A-", "0@0 5@1");
    expect(MODEL, NORMAL("{\"type\": \"Uppercase\"}"), "acgTx", "7@0 4@3 0@4");
    expect(MODEL,
           NORMAL("{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"N{3,}\"}"
                  ", \"content\": \"-\"}"),
           "NNACNNNGTNNNNN", "0@0 0@1 6@2 5@4 8@7 5@9");
    expect(MODEL,
           NORMAL("{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"x+\"}, "
                  "\"content\": \"\"}"),
           "AxxCxG", "7@0");
    expect(MODEL,
           NORMAL("{\"type\": \"Replace\", \"pattern\": {\"String\": \"xy\"}, "
                  "\"content\": \"GAC\"}"),
           "xyTTxy", "3@0 6@0 4@2 4@3 3@4 6@4");
}

Test(tokenizer_json, normalizers_follow_each_other)
{
    const char *both =
        NORMAL("{\"type\": \"Sequence\", \"normalizers\": ["
               "{\"type\": \"Uppercase\"}, {\"type\": \"Strip\"}, "
               "{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"N{2,}\"}, "
               "\"content\": \"X\"}, {\"type\": \"Sequence\", \"normalizers\":"
               " [{\"type\": \"Replace\", \"pattern\": {\"String\": \"TX\"}, "
               "\"content\": \"-A\"}]}, null]}");

    expect(MODEL, both, "  acTnnnC", "6@2 5@4 6@4");
    expect(MODEL, both, " ttNNac ", "4@1 5@2 1@2 6@5");
}

#define SPLIT(x) "\"pre_tokenizer\": " x

Test(tokenizer_json, pre_tokenizers_cut)
{
    const char *removed = SPLIT("{\"type\": \"Split\", \"pattern\": "
                                "{\"String\": \"x\"}, \"behavior\": "
                                "\"Removed\", \"invert\": false}");
    const char *runs = SPLIT(
        "{\"type\": \"Sequence\", \"pretokenizers\": [{\"type\": \"Split\", "
        "\"pattern\": {\"Regex\": \"C{2,}\"}, \"behavior\": \"Isolated\"}, "
        "{\"type\": \"WhitespaceSplit\"}]}");

    expect(MODEL, removed, "AxCGxxT", "1@0 2@2 3@3 4@6");
    expect(MODEL, runs, "ACCG A\xc2\x85 CG", "1@0 2@1 2@2 3@3 1@5 2@9 3@10");
    expect(MODEL, SPLIT("{\"type\": \"WhitespaceSplit\"}"), " AC GT- A ",
           "6@1 8@4 5@6 1@8");
    expect(MODEL, SPLIT("{\"type\": \"Whitespace\"}"), " A\nC_G-T+ ",
           "1@1 2@3 0@4 3@5 5@6 4@7 0@8");
    /* Isolated at each '-', one by one. */
    expect(MODEL,
           SPLIT("{\"type\": \"Split\", \"pattern\": {\"String\": \"-\"}, "
                 "\"behavior\": \"Isolated\", \"invert\": false}"),
           "--AC-", "5@0 5@1 6@2 5@4");
}

#define POST(x) "\"post_processor\": " x
#define TEMPLATE(single)                                                       \
    POST("{\"type\": \"TemplateProcessing\", \"single\": [" single             \
         "], \"special_tokens\": {\"S\": {\"id\": \"S\", \"ids\": [4, 5]}}}")
#define S "{\"SpecialToken\": {\"id\": \"S\", \"type_id\": 0}}"
#define A "{\"Sequence\": {\"id\": \"A\", \"type_id\": 0}}"

Test(tokenizer_json, post_processors_add_special_tokens)
{
    expect(MODEL,
           POST("{\"type\": \"BertProcessing\", \"sep\": [\"-\", 5], "
                "\"cls\": [\"?\", 0]}"),
           "AC", "0@0 6@0 5@2");
    expect(MODEL, TEMPLATE(S ", " A), "AC", "4@0 5@0 6@0");
    expect(MODEL, TEMPLATE(A ", " S), "AC", "6@0 4@2 5@2");
    expect(MODEL, POST("null"), "AC", "6@0");
}

static const struct {
    const char *field, *why;
} model_fields[] = {
    {"\"dropout\": 0.1", "dropout"},
    {"\"byte_fallback\": true", "byte_fallback"},
    {"\"continuing_subword_prefix\": \"##\"", "continuing_subword_prefix"},
    {"\"end_of_word_suffix\": \"</w>\"", "end_of_word_suffix"},
    {"\"ignore_merges\": true", "ignore_merges"},
    {"\"something_new\": {}", "something_new"},
    {"\"type\": \"Unigram\"", "Unigram"},
};

Test(tokenizer_json, model_fields_are_refused_by_name)
{
    for (size_t i = 0; i < sizeof(model_fields) / sizeof(*model_fields); i++) {
        struct bird_text s = {0};

        WORKS(bird_text_printf(&s, "{%s, " VOCAB ", " MERGES "}",
                               model_fields[i].field));
        refused(s.s, "", BIRD_EUNSUPPORTED, model_fields[i].why);
        bird_text_free(&s);
    }
    expect("{\"dropout\": null, \"continuing_subword_prefix\": \"\", "
           "\"byte_fallback\": false, \"ignore_merges\": false, " VOCAB
           ", " MERGES "}",
           "", "AC", "6@0");
}

Test(tokenizer_json, broken_models_are_refused)
{
    refused("{" MERGES "}", "", BIRD_EFORMAT, "vocab");
    refused("{" VOCAB "}", "", BIRD_EFORMAT, "merges");
    refused("7", "", BIRD_EFORMAT, "model");
    refused("{\"vocab\": {\"A\": \"x\"}}", "", BIRD_EFORMAT, "'A'");
    refused("{\"vocab\": {\"A\": -1}}", "", BIRD_EFORMAT, "-1");
    refused("{\"vocab\": {\"A\": 4194304}}", "", BIRD_EFORMAT, "4194304");
    refused("{\"vocab\": {\"A\": 1, \"B\": 1}}", "", BIRD_EFORMAT, "'B'");
    refused("{\"vocab\": {\"A\": 1, \"A\": 2}}", "", BIRD_EFORMAT, "line");
    refused("{\"unk_token\": \"?\", \"vocab\": {}}", "", BIRD_EFORMAT,
            "unk_token");
    refused("{\"unk_token\": 3, \"vocab\": {}}", "", BIRD_EFORMAT, "unk_token");
    refused("{\"fuse_unk\": 3, \"vocab\": {}}", "", BIRD_EFORMAT, "fuse_unk");
    refused("{\"type\": 3, \"vocab\": {}}", "", BIRD_EFORMAT, "type");
}

Test(tokenizer_json, broken_merges_are_refused)
{
    static const char *const merge[] = {"\"AC\"", "\"A C G\"", "7", "[\"A\"]",
                                        "[\"A\", 3]"};
    static const char *const part[] = {"\"X C\"", "\"A X\"", "\"C A\"",
                                       "[\"A\", \"X\"]"};

    for (size_t i = 0; i < 9; i++) {
        struct bird_text s = {0};

        WORKS(bird_text_printf(&s, "{" VOCAB ", \"merges\": [%s]}",
                               i < 5 ? merge[i] : part[i - 5]));
        refused(s.s, "", BIRD_EFORMAT,
                i < 5 ? "not a pair" : "not in the vocab");
        bird_text_free(&s);
    }
    refused("{\"unk_token\": \"A\", " VOCAB ", " MERGES "}", "",
            BIRD_EUNSUPPORTED, "unknown token");
}

static const struct {
    const char *section;
    int code;
    const char *why;
} sections[] = {
    {"\"truncation\": {\"max_length\": 512}", BIRD_EUNSUPPORTED, "truncation"},
    {"\"padding\": {}", BIRD_EUNSUPPORTED, "padding"},
    {"\"added_tokens\": 3", BIRD_EFORMAT, "added_tokens"},
    {"\"added_tokens\": [3]", BIRD_EFORMAT, "added_tokens"},
    {"\"added_tokens\": [{\"id\": 3}]", BIRD_EFORMAT, "content"},
    {"\"added_tokens\": [{\"id\": \"x\"}]", BIRD_EFORMAT, "'id'"},
    {"\"added_tokens\": [{\"content\": \"A\"}]", BIRD_EFORMAT, "id"},
    {ADDED("", "3", ""), BIRD_EFORMAT, "content"},
    {ADDED("A", "3", ""), BIRD_EFORMAT, "id 3"},
    {ADDED("Z", "3", ""), BIRD_EFORMAT, "'Z'"},
    {ADDED("Z", "30", ", \"single_word\": true"), BIRD_EUNSUPPORTED,
     "single_word"},
    {ADDED("Z", "30", ", \"lstrip\": true"), BIRD_EUNSUPPORTED, "lstrip"},
    {ADDED("Z", "30", ", \"rstrip\": true"), BIRD_EUNSUPPORTED, "rstrip"},
    {ADDED("Z", "30", ", \"normalized\": true"), BIRD_EUNSUPPORTED,
     "normalized"},
    {ADDED("Z", "30", ", \"normalized\": 1"), BIRD_EFORMAT, "normalized"},
    {NORMAL("{\"type\": \"NFC\"}"), BIRD_EUNSUPPORTED, "NFC"},
    {NORMAL("{}"), BIRD_EFORMAT, "type"},
    {NORMAL("{\"type\": \"Sequence\"}"), BIRD_EFORMAT, "Sequence"},
    {NORMAL("{\"type\": \"Strip\", \"strip_left\": 1}"), BIRD_EFORMAT,
     "strip_left"},
    {NORMAL("{\"type\": \"Replace\", \"content\": \"\"}"), BIRD_EFORMAT,
     "pattern"},
    {NORMAL("{\"type\": \"Replace\", \"pattern\": {\"String\": \"a\"}}"),
     BIRD_EFORMAT, "content"},
    {NORMAL("{\"type\": \"Replace\", \"pattern\": {\"String\": \"\"}, "
            "\"content\": \"\"}"),
     BIRD_EUNSUPPORTED, "String"},
    {NORMAL("{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"[acgt]\"}, "
            "\"content\": \"\"}"),
     BIRD_EUNSUPPORTED, "[acgt]"},
    {NORMAL("{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"N{0,}\"}, "
            "\"content\": \"\"}"),
     BIRD_EUNSUPPORTED, "N{0,}"},
    {NORMAL("{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"N{2,3}\"}, "
            "\"content\": \"\"}"),
     BIRD_EUNSUPPORTED, "N{2,3}"},
    {NORMAL("{\"type\": \"Replace\", \"pattern\": {\"Regex\": "
            "\"N{1000001,}\"}, \"content\": \"\"}"),
     BIRD_EUNSUPPORTED, "N{1000001,}"},
    {NORMAL("{\"type\": \"Replace\", \"pattern\": {\"Regex\": \"NN+\"}, "
            "\"content\": \"\"}"),
     BIRD_EUNSUPPORTED, "NN+"},
    {SPLIT("{\"type\": \"ByteLevel\"}"), BIRD_EUNSUPPORTED, "ByteLevel"},
    {SPLIT("{\"type\": \"Split\", \"pattern\": {\"String\": \"-\"}, "
           "\"behavior\": \"MergedWithNext\"}"),
     BIRD_EUNSUPPORTED, "MergedWithNext"},
    {SPLIT("{\"type\": \"Split\", \"pattern\": {\"String\": \"-\"}, "
           "\"behavior\": \"Removed\", \"invert\": true}"),
     BIRD_EUNSUPPORTED, "invert"},
    {SPLIT("{\"type\": \"Split\", \"behavior\": \"Removed\"}"), BIRD_EFORMAT,
     "pattern"},
    {SPLIT("{\"type\": \"Split\", \"behavior\": 3}"), BIRD_EFORMAT, "behavior"},
    {POST("{\"type\": \"RobertaProcessing\"}"), BIRD_EUNSUPPORTED,
     "RobertaProcessing"},
    {POST("{}"), BIRD_EFORMAT, "type"},
    {POST("{\"type\": \"BertProcessing\"}"), BIRD_EFORMAT, "post_processor"},
    {POST("{\"type\": \"BertProcessing\", \"cls\": [\"?\", 0], \"sep\": "
          "[\"x\", 99]}"),
     BIRD_EFORMAT, "post_processor"},
    {POST("{\"type\": \"TemplateProcessing\"}"), BIRD_EFORMAT, "single"},
    {TEMPLATE(""), BIRD_EUNSUPPORTED, "without A"},
    {TEMPLATE(A ", " A), BIRD_EUNSUPPORTED, "one A"},
    {TEMPLATE("{\"Sequence\": {\"id\": \"B\", \"type_id\": 0}}"),
     BIRD_EUNSUPPORTED, "one A"},
    {TEMPLATE("{\"Sequence\": {\"id\": \"A\", \"type_id\": 1}}"),
     BIRD_EUNSUPPORTED, "type_id"},
    {TEMPLATE("{\"SpecialToken\": {\"id\": \"Q\", \"type_id\": 0}}"),
     BIRD_EFORMAT, "special_tokens"},
    {TEMPLATE("3"), BIRD_EFORMAT, "item"},
};

Test(tokenizer_json, sections_are_refused_by_name)
{
    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
        refused(MODEL, sections[i].section, sections[i].code, sections[i].why);
}

Test(tokenizer_json, deep_and_long_sections_are_refused)
{
    struct bird_text s = {0};
    int rc = 0;

    rc |= bird_text_printf(&s, NORMAL(""));
    for (int i = 0; i < 10; i++)
        rc |=
            bird_text_printf(&s, "{\"type\": \"Sequence\", \"normalizers\": [");
    for (int i = 0; i < 10; i++)
        rc |= bird_text_printf(&s, "]}");
    refused(MODEL, s.s, BIRD_EUNSUPPORTED, "deep");
    bird_text_clear(&s);
    rc |= bird_text_printf(
        &s, SPLIT("{\"type\": \"Sequence\", \"pretokenizers\": [null"));
    for (int i = 0; i < 65; i++)
        rc |= bird_text_printf(&s, ", {\"type\": \"Whitespace\"}");
    rc |= bird_text_printf(&s, "]}");
    refused(MODEL, s.s, BIRD_EUNSUPPORTED, "64 steps");
    bird_text_clear(&s);
    for (int i = 0; i < 2081; i++)
        rc |= bird_text_printf(&s, S ", ");
    rc |= bird_text_printf(&s, A);
    cr_assert_eq(rc, 0);
    {
        char *post = NULL;

        cr_assert_gt(asprintf(&post,
                              POST("{\"type\": \"TemplateProcessing\", "
                                   "\"single\": [%s], "
                                   "\"special_tokens\": {\"S\": "
                                   "{\"ids\": [4, 5]}}}"),
                              s.s),
                     0);
        refused(MODEL, post, BIRD_EUNSUPPORTED, "4160 special");
        free(post);
    }
    bird_text_free(&s);
}

Test(tokenizer_json, whitespace_with_what_would_need_unicode_is_refused)
{
    const char *words = SPLIT("{\"type\": \"Whitespace\"}");

    refused("{\"unk_token\": \"?\", \"fuse_unk\": true, " VOCAB ", " MERGES "}",
            words, BIRD_EUNSUPPORTED, "fuse_unk");
    refused("{\"vocab\": {\"é\": 0, \"A\": 1, \"éA\": 2}, \"merges\": [\"é "
            "A\"]}",
            words, BIRD_EUNSUPPORTED, "ASCII");
}

Test(tokenizer_json, case_beyond_ascii_is_refused_when_met)
{
    bird_tokenizer *t = NULL;
    bird_encoding e = {0};

    cr_assert_eq(parse(&t, MODEL, NORMAL("{\"type\": \"Lowercase\"}")), 0);
    FAILS(BIRD_EUNSUPPORTED, bird_tokenizer_encode(t, &e, "A\xc3\xa9", 3, 0),
          "ASCII");
    cr_assert_eq(e.n, 0);
    cr_assert_eq(bird_tokenizer_encode(t, &e, "A", -1, 0), BIRD_EINVAL);
    bird_encoding_free(&e);
    bird_tokenizer_free(t);
}

Test(tokenizer_json, tokens_and_ids_by_each_other)
{
    bird_tokenizer *t = NULL;

    cr_assert_eq(parse(&t, MODEL, ADDED("[M]", "12", "")), 0);
    cr_assert_eq(bird_tokenizer_count(t), 13);
    cr_assert_str_eq(bird_tokenizer_token(t, 7), "ACG");
    cr_assert_str_eq(bird_tokenizer_token(t, 12), "[M]");
    cr_assert_null(bird_tokenizer_token(t, 11));
    cr_assert_null(bird_tokenizer_token(t, 13));
    cr_assert_null(bird_tokenizer_token(t, -1));
    cr_assert_eq(bird_tokenizer_id(t, "[M]"), 12);
    cr_assert_eq(bird_tokenizer_id(t, "[N]"), -1);
    bird_tokenizer_free(t);
    bird_tokenizer_free(NULL);
}

Test(tokenizer_json, missing_and_foreign_files_are_named)
{
    bird_tokenizer *t = NULL;

    FAILS(BIRD_EIO, bird_tokenizer_open(&t, "no/such/tokenizer.json"),
          "no/such/tokenizer.json");
    cr_assert_eq(bird_tokenizer_parse(&t, "ACGT", 4, "t.json"), BIRD_EFORMAT);
    cr_assert_eq(bird_tokenizer_parse(&t, "[]", 2, "t.json"), BIRD_EFORMAT);
    cr_assert_eq(bird_tokenizer_parse(&t, "{}", 2, "t.json"), BIRD_EFORMAT);
    cr_assert_null(t);
}
