"""Packaging of replan_agent_arms, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_arms'

setup(
    name=NAME,
    version='0.1.0',
    description='Any arm from a URDF or MJCF and a small file, for replan_agent',
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
        'replan_agent.arms': [f'{name} = replan_agent_arms.arm_by_name:arm_by_name' for name in
                              ('file', 'ur3', 'ur5e', 'ur10', 'xarm7', 'iiwa', 'kinova3',
                               'sawyer')],
        'replan_agent.grippers': [
            'parallel_gripper = replan_agent_arms.parallel_gripper:ParallelGripper'],
        'replan_agent.self_stops': ['services = replan_agent_arms.service_stops:ServiceStops'],
        'replan_agent.commands': ['arm = replan_agent_arms.arm_command:add_commands'],
    },
    zip_safe=False,
)
