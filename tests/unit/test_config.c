/* model/config: config.json read, written, refused. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "folder/config_file.h"
#include "head/head.h"
#include "kernel/gemm.h"
#include "model/config.h"
#include "temp.h"

static int parse(struct bird_config *c, const char *text)
{
    json_t *o = NULL;
    int rc;

    WORKS(bird_json_parse(&o, text, strlen(text), "c.json"));
    rc = bird_config_read(c, o, "c.json");
    json_decref(o);
    return rc;
}

/* This text is refused with a sentence that holds `word`. */
static void refused(const char *text, int code, const char *word)
{
    struct bird_config c, before;

    memset(&c, 7, sizeof(c));
    memcpy(&before, &c, sizeof(c));
    cr_assert_eq(parse(&c, text), code, "%s: %s", text, bird_last_error());
    SAYS(word);
    SAYS("c.json");
    cr_assert_eq(memcmp(&c, &before, sizeof(c)), 0);
}

static void read_golden(struct bird_config *c, const char *name)
{
    const char *path = tests_path("golden/%s/config.json", name);
    json_t *o = NULL;

    WORKS(bird_json_open(&o, path));
    WORKS(bird_config_read(c, o, path));
    json_decref(o);
}

static int same(const struct bird_config *a, const struct bird_config *b)
{
#define EQ(f) (a->f == b->f)
    return EQ(vocab_size) && EQ(hidden_size) && EQ(n_layer) && EQ(n_head) &&
           EQ(intermediate_size) && EQ(max_positions) && EQ(type_vocab_size) &&
           EQ(n_label) && EQ(pattern.block) && EQ(pattern.n_random) &&
           EQ(pattern.own[0]) && EQ(pad_id) && EQ(bos_id) && EQ(eos_id) &&
           EQ(sep_id) && EQ(cls_id) && EQ(act) && EQ(pattern.row) &&
           EQ(pattern.random) && EQ(head) && EQ(problem) && EQ(use_bias) &&
           EQ(rescale_embeddings) && EQ(tie_word_embeddings) &&
           EQ(layer_norm_eps) && EQ(initializer_range) && EQ(hidden_dropout) &&
           EQ(attention_dropout) && EQ(classifier_dropout) &&
           !strcmp(a->act_name, b->act_name) &&
           !strcmp(a->transformers_version, b->transformers_version);
}

static void round_trip(const struct bird_config *c)
{
    struct bird_config back;
    json_t *o = NULL;

    WORKS(bird_config_write(&o, c, NULL));
    WORKS(bird_config_read(&back, o, "back"));
    cr_assert(same(c, &back));
    json_decref(o);
}

Test(config, golden_cases_parse_and_come_back_the_same)
{
    json_t *index = NULL, *e;
    size_t i;
    int n = 0;

    WORKS(bird_json_open(&index, golden("INDEX.json")));
    json_array_foreach(json_object_get(index, "cases"), i, e)
    {
        const char *name = json_string_value(json_object_get(e, "name"));
        struct bird_config c;

        if (!strncmp(name, "t_", 2))
            continue;
        memset(&c, 0, sizeof(c));
        read_golden(&c, name);
        if (c.head != &bird_head_linear_pooled)
            round_trip(&c);
        n++;
    }
    cr_assert_geq(n, 20);
    json_decref(index);
}

Test(config, every_field_arrives)
{
    struct bird_config c;

    read_golden(&c, "v_config_variants");
    cr_assert_eq(c.vocab_size, 40);
    cr_assert_eq(c.hidden_size, 32);
    cr_assert_eq(c.n_layer, 2);
    cr_assert_eq(c.n_head, 4);
    cr_assert_eq(c.intermediate_size, 64);
    cr_assert_eq(c.max_positions, 128);
    cr_assert_eq(c.type_vocab_size, 3);
    cr_assert_eq(c.pattern.block, 8);
    cr_assert_eq(c.pattern.n_random, 2);
    cr_assert_eq(c.pad_id, 3);
    cr_assert_eq(c.sep_id, 2);
    cr_assert_eq(c.cls_id, 1);
    cr_assert_eq(c.act, BIRD_GELU_ERF);
    cr_assert_str_eq(c.act_name, "gelu");
    cr_assert_eq(c.pattern.row, &bird_pattern_bigbird);
    cr_assert_eq(c.head, &bird_head_mlm);
    cr_assert_eq(c.use_bias, 0);
    cr_assert_eq(c.rescale_embeddings, 1);
    cr_assert_eq(c.tie_word_embeddings, 1);
    cr_assert_float_eq(c.layer_norm_eps, 1e-3, 0);
    cr_assert_float_eq(c.hidden_dropout, 0, 0);
    cr_assert_lt(c.classifier_dropout, 0);
    cr_assert_str_eq(c.transformers_version, "4.57.0.dev0");
    read_golden(&c, "g_multilabel_hf_head");
    cr_assert_eq(c.head, &bird_head_sequence);
    cr_assert_eq(c.n_label, 7);
    cr_assert_eq(c.problem, BIRD_PROBLEM_MULTI_LABEL);
    read_golden(&c, "g_multilabel_linear");
    cr_assert_eq(c.head, &bird_head_linear_pooled);
    read_golden(&c, "h_span_full");
    cr_assert_eq(c.head, &bird_head_span);
    cr_assert_eq(c.n_label, 2);
    read_golden(&c, "h_choice"); /* transformers' configuration says two */
    cr_assert_eq(c.head, &bird_head_multiple_choice);
    cr_assert_eq(c.n_label, 1);
}

