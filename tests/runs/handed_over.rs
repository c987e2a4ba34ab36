//! What is held goes on beyond the end of its place: on the end of an arc, on a piece of other material, over the border of two pieces.

use carom::hybrid::{Event, EventKind, Simulation};
use carom::scenario::{Experiment, Scenario};

pub fn simulation(text: &str, robot: &str) -> Simulation {
    let scenario = Scenario::parse("here.toml", text, &[]).expect("it is a scenario");
    let experiment = Experiment::with_robot("here.toml", scenario, robot);
    let experiment = experiment.expect("it can be made");
    experiment.simulation().expect("it starts")
}

fn run(mut simulation: Simulation, seconds: f64) -> (Simulation, Vec<Event>) {
    let mut events = simulation.take_events();
    while simulation.state().time < seconds - 1e-9 {
        simulation.advance().expect("it goes on");
        events.extend(simulation.take_events());
    }
    (simulation, events)
}

/// The place of an arc that rolls has no velocity, so that it turns over its end without an impact, on what is a plane or a box.
#[test]
fn an_arc_rolls_onto_its_end() {
    let robot = r#"<robot name="arc"><link name="arc"><inertial><origin xyz="0 0 -0.03"/><mass value="1.5"/>
        <inertia ixx="0.006" iyy="0.007" izz="0.008" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;
    for ground in [
        "kind = \"plane\"",
        "kind = \"box\"\nmin = [-5.0, -5.0, -1.0]\nmax = [5.0, 5.0, 0.0]",
    ] {
        for step in [2e-3, 5e-4] {
            let text = format!(
                "time_step = {step:?}\nduration = 0.3\n[robot]\nfile = \"arc.urdf\"\nbase = \"planar\"\n\
                 [initial.base]\nx = 0.0\nz = 0.1\nvx = 1.4\n[impact]\nlaw = \"stronge\"\n\
                 [contact]\nfriction = 1.0\nrestitution = 1.0\n\
                 site = [{{ name = \"p\", link = \"arc\", kind = \"arc\", radius = 0.1, axes = [[1, 0, 0], [0, 0, 1]], \
                 start = 3.2, end = 6.2 }}]\n[[terrain]]\nname = \"ground\"\n{ground}\n"
            );
            let (simulation, events) = run(simulation(&text, robot), 0.3);
            let told: Vec<_> = events.iter().map(|event| event.kind).collect();
            // Held from the start, by one place after the other.
            assert_eq!(told, [EventKind::Hold], "{ground} {step}");
            // The end, of the angle 6.2, is on the ground. Closed contacts are closed to 1e-9 m.
            let [z, turn] = [simulation.state().q[1], simulation.state().q[2]];
            let end = z + 0.1 * (6.2 - turn).sin();
            assert!(
                end.abs() < 1e-9 && turn > 1.49,
                "{ground} {step}: {end} {turn}"
            );
        }
    }
}

/// A point slides from ice onto what is rough, at a moment inside of a step: v² falls by 2 μ g along each way.
#[test]
fn a_slide_goes_on_with_the_friction_of_the_next_piece() {
    let robot = r#"<robot name="mass"><link name="mass"><inertial><mass value="2"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;
    let (gravity, ice, rough, way) = (9.81, 0.05, 0.3, 0.1);
    let at_border = f64::sqrt(1.5 * 1.5 - 2.0 * ice * gravity * way);
    let passed = (1.5 - at_border) / (ice * gravity);
    let left = 0.4 - passed;
    let x = at_border * left - 0.5 * rough * gravity * left * left;
    for step in [2e-3, 1e-3, 2.5e-4] {
        let text = format!(
            "time_step = {step:?}\nduration = 0.4\n[robot]\nfile = \"mass.urdf\"\nbase = \"floating\"\n\
             [initial.base]\nposition = [-{way:?}, 0.0, 0.0]\ntwist = [1.5, 0.0, 0.0, 0.0, 0.0, 0.0]\n\
             [impact]\nlaw = \"max-dissipation\"\n[contact]\nfriction = 1.0\n\
             site = [{{ name = \"p\", link = \"mass\", kind = \"point\" }}]\n\
             [[terrain]]\nname = \"ice\"\nkind = \"box\"\nfriction = {ice:?}\nmin = [-1.0, -1.0, -1.0]\nmax = [0.0, 1.0, 0.0]\n\
             [[terrain]]\nname = \"rough\"\nkind = \"box\"\nfriction = {rough:?}\nmin = [0.0, -1.0, -1.0]\nmax = [2.0, 1.0, 0.0]\n"
        );
        let (simulation, _) = run(simulation(&text, robot), 0.4);
        // Parabolas, for which the midpoint rule is exact; the border is located to 1e-12 m, steps are solved to 1e-10.
        let found = simulation.state().q[0];
        assert!((found - x).abs() < 1e-8, "{step}: {found} {x}");
    }
}

