/* output: marks, resuming, other people's files, indexes, several at once. */
#include "seq_help.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/guard.h"
#include "base/text.h"
#include "seq/input.h"
#include "track/output.h"

TestSuite(output, .init = folder_new, .fini = folder_remove);

static const struct bird_output_options resumable = {.resumable = 1};

static int exists(const char *name)
{
    return !access(path_of(name), F_OK);
}

static void holds(const char *name, const char *want)
{
    struct bird_text t = {0};

    WORKS(bird_read_file(&t, path_of(name)));
    cr_assert_str_eq(t.n ? t.s : "", want);
    bird_text_free(&t);
}

static void put(struct bird_output *o, const char *text)
{
    WORKS(bird_output_put(o, text, (int64_t)strlen(text)));
}

/* A run that left "one\n" behind a mark, and more behind that. */
static void interrupted(const char *name)
{
    struct bird_output *o;
    json_t *state = json_pack("{s:s}", "what", "a test");

    WORKS(bird_output_open(&o, path_of(name), &resumable));
    put(o, "one\n");
    WORKS(bird_output_mark(o, state));
    json_decref(state);
    put(o, "lost\n");
    bird_output_free(o);
}

static int reopen(struct bird_output **o, const char *name, int64_t from_bytes)
{
    const struct bird_output_options how = {.resumable = 1,
                                            .from_bytes = from_bytes};

    return bird_output_open(o, path_of(name), &how);
}

Test(output, goes_on_from_its_mark)
{
    struct bird_output *o;
    json_t *state = NULL;

    cr_assert_eq(bird_output_find_mark(&state, path_of("x")), 0);
    interrupted("x");
    cr_assert(!exists("x") && exists("x.partial"));
    cr_assert_eq(bird_output_find_mark(&state, path_of("x")), 1);
    cr_assert_eq(json_integer_value(json_object_get(state, "bytes")), 4);
    cr_assert_str_eq(json_string_value(json_object_get(state, "what")),
                     "a test");
    json_decref(state);
    WORKS(reopen(&o, "x", 4));
    cr_assert(bird_output_resumes(o));
    put(o, "two\n");
    WORKS(bird_output_close(o, 0));
    holds("x", "one\ntwo\n");
    cr_assert(!exists("x.partial") && !exists("x.partial.json"));
}

/* A resumed run that fails before a mark of its own keeps the earlier one. */
Test(output, a_resumed_run_that_fails_keeps_its_mark)
{
    struct bird_output *o;
    json_t *state = NULL;

    interrupted("x");
    WORKS(reopen(&o, "x", 4));
    put(o, "lost\n");
    bird_output_free(o);
    cr_assert_eq(bird_output_find_mark(&state, path_of("x")), 1);
    json_decref(state);
    WORKS(reopen(&o, "x", 4));
    put(o, "two\n");
    WORKS(bird_output_close(o, 0));
    holds("x", "one\ntwo\n");
}

/* As a run does that is killed before its first mark. */
Test(output, begun_is_not_foreign)
{
    struct bird_output *o;
    json_t *state = NULL;

    if (!fork()) {
        WORKS(reopen(&o, "x", 0));
        put(o, "lost\n");
        WORKS(bird_output_mark(o, NULL));
        _exit(0);
    }
    cr_assert_gt(wait(NULL), 0);
    holds("x.partial", "lost\n");
    cr_assert_eq(bird_output_find_mark(&state, path_of("x")), 0);
    WORKS(reopen(&o, "x", 0));
    put(o, "new\n");
    WORKS(bird_output_close(o, 0));
    holds("x", "new\n");
    cr_assert(!exists("x.partial") && !exists("x.partial.json"));
}

Test(output, a_second_run_does_not_replace_an_interrupted_one)
{
    struct bird_output *o;
    json_t *state = NULL;

    interrupted("x");
    FAILS(BIRD_EINVAL, reopen(&o, "x", 0), "an interrupted run is there");
    cr_assert(exists("x.partial"));
    cr_assert_eq(bird_output_find_mark(&state, path_of("x")), 1);
    json_decref(state);
}

