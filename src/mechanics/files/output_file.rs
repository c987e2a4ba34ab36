//! Files written whole or not at all.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

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
    replace(path, write, File::sync_all)
}

/// As [`write_whole`], without waiting for the disk, which takes milliseconds: whole for whoever reads it and when this process
/// is killed, perhaps not when the power fails before [`sync`].
pub fn write_whole_at_once(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), OutputFileError> {
    replace(path, write, |_| Ok(()))
}

/// Waits until a file is on the disk, if there is one.
pub fn sync(path: &Path) -> Result<(), OutputFileError> {
    match File::open(path).and_then(|file| file.sync_all()) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(OutputFileError {
            path: path.to_path_buf(),
            source,
        }),
        _ => Ok(()),
    }
}

fn replace(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    sync: impl FnOnce(&File) -> io::Result<()>,
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
    let (temporary, file) = temporary_beside(&target, name).map_err(failed)?;
    let mut writer = BufWriter::new(file);
    let written = write(&mut writer).and_then(|()| Ok(writer.into_inner()?));
    let result =
        (written.and_then(|file| sync(&file))).and_then(|()| fs::rename(&temporary, &target));
    if result.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    result.map_err(failed)
}

/// Ends the names of files that are not whole.
const PARTIAL: &str = ".partial";

/// A new file beside `target`. What has its name already belongs to somebody else, who may still be writing, or is a
/// link that leads elsewhere: it is left alone.
fn temporary_beside(target: &Path, name: &OsStr) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{number}{PARTIAL}", std::process::id()));
        let path = target.with_file_name(temporary);
        match File::options().write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => return Ok((path, file)),
        }
    }
}

/// Whether a file name is one that [`write_whole`] gives to a file that is not whole yet. Where nobody else writes, such
/// a file is what a killed process left.
pub(crate) fn is_leftover(name: &str) -> bool {
    let middle = name
        .strip_prefix('.')
        .and_then(|rest| rest.strip_suffix(PARTIAL));
    let Some((_, number)) = middle.and_then(|middle| middle.rsplit_once('.')) else {
        return false;
    };
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    number
        .split_once('-')
        .is_some_and(|(process, count)| is_number(process) && is_number(count))
}

/// Removes what killed processes left of a file that they were writing. Nobody may be writing it.
pub fn remove_leftovers(path: &Path) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let begins = format!(".{name}.");
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let Ok(entries) = fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return;
    };
    for entry in entries.flatten() {
        let found = entry.file_name().to_string_lossy().into_owned();
        let own = found.strip_prefix(&begins).map(|rest| format!(".{rest}"));
        // "." and a number are all that may follow; what cannot be removed harms nobody.
        if own.is_some_and(|rest| is_leftover(&format!(".{rest}"))) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes a file anew. What has its name is removed, and not followed if it is a link.
pub fn create_anew(path: &Path) -> io::Result<File> {
    remove_if_there(path)?;
    File::options().write(true).create_new(true).open(path)
}

/// Removes a file, or a link and not what it leads to.
pub fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn write_directly(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = BufWriter::new(File::options().write(true).open(path)?);
    write(&mut writer)?;
    writer.flush()
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
    fn leftovers_are_known_by_their_names() {
        let folder = folder("leftovers");
        let path = folder.join("out.csv");
        write_whole(&path, |w| {
            w.write_all(b"x")?;
            let names = fs::read_dir(&folder)?.map(|e| e.unwrap().file_name());
            let names: Vec<String> = names.map(|n| n.into_string().unwrap()).collect();
            assert_eq!(names.len(), 1);
            assert!(is_leftover(&names[0]), "{names:?}");
            Ok(())
        })
        .unwrap();
        for other in [
            "out.csv",
            ".series.csv.partial",
            ".a.1.partial",
            ".a.1-.partial",
        ] {
            assert!(!is_leftover(other), "{other}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_with_the_name_of_a_partial_file_is_not_followed() {
        let folder = folder("links");
        let (path, victim) = (folder.join("out.csv"), folder.join("victim"));
        fs::write(&victim, "precious").unwrap();
        // Whatever number comes next, below the first few hundred.
        for number in 0..1000 {
            let name = format!(".out.csv.{}-{number}.partial", std::process::id());
            std::os::unix::fs::symlink(&victim, folder.join(name)).unwrap();
        }
        write_whole(&path, |w| w.write_all(b"new")).unwrap();
        create_anew(&folder.join(format!(".out.csv.{}-0.partial", std::process::id())))
            .unwrap()
            .write_all(b"new")
            .unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn missing_folder_is_an_error() {
        let error = write_whole(Path::new("no/such/folder/out.csv"), |_| Ok(())).unwrap_err();
        assert!(error.to_string().contains("no/such/folder/out.csv"));
    }
}
