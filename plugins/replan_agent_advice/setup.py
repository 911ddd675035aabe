"""Packaging of replan_agent_advice, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_advice'

setup(
    name=NAME,
    version='0.1.0',
    description='Advice of a model to replan_agent: on failed steps, and on plans',
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
        'replan_agent.advisers': [
            'monitor = replan_agent_advice.model_monitor:ModelMonitor',
            'reflection = replan_agent_advice.model_reflection:ModelReflector'],
    },
    zip_safe=False,
)
