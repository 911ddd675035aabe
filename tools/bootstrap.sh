#!/usr/bin/env bash
# tools/bootstrap.sh EXTRAS: makes .venv with the package (editable), these extras of setup.py, and
# our packages in plugins/ (with all their extras if EXTRAS has dev), and installs the library that
# renders images. Safe to run again: it returns at once if nothing changed, and repairs an
# incomplete set-up.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "set-up: $*"; }
fail() { printf 'set-up: %s\n' "$@" >&2; exit 1; }

# apt_install PACKAGE: succeeds only if we may install and it worked.
apt_install() {
    local as_root=()
    command -v apt-get >/dev/null || return 1
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || return 1
        as_root=(sudo -n)
    fi
    say "installing $1 with apt"
    local get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq)
    { "${get[@]}" install -y --no-install-recommends "$1" ||
        { "${get[@]}" update && "${get[@]}" install -y --no-install-recommends "$1"; }
    } >/dev/null 2>&1
}

find_python() {
    local candidate
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.10}; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    fail "Python 3.10 or newer is needed; ${PYTHON:-python3} is older or missing." \
        'Install one, or name it:  make PYTHON=/path/to/python3.12 ...'
}

make_venv() {
    local python package
    python=$(find_python)
    package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    say "creating .venv with $("$python" --version)"
    "$python" -m venv --clear .venv >/dev/null 2>&1 && return
    apt_install "$package" && "$python" -m venv --clear .venv >/dev/null 2>&1 && return
    # Without ensurepip, a pip from outside can fill the environment.
    "$python" -m venv --clear --without-pip .venv >/dev/null 2>&1 &&
        "$python" -m pip --python .venv/bin/python install --quiet pip 2>/dev/null && return
    fail "$python cannot create virtual environments. Install what is missing, then run again:" \
        "  sudo apt-get install -y $package"
}

extras=${1:-vlm}

# What the environment was made from; scripts in it also hold the path of this folder.
fingerprint() { { pwd && cat setup.py plugins/*/setup.py; } | cksum; }

install_packages() {
    local stamp=.venv/.complete-$extras
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(fingerprint)" ] && return
    .venv/bin/python -m pip --version >/dev/null 2>&1 || make_venv
    say "installing Python packages [$extras], a minute or two"
    local pip=(.venv/bin/python -m pip -qq --disable-pip-version-check)
    local setup every=$extras packages=(--editable ".[$extras]")
    # The pip that comes with Python 3.10 finds no solution for mujoco beside openai. With one
    # setuptools for all packages, pip needs no environment for each: half of the time.
    if "${pip[@]}" install --upgrade pip 'setuptools>=70.1'; then
        packages+=(--no-build-isolation)
    else
        say 'keeping the old pip'
    fi
    case $extras in *dev*) every+=,plot,ray,mcp,lerobot,film ;; esac  # each package has some of them
    for setup in plugins/*/setup.py; do packages+=(--editable "./${setup%/setup.py}[$every]"); done
    "${pip[@]}" install "${packages[@]}" ||
        fail 'pip could not install the packages; its message is above.'
    fingerprint >"$stamp"
    say 'Python packages are ready'
}

has_egl() { .venv/bin/python -c 'import ctypes; ctypes.CDLL("libEGL.so.1")' 2>/dev/null; }

install_egl() {
    [ "$(uname)" = Linux ] || return 0
    has_egl || { apt_install libegl1 && has_egl; } ||
        say 'no libEGL: all works but camera images and videos. To have those:' \
            'sudo apt-get install -y libegl1'
}

# sdformat's checker, for the tests of the Gazebo world, which are skipped without it.
install_sdf_checker() {
    case $extras in *dev*) ;; *) return 0 ;; esac
    .venv/bin/python -c 'import ctypes; ctypes.CDLL("libsdformat12.so.12")' 2>/dev/null && return
    apt-cache show libsdformat12-12 >/dev/null 2>&1 || return 0
    apt_install libsdformat12-12 || say 'no libsdformat12-12: the Gazebo world is not checked'
}

# The browser of the tests of the page, which are skipped without it.
install_chromium() {
    case $extras in *dev*) ;; *) return 0 ;; esac
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null && return
    apt_install chromium || say 'no chromium: the page is not tested in a browser'
}

install_packages
install_egl
install_sdf_checker
install_chromium
