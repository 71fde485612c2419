/* comm: a process alone, and a launcher that this build cannot follow. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "check.h"
#include "train/comm.h"

Test(comm, alone_sums_are_its_own)
{
    struct bird_comm *c = NULL;
    float x[3] = {1, 2, 3};
    double y[2] = {4, 5};

    WORKS(bird_comm_open(&c));
    cr_assert_eq(c->rank, 0);
    cr_assert_eq(c->size, 1);
    WORKS(bird_comm_sum_floats(c, x, 3));
    WORKS(bird_comm_sum_doubles(c, y, 2));
    WORKS(bird_comm_broadcast(c, x, sizeof(x)));
    cr_assert(x[0] == 1 && x[1] == 2 && x[2] == 3);
    cr_assert(y[0] == 4 && y[1] == 5);
    bird_comm_close(c);
    bird_comm_close(NULL);
}

Test(comm, alone_a_failure_is_ones_own)
{
    struct bird_comm *c = NULL;
    double y[2] = {4, 5};

    WORKS(bird_comm_open(&c));
    WORKS(bird_comm_agree(c, 0));
    WORKS(bird_comm_sum_or_fail(c, 0, y, 2));
    cr_assert(y[0] == 0 && y[1] == 5);
    cr_assert_eq(bird_fail(BIRD_EFORMAT, "what was wrong"), BIRD_EFORMAT);
    cr_assert_eq(bird_comm_agree(c, BIRD_EFORMAT), BIRD_EFORMAT);
    cr_assert_eq(bird_comm_sum_or_fail(c, BIRD_EFORMAT, y, 2), BIRD_EFORMAT);
    cr_assert_str_eq(bird_last_error(), "what was wrong");
    bird_comm_close(c);
}

Test(comm, one_of_several_needs_mpi)
{
    struct bird_comm *c = NULL;

#ifdef BIRD_MPI
    cr_skip("this build has MPI");
#endif
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    cr_assert_eq(bird_comm_open(&c), BIRD_EUNSUPPORTED);
    cr_assert_null(c);
    SAYS("-Dmpi=enabled");
    setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
    WORKS(bird_comm_open(&c));
    bird_comm_close(c);
}
