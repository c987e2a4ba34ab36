//! Tables that are written row by row and take their places when they are whole.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::files::{create_anew, remove_if_there, write_whole};
use crate::record::RecordError;

/// A table that grows under a temporary name.
pub(crate) struct Table {
    /// Its final name.
    pub path: PathBuf,
    temporary: PathBuf,
    file: io::BufWriter<File>,
    /// Length so far.
    pub bytes: u64,
}

impl Table {
    fn paths(folder: &Path, name: &str) -> (PathBuf, PathBuf) {
        (folder.join(name), folder.join(format!(".{name}.partial")))
    }

    /// A new table that begins with `header`.
    pub fn create(folder: &Path, name: &str, header: &[u8]) -> Result<Self, RecordError> {
        let (path, temporary) = Self::paths(folder, name);
        let file = create_anew(&temporary).map_err(access(&temporary))?;
        let mut table = Self {
            path,
            temporary,
            file: io::BufWriter::new(file),
            bytes: 0,
        };
        table.write(header)?;
        Ok(table)
    }

    /// Continues the first `bytes` of what an earlier run left, finished or not.
    pub fn resume(folder: &Path, name: &str, bytes: u64) -> Result<Self, RecordError> {
        let (path, temporary) = Self::paths(folder, name);
        let length = |path: &Path| {
            let plain = fs::symlink_metadata(path)
                .ok()
                .filter(fs::Metadata::is_file);
            plain.map_or(0, |found| found.len())
        };
        let (growing, ended) = (
            length(&temporary),
            fs::metadata(&path).map_or(0, |f| f.len()),
        );
        if growing.max(ended) < bytes {
            return Err(RecordError::Resume {
                path,
                reason: format!(
                    "it has {} bytes, the saved state continues after {bytes}; start the run again without --resume",
                    growing.max(ended)
                ),
            });
        }
        // The copy takes its place whole: a process that is killed here leaves no short table. A link, which would lead
        // elsewhere, has no length here and is replaced.
        if growing < bytes {
            let mut from = File::open(&path).map_err(access(&path))?.take(bytes);
            remove_if_there(&temporary).map_err(access(&temporary))?;
            write_whole(&temporary, |to| io::copy(&mut from, to).map(|_| ()))?;
        }
        let mut file = File::options()
            .write(true)
            .open(&temporary)
            .map_err(access(&temporary))?;
        file.set_len(bytes).map_err(access(&temporary))?;
        file.seek(SeekFrom::End(0)).map_err(access(&temporary))?;
        Ok(Self {
            path,
            temporary,
            file: io::BufWriter::new(file),
            bytes,
        })
    }

    /// Appends.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(access(&self.temporary))
    }

    /// Gives what was written to the system.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.file.flush().map_err(access(&self.temporary))
    }

    /// Brings it to the disk.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.flush()?;
        let synced = self.file.get_ref().sync_data();
        synced.map_err(access(&self.temporary))
    }

    /// Gives the table its final name.
    pub fn finish(&mut self) -> Result<(), RecordError> {
        self.sync()?;
        fs::rename(&self.temporary, &self.path).map_err(access(&self.path))
    }
}

/// The whole rows, after the first `from` bytes, of a table of a run that goes on or has just ended: what its writer has
/// given to the system.
pub(crate) fn rows_from(folder: &Path, name: &str, from: u64) -> io::Result<Vec<u8>> {
    let (path, temporary) = Table::paths(folder, name);
    let mut file = File::open(&temporary).or_else(|_| File::open(&path))?;
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |end| end + 1);
    bytes.truncate(whole);
    Ok(bytes)
}

/// An error of the system at a path.
pub(crate) fn access(path: &Path) -> impl FnOnce(io::Error) -> RecordError {
    let path = path.to_path_buf();
    move |source| RecordError::Access { path, source }
}
