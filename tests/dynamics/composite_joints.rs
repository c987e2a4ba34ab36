//! Joints of several freedoms: free motions with closed forms, and the chains that a user would write by hand.

use std::fmt::Write;

use carom::discrete::stages;
use carom::dynamics::{Kinematics, gravity_energy, kinetic_energy, mass_matrix, spatial_momentum};
use carom::model::sample::Uniform;
use carom::model::urdf::parse;
use carom::model::{
    Base, CompositeKind, Joint, JointLimits, Link, Mimic, Model, ModelBuilder, ModelError,
};
use carom::scenario::Inspection;
use carom::spatial::{Pose, quaternion_to_matrix, rotation_from_rpy};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use crate::integrator::{Flow, velocity};

/// Roundings of a step: some tens of operations on numbers of size one.
const ROUNDING: f64 = 1e-14;

fn placed(model: &Model, q: &[f64]) -> Kinematics<f64> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    kinematics
}

fn momentum(model: &Model, q: &[f64], v: &[f64]) -> Vec<f64> {
    let m = mass_matrix(model, &placed(model, q));
    (m * DVector::from_column_slice(v)).as_slice().to_vec()
}

fn link_pose(model: &Model, q: &[f64], name: &str) -> Pose<f64> {
    let link = model.link(name).unwrap();
    placed(model, q).world[link.body.unwrap()].compose(&link.pose)
}

/// Advances (q, p) over `time` in so many steps of order 6; `look` sees every configuration.
fn advance(
    model: &Model,
    (mut q, mut p): (Vec<f64>, Vec<f64>),
    time: f64,
    steps: usize,
    mut look: impl FnMut(&[f64]),
) -> (Vec<f64>, Vec<f64>) {
    let mut flow = Flow::new(model);
    for _ in 0..steps {
        for fraction in stages(6) {
            flow.run(&mut q, &mut p, fraction * time / steps as f64, 1);
        }
        look(&q);
    }
    (q, p)
}

/// What is left of the error of order 6 after the step was halved, from what the halving changed, twice over for the
/// higher terms; and the roundings of so many steps.
fn left(change: f64, steps: usize) -> f64 {
    2.0 * change / 63.0 + ROUNDING * 9.0 * steps as f64
}

#[test]
fn a_conical_pendulum_turns_at_its_rate() {
    let (length, tilt, g, mass) = (0.8_f64, 0.6_f64, 9.81, 1.3);
    let bob = Vector3::new(0.0, 0.0, -length);
    let model = ModelBuilder::new("pendulum")
        .link(Link::new("world"))
        .link(Link::new("bob").solid_sphere(mass, 0.1, bob))
        .joint(Joint::spherical("pivot", "world", "bob"))
        .build()
        .unwrap();
    // The sphere turns with the rod as a rigid body: its moment J about its centre is the same about all axes, so (m l² + J − J)
    // Ω² cos θ = m g l, the rate of the point mass.
    let rate = (g / (length * tilt.cos())).sqrt();
    let q = vec![0.0, tilt, 0.0];
    // At rx = 0 the angular velocity is (rx' + rz' sin θ, ry', rz' cos θ).
    let v = [-rate * tilt.tan(), 0.0, rate / tilt.cos()];
    let p = momentum(&model, &q, &v);
    let time = 3.0;
    let at = |(q, _): &(Vec<f64>, Vec<f64>)| link_pose(&model, q, "bob").point(&bob);
    let run = |steps| advance(&model, (q.clone(), p.clone()), time, steps, |_| ());
    let [coarse, fine] = [300, 600].map(run);
    let change = (at(&coarse) - at(&fine)).norm();
    assert!(change < 1e-5, "{change}");
    let (sin, cos) = (rate * time).sin_cos();
    let exact = length * Vector3::new(-tilt.sin() * cos, -tilt.sin() * sin, -tilt.cos());
    let error = (at(&fine) - exact).norm();
    assert!(error <= left(change, 600), "{error} of {change}");
    let kept = |(q, p): &(Vec<f64>, Vec<f64>)| {
        let mut k = placed(&model, q);
        k.update_twists(&model, &velocity(&model, q, p));
        let energy = kinetic_energy(&model, &k) + gravity_energy(&model, &k);
        [energy, spatial_momentum(&model, &k).angular.z]
    };
    let moment = mass * (length * tilt.sin()).powi(2) + 0.4 * mass * 0.01;
    let exact = [
        0.5 * moment * rate * rate - mass * g * length * tilt.cos(),
        moment * rate,
    ];
    for ((coarse, fine), exact) in kept(&coarse).into_iter().zip(kept(&fine)).zip(exact) {
        let change = (coarse - fine).abs();
        assert!(
            (fine - exact).abs() <= left(change, 600) * 10.0,
            "{fine} {exact}"
        );
    }
}

