/* token/word and kmer_write: whole words, pieces of words, k-mers that import
 * takes over. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dnabird/tokenizer.h"
#include "temp.h"
#include "token/vocab.h"
#include "token/words.h"

static bird_tokenizer *parsed(const char *json)
{
    bird_tokenizer *t = NULL;

    WORKS(bird_tokenizer_parse(&t, json, strlen(json), "t.json"));
    return t;
}

/* Encode and print as "id@start id@start". */
static void expect(const bird_tokenizer *t, const char *text, const char *want)
{
    bird_encoding e = {0};
    struct bird_text got = {0};

    WORKS(bird_tokenizer_encode(t, &e, text, (int64_t)strlen(text), 1));
    WORKS(bird_text_put(&got, "", 0));
    for (int64_t i = 0; i < e.n; i++)
        WORKS(bird_text_printf(&got, "%s%d@%d", i ? " " : "", e.ids[i],
                               (int)e.start[i]));
    cr_assert_str_eq(got.s, want, "'%s' gives %s", text, got.s);
    bird_text_free(&got);
    bird_encoding_free(&e);
}

#define WORDS                                                                  \
    "{\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"[UNK]\","          \
    " \"vocab\": {\"[UNK]\": 0, \"AAA\": 1, \"AAC\": 2, \"ACG\": 3,"           \
    " \"CGT\": 4, \"x\": 5}},"                                                 \
    " \"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"}}"

Test(word, words_are_looked_up_as_they_stand)
{
    bird_tokenizer *t = parsed(WORDS);

    cr_assert_eq(bird_tokenizer_count(t), 6);
    expect(t, "AAA AAC  xx x", "1@0 2@4 0@9 5@12");
    expect(t, "", "");
    expect(t, " \n", "");
    expect(t, "AA", "0@0");
    bird_tokenizer_free(t);
}

/* Like the vocabulary of a codon model: amino acid, codon. */
#define CODONS                                                                 \
    "{\"added_tokens\": [{\"id\": 1, \"content\": \"[CLS]\"},"                 \
    " {\"id\": 2, \"content\": \"[SEP]\"}],"                                   \
    " \"normalizer\": {\"type\": \"Sequence\", \"normalizers\":"               \
    " [{\"type\": \"Lowercase\"}]},"                                           \
    " \"pre_tokenizer\": {\"type\": \"Sequence\", \"pretokenizers\":"          \
    " [{\"type\": \"Split\", \"pattern\": {\"String\": \" \"},"                \
    " \"behavior\": \"Isolated\", \"invert\": false},"                         \
    " {\"type\": \"Whitespace\"}]},"                                           \
    " \"post_processor\": {\"type\": \"TemplateProcessing\", \"single\":"      \
    " [{\"SpecialToken\": {\"id\": \"[CLS]\", \"type_id\": 0}},"               \
    " {\"Sequence\": {\"id\": \"A\", \"type_id\": 0}},"                        \
    " {\"SpecialToken\": {\"id\": \"[SEP]\", \"type_id\": 0}}],"               \
    " \"special_tokens\": {\"[CLS]\": {\"id\": \"[CLS]\", \"ids\": [1]},"      \
    " \"[SEP]\": {\"id\": \"[SEP]\", \"ids\": [2]}}},"                         \
    " \"model\": {\"type\": \"WordPiece\", \"unk_token\": \"[UNK]\","          \
    " \"continuing_subword_prefix\": \"##\","                                  \
    " \"max_input_chars_per_word\": 9,"                                        \
    " \"vocab\": {\"[UNK]\": 0, \"[CLS]\": 1, \"[SEP]\": 2, \"m_atg\": 3,"     \
    " \"__taa\": 4, \"m_unk\": 5, \"m\": 6, \"##_\": 7, \"##_at\": 8,"         \
    " \"##g\": 9}}}"

Test(word, words_are_cut_into_the_longest_pieces)
{
    bird_tokenizer *t = parsed(CODONS);

    expect(t, "M_ATG __TAA", "1@0 3@0 4@6 2@11");
    expect(t, "m_unk", "1@0 5@0 2@5");
    expect(t, "m_at", "1@0 6@0 8@1 2@4"); /* the longest, not "_" */
    expect(t, "m_g", "1@0 6@0 7@1 9@2 2@3");
    expect(t, "m_a", "1@0 0@0 2@3"); /* one unknown for the whole word */
    expect(t, "g", "1@0 0@0 2@1");   /* known only inside a word */
    expect(t, "m_gggggg", "1@0 6@0 7@1 9@2 9@3 9@4 9@5 9@6 9@7 2@8");
    expect(t, "m_gggggggg", "1@0 0@0 2@10"); /* too long */
    expect(t, "m-m", "1@0 6@0 0@1 6@2 2@3");
    expect(t, "[SEP]m", "1@0 2@0 6@5 2@6");
    bird_tokenizer_free(t);
}

static void refused(const char *json, int code, const char *word)
{
    bird_tokenizer *t = NULL;

    cr_assert_eq(bird_tokenizer_parse(&t, json, strlen(json), "t.json"), code,
                 "%s", json);
    cr_assert_null(t);
    SAYS(word);
}

