//! Free motion that is too fast for the step: joints that turn by a tenth of a radian and more within one.

use carom::hybrid::Simulation;
use carom::model::{Base, urdf};
use carom::scenario::{Experiment, Scenario};

use crate::loose::random;

const CHAIN: &str = include_str!("../../robots/chain/chain4.urdf");

/// What four links of 1 m and 1 kg lose on the way from the height of their hinge to hanging down \[J\].
const HANGING: f64 = 9.81 * (0.5 + 1.5 + 2.5 + 3.5);

/// These links whip, from angles `q` at rates `v`, over a second in steps of `h`: the most kinetic energy that they can have, the largest
/// change of the whole energy, and the halvings it took.
fn whipped(q: [f64; 4], v: [f64; 4], h: f64) -> (f64, f64, usize) {
    let parsed = urdf::parse(CHAIN, "chain4.urdf").unwrap();
    let model = parsed.base(Base::Fixed).build().unwrap();
    let builder = Simulation::builder(model).time_step(h).state(&q, &v);
    watched(builder.build().unwrap())
}

/// The same of a simulation that begins.
fn watched(mut simulation: Simulation) -> (f64, f64, usize) {
    let start = simulation.energies().unwrap().balance();
    let (mut missed, mut halvings) = (0.0f64, 0);
    while simulation.state().time < 1.0 {
        halvings += simulation.step(&[0.0; 4]).unwrap().halvings;
        let balance = simulation.energies().unwrap().balance();
        missed = missed.max((balance - start).abs());
    }
    (start + HANGING, missed, halvings)
}

/// The equations of these steps have solutions that are no motion: who takes any of them ends at 1e10 J.
#[test]
fn links_that_whip_keep_their_energy_in_steps_that_are_too_long() {
    for (h, v, q) in [
        (0.005, [16.92, -28.54, 3.23, -8.6], [2.49, -2.1, 0.36, 0.4]),
        (0.02, [-2.55, 1.34, -0.4, 0.48], [-0.35, 2.92, 2.36, 2.37]),
        (0.05, [0.88, -1.56, 2.33, 7.72], [0.06, -1.95, -2.26, -2.09]),
        (0.05, [5.1, -0.73, 4.9, -7.15], [2.51, -1.45, 1.58, 1.32]),
    ] {
        let (most, missed, halvings) = whipped(q, v, h);
        // A fiftieth of the kinetic energy in a piece at most, to and fro: not five of them in one direction.
        assert!(missed < 0.1 * most, "{missed} of {most} with {h}");
        assert!(halvings > 0, "{h}");
    }
}

#[test]
fn steps_that_resolve_the_motion_stay_whole() {
    let (most, missed, halvings) = whipped([0.5, -1.0, 0.3, 0.4], [3.0, -5.0, 2.0, -1.0], 1e-3);
    assert_eq!(halvings, 0);
    // The square of the largest turn in a step, 0.02 rad.
    assert!(missed < 4e-4 * most, "{missed} of {most}");
}

/// The same links between stops, which they strike and lie on as they whip: solutions of parts of steps count as those of whole ones.
#[test]
fn links_that_whip_between_stops_keep_their_energy() {
    let stop = "<axis xyz=\"0 1 0\"/><limit lower=\"-2\" upper=\"2\" effort=\"9\" velocity=\"9\"/>";
    let robot = CHAIN.replace("continuous", "revolute");
    let robot = robot.replace("<axis xyz=\"0 1 0\"/>", stop);
    for seed in 0..30 {
        let mut random = random(seed);
        let mut table = |name: &str, most: f64| {
            let joints = (1..=4).map(|i| format!("joint{i} = {:?}\n", most * random()));
            format!("[initial.{name}]\n{}", joints.collect::<String>())
        };
        let (joints, rates) = (table("joints", 1.5), table("velocities", 30.0));
        let text = format!(
            "time_step = 0.02\nduration = 1.0\n[robot]\nfile = \"chain.urdf\"\nbase = \"fixed\"\n[impact]\nlaw = \"propagative\"\n{joints}{rates}"
        );
        let scenario = Scenario::parse("chain.toml", &text, &[]).unwrap();
        let experiment = Experiment::with_robot("chain.toml", scenario, &robot).unwrap();
        let (most, missed, _) = watched(experiment.simulation().unwrap());
        // As above.
        assert!(missed < 0.1 * most, "{missed} of {most} from {seed}");
    }
}
