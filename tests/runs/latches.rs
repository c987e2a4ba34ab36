//! Latches of joints: what they catch, what they hold, what lets them go, and the gait of a walker with knees.

use std::path::Path;

use carom::hybrid::{EventKind, ImpactRecord, Simulation};
use carom::scenario::{Experiment, Scenario};
use carom::study::orbit::{Differentiability, find_orbit};

/// A leg on a fixed hip: thigh and shank with these masses at these distances below hip and knee, and a moment of inertia each.
const THIGH: [f64; 3] = [1.0, 0.3, 0.01];
const SHANK: [f64; 3] = [0.5, 0.2, 0.012];
const LONG: f64 = 0.5;
/// Where the knee is caught.
const STOP: f64 = 0.1;

fn link(name: &str, [mass, below, inertia]: [f64; 3]) -> String {
    format!(
        r#"<link name="{name}"><inertial><origin xyz="0 0 {}"/><mass value="{mass}"/>
        <inertia ixx="0.01" ixy="0" ixz="0" iyy="{inertia}" iyz="0" izz="0.01"/></inertial></link>"#,
        -below
    )
}

/// The leg with a knee, or with a straight one at the angle of the stop.
fn leg(bends: bool) -> String {
    let knee = if bends {
        format!(
            r#"<joint name="knee" type="revolute"><parent link="thigh"/><child link="shank"/><origin xyz="0 0 {}"/>
            <axis xyz="0 -1 0"/><limit lower="-2" upper="{STOP}" effort="1" velocity="1"/></joint>"#,
            -LONG
        )
    } else {
        format!(
            r#"<joint name="knee" type="fixed"><parent link="thigh"/><child link="shank"/>
            <origin xyz="0 0 {}" rpy="0 {} 0"/></joint>"#,
            -LONG, -STOP
        )
    };
    format!(
        r#"<robot name="leg"><link name="world"/>{}{}
        <joint name="hip" type="continuous"><parent link="world"/><child link="thigh"/><axis xyz="0 -1 0"/></joint>{knee}</robot>"#,
        link("thigh", THIGH),
        link("shank", SHANK)
    )
}

fn experiment(urdf: &str, order: usize, tables: &str) -> Experiment {
    let text = format!(
        "time_step = 1e-3\nduration = 2.0\n[robot]\nfile = \"leg.urdf\"\nbase = \"fixed\"\n[stepper]\norder = {order}\n{tables}"
    );
    let scenario = Scenario::parse("leg.toml", &text, &[]).unwrap();
    Experiment::with_robot("leg.toml", scenario, urdf).unwrap()
}

const START: &str =
    "[initial]\njoints = { hip = 0.8, knee = -0.6 }\nvelocities = { hip = -0.5, knee = 3.0 }\n";
const LATCH: &str = "[[latch]]\njoint = \"knee\"\nat = \"upper\"\n";

/// Angular momentum about the hip of the leg with its knee at an angle, by the rates of hip and knee.
fn momentum(knee: f64, hip_rate: f64, knee_rate: f64) -> f64 {
    let [mass, below, inertia] = SHANK;
    let along = LONG * below * knee.cos();
    let shank = inertia + mass * (LONG * LONG + 2.0 * along + below * below);
    let thigh = THIGH[2] + THIGH[0] * THIGH[1] * THIGH[1];
    (thigh + shank) * hip_rate + (inertia + mass * (along + below * below)) * knee_rate
}

fn run_to(simulation: &mut Simulation, time: f64) {
    while simulation.time() < time - 1e-9 {
        simulation.advance().unwrap();
    }
}

