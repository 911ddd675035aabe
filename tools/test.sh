#!/usr/bin/env bash
# tools/test.sh STAGE...: sets up, runs the stages (check docs unit sim web ros), reports result and time.
# Fails if any stage fails. A stage that takes longer than its share of the time only warns.
set -uo pipefail
cd "$(dirname "$0")/.."

report=()
failed=0
skipped=''

# stage NAME SHARE_S COMMAND...: COMMAND answers 0 passed, 5 no tests yet, 77 skipped (the reason
# is in $skipped), else failed.
stage() {
    local name=$1 share=$2 start=$SECONDS result=passed code=0
    shift 2
    printf '\n=== %s\n' "$name"
    "$@" || code=$?
    case $code in
        0) ;;
        5) result='no tests yet' ;;
        77) result="skipped: $skipped" ;;
        *) result=FAILED failed=1 ;;
    esac
    local took=$((SECONDS - start)) warning=''
    [ "$took" -le "$share" ] || warning='  WARNING: over its share'
    report+=("$(printf '%-8s %-13s %4d s of %d s%s' "$name" "$result" "$took" "$share" "$warning")")
}

check() {
    local code=0
    .venv/bin/python -m ruff check || code=1
    .venv/bin/python -m mypy || code=1
    .venv/bin/python -m mypy examples || code=1
    return $code
}

# The documentation as a site, in build/site: a warning, such as a broken link, is an error.
docs() {
    NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build --quiet || return
    echo 'the site: build/site/index.html'
}

tests() {
    [ -n "$(find "$1" -name 'test_*.py' -print -quit 2>/dev/null)" ] || return 5
    .venv/bin/python -m pytest -q -n auto --maxprocesses 4 --durations 5 "$@"
}

# One process: all tests of the page share one browser.
web_tests() { .venv/bin/python -m pytest -q --durations 5 test/web; }

# The tests on real rclpy, with the ROS 2 that is sourced or one of our own (tools/ros --help).
ros_tests() {
    local run=(.venv/bin/python tools/ros run python3) workers=()
    skipped="needs Linux, this is $(uname)"
    [ "$(uname)" = Linux ] || return 77
    .venv/bin/python tools/ros setup || return 1
    # The ROS 2 that is sourced may have no pytest-xdist.
    "${run[@]}" -c 'import xdist' 2>/dev/null &&
        workers=(-n auto --maxprocesses 4 --dist loadfile)
    "${run[@]}" -m pytest -q "${workers[@]}" --durations 5 test/ros
}

finish() {
    printf '\n=== time\n'
    printf '%s\n' "${report[@]}"
    exit $failed
}

stage set-up 240 tools/bootstrap.sh dev,vlm,bench,ray,mcp,web,export,docs
[ $failed -eq 0 ] || finish
for name in "$@"; do
    case $name in
        check) stage check 60 check ;;
        docs) stage docs 60 docs ;;
        unit) stage unit 120 tests test/unit test/fuzz test/tasks plugins ;;
        sim) stage sim 300 tests test/sim ;;
        web) stage web 60 web_tests ;;
        ros) stage ros 600 ros_tests ;;
        *) echo "unknown stage $name; there are: check docs unit sim web ros" >&2; exit 2 ;;
    esac
done
finish
