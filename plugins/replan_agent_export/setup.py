"""Packaging of replan_agent_export, for pip and for colcon."""

from setuptools import find_packages, setup

NAME = 'replan_agent_export'

setup(
    name=NAME,
    version='0.1.0',
    description='Recorded runs of replan_agent: replay, Foxglove, LeRobot, films with captions',
    maintainer='replan_agent maintainers',
    maintainer_email='maintainers@example.com',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},
    data_files=[('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
                (f'share/{NAME}', ['package.xml'])],
    install_requires=['replan_agent', 'mcap>=1.2'],
    # mcap-ros2-support reads bags without ROS 2: a test decodes ours with it.
    extras_require={'dev': ['mcap-ros2-support>=0.5'], 'lerobot': ['pyarrow>=14'],
                    'film': ['matplotlib>=3.7']},
    entry_points={
        'replan_agent.commands': [
            'export = replan_agent_export.export_command:add_commands'],
        'replan_agent.films': ['run = replan_agent_export.film:film'],
        'replan_agent.looks': ['menagerie = replan_agent_export.menagerie:menagerie_looks'],
        'replan_agent.models': [
            'recording = replan_agent_export.recorded_model:RecordingModel',
            'replayed = replan_agent_export.recorded_model:ReplayedModel'],
        'replan_agent.reports': ['report = replan_agent_export.report_page:write_report'],
        'replan_agent.views': [
            'scene = replan_agent_export.markers:SceneMarkers',
            'task = replan_agent_export.markers:TaskMarkers',
            'grasps = replan_agent_export.markers:ShownGrasps'],
    },
    zip_safe=False,
)