#[test]
fn a_ball_joint_at_the_centre_of_mass_is_a_free_body() {
    let body = || Link::new("body").solid_box(2.0, [0.4, 0.3, 0.1], Vector3::zeros());
    let held = ModelBuilder::new("held")
        .gravity([0.0; 3])
        .link(Link::new("world"))
        .link(body())
        .joint(Joint::spherical("ball", "world", "body"))
        .build()
        .unwrap();
    let free = ModelBuilder::new("free")
        .gravity([0.0; 3])
        .base(Base::Floating)
        .link(body())
        .build()
        .unwrap();
    let (q, v) = (vec![0.4, -0.3, 0.2], [0.5, -0.7, 2.0]);
    let mut kinematics = placed(&held, &q);
    kinematics.update_twists(&held, &v);
    // Both about the origin, in the world.
    let turning = spatial_momentum(&held, &kinematics).angular;
    let attitude = link_pose(&held, &q, "body").rotation;
    let quaternion = nalgebra::UnitQuaternion::from_matrix(&attitude);
    let mut q_free = vec![0.0; 7];
    q_free[3..].copy_from_slice(quaternion.coords.as_slice());
    assert!(
        (quaternion_to_matrix(&[q_free[3], q_free[4], q_free[5], q_free[6]]) - attitude).norm()
            < 1e-14
    );
    // The momentum of a floating base is a wrench in its own axes.
    let own = attitude.transpose() * turning;
    let p_free = vec![0.0, 0.0, 0.0, own.x, own.y, own.z];
    let p = momentum(&held, &q, &v);
    let time = 2.0;
    let mut farthest: f64 = 0.0;
    let mut of_held = |steps| {
        let look = |q: &[f64]| farthest = farthest.max(q[1].abs());
        let (q, _) = advance(&held, (q.clone(), p.clone()), time, steps, look);
        link_pose(&held, &q, "body").rotation
    };
    let of_free = |steps| {
        let start = (q_free.clone(), p_free.clone());
        let (q, _) = advance(&free, start, time, steps, |_| ());
        link_pose(&free, &q, "body").rotation
    };
    let turned: [[Matrix3<f64>; 2]; 2] =
        [[of_held(100), of_held(200)], [of_free(100), of_free(200)]];
    let changes = turned.map(|[coarse, fine]| (coarse - fine).norm());
    assert!(
        farthest < 1.2,
        "the middle turn stays clear of π/2: {farthest}"
    );
    assert!(changes.iter().all(|x| *x < 1e-5), "{changes:?}");
    // It turns by some radians, and not about a principal axis.
    assert!((turned[0][1] - attitude).norm() > 0.5);
    let difference = (turned[0][1] - turned[1][1]).norm();
    let bound = left(changes[0], 200) + left(changes[1], 200);
    assert!(difference <= bound, "{difference} {bound}");
}

