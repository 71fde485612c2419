# Sets $python to a python3 that has these modules; without one the test is
# skipped. Sourced: torch_python.sh MODULE... SPDX-License-Identifier: MIT
# shellcheck shell=bash
python=
for p in python3 /usr/bin/python3; do
    for module; do
        "$p" -c "import $module" >/dev/null 2>&1 || continue 2
    done
    python=$p
    break
done
[ -n "$python" ] || {
    echo "1..0 # SKIP no python3 with $* (Debian: python3-torch, python3-numpy)"
    exit 0
}
