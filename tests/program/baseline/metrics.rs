//! Work and slip against closed forms.

use carom::metric::Expression;
use carom::record::Trace;
use carom::scenario::{Experiment, Scenario};

use super::support::Folder;

/// A body that slides along x and z without turning, pushed by a constant force, on rough ground.
fn slider(folder: &Folder, force: f64, speed: f64, friction: f64) -> Trace {
    let inertial = |mass: f64| {
        format!(
            "<inertial><mass value=\"{mass}\"/><inertia ixx=\"0.1\" ixy=\"0\" ixz=\"0\" iyy=\"0.1\" iyz=\"0\" izz=\"0.1\"/></inertial>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, axis: &str| {
        format!(
            "<joint name=\"{name}\" type=\"prismatic\"><parent link=\"{parent}\"/><child link=\"{child}\"/><axis xyz=\"{axis}\"/><limit lower=\"-9\" upper=\"9\" effort=\"99\" velocity=\"99\"/></joint>"
        )
    };
    folder.write(
        "slider.urdf",
        format!(
            "<robot name=\"slider\"><link name=\"world\"/><link name=\"rail\">{}</link><link name=\"body\">{}</link>{}{}</robot>",
            inertial(0.5),
            inertial(0.5),
            joint("x", "world", "rail", "1 0 0"),
            joint("z", "rail", "body", "0 0 1")
        ),
    );
    let scenario = folder.write(
        "slider.toml",
        format!(
            "time_step = 1e-3\nduration = 0.5\n[robot]\nfile = \"slider.urdf\"\n\
             [initial.velocities]\nx = {speed:?}\n[contact]\nfriction = {friction:?}\n\
             [[contact.site]]\nname = \"toe\"\nlink = \"body\"\nkind = \"point\"\n\
             [[terrain]]\nkind = \"plane\"\nname = \"ground\"\n\
             [controller]\nkind = \"servo\"\n[[controller.joint]]\nname = \"x\"\nstiffness = 0.0\nfeed_forward = {force:?}\n"
        ),
    );
    let read = Scenario::read(&scenario, &[]).unwrap();
    Trace::run(&Experiment::new("slider", read).unwrap(), None).unwrap()
}

#[test]
fn work_and_slip_of_a_sliding_body_are_those_of_the_textbook() {
    let folder = Folder::new("slider");
    let metric =
        |trace: &Trace, text: &str| Expression::parse(text).unwrap().evaluate(trace).unwrap();
    // Thrown at 1 m/s, it stops after v²/(2 µ' g) where friction carries the body's weight, half of
    // the mass: deceleration µ g/2.
    let thrown = slider(&folder, 0.0, 1.0, 0.5);
    let stop = 1.0 / (2.0 * 0.25 * 9.81);
    let (way, slip) = (
        metric(&thrown, "last(q_x)"),
        metric(&thrown, "last(slip_toe_m)"),
    );
    // The step of the stop is not resolved: v h there is at most µ g h²/2 = 2.5e-6 m.
    assert!((way - stop).abs() < 2.5e-6, "{way} {stop}");
    // Slip is summed with the speed at the end of each step: the sum misses at most v h in all.
    assert!((slip - stop).abs() < 1e-3, "{slip} {stop}");
    assert_eq!(metric(&thrown, "last(work_positive_J)"), 0.0);
    // Pushed forward, all work is positive, and it is force times way.
    let pushed = slider(&folder, 4.0, 0.0, 0.0);
    let (work, way) = (
        metric(&pushed, "last(work_positive_J)"),
        metric(&pushed, "last(q_x)"),
    );
    assert!((work - 4.0 * way).abs() < 1e-12, "{work} {way}");
    assert!((work - metric(&pushed, "last(work_actuators_J)")).abs() < 1e-12);
    assert_eq!(metric(&pushed, "max(abs(effort_x))"), 4.0);
    // ½ a t² with a = F/m, exact for the midpoint rule.
    assert!((way - 0.5 * 4.0 * 0.25).abs() < 1e-12, "{way}");
    // Braked, the work is negative and no positive work is counted until it turns at t = v/a = 0.25 s.
    let braked = slider(&folder, -4.0, 1.0, 0.0);
    let back = 0.5 * 4.0 * 0.25 * 0.25;
    let positive = metric(&braked, "last(work_positive_J)");
    assert!((positive - 4.0 * back).abs() < 1e-12, "{positive}");
    assert!(metric(&braked, "last(work_actuators_J)").abs() < 1e-12);
}
