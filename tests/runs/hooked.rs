//! Arcs that bend around edges: hooks on beams, which touch two edges of one at once.

use std::f64::consts::FRAC_PI_2;

use carom::hybrid::{EventKind, Simulation};

use crate::handed_over;

const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.1;
/// From the middle of the arc to the centre of mass \[m\].
const DROP: f64 = 0.03;
const MASS: f64 = 1.5;
/// About the centre of mass \[kg m²\].
const INERTIA: f64 = 0.004;
/// Half of the width of the beam \[m\].
const HALF: f64 = 0.05;

/// A hook over a beam along y in steps of h, its middle `above` where the beam carries it on both edges, turned by `turn` and turning
/// at `rate`; `yaw` turns hook and beam in the world about z, by right angles alone.
fn hook(
    base: &str,
    h: f64,
    [above, turn, rate]: [f64; 3],
    along_x: bool,
    friction: f64,
) -> Simulation {
    let inertia = if along_x { "ixx" } else { "iyy" };
    let other = if along_x { "iyy" } else { "ixx" };
    let robot = format!(
        "<robot name=\"hook\"><link name=\"hook\"><inertial><origin xyz=\"0 0 -{DROP}\"/><mass value=\"{MASS}\"/>\
         <inertia {inertia}=\"{INERTIA}\" {other}=\"0.006\" izz=\"0.005\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link></robot>"
    );
    // The beam under the ring: its upper edges are on a circle of that radius.
    let middle = -(RADIUS * RADIUS - HALF * HALF).sqrt() + above;
    let (s, c) = (0.5 * turn).sin_cos();
    let place = if base == "planar" {
        format!("x = 0.0\nz = {middle:?}\npitch = {turn:?}\nwpitch = {rate:?}")
    } else {
        let axis = if along_x { [s, 0.0] } else { [0.0, s] };
        let spin = if along_x { [rate, 0.0] } else { [0.0, rate] };
        format!(
            "position = [0.0, 0.0, {middle:?}]\nquaternion = [{:?}, {:?}, 0.0, {c:?}]\ntwist = [0.0, 0.0, 0.0, {:?}, {:?}, 0.0]",
            axis[0], axis[1], spin[0], spin[1]
        )
    };
    let (across, min, max) = if along_x {
        ("[0, 1, 0]", [-1.0, -HALF, -0.05], [1.0, HALF, 0.0])
    } else {
        ("[1, 0, 0]", [-HALF, -1.0, -0.05], [HALF, 1.0, 0.0])
    };
    let text = format!(
        "time_step = {h:?}\nduration = 1.0\n[robot]\nfile = \"hook.urdf\"\nbase = \"{base}\"\n\
         [initial.base]\n{place}\n[impact]\nlaw = \"max-dissipation\"\n\
         [contact]\nfriction = {friction:?}\nrestitution = 0.0\n\
         site = [{{ name = \"arc\", link = \"hook\", kind = \"arc\", radius = {RADIUS}, axes = [{across}, [0, 0, 1]], \
         start = -0.9, end = 4.0 }}]\n[[terrain]]\nname = \"beam\"\nkind = \"box\"\nmin = {min:?}\nmax = {max:?}\n"
    );
    handed_over::simulation(&text, &robot)
}

