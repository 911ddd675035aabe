"""Packaging of replan_agent_gazebo, for pip and for colcon."""

from pathlib import Path

from setuptools import find_packages, setup

NAME = 'replan_agent_gazebo'

setup(
    name=NAME,
    version='0.1.0',
    description='A Franka in Gazebo for replan_agent: world, arm, controllers, launch file',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml']),
                *((f'share/{NAME}/{folder}', sorted(map(str, Path(folder).glob('*.*'))))
                  for folder in ('config', 'launch'))],
    install_requires=['replan_agent', 'replan_agent_calibrate'],
    zip_safe=False,
)
