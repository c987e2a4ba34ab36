//! A foot in the corner of ground and wall, where friction of 1 and more can hold any load and what the two contacts press against each
//! other has no bound.

use carom::hybrid::Simulation;

use crate::handed_over;

const FRICTION: f64 = 1.1;
/// Of the shank \[m\].
const LENGTH: f64 = 0.3;
const WEIGHT: f64 = 2.5 * 9.81;
const SHANK: &str = "<mass value=\"0.5\"/><inertia ixx=\"0.006\" iyy=\"0.004\" izz=\"0.005\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>";
const BODY: &str = "<mass value=\"2\"/><inertia ixx=\"0.006\" iyy=\"0.02\" izz=\"0.005\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>";

/// How a leg starts: lean of the shank from the vertical, away from the wall, and the angle between it and the body, with their rates.
#[derive(Clone, Copy, Debug)]
struct Start {
    lean: f64,
    knee: f64,
    lean_rate: f64,
    knee_rate: f64,
}

fn simulation(robot: &str, h: f64, tables: &str) -> Simulation {
    let text =
        format!("time_step = {h:?}\nduration = 0.2\n{tables}[impact]\nlaw = \"max-dissipation\"\n");
    handed_over::simulation(&text, robot)
}

/// A body on a shank whose tip is in the corner, the base being the body: the foot ends a chain, as those of robots do.
fn leg(base: &str, h: f64, start: Start) -> Simulation {
    let robot = format!(
        "<robot name=\"leg\"><link name=\"body\"><inertial><origin xyz=\"0 0 0.1\"/>{BODY}</inertial></link>\
         <link name=\"shank\"><inertial><origin xyz=\"0 0 {:?}\"/>{SHANK}</inertial></link>\
         <joint name=\"knee\" type=\"continuous\"><parent link=\"body\"/><child link=\"shank\"/><axis xyz=\"0 1 0\"/></joint></robot>",
        -0.5 * LENGTH
    );
    let (s, c) = start.lean.sin_cos();
    let (turn, rate) = (start.lean - start.knee, start.lean_rate - start.knee_rate);
    let (x, z) = (LENGTH * s, LENGTH * c);
    let (vx, vz) = (start.lean_rate * z, -start.lean_rate * x);
    let place = if base == "planar" {
        format!(
            "x = {x:?}\nz = {z:?}\npitch = {turn:?}\nvx = {vx:?}\nvz = {vz:?}\nwpitch = {rate:?}"
        )
    } else {
        let (sin, cos) = turn.sin_cos();
        let (half, whole) = (0.5 * turn).sin_cos();
        format!(
            "position = [{x:?}, 0.0, {z:?}]\nquaternion = [0.0, {half:?}, 0.0, {whole:?}]\n\
             twist = [{:?}, 0.0, {:?}, 0.0, {rate:?}, 0.0]",
            cos * vx - sin * vz,
            sin * vx + cos * vz
        )
    };
    let tables = format!(
        "[robot]\nfile = \"leg.urdf\"\nbase = \"{base}\"\n[initial]\njoints = {{ knee = {:?} }}\nvelocities = {{ knee = {:?} }}\n\
         [initial.base]\n{place}\n[contact]\nfriction = {FRICTION:?}\nrestitution = 0.0\n\
         site = [{{ name = \"tip\", link = \"shank\", kind = \"point\", position = [0, 0, {:?}] }}]\ncollisions = []\n\
         [[terrain]]\nkind = \"plane\"\nname = \"ground\"\npoint = [0, 0, 0]\n\
         [[terrain]]\nkind = \"box\"\nname = \"wall\"\nmin = [-1, -1, 0]\nmax = [0, 1, 1]\n",
        start.knee, start.knee_rate, -LENGTH
    );
    simulation(&robot, h, &tables)
}