Test(output, a_restarted_run_replaces_an_interrupted_one)
{
    const struct bird_output_options how = {.resumable = 1, .restart = 1};
    struct bird_output *o;
    json_t *state = NULL;

    interrupted("x");
    WORKS(bird_output_open(&o, path_of("x"), &how));
    cr_assert_eq(bird_output_find_mark(&state, path_of("x")), 0,
                 "a mark of bytes that are gone");
    put(o, "new\n");
    bird_output_free(o);
    cr_assert(!exists("x") && !exists("x.partial"));
}

Test(output, a_partial_file_shorter_than_its_mark)
{
    struct bird_output *o;

    interrupted("x");
    cr_assert_eq(truncate(path_of("x.partial"), 2), 0);
    FAILS(BIRD_EFORMAT, reopen(&o, "x", 4), "x.partial is shorter than");
    cr_assert(exists("x.partial") && exists("x.partial.json"));
}

Test(output, a_mark_that_cannot_be_read)
{
    json_t *state = NULL;

    interrupted("x");
    file_text("x.partial.json", "{\"bytes\": ");
    FAILS(BIRD_EFORMAT, bird_output_find_mark(&state, path_of("x")),
          "x.partial.json");
}

Test(output, a_file_that_no_run_left_stays)
{
    struct bird_output *o;

    file_text("x.partial", "mine");
    FAILS(BIRD_EIO, reopen(&o, "x", 0), "without the mark of a run");
    holds("x.partial", "mine");
    cr_assert_eq(mkdir(path_of("y.partial"), 0777), 0);
    FAILS(BIRD_EIO, reopen(&o, "y", 0), "without the mark of a run");
    cr_assert(exists("y.partial"));
}

static int intruding;

/* Another program writes before the file is locked. */
int flock(int fd, int operation)
{
    if (intruding)
        cr_assert_eq(write(fd, "theirs", 6), 6);
    return (int)syscall(SYS_flock, fd, operation);
}

/* The run noted the name before it was there, and removes what it noted. */
Test(output, a_file_made_in_between_stays)
{
    struct bird_output *o;

    bird_guard_begin();
    intruding = 1;
    FAILS(BIRD_EIO, reopen(&o, "x", 0), "without the mark of a run");
    bird_guard_end();
    holds("x.partial", "theirs");
}

static int stopping;

/* A signal comes as soon as a file has its name: its handler removes what the
 * run would leave half done. */
int rename(const char *from, const char *to)
{
    int bad = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);

    if (stopping)
        bird_guard_clean();
    return bad;
}

Test(output, a_signal_just_after_the_first_mark_keeps_it)
{
    struct bird_output *o;
    json_t *state = json_pack("{s:s}", "what", "a test");

    bird_guard_begin();
    WORKS(bird_output_open(&o, path_of("x"), &resumable));
    put(o, "one\n");
    stopping = 1;
    WORKS(bird_output_mark(o, state));
    stopping = 0;
    json_decref(state);
    bird_output_free(o);
    bird_guard_end();
    cr_assert(exists("x.partial") && exists("x.partial.json"));
}

Test(output, a_first_mark_that_cannot_be_written_leaves_nothing)
{
    struct bird_output *o;
    json_t *state = json_pack("{s:s}", "what", "a test");

    bird_guard_begin();
    WORKS(bird_output_open(&o, path_of("x"), &resumable));
    cr_assert_eq(unlink(path_of("x.partial.json")), 0);
    cr_assert_eq(mkdir(path_of("x.partial.json"), 0777), 0);
    FAILS(BIRD_EIO, bird_output_mark(o, state), "x.partial.json");
    json_decref(state);
    bird_output_free(o);
    bird_guard_end();
    cr_assert(!exists("x.partial"));
}

