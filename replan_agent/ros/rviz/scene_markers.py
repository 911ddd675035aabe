"""A scene as markers for RViz."""

from __future__ import annotations

from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.ros.messages.message_fields import point_to_msg, pose_to_msg, size_to_msg

from .task_markers import TEXT_M, cleared, make_header

GREY = (0.6, 0.6, 0.6)
COLOURS = {
    'red': (0.8, 0.1, 0.1), 'green': (0.1, 0.6, 0.2), 'blue': (0.1, 0.3, 0.8),
    'yellow': (0.9, 0.8, 0.1), 'orange': (0.9, 0.5, 0.1), 'purple': (0.5, 0.2, 0.6),
    'black': (0.05, 0.05, 0.05), 'white': (0.95, 0.95, 0.95), 'brown': (0.5, 0.3, 0.1),
}
TYPES = {Shape.CYLINDER: Marker.CYLINDER, Shape.SPHERE: Marker.SPHERE,
         Shape.BOWL: Marker.CYLINDER, Shape.IRREGULAR: Marker.TRIANGLE_LIST}


def scene_markers(scene: Scene) -> MarkerArray:
    """A body and a name for each object; removes what was drawn before."""
    drawn, header = cleared(scene.frame, scene.stamp), make_header(scene.frame, scene.stamp)
    for number, thing in enumerate(scene.objects):
        drawn.markers += [_body(thing, header, number), _name(thing, header, number)]
    return drawn


def _body(thing: SceneObject, header: Header, number: int) -> Marker:
    r, g, b = COLOURS.get(thing.colour, GREY)
    drawn = Marker(header=header, ns='objects', id=number, action=Marker.ADD,
                   type=TYPES.get(thing.shape, Marker.CUBE), pose=pose_to_msg(thing.pose),
                   scale=size_to_msg(thing.size), color=ColorRGBA(r=r, g=g, b=b, a=0.8))
    if thing.pieces:
        drawn.scale = size_to_msg((1.0, 1.0, 1.0))
        drawn.points = [point_to_msg(corner) for piece in thing.pieces
                        for corner in piece.triangles.reshape(-1, 3)]
    return drawn


def _name(thing: SceneObject, header: Header, number: int) -> Marker:
    pose = pose_to_msg(thing.pose)
    pose.position.z += thing.size[2] / 2 + TEXT_M
    marker = Marker(header=header, ns='names', id=number, action=Marker.ADD, text=thing.name,
                    type=Marker.TEXT_VIEW_FACING, pose=pose,
                    color=ColorRGBA(r=1.0, g=1.0, b=1.0, a=1.0))
    marker.scale.z = TEXT_M
    return marker
