//! The scenarios of `benches/runs.py` and the rows that runs write.

use std::convert::Infallible;
use std::path::Path;

use carom::hybrid::{Unwatched, Watcher};
use carom::record::{HeldInterval, Run, RunEnd, SeriesRow};
use carom::scenario::{Experiment, Scenario};

struct Nobody;

impl Watcher<Infallible> for Nobody {}

fn experiment(path: &str) -> Experiment {
    let scenario = Scenario::read(Path::new(path), &[]).unwrap();
    Experiment::new(path, scenario).unwrap()
}

#[test]
fn robots_have_the_joints_contacts_masses_and_friction_that_their_scenarios_say() {
    // Masses are the sums of those in the robots' files.
    for (path, joints, contacts, mass, dry, height) in [
        ("robots/quadruped/stand.toml", 12, 4, 13.74, 0.0, 0.15),
        ("robots/quadruped/stand_dry.toml", 12, 4, 13.74, 0.1, 0.15),
        ("robots/quadruped/slide.toml", 12, 4, 13.74, 0.0, 0.02),
        ("robots/quadruped/collapse.toml", 12, 20, 13.74, 0.0, 0.01),
        ("robots/humanoid/fall.toml", 29, 21, 33.34114202, 0.0, 0.01),
        ("robots/humanoid/stand.toml", 32, 8, 90.272192, 1.0, 0.0),
    ] {
        let experiment = experiment(path);
        let model = &experiment.model;
        assert_eq!(model.dof(), 6 + joints, "{path}");
        // Both limits of a joint are contacts, beside those of the sites.
        let limited = model
            .bodies()
            .iter()
            .filter(|b| b.limits.position.is_some());
        let all = contacts + 2 * limited.count();
        assert_eq!(experiment.contacts.len(), all, "{path}");
        assert!(
            (model.mass() - mass).abs() < 1e-9,
            "{path} {}",
            model.mass()
        );
        let moving = model.bodies().iter().filter(|b| b.q_index >= 7);
        let driest = moving.fold(f64::INFINITY, |least, b| least.min(b.friction));
        assert_eq!(driest, dry, "{path}");
        let mut start = experiment.simulation().unwrap();
        let lowest = start.gaps().iter().copied().fold(f64::INFINITY, f64::min);
        // The heights in the files have 16 digits; the robots are below 2 m.
        assert!((lowest - height).abs() < 1e-14, "{path} {lowest:e}");
    }
}

/// A limp quadruped with dry joints collapses as it turns: joints lock, slide and stop, and it strikes all the time. From every one of its
/// states, written and read again, the next step has the same bits.
#[test]
fn every_state_of_a_robot_with_dry_joints_goes_on_to_the_same_bits() {
    let path = "robots/quadruped/collapse.toml";
    let overrides = [
        "robot.file=a1_dry.urdf",
        "initial.base.twist=[0.5,0.1,0.5,0.9,0.1,-0.3]",
    ];
    let scenario = Scenario::read(Path::new(path), &overrides.map(str::to_string));
    let experiment = Experiment::new(path, scenario.unwrap()).unwrap();
    let [mut run, mut other] = [(); 2].map(|()| experiment.simulation().unwrap());
    for step in 0..600 {
        let text = serde_json::to_string(run.state()).unwrap();
        other.restore(serde_json::from_str(&text).unwrap()).unwrap();
        for simulation in [&mut run, &mut other] {
            simulation.advance().unwrap();
        }
        assert!(other.state() == run.state(), "{step}");
    }
    assert!(run.state().impacts > 0);
}

/// Whoever changes the momentum of a saved state need not change the velocity that it has kept, and a velocity of another robot is
/// refused.
#[test]
fn a_saved_velocity_belongs_to_its_momentum() {
    let mut simulation = experiment("robots/quadruped/stand_dry.toml")
        .simulation()
        .unwrap();
    for _ in 0..10 {
        simulation.advance().unwrap();
    }
    let mut state = simulation.state().clone();
    assert_eq!(state.velocity.len(), 18);
    let known = state.velocity[2];
    // The first three entries are the momentum of the whole robot.
    state.p[2] += 1e-6;
    simulation.restore(state.clone()).unwrap();
    let other = simulation.velocity().unwrap()[2];
    assert!(other - known > 1e-6 / 14.0, "{}", other - known);
    state.velocity.pop();
    let refused = simulation.restore(state).unwrap_err().to_string();
    assert!(
        refused.contains("17") && refused.contains("18"),
        "{refused}"
    );
}

