/* model/params: the table of parameters, loading, saving, random start. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "dnabird/dnabird.h"
#include "folder/config_file.h"
#include "folder/params_file.h"
#include "head/head.h"
#include "model/params.h"
#include "temp.h"

TestSuite(params, .init = folder_new, .fini = folder_remove);

struct model {
    struct bird_config c;
    struct bird_param *list;
    int64_t n, total;
    float *block;
    bird_tensors *t;
};

static void new_model(struct model *m)
{
    WORKS(bird_params_list(&m->list, &m->n, &m->total, &m->c));
    WORKS(bird_array_new(&m->block, m->total, sizeof(float)));
}

static void open_golden(struct model *m, const char *name)
{
    const char *path = tests_path("golden/%s/config.json", name);
    json_t *o = NULL;

    *m = (struct model){0};
    WORKS(bird_json_open(&o, path));
    WORKS(bird_config_read(&m->c, o, path));
    json_decref(o);
    new_model(m);
    WORKS(bird_tensors_open(&m->t,
                            tests_path("golden/%s/model.safetensors", name)));
}

static void free_model(struct model *m)
{
    free(m->list);
    free(m->block);
    bird_tensors_free(m->t);
}

Test(params, golden_weights_arrive_where_the_table_says)
{
    json_t *index = NULL, *e;
    size_t i;
    int n_case = 0;

    WORKS(bird_json_open(&index, golden("INDEX.json")));
    json_array_foreach(json_object_get(index, "cases"), i, e)
    {
        const char *name = json_string_value(json_object_get(e, "name"));
        struct model m;

        if (!strncmp(name, "t_", 2))
            continue;
        open_golden(&m, name);
        WORKS(bird_params_load(m.block, m.list, m.n, m.t, NULL, name));
        for (int64_t k = 0; k < m.n; k++) {
            const struct bird_tensor *t =
                bird_tensors_find(m.t, m.list[k].name);

            cr_assert_not_null(t);
            cr_assert_eq((size_t)m.list[k].count * 4, t->size);
            cr_assert_eq(memcmp(m.block + m.list[k].offset, t->data, t->size),
                         0);
        }
        free_model(&m);
        n_case++;
    }
    cr_assert_geq(n_case, 16);
    json_decref(index);
}

static int64_t offset(const struct model *m, const char *name)
{
    const struct bird_param *p = bird_params_find(m->list, m->n, name);

    cr_assert_not_null(p, "%s", name);
    return p->offset;
}

Test(params, query_key_and_value_are_one_matrix)
{
    struct model m = {0};
    const char *w = "bert.encoder.layer.1.attention.self.query.weight";
    const char *b = "bert.encoder.layer.1.attention.self.query.bias";

    WORKS(bird_config_preset(&m.c, "tiny"));
    m.c.hidden_size = 6; /* 36 and 6 floats: not a multiples of 16 */
    m.c.n_head = 2;
    new_model(&m);
    cr_assert_eq(offset(&m, "bert.encoder.layer.1.attention.self.key.weight"),
                 offset(&m, w) + 36);
    cr_assert_eq(offset(&m, "bert.encoder.layer.1.attention.self.value.weight"),
                 offset(&m, w) + 72);
    cr_assert_eq(offset(&m, "bert.encoder.layer.1.attention.self.key.bias"),
                 offset(&m, b) + 6);
    cr_assert_eq(offset(&m, "bert.encoder.layer.1.attention.self.value.bias"),
                 offset(&m, b) + 12);
    for (int64_t i = 0; i < m.n; i++) {
        const struct bird_param *p = m.list + i;

        if (!strstr(p->name, ".key.") && !strstr(p->name, ".value."))
            cr_assert_eq(p->offset % BIRD_PARAM_ALIGN, 0);
        cr_assert_eq(p->count, p->shape[0] * p->shape[1]);
        if (i)
            cr_assert_geq(p->offset, p[-1].offset + p[-1].count);
    }
    cr_assert_geq(m.total, m.list[m.n - 1].offset + m.list[m.n - 1].count);
    free_model(&m);
}

Test(params, decay_spares_biases_and_layer_norm)
{
    struct model m = {0};

    WORKS(bird_config_preset(&m.c, "tiny"));
    new_model(&m);
    for (int64_t i = 0; i < m.n; i++)
        cr_assert_eq(m.list[i].decay,
                     !strstr(m.list[i].name, "bias") &&
                         !strstr(m.list[i].name, "LayerNorm"),
                     "%s", m.list[i].name);
    free_model(&m);
}

