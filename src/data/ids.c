/* Rows of token ids: checked when they are read, and kept as text, so that rows are
 * split, copied and digested as sequences are. SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/fail.h"
#include "base/mem.h"
#include "data/dataset.h"
#include "seq/input.h"

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int64_t word_length(const char *s)
{
    int64_t n = 0;

    while (s[n] && !is_blank(s[n]))
        n++;
    return n;
}

/* The id of a word of n characters. */
static int check_word(const struct bird_dataset_builder *b, const char *s,
                      int64_t n, int64_t line, const char *column)
{
    int64_t most = b->o->n_vocab ? b->o->n_vocab - 1 : INT32_MAX;
    char word[24];
    int64_t id;

    if (n < (int64_t)sizeof(word)) {
        memcpy(word, s, (size_t)n);
        word[n] = '\0';
        if (!bird_digits(&id, word, most))
            return 0;
        if (!bird_digits(&id, word, INT64_MAX))
            return bird_fail(BIRD_ERANGE,
                             "%s: line %lld, %s: token id %s, but the "
                             "vocabulary has ids 0 to %lld",
                             b->path, (long long)line, column, word,
                             (long long)most);
    }
    return bird_fail(BIRD_EFORMAT,
                     "%s: line %lld, %s: '%.*s' is not a token id: with --ids "
                     "a sequence is token ids between blanks",
                     b->path, (long long)line, column, (int)(n < 20 ? n : 20),
                     s);
}

int bird_dataset_put_ids(struct bird_dataset_builder *b, const char *text,
                         int64_t *len, int64_t line, const char *column)
{
    char *to = b->d.bases + b->d.n_base;
    int64_t n = 0;

    while (is_blank(*text))
        text++;
    while (*text) {
        int64_t word = word_length(text);
        int rc = check_word(b, text, word, line, column);

        if (rc)
            return rc;
        if (n)
            to[n++] = ' ';
        memcpy(to + n, text, (size_t)word);
        n += word;
        for (text += word; is_blank(*text);)
            text++;
    }
    *len = n;
    return n ? 0
             : bird_fail(BIRD_EFORMAT,
                         "%s: line %lld, %s: the sequence is empty", b->path,
                         (long long)line, column);
}

int bird_dataset_fail_long(const bird_dataset *d, int64_t i, const char *path,
                           int64_t n, int64_t most)
{
    return bird_fail(BIRD_ERANGE,
                     "%s: line %lld: a row of %lld %s has more than the %lld "
                     "tokens that the model reads: cut it into shorter rows",
                     path, (long long)d->line[i], (long long)n,
                     d->ids ? "token ids" : "bp", (long long)most);
}

int bird_ids_read(struct bird_ids *out, const char *text, int64_t len)
{
    int rc =
        bird_array_grow(&out->id, &out->cap, len / 2 + 1, sizeof(*out->id));
    int32_t id = 0;

    out->n = 0;
    for (int64_t i = 0; !rc && i <= len; i++)
        if (i < len && text[i] != ' ')
            id = id * 10 + (text[i] - '0');
        else {
            out->id[out->n++] = id;
            id = 0;
        }
    return rc;
}
