"""Packaging for both worlds: `pip install .` without ROS, `colcon build` with it."""

from pathlib import Path

from setuptools import find_packages, setup

NAME = 'replan_agent'
SHARE = Path('share') / NAME

# opencv-python-headless is opencv-python without its windows: the same cv2, but the other one
# fails to import where libGL, libglib and libxcb are missing, as on a server or in a container.
# Keep one of the two in an environment: both write the folder cv2/.
# Nothing here may force numpy 2, which ROS's own packages do not all support.
REQUIRES = [
    'jsonschema>=3.2',
    'mujoco>=3.17',
    'numpy>=1.26',
    'opencv-python-headless>=4.8',
    'PyYAML>=5.4',
    'rich>=11.2',
    'scipy>=1.11',
    'transforms3d>=0.4.2',
]
VLM = ['openai>=1.109']
# Cuts meshes that are not convex into pieces; without it their hulls are used.
MESH = ['coacd>=1.0']
# The documentation as a site: `make docs`.
DOCS = ['mkdocs>=1.6,<2', 'mkdocs-material>=9.5']
TEST = ['hypothesis>=6', 'pytest>=7.4']
# setuptools from 70.1 on builds a wheel by itself: a test installs a small package.
# foxglove-sdk has Foxglove's own message types: a test compares ours with them. catkin_pkg is how
# rosdep and bloom find packages. uv fills an environment for each Python that we promise.
DEV = [*TEST, 'catkin_pkg>=1', 'foxglove-sdk>=0.30', 'mypy>=1.8', 'playwright>=1.40',
       'pytest-xdist>=3', 'ruff>=0.5', 'setuptools>=70.1', 'types-jsonschema',
       'types-PyYAML', 'uv>=0.5', 'xacro>=2.1']


def shared_files(folder: str) -> list[tuple[str, list[str]]]:
    """Every file below `folder`, to be installed below share/replan_agent/<folder>."""
    by_parent: dict[Path, list[str]] = {}
    for path in sorted(Path(folder).rglob('*')):
        hidden = path.name.startswith('.') or '__pycache__' in path.parts
        if path.is_file() and not hidden:
            by_parent.setdefault(path.parent, []).append(str(path))
    return [(str(SHARE / parent), files) for parent, files in by_parent.items()]


NODES = ('perception_node', 'planner_node', 'skill_node', 'guard_node', 'agent_node',
         'starter_node')

setup(
    name=NAME,
    version='0.1.0',
    description='Plans, acts, finds out why it failed, and plans again: an agent for a Franka arm',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    # An editable install is a path then, and works beside the clone: its folder has our name too.
    package_dir={'': '.'},
    # In every package; `**` would need a newer setuptools than Humble has.
    package_data={'': ['py.typed', '*.xml', '*.json', '*.html', '*.css', '*.js', '*.lark', '*.txt',
                       'assets/*']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (str(SHARE), ['package.xml']),
        *shared_files('config'),
        *shared_files('launch'),
    ],
    install_requires=REQUIRES,
    extras_require={'vlm': VLM, 'mesh': MESH, 'docs': DOCS, 'test': TEST,
                    'dev': DEV},
    entry_points={
        'console_scripts': [
            'replan-agent = replan_agent.app.cli.main:main',
            *(f'{node} = replan_agent.ros.nodes.{node}:main' for node in NODES),
        ],
        # Commands that packages add to `replan-agent`; ours needs ROS.
        'replan_agent.commands': ['ros = replan_agent.ros.commands.ros_commands:add_commands'],
    },
    zip_safe=False,
)
