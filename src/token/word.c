/* Words to ids. SPDX-License-Identifier: MIT */
#include "token/word.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/json.h"

/* The library's own bound on a word that is cut into pieces. */
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

/* Into pieces, or 1 when some letters begin none. */
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
        if (t->split.step[i].kind == BIRD_STEP_WORDS && !is_ascii(s, n))
            return bird_fail(BIRD_EUNSUPPORTED,
                             "a letter beyond ASCII: whether it is a word's is "
                             "not known here");
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
