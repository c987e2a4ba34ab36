"""The compiled part of Carom."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Union, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
_Path = Union[str, os.PathLike[str]]
_Scenario = Union[str, os.PathLike[str], Mapping[str, Any]]

__version__: str

@final
class Model:
    """A robot: the immutable tree of its bodies. All methods leave it as it is; any number of threads may share it.

    n = `nv` is the number of velocities, `nq` that of configurations (one more for a floating base). Numbers must be
    finite and configurations those of the robot, otherwise `errors.ModelError` or `errors.ArgumentError` is raised.
    """

    @staticmethod
    def from_urdf(
        source: _Path,
        *,
        base: Literal["fixed", "planar", "floating"] = "fixed",
        gravity: ArrayLike | None = None,
        mimic: Literal["coupled", "free", "fixed"] = "coupled",
        packages: Mapping[str, _Path] | None = None,
    ) -> Model:
        """Reads a robot from a URDF file or from its text.

        `base` says how the root link is held, `gravity` (3,) is in m/s^2 and (0, 0, -9.81) where it is not given, `mimic`
        says what becomes of joints that mimic others, `packages` are folders for `package://name/...`, which is looked for
        in the folders above the file as well.
        """

    @staticmethod
    def from_xacro(
        path: _Path,
        arguments: Mapping[str, object] | None = None,
        *,
        base: Literal["fixed", "planar", "floating"] = "fixed",
        gravity: ArrayLike | None = None,
        mimic: Literal["coupled", "free", "fixed"] = "coupled",
        packages: Mapping[str, _Path] | None = None,
    ) -> Model:
        """Reads a robot from a xacro file with `arguments`; else as `from_urdf`."""

    @property
    def name(self) -> str: ...
    @property
    def base(self) -> Literal["fixed", "planar", "floating"]: ...
    @property
    def nq(self) -> int:
        """Entries of q."""

    @property
    def nv(self) -> int:
        """Entries of v, of momenta and of generalized forces."""

    @property
    def nu(self) -> int:
        """Joints: entries of v that are not of the base."""

    @property
    def mass(self) -> float:
        """[kg]."""

    @property
    def gravity(self) -> Array:
        """Acceleration [m/s^2], shape (3,)."""

    @property
    def joint_names(self) -> list[str]:
        """Names of the nu joints, in the order of efforts."""

    @property
    def link_names(self) -> list[str]: ...
    @property
    def configuration_names(self) -> list[str]:
        """Names of the entries of q."""

    @property
    def coordinate_names(self) -> list[str]:
        """Names of the entries of v."""

    @property
    def actuated(self) -> NDArray[np.int64]:
        """Places of the joints in v, shape (nu,)."""

    @property
    def position_limits(self) -> Array:
        """Lowest and highest value of every entry of q [rad or m], infinite where there is none: shape (nq, 2)."""

    @property
    def effort_limits(self) -> Array:
        """Largest effort at every entry of v [N m or N], infinite where there is none: shape (nv,)."""

    @property
    def warnings(self) -> list[str]:
        """What a user of the robot's file should know."""

    def neutral(self) -> Array:
        """The configuration with every joint at zero and the base at the origin, shape (nq,)."""

    def integrate(self, q: ArrayLike, v: ArrayLike, h: float) -> Array:
        """Where velocity v (nv,) leads from q (nq,) in the time h [s], shape (nq,)."""

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M(q), shape (nv, nv)."""

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Generalized forces M(q) a + bias [N or N m], shape (nv,). Without springs and damping."""

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, forces: ArrayLike) -> Array:
        """Acceleration M(q)^-1 (forces - bias) [m/s^2 or rad/s^2], shape (nv,), in O(n). Without springs and damping."""

    def bias_forces(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Coriolis and centrifugal forces and weight, shape (nv,): what no acceleration takes."""

    def frame_jacobian(self, q: ArrayLike, link: str, point: ArrayLike | None = None) -> Array:
        """J of a point (3,) [m] of a link, in its frame, its origin where none is given: J v is the velocity of the point
        [m/s], then the angular velocity of the link [rad/s], both in axes of the world. Shape (6, nv)."""

    def frame_pose(self, q: ArrayLike, link: str) -> tuple[Array, Array]:
        """Origin [m], shape (3,), and rotation, shape (3, 3), of a link in the world."""

    def center_of_mass(self, q: ArrayLike) -> Array:
        """[m], shape (3,)."""

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike) -> float:
        """[J]."""

    def potential_energy(self, q: ArrayLike) -> float:
        """Of gravity and springs [J]."""

@final
class Observation:
    """What a controller is shown at the beginning of a step. Its arrays are read-only and the same ones at every step, with
    other numbers: copy what is to be kept."""

    @property
    def time(self) -> float:
        """[s]."""

    @property
    def time_step(self) -> float:
        """Length of the coming step [s]."""

    @property
    def first_impact(self) -> float | None:
        """Time of the first impact [s], if there was one."""

    @property
    def q(self) -> Array:
        """Configuration, shape (nq,)."""

    @property
    def v(self) -> Array:
        """Velocity, shape (nv,)."""

    @property
    def gaps(self) -> Array:
        """Gap of every contact [m], positive when apart: shape (ncontact,)."""

    @property
    def forces(self) -> Array:
        """Force of every held contact, mean over the last step: normal, then tangents [N], shape (ncontact, 3)."""

_Controller = Callable[[Observation], Union[ArrayLike, None]]

@final
class Event:
    """A change of the contacts at one moment."""

    @property
    def time(self) -> float:
        """[s]."""

    @property
    def kind(self) -> Literal["impact", "limit", "hold", "release", "branch"]: ...
    @property
    def contacts(self) -> list[str]:
        """Contacts that took part: for an impact all closed ones that its bodies have, directly or by others."""

    @property
    def q(self) -> Array:
        """Configuration at that moment, shape (nq,)."""

    @property
    def law(self) -> str | None:
        """Law that resolved an impact."""

    @property
    def sequence(self) -> list[str]:
        """Order in which the contacts acted; empty where the law has none."""

    @property
    def impulses(self) -> Array | None:
        """Of each contact of an impact: normal, then tangents [N s], shape (len(contacts), 3)."""

    @property
    def energy(self) -> tuple[float, float] | None:
        """Kinetic energy before and after an impact [J]."""

    @property
    def unique(self) -> bool | None:
        """Whether the outcome is the only one; None where the law cannot tell, and for holds and releases."""

    @property
    def outcomes(self) -> int:
        """Distinct outcomes that are known; continuations of a branch."""

    @property
    def indeterminacy(self) -> float:
        """xi: largest distance of two outcomes over the momentum before, in the kinetic metric."""

    @property
    def velocity_before(self) -> Array | None:
        """Shape (nv,)."""

    @property
    def velocity_after(self) -> Array | None:
        """Shape (nv,)."""

    @property
    def mode(self) -> Literal["stick", "slide"] | None:
        """What a contact does from a hold on."""

    @property
    def note(self) -> str | None:
        """Why the event is not what the law alone would have done, in a word."""

    @property
    def reason(self) -> str | None:
        """The same in words."""

    def to_dict(self) -> dict[str, Any]:
        """All of it by name."""

@final
class State:
    """Everything that the future of a simulation depends on. Pickled, copied and taken up again, it goes on to the same
    bits."""

    @property
    def time(self) -> float:
        """[s]."""

    @property
    def step(self) -> int:
        """Whole steps done."""

    @property
    def q(self) -> Array:
        """Configuration, shape (nq,)."""

    @property
    def p(self) -> Array:
        """Momentum M v, shape (nv,)."""

    @property
    def impacts(self) -> int:
        """Impacts so far."""

    @staticmethod
    def from_bytes(bytes: bytes) -> State:
        """Reads what `to_bytes` wrote."""

    def to_bytes(self) -> bytes:
        """The state as text that reads back to the same bits."""

@final
class Contacts:
    """The contacts that a simulation can make, in its order."""

    def __len__(self) -> int: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def friction(self) -> Array:
        """Coefficients, shape (ncontact,)."""

    @property
    def restitution(self) -> Array:
        """Coefficients, shape (ncontact,)."""

    @property
    def gaps(self) -> Array:
        """Gap of every contact [m], positive when apart: shape (ncontact,). Stays live."""

    @property
    def forces(self) -> Array:
        """Force of every held contact, mean over the last step: normal, then tangents [N], shape (ncontact, 3). Impulses of
        impacts are in the events. Stays live."""

    @property
    def held(self) -> list[str]:
        """Contacts that are held closed."""

class Simulation:
    """A robot in a world, in time.

    From a scenario: the path of a file (TOML; or URDF or xacro, for the scenario that `carom init` would write), its text,
    or a dictionary of its tables, with `settings` `{key: value}` as `--set key=value`. Or from `model` with `contacts`
    (a dictionary of the keys of `[contact]`, and a list `terrain`; with `self` links touch each other that do not overlap at
    `Model.neutral`), `law` (a name, or a dictionary of the keys of `[impact]`) and `time_step` [s]. `q`, `v` and `seed` are where it starts, in place of what the scenario says.

    `controller` is a function of an `Observation` that returns generalized forces (nv,), efforts of the joints (nu,), or None;
    it takes the place of the scenario's. Its efforts are held over a step. If it has a method `reset`, `reset` calls it.

    The arrays `q`, `v`, `contacts.gaps` and `contacts.forces` are made once and stay live: after every step they show its
    numbers. They are read-only, and keep their memory when the simulation is gone.
    """

    def __init__(
        self,
        scenario: _Scenario | None = None,
        settings: Mapping[str, object] | None = None,
        controller: _Controller | None = None,
        *,
        model: Model | None = None,
        contacts: Mapping[str, object] | None = None,
        law: str | Mapping[str, object] | None = None,
        time_step: float | None = None,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        seed: int | None = None,
    ) -> None: ...
    @property
    def time(self) -> float:
        """[s]."""

    @property
    def time_step(self) -> float:
        """[s]."""

    @property
    def model(self) -> Model: ...
    @property
    def q(self) -> Array:
        """Configuration, shape (nq,). Stays live."""

    @property
    def v(self) -> Array:
        """Velocity, shape (nv,). Stays live."""

    @property
    def contacts(self) -> Contacts: ...
    @property
    def events(self) -> list[Event]:
        """Events since the start or the last `reset`, in order: always the same list, which grows. It may be cleared."""

    @property
    def efforts(self) -> Array:
        """Efforts of the actuators in the last step [N m or N], shape (nv,). A copy."""

    @property
    def energy(self) -> dict[str, float]:
        """`kinetic`, `potential`, the work done so far by its kinds, and `balance`, which is constant but for the error of
        the scheme [J]."""

    def step(self, u: ArrayLike | None = None) -> None:
        """One time step, under the controller and under `u`: generalized forces (nv,) or efforts of the joints (nu,)."""

    def run(self, until: float, progress: Callable[[float], object] | None = None) -> None:
        """Steps until the first end of a step at or after `until` [s]. The interpreter is free meanwhile; Ctrl-C ends the
        run between two steps. `progress` is told the time [s] now and then."""

    def linearize(self) -> dict[str, Any]:
        """The last step as x1 = A x0 + B u, with x = (dq, dv): `A` (2 nv, 2 nv), `B` (2 nv, nu), `inputs`, the places of
        u in v; and the same on the held contacts, `reduced_A`, `reduced_B`, `lift`."""

    def start_recording(self) -> None:
        """From here on what is done is remembered, for `recorded_derivative` and `recorded_gradient`, until `reset`,
        `set_state` or a state that is set; what was remembered before is forgotten."""

    def recorded_derivative(self, directions: ArrayLike | None = None) -> tuple[Array, Array, Array | None]:
        """How the present state changes with that at `start_recording`, through impacts and other events: the derivative
        of the run itself by the implicit function theorem, without differences of runs.

        `directions`, shape (2 nv, m), are changes (dq, dv) of the start that keep held contacts closed and at rest; all of
        them, m = 2 nv, where none are given. dq is like v: of a floating base a body twist [m, rad].

        Returns the change of the end (2 nv, m); that of the moment of the end [s] (m,), zero where the clock ended the run;
        and the rate of the flow there (2 nv,), None right after an impact. Raises `errors.SimulationError` where the run has no
        derivative: contacts strike together, a law draws at random, a function is the controller.
        """

    def recorded_gradient(self, objective: ArrayLike) -> tuple[Array, Array]:
        """The gradient of a number J by the start and by all forces of the run since `start_recording`, in one sweep
        backwards.

        `objective`, shape (2 nv,), is the derivative of J by (dq, dv) at the present state, of a run that the clock ended.
        Returns that by (dq, dv) at the start (2 nv,), and by generalized forces held over each time step [unit of J / (N m or
        N)], shape (nstep, nv), in the order of `control` of `rollout`. Raises as `recorded_derivative`.
        """

    def recorded_derivative_by(self, parameters: Sequence[str] | Mapping[str, float]) -> Array:
        """How the present state changes with numbers of the scenario, through impacts and other events, for a run that
        begins at the same configuration and velocity: by the implicit function theorem, without runs beside this one.

        `parameters` are keys as in `settings`, of numbers that the scenario or the settings say: masses, lengths,
        friction, restitution, gains. The equations of the run, which are smooth in them, are differentiated by differences
        over a thousandth of the number to both sides; a mapping gives their widths instead, in the unit of each key, as a
        number of 0 needs.

        Returns (dq, dv) at the end [unit of the state / unit of the key], shape (2 nv, m), a column for each key. Raises
        `errors.ScenarioError` for keys that are no numbers of the scenario or cannot be changed so far, and
        `errors.SimulationError` as `recorded_derivative`, or where a key changes the kind of the robot or its contacts.
        """

    def recorded_gradient_by(
        self, objective: ArrayLike, parameters: Sequence[str] | Mapping[str, float]
    ) -> tuple[Array, Array, Array]:
        """The gradient of a number J as by `recorded_gradient`, and by numbers of the scenario in the same sweep.

        `parameters` as in `recorded_derivative_by`, `objective`, shape (2 nv,), as in `recorded_gradient`. Returns the
        gradient by (dq, dv) at the start (2 nv,), by generalized forces (nstep, nv), and by the parameters
        [unit of J / unit of the key] (m,). Raises as `recorded_derivative_by`.
        """

    @property
    def state(self) -> State:
        """The state as it is now; set, the simulation goes on from there to the same bits."""

    @state.setter
    def state(self, state: State) -> None: ...
    @overload
    def set_state(self, q: State) -> None: ...
    @overload
    def set_state(self, q: ArrayLike, v: ArrayLike | None = None, time: float | None = None) -> None:
        """Goes on from a saved state; or starts at q (nq,) with v (nv,), at rest where none is given, as if it had begun
        there, at the `time` [s] or the present one."""

    def reset(self, seed: int | None = None) -> None:
        """Goes back to the start: everything from here on has the bits of a fresh simulation. Laws that draw at random
        draw from `seed`."""

    def copy(self) -> Simulation:
        """Another simulation that goes on from the same state, under the same controller."""

@final
class Tables:
    def __init__(self, folder: _Path) -> None: ...
    @property
    def summary(self) -> str: ...
    @property
    def scenario(self) -> str: ...
    @property
    def names(self) -> list[str]: ...
    def column(self, name: str) -> Array: ...
    def events(self) -> dict[str, Any]: ...
    def replay(self) -> str: ...

def rollout(
    source: _Scenario | Model,
    state0: ArrayLike,
    control: ArrayLike | None,
    steps: int | None,
    settings: Mapping[str, object] | None,
    contacts: Mapping[str, object] | None,
    law: str | Mapping[str, object] | None,
    time_step: float | None,
    threads: int | None,
    seeds: Sequence[int] | None,
    forces: bool,
) -> dict[str, Any]: ...
def impact(
    file: _Path, text: str | None, law_name: str, all: bool, given: list[tuple[str, str]]
) -> str: ...
def compare(
    given: object,
    text: str | None,
    scenario: bool,
    set: Mapping[str, object] | None,
    settings_of_laws: list[tuple[str, str]],
) -> str: ...
def orbit(scenario: _Scenario, set: Mapping[str, object] | None, settle: int) -> str: ...
def find_orbits(
    scenario: _Scenario, starts: int, set: Mapping[str, object] | None, seed: int, settle: int
) -> str: ...
def scan_orbit(
    scenario: _Scenario,
    key: str,
    range: tuple[float, float],
    count: int,
    set: Mapping[str, object] | None,
    settle: int,
) -> str: ...
def orbit_basin(
    scenario: _Scenario,
    axes: Sequence[tuple[str, tuple[float, float], int]],
    periods: int,
    set: Mapping[str, object] | None,
    starts: int | None,
    seed: int,
    settle: int,
) -> str: ...
def design(file: _Path, set: Mapping[str, object] | None) -> tuple[str, str, str | None]: ...
def record_baseline(
    scenario: _Path,
    out: _Path,
    set: Mapping[str, object] | None,
    controller: _Controller | None,
    jobs: int | None,
) -> None: ...
def verify_baseline(
    file: _Path,
    set: Mapping[str, object] | None,
    controller: _Controller | None,
    jobs: int | None,
    frozen: bool,
    exact: bool,
    skip_robust: bool,
    update: bool,
) -> tuple[bool, str, str]: ...
def simulate(
    scenario: _Scenario,
    out: _Path,
    set: Mapping[str, object] | None,
    controller: _Controller | None,
    progress: Callable[[float], object] | None,
    replay: bool,
) -> None: ...
