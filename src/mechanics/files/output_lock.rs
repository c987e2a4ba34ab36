//! One writer at a time: a lock on a file, held as long as the process lives.
//!
//! The system gives the lock back when its process ends in whatever way, so that what a killed run leaves blocks
//! nobody. On a file system without locks there is none, and two writers are not told of each other.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use thiserror::Error;

/// A lock file can be removed by whoever had it while it is being opened; not again and again.
const TRIES: usize = 1000;

/// Another process writes there, or nothing can be locked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LockError {
    /// Somebody else holds the lock.
    #[error(
        "{}: {holder} is writing here; wait until it ends, stop it, or write elsewhere with --out",
        .place.display()
    )]
    Held {
        /// The folder or file that is locked.
        place: PathBuf,
        /// Which process, and since when.
        holder: String,
    },
    /// The lock file cannot be made.
    #[error("{}: cannot be locked: {source}; write elsewhere with --out", .path.display())]
    Access {
        /// The lock file, or a folder on the way to it.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// The lock on a file or folder. Dropped, it is free again, and its file and the folders made for it are gone if nothing
/// was put into them.
#[derive(Debug)]
pub struct OutputLock {
    path: PathBuf,
    file: File,
    made: Vec<PathBuf>,
}

impl OutputLock {
    /// Locks a folder, which is made if it is missing.
    ///
    /// # Errors
    /// Another process has it, which is named; its lock file cannot be made.
    pub fn of_folder(folder: &Path) -> Result<Self, LockError> {
        Self::take(folder, &folder.join(".carom.lock"))
    }

    /// Locks a file by another one beside it.
    ///
    /// # Errors
    /// As [`OutputLock::of_folder`].
    pub fn of_file(file: &Path) -> Result<Self, LockError> {
        let mut name = OsString::from(".");
        name.push(file.file_name().unwrap_or_default());
        name.push(".lock");
        Self::take(file, &file.with_file_name(name))
    }

    /// Locks `place` by the lock file `path`, whose folder is made where it is missing.
    ///
    /// # Errors
    /// Another process has it, which is named; the file cannot be made.
    fn take(place: &Path, path: &Path) -> Result<Self, LockError> {
        let made = make_folder(path.parent().unwrap_or(Path::new("")))?;
        let access = |source| LockError::Access {
            path: path.to_path_buf(),
            source,
        };
        for _ in 0..TRIES {
            let mut file = match open(path) {
                // Another process that ends removes the folders that it made.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).map_err(access)?;
                    continue;
                }
                other => other.map_err(access)?,
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(LockError::Held {
                        place: place.to_path_buf(),
                        holder: holder(&mut file),
                    });
                }
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(TryLockError::Error(error)) => return Err(access(error)),
            }
            // Whoever had it may have removed the file between the two calls: then this lock keeps nobody away.
            if is_at(&file, path) {
                write_holder(&mut file).map_err(access)?;
                return Ok(Self {
                    path: path.to_path_buf(),
                    file,
                    made,
                });
            }
        }
        Err(access(io::Error::other(
            "other processes make and remove it all the time",
        )))
    }
}

impl Drop for OutputLock {
    fn drop(&mut self) {
        // Nothing is lost where this fails: a lock file that nobody holds blocks nobody.
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
        for folder in self.made.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Makes a folder and returns those that were missing, the outermost first.
fn make_folder(folder: &Path) -> Result<Vec<PathBuf>, LockError> {
    let missing = folder
        .ancestors()
        .take_while(|f| !f.as_os_str().is_empty() && !f.exists());
    let mut made: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
    made.reverse();
    if !folder.as_os_str().is_empty() {
        fs::create_dir_all(folder).map_err(|source| LockError::Access {
            path: folder.to_path_buf(),
            source,
        })?;
    }
    Ok(made)
}

/// Opens the lock file, new or as it was left; what is no plain file (a link would lead elsewhere) is replaced.
fn open(path: &Path) -> io::Result<File> {
    loop {
        let plain = fs::symlink_metadata(path).map(|found| found.is_file());
        let opened = match plain {
            Ok(true) => File::options().read(true).write(true).open(path),
            Ok(false) => {
                fs::remove_file(path)?;
                continue;
            }
            Err(_) => File::options()
                .read(true)
                .write(true)
                .create_new(true)
                .open(path),
        };
        match opened {
            // Another process was faster in making or removing it.
            Err(error)
                if matches!(
                    (plain.is_ok(), error.kind()),
                    (true, io::ErrorKind::NotFound) | (false, io::ErrorKind::AlreadyExists)
                ) => {}
            other => return other,
        }
    }
}

/// Whether an open file is the one that has this name now.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Elsewhere lock files are never removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

fn write_holder(file: &mut File) -> io::Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.unwrap_or_default().as_secs();
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{} {seconds}", std::process::id())
}

/// Who wrote the lock file, in words.
fn holder(file: &mut File) -> String {
    let mut text = String::new();
    // It may be locked against reading too, or not written yet.
    let _ = file.read_to_string(&mut text);
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    let (Some(Ok(process)), Some(Ok(since))) = (numbers.next(), numbers.next()) else {
        return "another process".to_string();
    };
    let begun = UNIX_EPOCH.checked_add(Duration::from_secs(since));
    let ago = begun.and_then(|begun| SystemTime::now().duration_since(begun).ok());
    let ago = ago.unwrap_or_default().as_secs();
    let duration = match ago {
        0..120 => format!("{ago} s"),
        120..7200 => format!("{} min", ago / 60),
        _ => format!("{} h", ago / 3600),
    };
    format!("process {process}, for {duration} by now,")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("carom-lock-{name}-{}", std::process::id()))
    }

    #[test]
    fn the_second_is_told_who_has_the_lock_and_gets_it_afterwards() {
        let folder = place("second").join("inner");
        let path = folder.join(".lock");
        let first = OutputLock::take(&folder, &path).unwrap();
        let message = OutputLock::take(&folder, &path).unwrap_err().to_string();
        assert!(
            message.contains(&format!("process {}, for 0 s", std::process::id()))
                || message.contains(&format!("process {}, for 1 s", std::process::id())),
            "{message}"
        );
        assert!(message.contains(&folder.display().to_string()), "{message}");
        drop(first);
        // Nothing was put into the folders that were made for the lock.
        assert_eq!(cfg!(unix), !place("second").exists());
        drop(OutputLock::take(&folder, &path).unwrap());
        let _ = fs::remove_dir_all(place("second"));
    }

    #[test]
    fn what_a_killed_process_left_blocks_nobody() {
        let folder = place("left");
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(".lock");
        fs::write(&path, "1 1\n").unwrap();
        drop(OutputLock::take(&folder, &path).unwrap());
        // The folder was there before.
        assert!(folder.exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_the_lock_is_not_followed() {
        let folder = place("link");
        fs::create_dir_all(&folder).unwrap();
        let (path, victim) = (folder.join(".lock"), folder.join("victim"));
        fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        drop(OutputLock::take(&folder, &path).unwrap());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn many_that_come_at_once_have_it_one_after_the_other() {
        let folder = place("many");
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join(".lock");
        let inside = std::sync::atomic::AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut had = 0;
                    while had < 50 {
                        if let Ok(lock) = OutputLock::take(&folder, &path) {
                            let others = inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                            assert_eq!(others, 0);
                            inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                            drop(lock);
                            had += 1;
                        }
                    }
                });
            }
        });
        fs::remove_dir_all(folder).unwrap();
    }
}
