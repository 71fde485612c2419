/*
 * Vocabularies of whole words: encoding, and reading, importing and writing of
 * k-mer vocabularies. A word is one look-up; WordPiece repeatedly takes the
 * longest piece that fits, as the tokenizers library does.
 * SPDX-License-Identifier: MIT
 */
#include "token/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "seq/alphabet.h"
#include "token/global.h"

/* The tokenizers library's limit for a word that is divided into pieces. */
enum { LETTERS_MAX = 100 };

int bird_word_model_read(bird_tokenizer *t, const json_t *model,
                         const char *path)
{
    const char *prefix = "##";
    int rc;

    if (t->unk < 0)
        return bird_fail(BIRD_EFORMAT,
                         "%s: a vocabulary of words needs an unk_token that "
                         "is in it",
                         path);
    t->letters_max = LETTERS_MAX;
    if ((rc = bird_json_text(&prefix, model, "continuing_subword_prefix",
                             path)) ||
        (rc = bird_json_int(&t->letters_max, model, "max_input_chars_per_word",
                            1, INT32_MAX, path)))
        return rc;
    t->prefix = strdup(prefix);
    return t->prefix ? 0 : bird_fail_memory(strlen(prefix));
}

/* The longest piece that begins at s; 0: none. */
static int64_t longest(const bird_tokenizer *t, const char *s, int64_t n,
                       struct bird_text *piece, int32_t *id)
{
    int64_t before = piece->n;

    for (int64_t k = n; k > 0; k--) {
        piece->n = before;
        if (bird_text_put(piece, s, k))
            return -1;
        *id = bird_vocab_find(&t->vocab, piece->s, (size_t)piece->n);
        if (*id >= 0)
            return k;
    }
    return 0;
}

/* Divide into pieces; 1: at some character no piece begins. */
static int cut(const bird_tokenizer *t, bird_encoding *out, const char *s,
               int64_t n, int64_t at)
{
    struct bird_text piece = {0};
    int64_t k = 0, i = 0;
    int rc = 0;

    for (; !rc && i < n; i += k) {
        int32_t id = -1;

        bird_text_clear(&piece);
        if (i)
            rc = bird_text_put(&piece, t->prefix, (int64_t)strlen(t->prefix));
        if (rc || (k = longest(t, s + i, n - i, &piece, &id)) <= 0)
            break;
        rc = bird_encoding_add(out, id, at + i);
    }
    bird_text_free(&piece);
    return rc || k < 0 ? BIRD_ENOMEM : i < n;
}

static int64_t count_letters(const char *s, int64_t n)
{
    int64_t count = 0;

    for (int64_t i = 0; i < n; i += bird_char_at(s + i, n - i))
        count++;
    return count;
}

static int is_ascii(const char *s, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (s[i] & 0x80)
            return 0;
    return 1;
}

int bird_word_check(const bird_tokenizer *t, const char *s, int64_t n)
{
    for (int64_t i = 0; i < t->split.n; i++)
        if (t->split.rule[i].kind == BIRD_RULE_WORDS && !is_ascii(s, n))
            return bird_fail(BIRD_EUNSUPPORTED,
                             "a letter beyond ASCII, which may or may not "
                             "divide words");
    return 0;
}

int bird_word_encode(const bird_tokenizer *t, bird_encoding *out, const char *s,
                     int64_t n, int64_t at)
{
    int64_t before = out->n;
    int32_t id;
    int rc;

    if (t->model == BIRD_MODEL_WORD_LEVEL) {
        id = bird_vocab_find(&t->vocab, s, (size_t)n);
        return bird_encoding_add(out, id < 0 ? t->unk : id, at);
    }
    if (count_letters(s, n) <= t->letters_max) {
        rc = cut(t, out, s, n, at);
        if (rc <= 0)
            return rc ? bird_fail_memory((size_t)n) : 0;
        out->n = before;
    }
    return bird_encoding_add(out, t->unk, at);
}

static int is_added(const bird_tokenizer *t, int64_t id)
{
    for (int64_t i = 0; i < t->n_added; i++)
        if (t->added[i].id == id)
            return 1;
    return 0;
}

/* A word's index among the 4^k words of A, C, G, T; -1: another character. */
static int64_t kmer_code(const char *s, int64_t k)
{
    int64_t code = 0;

    for (int64_t i = 0; i < k; i++) {
        int base = bird_base_code(s[i]);

        if (base < 0)
            return -1;
        code = code << 2 | base;
    }
    return code;
}