#[test]
fn a_puck_on_a_planar_joint_slides_straight_and_spins_evenly() {
    let (mass, moment) = (0.7, 0.02);
    let rpy = [0.3, -0.5, 0.8];
    for normal in [
        [0.0, 0.0, 2.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.3, -0.5, 0.7],
    ] {
        let unit = Vector3::from(normal).normalize();
        // The moment about the normal, whatever that is, is `moment`.
        let central = Matrix3::identity() * moment;
        let model = ModelBuilder::new("table")
            .gravity([0.0; 3])
            .link(Link::new("table"))
            .link(Link::new("puck").inertial(mass, Vector3::zeros(), central))
            .joint(
                Joint::planar("film", "table", "puck")
                    .origin([0.1, 0.2, 0.3], rpy)
                    .axis(normal),
            )
            .build()
            .unwrap();
        assert_eq!(model.coordinate_names(), ["film_x", "film_y", "film_turn"]);
        let start = vec![0.1, -0.2, 0.5];
        let m = mass_matrix(&model, &placed(&model, &start));
        let expected = DMatrix::from_diagonal(&DVector::from_column_slice(&[mass, mass, moment]));
        assert!((m - expected).amax() < 1e-15);
        let v = [0.6, -0.4, 3.0];
        let p = momentum(&model, &start, &v);
        let (time, steps) = (1.5, 60);
        let (q, p_end) = advance(&model, (start.clone(), p.clone()), time, steps, |_| ());
        for i in 0..3 {
            let bound = ROUNDING * 9.0 * steps as f64;
            assert!((q[i] - start[i] - time * v[i]).abs() < bound, "{i}: {q:?}");
            assert!((p_end[i] - p[i]).abs() < bound);
        }
        // In the world: in the plane through the origin of the joint, and about its normal.
        let [from, to] = [&start, &q].map(|q| link_pose(&model, q, "puck"));
        let turn = rotation_from_rpy(&rpy);
        let way = turn.transpose() * (to.translation - from.translation);
        assert!(
            way.dot(&unit).abs() < 1e-13 && (way.norm() - time * 0.52_f64.sqrt()).abs() < 1e-12
        );
        let spun = to.rotation * from.rotation.transpose();
        assert!((spun * turn * unit - turn * unit).norm() < 1e-13);
        assert!((spun.trace() - 1.0 - 2.0 * (v[2] * time).cos()).abs() < 1e-11);
        // Slides before the turn: x and y are fixed in the table, right-handed with the normal.
        let along = |i: usize| {
            let mut q = vec![0.0; 3];
            q[i] = 1.0;
            let moved = link_pose(&model, &q, "puck").translation;
            turn.transpose() * (moved - Vector3::new(0.1, 0.2, 0.3))
        };
        assert!((along(0).cross(&along(1)) - unit).norm() < 1e-14);
    }
}

/// Links with random inertias, joined by random revolute joints and by what `ball` writes.
fn random_robot(seed: u64, ball: impl Fn(&str, &str, &str) -> String) -> String {
    let mut random = Uniform::new(seed);
    let mut text = String::from("<robot name=\"random\">");
    let count = 7;
    let balls = [1 + random.below(count - 1), 1 + random.below(count - 1)];
    for i in 0..count {
        let [x, y, z] = random.vector(0.3);
        let (mass, s) = (random.between(0.3, 3.0), random.between(0.01, 0.1));
        write!(
            text,
            "<link name=\"l{i}\"><inertial><origin xyz=\"{x} {y} {z}\"/><mass value=\"{mass}\"/>\
             <inertia ixx=\"{s}\" iyy=\"{}\" izz=\"{}\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>",
            1.2 * s,
            1.5 * s
        )
        .unwrap();
        if i == 0 {
            continue;
        }
        let parent = random.below(i);
        let [[x, y, z], [a, b, c], [u, v, w]] = [0.5, 1.5, 1.0].map(|scale| random.vector(scale));
        let origin = format!("<origin xyz=\"{x} {y} {z}\" rpy=\"{a} {b} {c}\"/>");
        if balls.contains(&i) {
            text += &ball(&format!("j{i}"), &origin, &format!("l{parent} l{i}"));
        } else {
            write!(
                text,
                "<joint name=\"j{i}\" type=\"continuous\">{origin}<parent link=\"l{parent}\"/>\
                 <child link=\"l{i}\"/><axis xyz=\"{u} {v} {w}\"/></joint>"
            )
            .unwrap();
        }
    }
    text + "</robot>"
}

