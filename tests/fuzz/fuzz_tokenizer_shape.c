/*
 * tokenizer.json made from the bytes by a grammar: sections, types and fields
 * that there are, vocabularies and merges that fit each other mostly, and now
 * and then a wrong value. What is checked, fuzz_tokenizer.c says.
 * SPDX-License-Identifier: MIT
 */
#include "fuzz_shape.h"

#define LLVMFuzzerTestOneInput tokenizer_input
#include "fuzz_tokenizer.c"
#undef LLVMFuzzerTestOneInput

enum { TOKENS = 24, LONGEST = 12 };

/* What stands there mostly, or another value. */
static void value(struct shape *s, const char *usual)
{
    static const char *const odd[] = {
        "null",      "true",    "false", "0",           "-1",
        "1e400",     "\"\"",    "[]",    "{}",          "\"N\"",
        "3.5",       "4194305", "[[]]",  "\"\\u0000\"", "[0]",
        "{\"a\":0}", "\"-\"",   "1e-9",  "2147483648"};

    if (choose(&s->c, 16) == 15)
        put_one(s, odd, sizeof(odd) / sizeof(*odd));
    else
        put(s, usual);
}

static void field(struct shape *s, const char *key, const char *usual)
{
    if (choose(&s->c, 24) == 23)
        return;
    put(s, "\"");
    put(s, key);
    put(s, "\":");
    value(s, usual);
    put(s, ",");
}

/* The comma behind the last field goes. */
static void close_with(struct shape *s, const char *end)
{
    if (s->out.n && s->out.s[s->out.n - 1] == ',')
        s->out.s[--s->out.n] = '\0';
    put(s, end);
}

static void text_pattern(struct shape *s)
{
    put(s, "\"pattern\":{");
    if (choose(&s->c, 2))
        field(s, "String",
              (const char *const[]){"\"-\"", "\"N\"", "\" \"",
                                    "\"AC\""}[choose(&s->c, 4)]);
    else
        field(s, "Regex",
              (const char *const[]){"\"N{10,}\"", "\"N{2,}\"", "\"-{1,}\"",
                                    "\"N+\"", "\"A{99999999999,}\"",
                                    "\"[^ACGT]\""}[choose(&s->c, 6)]);
    close_with(s, "},");
}

static void normalizer(struct shape *s, int depth)
{
    int kind = choose(&s->c, depth > 3 ? 4 : 6);

    put(s, "{");
    switch (kind) {
    case 0:
        field(s, "type", "\"Strip\"");
        field(s, "strip_left", "true");
        field(s, "strip_right", "true");
        break;
    case 1:
        field(s, "type", "\"Replace\"");
        text_pattern(s);
        field(s, "content", choose(&s->c, 2) ? "\"-\"" : "\"AC\"");
        break;
    case 2:
        field(s, "type", "\"Uppercase\"");
        break;
    case 3:
        field(s, "type", "\"Lowercase\"");
        break;
    default:
        field(s, "type", "\"Sequence\"");
        put(s, "\"normalizers\":[");
        for (int i = choose(&s->c, 4); i > 0; i--)
            normalizer(s, depth + 1);
        close_with(s, "],");
    }
    close_with(s, "},");
}

static void pre_tokenizer(struct shape *s, int depth)
{
    int kind = choose(&s->c, depth > 3 ? 3 : 5);

    put(s, "{");
    switch (kind) {
    case 0:
        field(s, "type", "\"Whitespace\"");
        break;
    case 1:
        field(s, "type", "\"WhitespaceSplit\"");
        break;
    case 2:
        field(s, "type", "\"Split\"");
        text_pattern(s);
        field(s, "behavior", choose(&s->c, 3) ? "\"Isolated\"" : "\"Removed\"");
        field(s, "invert", "false");
        break;
    default:
        field(s, "type", "\"Sequence\"");
        put(s, "\"pretokenizers\":[");
        for (int i = choose(&s->c, 4); i > 0; i--)
            pre_tokenizer(s, depth + 1);
        close_with(s, "],");
    }
    close_with(s, "},");
}

static void section(struct shape *s, const char *name,
                    void (*make)(struct shape *, int))
{
    put(s, "\"");
    put(s, name);
    put(s, "\":");
    if (choose(&s->c, 2))
        make(s, 0);
    else
        put(s, "null,");
}

static void post_processor(struct shape *s)
{
    put(s, "\"post_processor\":");
    switch (choose(&s->c, 4)) {
    case 0:
        value(s, "null");
        put(s, ",");
        break;
    case 1:
        value(s, "{\"type\":\"BertProcessing\",\"sep\":[\"[SEP]\",2],"
                 "\"cls\":[\"[CLS]\",1]}");
        put(s, ",");
        break;
    default:
        put(s, "{");
        field(s, "type", "\"TemplateProcessing\"");
        put(s, "\"single\":[");
        for (int i = choose(&s->c, 5); i > 0; i--) {
            ONE_OF(s, "{\"SpecialToken\":{\"id\":\"[CLS]\",\"type_id\":0}}",
                   "{\"SpecialToken\":{\"id\":\"[SEP]\",\"type_id\":0}}",
                   "{\"Sequence\":{\"id\":\"A\",\"type_id\":0}}",
                   "{\"Sequence\":{\"id\":\"B\",\"type_id\":1}}", "{}");
            put(s, ",");
        }
        close_with(s, "],");
        field(s, "pair", "[]");
        put(s, "\"special_tokens\":{\"[CLS]\":{");
        field(s, "id", "\"[CLS]\"");
        field(s, "ids", "[1]");
        field(s, "tokens", "[\"[CLS]\"]");
        close_with(s, "},\"[SEP]\":{");
        field(s, "id", "\"[SEP]\"");
        field(s, "ids", "[2]");
        close_with(s, "}}");
        close_with(s, "},");
    }
}