Test(output, one_run_at_a_time)
{
    const struct bird_output_options foreign = {.container = BIRD_FOREIGN};
    struct bird_output *o, *other;

    WORKS(reopen(&o, "x", 0));
    FAILS(BIRD_EIO, reopen(&other, "x", 0), "another run is writing it");
    put(o, "first\n");
    WORKS(bird_output_close(o, 0));
    holds("x", "first\n");
    WORKS(bird_output_open(&o, path_of("y"), &foreign));
    FAILS(BIRD_EIO, bird_output_open(&other, path_of("y"), &foreign),
          "another run is writing it");
    bird_output_free(o);
}

Test(output, whose_place_was_taken)
{
    struct bird_output *o;

    WORKS(reopen(&o, "x", 0));
    put(o, "ours\n");
    cr_assert_eq(unlink(path_of("x.partial")), 0);
    file_text("x.partial", "theirs\n");
    FAILS(BIRD_EIO, bird_output_close(o, 0), "no longer what this run wrote");
    holds("x.partial", "theirs\n");
    cr_assert(!exists("x"));
}

Test(output, a_device_takes_no_index_and_no_other_writer)
{
    const struct bird_output_options index = {.container = BIRD_BGZIP,
                                              .index = BIRD_INDEX_BED};
    const struct bird_output_options foreign = {.container = BIRD_FOREIGN};
    struct bird_output *o;

    FAILS(BIRD_EINVAL, bird_output_open(&o, "/dev/null", &index),
          "takes no index");
    FAILS(BIRD_EINVAL, bird_output_open(&o, "/dev/null", &foreign),
          "not a regular file");
    WORKS(bird_output_open(&o, "/dev/null", &resumable));
    cr_assert(!bird_output_resumes(o));
    WORKS(bird_output_close(o, 0));
    FAILS(BIRD_EIO, bird_output_open(&o, path_of("no/x"), &resumable),
          "No such file");
}

/* BED that is bgzipped and indexed, of these lines. */
static int write_bed(const char *text, int64_t largest_bp)
{
    const struct bird_output_options how = {.index = BIRD_INDEX_BED};
    struct bird_output *o;

    WORKS(bird_output_open(&o, path_of("x.bed.gz"), &how));
    put(o, text);
    return bird_output_close(o, largest_bp);
}

Test(output, an_index_that_cannot_be_made_costs_no_file)
{
    WORKS(write_bed("a\t1\t2\n", 2));
    cr_assert(exists("x.bed.gz.tbi"));
    FAILS(BIRD_EFORMAT, write_bed("a\t5\t6\na\t1\t2\n", 6),
          "x.bed.gz is whole, but has no index");
    SAYS("bedtools sort");
    holds("x.bed.gz", "a\t5\t6\na\t1\t2\n");
    cr_assert(!exists("x.bed.gz.tbi"), "the index of an older file");
}

Test(output, the_other_kind_of_index_goes)
{
    WORKS(write_bed("a\t1\t2\n", 2));
    WORKS(write_bed("a\t600000000\t600000001\n", 600000001));
    cr_assert(exists("x.bed.gz.csi") && !exists("x.bed.gz.tbi"));
    WORKS(write_bed("a\t1\t2\n", 2));
    cr_assert(exists("x.bed.gz.tbi") && !exists("x.bed.gz.csi"));
}

Test(output, several_at_once)
{
    const char *const twice[] = {path_of("a"), NULL, path_of("a")};
    const char *const two[] = {path_of("a"), NULL, path_of("b")};
    struct bird_outputs o;

    FAILS(BIRD_EINVAL, bird_outputs_open(&o, twice, 3), "two outputs go there");
    cr_assert(!exists("a"));
    WORKS(bird_outputs_open(&o, two, 3));
    cr_assert_null(bird_outputs_stream(&o, 1));
    fputs("one\n", bird_outputs_stream(&o, 0));
    fputs("two\n", bird_outputs_stream(&o, 2));
    cr_assert(!exists("a"), "before all are written");
    WORKS(bird_outputs_commit(&o));
    holds("a", "one\n");
    holds("b", "two\n");
    WORKS(bird_outputs_open(&o, two, 3));
    fputs("other\n", bird_outputs_stream(&o, 0));
    bird_outputs_abort(&o);
    holds("a", "one\n");
}