#[test]
fn a_ball_joint_is_three_revolute_joints_with_massless_links_between() {
    let joint = |name: &str, kind: &str, origin: &str, parent: &str, child: &str, axis: &str| {
        format!(
            "<joint name=\"{name}\" type=\"{kind}\">{origin}<parent link=\"{parent}\"/><child link=\"{child}\"/>\
             <axis xyz=\"{axis}\"/><dynamics damping=\"0.1\" friction=\"0.2\"/></joint>"
        )
    };
    let ball = |name: &str, origin: &str, links: &str| {
        let (parent, child) = links.split_once(' ').unwrap();
        joint(name, "spherical", origin, parent, child, "1 0 0")
    };
    let by_hand = |name: &str, origin: &str, links: &str| {
        let (parent, child) = links.split_once(' ').unwrap();
        let [a, b] = ["rx", "ry"].map(|turn| format!("{name}_{turn}"));
        let own = [
            joint(&a, "continuous", origin, parent, &a, "1 0 0"),
            joint(&b, "continuous", "", &a, &b, "0 1 0"),
            joint(&format!("{name}_rz"), "continuous", "", &b, child, "0 0 1"),
        ];
        format!("<link name=\"{a}\"/><link name=\"{b}\"/>{}", own.join(""))
    };
    for seed in 0..20 {
        let base = [Base::Fixed, Base::Planar, Base::Floating][seed as usize % 3];
        let build = |text: &str| parse(text, "r.urdf").unwrap().base(base).build().unwrap();
        let model = build(&random_robot(seed, ball));
        let written = build(&random_robot(seed, by_hand));
        assert_eq!(model.coordinate_names(), written.coordinate_names());
        assert_eq!(model.links().len(), 7);
        assert_eq!(model.bodies().len(), written.bodies().len());
        let mut random = Uniform::new(100 + seed);
        let way: Vec<f64> = (0..model.dof())
            .map(|_| random.between(-1.0, 1.0))
            .collect();
        let mut q = model.neutral_configuration();
        model.integrate(&model.neutral_configuration(), &way, 1.0, &mut q);
        // The same operations on the same numbers.
        assert_eq!(
            mass_matrix(&model, &placed(&model, &q)),
            mass_matrix(&written, &placed(&written, &q))
        );
        for link in model.links().iter().filter(|link| link.body.is_some()) {
            assert_eq!(
                link_pose(&model, &q, &link.name),
                link_pose(&written, &q, &link.name)
            );
        }
        for (own, other) in model.bodies().iter().zip(written.bodies()) {
            assert_eq!((own.damping, own.friction), (other.damping, other.friction));
        }
    }
}

#[test]
fn what_floats_inside_of_a_tree_flies_on_a_parabola() {
    let model = ModelBuilder::new("thrower")
        .link(Link::new("world"))
        .link(Link::new("cart").solid_box(2.0, [0.4, 0.3, 0.1], Vector3::zeros()))
        .link(Link::new("disc").solid_box(0.5, [0.2, 0.1, 0.05], Vector3::zeros()))
        .joint(Joint::prismatic("rail", "world", "cart").axis([1.0, 0.0, 0.0]))
        .joint(Joint::floating("flight", "cart", "disc").origin([0.0, 0.0, 0.4], [0.0; 3]))
        .build()
        .unwrap();
    assert_eq!(
        model.coordinate_names(),
        [
            "rail",
            "flight_x",
            "flight_y",
            "flight_z",
            "flight_rx",
            "flight_ry",
            "flight_rz"
        ]
    );
    let told = |part: &str| {
        model
            .warnings()
            .iter()
            .any(|warning| warning.contains(part))
    };
    assert!(told("\"flight_ry\"") && told("choose the floating base"));
    // About z alone it turns about a principal axis.
    let q = vec![0.2, 0.1, 0.0, 0.3, 0.0, 0.0, 0.4];
    let v = [0.5, 1.0, -0.4, 2.0, 0.0, 0.0, 3.0];
    let p = momentum(&model, &q, &v);
    let (time, steps) = (0.8, 80);
    let (end, _) = advance(&model, (q.clone(), p), time, steps, |_| ());
    let disc = link_pose(&model, &end, "disc").translation;
    // The midpoint rule has the parabola of a constant force exactly; a step's stages are longer than the step.
    let fall = 0.5 * 9.81 * time * time;
    let expected = Vector3::new(0.3 + 1.5 * time, -0.4 * time, 0.7 + 2.0 * time - fall);
    assert!((disc - expected).norm() < 1e-11, "{disc} {expected}");
    assert!((end[6] - 0.4 - 3.0 * time).abs() < 1e-11);
    assert!((end[0] - 0.2 - 0.5 * time).abs() < 1e-11);
}

