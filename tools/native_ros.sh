#!/usr/bin/env bash
# tools/native_ros.sh [DIR]: builds and tests everything with an installed ROS 2, from a clean workspace in DIR (new), and
# says what it found: one line for each stage, with its log. What `make test` cannot do without an installed ROS 2 is here:
# rosdep, colcon, ament_lint, launch_testing, Ctrl-C on real launch files, `ros2 bag`. Exit status: 0 all ok, 1 something is wrong,
# 2 wrong use.  . /opt/ros/jazzy/setup.sh && tools/native_ros.sh        INSTALL=1 also installs what is missing (as root)
# shellcheck disable=SC2329  # `stage` calls the functions by their names
set -uo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
if [ -z "${ROS_DISTRO:-}" ] || [ -n "${REPLAN_AGENT_ROS_RUNTIME:-}" ]; then
    echo 'no installed ROS 2: source it first, as in  . /opt/ros/jazzy/setup.sh && tools/native_ros.sh' >&2
    exit 2
fi
workspace=${1:-$(mktemp -d)}
mkdir -p "$workspace" && workspace=$(cd "$workspace" && pwd -P) || exit 2
if [ -e "$workspace/build" ] || [ -e "$workspace/install" ]; then
    echo "$workspace is not clean: it has build/ or install/; name another folder" >&2
    exit 2
fi
logs=$workspace/native_logs
mkdir -p "$logs" "$workspace/home"
export ROS_LOG_DIR=$workspace/home ROS_DOMAIN_ID=${ROS_DOMAIN_ID:-87} PIP_BREAK_SYSTEM_PACKAGES=1
wrong=0 built=
installed="$workspace/install/setup.bash"

# stage NAME NEEDS COMMAND...: runs it in the workspace. NEEDS is empty, or why it does not run.
stage() {
    local name=$1 needs=$2 began=$SECONDS
    shift 2
    if [ -n "$needs" ]; then
        printf '%-22s not run   %s\n' "$name" "$needs"
        return 1
    fi
    if (cd "$workspace" && "$@") >"$logs/$name.log" 2>&1; then
        printf '%-22s ok        %4d s  %s\n' "$name" $((SECONDS - began)) "$(tail -n 1 "$logs/$name.log" | cut -c1-90)"
        return 0
    fi
    wrong=1
    printf '%-22s WRONG     %4d s  %s\n' "$name" $((SECONDS - began)) "$logs/$name.log:"
    tail -n 12 "$logs/$name.log" | sed 's/^/    /'
    return 1
}

in_workspace() { # COMMAND: with the packages that were built
    # shellcheck disable=SC1090
    set +u && . "$installed" && set -u && "$@"
}

all_listed() { # colcon finds each package that is in the workspace
    local here listed
    here=$(cd src && echo *) && listed=$(colcon list --names-only | sort | tr '\n' ' ')
    echo "$listed"
    [ "$(tr ' ' '\n' <<<"$here" | sort | tr '\n' ' ')" = "$listed" ] && echo "$(wc -w <<<"$listed") packages"
}

bag() { # a recorded run as a bag, that ROS 2's own tools read and play
    local file=$workspace/run.mcap
    PYTHONPATH=$checkout/test/shared:${PYTHONPATH:-} python3 -c \
        "from made_run import made_run; from pathlib import Path; made_run(Path('$workspace/run'))" &&
        ros2 run replan_agent replan-agent export "$workspace/run" --rosbag "$file" --force &&
        ros2 bag info "$file" && timeout 60 ros2 bag play --rate 10 "$file"
}

tests() { # FILE...: of the checkout, with the packages that were built
    # shellcheck disable=SC2068  # patterns of names, from the folder of the checkout
    in_workspace cd "$checkout" && python3 -m pytest -q -p no:cacheprovider -m 'not release' $@
}

echo "ROS 2 $ROS_DISTRO, $(python3 --version), $(uname -m); workspace $workspace"
stage workspace '' "$checkout/tools/workspace" "$workspace"
stage colcon_list '' all_listed
if [ -n "${INSTALL:-}" ]; then
    stage rosdep_install '' rosdep install -y --from-paths src --ignore-src
else
    stage rosdep_check '' rosdep check --from-paths src --ignore-src
fi
stage colcon_build '' colcon build --event-handlers console_direct+ && built=yes
needs=
[ -n "$built" ] || needs='the build is wrong'
stage ros2_pkg "$needs" in_workspace ros2 pkg executables replan_agent
stage ament_lint "$needs" tests test/unit/test_ament_lint.py
stage ros_tests "$needs" tests test/ros 'plugins/*/test/ros'
for name in launch_files sim_launch interrupt_launch two_arms_launch; do
    stage "$name" "$needs" tests "test/launch/test_$name.py"
done
no_mcap=$(python3 -c 'import mcap' 2>/dev/null || echo 'no mcap: rosdep install, or python3 -m pip install mcap')
stage ros2_bag "${needs:-$no_mcap}" in_workspace bag
stage doctor "$needs" in_workspace ros2 run replan_agent_doctor doctor --help
[ $wrong = 0 ] && echo 'all ok' || echo "something is wrong; the logs are in $logs"
exit $wrong