Test(word, what_is_not_there_is_refused_by_name)
{
    refused("{\"model\": {\"type\": \"Unigram\", \"vocab\": []}}",
            BIRD_EUNSUPPORTED, "Unigram");
    refused("{\"model\": {\"type\": \"WordLevel\", \"vocab\": {\"A\": 0}}}",
            BIRD_EFORMAT, "unk_token");
    refused("{\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"?\", "
            "\"vocab\": {\"A\": 0}}}",
            BIRD_EFORMAT, "unk_token '?'");
    refused("{\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"A\", "
            "\"merges\": [\"A\"], \"vocab\": {\"A\": 0}}}",
            BIRD_EUNSUPPORTED, "'merges'");
    refused("{\"model\": {\"type\": \"WordPiece\", \"unk_token\": \"A\", "
            "\"max_input_chars_per_word\": 0, \"vocab\": {\"A\": 0}}}",
            BIRD_EFORMAT, "max_input_chars_per_word");
}

/* Which letters beyond ASCII belong to words only Unicode's tables tell. */
Test(word, letters_beyond_ascii_are_refused_where_they_matter)
{
    bird_tokenizer *t = parsed(
        "{\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"?\", \"vocab\":"
        " {\"?\": 0, \"A\": 1}}, \"pre_tokenizer\": {\"type\": "
        "\"Whitespace\"}}");
    bird_encoding e = {0};

    expect(t, "A-A", "1@0 0@1 1@2");
    cr_assert_eq(bird_tokenizer_encode(t, &e, "A \xc3\xa9", 4, 0),
                 BIRD_EUNSUPPORTED);
    cr_assert_eq(e.n, 0);
    bird_encoding_free(&e);
    bird_tokenizer_free(t);
}

/* Words of one length are k-mers; those of several are looked up as they
 * stand, and no stride is asked for. */
Test(word, k_mers_are_words_of_one_length)
{
    bird_tokenizer *t = parsed(WORDS);

    cr_assert_eq(bird_tokenizer_kmer(t), 0);
    bird_tokenizer_free(t);
    t = parsed("{\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"?\", "
               "\"vocab\": {\"?\": 0, \"AC\": 1, \"CA\": 2}}}");
    cr_assert_eq(bird_tokenizer_kmer(t), 2);
    bird_tokenizer_free(t);
}

TestSuite(kmer, .init = folder_new, .fini = folder_remove);

static int take(const char *vocab, int64_t stride, int special)
{
    return bird_kmer_take(path_of("tokenizer.json"),
                          &(struct bird_kmer_source){vocab, stride, special});
}

static bird_tokenizer *taken(const char *vocab, int64_t stride, int special)
{
    bird_tokenizer *t = NULL;

    WORKS(take(vocab, stride, special));
    WORKS(bird_tokenizer_open(&t, path_of("tokenizer.json")));
    return t;
}

/* A vocabulary of all 3-mers, as k-mer models of 69 tokens have it. */
Test(kmer, a_vocabulary_becomes_a_tokenizer)
{
    struct bird_text v = {0};
    const char *vocab;
    bird_tokenizer *t;

    WORKS(bird_text_printf(&v, "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n"));
    for (int i = 0; i < 64; i++)
        WORKS(bird_text_printf(&v, "%c%c%c\r\n", "ATCG"[i / 16],
                               "ATCG"[i / 4 % 4], "ATCG"[i % 4]));
    vocab = file_text("vocab.txt", v.s);
    bird_text_free(&v);
    t = taken(vocab, 1, 1);
    cr_assert_eq(bird_tokenizer_count(t), 69);
    cr_assert_eq(bird_tokenizer_kmer(t), 3);
    cr_assert_eq(bird_tokenizer_stride(t), 1);
    cr_assert_eq(bird_tokenizer_id(t, "[PAD]"), 0);
    cr_assert_eq(bird_tokenizer_id(t, "GGG"), 68);
    expect(t, "AAA AAT [MASK]", "2@0 5@0 6@4 4@8 3@14"); /* the library's way */
    expect(t, "AAATN", "2@0 5@0 6@1 1@2 3@5");
    bird_tokenizer_free(t);
    t = taken(vocab, 3, 0);
    expect(t, "AAATTTA", "5@0 26@3 1@6"); /* what is left over is unknown */
    bird_tokenizer_free(t);
    /* its own output is a vocabulary, too */
    t = taken(path_of("tokenizer.json"), 2, 1);
    expect(t, "AAATG", "2@0 5@0 12@2 3@5");
    bird_tokenizer_free(t);
}

Test(kmer, what_is_no_vocabulary_is_refused)
{
    static const struct {
        const char *vocab;
        int64_t stride;
        int code;
        const char *word;
    } cases[] = {
        {"[UNK]\n[CLS]\n[SEP]\nAC\nACG\n", 1, BIRD_EFORMAT, "'ACG' has 3"},
        {"[UNK]\n[CLS]\n[SEP]\nx\n", 1, BIRD_EFORMAT, "no tokens of A"},
        {"[CLS]\n[SEP]\nACG\n", 1, BIRD_EFORMAT, "no token '[UNK]'"},
        {"[UNK]\n[CLS]\nACG\n", 1, BIRD_EFORMAT, "--no-special"},
        {"[UNK]\n\nACG\n", 1, BIRD_EFORMAT, "line 2 is empty"},
        {"{\"[UNK]\": \"0\"}", 1, BIRD_EFORMAT, "not a number"},
        {"[UNK]\n[CLS]\n[SEP]\nACG\n", 4, BIRD_EINVAL, "leave bases out"},
        {"[UNK]\n[CLS]\n[SEP]\nACG\n", 0, BIRD_EINVAL, "1 to 3"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *vocab = file_text("vocab.txt", cases[i].vocab);

        FAILS(cases[i].code, take(vocab, cases[i].stride, 1), cases[i].word);
        cr_assert(access(path_of("tokenizer.json"), F_OK));
        cr_assert(access(path_of("tokenizer_config.json"), F_OK));
    }
}
