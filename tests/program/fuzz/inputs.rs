//! Changed files, read in this process: nothing panics, hangs or is accepted that has no numbers.
//!
//! `CAROM_FUZZ=N` reads N changed files of each kind instead of a few, `CAROM_FUZZ_SEED=S` others, `CAROM_FUZZ_KIND=urdf`
//! one kind. An input that fails is printed with its kind: as a file in `tests/data/found/<kind>` it is read in every run
//! of the tests.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::mutation::{Random, mutate};
use super::targets::{Bench, Kind, files};

/// Changed files of each kind without `CAROM_FUZZ`: some seconds.
const FEW: usize = 25;
/// Longest time of one input; the slowest take a tenth of it where nothing is optimised.
const LONGEST: Duration = Duration::from_secs(30);

fn setting(name: &str, otherwise: usize) -> usize {
    std::env::var(name).map_or(otherwise, |text| text.parse().unwrap())
}

/// Reads inputs in a thread of their own, so that one that hangs is told.
fn read_all(
    inputs: impl Iterator<Item = (Kind, String)> + Send + 'static,
    bench: Bench,
) -> (usize, usize) {
    let current = Arc::new(Mutex::new((Kind::Metric, String::new())));
    let shared = current.clone();
    let (sender, results) = channel();
    let worker = thread::Builder::new().stack_size(8 << 20);
    let running = worker.spawn(move || {
        for (kind, text) in inputs {
            *shared.lock().unwrap() = (kind, text.clone());
            let read = catch_unwind(AssertUnwindSafe(|| bench.read(kind, &text)));
            let result = match read {
                Ok(Ok(told)) => Ok(told.is_some()),
                Ok(Err(reason)) => Err(reason),
                Err(_) => Err("it panics".to_string()),
            };
            if sender.send(result).is_err() {
                return;
            }
        }
    });
    let (mut read, mut refused) = (0, 0);
    loop {
        let failed = match results.recv_timeout(LONGEST) {
            Ok(Ok(is_refused)) => {
                read += 1;
                refused += usize::from(is_refused);
                continue;
            }
            Ok(Err(reason)) => reason,
            Err(RecvTimeoutError::Timeout) => format!("it takes longer than {LONGEST:?}"),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        let (kind, text) = &*current.lock().unwrap();
        let file =
            std::env::temp_dir().join(format!("carom-fuzz-{}-{}", kind.name(), std::process::id()));
        let _ = fs::write(&file, text);
        panic!(
            "{failed} (input {read}, {}, kept in {})",
            kind.name(),
            file.display()
        );
    }
    running.unwrap().join().unwrap();
    (read, refused)
}

#[test]
fn changed_files_are_refused_with_their_place_or_give_numbers() {
    let count = setting("CAROM_FUZZ", FEW);
    let seed = setting("CAROM_FUZZ_SEED", 1) as u64;
    let only = std::env::var("CAROM_FUZZ_KIND").ok();
    let bench = Bench::new();
    let seeds = bench.seeds.clone();
    for (kind, texts) in &seeds {
        assert!(!texts.is_empty(), "{kind:?}");
        // What ships is taken: otherwise every change of it would be refused for another reason.
        for text in texts {
            assert_eq!(bench.read(*kind, text), Ok(None), "{kind:?}: {text:.200}");
        }
    }
    let wanted: Vec<_> = seeds
        .into_iter()
        .filter(|(kind, _)| only.as_ref().is_none_or(|name| *name == kind.name()))
        .collect();
    let expected = count * wanted.len();
    let inputs = wanted.into_iter().flat_map(move |(kind, texts)| {
        let mut random = Random(seed.wrapping_mul(1 << 32) + kind as u64);
        (0..count).map(move |_| {
            let text = &texts[random.below(texts.len())];
            let other = &texts[random.below(texts.len())];
            (kind, mutate(text, other, &mut random))
        })
    });
    let (read, refused) = read_all(inputs, bench);
    println!("{read} inputs, {refused} refused, {} taken", read - refused);
    assert_eq!(read, expected);
    assert!(refused > read / 10, "{refused} of {read}");
}

#[test]
fn what_was_found_once_stays_found() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/found");
    let mut inputs = Vec::new();
    for kind in Kind::ALL {
        let of_kind = folder.join(kind.name());
        if of_kind.is_dir() {
            let texts = files(&of_kind).into_iter();
            inputs.extend(texts.map(|file| (kind, fs::read_to_string(file).unwrap())));
        }
    }
    let expected = inputs.len();
    assert!(expected > 0);
    // All of them were accepted, or ended the program.
    let (read, refused) = read_all(inputs.into_iter(), Bench::new());
    assert_eq!((read, refused), (expected, expected));
}