/// A can that falls nearly flat over the border of two flush boxes, its lowest point running round from one to the other, comes to lie as
/// on one box.
#[test]
fn a_can_falls_flat_over_a_border() {
    let robot = r#"<robot name="none"><link name="nothing"/></robot>"#;
    let energy = |ground: &str| {
        let text = format!(
            "time_step = 2e-3\nduration = 0.5\nrobot = {{ file = \"none.urdf\" }}\nimpact = {{ law = \"max-dissipation\" }}\n\
             contact = {{ friction = 0.0 }}\n{ground}\
             [[object]]\nname = \"can\"\nkind = \"cylinder\"\nmass = 2.157483721511544\n\
             position = [0.02576040940798105, -0.05531537369070121, 0.3]\n\
             velocity = [0.3537554934998571, 0.5035981264610313, -0.3799134552614545]\n\
             spin = [-0.642489895338608, 1.482865589169637, 1.535192241408933]\n\
             radius = 0.08940956002837891\nlength = 0.20606968059354525\n"
        );
        let (mut simulation, _) = run(simulation(&text, robot), 0.5);
        let energies = simulation.energies().expect("there is one");
        energies.kinetic + energies.potential
    };
    let border = 0.072_655_548_142_598_5;
    let two = format!(
        "[[terrain]]\nname = \"a\"\nkind = \"box\"\nmin = [-2.0, -2.0, -1.0]\nmax = [{border:?}, 2.0, 0.0]\n\
         [[terrain]]\nname = \"b\"\nkind = \"box\"\nmin = [{border:?}, -2.0, -1.0]\nmax = [2.0, 2.0, 0.0]\n"
    );
    let one = "[[terrain]]\nname = \"a\"\nkind = \"box\"\nmin = [-2.0, -2.0, -1.0]\nmax = [2.0, 2.0, 0.0]\n";
    let [over_border, on_one] = [energy(&two), energy(one)];
    // The same to what moments are located to, on the way to which it turns round.
    assert!(
        (over_border - on_one).abs() < 1e-6,
        "{over_border} {on_one}"
    );
}