Test(config, absent_fields_have_the_reference_defaults)
{
    struct bird_config c, d;

    bird_config_default(&d);
    cr_assert_eq(parse(&c, "{\"model_type\":\"big_bird\"}"), 0);
    cr_assert(same(&c, &d));
    cr_assert_eq(c.vocab_size, 50358);
    cr_assert_eq(c.sep_id, 66);
    cr_assert_eq(c.act, BIRD_GELU_TANH);
    cr_assert_eq(parse(&c, "{\"architectures\":[\"BigBirdModel\"],"
                           "\"pad_token_id\":null,\"num_labels\":5}"),
                 0);
    cr_assert_eq(c.pad_id, -1);
    cr_assert_eq(c.n_label, 5);
    round_trip(&c);
}

Test(config, all_heads_problems_and_switches_come_back)
{
    struct bird_config c;

    memset(&c, 0, sizeof(c));
    bird_config_default(&c);
    c.use_bias = 0;
    c.tie_word_embeddings = 0;
    c.rescale_embeddings = 1;
    c.pattern.row = &bird_pattern_full;
    c.classifier_dropout = 0.25;
    c.n_label = 919;
    c.cls_id = 1;
    for (int head = 0; bird_head_at(head); head++)
        for (int p = BIRD_PROBLEM_UNSET; p <= BIRD_PROBLEM_MULTI_LABEL; p++) {
            if (!bird_head_at(head)->architecture)
                continue;
            c.head = bird_head_at(head);
            c.n_label = c.head->labels ? c.head->labels : 919;
            c.problem = (enum bird_problem)p;
            round_trip(&c);
        }
    c.pattern.row = &bird_pattern_window;
    c.pattern.own[0] = 5;
    c.pattern.n_random = 3; /* not one of its parameters: not written */
    round_trip(&c);
    strcpy(c.act_name, "\xff");
    cr_assert_neq(bird_config_write(&(json_t *){NULL}, &c, NULL), 0);
}

Test(config, linear_heads_call_themselves_the_bare_encoder)
{
    struct bird_config c, back;
    json_t *o = NULL;

    bird_config_default(&c);
    c.head = &bird_head_linear_cls;
    WORKS(bird_config_write(&o, &c, NULL));
    WORKS(bird_config_read(&back, o, "back"));
    cr_assert_eq(back.head, &bird_head_none);
    json_decref(o);
}

Test(config, what_is_not_this_model_is_refused_by_name)
{
    refused("{}", BIRD_EFORMAT, "model_type");
    refused("{\"model_type\":\"bert\"}", BIRD_EUNSUPPORTED, "bert");
    refused("{\"model_type\":1}", BIRD_EFORMAT, "model_type");
    refused("{\"architectures\":[\"BertForMaskedLM\"]}", BIRD_EUNSUPPORTED,
            "BertForMaskedLM");
    refused("{\"architectures\":[]}", BIRD_EFORMAT, "architectures");
    refused("{\"architectures\":[1]}", BIRD_EFORMAT, "architectures");
    refused("{\"architectures\":\"BigBirdModel\"}", BIRD_EFORMAT,
            "architectures");
#define REFUSED(fields, code, word)                                            \
    refused("{\"model_type\":\"big_bird\"," fields "}", code, word)
    REFUSED("\"hidden_act\":\"prelu\"", BIRD_EUNSUPPORTED, "prelu");
    REFUSED("\"hidden_act\":7", BIRD_EFORMAT, "hidden_act");
    REFUSED("\"attention_type\":\"sliding\"", BIRD_EUNSUPPORTED, "sliding");
    REFUSED("\"problem_type\":\"ranking\"", BIRD_EUNSUPPORTED, "ranking");
    REFUSED("\"position_embedding_type\":\"rotary\"", BIRD_EUNSUPPORTED,
            "rotary");
    REFUSED("\"is_decoder\":true", BIRD_EUNSUPPORTED, "is_decoder");
    REFUSED("\"is_encoder_decoder\":true", BIRD_EUNSUPPORTED,
            "is_encoder_decoder");
    REFUSED("\"add_cross_attention\":true", BIRD_EUNSUPPORTED,
            "add_cross_attention");
    REFUSED("\"transformers_version\":4.5", BIRD_EFORMAT,
            "transformers_version");
}

