/* Which release this is. SPDX-License-Identifier: MIT */
#include "dnabird/dnabird.h"

const char *bird_version(void)
{
    return BIRD_VERSION;
}
