//! Keys that were taken otherwise than written, or refused without a place: each is told with its remedy.

use carom::scenario::{Experiment, Inspection, Scenario};

use crate::folder::Folder;

/// A hub with two arms beside it: `left` and `right` can touch each other, a joint connects each with `hub`.
const ROBOT: &str = r#"<robot name="arms">
<link name="hub"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="left"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
<link name="right"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><cylinder radius="0.05" length="0.2"/></geometry></collision></link>
<joint name="l" type="continuous"><parent link="hub"/><child link="left"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint>
<joint name="r" type="continuous"><parent link="hub"/><child link="right"/><origin xyz="-1 0 0"/><axis xyz="0 1 0"/></joint>
</robot>"#;

const TOP: &str = "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = \"arms.urdf\"\nbase = \"floating\"\n\
                   [initial.base]\nposition = [0.0, 0.0, 5.0]\n";

fn experiment(rest: &str) -> Result<Experiment, String> {
    let scenario = Scenario::parse("case.toml", &format!("{TOP}{rest}"), &[]);
    let scenario = scenario.map_err(|error| error.to_string())?;
    Experiment::with_robot("case.toml", scenario, ROBOT).map_err(|error| error.to_string())
}

#[track_caller]
fn refused(rest: &str, words: &[&str]) {
    let message = experiment(rest).map(|_| ()).unwrap_err();
    for word in words {
        assert!(message.contains(word), "\"{word}\" is not in: {message}");
    }
}

#[test]
fn lists_that_are_too_long_are_refused_by_their_place() {
    refused(
        "[contact]\nexclude = [[\"left\", \"right\", \"hub\"]]",
        &["contact.exclude[0]", "3 entries", "takes 2", "remove"],
    );
    refused(
        "[contact]\nself = [[\"left\", \"right\"], [\"left\", \"right\", \"hub\"]]",
        &["contact.self[1]", "3 entries"],
    );
    let set = ["contact.exclude=[[\"left\", \"right\", \"hub\"]]".to_string()];
    let message = Scenario::parse("case.toml", TOP, &set)
        .unwrap_err()
        .to_string();
    assert!(message.contains("contact.exclude[0]"), "{message}");
    let set = ["robot.gravity=[0.0, 0.0, -9.81, 1.0]".to_string()];
    let message = Scenario::parse("case.toml", TOP, &set)
        .unwrap_err()
        .to_string();
    assert!(message.contains("robot.gravity"), "{message}");
    assert!(experiment("[contact]\nexclude = [[\"left\", \"right\"]]").is_ok());
}

#[test]
fn springs_are_told_by_their_place_in_the_scenario() {
    let spring = |links: &str, stiffness: f64| {
        format!(
            "[[spring]]\nlinks = {links}\npoints = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]\nstiffness = {stiffness:?}\n"
        )
    };
    let good = spring("[\"left\", \"world\"]", 1.0);
    assert!(experiment(&good).is_ok());
    refused(
        &format!("{good}{}", spring("[\"lefd\", \"hub\"]", 1.0)),
        &[
            "case.toml: spring[1]",
            "there is no link \"lefd\"",
            "\"left\"",
        ],
    );
    refused(
        &spring("[\"left\", \"hub\"]", -1.0),
        &["case.toml: spring[0]", "stiffness", "-1"],
    );
    refused(
        "[[spring]]\njoint = \"m\"\nstiffness = 1.0\n",
        &["case.toml: spring[0]", "there is no joint \"m\""],
    );
}

#[test]
fn counts_of_nothing_are_refused() {
    refused(
        "[output]\ncontacts = 0\n",
        &["output.contacts", "at least 1"],
    );
    refused("[output]\nevery = 0\n", &["output.every", "at least 1"]);
    refused(
        "[[contact.site]]\nname = \"s\"\nlink = \"hub\"\nkind = \"hull\"\npoints = []\n",
        &["contact.site[0]", "has none"],
    );
}

#[test]
fn pairs_that_never_touch_are_told() {
    let remarks = |pairs: &str| {
        experiment(&format!("[contact]\nself = {pairs}"))
            .unwrap()
            .remarks()
    };
    let told = remarks("[[\"left\", \"hub\"], [\"left\", \"right\"]]");
    let about: Vec<&String> = told.iter().filter(|r| r.contains("contact.self")).collect();
    assert_eq!(about.len(), 1, "{told:?}");
    for word in ["\"left\"", "\"hub\"", "a joint connects them", "remove"] {
        assert!(about[0].contains(word), "{told:?}");
    }
    assert!(
        !remarks("[[\"left\", \"right\"]]")
            .iter()
            .any(|r| r.contains("contact.self"))
    );
    assert!(!remarks("true").iter().any(|r| r.contains("contact.self")));
}

