"""What would touch what: MuJoCo's collision detection on a private copy of the perceived scene."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import numpy as np

from replan_agent.domain import franka
from replan_agent.domain.pose import FloatArray, Pose
from replan_agent.domain.scene import Scene, SceneObject, Shape
from replan_agent.motion.protocols import Contact, MotionRequest

from .franka_mjcf import add_franka
from .gl import mujoco
from .mjcf import node, to_xml
from .object_mjcf import add_geoms
from .scene_spec import Colour, ObjectSpec

DETECTED_M = 0.02  # pairs closer than this are seen; clearances beyond it cannot be kept
GRIPPER = 'gripper'
GREY = Colour.named('grey')


class NoLooks:
    """A body that nobody looks at."""

    def add_assets(self, root: ET.Element) -> None:
        pass

    def add_part(self, body: ET.Element, part: str) -> None:
        pass


class MujocoCollisionChecker:
    """Checks joint angles against the objects of a perceived scene, never against a simulator.

    What the gripper holds moves with the hand. The model is compiled anew only when other things
    are seen than before; poses alone are cheap to change.
    """

    def __init__(self, model: str = 'panda') -> None:
        self._arm = model
        self._compiled_for: object = None
        self._allowed: frozenset[frozenset[str]] = frozenset()
        self._clearance_m = 0.0

    def use(self, request: MotionRequest) -> None:
        """Check against this scene, with these allowed contacts and this clearance, from now."""
        scene = request.scene
        held = scene.get(scene.held or '') if scene.arm else None
        signature = tuple((o.name, o.shape, o.size) for o in scene.objects), _grip(held, scene)
        if signature != self._compiled_for:
            self._compile(scene, held)
            self._compiled_for = signature
        for thing in scene.objects:
            if thing is not held:
                self._move(thing)
        self._allowed = frozenset(frozenset(pair) for pair in request.allowed_contacts)
        self._clearance_m = min(request.clearance_m, DETECTED_M)
        self._set_fingers(request)

    def first_contact(self, joints: FloatArray) -> Contact | None:
        """The closest pair that is nearer than the clearance at `joints`, or None when free."""
        return self._nearest(joints, self._clearance_m)

    def clearance(self, joints: FloatArray) -> float:
        """Distance (m) of the closest pair that is not allowed to touch, up to DETECTED_M."""
        nearest = self._nearest(joints, DETECTED_M)
        return nearest.distance_m if nearest else DETECTED_M

    def _nearest(self, joints: FloatArray, within_m: float) -> Contact | None:
        data = self._data
        data.qpos[:franka.JOINTS] = joints
        mujoco.mj_kinematics(self._model, data)
        mujoco.mj_collision(self._model, data)
        if not data.ncon:
            return None
        contact, distances = data.contact, data.contact.dist
        for k in np.argsort(distances):
            if distances[k] >= within_m:
                return None
            a, b = (self._names[g] for g in contact.geom[k])
            if a != b and frozenset((a, b)) not in self._allowed:
                return Contact(a, b, float(distances[k]))
        return None

    def _compile(self, scene: Scene, held: SceneObject | None) -> None:
        root = ET.Element('mujoco', model='planning scene')
        node(root, 'compiler', angle='radian', autolimits=True, balanceinertia=True)
        node(node(root, 'default'), 'geom', margin=DETECTED_M)
        world = node(root, 'worldbody')
        add_franka(root, self._arm, NoLooks())
        for thing in scene.objects:
            if thing is not held:
                body = node(world, 'body', name=thing.name, mocap=True)
                add_geoms(body, _spec(thing))
        if held is not None:
            self._attach(root, scene, held)
        self._model = mujoco.MjModel.from_xml_string(to_xml(root))
        self._data = mujoco.MjData(self._model)
        self._names = [self._name_of(g) for g in range(self._model.ngeom)]

    def _attach(self, root: ET.Element, scene: Scene, held: SceneObject) -> None:
        """The held object as part of the hand; its own pads may touch it."""
        hand = root.find(f'.//body[@name="{self._arm}_hand"]')
        assert hand is not None and scene.arm is not None
        T_hand_object = _in_hand(held, scene)
        body = node(hand, 'body', name=held.name, pos=T_hand_object.position,
                    quat=T_hand_object.quaternion)
        add_geoms(body, _spec(held))
        contact = root.find('contact')
        assert contact is not None
        for part in ('hand', 'leftfinger', 'rightfinger'):
            node(contact, 'exclude', body1=held.name, body2=f'{self._arm}_{part}')

    def _move(self, thing: SceneObject) -> None:
        mocap = self._model.body(thing.name).mocapid[0]
        self._data.mocap_pos[mocap] = thing.pose.position
        self._data.mocap_quat[mocap] = thing.pose.quaternion

    def _set_fingers(self, request: MotionRequest) -> None:
        arm, width = request.scene.arm, request.gripper_width
        if width is None:
            width = arm.gripper_width if arm else franka.MAX_GRIPPER_WIDTH_M
        self._data.qpos[franka.JOINTS:franka.JOINTS + 2] = width / 2

    def _name_of(self, geom: int) -> str:
        """The link or object a geom belongs to; hand and fingers are the 'gripper'."""
        name = str(self._model.body(self._model.geom_bodyid[geom]).name)
        parts = (f'{self._arm}_{part}' for part in ('hand', 'leftfinger', 'rightfinger'))
        return GRIPPER if name in parts else name


def _spec(thing: SceneObject) -> ObjectSpec:
    shape = Shape.BOX if thing.shape is Shape.TABLE else thing.shape
    return ObjectSpec(thing.name, shape, thing.size, GREY, mass=0.1)


def _in_hand(held: SceneObject, scene: Scene) -> Pose:
    """T_hand_object, from where the object and the TCP were seen."""
    assert scene.arm is not None
    T_tcp_object = np.linalg.inv(scene.arm.tcp.matrix()) @ held.pose.matrix()
    T_tcp_object[2, 3] += franka.TCP_M
    return Pose.from_matrix(T_tcp_object)


def _grip(held: SceneObject | None, scene: Scene) -> object:
    """What tells one way of holding from another, to a tenth of a millimetre."""
    if held is None:
        return None
    grip = _in_hand(held, scene)
    return held.name, tuple(round(v, 4) for v in (*grip.position, *grip.quaternion))
