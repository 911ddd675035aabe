"""Plain shapes as markers for RViz and Foxglove."""

from __future__ import annotations

from collections.abc import Iterable

from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from replan_agent.record.drawing import Drawn, DrawnKind
from replan_agent.ros.messages.message_fields import (
    point_to_msg,
    pose_to_msg,
    size_to_msg,
    time_to_msg,
)

TYPES = {DrawnKind.BOX: Marker.CUBE, DrawnKind.SPHERE: Marker.SPHERE,
         DrawnKind.CYLINDER: Marker.CYLINDER, DrawnKind.TRIANGLES: Marker.TRIANGLE_LIST,
         DrawnKind.LINES: Marker.LINE_LIST, DrawnKind.PATH: Marker.LINE_STRIP,
         DrawnKind.TEXT: Marker.TEXT_VIEW_FACING}
BODY_ALPHA = 0.8  # what is inside and behind a thing can be seen


def marker_array(shapes: Iterable[Drawn], frame: str, stamp: float) -> MarkerArray:
    """A marker for each shape; removes what was drawn before."""
    header = Header(stamp=time_to_msg(stamp), frame_id=frame)
    return MarkerArray(markers=[Marker(header=header, action=Marker.DELETEALL),
                                *(_marker(shape, header, k) for k, shape in enumerate(shapes))])


def _marker(shape: Drawn, header: Header, number: int) -> Marker:
    r, g, b = shape.colour
    is_thin = shape.kind in (DrawnKind.LINES, DrawnKind.PATH, DrawnKind.TEXT)
    return Marker(header=header, ns=shape.group, id=number, action=Marker.ADD,
                  type=TYPES[shape.kind], pose=pose_to_msg(shape.pose), text=shape.text,
                  scale=Vector3(x=1.0, y=1.0, z=1.0) if shape.kind is DrawnKind.TRIANGLES
                  else size_to_msg(shape.size), points=list(map(point_to_msg, shape.points)),
                  color=ColorRGBA(r=r, g=g, b=b, a=1.0 if is_thin else BODY_ALPHA))
