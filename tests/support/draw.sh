# Random numbers that are the same with every awk, whose rand() differs. To be sourced:
#   awk "$draw"'BEGIN { state = 20260101; print draw() }'      in (0, 1)
# Lehmer's generator, exact in a double; begin with a large state.
# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # for those who source this
draw='function draw() {
    state = state * 16807 % 2147483647
    return state / 2147483647
}
'