#[test]
fn a_row_of_the_series_holds_the_state_in_numbers_that_read_back_to_the_same_bits() {
    let experiment = experiment("robots/quadruped/stand.toml");
    let mut run = Run::new(&experiment).unwrap();
    let mut row = SeriesRow::default();
    // In the air, and on its feet.
    for steps in [0, 250] {
        assert_eq!(run.advance(steps, &mut Nobody), Ok(RunEnd::Reached));
        let mut interval = HeldInterval::new(&experiment.contacts, 0.0);
        let text = row.text(run.simulation(), &mut interval).unwrap();
        let line = std::str::from_utf8(text).unwrap().strip_suffix('\n');
        let numbers = line.unwrap().split(',').map(|x| x.parse().unwrap());
        let numbers: Vec<f64> = numbers.collect();
        // Time, 19 coordinates, 18 velocities, 7 energies; gap and force of 4 feet and 24 joint limits, two
        // tangential forces of the feet.
        assert_eq!(numbers.len(), 109);
        let state = run.state();
        assert_eq!(numbers[0], state.time);
        assert_eq!(numbers[1..20], state.q);
        let simulation = run.simulation();
        let gaps: Vec<f64> = simulation.gaps().to_vec();
        let written: Vec<f64> = numbers[45..101].iter().copied().step_by(2).collect();
        assert_eq!(written, gaps);
    }
}

/// A quadruped slides limp down a slope on a dozen redundant contacts. They cannot all be closed to the last digit, and impulses
/// that would close them a little better grew in every iteration: some steps took all forty. What satisfies its conditions is
/// kept after the twelfth now.
#[test]
fn redundant_contacts_that_slide_settle() {
    let joints = [
        ("LF_HAA", 0.600, 0.03128784427618475),
        ("LF_HFE", 0.530, -0.08557008289920165),
        ("LF_KFE", 0.334, -1.5147699214405663),
        ("RF_HAA", 0.841, 0.12563043383438677),
        ("RF_HFE", 0.553, 0.460298644367494),
        ("RF_KFE", 1.414, -0.6230315234595375),
        ("LH_HAA", 0.698, 0.1262920601623403),
        ("LH_HFE", 1.081, 0.02667235941956536),
        ("LH_KFE", 0.061, 1.5223867544977097),
        ("RH_HAA", 1.260, -0.22786214800550986),
        ("RH_HFE", 0.897, -0.08468598914541692),
        ("RH_KFE", 0.463, 1.3342542785130835),
    ];
    let tables: String = (joints.iter())
        .map(|(name, friction, at)| {
            format!("robot.joint.{name}.friction = {friction}\ninitial.joints.{name} = {at}\n")
        })
        .collect();
    let text = format!(
        "time_step = 1e-3\nduration = 1.2\nrobot.file = {:?}\nrobot.base = \"floating\"\n{tables}\
         initial.base.position = [0.0, 0.0, 0.62]\n\
         initial.base.quaternion = [-0.04992665246723108, -0.34790683984099896, -0.4283273377746505, 0.8324685290628987]\n\
         initial.base.twist = [-0.4995731856668985, -0.8135214196868837, 0.23470868818487706, 1.398960164215905, \
         0.3669599799102376, 1.5690036635334341]\n\
         impact.law = \"max-dissipation\"\ncontact.friction = 0.34816636796840233\ncontact.restitution = 0.0\n\
         contact.collisions = [\"sphere\", \"box\", \"cylinder\"]\n\
         [[terrain]]\nkind = \"slope\"\nname = \"ground\"\nangle = 0.3\n",
        "robots/anymal_b/anymal.urdf",
    );
    let scenario = Scenario::parse("slide.toml", &text, &[]).unwrap();
    let experiment = Experiment::new("slide.toml", scenario).unwrap();
    let mut simulation = experiment.simulation().unwrap();
    for step in 0..1200 {
        let done = simulation.advance().unwrap();
        // The twelfth, the one that sees it, and what a step without stall takes.
        assert!(
            done.newton_iterations <= 12 + 1 + 6,
            "{step}: {}",
            done.newton_iterations
        );
    }
}

/// A limp quadruped falls on a treadmill, with knees at their stops: it could go along with the belt, however its rows are
/// conditioned.
#[test]
fn a_limp_robot_falls_on_a_treadmill() {
    let overrides = [
        "terrain.ground.motion={velocity=[1.0,0.0,0.0]}",
        "duration=0.5",
    ]
    .map(String::from);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/quadruped/collapse.toml");
    let scenario = Scenario::read(&path, &overrides).unwrap();
    let experiment = Experiment::new("belt", scenario).unwrap();
    let mut simulation = experiment.simulation().unwrap();
    simulation.run_until(0.5, &mut Unwatched).unwrap();
    assert!(simulation.state().impacts > 10);
}