/// The shank and the thigh keep their moment about the hip, and go on as one body: that with a fixed joint in place of the
/// knee. Whatever the law, and whatever the restitution of the limit.
#[test]
fn a_caught_knee_goes_on_as_a_rigid_leg() {
    let laws = [
        "law = \"propagative\"",
        "law = \"plastic\"",
        "law = \"stronge\"",
        "law = \"max-dissipation\"",
        "law = \"plus\"",
        "law = \"routh\"",
        "law = \"anitescu-potra\"",
        "law = \"sequential\"",
    ];
    for order in [2, 6] {
        for law in laws {
            let restitution = if law.contains("propagative") {
                0.7
            } else {
                0.0
            };
            let tables = format!(
                "{START}{LATCH}[impact]\n{law}\n[robot.joint.knee]\nrestitution = {restitution}\n"
            );
            let mut simulation = experiment(&leg(true), order, &tables).simulation().unwrap();
            let mut struck = None;
            while struck.is_none() {
                simulation.advance().unwrap();
                let mut events = simulation.take_events().into_iter();
                struck = events.find(|event| event.impact.is_some());
            }
            let event = struck.unwrap();
            assert_eq!(event.kind, EventKind::Limit, "{law}");
            let impact = event.impact.unwrap();
            let [before, after] = [&impact.velocity_before, &impact.velocity_after];
            assert_eq!(after[1], 0.0);
            let [had, has] = [before, after].map(|v| momentum(STOP, v[0], v[1]));
            assert!((had - has).abs() < 1e-13 * had.abs(), "{law}: {had} {has}");
            // The impulse of the stop is what the shank loses.
            let [mass, below, inertia] = SHANK;
            let own = inertia + mass * below * below;
            let by_hip = own + mass * LONG * below * STOP.cos();
            let lost = by_hip * (before[0] - after[0]) + own * before[1];
            assert!((impact.impulses[0][0] - lost).abs() < 1e-12, "{law}");
            let change = 0.5 * has * after[0] - impact.energy_after;
            assert!(change.abs() < 1e-12 && impact.energy_before > impact.energy_after);

            // The last step ended after the strike: from there on the rigid leg does the same.
            let (time, state) = (simulation.time(), simulation.state().clone());
            let velocity = simulation.velocity().unwrap().to_vec();
            let start = format!(
                "[initial]\njoints = {{ hip = {:?} }}\nvelocities = {{ hip = {:?} }}\n",
                state.q[0], velocity[0]
            );
            let mut rigid = experiment(&leg(false), order, &start).simulation().unwrap();
            run_to(&mut simulation, time + 0.5);
            run_to(&mut rigid, 0.5);
            let (ours, theirs) = (simulation.state(), rigid.state());
            // Both solve their steps to 1e-10 of the momentum, and 500 of them add up.
            assert!((ours.q[0] - theirs.q[0]).abs() < 1e-9, "{law} {order}");
            assert_eq!(ours.q[1], state.q[1]);
            assert!((ours.q[1] - STOP).abs() < 1e-11);
            assert_eq!(simulation.velocity().unwrap()[1], 0.0);
        }
    }
}

/// A spring pulls the shank back all the time; with springs between points a joint is held by a row and not by the factor.
#[test]
fn a_latch_holds_against_springs_between_points() {
    let spring = "[[spring]]\nlinks = [\"shank\", \"world\"]\npoints = [[0.0, 0.0, -0.4], [-1.0, 0.0, 0.0]]\n\
                  rest_length = 0.1\nstiffness = 400.0\n";
    for order in [2, 6] {
        let rest = format!(
            "[initial]\njoints = {{ hip = 0.2, knee = {STOP} }}\n{LATCH}engaged = true\n{spring}"
        );
        let mut simulation = experiment(&leg(true), order, &rest).simulation().unwrap();
        let start = simulation.energies().unwrap();
        let mut turned: f64 = 0.0;
        for _ in 0..1000 {
            simulation.advance().unwrap();
            let state = simulation.state();
            assert!((state.q[1] - STOP).abs() < 1e-12, "{}", state.q[1] - STOP);
            turned = turned.max((state.q[0] - 0.2).abs());
        }
        assert!(turned > 0.5, "{turned}");
        let end = simulation.energies().unwrap();
        let change = end.kinetic + end.potential - start.kinetic - start.potential;
        // The oscillation of a scheme of order two at ω h = 0.03, of an energy of 30 J.
        assert!(change.abs() < 30.0 * 0.03_f64.powi(2), "{change}");
    }
}

/// The foot strikes a wall with the knee latched, as one body, and the knee bends from then on.
#[test]
fn a_strike_lets_the_knee_go() {
    let tables = format!(
        "[initial]\njoints = {{ hip = -0.4, knee = {STOP} }}\nvelocities = {{ hip = 2.0 }}\n\
         {LATCH}engaged = true\nrelease = [\"foot\"]\n[impact]\nlaw = \"stronge\"\n[contact]\nrestitution = 0.0\n\
         site = [ {{ name = \"foot\", link = \"shank\", kind = \"point\", position = [0.0, 0.0, -0.5] }} ]\n\
         [[terrain]]\nkind = \"plane\"\nname = \"wall\"\npoint = [0.1, 0.0, 0.0]\nnormal = [-1.0, 0.0, 0.0]\n"
    );
    let mut simulation = experiment(&leg(true), 2, &tables).simulation().unwrap();
    let mut struck = None;
    while struck.is_none() {
        assert_eq!(simulation.state().q[1], STOP);
        assert!(simulation.state().joints[0].latched);
        simulation.advance().unwrap();
        let mut events = simulation.take_events().into_iter();
        struck = events.find(|event| event.impact.is_some());
    }
    let impact = struck.unwrap().impact.unwrap();
    // All of the leg stops with its foot: J ω = Λ r for the only freedom there was.
    assert!(impact.velocity_after.iter().all(|v| v.abs() < 1e-14));
    assert!(!simulation.state().joints[0].latched);
    run_to(&mut simulation, 1.0);
    assert!(
        simulation.state().q[1] < STOP - 0.05,
        "{:?}",
        simulation.state().q
    );
}

