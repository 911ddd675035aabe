"""Packaging of replan_agent_franka, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_franka'

setup(
    name=NAME,
    version='0.1.0',
    description='A Franka over franka_ros2 for replan_agent: its gripper and its own stops',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml'])],
    install_requires=['replan_agent'],
    entry_points={
        'replan_agent.grippers': ['franka = replan_agent_franka.franka_gripper:FrankaGripper'],
        'replan_agent.self_stops': ['franka = replan_agent_franka.franka_errors:FrankaErrors'],
    },
    zip_safe=False,
)