Test(config, impossible_sizes_are_refused_by_name)
{
    REFUSED("\"vocab_size\":0", BIRD_EFORMAT, "vocab_size");
    REFUSED("\"vocab_size\":999999999999", BIRD_EFORMAT, "vocab_size");
    REFUSED("\"hidden_size\":-1", BIRD_EFORMAT, "hidden_size");
    REFUSED("\"hidden_size\":1.5", BIRD_EFORMAT, "hidden_size");
    REFUSED("\"num_hidden_layers\":\"2\"", BIRD_EFORMAT, "num_hidden_layers");
    REFUSED("\"num_attention_heads\":0", BIRD_EFORMAT, "num_attention_heads");
    REFUSED("\"num_attention_heads\":7", BIRD_EINVAL, "num_attention_heads");
    REFUSED("\"block_size\":0", BIRD_EFORMAT, "block_size");
    REFUSED("\"attention_type\":\"window\",\"attention_window\":0",
            BIRD_EFORMAT, "attention_window");
    REFUSED("\"attention_type\":\"windows\"", BIRD_EUNSUPPORTED,
            "attention_type 'windows'");
    REFUSED("\"num_random_blocks\":-1", BIRD_EFORMAT, "num_random_blocks");
    REFUSED("\"pad_token_id\":50358", BIRD_EINVAL, "pad_token_id");
    REFUSED("\"pad_token_id\":-2", BIRD_EFORMAT, "pad_token_id");
    REFUSED("\"layer_norm_eps\":0", BIRD_EFORMAT, "layer_norm_eps");
    REFUSED("\"hidden_dropout_prob\":1", BIRD_EFORMAT, "hidden_dropout_prob");
    REFUSED("\"attention_probs_dropout_prob\":-0.1", BIRD_EFORMAT,
            "attention_probs_dropout_prob");
    REFUSED("\"classifier_dropout\":true", BIRD_EFORMAT, "classifier_dropout");
    REFUSED("\"use_bias\":1", BIRD_EFORMAT, "use_bias");
    REFUSED("\"id2label\":[]", BIRD_EFORMAT, "id2label");
    REFUSED("\"id2label\":{}", BIRD_EFORMAT, "id2label");
}

/* What a matrix product can take, or less, and the field that is too large. */
Test(config, sizes_end_before_a_matrix_product_does)
{
    struct bird_config c;

    REFUSED("\"vocab_size\":16777217", BIRD_EFORMAT,
            "'vocab_size' is 16777217, outside 1 to 16777216");
    REFUSED("\"hidden_size\":65537", BIRD_EFORMAT,
            "'hidden_size' is 65537, outside 1 to 65536");
    REFUSED("\"intermediate_size\":2147483648", BIRD_EFORMAT,
            "'intermediate_size' is 2147483648, outside 1 to 1048576");
    REFUSED("\"max_position_embeddings\":67108865", BIRD_EFORMAT,
            "'max_position_embeddings'");
    REFUSED("\"num_labels\":1048577", BIRD_EFORMAT, "'num_labels'");
    cr_assert_eq(parse(&c, "{\"model_type\":\"big_bird\","
                           "\"vocab_size\":16777216,\"hidden_size\":65536,"
                           "\"num_attention_heads\":16,"
                           "\"intermediate_size\":1048576,"
                           "\"max_position_embeddings\":67108864,"
                           "\"num_labels\":1048576}"),
                 0);
    cr_assert_leq(3 * c.hidden_size, BIRD_GEMM_STEP);
    cr_assert_leq(c.vocab_size, BIRD_GEMM_STEP);
    cr_assert_leq(c.intermediate_size, BIRD_GEMM_STEP);
}

Test(config, check_names_the_field)
{
    struct bird_config c;

    bird_config_default(&c);
    WORKS(bird_config_check(&c, NULL));
    c.n_label = 0;
    FAILS(BIRD_EINVAL, bird_config_check(&c, NULL), "num_labels");
    bird_config_default(&c);
    c.layer_norm_eps = 0;
    cr_assert_eq(bird_config_check(&c, "x"), BIRD_EINVAL);
    bird_config_default(&c);
    c.hidden_dropout = 1;
    cr_assert_eq(bird_config_check(&c, "x"), BIRD_EINVAL);
}

Test(config, presets)
{
    struct bird_config c;

    WORKS(bird_config_preset(&c, "base"));
    cr_assert(c.n_layer == 12 && c.hidden_size == 768 && c.n_head == 12 &&
              c.intermediate_size == 3072 && c.max_positions == 4096 &&
              c.pattern.block == 64 && c.vocab_size == 32000);
    WORKS(bird_config_preset(&c, "small"));
    cr_assert(c.n_layer == 6 && c.hidden_size == 256 && c.n_head == 8);
    WORKS(bird_config_preset(&c, "large"));
    cr_assert(c.n_layer == 24 && c.hidden_size == 1024 && c.n_head == 16 &&
              c.intermediate_size == 4096 && c.max_positions == 4096);
    WORKS(bird_config_check(&c, NULL));
    WORKS(bird_config_preset(&c, "tiny"));
    cr_assert(c.n_layer == 2 && c.hidden_size == 64 && c.n_head == 2 &&
              c.max_positions == 512 && c.pattern.block == 16);
    WORKS(bird_config_check(&c, NULL));
    FAILS(BIRD_EINVAL, bird_config_preset(&c, "huge"), "huge");
}