fn ball_arm(inside: &str) -> String {
    let shape = "<collision><geometry><sphere radius=\"0.2\"/></geometry></collision>";
    let link = |name: &str| {
        format!(
            "<link name=\"{name}\"><inertial><mass value=\"2\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1.5\" \
             iyz=\"0\" izz=\"2\"/></inertial>{shape}</link>"
        )
    };
    format!(
        "<robot name=\"r\"><link name=\"world\"/>{}{}\n\
         <joint name=\"hinge\" type=\"continuous\"><parent link=\"world\"/><child link=\"trunk\"/></joint>\n\
         <joint name=\"shoulder\" type=\"spherical\"><origin xyz=\"0 0 0.5\"/><parent link=\"trunk\"/><child link=\"arm\"/>\
         {inside}</joint>\n</robot>",
        link("trunk"),
        link("arm")
    )
}

#[test]
fn what_a_urdf_says_of_the_joint_holds_for_each_freedom() {
    let text = ball_arm(
        "<limit lower=\"-1\" upper=\"1\" effort=\"5\" velocity=\"3\"/><dynamics damping=\"0.3\" friction=\"0.1\"/>",
    );
    let model = parse(&text, "r.urdf").unwrap().build().unwrap();
    let names = ["shoulder_rx", "shoulder_ry", "shoulder_rz"];
    assert_eq!(model.coordinate_names()[1..], names);
    let [composite] = model.composite_joints() else {
        panic!("one joint of several freedoms");
    };
    assert_eq!(
        (composite.name.as_str(), composite.kind),
        ("shoulder", CompositeKind::Spherical)
    );
    assert_eq!(composite.bodies, 1..4);
    for (i, name) in names.iter().enumerate() {
        let body = &model.bodies()[model.body_of_joint(name).unwrap()];
        assert_eq!((body.damping, body.friction), (0.3, 0.1));
        let stop = (i == 1).then_some((-1.5, 1.5));
        let expected = JointLimits {
            position: stop,
            effort: Some(5.0),
            velocity: Some(3.0),
        };
        assert_eq!(body.limits, expected);
        assert_eq!(model.moved_link(i + 1), "arm");
    }
    // Bodies between carry no link, and who hangs at the trunk is the arm.
    assert_eq!(model.links().len(), 3);
    assert_eq!(model.holder(3), Some(0));
    let inspection = Inspection::new(&model);
    let pairs = &inspection.body_pairs;
    let pair = pairs
        .iter()
        .find(|pair| pair.bodies.contains(&"arm".to_string()))
        .unwrap();
    assert_eq!(
        pair.excluded.map(|why| why.reason()),
        Some("a joint connects them")
    );
    assert!(
        inspection
            .joints
            .iter()
            .skip(1)
            .all(|joint| joint.link == "arm")
    );
    // Said: limits that mean nothing, and the stop that is none of the robot, where limits hold and where they do not.
    let told = |model: &Model, part: &str| model.warnings().iter().any(|w| w.contains(part));
    assert!(told(
        &model,
        "joint \"shoulder\": its position limits are left out"
    ));
    assert!(told(
        &model,
        "the middle one of three turns stops at -1.5 and 1.5 rad, where the robot has no stop"
    ));
    let loose = parse(&text, "r.urdf")
        .unwrap()
        .without_position_limits()
        .build()
        .unwrap();
    assert!(told(&loose, "nothing stops the middle one of three turns"));
    let quiet = parse(&text.replace("spherical", "planar"), "r.urdf")
        .unwrap()
        .build()
        .unwrap();
    assert!(!told(&quiet, "three turns"));
    // Beside another and under a name.
    let both = model
        .clone()
        .among("left")
        .beside(model.clone().among("right"))
        .unwrap();
    assert_eq!(both.composite_joints()[1].name, "right.shoulder");
    assert_eq!(both.holder(7), Some(4));
}

