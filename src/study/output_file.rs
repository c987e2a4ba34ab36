//! Files written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// An output file could not be written; what stood there before is untouched.
#[derive(Debug, Error)]
#[error("{}: cannot be written: {source}", .path.display())]
pub struct OutputFileError {
    /// The file that was to be written.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// Writes a file through a temporary one in the same folder, which takes its place only when `write`
/// has succeeded and the data is on the disk. A reader sees the old file or the new one. What is not
/// a regular file (a pipe, `/dev/stdout`) cannot be replaced and is written directly.
///
/// # Errors
/// The folder does not exist or is not writable, the disk is full, or `write` fails.
pub fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), OutputFileError> {
    let failed = |source| OutputFileError {
        path: path.to_path_buf(),
        source,
    };
    // A symbolic link stays; the file behind it is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if fs::metadata(&target).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return write_directly(&target, write).map_err(failed);
    }
    let name = target.file_name().ok_or_else(|| {
        failed(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a file name",
        ))
    })?;
    // The process number keeps two runs that write one file apart.
    let mut temporary_name = std::ffi::OsString::from(".");
    temporary_name.push(name);
    temporary_name.push(format!(".{}.partial", std::process::id()));
    let temporary = target.with_file_name(temporary_name);

    let result = write_and_sync(&temporary, write).and_then(|()| fs::rename(&temporary, &target));
    if result.is_err() {
        // The first error is the one to report; the partial file may not even exist.
        let _ = fs::remove_file(&temporary);
    }
    result.map_err(failed)
}

fn write_directly(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::new(File::options().write(true).open(path)?);
    write(&mut writer)?;
    writer.flush()
}

fn write_and_sync(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::new(File::create(path)?);
    write(&mut writer)?;
    writer.into_inner()?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("carom-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn file_is_replaced_whole() {
        let folder = folder("replaced");
        let path = folder.join("out.csv");
        for text in ["first", "second"] {
            write_whole(&path, |w| w.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn failure_midway_leaves_the_old_file_and_nothing_else() {
        let folder = folder("midway");
        let path = folder.join("out.csv");
        fs::write(&path, "old").unwrap();
        let error = write_whole(&path, |w| {
            w.write_all(b"half")?;
            Err(io::Error::other("no more"))
        })
        .unwrap_err();
        assert!(error.to_string().contains("out.csv"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn missing_folder_is_an_error() {
        let error = write_whole(Path::new("no/such/folder/out.csv"), |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("no/such/folder/out.csv"));
    }
}
