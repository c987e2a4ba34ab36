//! The rows of all parts in the order of the runs.
//!
//! The table is a function of the set of rows: two parts that both hold a run must agree on it to the byte. So it is
//! the same whatever the parts were, in whichever order they were written and from however many folders they were
//! brought together, and doing one again changes nothing.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::part::{PARTS, Part, PartReader, list_parts, missing};
use crate::files::write_whole;
use crate::scenario::hexadecimal;
use crate::sweep::error::SweepError;
use crate::sweep::manifest::Manifest;

/// Name of the table.
pub const TABLE: &str = "runs.csv";

/// Which runs of a sweep are there.
#[derive(Debug, Clone)]
pub struct Progress {
    /// What the sweep is.
    pub manifest: Manifest,
    /// Its parts.
    pub parts: Vec<Part>,
    /// Ranges of runs that are missing, each with the run after its last.
    pub missing: Vec<std::ops::Range<u64>>,
}

impl Progress {
    /// Looks at a folder; the content of its parts is not read but for their first line.
    ///
    /// # Errors
    /// It is no folder of a sweep, or holds a part of another one.
    pub fn read(folder: &Path) -> Result<Self, SweepError> {
        let manifest = Manifest::read(folder)?;
        let parts = list_parts(folder)?;
        for part in &parts {
            PartReader::open(part, &manifest.fingerprint)?;
        }
        let missing = missing(&parts, manifest.runs);
        Ok(Self {
            manifest,
            parts,
            missing,
        })
    }

    /// Reads all parts, as their merging does: each has the content that its name says, and those that hold a run agree on
    /// it where no run is missing.
    ///
    /// # Errors
    /// The first part that is damaged or contradicts another.
    pub fn check_parts(&self, folder: &Path) -> Result<(), SweepError> {
        if self.missing.is_empty() {
            return stream_rows(folder, self, &mut |_| Ok(()));
        }
        for part in &self.parts {
            let mut reader = PartReader::open(part, &self.manifest.fingerprint)?;
            for _ in part.first..part.end {
                reader.advance()?;
            }
        }
        Ok(())
    }

    /// Number of runs that are missing.
    #[must_use]
    pub fn open_runs(&self) -> u64 {
        self.missing
            .iter()
            .map(|range| range.end - range.start)
            .sum()
    }

    /// Numbers from 1 of those of `of` shards that have runs that are missing.
    #[must_use]
    pub fn open_shards(&self, of: u64) -> Vec<u64> {
        let runs = self.manifest.runs;
        let open = |k: &u64| {
            let shard = shard(runs, *k, of);
            let meets =
                |range: &std::ops::Range<u64>| range.start < shard.end && shard.start < range.end;
            self.missing.iter().any(meets)
        };
        (1..=of).filter(open).collect()
    }
}

/// The runs of shard `k` of `of`, counted from 1: as many in each, but for one.
#[must_use]
pub fn shard(runs: u64, k: u64, of: u64) -> std::ops::Range<u64> {
    let at = |k: u64| (u128::from(runs) * u128::from(k) / u128::from(of)) as u64;
    at(k - 1)..at(k)
}

/// Brings the parts of another folder of the same sweep into this one. A folder that holds nothing yet takes over what
/// the sweep is.
///
/// # Errors
/// It is another sweep, or a file cannot be read or written.
pub fn collect_parts(folder: &Path, from: &Path) -> Result<(), SweepError> {
    let progress = Progress::read(from)?;
    progress.manifest.settle(folder)?;
    for part in &progress.parts {
        let name = part.path.file_name().unwrap_or_default();
        let target = folder.join(PARTS).join(name);
        if target.exists() {
            continue;
        }
        let bytes = fs::read(&part.path).map_err(SweepError::reading(&part.path))?;
        write_whole(&target, |out| out.write_all(&bytes))?;
    }
    Ok(())
}

