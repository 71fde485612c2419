#!/bin/bash
# The commands of a page (its ```sh blocks) run unchanged; prints TAP.
# SPDX-License-Identifier: MIT
#
#   guide.sh DNABIRD SOURCE_ROOT PAGE SECTIONS FILE...: what it must leave
#
# SECTIONS is a comma-separated list of all headings with a block (`##
# promoter`), in the order in which they can run; "all" runs the page from its
# top. A block that is only to be read is ```console.
set -u
. "$(dirname "$0")/../support/tap.sh"
dnabird=$(realpath "$1") root=$(realpath "$2") page=$(realpath "$3") sections=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# blocks [SECTION]: the commands, of all sections without one
blocks() {
    awk -v want="${1-}" '
        /^```sh$/ && (want == "" || at == want) { on = 1; next }
        /^```/ { on = 0 }
        /^## / && !on { at = substr($0, 4) }
        on' "$page"
}

if [ "$sections" = all ]; then
    blocks >commands
else
    for s in ${sections//,/ }; do
        blocks "$s" >block
        [ -s block ] || { echo "Bail out! no commands in '$s'"; exit 1; }
        cat block >>commands
    done
    for s in $(awk '/^## / { at = substr($0, 4) } /^```sh$/ { print at }' \
        "$page" | sort -u); do
        [[ ,$sections, == *",$s,"* ]] ||
            { echo "Bail out! '$s' has commands that nobody runs"; exit 1; }
    done
fi
[ -s commands ] || { echo "Bail out! no commands in $page"; exit 1; }
for p in bcftools bedtools bgzip samtools tabix; do
    ! grep -qw "$p" commands || needs $p
done
mkdir -p build/tools data tests/data cache
ln -s "$dnabird" build/tools/dnabird
cp -r "$root/data/genome" "$root/data/variants" "$root/data/models" \
    "$root/data/figures" data
cp -r "$root/tests/data/train" "$root/tests/data/torch" \
    "$root/tests/data/variants" tests/data
export PATH=$work/build/tools:$PATH DNABIRD_DATA=$work/data
export XDG_CACHE_HOME=$work/cache
ok "the commands run" bash -e commands
for f; do
    ok "$f is there" test -s "$f"
done
end_rules
