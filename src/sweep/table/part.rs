//! Parts: the rows of some runs that follow each other, in a file that is there whole or not at all.
//!
//! Its name holds the first run, the one after the last, and the beginning of the SHA-256 of its content; its first line
//! holds the fingerprint of the sweep. Two parts of one name are one file.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::files::write_whole;
use crate::scenario::hexadecimal;
use crate::sweep::error::SweepError;

/// The folder of the parts in that of the sweep.
pub const PARTS: &str = "parts";
/// Ends their names.
const ENDING: &str = ".part";
/// Hexadecimal digits of the hash in a name.
const DIGITS: usize = 16;
/// Begins the first line of a part.
const FIRST_LINE: &str = "carom sweep part of ";

/// A part that lies in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// Its runs.
    pub first: u64,
    /// The run after its last.
    pub end: u64,
    /// The beginning of the hash of its content.
    pub hash: String,
    /// Where it lies.
    pub path: PathBuf,
}

/// Writes the rows of some runs.
pub(in crate::sweep) fn write_part(
    folder: &Path,
    fingerprint: &str,
    runs: Range<u64>,
    rows: &[Vec<u8>],
) -> Result<PathBuf, SweepError> {
    let heading = format!("{FIRST_LINE}{fingerprint}\n");
    let mut hasher = Sha256::new();
    hasher.update(heading.as_bytes());
    rows.iter().for_each(|row| hasher.update(row));
    let hash = hexadecimal(hasher);
    let name = format!(
        "{:010}-{:010}-{}{ENDING}",
        runs.start,
        runs.end,
        &hash[..DIGITS]
    );
    let path = folder.join(PARTS).join(name);
    write_whole(&path, |out| {
        out.write_all(heading.as_bytes())?;
        rows.iter().try_for_each(|row| out.write_all(row))
    })?;
    Ok(path)
}

/// The parts of a folder by their first runs, the longer one first of two that begin together. Files of other names are
/// not looked at.
pub(super) fn list_parts(folder: &Path) -> Result<Vec<Part>, SweepError> {
    let place = folder.join(PARTS);
    let mut parts = Vec::new();
    let entries = match std::fs::read_dir(&place) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(parts),
        other => other.map_err(SweepError::reading(&place))?,
    };
    for entry in entries {
        let path = entry.map_err(SweepError::reading(&place))?.path();
        parts.extend(named(&path));
    }
    parts.sort_by(|a, b| (a.first, b.end, &a.hash).cmp(&(b.first, a.end, &b.hash)));
    Ok(parts)
}

fn named(path: &Path) -> Option<Part> {
    let name = path.file_name()?.to_str()?.strip_suffix(ENDING)?;
    let mut pieces = name.split('-');
    let (first, end, hash) = (pieces.next()?, pieces.next()?, pieces.next()?);
    let (first, end) = (first.parse().ok()?, end.parse().ok()?);
    let whole = pieces.next().is_none() && first < end && hash.len() == DIGITS;
    whole.then(|| Part {
        first,
        end,
        hash: hash.to_string(),
        path: path.to_path_buf(),
    })
}

/// What the parts leave open of `runs` runs, in order.
#[must_use]
pub(crate) fn missing(parts: &[Part], runs: u64) -> Vec<Range<u64>> {
    let mut open = Vec::new();
    let mut next = 0;
    for part in parts {
        if part.first > next {
            open.push(next..part.first.min(runs));
        }
        next = next.max(part.end);
    }
    if next < runs {
        open.push(next..runs);
    }
    open
}

/// Reads the rows of one part after the other, and in the end whether they are those that were written.
pub(super) struct PartReader {
    part: Part,
    next: u64,
    input: BufReader<File>,
    hasher: Sha256,
    line: Vec<u8>,
}

impl PartReader {
    pub fn open(part: &Part, fingerprint: &str) -> Result<Self, SweepError> {
        let file = File::open(&part.path).map_err(SweepError::reading(&part.path))?;
        let mut reader = Self {
            part: part.clone(),
            next: part.first,
            input: BufReader::with_capacity(1 << 16, file),
            hasher: Sha256::new(),
            line: Vec::new(),
        };
        reader.read()?;
        let heading = std::str::from_utf8(&reader.line).unwrap_or_default();
        let of = heading.strip_prefix(FIRST_LINE).map(str::trim_end);
        match of {
            Some(of) if of == fingerprint => Ok(reader),
            Some(_) => Err(reader.wrong("is a part of another sweep; remove it")),
            None => Err(reader.wrong("is no part of a sweep; remove it")),
        }
    }

    fn wrong(&self, reason: &str) -> SweepError {
        SweepError::folder(&self.part.path, reason)
    }

    fn read(&mut self) -> Result<(), SweepError> {
        self.line.clear();
        let read = self.input.read_until(b'\n', &mut self.line);
        read.map_err(SweepError::reading(&self.part.path))?;
        self.hasher.update(&self.line);
        Ok(())
    }

    /// The run after its last.
    pub fn end(&self) -> u64 {
        self.part.end
    }

    pub fn path(&self) -> &Path {
        &self.part.path
    }

    /// The row that was read last.
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    /// Reads the next row; at the last one the part must have the content that its name says.
    pub fn advance(&mut self) -> Result<(), SweepError> {
        const DAMAGED: &str = "is damaged: its content is not what its name says; remove it and run the sweep again, which makes it anew";
        self.read()?;
        let number = format!("{},", self.next);
        if !(self.line.starts_with(number.as_bytes()) && self.line.ends_with(b"\n")) {
            return Err(self.wrong(DAMAGED));
        }
        self.next += 1;
        if self.next == self.part.end {
            let rest = self.input.fill_buf().map(<[u8]>::is_empty);
            let hash = hexadecimal(std::mem::take(&mut self.hasher));
            let last = rest.map_err(SweepError::reading(&self.part.path))?;
            if !(last && hash[..DIGITS] == self.part.hash) {
                return Err(self.wrong(DAMAGED));
            }
        }
        Ok(())
    }
}