Test(params, the_base_model_has_its_size)
{
    struct model m = {0};

    WORKS(bird_config_preset(&m.c, "base"));
    WORKS(bird_params_list(&m.list, &m.n, &m.total, &m.c));
    /* 12 layers of 7087872, embeddings, pooler, MLM transform and bias */
    cr_assert_eq(bird_params_count(m.list, m.n),
                 12 * 7087872 + (32000 + 4096 + 2 + 2) * 768 + 590592 + 590592 +
                     1536 + 32000);
    cr_assert_eq(m.n, 5 + 12 * 16 + 2 + 5);
    free_model(&m);
}

static int has(const struct model *m, const char *name)
{
    return bird_params_find(m->list, m->n, name) != NULL;
}

Test(params, each_head_brings_its_own)
{
    static const struct {
        const struct bird_head_row *head;
        const char *name;
        int64_t rows;
    } heads[] = {
        {&bird_head_mlm, "cls.predictions.bias", 40},
        {&bird_head_pretrain, "cls.seq_relationship.weight", 2},
        {&bird_head_sequence, "classifier.out_proj.weight", 7},
        {&bird_head_sequence, "classifier.dense.bias", 12},
        {&bird_head_token, "classifier.weight", 7},
        {&bird_head_linear_pooled, "classifier.bias", 7},
        {&bird_head_linear_cls, "classifier.weight", 7},
        {&bird_head_mean_pooled, "classifier.weight", 7},
    };
    struct model m = {0};

    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
        WORKS(bird_config_preset(&m.c, "tiny"));
        m.c.vocab_size = 40;
        m.c.hidden_size = 12;
        m.c.n_label = 7;
        m.c.head = heads[i].head;
        new_model(&m);
        cr_assert(has(&m, heads[i].name), "%s", heads[i].name);
        cr_assert_eq(bird_params_find(m.list, m.n, heads[i].name)->shape[0],
                     heads[i].rows);
        cr_assert_eq(has(&m, "cls.predictions.bias"),
                     heads[i].head == &bird_head_mlm ||
                         heads[i].head == &bird_head_pretrain);
        cr_assert(has(&m, "bert.pooler.weight"));
        cr_assert_not(has(&m, "cls.predictions.decoder.weight"));
        free_model(&m);
    }
    m.c.head = &bird_head_mlm;
    m.c.tie_word_embeddings = 0;
    m.c.use_bias = 0;
    new_model(&m);
    cr_assert(has(&m, "cls.predictions.decoder.weight"));
    cr_assert_not(has(&m, "bert.encoder.layer.0.attention.self.query.bias"));
    cr_assert(has(&m, "bert.encoder.layer.0.attention.output.dense.bias"));
    free_model(&m);
    m.c.n_head = 5;
    cr_assert_eq(bird_params_list(&m.list, &m.n, &m.total, &m.c), BIRD_EINVAL);
}

/* The tensors of a golden file with changes, parsed again from a new file. */
struct edit {
    const char *drop, *rename, *to;
    int strip_bert;
    const struct bird_tensor *extra;
};

static bird_tensors *edited(const struct model *m, const struct edit *e)
{
    struct bird_tensor list[96];
    bird_tensors *t = NULL;
    const char *path = path_of("edited");
    int64_t n = 0;

    for (int64_t i = 0; i < bird_tensors_count(m->t); i++) {
        list[n] = *bird_tensors_at(m->t, i);
        if (e->drop && !strcmp(list[n].name, e->drop))
            continue;
        if (e->rename && !strcmp(list[n].name, e->rename))
            list[n].name = e->to;
        if (e->strip_bert && !strncmp(list[n].name, "bert.", 5))
            list[n].name += 5;
        n++;
    }
    if (e->extra)
        list[n++] = *e->extra;
    WORKS(bird_tensors_write(path, list, n, NULL, 0));
    WORKS(bird_tensors_open(&t, path));
    return t;
}

/* Load the edited file; the block must equal the golden one's. */
static void accepted(struct model *m, const struct edit *e)
{
    bird_tensors *t = edited(m, e);
    float *want = NULL;

    WORKS(bird_array_new(&want, m->total, sizeof(float)));
    WORKS(bird_params_load(want, m->list, m->n, m->t, NULL, "m"));
    memset(m->block, 0, (size_t)m->total * sizeof(float));
    WORKS(bird_params_load(m->block, m->list, m->n, t, NULL, "e"));
    cr_assert_eq(memcmp(want, m->block, (size_t)m->total * sizeof(float)), 0);
    bird_tensors_free(t);
    free(want);
}

static void refused(struct model *m, const struct edit *e, const char *word)
{
    bird_tensors *t = edited(m, e);

    m->block[0] = 7;
    FAILS(BIRD_EFORMAT,
          bird_params_load(m->block, m->list, m->n, t, NULL, "e.st"), word);
    SAYS("e.st");
    cr_assert(m->block[0] == 7);
    bird_tensors_free(t);
}