/// The same with the tip on a hinge: lean of the shank at the end.
fn pinned(h: f64, start: Start) -> f64 {
    let robot = format!(
        "<robot name=\"leg\"><link name=\"root\"/>\
         <link name=\"shank\"><inertial><origin xyz=\"0 0 {:?}\"/>{SHANK}</inertial></link>\
         <link name=\"body\"><inertial><origin xyz=\"0 0 0.1\"/>{BODY}</inertial></link>\
         <joint name=\"pin\" type=\"continuous\"><parent link=\"root\"/><child link=\"shank\"/><axis xyz=\"0 1 0\"/></joint>\
         <joint name=\"knee\" type=\"continuous\"><parent link=\"shank\"/><child link=\"body\"/><origin xyz=\"0 0 {LENGTH:?}\"/>\
         <axis xyz=\"0 -1 0\"/></joint></robot>",
        0.5 * LENGTH
    );
    let tables = format!(
        "[robot]\nfile = \"leg.urdf\"\nbase = \"fixed\"\n[initial]\njoints = {{ pin = {:?}, knee = {:?} }}\n\
         velocities = {{ pin = {:?}, knee = {:?} }}\n[contact]\nfriction = 0.0\ncollisions = []\n",
        start.lean, start.knee, start.lean_rate, start.knee_rate
    );
    let mut simulation = simulation(&robot, h, &tables);
    while simulation.time() < 0.2 - 1e-9 {
        simulation.advance().unwrap();
    }
    simulation.state().q[0]
}

/// Lean of the shank, and how far its tip is from the corner.
fn shank(base: &str, q: &[f64]) -> (f64, f64) {
    let (x, z, turn, knee) = if base == "planar" {
        (q[0], q[1], q[2], q[3])
    } else {
        (q[0], q[2], 2.0 * q[4].atan2(q[6]), q[7])
    };
    let lean = turn + knee;
    let (s, c) = lean.sin_cos();
    (lean, (x - LENGTH * s).hypot(z - LENGTH * c))
}

/// Runs to the end; `look` sees every state. No load is above the weight, which falls, and no friction problem is left unsolved.
fn run(simulation: &mut Simulation, what: &str, mut look: impl FnMut(&Simulation)) {
    while simulation.time() < 0.2 - 1e-9 {
        simulation.advance().unwrap();
        for held in &simulation.state().held {
            let force = held.normal_force().unwrap_or(0.0);
            assert!(force < WEIGHT, "{what} {}: {force}", simulation.time());
        }
        look(simulation);
    }
    let friction = simulation.solver_counts().friction;
    let unsolved = friction.iter().find(|(name, _)| name == "unsolved");
    assert_eq!(unsolved.map(|(_, n)| *n), Some(0), "{what}");
}

/// A leg whose foot stays in the corner moves as one on a hinge does: order two.
#[test]
fn a_foot_in_a_corner_is_a_hinge() {
    for knee in [-0.5, 0.3] {
        let start = Start {
            lean: 0.1,
            knee,
            lean_rate: -1.5,
            knee_rate: 3.0,
        };
        let exact = pinned(1e-4, start);
        for base in ["planar", "floating"] {
            let errors = [4e-3, 2e-3].map(|h| {
                let what = format!("{base} {knee} {h}");
                let mut simulation = leg(base, h, start);
                let mut lean = 0.0;
                run(&mut simulation, &what, |simulation| {
                    let off;
                    (lean, off) = shank(base, &simulation.state().q);
                    // Two gaps of a held contact each.
                    assert!(off < 2e-9, "{what} {}: {off:e}", simulation.time());
                });
                assert_eq!(simulation.state().held.len(), 2, "{what}");
                (lean - exact).abs()
            });
            let ratio = errors[0] / errors[1];
            assert!((3.7..4.3).contains(&ratio), "{base} {knee}: {errors:?}");
        }
    }
}

/// Legs that fall towards the wall and away from it: a foot that is pulled from the wall leaves it, and is not jammed in by its own pull.
#[test]
fn a_corner_bears_what_is_put_on_it_and_no_more() {
    for base in ["planar", "floating"] {
        for lean in [0.1, 0.4] {
            for knee in [-0.5, 0.3] {
                for lean_rate in [-1.5, 1.5] {
                    for knee_rate in [-3.0, 3.0] {
                        let start = Start {
                            lean,
                            knee,
                            lean_rate,
                            knee_rate,
                        };
                        let mut simulation = leg(base, 2e-3, start);
                        run(&mut simulation, &format!("{base} {start:?}"), |_| {});
                    }
                }
            }
        }
    }
}