static void added(struct shape *s)
{
    static const char *const names[] = {"\"[UNK]\"", "\"[CLS]\"",  "\"[SEP]\"",
                                        "\"[PAD]\"", "\"[MASK]\"", "\"-\""};
    char id[16];

    put(s, "\"added_tokens\":[");
    for (int i = 0, n = choose(&s->c, 7); i < n; i++) {
        put(s, "{");
        snprintf(id, sizeof(id), "%d", i);
        field(s, "id", id);
        field(s, "content", names[i]);
        field(s, "single_word", "false");
        field(s, "lstrip", "false");
        field(s, "rstrip", "false");
        field(s, "normalized", "false");
        field(s, "special", "true");
        close_with(s, "},");
    }
    close_with(s, "],");
}

static void put_word(struct shape *s, const char *key, int id)
{
    char text[64];

    if (id < 0)
        snprintf(text, sizeof(text), "\"%.32s\",", key);
    else
        snprintf(text, sizeof(text), "\"%.32s\":%d,", key, id);
    put(s, text);
}

/* Letters, and tokens that merges make of two before them. */
static void model_bpe(struct shape *s)
{
    struct {
        int left, right;
    } merge[TOKENS];
    char token[TOKENS][LONGEST + 1];
    int n_token = 0;
    char product[2 * LONGEST + 1];
    int n_merge = 0, paired = choose(&s->c, 2);

    for (const char *l = "ACGTNx"; *l && n_token < 2 + choose(&s->c, 5); l++)
        snprintf(token[n_token++], LONGEST + 1, "%c", *l);
    for (int i = choose(&s->c, TOKENS); i > 0 && n_token < TOKENS; i--) {
        int a = choose(&s->c, n_token), b = choose(&s->c, n_token);

        if (strlen(token[a]) + strlen(token[b]) > LONGEST)
            continue;
        merge[n_merge].left = a;
        merge[n_merge++].right = b;
        snprintf(product, sizeof(product), "%s%s", token[a], token[b]);
        snprintf(token[n_token++], LONGEST + 1, "%.*s", LONGEST, product);
    }
    put(s, "\"vocab\":{");
    for (int i = 0; i < n_token; i++)
        put_word(s, token[i], 5 + i + (choose(&s->c, 64) == 63));
    close_with(s, "},\"merges\":[");
    for (int i = 0; i < n_merge; i++) {
        int at = choose(&s->c, 64) == 63 ? n_merge - 1 - i : i;

        put(s, paired ? "[\"" : "\"");
        put(s, token[merge[at].left]);
        put(s, paired ? "\",\"" : " ");
        put(s, token[merge[at].right]);
        put(s, paired ? "\"]," : "\",");
    }
    close_with(s, "],");
}

static void model_words(struct shape *s, int pieces)
{
    int k = 1 + choose(&s->c, 3);

    put(s, "\"vocab\":{");
    put_word(s, "[UNK]", 0);
    for (int i = 0, n = choose(&s->c, 3) ? 1 << 2 * k : choose(&s->c, 20);
         i < n; i++) {
        char word[16] = "";

        if (pieces && choose(&s->c, 2))
            strcpy(word, "##");
        for (int j = 0; j < k; j++) {
            char c[2] = {"ACGT"[i >> 2 * j & 3], '\0'};

            strcat(word, c);
        }
        put_word(s, word, 5 + i);
    }
    close_with(s, "},");
    if (pieces) {
        field(s, "continuing_subword_prefix", "\"##\"");
        field(s, "max_input_chars_per_word", "100");
    }
}

static void model(struct shape *s)
{
    int kind = choose(&s->c, 4);

    put(s, "\"model\":{");
    field(s, "type",
          (const char *const[]){"\"BPE\"", "\"BPE\"", "\"WordLevel\"",
                                "\"WordPiece\""}[kind]);
    field(s, "dropout", "null");
    field(s, "unk_token", "\"[UNK]\"");
    field(s, "continuing_subword_prefix", "null");
    field(s, "end_of_word_suffix", "null");
    field(s, "fuse_unk", choose(&s->c, 2) ? "true" : "false");
    if (kind < 2)
        model_bpe(s);
    else
        model_words(s, kind == 3);
    close_with(s, "}");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct shape s = {.c = {data, size}};

    put(&s, "{");
    field(&s, "version", "\"1.0\"");
    field(&s, "truncation", "null");
    field(&s, "padding", "null");
    added(&s);
    section(&s, "normalizer", normalizer);
    section(&s, "pre_tokenizer", pre_tokenizer);
    post_processor(&s);
    field(&s, "decoder", "null");
    model(&s);
    put(&s, "}");
    if (s.c.n) { /* what is left is encoded */
        MUST(!bird_text_put(&s.out, "", 1));
        MUST(!bird_text_put(&s.out, (const char *)s.c.s, (int64_t)s.c.n));
    }
    tokenizer_input((const uint8_t *)s.out.s, (size_t)s.out.n);
    bird_text_free(&s.out);
    return 0;
}