Test(params, every_published_form_is_read)
{
    struct model m;

    open_golden(&m, "a_full_short_pad"); /* decoder.* and position_ids inside */
    accepted(&m, &(struct edit){0});
    accepted(&m, &(struct edit){.strip_bert = 1});
    accepted(&m, &(struct edit){.drop = "cls.predictions.decoder.weight"});
    accepted(&m, &(struct edit){.drop = "cls.predictions.decoder.bias"});
    accepted(&m,
             &(struct edit){.drop = "bert.embeddings.word_embeddings.weight"});
    accepted(&m, &(struct edit){.drop = "cls.predictions.bias"});
    free_model(&m);
    open_golden(&m, "i_pretrain_nsp"); /* as MLM: its other head is ignored */
    free(m.list);
    free(m.block);
    m.c.head = &bird_head_mlm;
    new_model(&m);
    accepted(&m, &(struct edit){0});
    free(m.list);
    free(m.block);
    m.c.head = &bird_head_none;
    new_model(&m);
    accepted(&m, &(struct edit){.strip_bert = 1});
    free_model(&m);
}

Test(params, a_decoder_that_is_not_tied_has_its_own_bias)
{
    struct model m;
    float own[40];
    struct bird_tensor bias = {
        "cls.predictions.decoder.bias", BIRD_F32, 1, {40}, own, sizeof(own)};
    const struct bird_param *p;
    const float *mapped = NULL;
    bird_tensors *t;

    for (int i = 0; i < 40; i++)
        own[i] = (float)i;
    open_golden(&m, "a_full_short_pad");
    free(m.list);
    free(m.block);
    m.c.tie_word_embeddings = 0;
    new_model(&m);
    t = edited(&m, &(struct edit){.drop = bias.name, .extra = &bias});
    WORKS(bird_params_load(m.block, m.list, m.n, t, NULL, "e"));
    bird_tensors_free(t);
    p = bird_params_find(m.list, m.n, "cls.predictions.bias");
    cr_assert_arr_eq(m.block + p->offset, own, sizeof(own));
    WORKS(bird_params_save(path_of("untied"), m.block, m.list, m.n, BIRD_F32));
    WORKS(bird_tensors_open(&t, path_of("untied")));
    cr_assert_not_null(bird_tensors_find(t, "cls.predictions.bias"));
    cr_assert_arr_eq(bird_tensors_find(t, bias.name)->data, own, sizeof(own));
    WORKS(bird_params_map(&mapped, m.list, m.n, t, "untied"));
    cr_assert_not_null(mapped);
    bird_tensors_free(t);
    free_model(&m);
}

Test(params, what_does_not_fit_is_refused_by_name)
{
    struct model m;
    float x[64] = {0};
    int64_t whole[32] = {0};
    struct bird_tensor odd = {"bert.extra.weight", BIRD_F32, 1, {64}, x, 256};
    struct bird_tensor decoder = {
        "cls.predictions.decoder.weight", BIRD_F32, 2, {2, 32}, x, 256};
    struct bird_tensor bias = {"bert.pooler.bias", BIRD_F32, 1, {64}, x, 256};
    struct bird_tensor flat = {
        "bert.pooler.bias", BIRD_F32, 2, {32, 1}, x, 128};
    struct bird_tensor ints = {
        "bert.pooler.bias", BIRD_I64, 1, {32}, whole, 256};

    open_golden(&m, "a_full_at_threshold");
    refused(&m, &(struct edit){.drop = "bert.pooler.bias"},
            "'bert.pooler.bias' is missing");
    refused(&m, &(struct edit){.drop = "cls.predictions.bias"},
            "'cls.predictions.bias' is missing");
    refused(&m,
            &(struct edit){.rename = "bert.pooler.weight",
                           .to = "bert.pooler.dense.weight"},
            "bert.pooler.weight");
    refused(&m, &(struct edit){.extra = &odd},
            "'bert.extra.weight' is not part");
    refused(&m, &(struct edit){.extra = &decoder}, "[2, 32]");
    refused(&m, &(struct edit){.drop = bias.name, .extra = &bias},
            "'bert.pooler.bias' has the shape [64]");
    refused(&m, &(struct edit){.drop = bias.name, .extra = &flat}, "[32, 1]");
    refused(&m, &(struct edit){.drop = bias.name, .extra = &ints},
            "whole numbers");
    free_model(&m);
}