/// Gives every row of a whole sweep to `take`, in the order of the runs. Only one row of each part is in memory.
///
/// # Errors
/// Runs are missing, parts contradict each other, one is damaged; what `take` says.
pub(super) fn stream_rows(
    folder: &Path,
    progress: &Progress,
    take: &mut dyn FnMut(&[u8]) -> std::io::Result<()>,
) -> Result<(), SweepError> {
    let runs = progress.manifest.runs;
    if let Some(first) = progress.missing.first() {
        return Err(SweepError::Incomplete {
            path: folder.to_path_buf(),
            missing: progress.open_runs(),
            runs,
            first: first.start,
        });
    }
    let mut waiting = progress.parts.iter().peekable();
    let mut active: Vec<PartReader> = Vec::new();
    for index in 0..runs {
        while let Some(part) = waiting.next_if(|part| part.first == index) {
            active.push(PartReader::open(part, &progress.manifest.fingerprint)?);
        }
        for reader in &mut active {
            reader.advance()?;
        }
        let Some((first, others)) = active.split_first() else {
            return Err(SweepError::folder(
                folder,
                format!("run {index} is missing"),
            ));
        };
        if let Some(other) = others.iter().find(|other| other.line() != first.line()) {
            let reason = format!(
                "it has another row of run {index} than {}: they were made by programs or on machines that compute \
                 differently; remove one of them",
                first.path().display()
            );
            return Err(SweepError::folder(other.path(), reason));
        }
        take(first.line()).map_err(|error| {
            SweepError::folder(&folder.join(TABLE), format!("cannot be written: {error}"))
        })?;
        active.retain(|reader| reader.end() > index + 1);
    }
    Ok(())
}

