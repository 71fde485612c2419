/* variant_resume: marks there and back, and the order of records. */
#include <criterion/criterion.h>
#include <string.h>

#include "dnabird/dnabird.h"
#include "variant/variant_resume.h"

static json_t *identity, *state;
static struct bird_order order, again;
static bird_variant_summary sum, got;
static int64_t bytes;

static void setup(void)
{
    identity = json_pack("{s:s, s:f}", "model", "m", "shift", 3.0);
    order = (struct bird_order){
        .contig = strdup("chr2"),
        .met = json_pack("{s:b, s:b}", "chr1", 1, "chr2", 1),
        .pos = 70,
        .largest = 99,
        .unsorted = 5,
        .read = 0xfedcba9876543210,
        .bases = 0x8000000000000001,
        .block_n = 4,
        .block_bytes = 1234};
    sum.n_record = 11;
    sum.n_allele = 13;
    sum.n_moved = 2;
    for (int i = 0; i < BIRD_VARIANT_STATUSES; i++)
        sum.status[i] = 100 + i;
    cr_assert_eq(bird_resume_state(&state, identity, &sum, &order), 0);
    json_object_set_new(state, "bytes", json_integer(4096));
}

static void teardown(void)
{
    json_decref(identity);
    json_decref(state);
    bird_order_free(&order);
    bird_order_free(&again);
}

TestSuite(variant_resume, .init = setup, .fini = teardown);

static int take(const json_t *is)
{
    return bird_resume_take(&got, &again, &bytes, state, is, "o.vcf");
}

/* *it fails with this code and these words. */
static void refused(const json_t *is, int code, const char *part)
{
    cr_assert_eq(take(is), code, "%s", bird_last_error());
    cr_assert(strstr(bird_last_error(), part), "%s", bird_last_error());
}

Test(variant_resume, a_mark_comes_back_as_it_was)
{
    cr_assert_eq(take(identity), 0, "%s", bird_last_error());
    cr_assert_eq(bytes, 4096);
    cr_assert_eq(got.n_record, 11);
    cr_assert_eq(got.n_resumed, 11);
    cr_assert_eq(got.n_resumed_allele, 13);
    cr_assert_eq(got.n_moved, 2);
    for (int i = 0; i < BIRD_VARIANT_STATUSES; i++)
        cr_assert_eq(got.status[i], 100 + i);
    cr_assert_str_eq(again.contig, "chr2");
    cr_assert(json_equal(again.met, order.met));
    cr_assert_eq(again.pos, 70);
    cr_assert_eq(again.largest, 99);
    cr_assert_eq(again.unsorted, 5);
    cr_assert_eq(again.read, order.read); /* all 64 bits */
    cr_assert_eq(again.bases, order.bases);
    cr_assert_eq(again.block_n, 4);
    cr_assert_eq(again.block_bytes, 1234);
}

Test(variant_resume, another_run_is_named_by_what_differs)
{
    json_t *other = json_deep_copy(identity);

    json_object_set_new(other, "shift", json_real(4));
    refused(other, BIRD_EINVAL,
            "o.vcf.partial comes from a run with another "
            "shift");
    json_object_set_new(other, "shift", json_real(3));
    json_object_set_new(other, "scores", json_string("diff"));
    refused(other, BIRD_EINVAL, "another scores");
    json_object_del(other, "scores");
    cr_assert_eq(take(other), 0, "%s", bird_last_error());
    json_decref(other);
}

Test(variant_resume, what_no_run_leaves)
{
    json_t *status = json_incref(json_object_get(state, "status"));

    json_object_del(state, "bytes");
    refused(identity, BIRD_EFORMAT, "o.vcf.partial.json is not a");
    json_object_set_new(state, "bytes", json_integer(0));
    refused(identity, BIRD_EFORMAT, "bytes");
    json_object_set_new(state, "bytes", json_integer(4096));
    json_object_set_new(state, "pos", json_string("70"));
    refused(identity, BIRD_EFORMAT, "pos");
    json_object_set_new(state, "pos", json_integer(-2));
    refused(identity, BIRD_EFORMAT, "pos");
    json_object_set_new(state, "pos", json_integer(-1)); /* POS 0 */
    json_array_remove(status, 0);
    refused(identity, BIRD_EFORMAT, "is not a checkpoint");
    json_array_insert_new(status, 0, json_integer(100));
    json_object_del(state, "contig");
    refused(identity, BIRD_EFORMAT, "is not a checkpoint");
    json_object_del(state, "identity");
    refused(identity, BIRD_EINVAL, "another model");
    json_decref(status);
}

static void next(struct bird_order *o, int64_t number, const char *contig,
                 int64_t pos)
{
    const struct bird_vcf_record r = {
        .number = number, .contig = contig, .pos = pos, .ref = "AC"};

    cr_assert_eq(bird_order_put(o, &r), 0);
}

Test(variant_resume, the_first_record_out_of_order)
{
    struct bird_order o = {0};

    next(&o, 1, "chr2", 5);
    next(&o, 2, "chr2", 5);
    next(&o, 3, "chr1", 2);
    cr_assert_eq(o.unsorted, 0);
    cr_assert_eq(o.largest, 7);
    next(&o, 4, "chr1", 1);
    next(&o, 5, "chr2", 9);
    cr_assert_eq(o.unsorted, 4);
    bird_order_free(&o);
    next(&o, 1, "a", 1);
    next(&o, 2, "b", 1);
    next(&o, 3, "a", 2); /* a contig that comes back */
    cr_assert_eq(o.unsorted, 3);
    cr_assert_eq(o.largest, 4);
    bird_order_free(&o);
}