#[test]
fn a_saved_state_keeps_what_is_latched() {
    let tables = format!("{START}{LATCH}");
    for order in [2, 6] {
        let experiment = experiment(&leg(true), order, &tables);
        let mut straight = experiment.simulation().unwrap();
        let mut saved = experiment.simulation().unwrap();
        for k in 0..800 {
            straight.advance().unwrap();
            saved.advance().unwrap();
            if k % 100 == 50 {
                let text = serde_json::to_string(saved.state()).unwrap();
                saved = experiment.simulation().unwrap();
                saved.restore(serde_json::from_str(&text).unwrap()).unwrap();
            }
        }
        assert!(straight.state().joints[0].latched);
        assert_eq!(straight.state().q, saved.state().q);
        assert_eq!(straight.state().p, saved.state().p);
    }
}

/// Touches slower than `contact.capture_speed` (1e-3) are no impacts elsewhere.
#[test]
fn a_slow_touch_is_caught() {
    let text = format!(
        "time_step = 1e-3\nduration = 2.0\n[robot]\nfile = \"leg.urdf\"\nbase = \"fixed\"\ngravity = [0.0, 0.0, 0.0]\n\
         [initial]\njoints = {{ knee = 0.0999 }}\nvelocities = {{ knee = 5e-4 }}\n{LATCH}"
    );
    let scenario = Scenario::parse("leg.toml", &text, &[]).unwrap();
    let experiment = Experiment::with_robot("leg.toml", scenario, &leg(true)).unwrap();
    let mut simulation = experiment.simulation().unwrap();
    run_to(&mut simulation, 1.0);
    assert!(simulation.state().joints[0].latched);
    // What is so near at the end of a step counts as closed.
    let near = simulation.settings().simultaneity;
    assert!((simulation.state().q[1] - STOP).abs() <= near);
}

/// A shank that hangs from a wall, held up at an angle: the latch pulls at the limit with m g b sin θ, and says so.
#[test]
fn a_latch_tells_its_load() {
    let urdf = format!(
        r#"<robot name="leg"><link name="world"/>{}<joint name="knee" type="revolute"><parent link="world"/>
        <child link="shank"/><axis xyz="0 -1 0"/><limit lower="-2" upper="{STOP}" effort="1" velocity="1"/></joint></robot>"#,
        link("shank", SHANK)
    );
    for order in [2, 6] {
        let start = format!("[initial]\njoints = {{ knee = {STOP} }}\n{LATCH}engaged = true\n");
        let mut simulation = experiment(&urdf, order, &start).simulation().unwrap();
        simulation.advance().unwrap();
        let stop = (0..simulation.contacts().len())
            .find(|&i| simulation.contacts().name(i) == "knee:upper")
            .unwrap();
        let load = simulation.held_impulses()[stop][0] / 1e-3;
        let weight = SHANK[0] * 9.81 * SHANK[1] * STOP.sin();
        assert!((load + weight).abs() < 1e-12, "{order}: {load} {weight}");
    }
}