/* A table instead of a hash of every word, for short words only. */
static int kmer_table(bird_tokenizer *t)
{
    int64_t n = (int64_t)1 << 2 * t->kmer;
    int rc = bird_array_new(&t->kmer_id, n, sizeof(*t->kmer_id));

    for (int64_t i = 0; i < n && !rc; i++)
        t->kmer_id[i] = t->unk;
    for (int64_t id = 0; id < t->vocab.n && !rc; id++) {
        const char *s = bird_vocab_text(&t->vocab, id);
        int64_t code;

        if (!s || (int64_t)strlen(s) != t->kmer)
            continue;
        code = kmer_code(s, t->kmer);
        if (code >= 0)
            t->kmer_id[code] = (int32_t)id;
        else
            t->kmer_other = 1;
    }
    return rc;
}

static int32_t kmer_id(const bird_tokenizer *t, const char *s)
{
    int64_t code = t->kmer_id ? kmer_code(s, t->kmer) : -1;
    int32_t id;

    if (code >= 0)
        return t->kmer_id[code];
    if (t->kmer_id && !t->kmer_other)
        return t->unk;
    id = bird_vocab_find(&t->vocab, s, (size_t)t->kmer);
    return id < 0 ? t->unk : id;
}

int bird_kmer_find(bird_tokenizer *t, const char *path)
{
    size_t k = 0;

    for (int64_t id = 0; id < t->vocab.n; id++) {
        const char *s = bird_vocab_text(&t->vocab, id);

        if (!s || id == t->unk || is_added(t, id))
            continue;
        if (k && strlen(s) != k)
            return 0;
        k = strlen(s);
    }
    if (!k)
        return bird_fail(BIRD_EFORMAT, "%s: a WordLevel vocab without words",
                         path);
    t->kmer = (int64_t)k;
    return k > BIRD_WORD_MAX ? 0 : kmer_table(t);
}

int bird_kmer_encode(const bird_tokenizer *t, bird_encoding *out, const char *s,
                     int64_t a, int64_t b)
{
    int64_t step = t->stride ? t->stride : t->kmer, i = a;
    int rc = 0;

    for (; i + t->kmer <= b && !rc; i += step)
        rc = bird_encoding_add(out, kmer_id(t, s + i), i);
    if (!rc && (i == a || (step == t->kmer && i < b)))
        rc = bird_encoding_add(out, t->unk, i);
    return rc;
}

int bird_kmer_stride(bird_tokenizer *t, const char *path)
{
    char *beside = NULL;
    json_t *root = NULL;
    int64_t stride = 0;
    int rc = bird_tokenizer_config(&beside, path);

    if (!rc && bird_file_exists(beside)) {
        if (!(rc = bird_json_open(&root, beside)))
            rc = bird_json_int(&stride, root, "stride", 0,
                               t->kmer ? t->kmer : INT32_MAX, beside);
    }
    if (!rc && stride && !t->kmer)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: has a stride, but the words of %s differ in "
                       "length: not a vocabulary of k-mers",
                       beside, path);
    if (!rc && !stride && t->kmer)
        rc = bird_fail(BIRD_EFORMAT,
                       "%s: a vocabulary of %lld-mers without a stride: write "
                       "{\"stride\": N} into %s, N bases from word to word "
                       "(dnabird import --stride N does)",
                       path, (long long)t->kmer, beside);
    if (!rc)
        t->stride = stride;
    json_decref(root);
    free(beside);
    return rc;
}

int bird_tokenizer_config(char **out, const char *path)
{
    struct bird_text s = {0};
    int64_t n = (int64_t)strlen(path);
    int rc;

    if (n >= 5 && !strcmp(path + n - 5, ".json"))
        n -= 5;
    rc = bird_text_put(&s, path, n);
    if (!rc)
        rc = bird_text_put(&s, "_config.json", sizeof("_config.json"));
    if (rc)
        bird_text_free(&s);
    else
        *out = s.s;
    return rc;
}

/* The special tokens of a new vocabulary, by id, and their roles. */
static const struct {
    const char *text, *role;
} special[] = {{"[UNK]", "unk_token"},
               {"[CLS]", "cls_token"},
               {"[SEP]", "sep_token"},
               {"[PAD]", "pad_token"},
               {"[MASK]", "mask_token"}};

enum { N_SPECIAL = sizeof(special) / sizeof(*special), K_MAX = 32 };

static int32_t id_of(const struct bird_vocab *v, const char *s)
{
    return bird_vocab_find(v, s, strlen(s));
}