/// Writes the table of a whole sweep, and returns its SHA-256.
///
/// # Errors
/// As [`stream_rows`]; the table that was there stays then.
pub(in crate::sweep) fn write_table(
    folder: &Path,
    progress: &Progress,
) -> Result<String, SweepError> {
    let heading = progress.manifest.heading();
    let mut hasher = Sha256::new();
    hasher.update(&heading);
    let mut failed = None;
    let written = write_whole(&folder.join(TABLE), |out| {
        out.write_all(&heading)?;
        let streamed = stream_rows(folder, progress, &mut |row| {
            hasher.update(row);
            out.write_all(row)
        });
        streamed.map_err(|error| {
            failed = Some(error);
            std::io::Error::other("the parts do not make a table")
        })
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(written.map(|()| hexadecimal(hasher))?),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use proptest::prelude::*;

    use super::*;
    use crate::sweep::file::{AnalysisEntry, SubjectKind};
    use crate::sweep::manifest::SweepKey;
    use crate::sweep::subject::NamedMetric;
    use crate::sweep::table::part::write_part;

    fn manifest(runs: u64) -> Manifest {
        Manifest {
            format: 1,
            fingerprint: format!("of {runs} runs"),
            version: String::new(),
            description: String::new(),
            subject: "s.toml".into(),
            kind: SubjectKind::Scenario,
            set: Vec::new(),
            inputs: Vec::new(),
            runs,
            plan: "grid".into(),
            keys: vec![SweepKey {
                name: "a".into(),
                number: true,
            }],
            metrics: vec![NamedMetric {
                name: "m".into(),
                expression: "1".into(),
            }],
            analysis: AnalysisEntry::default(),
        }
    }

    fn rows(range: std::ops::Range<u64>) -> Vec<Vec<u8>> {
        let row = |i: u64| format!("{i},completed,,{},{}\n", i % 7, (i * i) % 11).into_bytes();
        range.map(row).collect()
    }

    struct Folders(PathBuf);

    impl Folders {
        fn new() -> Self {
            static COUNT: AtomicUsize = AtomicUsize::new(0);
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("carom-sweep-merge-{}-{count}", std::process::id());
            Self(std::env::temp_dir().join(name))
        }

        fn part(&self, folder: usize, runs: u64, range: std::ops::Range<u64>) -> PathBuf {
            let folder = self.0.join(folder.to_string());
            manifest(runs).settle(&folder).unwrap();
            let fingerprint = manifest(runs).fingerprint;
            write_part(&folder, &fingerprint, range.clone(), &rows(range)).unwrap()
        }

        fn table(&self, folder: usize) -> Result<Vec<u8>, SweepError> {
            let folder = self.0.join(folder.to_string());
            write_table(&folder, &Progress::read(&folder)?)?;
            Ok(fs::read(folder.join(TABLE)).unwrap())
        }
    }

    impl Drop for Folders {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn whole(runs: u64) -> Vec<u8> {
        let lines = std::iter::once(manifest(runs).heading()).chain(rows(0..runs));
        lines.flatten().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Runs cut into parts at any places, some of them twice with other cuts, what killed processes left between
        /// them, in several folders that are brought together in any order: the table is the same.
        #[test]
        fn merging_is_associative(
            runs in 1..60_u64,
            cuts in prop::collection::vec(prop::collection::vec(0..60_u64, 0..9), 1..4),
            places in prop::collection::vec(0..4_usize, 1..20),
            order in Just([0, 1, 2, 3]).prop_shuffle(),
        ) {
            let folders = Folders::new();
            let mut place = places.iter().cycle();
            for one in cuts {
                let mut ends: Vec<u64> = one.into_iter().map(|c| c.min(runs)).chain([0, runs]).collect();
                ends.sort_unstable();
                ends.dedup();
                for pair in ends.windows(2) {
                    let folder = *place.next().unwrap();
                    let path = folders.part(folder, runs, pair[0]..pair[1]);
                    let half = fs::read(&path).unwrap();
                    let name = format!(".{}.1-2.partial", path.file_name().unwrap().to_str().unwrap());
                    fs::write(path.with_file_name(name), &half[..half.len() / 2]).unwrap();
                }
            }
            // ((a b) c) d and its like: each folder is brought into the next one.
            let there: Vec<usize> = order.into_iter().filter(|f| folders.0.join(f.to_string()).exists()).collect();
            for pair in there.windows(2) {
                let [from, into] = [pair[0], pair[1]].map(|f| folders.0.join(f.to_string()));
                collect_parts(&into, &from).unwrap();
                collect_parts(&into, &from).unwrap();
            }
            prop_assert_eq!(folders.table(*there.last().unwrap()).unwrap(), whole(runs));
        }
    }

    #[test]
    fn shards_are_all_runs_once() {
        for runs in [1, 7, 64, 1000] {
            for of in [1, 2, 7, 64, 100] {
                let all: Vec<u64> = (1..=of).flat_map(|k| shard(runs, k, of)).collect();
                assert!(all.into_iter().eq(0..runs), "{runs} in {of}");
            }
        }
    }

    #[test]
    fn what_is_missing_is_said_and_the_old_table_stays() {
        let folders = Folders::new();
        folders.part(0, 10, 0..10);
        let table = folders.table(0).unwrap();
        let parts = folders.0.join("0").join(PARTS);
        fs::remove_dir_all(&parts).unwrap();
        folders.part(0, 10, 2..4);
        folders.part(0, 10, 3..6);
        let folder = folders.0.join("0");
        let progress = Progress::read(&folder).unwrap();
        assert_eq!(progress.missing, [0..2, 6..10]);
        assert_eq!(
            (progress.open_runs(), progress.open_shards(5)),
            (6, vec![1, 4, 5])
        );
        let error = folders.table(0).unwrap_err().to_string();
        assert!(
            error.contains("6 of 10 runs are missing, the first is run 0"),
            "{error}"
        );
        assert_eq!(fs::read(folder.join(TABLE)).unwrap(), table);
    }

    #[test]
    fn parts_that_contradict_or_are_damaged_are_refused() {
        let folders = Folders::new();
        let path = folders.part(0, 10, 0..10);
        let folder = folders.0.join("0");
        // Another machine has another last bit in run 6.
        let mut other = rows(5..8);
        other[1] = b"6,completed,,6,3.0000000000000004\n".to_vec();
        let fingerprint = manifest(10).fingerprint;
        let contrary = write_part(&folder, &fingerprint, 5..8, &other).unwrap();
        let error = folders.table(0).unwrap_err().to_string();
        assert!(error.contains("another row of run 6"), "{error}");
        fs::remove_file(contrary).unwrap();
        folders.table(0).unwrap();
        for damage in [
            |text: &str| text.replace("3,completed,,3", "3,completed,,2"),
            |text: &str| text.replace("9,completed,,2,4\n", ""),
            |text: &str| format!("{text}10,completed,,3,1\n"),
        ] {
            let text = fs::read_to_string(&path).unwrap();
            let damaged = damage(&text);
            assert_ne!(text, damaged);
            fs::write(&path, damaged).unwrap();
            let error = folders.table(0).unwrap_err().to_string();
            assert!(error.contains("is damaged"), "{error}");
            fs::write(&path, text).unwrap();
        }
        let stranger = write_part(&folder, "of something else", 0..2, &rows(0..2)).unwrap();
        let error = folders.table(0).unwrap_err().to_string();
        assert!(error.contains("a part of another sweep"), "{error}");
        fs::remove_file(stranger).unwrap();
        let error = manifest(11).settle(&folder).unwrap_err().to_string();
        assert!(
            error.contains("parts of another sweep (other plan)"),
            "{error}"
        );
    }
}
