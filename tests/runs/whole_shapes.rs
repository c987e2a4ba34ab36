//! Objects lie on a robot whose sites are declared: on its collision shapes, or declared boxes, as wholes.

use carom::hybrid::Unwatched;
use carom::scenario::{Experiment, Scenario};

/// A box of 0.1 m that stands on four points.
fn pedestal(collision: &str) -> String {
    format!(
        r#"<robot name="pedestal"><link name="body"><inertial><mass value="1"/>
        <inertia ixx="0.0017" iyy="0.0017" izz="0.0017" ixy="0" ixz="0" iyz="0"/></inertial>{collision}</link></robot>"#
    )
}

const FEET: [&str; 4] = ["0.05, 0.05", "0.05, -0.05", "-0.05, 0.05", "-0.05, -0.05"];

fn experiment(robot: &str, sites: &str, object: &str) -> Experiment {
    let feet: String = (FEET.iter().enumerate())
        .map(|(k, foot)| {
            format!(
                "{{ name = \"foot{k}\", link = \"body\", kind = \"point\", position = [{foot}, -0.05] }},\n"
            )
        })
        .collect();
    let scenario = format!(
        "time_step = 1e-3\nduration = 0.5\n[robot]\nfile = \"pedestal.urdf\"\nbase = \"floating\"\n\
         [initial.base]\nposition = [0.0, 0.0, 0.05]\n[impact]\nlaw = \"max-dissipation\"\n\
         [contact]\nfriction = 0.5\nsite = [\n{feet}{sites}]\n\
         [[object]]\nname = \"load\"\nkind = \"box\"\nmass = 0.2\n{object}\n\
         [[terrain]]\nkind = \"plane\"\nname = \"ground\"\n"
    );
    let scenario = Scenario::parse("pedestal.toml", &scenario, &[]).expect("it is a scenario");
    Experiment::with_robot("pedestal.toml", scenario, robot).expect("it can be made")
}

/// A plate touches the corners of the pedestal alone, a rod across it four edges, and neither any corner of its own the ground: they
/// come to lie 0.1 m above it.
#[test]
fn what_lies_on_a_robot_lies_on_all_of_its_shapes() {
    let collision = "<collision><geometry><box size=\"0.1 0.1 0.1\"/></geometry></collision>";
    let declared = "{ name = \"top\", link = \"body\", kind = \"box\", size = [0.1, 0.1, 0.1] },\n";
    let loads = [
        "size = [0.5, 0.5, 0.02]\nposition = [0.0, 0.0, 0.112]",
        "size = [0.5, 0.02, 0.02]\nposition = [0.0, 0.0, 0.112]\nrpy = [0.0, 0.0, 0.4]",
    ];
    for (robot, sites) in [
        (pedestal(collision), ""),
        (pedestal(""), declared),
        (pedestal(collision), declared),
    ] {
        for load in loads {
            let experiment = experiment(&robot, sites, load);
            let mut simulation = experiment.simulation().expect("it starts");
            simulation
                .run_until(0.5, &mut Unwatched)
                .expect("it goes on");
            let q = &simulation.state().q;
            // Half of the load's height above; closed contacts are closed to 1e-9 m.
            assert!((q[9] - 0.11).abs() <= 1e-9, "{sites}{load}: {q:?}");
            assert!((q[2] - 0.05).abs() <= 1e-9, "{sites}{load}: {q:?}");
        }
    }
}

/// The same on a robot that is fixed in the world, with no sites declared and with some.
#[test]
fn what_lies_on_a_fixed_robot_lies_on_all_of_its_shapes() {
    let robot = pedestal("<collision><geometry><box size=\"0.1 0.1 0.1\"/></geometry></collision>");
    for site in [
        "",
        "[[contact.site]]\nname = \"foot\"\nlink = \"body\"\nkind = \"point\"\n",
    ] {
        let scenario = format!(
            "time_step = 1e-3\nduration = 0.5\n[robot]\nfile = \"pedestal.urdf\"\nbase = \"fixed\"\n\
             position = [0.0, 0.0, 0.05]\n[impact]\nlaw = \"max-dissipation\"\n[contact]\nfriction = 0.5\n\
             {site}[[object]]\nname = \"load\"\nkind = \"box\"\nmass = 0.2\nsize = [0.5, 0.5, 0.02]\n\
             position = [0.0, 0.0, 0.112]\n"
        );
        let scenario = Scenario::parse("fixed.toml", &scenario, &[]).expect("it is a scenario");
        let experiment = Experiment::with_robot("fixed.toml", scenario, &robot);
        let mut simulation = experiment
            .expect("it can be made")
            .simulation()
            .expect("it starts");
        simulation
            .run_until(0.5, &mut Unwatched)
            .expect("it goes on");
        let q = &simulation.state().q;
        assert!((q[2] - 0.11).abs() <= 1e-9, "{site}: {q:?}");
    }
}

/// What others touch needs names of its own: a declared box that is called as an object, or as the ground, has its link's before.
#[test]
fn a_declared_box_may_be_called_as_what_touches_it() {
    let load = "size = [0.5, 0.5, 0.02]\nposition = [0.0, 0.0, 0.112]";
    for name in ["load", "ground"] {
        let declared = format!(
            "{{ name = \"{name}\", link = \"body\", kind = \"box\", size = [0.1, 0.1, 0.1] }},\n"
        );
        let experiment = experiment(&pedestal(""), &declared, load);
        let carried = experiment.contacts.carried().iter();
        let names: Vec<&str> = carried.map(|surface| surface.name.as_str()).collect();
        assert_eq!(names, ["load", &format!("body_{name}")]);
    }
}

/// What only other bodies touch makes no contact with terrain: the feet do, and what is declared.
#[test]
fn terrain_touches_the_sites_that_are_declared() {
    let collision =
        "<collision><geometry><cylinder radius=\"0.05\" length=\"0.1\"/></geometry></collision>";
    let load = "size = [0.2, 0.2, 0.02]\nposition = [0.0, 0.0, 0.112]";
    let experiment = experiment(&pedestal(collision), "", load);
    let contacts = &experiment.contacts;
    let of_robot = (0..contacts.len())
        .map(|i| contacts.name(i).to_string())
        .filter(|name| !name.contains('@') && !name.starts_with("load"));
    let names: Vec<String> = of_robot.collect();
    assert_eq!(names, ["foot0", "foot1", "foot2", "foot3"]);
    let on_load = (0..contacts.len()).filter(|i| contacts.name(*i).ends_with("@load"));
    assert!(on_load.count() > 4, "{contacts:?}");
}
