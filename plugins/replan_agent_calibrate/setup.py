"""Packaging of replan_agent_calibrate, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_calibrate'

setup(
    name=NAME,
    version='0.1.0',
    description='The cameras of replan_agent: what they see, where they are',
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
        'console_scripts': ['camera_pose_node = replan_agent_calibrate.camera_pose_node:main'],
        'replan_agent.commands': [
            'calibrate = replan_agent_calibrate.calibrate_command:add_commands'],
    },
    zip_safe=False,
)
