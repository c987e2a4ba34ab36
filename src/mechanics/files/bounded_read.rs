//! Reading of files that may be anything: an endless device, the wrong disk image, a pipe that nobody writes to.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest file of a robot, a scenario, a gait or a state that is read \[bytes\].
const LARGEST_FILE: u64 = 64 << 20;

/// The bytes of a file of at most 64 MiB.
pub fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    refuse_pipe(path)?;
    File::open(path)?
        .take(LARGEST_FILE + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_FILE {
        let reason = "it is larger than 64 MiB, or has no end";
        return Err(io::Error::other(reason));
    }
    Ok(bytes)
}

/// Refuses a pipe or socket with a name of its own, whose reader waits until somebody writes. What a shell opened for
/// this program (`/dev/stdin`, `<(…)`) is read.
#[cfg(unix)]
pub fn refuse_pipe(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::FileTypeExt;
    let opened = path.starts_with("/dev") || path.starts_with("/proc");
    // What is not there is told where it is opened.
    let kind = std::fs::metadata(path).map(|found| found.file_type());
    if !opened && kind.is_ok_and(|kind| kind.is_fifo() || kind.is_socket()) {
        let reason =
            "it is a pipe or a socket and no file; write what it would bring to a file first";
        return Err(io::Error::other(reason));
    }
    Ok(())
}

/// Elsewhere pipes have no names among files.
#[cfg(not(unix))]
pub fn refuse_pipe(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The same as [`read_bounded`], as text.
pub fn read_bounded_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_bounded(path)?).map_err(|_| io::Error::other("it is not UTF-8 text"))
}
