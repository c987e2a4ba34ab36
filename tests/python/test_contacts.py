"""Contacts of a model without a scenario: its links among themselves."""

import carom
import numpy as np
import pytest
from carom.errors import ScenarioError

LINK = """<link name="{name}"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="{x} 0 0"/><geometry><sphere radius="0.05"/></geometry></collision></link>"""
JOINT = """<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>
<origin xyz="{x} 0 0"/><axis xyz="0 0 1"/></joint>"""


@pytest.fixture
def arm(tmp_path):
    """Three links of 20 cm in a row, with a ball at the end of each, on a floating one with a ball at its origin."""
    parts = [LINK.format(name="base", x=0.0)]
    for k, parent in enumerate(("base", "first", "second")):
        child = ("first", "second", "third")[k]
        parts.append(LINK.format(name=child, x=0.2))
        parts.append(JOINT.format(name=f"joint_{child}", parent=parent, child=child, x=0.0 if k == 0 else 0.2))
    file = tmp_path / "arm.urdf"
    file.write_text(f"<robot name='arm'>{''.join(parts)}</robot>")
    return file


KEYS = [
    {"self": True},
    {"self": True, "exclude": [["base", "second"]]},
    {"self": [["base", "third"]]},
    {"self": True, "surfaces": ["box"]},
]


@pytest.mark.parametrize("contact", KEYS)
def test_links_touch_links_as_in_a_scenario(arm, contact):
    robot = {"file": str(arm), "base": "floating", "gravity": [0.0, 0.0, 0.0]}
    scenario = {"time_step": 1e-3, "duration": 1.0, "robot": robot, "contact": contact}
    model = carom.Model.from_urdf(arm, base="floating", gravity=[0, 0, 0])
    names = carom.Simulation(model=model, contacts=contact).contacts.names
    assert names == carom.Simulation(scenario).contacts.names
    # Balls of links that no joint connects, each pair once or, as a site on a surface, twice; none on boxes.
    assert (len(names) > 0) == ("surfaces" not in contact)


def test_a_folding_arm_strikes_itself(arm):
    model = carom.Model.from_urdf(arm, base="floating", gravity=[0, 0, 0])
    contacts = {"self": True, "restitution": 1.0}
    second = model.actuated[1]
    bend, speeds = np.zeros(model.nv), np.zeros(model.nv)
    # 18 cm between the ball of the base and that of the second link, which folds further.
    bend[second], speeds[second] = 2.2, 6.0
    q = model.integrate(model.neutral(), bend, 1.0)
    folding = carom.Simulation(model=model, contacts=contacts, q=q, v=speeds)
    folding.run(0.5)
    strike = next(event for event in folding.events if event.kind == "impact")
    assert all(name in folding.contacts.names for name in strike.contacts)
    # Elastic: nothing is lost.
    assert strike.energy[0] == pytest.approx(strike.energy[1], rel=1e-9)
    excluded = {**contacts, "exclude": [["base", "second"]]}
    free = carom.Simulation(model=model, contacts=excluded, q=q, v=speeds)
    free.run(strike.time + 1e-3)
    assert free.events == []
    # A batch has the same contacts, wherever its rows start.
    steps = round(0.5 / folding.time_step)
    rolled = carom.rollout(model, [np.concatenate([q, speeds])], steps=steps, contacts=contacts)
    assert np.array_equal(rolled.q[0, -1], folding.q)


def test_wrong_pairs_are_named(arm):
    model = carom.Model.from_urdf(arm, base="floating")
    with pytest.raises(ScenarioError, match="contact.exclude"):
        carom.Simulation(model=model, contacts={"self": True, "exclude": [["base", "thrid"]]})
    with pytest.raises(ScenarioError, match="contact.self"):
        carom.Simulation(model=model, contacts={"self": [["base", "base"]]})
