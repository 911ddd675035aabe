"""The environment of a command that runs in the runtime."""

from __future__ import annotations

import fcntl
import os
import random
from pathlib import Path

from .layout import OURS, TOOLS, Runtime, cache_root
from .offers import offers

TF2 = TOOLS / 'stubs' / 'tf2_ros'  # last: an installed one is found first
INSIDE = 'REPLAN_AGENT_ROS_RUNTIME'  # set in the runtime, to the runtime's folder
LOCALHOST = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
DOMAINS = range(1, 102)  # Linux gives the ports of these to no one else


def environment(runtime: Runtime, packages: list[Path]) -> dict[str, str]:
    """The variables to add for a command; `packages` are the prefixes of built interfaces."""
    prefixes = [*packages, runtime.prefix]
    modules = [p / runtime.site_packages_name for p in packages]
    # Other files of the wheels are not found from where their libraries end up.
    libraries = [*(p / 'lib' for p in prefixes), *sorted(runtime.site_packages.glob('*.libs'))]
    found = {
        INSIDE: str(runtime.root),
        'PATH': _path(runtime.interpreter.parent, os.environ.get('PATH', os.defpath)),
        'AMENT_PREFIX_PATH': _path(*prefixes),
        'PYTHONNOUSERSITE': '1',
        'ROS_DISTRO': 'jazzy', 'ROS_VERSION': '2', 'ROS_PYTHON_VERSION': '3',
        'RMW_IMPLEMENTATION': 'rmw_fastrtps_cpp',
        **{name: os.environ.get(name, value) for name, value in LOCALHOST.items()},
        'ROS_LOG_DIR': os.environ.get('ROS_LOG_DIR', str(runtime.root / 'log')),
        # One process of a graph must not take all cores from the others.
        'OMP_NUM_THREADS': '1', 'OPENBLAS_NUM_THREADS': '1',
    }
    if runtime.emulated:
        modules = [runtime.root / 'site', *modules, runtime.site_packages]
        libraries = [runtime.root / 'lib', *libraries]
        found['REPLAN_AGENT_ROS_PYTHON'] = str(runtime.interpreter)
        found['REPLAN_AGENT_ROS_LIBS'] = _path(*libraries)
    else:
        found['LD_LIBRARY_PATH'] = _path(*libraries, os.environ.get('LD_LIBRARY_PATH', ''))
    found['PYTHONPATH'] = _path(*OURS, offers(runtime.root), *modules, TF2)
    return found


def _path(*parts: Path | str) -> str:
    return os.pathsep.join(str(part) for part in parts if str(part))


def reserve_domain() -> str:
    """A ROS_DOMAIN_ID that no other run uses while this process and its children live.

    They inherit a descriptor that holds a file lock. Without it, graphs that run at the same time
    would take each other's goals.
    """
    folder = cache_root() / 'domains'
    folder.mkdir(exist_ok=True)
    for domain in random.sample(DOMAINS, len(DOMAINS)):
        handle = os.open(folder / str(domain), os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            continue
        os.set_inheritable(handle, True)
        return str(domain)
    raise RuntimeError(f'all {len(DOMAINS)} ROS domains are taken by runs of {folder.parent}')