Test(params, an_encoder_takes_a_new_head)
{
    struct model m;
    unsigned char fresh[128];

    open_golden(&m, "a_full_at_threshold");
    free(m.list);
    free(m.block);
    m.c.head = &bird_head_sequence;
    new_model(&m);
    cr_assert_eq(bird_params_load(m.block, m.list, m.n, m.t, NULL, "m"),
                 BIRD_EFORMAT);
    WORKS(bird_params_load(m.block, m.list, m.n, m.t, fresh, "m"));
    for (int64_t i = 0; i < m.n; i++)
        cr_assert_eq(fresh[i], bird_param_is_head(m.list + i));
    free_model(&m);
    open_golden(&m, "e_seqcls"); /* 3 labels in the file */
    free(m.list);
    free(m.block);
    m.c.n_label = 5;
    new_model(&m);
    WORKS(bird_params_load(m.block, m.list, m.n, m.t, fresh, "m"));
    for (int64_t i = 0; i < m.n; i++)
        cr_assert_eq(fresh[i], strstr(m.list[i].name, "out_proj") != NULL);
    bird_params_init(m.block, m.list, m.n, &m.c, 1, fresh);
    cr_assert_eq(
        memcmp(m.block,
               bird_tensors_find(m.t, "bert.embeddings.word_embeddings.weight")
                   ->data,
               128),
        0);
    cr_assert(m.block[offset(&m, "classifier.out_proj.weight")] != 0);
    free_model(&m);
}

Test(params, saved_weights_come_back)
{
    struct model m, b;
    const char *path = path_of("s.safetensors");

    open_golden(&m, "v_config_variants");
    WORKS(bird_params_load(m.block, m.list, m.n, m.t, NULL, "m"));
    WORKS(bird_params_save(path, m.block, m.list, m.n, BIRD_F32));
    b = m;
    WORKS(bird_tensors_open(&b.t, path));
    accepted(&b, &(struct edit){0});
    WORKS(bird_params_load(b.block, b.list, b.n, m.t, NULL, "m"));
    bird_tensors_free(b.t);
    path = path_of("s.safetensors.zst");
    WORKS(bird_params_save(path, m.block, m.list, m.n, BIRD_BF16));
    WORKS(bird_tensors_open(&b.t, path));
    cr_assert_eq(bird_tensors_at(b.t, 0)->dtype, BIRD_BF16);
    WORKS(bird_array_new(&b.block, b.total, sizeof(float)));
    WORKS(bird_params_load(b.block, b.list, b.n, b.t, NULL, "b"));
    for (int64_t i = 0; i < m.total; i++)
        cr_assert_leq(fabsf(b.block[i] - m.block[i]), fabsf(m.block[i]) / 256);
    cr_assert_eq(bird_params_save(path, m.block, m.list, m.n, BIRD_F16),
                 BIRD_EINVAL);
    free(b.block);
    bird_tensors_free(b.t);
    free_model(&m);
}

Test(params, random_start_is_normal_and_of_the_seed_alone)
{
    struct model m = {0};
    float *again = NULL;
    double sum = 0, square = 0;
    const struct bird_param *w;

    WORKS(bird_config_preset(&m.c, "tiny"));
    m.c.vocab_size = 1000;
    m.c.pad_id = 3;
    new_model(&m);
    WORKS(bird_array_new(&again, m.total, sizeof(float)));
    bird_threads_set(1);
    bird_params_init(m.block, m.list, m.n, &m.c, 5, NULL);
    bird_threads_set(2);
    bird_params_init(again, m.list, m.n, &m.c, 5, NULL);
    cr_assert_eq(memcmp(again, m.block, (size_t)m.total * 4), 0);
    bird_params_init(again, m.list, m.n, &m.c, 6, NULL);
    cr_assert_neq(memcmp(again, m.block, (size_t)m.total * 4), 0);
    for (int i = 0; i < 64; i++) {
        cr_assert(m.block[3 * 64 + i] == 0);
        cr_assert(m.block[2 * 64 + i] != 0);
    }
    w = bird_params_find(m.list, m.n,
                         "bert.encoder.layer.0.output.dense.weight");
    for (int64_t i = 0; i < w->count; i++) {
        sum += (double)m.block[w->offset + i];
        square +=
            (double)m.block[w->offset + i] * (double)m.block[w->offset + i];
    }
    cr_assert_float_eq(sum / (double)w->count, 0, 1e-3);
    cr_assert_float_eq(sqrt(square / (double)w->count), 0.02, 1e-3);
    cr_assert(m.block[offset(&m, "bert.pooler.bias")] == 0);
    cr_assert(m.block[offset(&m, "bert.embeddings.LayerNorm.weight")] == 1);
    cr_assert(m.block[offset(&m, "bert.embeddings.LayerNorm.bias")] == 0);
    free(again);
    free_model(&m);
}