/// Without friction the middle of a hook that two edges carry stays where it is, and the hook swings about it: θ̈ = −m g l sin θ/(I + m l²),
/// here by Runge and Kutta's method of order four. The midpoint rule is of order two.
#[test]
fn a_hook_on_two_edges_swings_about_its_middle() {
    let (start, duration) = (0.4, 0.5);
    let square = MASS * GRAVITY * DROP / (INERTIA + MASS * DROP * DROP);
    let exact = {
        let steps = 2000;
        let h = duration / f64::from(steps);
        let (mut turn, mut rate) = (start, 0.0_f64);
        for _ in 0..steps {
            let pull = |turn: f64| -square * f64::sin(turn);
            let (v1, a1) = (rate, pull(turn));
            let (v2, a2) = (rate + 0.5 * h * a1, pull(turn + 0.5 * h * v1));
            let (v3, a3) = (rate + 0.5 * h * a2, pull(turn + 0.5 * h * v2));
            let (v4, a4) = (rate + h * a3, pull(turn + h * v3));
            turn += h / 6.0 * (v1 + 2.0 * (v2 + v3) + v4);
            rate += h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4);
        }
        turn
    };
    for (base, along_x) in [("planar", false), ("floating", false), ("floating", true)] {
        let errors = [4e-3, 2e-3].map(|h| {
            let mut simulation = hook(base, h, [0.0, start, 0.0], along_x, 0.0);
            let middle = simulation.state().q.clone();
            let places = if base == "planar" { 2 } else { 3 };
            while simulation.time() < duration - 1e-9 {
                simulation.advance().unwrap();
                let q = &simulation.state().q;
                let way = (0..places).map(|k| (q[k] - middle[k]).abs());
                // By what held gaps may be, 1e-9 m, over the sine of 30 degrees.
                assert!(way.fold(0.0, f64::max) < 2e-9, "{base} {h}: {q:?}");
                let impacts = simulation.state().impacts;
                assert_eq!(impacts, 0, "{base} {h}");
            }
            let held: usize = simulation
                .take_events()
                .iter()
                .filter(|event| event.kind == EventKind::Hold)
                .map(|event| event.contacts.len())
                .sum();
            assert_eq!(held, 2, "{base} {h}");
            let q = &simulation.state().q;
            let turn = match (base, along_x) {
                ("planar", _) => q[2],
                (_, false) => 2.0 * q[4].atan2(q[6]),
                (_, true) => 2.0 * q[3].atan2(q[6]),
            };
            (turn - exact).abs()
        });
        let ratio = errors[0] / errors[1];
        assert!((3.8..4.2).contains(&ratio), "{base} {along_x}: {errors:?}");
        // The frequency of the midpoint rule is short by (ωh)²/12 of itself.
        let most = start * square.sqrt() * duration * square * 4e-6 / 12.0;
        assert!(errors[1] < most, "{base} {along_x}: {errors:?} {most:e}");
    }
}

/// Dropped askew, a hook strikes one edge of the beam and then the other, and comes to hang on both, whatever it does on the way: no
/// energy comes in, and nothing goes into the beam.
#[test]
fn a_hook_that_is_dropped_comes_to_rest_on_both_edges() {
    for along_x in [false, true] {
        for (turn, rate, friction) in [(0.2, 1.0, 0.3), (-0.5, 0.3, 0.3), (0.7, -2.0, 0.6)] {
            let mut simulation = hook("floating", 1e-3, [0.004, turn, rate], along_x, friction);
            let mut before = crate::loose::energy(&mut simulation);
            while simulation.time() < 2.5 {
                simulation.advance().unwrap();
                let now = crate::loose::energy(&mut simulation);
                let what = format!("{along_x} {turn} at {}", simulation.time());
                assert!(now < before + 1e-6, "{what}: {before} becomes {now}");
                before = now;
                let gaps = simulation.gaps().iter().copied();
                let deepest = gaps.fold(0.0, f64::min);
                assert!(deepest > -1e-9, "{what}: {deepest:e}");
            }
            let v = simulation.velocity().unwrap();
            let fastest = v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
            assert!(fastest < 1e-9, "{along_x} {turn}: {v:?}");
            let carried = simulation.held_impulses().iter().filter(|x| x[0] > 0.0);
            assert_eq!(carried.count(), 2, "{along_x} {turn}");
        }
    }
}

/// How arcs are thrown at a stone or a step.
struct Throw {
    law: &'static str,
    friction: f64,
    radius: f64,
    angles: [f64; 2],
    ground: [[f64; 3]; 2],
    position: [f64; 3],
    quaternion: [f64; 4],
    twist: [f64; 6],
}

const STONE: [[f64; 3]; 2] = [[-0.05, -0.05, 0.0], [0.05, 0.05, 0.2]];

