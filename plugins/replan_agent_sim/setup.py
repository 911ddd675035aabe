"""Packaging of replan_agent_sim, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_sim'

setup(
    name=NAME,
    version='0.1.0',
    description='The embedded world of replan_agent over ROS, with the interfaces of a real arm',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml'])],
    install_requires=['replan_agent', 'replan_agent_calibrate'],
    entry_points={
        'console_scripts': [
            'sim_node = replan_agent_sim.sim_node:main',
            'replan-agent-graph = replan_agent_sim.all_in_one:main'],
        'replan_agent.truth': ['topic = replan_agent_sim.truth_topic:RosTruth'],
    },
    zip_safe=False,
)