#[test]
fn what_may_stand_in_the_place_of_a_wrong_value_is_told() {
    refused(
        "[contact]\nself = \"yes\"",
        &["case.toml:9", "\"yes\"", "true, false, or pairs of links"],
    );
    let servo = |target: &str| {
        format!(
            "[controller]\nkind = \"servo\"\njoint = [{{ name = \"l\", stiffness = 1.0, damping = 1.0, target = {target} }}]"
        )
    };
    refused(
        &servo("{ sine = { amplitude = 0.1, frequency = 2.0 } }"),
        &["frequency", "frequency_Hz"],
    );
    refused(&servo("\"up\""), &["a number, points", "sine"]);
    assert!(experiment(&servo("1")).is_ok());
    assert!(experiment(&servo("[[0.0, 1.0], [1, 2]]")).is_ok());
    assert!(experiment(&servo("{ sine = { amplitude = 0.1, frequency_Hz = 2 } }")).is_ok());
}

#[test]
fn a_belt_runs_along_its_plane_at_the_speed_that_is_written() {
    let slope = |velocity: [f64; 3]| {
        format!(
            "[[terrain]]\nkind = \"slope\"\nname = \"belt\"\nangle = 0.2\nmotion = {{ velocity = {velocity:?} }}"
        )
    };
    // 0.5 m/s along x are 0.5 sin 0.2 off the slope; along it they are 0.5 (cos 0.2, 0, sin 0.2).
    refused(
        &slope([0.5, 0.0, 0.0]),
        &["belt", "motion.velocity", "[0.490033, 0.000000, 0.099335]"],
    );
    refused(
        &slope([-0.2_f64.sin(), 0.0, 0.2_f64.cos()]),
        &["motion.velocity", "shake"],
    );
    assert!(experiment(&slope([0.490033, 0.0, 0.099335])).is_ok());
    assert!(experiment(&slope([0.0, 0.5, 0.0])).is_ok());
}

#[test]
fn heights_that_are_none_are_told_with_their_place() {
    let field = |rest: &str| {
        format!("[[terrain]]\nkind = \"height-field\"\nname = \"hills\"\ncell = 0.1\n{rest}")
    };
    refused(
        &field("expression = \"0\"\nsize = [0.05, 1.0]"),
        &["hills", "0.05 along x", "one cell of 0.1", "at most 0.05"],
    );
    // The square root is undefined from the sixth node on.
    refused(
        &field("expression = \"sqrt(0.45 - x)\"\nsize = [1.0, 1.0]"),
        &["hills", "x = 0.5, y = 0", "NaN"],
    );
    refused(
        &field("heights = [[0.0, 0.0], [0.0, inf]]"),
        &["hills", "row 2", "inf"],
    );
    let message = experiment(&field("expression = \"tan(x)\"\nsize = [1.0, 1.0]"))
        .map(|_| ())
        .unwrap_err();
    assert!(
        message.contains("tan") && message.contains("abs, sqrt, sin, cos, min, max"),
        "{message}"
    );
    assert!(!message.contains("integral"), "{message}");
    let folder = Folder::new("heights");
    for (name, text, words) in [
        ("empty", "# nothing\n", vec!["no heights"]),
        (
            "ragged",
            "0, 0\n# yes\n0, 0, 0\n",
            vec!["line 3", "3 heights", "first row 2"],
        ),
        ("nan", "0, 0\n0, nan\n", vec!["line 2", "column 2", "NaN"]),
    ] {
        let file = folder.write(&format!("{name}.csv"), text);
        let words = [words, vec![name, ".csv"]].concat();
        refused(&field(&format!("file = {file:?}")), &words);
    }
}

/// Contacts of a run whose scenario declares no sites, by link and shape.
#[test]
fn inspect_counts_the_contacts_of_a_run() {
    let ground = "[[terrain]]\nkind = \"plane\"\nname = \"ground\"";
    let run = experiment(ground).unwrap();
    let told = Inspection::new(&run.model).ground_contacts;
    let limits = (0..run.contacts.len())
        .filter(|i| run.contacts.is_limit(*i))
        .count();
    let sum: usize = told.iter().map(|own| own.contacts).sum();
    assert_eq!(sum, run.contacts.len() - limits);
    let of = |link: &str| {
        let own: Vec<_> = told.iter().filter(|own| own.link == link).collect();
        assert_eq!(own.len(), 1, "{told:?}");
        (own[0].kind.word(), own[0].contacts)
    };
    // A sphere touches a plane in one point, a box with its corners.
    assert_eq!(of("hub"), ("sphere", 1));
    assert_eq!(of("left"), ("box", 8));
    assert_eq!(of("right").0, "cylinder");
}
