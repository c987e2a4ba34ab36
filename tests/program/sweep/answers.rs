//! What is told of all runs, and that a run that is named can be repeated.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use super::support::{Folder, bounces, error_of, shipped, sweep};

/// A walker has its gait at every order and step.
const QUICK: &str = "set = [\"stepper.order=2\", \"time_step=2e-3\"]\n";

fn summary(out: &std::path::Path) -> serde_json::Value {
    serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn the_worst_run_is_repeated_by_its_keys() {
    let folder = Folder::new("sweep-worst");
    let file = bounces(&folder, 40);
    let out = folder.path("out");
    let done = sweep(&[file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert!(done.status.success(), "{}", error_of(&done));
    let told = summary(&out);
    let metrics = told["metrics"].as_array().unwrap();
    let metric = |name: &str| metrics.iter().find(|m| m["name"] == name).unwrap();
    let worst = &metric("energy_J")["worst"][0];
    let run = folder.path("run");
    let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
    command
        .arg("simulate")
        .arg(shipped("ball/bounce.toml"))
        .arg("--out")
        .arg(&run);
    command.args(["--quiet", "--set", "duration=0.6"]);
    for set in worst["set"].as_array().unwrap() {
        command.arg("--set").arg(set.as_str().unwrap());
    }
    assert!(command.output().unwrap().status.success());
    let alone = summary(&run);
    assert_eq!(alone["energy"]["final_J"], worst["value"]);
    // Quantiles are values of runs; those at 0 and 1 are the ends.
    let quantiles = metric("height_m")["quantiles"].as_array().unwrap();
    assert_eq!(quantiles[0]["value"], metric("height_m")["least"]["value"]);
    assert_eq!(
        quantiles[2]["value"],
        metric("height_m")["largest"]["value"]
    );
    // The height is that of the start: no other key has a part in it.
    let indices = told["sensitivity"]["height_m"].as_array().unwrap();
    assert!(
        indices[1]["first_order"].as_f64().unwrap() > 0.8,
        "{indices:?}"
    );
    let refused = told["statuses"]["refused"].as_u64().unwrap();
    assert_eq!(told["failed"].as_array().unwrap().len() as u64, refused);
    assert!(
        told["failed"][0]["message"]
            .as_str()
            .unwrap()
            .contains("restitution")
    );
}

#[test]
fn impacts_designs_orbits_and_baselines_are_swept() {
    let folder = Folder::new("sweep-kinds");
    let examples = shipped("../examples/impacts/cradle.json");
    let impact = format!(
        "kind = \"impact\"\nsubject = {examples:?}\nset = [\"law.name=propagative\"]\nplan.kind = \"grid\"\n\
         vary = [{{ key = \"velocity.0\", values = [1.0, 2.0] }}, {{ key = \"mass_matrix.2.2\", values = [1.0, -1.0] }}]\n"
    );
    let orbit = format!(
        "kind = \"orbit\"\nsubject = {:?}\n{QUICK}plan.kind = \"list\"\nlist = [{{}}, {{ \"robot.mass_scale.hip\" = 1.01 }}]\n",
        shipped("compass/gait_long.toml")
    );
    let design = format!(
        "kind = \"design\"\nsubject = {:?}\nplan.kind = \"list\"\nlist = [{{ \"solver.tolerance\" = 1e-9 }}]\n",
        shipped("rhex/design_pair.toml")
    );
    let baseline = folder.path("three.baseline.toml");
    let recorded = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["baseline", "record"])
        .arg(shipped("cradle/three.toml"))
        .arg("--out")
        .arg(&baseline)
        .args(["--set", "duration=0.1", "--quiet"])
        .output()
        .unwrap();
    assert!(recorded.status.success(), "{}", error_of(&recorded));
    let verified = format!(
        "kind = \"baseline\"\nsubject = {baseline:?}\nplan.kind = \"grid\"\n\
         vary = [{{ key = \"contact.restitution\", values = [1.0, 0.9] }}]\n"
    );
    for (name, text, statuses, metric) in [
        (
            "impact",
            impact,
            ["2 completed", "2 refused"],
            "energy_after_J",
        ),
        ("orbit", orbit, ["2 completed", ""], "largest_multiplier"),
        ("design", design, ["1 completed", ""], "distance"),
        ("baseline", verified, ["2 completed", ""], "impacts"),
    ] {
        let file = folder.write(&format!("{name}.sweep.toml"), text);
        let out = folder.path(name);
        let done = sweep(&[file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
        let said = String::from_utf8(done.stdout.clone()).unwrap();
        assert!(done.status.success(), "{name}: {}", error_of(&done));
        assert!(statuses.iter().all(|s| said.contains(s)), "{said}");
        let told = summary(&out);
        let metrics = told["metrics"].as_array().unwrap();
        let metric = metrics.iter().find(|m| m["name"] == metric).unwrap();
        assert!(metric["mean"].is_f64(), "{name}: {metric}");
    }
    // A cradle keeps its energy, 1/2 and 2 J, but for the rounding of some ten operations.
    let told = summary(&folder.path("impact"));
    let metrics = told["metrics"].as_array().unwrap();
    let energy = metrics
        .iter()
        .find(|m| m["name"] == "energy_after_J")
        .unwrap();
    for (end, expected) in [("least", 0.5), ("largest", 2.0)] {
        let value = energy[end]["value"].as_f64().unwrap();
        assert!((value - expected).abs() < 1e-14, "{value}");
    }
}

/// Rows of a table by their columns.
fn rows(out: &std::path::Path) -> Vec<BTreeMap<String, String>> {
    let mut table = csv::Reader::from_path(out.join("runs.csv")).unwrap();
    table.deserialize().map(Result::unwrap).collect()
}

/// The first run begins on a slope so steep that the walker falls backwards, and never comes to its next step.
#[test]
fn a_run_without_an_orbit_is_a_failed_one_also_when_it_is_the_first() {
    let folder = Folder::new("sweep-no-orbit");
    let text = format!(
        "kind = \"orbit\"\nsubject = {:?}\n{QUICK}plan.kind = \"grid\"\n\
         vary = [{{ key = \"robot.gravity.0\", values = [-5.0, 0.29425585698648243] }}]\n\
         [metrics]\nevent_s = \"orbit.events.0.time_s\"\nhip = \"orbit.state.q.hip_z\"\n",
        shipped("compass/gait_long.toml")
    );
    let file = folder.write("uphill.sweep.toml", &text);
    let out = folder.path("out");
    let done = sweep(&[file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert!(done.status.success(), "{}", error_of(&done));
    let rows = rows(&out);
    assert_eq!(rows[0]["status"], "not-found", "{:?}", rows[0]);
    assert_eq!(rows[0]["period_s"], "");
    assert_eq!(rows[1]["status"], "completed", "{:?}", rows[1]);
    let number = |name: &str| rows[1][name].parse::<f64>().unwrap();
    // What happens on the orbit happens within its period.
    assert!((0.0..=number("period_s") + 1e-12).contains(&number("event_s")));
    // The leg that stands is 1 m long.
    assert!(number("hip") > 0.9 && number("hip") < 1.0);
    for (name, part) in [
        ("orbit.perod_s", "did you mean \"orbit.period_s\"?"),
        ("orbit.events.99.time_s", "orbit.events.99.time_s"),
    ] {
        let wrong = text.replace("orbit.state.q.hip_z", name);
        let file = folder.write("wrong.sweep.toml", wrong);
        let run = sweep(&[file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
        assert_eq!(run.status.code(), Some(2));
        let error = error_of(&run);
        assert!(
            error.contains("metrics.hip: ") && error.contains(part),
            "{error}"
        );
    }
}

/// Feet of a bar are orthogonal √(0.04 kg m² / 1 kg) = 0.2 m from its centre, whatever their scale. Where gravity pulls
/// it from the table, nothing brings it back: strikes push it away as well.
#[test]
fn designs_on_an_orbit_are_swept() {
    let folder = Folder::new("sweep-orbit-design");
    let file = folder.write(
        "bar.sweep.toml",
        format!(
            "kind = \"design\"\nsubject = {:?}\nplan.kind = \"list\"\nlist = [\n\
             {{ \"orbit.set\" = [\"robot.gravity=[0.0, 0.0, 9.81]\"] }},\n\
             {{ \"parameter.0.scale\" = 0.1 }},\n{{ \"parameter.0.scale\" = 0.2 }},\n\
             {{ \"parameter.0.scale\" = -1.0 }},\n]\n\
             [metrics]\nhalf_width = \"design.parameters.half_width.after\"\n\
             cosine = \"design.strikes.0.cosines.0.cosine.after\"\n",
            shipped("bar/design.toml")
        ),
    );
    let out = folder.path("out");
    let done = sweep(&[file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert!(done.status.success(), "{}", error_of(&done));
    let rows = rows(&out);
    let statuses: Vec<&str> = rows.iter().map(|row| row["status"].as_str()).collect();
    let expected = ["not-found", "completed", "completed", "refused"];
    assert_eq!(statuses, expected, "{rows:?}");
    for (row, scale) in rows[1..3].iter().zip([0.1, 0.2]) {
        let number = |name: &str| row[name].parse::<f64>().unwrap();
        // The slope of the cosine by the width is −1/0.2 m⁻¹ there, and it is met to 1e-10.
        assert!((number("half_width") - 0.2).abs() < 1e-10);
        assert!(number("cosine").abs() <= 1e-10);
        // From the feet of a uniform bar, in units of the scale.
        assert!((number("distance") - (0.12_f64.sqrt() - 0.2) / scale).abs() < 1e-9);
        assert!((number("period_s") - 0.2).abs() < 1e-12);
        assert_eq!(number("stable"), 1.0);
        // What differences of the map know where strikes come together: all are of modulus e.
        assert!((number("largest_multiplier") - 0.8).abs() < 4e-5);
    }
}

#[test]
fn bad_files_are_told_with_place_and_remedy_before_the_first_run() {
    let folder = Folder::new("sweep-bad");
    let good = fs::read_to_string(bounces(&folder, 4)).unwrap();
    for (from, to, part) in [
        ("bounce.toml", "bunce.toml", "subject: there is no file"),
        (
            "max(q_base.z)",
            "max(q_bse.z)",
            "metrics.height_m: \"max(q_bse.z)\": there is no column or summary field \"q_bse.z\" (did you mean \"q_base.z\"?)",
        ),
        (
            "height_m =",
            "run =",
            "metrics.run: the table has a column of this name already",
        ),
        (
            "contact.restitution\"",
            "contact.restitutio\"",
            "vary: no run can start with these keys",
        ),
        (
            "contact.restitution\"",
            "contact.restitutio\"",
            "did you mean \"restitution\"?",
        ),
        (
            "worst = 3",
            "worst = 3\nsmallest_is_worst = [\"height\"]",
            "there is no metric \"height\"",
        ),
        (
            "quantiles = [0.0",
            "quantiles = [-1.0",
            "analysis.quantiles: one of them is -1, a share is from 0 to 1",
        ),
        (
            "kind = \"latin-hypercube\"",
            "kind = \"latin-hyprcube\"",
            "did you mean \"latin-hypercube\"?",
        ),
        (
            "uniform = [0.5, 1.1]",
            "uniform = [0.5, 0.1]",
            "vary[0] \"contact.restitution\": uniform is [0.5, 0.1]",
        ),
    ] {
        assert!(good.contains(from));
        let file = folder.write("bad.sweep.toml", good.replacen(from, to, 1));
        let out = folder.path("out");
        let run = sweep(&[file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
        assert_eq!(run.status.code(), Some(2), "{to}");
        let error = error_of(&run);
        assert!(error.contains(part), "{to}: {error}");
        assert!(!out.exists(), "{to} left a folder");
    }
    let nothing = sweep(&["merge", folder.path("nowhere").to_str().unwrap()]);
    assert!(error_of(&nothing).contains("no sweep was run into this folder"));
    let wrong = sweep(&["x.toml", "--shard", "0/3"]);
    assert!(error_of(&wrong).contains("expected K/N with 1 <= K <= N"));
}

/// The command that is printed works where the sweep was called, whichever folder the sweep file lies in.
#[test]
fn the_command_that_repeats_a_run_works_where_the_sweep_was_called() {
    let folder = Folder::new("sweep-called");
    let place = folder.path("deep/er");
    fs::create_dir_all(&place).unwrap();
    for (from, to) in [
        ("ball/bounce.toml", "bounce.toml"),
        ("ball/ball.urdf", "ball.urdf"),
    ] {
        fs::copy(shipped(from), place.join(to)).unwrap();
    }
    let text = "subject = \"bounce.toml\"\nset = [\"duration=0.1\"]\nplan = { kind = \"grid\" }\n\
                vary = [{ key = \"initial.base.position.2\", values = [1.0, 1.1] }]\n\
                [metrics]\nheight_m = \"max(q_base.z)\"\n";
    fs::write(place.join("b.sweep.toml"), text).unwrap();
    let carom = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
        command
            .args(words)
            .current_dir(folder.path("deep"))
            .output()
            .unwrap()
    };
    let done = carom(&["sweep", "er/b.sweep.toml"]);
    assert!(done.status.success(), "{}", error_of(&done));
    let told = String::from_utf8(done.stdout).unwrap();
    let line = told
        .lines()
        .find(|line| line.contains("carom simulate"))
        .unwrap();
    let command = line.split("carom ").nth(1).unwrap();
    assert!(
        command.starts_with("simulate er/bounce.toml --set"),
        "{line}"
    );
    let words: Vec<&str> = command.split_whitespace().collect();
    let again = carom(&words);
    assert!(again.status.success(), "{}", error_of(&again));
}

#[test]
fn a_metric_that_the_sweep_has_by_itself_is_not_replaced() {
    let folder = Folder::new("sweep-metric");
    let file = bounces(&folder, 4);
    let out = folder.path("out");
    let words = |set: &str| {
        sweep(&[
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
            "--set",
            set,
        ])
    };
    let refused = words("metrics.energy_J=\"max(q_base.z)\"");
    assert_eq!(refused.status.code(), Some(2));
    for word in [
        "metrics.energy_J",
        "by itself",
        "choose another name",
        "default_metrics = false",
    ] {
        assert!(error_of(&refused).contains(word), "{}", error_of(&refused));
    }
}
