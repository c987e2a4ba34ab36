//! Commands that write are killed at random moments: nothing that was there is lost, and nothing is called whole that is
//! not.
//!
//! Every answer has a reference, written without disturbance. `CAROM_KILLS` (default 20) is how many kills,
//! `CAROM_KILL_SEED` their seed; `cargo test --test program kills -- --nocapture` prints what came of them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::support::{CHANNEL, Folder, shipped};

/// Files of one folder by their names relative to it, without times that it took.
type Content = BTreeMap<String, Vec<u8>>;

/// A command under test: its arguments, of which `OUT` is its folder, in variants that leave different results.
struct Subject {
    name: &'static str,
    variants: Vec<Vec<String>>,
    /// The file that says that the others are whole; all that it writes is one unit.
    seal: Option<&'static str>,
    /// Whether `--resume` finishes what was killed.
    resumes: bool,
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

fn subjects(source: &Path) -> Vec<Subject> {
    let source = source.display();
    let ball = format!("simulate {source}/bounce.toml --out OUT");
    let variants = |command: &str, changes: &[&str]| -> Vec<Vec<String>> {
        let one = |change: &&str| words(&format!("{command} {change}"));
        changes.iter().map(one).collect()
    };
    let restitution = [
        "--set duration=0.6",
        "--set duration=0.6 --set contact.restitution=0.4 --set output.plots=false",
        "--set duration=0.6 --set contact.restitution=0.3 --set output.replay=false",
    ];
    vec![
        Subject {
            name: "simulate",
            variants: variants(&ball, &restitution),
            seal: Some("summary.json"),
            resumes: true,
        },
        Subject {
            name: "simulate, branches",
            variants: variants(
                &format!("simulate {source}/break.toml --out OUT --set duration=0.3"),
                &[
                    "--set impact.order=all",
                    "--set impact.order=all --set initial.velocities.x_A=1.5",
                    "",
                ],
            ),
            seal: Some("summary.json"),
            resumes: true,
        },
        Subject {
            name: "simulate, gait",
            variants: variants(
                &format!("simulate {source}/tripod.toml --out OUT"),
                &[
                    "--set duration=0.05",
                    "--set duration=0.03 --set controller.gait=wave",
                ],
            ),
            seal: Some("summary.json"),
            resumes: true,
        },
        Subject {
            name: "simulate, particles",
            variants: variants(
                &format!("simulate {source}/channel.toml --out OUT"),
                &["", "--set impact.law=coulomb --set output.plots=false"],
            ),
            seal: Some("summary.json"),
            resumes: false,
        },
        Subject {
            name: "batch",
            variants: variants(&format!("{ball} --batch 6 --jobs 2"), &restitution),
            seal: None,
            resumes: false,
        },
        Subject {
            name: "baseline record",
            variants: variants(
                &format!(
                    "baseline record {source}/break.toml --out OUT/b.toml --set duration=0.25"
                ),
                &["--set baseline.robust.orders=[\"index\",\"random\"]", ""],
            ),
            seal: None,
            resumes: false,
        },
        Subject {
            name: "design",
            variants: variants(
                &format!("design {source}/design.toml --out OUT"),
                &["", "--map base.pitch,phi_A --map-points 3"],
            ),
            seal: Some("design.json"),
            resumes: false,
        },
        Subject {
            name: "compare",
            variants: variants(&format!("compare {source}/break.toml"), &[""]),
            seal: None,
            resumes: false,
        },
        Subject {
            name: "schema",
            variants: variants("schema --out OUT/s.json", &["scenario", "design"]),
            seal: None,
            resumes: false,
        },
    ]
}

/// Everything below a folder.
fn content(folder: &Path) -> Content {
    let mut found = Content::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(inside) = open.pop() {
        for entry in fs::read_dir(&inside).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

/// JSON, or a page with it, without the numbers that tell of the machine.
fn untimed(bytes: &[u8]) -> Vec<u8> {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    for key in ["\"wall_time_s\":", "\"real_time_factor\":"] {
        while let Some(at) = text.find(key) {
            let length = text[at..].find([',', '}', '\n']).unwrap();
            text.replace_range(at..at + length, "");
        }
    }
    text.into_bytes()
}

/// What must be the same in every undisturbed run: without what it was timed by and what only a kill leaves.
fn comparable(content: Content) -> Content {
    let keep = |(name, bytes): (String, Vec<u8>)| {
        let hidden = name.rsplit('/').next().unwrap().starts_with('.');
        let stays = !hidden && name != "state.json" && !OWN.contains(&name.as_str());
        let timed = name == "replay.html" || name == "summary.json";
        let bytes = if timed { untimed(&bytes) } else { bytes };
        stays.then_some((name, bytes))
    };
    content.into_iter().filter_map(keep).collect()
}

/// Files of somebody else in the folder of results.
const OWN: [&str; 3] = ["notes.txt", "branches/notes.txt", "plots/mine.svg"];

fn put_own(out: &Path) {
    for name in OWN {
        let path = out.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "precious").unwrap();
    }
}

fn command(arguments: &[String], out: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
    let out = out.display().to_string();
    command.args(arguments.iter().map(|word| word.replace("OUT", &out)));
    command
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// An undisturbed answer and the time that it took.
fn reference(arguments: &[String], out: &Path) -> (Content, Duration) {
    let _ = fs::remove_dir_all(out);
    put_own(out);
    let begun = Instant::now();
    let run = command(arguments, out, &[])
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let code = run.status.code();
    assert_eq!(
        code,
        Some(0),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&run.stderr)
    );
    (comparable(content(out)), begun.elapsed())
}

fn same(found: &Content, expected: &Content, what: &str) {
    let names = |content: &Content| content.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(found), names(expected), "{what}");
    for (name, bytes) in found {
        assert!(*bytes == expected[name], "{what}: {name} differs");
    }
}

fn sources(folder: &Folder) -> PathBuf {
    for name in [
        "ball/bounce.toml",
        "ball/ball.urdf",
        "billiards/break.toml",
        "billiards/break.urdf",
        "rhex/tripod.toml",
        "rhex/rhex.urdf",
        "trex/trex.xacro",
    ] {
        let file = name.split('/').next_back().unwrap();
        folder.write(&format!("source/{file}"), fs::read(shipped(name)).unwrap());
    }
    folder.write("source/channel.toml", CHANNEL);
    let design = fs::read_to_string(shipped("trex/design.toml")).unwrap();
    let short = design.replace("duration = 2.0", "duration = 0.1");
    assert_ne!(short, design);
    folder.write("source/design.toml", short);
    folder.path("source")
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[test]
fn kills_at_random_moments_lose_nothing_and_complete_nothing() {
    let (kills, seed) = (setting("CAROM_KILLS", 20), setting("CAROM_KILL_SEED", 1));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let folder = Folder::new("kills");
    let source = sources(&folder);
    let before = content(&source);
    let mut tally: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    let subjects = subjects(&source);
    let mut known: BTreeMap<(usize, usize), (Content, Duration)> = BTreeMap::new();
    for kill in 0..kills {
        let at = random.next_u64() as usize % subjects.len();
        let subject = &subjects[at];
        let which = random.next_u64() as usize % subject.variants.len();
        let arguments = &subject.variants[which];
        // Of one command all variants go into one folder: each finds what another left.
        let out = folder.path(&format!("out{at}"));
        let what = format!("kill {kill} of seed {seed}, {} {which}", subject.name);
        if !known.keys().any(|(subject, _)| *subject == at) {
            put_own(&out);
        }
        // What others left there has its references already.
        if let Entry::Vacant(unknown) = known.entry((at, which)) {
            unknown.insert(reference(arguments, &folder.path("alone")));
        }
        let (expected, took) = &known[&(at, which)];
        let earlier = comparable(content(&out));
        let resumed =
            subject.resumes && out.join("state.json").exists() && random.next_u64() % 3 == 0;
        let more: &[&str] = if resumed { &["--resume"] } else { &[] };
        let share = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let mut child = command(arguments, &out, more).spawn().unwrap();
        let (begun, moment) = (Instant::now(), took.mul_f64(1.1 * share));
        let mut alive = true;
        while alive && begun.elapsed() < moment {
            let left = moment.saturating_sub(begun.elapsed());
            std::thread::sleep(left.min(Duration::from_millis(20)));
            alive = child.try_wait().unwrap().is_none();
        }
        child.kill().unwrap();
        child.wait().unwrap();

        assert!(content(&source) == before, "{what}: a source has changed");
        let found = content(&out);
        for name in OWN {
            assert_eq!(
                found.get(name).map(Vec::as_slice),
                Some(&b"precious"[..]),
                "{what}: {name}"
            );
        }
        let found = comparable(found);
        let any = |content: &Content| {
            known
                .iter()
                .any(|((a, _), (expected, _))| *a == at && content == expected)
        };
        let whole = match subject.seal {
            // What is sealed is the whole of this run, or the untouched whole of an earlier one.
            Some(seal) if found.contains_key(seal) => {
                assert!(
                    found == earlier || any(&found),
                    "{what}: sealed, and it is no whole run: {:?}",
                    found.keys()
                );
                true
            }
            Some(_) => false,
            // Single files are whole, whenever the process ended.
            None => {
                assert!(
                    found.is_empty() || any(&found),
                    "{what}: {:?}",
                    found.keys()
                );
                found == *expected && !found.is_empty()
            }
        };
        let counts = tally.entry(subject.name).or_default();
        counts[usize::from(!alive) + usize::from(alive && whole) * 2] += 1;
        // One time in four the run is finished now: with what the kill left if it can be resumed.
        if random.next_u64() % 4 == 0 {
            let state = fs::read(out.join("state.json")).ok();
            let goes_on = subject.resumes && state.is_some();
            let code = |more: &[&str]| command(arguments, &out, more).status().unwrap().code();
            // The state may be of another variant, which is refused.
            let ended = if goes_on {
                code(&["--resume"])
            } else {
                code(&[])
            };
            if ended == Some(2) && goes_on {
                assert_eq!(code(&[]), Some(0), "{what}: cannot be run again");
            } else {
                assert_eq!(ended, Some(0), "{what}: cannot be finished");
            }
            if subject.name != "compare" {
                same(&comparable(content(&out)), expected, &what);
            }
        }
    }
    for (name, [cut, ended, sealed]) in &tally {
        println!(
            "{name}: {cut} killed before the end, {sealed} killed beside a whole result, {ended} had ended"
        );
    }
}