/* A token on each line, without white space at its end. */
static int read_lines(struct bird_vocab *v, char *text, const char *path)
{
    char *line, *next = text;
    int64_t id = 0;
    int rc = 0;

    while (!rc && (line = strsep(&next, "\n"))) {
        line[strcspn(line, " \t\r")] = '\0';
        if (*line)
            rc = bird_vocab_add(v, line, id, path);
        else if (next)
            rc = bird_fail(BIRD_EFORMAT, "%s: line %lld is empty", path,
                           (long long)id + 1);
        id++;
    }
    return rc;
}

/* An object of tokens and ids, or a tokenizer.json, which has it in
 * model.vocab. */
static int read_object(struct bird_vocab *v, const struct bird_text *t,
                       const char *path)
{
    json_t *o = NULL, *list, *id;
    const char *token;
    int rc = bird_json_parse(&o, t->s, (size_t)t->n, path);

    list = json_object_get(json_object_get(o, "model"), "vocab");
    json_object_foreach(list ? list : o, token, id)
    {
        if (!rc && !json_is_integer(id))
            rc =
                bird_fail(BIRD_EFORMAT, "%s: the id of '%.40s' is not a number",
                          path, token);
        if (!rc)
            rc = bird_vocab_add(v, token, json_integer_value(id), path);
    }
    json_decref(o);
    return rc;
}

static int read_vocab(struct bird_vocab *v, const char *path)
{
    struct bird_text t = {0};
    int rc = bird_file_read(&t, path);

    if (!rc && t.n && t.s[strspn(t.s, " \t\r\n")] == '{')
        rc = read_object(v, &t, path);
    else if (!rc)
        rc = read_lines(v, t.s, path);
    bird_text_free(&t);
    return rc;
}

/* The common length of tokens that consist of letters. */
static int find_k(int64_t *k, const struct bird_vocab *v, const char *path)
{
    int64_t found = 0;

    for (int64_t id = 0; id < v->n; id++) {
        const char *s = bird_vocab_text(v, id);
        int64_t n = s ? (int64_t)strspn(s, "ACGT") : 0;

        if (!n || s[n])
            continue;
        if (found && n != found)
            return bird_fail(BIRD_EFORMAT,
                             "%s: '%.40s' has %lld bases, others have %lld: "
                             "not a vocabulary of k-mers",
                             path, s, (long long)n, (long long)found);
        found = n;
    }
    if (!found || found > K_MAX)
        return bird_fail(
            BIRD_EFORMAT,
            "%s: not a vocabulary of k-mers: no tokens of A, C, G, T", path);
    *k = found;
    return 0;
}

static int check_specials(const struct bird_vocab *v, int both,
                          const char *path)
{
    for (int i = 0; i < (both ? 3 : 1); i++)
        if (id_of(v, special[i].text) < 0)
            return bird_fail(BIRD_EFORMAT, "%s: no token '%s'%s", path,
                             special[i].text, i ? ": give --no-special" : "");
    return 0;
}

/* A vocabulary as a k-mer tokenizer. */
struct maker {
    struct bird_vocab vocab;
    int64_t k, stride;
    int special;
    int64_t global;
    json_t *tokens, *added;
};

static int is_word(const struct maker *m, const char *s)
{
    return (int64_t)strlen(s) == m->k && !strchr("[<", *s);
}

static int fill_lists(struct maker *m)
{
    int bad = !m->tokens || !m->added;

    for (int64_t id = 0; id < m->vocab.n && !bad; id++) {
        const char *s = bird_vocab_text(&m->vocab, id);

        if (!s)
            continue;
        bad = json_object_set_new(m->tokens, s, json_integer(id));
        if (!is_word(m, s))
            bad |= json_array_append_new(
                m->added,
                json_pack("{sI ss sb sb sb sb sb}", "id", (json_int_t)id,
                          "content", s, "single_word", 0, "lstrip", 0, "rstrip",
                          0, "normalized", 0, "special", 1));
    }
    return bad ? bird_fail_memory(0) : 0;
}

static json_t *post_processor(const struct maker *m)
{
    const char *cls = special[1].text, *sep = special[2].text;

    return m->special ? json_pack("{ss s[si] s[si]}", "type", "BertProcessing",
                                  "sep", sep, (int)id_of(&m->vocab, sep), "cls",
                                  cls, (int)id_of(&m->vocab, cls))
                      : json_null();
}

