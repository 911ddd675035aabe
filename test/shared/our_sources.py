"""The source of the core and of our packages in plugins/, by path, for tests that read it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / 'replan_agent'
PACKAGES = tuple(ROOT / 'plugins' / name / name for name in (
    'replan_agent_bench', 'replan_agent_page', 'replan_agent_export',
    'replan_agent_calibrate', 'replan_agent_moveit'))


def files() -> dict[str, Path]:
    """Each module: of the core by its path below the package, of others with their name before."""
    core = {path.relative_to(CORE).as_posix(): path for path in CORE.rglob('*.py')}
    others = {path.relative_to(package.parent).as_posix(): path
              for package in PACKAGES for path in package.rglob('*.py')}
    return dict(sorted({**core, **others}.items()))