/// A foot slides off one box onto another that overlaps it and is 94 μm lower, of which all that was under the first box is nearest from
/// inside at the start of a step: it comes down on that from above.
#[test]
fn a_foot_comes_over_from_a_box_onto_a_lower_one() {
    let link = |name: &str, mass: f64, inertia: [f64; 3], depth: f64| {
        let [x, y, z] = inertia;
        format!(
            r#"<link name="{name}"><inertial><origin xyz="0 0 {depth}"/><mass value="{mass}"/>
            <inertia ixx="{x:e}" iyy="{y:e}" izz="{z:e}" ixy="0" ixz="0" iyz="0"/></inertial></link>"#
        )
    };
    let joint = |name: &str, parent: &str, child: &str, place: &str, range: [f64; 2]| {
        let [lower, upper] = range;
        format!(
            r#"<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin xyz="{place}"/>
            <axis xyz="0 1 0"/><limit lower="{lower}" upper="{upper}" effort="1e6" velocity="1e6"/>
            <dynamics damping="0" friction="0.358068"/></joint>"#
        )
    };
    let robot = [
        r#"<robot name="leg"><link name="body"><inertial><origin xyz="-0.00165166476 -0.00955367392 0"/><mass value="4.90583087"/>
        <inertia ixx="0.0291071402" iyy="0.117358035" izz="0.132571439" ixy="0" ixz="0" iyz="0"/></inertial></link>"#
            .to_string(),
        link(
            "thigh",
            0.019_160_213_5,
            [1.352_971_39e-5, 1.352_971_39e-5, 2.014_349_46e-7],
            -0.045_854_528_7,
        ),
        link(
            "shank",
            0.011_496_128_1,
            [8.117_828_31e-6, 8.117_828_31e-6, 1.208_609_67e-7],
            -0.045_854_528_7,
        ),
        joint("hip", "body", "thigh", "0.21826803 0.142864964 0", [-1.6, 1.6]),
        joint("knee", "thigh", "shank", "0 0 -0.0917090574", [-2.4, 0.0]),
        "</robot>".to_string(),
    ]
    .concat();
    let text = "time_step = 2e-3\nduration = 0.014\n[robot]\nfile = \"leg.urdf\"\nbase = \"floating\"\n[initial.base]\n\
        position = [0.07300158536176866, -0.08282737601496779, 0.1788852844766065]\n\
        quaternion = [0.03477931754544128, -0.01633411840469478, -0.1365001669992949, 0.9898945903762579]\n\
        twist = [-0.01866959177491878, 0.1369282319503515, -0.017318597099290886, -0.612290553523633, -0.03309128820180954, \
        0.39842044106060454]\n[initial.joints]\nhip = 0.6457938740153041\nknee = -1.3168514905919317\n\
        [initial.velocities]\nhip = -3.0672639475596544\nknee = -1.2498571028271903\n[controller]\nkind = \"servo\"\n\
        joint = [{ name = \"hip\", target = { sine = { mean = 0.5, amplitude = 0.291284, frequency_Hz = 1.81027, \
        phase = 9.16765506401856 } } }, { name = \"knee\", target = { sine = { mean = -1.0, amplitude = 0.34954, \
        frequency_Hz = 1.81027, phase = 10.73845506401856 } } }]\n[controller.default]\nstiffness = 24.9739\n\
        damping = 0.48984\neffort_limit = 13.4194\n[impact]\nlaw = \"propagative\"\norder = \"least-violated\"\n\
        [contact]\nfriction = 0.8\nrestitution = 0.0\n\
        site = [{ name = \"foot\", link = \"shank\", kind = \"sphere\", position = [0.0, 0.0, -0.0917091], radius = 0.0105818 }]\n\
        [[terrain]]\nname = \"a\"\nkind = \"box\"\nmin = [0.164655, -0.159011, 0.0]\nmax = [0.333638, 0.170506, 0.0391696]\n\
        [[terrain]]\nname = \"b\"\nkind = \"box\"\nmin = [0.260515, -0.265952, 0.0]\nmax = [0.557836, 0.0357095, 0.0390752]\n";
    let (mut simulation, _) = run(simulation(text, &robot), 0.014);
    let contacts = simulation.contacts();
    let kinematics = simulation.kinematics();
    let there = (0..contacts.len()).filter(|&i| contacts.is_present(kinematics, i));
    let deepest = there
        .map(|i| contacts.gap(kinematics, i))
        .fold(0.0, f64::min);
    // Closed contacts are closed to 1e-9 m.
    assert!(deepest > -1e-9, "{deepest}");
    let rates = simulation.velocity().expect("there is one");
    assert!(rates.iter().all(|v| v.abs() < 50.0), "{rates:?}");
}

/// A point slides along the face of a box into the corner with a third one, which stands flush against the neighbour of the first: it strikes
/// that, and rests there.
#[test]
fn a_point_slides_into_a_corner_of_flush_boxes() {
    let robot = r#"<robot name="ball"><link name="ball"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;
    let text = "time_step = 1e-3\nduration = 0.2\n[robot]\nfile = \"ball.urdf\"\nbase = \"floating\"\n\
                gravity = [-9.81, 0.0, 0.0]\n[initial.base]\nposition = [0.0, -0.02, -0.05]\n\
                twist = [0.0, 0.4, 0.0, 0.0, 0.0, 0.0]\n[impact]\nlaw = \"max-dissipation\"\n[contact]\nfriction = 0.0\n\
                site = [{ name = \"p\", link = \"ball\", kind = \"point\" }]\n\
                [[terrain]]\nkind = \"box\"\nname = \"a\"\nmin = [-0.5, -0.5, -0.5]\nmax = [0.0, 0.0, 0.1]\n\
                [[terrain]]\nkind = \"box\"\nname = \"b\"\nmin = [-0.5, 0.0, -0.5]\nmax = [0.0, 0.5, 0.11]\n\
                [[terrain]]\nkind = \"box\"\nname = \"c\"\nmin = [0.0, 0.0, -0.5]\nmax = [0.5, 0.5, 0.0]\n";
    let (simulation, events) = run(simulation(text, robot), 0.2);
    let impacts: Vec<_> = events
        .iter()
        .filter(|e| e.kind == EventKind::Impact)
        .collect();
    // 0.02 m at 0.4 m/s, to what gaps are located to.
    assert!(impacts.len() == 1 && (impacts[0].time - 0.05).abs() < 1e-9);
    let state = simulation.state();
    // Closed contacts are closed to 1e-9 m.
    assert!(
        state.q[0].abs() < 1e-9 && state.q[1].abs() < 1e-9,
        "{:?}",
        state.q
    );
    assert!(state.p.iter().all(|p| p.abs() < 1e-9), "{:?}", state.p);
}
