/* session/layout: widths of windows, bins and profiles from folder and user. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "check.h"
#include "dnabird/dnabird.h"
#include "head/head.h"
#include "session/layout.h"
#include "session/model_parts.h"
#include "tiny.h"

static struct bird_model m;

/* A model with this head and this dnabird.json. */
static void model(const struct bird_head_row *head, const char *meta)
{
    struct bird_config c;

    tiny_config(&c, head);
    c.bin_bp = head->n_bin ? 64 : 0;
    m = (struct bird_model){.folder = {.config = c}};
    m.folder.meta = json_loads(meta, 0, NULL);
    cr_assert(m.folder.meta);
    m.folder.window_bp =
        json_integer_value(json_object_get(m.folder.meta, "window_bp"));
    m.folder.stride_bp =
        json_integer_value(json_object_get(m.folder.meta, "stride_bp"));
}

static void lay(struct bird_layout *l, struct bird_layout_request r)
{
    r.option = "--window";
    WORKS(bird_layout_of(l, &m, &r));
    cr_assert_eq(l->context_bp, l->core_bp + 2 * l->margin_bp);
    cr_assert_eq(l->core_bp, l->bins * l->bin_bp);
}

static void refused(struct bird_layout_request r, const char *word)
{
    struct bird_layout l;

    r.option = "--window";
    cr_assert_lt(bird_layout_of(&l, &m, &r), 0);
    SAYS(word);
}

static void teardown(void)
{
    json_decref(m.folder.meta);
}
TestSuite(layout, .fini = teardown);

Test(layout, a_window_is_one_bin)
{
    struct bird_layout l;

    model(&bird_head_sequence, "{\"window_bp\": 600, \"stride_bp\": 200}");
    lay(&l, (struct bird_layout_request){0});
    cr_assert_eq(l.context_bp, 600);
    cr_assert_eq(l.bins, 1);
    cr_assert_eq(l.stride_bp, 200);
    cr_assert_not(l.on_grid);
    cr_assert_eq(l.unknown, BIRD_UNKNOWN_OF_CONTEXT);
    lay(&l, (struct bird_layout_request){.context_bp = 300, .stride_bp = 50});
    cr_assert_eq(l.bin_bp, 300);
    cr_assert_eq(l.stride_bp, 50);
    cr_assert_eq(l.own_context_bp, 600);
    cr_assert_eq(l.own_stride_bp, 200);
}

Test(layout, a_folder_without_widths_needs_options)
{
    struct bird_layout l;

    model(&bird_head_sequence, "{}");
    refused((struct bird_layout_request){0}, "--window");
    lay(&l, (struct bird_layout_request){.context_bp = 100});
    cr_assert_eq(l.stride_bp, 25);
    refused((struct bird_layout_request){.profile = 1, .context_bp = 100},
            "--bin");
}

Test(layout, a_profile_of_windows_has_bins_in_the_middle)
{
    struct bird_layout l;

    model(&bird_head_sequence, "{\"window_bp\": 600, \"bin_bp\": 200}");
    lay(&l, (struct bird_layout_request){.profile = 1});
    cr_assert_eq(l.margin_bp, 200);
    cr_assert_eq(l.bin_bp, 200);
    cr_assert_eq(l.stride_bp, 200);
    cr_assert(l.on_grid);
    cr_assert_eq(l.unknown, BIRD_UNKNOWN_OF_CONTEXT);
    refused((struct bird_layout_request){.profile = 1, .bin_bp = 199}, "bins");
    refused((struct bird_layout_request){.profile = 1, .bin_bp = 601}, "bins");
}

Test(layout, bins_lie_between_margins)
{
    struct bird_layout l;

    model(&bird_head_bins, "{\"window_bp\": 640, \"margin_bp\": 100}");
    lay(&l, (struct bird_layout_request){0});
    cr_assert_eq(l.margin_bp, 128); /* whole bins */
    cr_assert_eq(l.bins, 6);
    cr_assert_eq(l.stride_bp, 64);
    cr_assert(l.on_grid);
    cr_assert_eq(l.unknown, BIRD_UNKNOWN_OF_BIN);
    lay(&l, (struct bird_layout_request){.stride_bp = 16});
    cr_assert_eq(l.stride_bp, 16);
    lay(&l, (struct bird_layout_request){.stride_bp = 16, .profile = 1});
    cr_assert_eq(l.stride_bp, 64);
    refused((struct bird_layout_request){.stride_bp = 48}, "stride");
    refused((struct bird_layout_request){.context_bp = 256}, "margins");
    refused((struct bird_layout_request){.context_bp = 650}, "margins");
    refused((struct bird_layout_request){.profile = 1, .bin_bp = 32}, "--bin");
}

Test(layout, heads_say_what_they_answer)
{
    struct bird_config c;

    tiny_config(&c, &bird_head_sequence);
    cr_assert_eq(bird_config_answers(&c), BIRD_ANSWERS_LABELS);
    cr_assert_eq(bird_config_bins(&c, 1000), 1);
    c.head = &bird_head_bins;
    c.bin_bp = 64;
    cr_assert_eq(bird_config_answers(&c), BIRD_ANSWERS_LABELS);
    cr_assert_eq(bird_config_bins(&c, 130), 3);
    cr_assert(bird_config_on_grid(&c));
    c.head = &bird_head_mlm;
    cr_assert_eq(bird_config_answers(&c), BIRD_ANSWERS_TOKENS);
    c.head = &bird_head_none;
    cr_assert_eq(bird_config_answers(&c), BIRD_ANSWERS_NONE);
}