/// The rod of Painlevé with an arm that a latch holds, and with one that is welded on: friction stops its tip by the same impact
/// without a collision, which takes the same energy.
#[test]
fn a_jam_with_a_latch_takes_what_it_takes_without_the_joint() {
    let robot = |arm: &str| {
        format!(
            r#"<robot name="rod"><link name="rod"><inertial><mass value="1"/>
            <inertia ixx="0" ixy="0" ixz="0" iyy="0.083333333" iyz="0" izz="0.083333333"/></inertial></link>
            <link name="arm"><inertial><origin xyz="0.1 0 0.05"/><mass value="0.3"/>
            <inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.001"/></inertial></link>
            <joint name="arm" type="{arm}"><parent link="rod"/><child link="arm"/><origin xyz="0.2 0 0"/><axis xyz="0 -1 0"/>
            <limit lower="-1" upper="0" effort="1e3" velocity="1e3"/></joint></robot>"#
        )
    };
    let impact = |urdf: &str, latch: &str| {
        let text = format!(
            "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = \"rod.urdf\"\nbase = \"planar\"\n[initial.base]\n\
             z = {:?}\npitch = {:?}\nvx = -1.0\n[impact]\nlaw = \"max-dissipation\"\n[contact]\nfriction = 2.0\n\
             site = [ {{ name = \"tip\", link = \"rod\", kind = \"point\", position = [-0.5, 0.0, 0.0] }} ]\n\
             [[terrain]]\nkind = \"plane\"\nname = \"ground\"\n{latch}",
            0.5 * std::f64::consts::FRAC_1_SQRT_2,
            -std::f64::consts::FRAC_PI_4
        );
        let scenario = Scenario::parse("rod.toml", &text, &[]).unwrap();
        let experiment = Experiment::with_robot("rod.toml", scenario, urdf).unwrap();
        let mut simulation = experiment.simulation().unwrap();
        let mut events = Vec::new();
        for _ in 0..20 {
            simulation.advance().unwrap();
            events.extend(simulation.take_events());
        }
        let jam = events.into_iter().find_map(|event| event.impact).unwrap();
        [jam.energy_before, jam.energy_after, jam.impulses[0][0]]
    };
    let latch = "[[latch]]\njoint = \"arm\"\nat = \"upper\"\nengaged = true\n";
    let held = impact(&robot("revolute"), latch);
    let welded = impact(&robot("fixed"), "");
    for (held, welded) in held.iter().zip(welded) {
        assert!((held - welded).abs() < 1e-9, "{held} {welded}");
    }
}

/// A box is released by its points, edges and the corners of terrain that it meets.
#[test]
fn a_box_and_a_piece_of_terrain_release_by_their_names() {
    for name in ["foot", "step", "foot_3@step"] {
        let tables = format!(
            "{LATCH}release = [\"{name}\"]\n[contact]\nsite = [ {{ name = \"foot\", link = \"shank\", kind = \"box\",\n\
             position = [0.0, 0.0, -0.5], size = [0.1, 0.1, 0.02] }} ]\n[[terrain]]\nkind = \"box\"\nname = \"step\"\n\
             min = [-0.1, -0.1, -1.6]\nmax = [0.1, 0.1, -1.4]\n[[terrain]]\nkind = \"plane\"\nname = \"far\"\n\
             point = [0.0, 0.0, -9.0]\n"
        );
        let simulation = experiment(&leg(true), 2, &tables).simulation().unwrap();
        let contacts = simulation.contacts();
        let latch = &contacts.latches()[0];
        let wanted = (0..contacts.len()).filter(|&i| {
            let own = contacts.name(i);
            match name {
                "foot_3@step" => own == name,
                "step" => own.contains("step"),
                _ => own.contains("foot"),
            }
        });
        assert_eq!(latch.releases, wanted.collect::<Vec<_>>(), "{name}");
        assert!(!latch.releases.is_empty());
    }
}

#[test]
fn a_saved_state_cannot_latch_a_joint_without_a_latch() {
    let tables = "[robot.joint.knee]\nfriction = 0.1\n";
    let mut simulation = experiment(&leg(true), 2, tables).simulation().unwrap();
    let mut state = simulation.state().clone();
    state.joints[0].latched = true;
    let error = simulation.restore(state).unwrap_err().to_string();
    assert!(
        error.contains("joints[0].latched") && error.contains("no latch"),
        "{error}"
    );
}

#[test]
fn latches_that_cannot_be_are_refused() {
    let refused = |tables: &str| {
        let text = format!(
            "time_step = 1e-3\nduration = 2.0\n[robot]\nfile = \"leg.urdf\"\nbase = \"fixed\"\n{tables}"
        );
        let scenario = Scenario::parse("leg.toml", &text, &[]).unwrap();
        let experiment = Experiment::with_robot("leg.toml", scenario, &leg(true));
        let simulation = experiment.map_err(|error| error.to_string());
        let simulation = simulation.and_then(|own| own.simulation().map_err(|e| e.to_string()));
        simulation.map(|_| ()).unwrap_err()
    };
    for (tables, parts) in [
        (
            "[[latch]]\njoint = \"kne\"\nat = \"upper\"\n",
            ["latch[0]", "\"knee\""],
        ),
        (
            "[[latch]]\njoint = \"hip\"\nat = \"upper\"\n",
            ["\"hip\"", "no upper limit"],
        ),
        (
            "[[latch]]\njoint = \"knee\"\nat = \"upper\"\nrelease = [\"foot\"]\n",
            ["\"knee\"", "\"foot\""],
        ),
        (
            "[[latch]]\njoint = \"knee\"\nat = \"upper\"\nrelease = [\"knee:upper\"]\n",
            ["\"knee\"", "its own stop"],
        ),
        (&format!("{LATCH}{LATCH}"), ["\"knee\"", "it has two"]),
        (
            &format!("{LATCH}engaged = true\n"),
            ["\"knee\"", "must rest at its limit, 0.1"],
        ),
        (
            &format!(
                "[initial]\njoints = {{ knee = 0.1 }}\nvelocities = {{ knee = -1.0 }}\n{LATCH}engaged = true\n"
            ),
            ["\"knee\"", "a rate of 1"],
        ),
    ] {
        let error = refused(tables);
        for part in parts {
            assert!(error.contains(part), "{error}");
        }
    }
}

