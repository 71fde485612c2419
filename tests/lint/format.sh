#!/bin/bash
# C files are as clang-format sets them; prints TAP. Versions of clang-format differ:
# this is the version of Debian 12.
# SPDX-License-Identifier: MIT
#
#   format.sh SOURCE_ROOT
set -u
. "$(dirname "$0")/../support/tap.sh"
cd "$1" || exit 1
needs clang-format
[[ $(clang-format --version) == *"version 14."* ]] ||
    skip_all "another version of clang-format"

find src include tools tests -name '*.[ch]' -print0 |
    xargs -0 clang-format --dry-run 2>&1 | grep 'warning:' |
    rule "clang-format changes nothing"
end_rules
