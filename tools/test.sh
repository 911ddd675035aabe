#!/usr/bin/env bash
# tools/test.sh STAGE...: sets up, runs the stages (check docs unit sim web ros; release core), and
# reports the result, the time and the processor time (user and system, of all processes) of each.
# Fails if any stage fails. A stage that takes longer than its share of the time only warns.
# With other stages, ros runs beside them, because half of it is waiting; its output comes last.
set -uo pipefail
cd "$(dirname "$0")/.."
unset PYTHONDONTWRITEBYTECODE  # hundreds of processes would compile the package, each for itself

report=()
failed=0
beside=''  # the process of the stage that runs beside the others
logs=build/test
mkdir -p $logs
trap '[ -z "$beside" ] || kill -- "-$beside" 2>/dev/null' EXIT

# timed NAME COMMAND...: runs it, and notes its times and its exit status.
# A shell of its own: else what runs beside it and ends meanwhile counts as its processor time.
timed() (
    name=$1 code=0 TIMEFORMAT='%0R %0U %0S'
    shift
    { time "$@" 1>&3 2>&4; } 3>&1 4>&2 2>$logs/$name.time || code=$?
    echo $code >$logs/$name.code
)

# settle NAME SHARE_S: what became of the stage. Status 0 passed, 5 no tests, 77 needs Linux.
settle() {
    local name=$1 share=$2 result=passed warning='' took user system
    case $(cat $logs/$name.code) in
        0) ;;
        5) result='no tests yet' ;;
        77) result='needs Linux' ;;
        *) result=FAILED failed=1 ;;
    esac
    read -r took user system < <(tail -n 1 $logs/$name.time)
    [ "$took" -le "$share" ] || warning='  WARNING: over its share'
    report+=("$(printf '%-8s %-13s %4d s of %d s, processor %d s%s' \
        "$name" "$result" "$took" "$share" $((user + system)) "$warning")")
}

# stage NAME SHARE_S COMMAND...
stage() {
    local name=$1 share=$2
    shift 2
    printf '\n=== %s\n' "$name"
    timed "$name" "$@"
    settle "$name" "$share"
}

check() {
    local code=0
    .venv/bin/python -m ruff check || code=1
    .venv/bin/python -m mypy || code=1
    .venv/bin/python -m mypy examples || code=1  # quick: the first one left its cache
    return $code
}

# The documentation as a site, in build/site: a warning, such as a broken link, is an error. Then
# a browser opens its files.
docs() {
    NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build --quiet || return
    .venv/bin/python -m pytest -q --durations 5 test/site || return
    echo 'the site: build/site/index.html'
}

# tests MARKED PATH...
tests() { .venv/bin/python -m pytest -q -n auto --maxprocesses 4 --durations 5 -m "$@"; }

# One process: all tests of the page share one browser.
web_tests() { .venv/bin/python -m pytest -q --durations 5 plugins/replan_agent_page/test/web; }

# ros_tests MARKED: on real rclpy, with the ROS 2 that is sourced or one of our own (tools/ros --help).
ros_tests() {
    local run=(.venv/bin/python tools/ros run python3) workers=()
    [ "$(uname)" = Linux ] || return 77
    .venv/bin/python tools/ros setup || return 1
    # The ROS 2 that is sourced may have no pytest-xdist.
    "${run[@]}" -c 'import xdist' 2>/dev/null &&
        workers=(-n auto --maxprocesses 4 --dist loadfile)
    "${run[@]}" -m pytest -q "${workers[@]}" --durations 5 -m "$1" test/ros plugins/*/test/ros
}

# The core's unit tests in build/core: .venv without the packages of plugins/.
core_tests() {
    local site='import sysconfig; print(sysconfig.get_path("purelib"))'
    .venv/bin/python -m venv --clear --without-pip build/core || return
    find "$(.venv/bin/python -c "$site")" -mindepth 1 -maxdepth 1 ! -name '*replan_agent_[a-z]*' \
        -exec ln -s -t "$(build/core/bin/python -c "$site")" {} +
    build/core/bin/python -m pytest -q -n auto --maxprocesses 4 --durations 5 test/unit
}

# What is too slow for every change: the tests marked `release`, and more random examples.
release_tests() {
    local code=0
    HYPOTHESIS_PROFILE=release tests 'release or fuzz or hypothesis' \
        test/unit test/sim test/fuzz plugins/*/test/{unit,sim} || code=$?
    ros_tests release || code=$?
    return $code
}

finish() {
    if [ -n "$beside" ]; then
        wait "$beside"
        beside=''
        printf '\n=== ros\n'
        cat $logs/ros.log
        settle ros 600
    fi
    printf '\n=== time\n'
    printf '%s\n' "${report[@]}"
    exit $failed
}

stage set-up 240 tools/bootstrap.sh dev,vlm,docs
[ $failed -eq 0 ] || finish
case " $* " in
    ' ros ') ;;
    *' ros '*)
        echo "ros runs beside the others, with its output in $logs/ros.log"
        set -m  # a process group of its own, so that it can be ended
        timed ros ros_tests 'not release' >$logs/ros.log 2>&1 </dev/null &
        beside=$!
        set +m ;;
esac
every='not release'
for name in "$@"; do
    case $name in
        check) stage check 60 check ;;
        docs) stage docs 60 docs ;;
        unit) stage unit 120 tests "$every" test/unit test/fuzz plugins/*/test/unit ;;
        sim) stage sim 300 tests "$every" test/sim plugins/*/test/sim ;;
        web) stage web 60 web_tests ;;
        ros) [ -n "$beside" ] || stage ros 600 ros_tests "$every" ;;
        release) stage release 1800 release_tests ;;
        core) stage core 300 core_tests ;;
        *) echo "unknown stage $name; there are: check docs unit sim web ros release core" >&2
            exit 2 ;;
    esac
done
finish