/// The gait of `robots/compass/kneed.toml` against one of the three angles and then two that a stride has, each integrated by
/// itself with an explicit Runge-Kutta method of order 8 (tolerance 3e-14), events on its interpolant, impacts as projections,
/// multipliers from differences of fourth order.
#[test]
fn a_walker_with_knees_has_its_gait_and_multipliers() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/compass/kneed.toml");
    let scenario = Scenario::read(&file, &[]).unwrap();
    let experiment = Experiment::new("kneed.toml", scenario).unwrap();
    let orbit = find_orbit(&experiment, 0).unwrap();
    assert!(orbit.found && orbit.stable == Some(true));
    assert_eq!(
        orbit.differentiability,
        Some(Differentiability::Differentiable)
    );
    assert!((orbit.period_s - 0.564_328_165_915_05).abs() < 1e-9);
    let (q, v) = (&orbit.state.q, &orbit.state.v);
    for (found, wanted) in [
        (q["leading"], 0.238_585_460_253_397),
        (q["trailing"], -0.238_585_460_253_397),
        (v["leading"], -1.109_587_331_176_53),
        (v["trailing"], -0.057_148_106_337_45),
        (orbit.advance["hip_x"], 0.472_656_785_800_547),
    ] {
        assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
    }
    // Latched at zero, but for rounding of velocities of order one over a step.
    assert!(q["knee_leading"].abs() < 1e-18 && q["knee_trailing"].abs() < 1e-18);
    let lost = 0.016_392_665_676_306 + 0.357_357_630_353_977;
    assert!((orbit.energy_lost_J - lost).abs() < 1e-9);
    let mut found: Vec<f64> = orbit.multipliers.iter().map(|[a, b]| a.hypot(*b)).collect();
    found.sort_by(|a, b| b.total_cmp(a));
    let pair = 0.352_573_74_f64.hypot(0.552_211_46);
    // The fourth is that of the trailing leg, which is as far behind as the other is in front.
    for (found, wanted) in found.iter().zip([pair, pair, 0.143_822_67, 0.0]) {
        assert!((found - wanted).abs() < 1e-6, "{found} {wanted}");
    }
    assert_eq!(found.len(), 4);
}

/// A ball that flies by takes no part when a knee is caught: the leg loses what it loses alone, and the ball nothing.
#[test]
fn what_flies_by_a_caught_knee_goes_on() {
    let ball = "[[object]]\nname = \"ball\"\nkind = \"sphere\"\nradius = 0.05\nmass = 0.3\nposition = [2.0, 0.0, 3.0]\n\
                velocity = [1.0, -2.0, 0.5]\n";
    let caught = |beside: &str| {
        let tables = format!("{START}{LATCH}{beside}");
        let experiment = experiment(&leg(true), 2, &tables);
        let mut simulation = experiment.simulation().unwrap();
        loop {
            simulation.advance().unwrap();
            let mut events = simulation.take_events().into_iter();
            if let Some(event) = events.find(|event| event.impact.is_some()) {
                return event.impact.unwrap();
            }
        }
    };
    let [alone, together] = ["", ball].map(caught);
    let loss = |record: &ImpactRecord| record.energy_before - record.energy_after;
    // Some hundred steps are solved to 1e-10 of the momentum of all.
    assert!((loss(&alone) - loss(&together)).abs() < 1e-8);
    assert!(loss(&alone) > 0.01);
    let [mine, theirs] = [&alone, &together].map(|record| record.impulses[0][0]);
    assert!((mine - theirs).abs() < 1e-8 * mine.abs());
    let [before, after] = [&together.velocity_before, &together.velocity_after];
    assert!(before[2..] == after[2..] && after[1] == 0.0);
    assert!((alone.velocity_after[0] - after[0]).abs() < 1e-8);
}