static int write_tokenizer(struct bird_out *out, const char *path,
                           struct maker *m)
{
    json_t *root = NULL;
    int rc;

    m->tokens = json_object();
    m->added = json_array();
    rc = fill_lists(m);
    if (!rc)
        root = json_pack("{ss sn sn sO sn s{ss} so sn s{ss sO ss}}", "version",
                         "1.0", "truncation", "padding", "added_tokens",
                         m->added, "normalizer", "pre_tokenizer", "type",
                         "WhitespaceSplit", "post_processor", post_processor(m),
                         "decoder", "model", "type", "WordLevel", "vocab",
                         m->tokens, "unk_token", special[0].text);
    if (!rc)
        rc = root ? bird_global_add(root, m->global) : bird_fail_memory(0);
    if (!rc)
        rc = bird_json_begin(out, root, path);
    json_decref(root);
    json_decref(m->tokens);
    json_decref(m->added);
    return rc;
}

static int write_config(struct bird_out *out, const char *path,
                        const struct maker *m)
{
    json_t *o = json_pack("{sI}", "stride", (json_int_t)m->stride);
    char *beside = NULL;
    int bad = !o, rc;

    for (int i = 0; i < N_SPECIAL && !bad; i++)
        if (id_of(&m->vocab, special[i].text) >= 0)
            bad = json_object_set_new(o, special[i].role,
                                      json_string(special[i].text));
    bad |= json_object_set_new(o, "tokenizer_class",
                               json_string("PreTrainedTokenizerFast"));
    rc = bad ? bird_fail_memory(0) : bird_tokenizer_config(&beside, path);
    if (!rc)
        rc = bird_json_begin(out, o, beside);
    json_decref(o);
    free(beside);
    return rc;
}

/* Both are complete before one of them gets its name. */
static int write_both(const char *path, struct maker *m)
{
    struct bird_out config = {0}, words = {0};
    int rc = write_config(&config, path, m);

    if (!rc)
        rc = write_tokenizer(&words, path, m);
    if (!rc)
        rc = bird_out_commit(&config);
    if (!rc)
        rc = bird_out_commit(&words);
    bird_out_abort(&config);
    bird_out_abort(&words);
    return rc;
}

int bird_kmer_take(const char *path, const struct bird_kmer_source *from)
{
    struct maker m = {.stride = from->stride, .special = from->special};
    int rc = read_vocab(&m.vocab, from->path);

    if (!rc)
        rc = find_k(&m.k, &m.vocab, from->path);
    if (!rc)
        rc = check_specials(&m.vocab, from->special, from->path);
    if (!rc && (m.stride < 1 || m.stride > m.k))
        rc = bird_fail(BIRD_EINVAL,
                       "%s: %lld-mers every %lld bases would leave bases out: "
                       "give a stride of 1 to %lld",
                       from->path, (long long)m.k, (long long)m.stride,
                       (long long)m.k);
    if (!rc)
        rc = write_both(path, &m);
    bird_vocab_free(&m.vocab);
    return rc;
}

/* The special tokens, then all words in alphabetical order. */
static int fill_vocab(struct maker *m)
{
    char word[BIRD_WORD_MAX + 1] = {0};
    int64_t n = (int64_t)1 << (2 * m->k);
    int rc = 0;

    for (int i = 0; i < N_SPECIAL && !rc; i++)
        rc = bird_vocab_add(&m->vocab, special[i].text, i, "k-mers");
    for (int64_t w = 0; w < n && !rc; w++) {
        for (int64_t i = 0; i < m->k; i++)
            word[i] = "ACGT"[w >> (2 * (m->k - 1 - i)) & 3];
        rc = bird_vocab_add(&m->vocab, word, w + N_SPECIAL, "k-mers");
    }
    return rc;
}

int bird_kmer_write(const char *path, int k, int stride, int64_t global)
{
    struct maker m = {.k = k, .stride = stride, .special = 1, .global = global};
    int rc = bird_global_check(global);

    if (rc)
        return rc;
    if (k < 1 || k > BIRD_WORD_MAX)
        return bird_fail(BIRD_EINVAL, "k is %d: give 1 to %d", k,
                         BIRD_WORD_MAX);
    if (stride < 1 || stride > k)
        return bird_fail(BIRD_EINVAL, "the stride is %d: give 1 to %d", stride,
                         k);
    rc = fill_vocab(&m);
    if (!rc)
        rc = write_both(path, &m);
    bird_vocab_free(&m.vocab);
    return rc;
}
