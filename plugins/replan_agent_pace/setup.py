"""Packaging of replan_agent_pace, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_pace'

setup(
    name=NAME,
    version='0.1.0',
    description='Slows and pauses running motions of replan_agent by a topic',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml'])],
    install_requires=['replan_agent', 'scipy>=1.11'],
    entry_points={
        'replan_agent.paces': ['topic = replan_agent_pace.speed_scale:SpeedScale'],
    },
    zip_safe=False,
)