const THROWS: [Throw; 4] = [
    Throw {
        law: "propagative",
        friction: 0.6,
        radius: 0.08,
        angles: [-FRAC_PI_2, 1.83364],
        ground: STONE,
        position: [-0.055, -0.0017, 0.3285],
        quaternion: [
            0.321_698_580_993_758_64,
            -0.627_246_876_703_644_8,
            0.318_167_636_891_044_3,
            0.633_909_089_292_221_1,
        ],
        twist: [0.097, 0.031, -0.197, 3.162, -1.728, -1.417],
    },
    Throw {
        law: "max-dissipation",
        friction: 0.6,
        radius: 0.08,
        angles: [-FRAC_PI_2, 4.71238],
        ground: STONE,
        position: [0.0485, -0.0006, 0.35],
        quaternion: [
            -0.517_245_193_400_296_8,
            0.786_833_471_887_407_2,
            0.223_171_913_921_859_67,
            0.252_080_927_994_072_06,
        ],
        twist: [0.289, -0.032, 0.265, 3.783, -1.814, 0.69],
    },
    Throw {
        law: "anitescu-potra",
        friction: 0.3,
        radius: 0.05,
        angles: [-FRAC_PI_2, 4.71238],
        ground: STONE,
        position: [0.0279, 0.0411, 0.3357],
        quaternion: [
            0.233_234_204_856_092_2,
            0.872_111_852_762_32,
            -0.044_768_418_078_436_3,
            0.427_806_627_694_539_4,
        ],
        twist: [0.513, -0.319, -0.137, 0.7, -0.319, -0.099],
    },
    Throw {
        law: "plastic",
        friction: 0.0,
        radius: 0.08,
        angles: [0.0, 4.39248],
        ground: [[0.0, -0.5, -0.1], [0.5, 0.5, 0.15]],
        position: [0.0327, -0.0327, 0.3725],
        quaternion: [
            -0.642_201_493_004_827_7,
            -0.487_182_700_909_032_8,
            -0.539_283_095_217_257_6,
            0.243_729_361_239_560_7,
        ],
        twist: [0.119, 0.588, -0.912, -0.128, -2.459, -1.051],
    },
];

/// Arcs thrown at a stone that is thinner than they are wide hang on it by one edge and another and come off again. Where what touched
/// was the nearest point alone, which jumps between the edges, a fifth of a joule of three came or went at once. The midpoint rule
/// misses a share of the energy of order (ωh)² while they whirl at ω, ten times that at most. The last one slides over a border on its
/// end, past which nothing of it touches.
#[test]
fn arcs_thrown_at_edges_keep_their_balance_of_energy() {
    let robot = "<robot name=\"body\"><link name=\"body\"><inertial><mass value=\"1.0\"/>\
                 <inertia ixx=\"6e-3\" iyy=\"8e-3\" izz=\"5e-3\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link></robot>";
    for throw in THROWS {
        let ([start, end], [min, max]) = (throw.angles, throw.ground);
        let text = format!(
            "time_step = 5e-4\nduration = 1.0\n[robot]\nfile = \"body.urdf\"\nbase = \"floating\"\n\
             [initial.base]\nposition = {:?}\nquaternion = {:?}\ntwist = {:?}\n\
             [impact]\nlaw = \"{}\"\n[contact]\nfriction = {:?}\nrestitution = 0.0\n\
             site = [{{ name = \"arc\", link = \"body\", kind = \"arc\", radius = {:?}, axes = [[1, 0, 0], [0, 0, 1]], \
             start = {start:?}, end = {end:?} }}]\n[[terrain]]\nname = \"stone\"\nkind = \"box\"\nmin = {min:?}\n\
             max = {max:?}\n[[terrain]]\nname = \"ground\"\nkind = \"plane\"\n",
            throw.position, throw.quaternion, throw.twist, throw.law, throw.friction, throw.radius
        );
        let mut simulation = handed_over::simulation(&text, robot);
        let whole = simulation.energies().unwrap().balance();
        let mut fastest: f64 = 0.0;
        while simulation.time() < 1.0 - 1e-9 {
            simulation.advance().expect("it goes on");
            let missed = (simulation.energies().unwrap().balance() - whole).abs();
            let spins = simulation.velocity().unwrap()[3..6].iter();
            fastest = spins.fold(fastest, |most, spin| most.max(spin.abs()));
            let bound = 10.0 * whole * (fastest * 5e-4).powi(2);
            let (law, time) = (throw.law, simulation.time());
            assert!(missed < bound, "{law} at {time}: {missed:e} {bound:e}");
        }
    }
}