#[test]
fn what_does_not_go_with_several_freedoms_is_refused_by_name() {
    let refused = |result: Result<Model, ModelError>, parts: &[&str]| {
        let message = result.unwrap_err().to_string();
        for part in parts {
            assert!(message.contains(part), "{message:?} has no {part:?}");
        }
    };
    let build = |text: &str| parse(text, "r.urdf").and_then(ModelBuilder::build);
    let mimics = ball_arm("<mimic joint=\"hinge\"/>");
    refused(
        build(&mimics),
        &[
            "r.urdf:3",
            "joint \"shoulder\": a spherical joint that mimics another",
        ],
    );
    let free = parse(&mimics, "r.urdf").unwrap().mimic(Mimic::Free);
    assert_eq!(free.build().unwrap().dof(), 4);
    let leads = ball_arm("").replace(
        "<child link=\"trunk\"/>",
        "<child link=\"trunk\"/><mimic joint=\"shoulder\"/>",
    );
    refused(
        build(&leads),
        &[
            "r.urdf:2",
            "\"hinge\"",
            "\"shoulder\" is spherical",
            "\"shoulder_rx\"",
        ],
    );
    let twice = ball_arm("").replace("\"hinge\"", "\"shoulder\"");
    refused(build(&twice), &["two joints are named \"shoulder\""]);
    for (old, new, what) in [
        ("\"hinge\"", "\"shoulder_ry\"", "a joint"),
        ("\"trunk\"", "\"shoulder_ry\"", "a link"),
    ] {
        let clash = ball_arm("").replace(old, new);
        refused(
            build(&clash),
            &[
                "r.urdf:3",
                "\"shoulder\"",
                "\"shoulder_ry\"",
                what,
                "rename",
            ],
        );
    }
    let massless = ball_arm("");
    let start = massless.rfind("<inertial>").unwrap();
    let end = massless.rfind("</inertial>").unwrap() + "</inertial>".len();
    let massless = format!("{}{}", &massless[..start], &massless[end..]);
    refused(
        build(&massless),
        &[
            "link \"trunk\" (joint \"hinge\") -> link \"arm\" (joint \"shoulder\") moves but has no mass",
        ],
    );
    refused(
        build(&ball_arm("<axis xyz=\"0 0 0\"/>").replace("spherical", "planar")),
        &["r.urdf:3", "\"shoulder\"", "zero length"],
    );
    refused(
        build(&ball_arm("<dynamics damping=\"-1\"/>")),
        &["r.urdf:3", "\"shoulder\": damping"],
    );
    let described = parse(&ball_arm(""), "r.urdf").unwrap();
    let whole = described
        .clone()
        .adjust_joint("shoulder", |joint| joint.armature(0.1));
    let message = whole.unwrap_err().to_string();
    assert!(
        message.contains("spherical") && message.contains("\"shoulder_rz\""),
        "{message}"
    );
    let message = described
        .clone()
        .build()
        .unwrap()
        .joint("shoulder")
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("name one of them: \"shoulder_rx\""),
        "{message}"
    );
    assert!(described.clone().scale_mass("shoulder_rx", 2.0).is_err());
    let geared = described.adjust_joint("shoulder_ry", |joint| joint.armature(0.1));
    assert_eq!(geared.unwrap().build().unwrap().bodies()[2].armature, 0.1);
}
