//! Reading of files that may be anything: an endless device, the wrong disk image.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest file of a robot, a scenario, a gait or a state that is read \[bytes\].
const LARGEST_FILE: u64 = 64 << 20;

/// The bytes of a file of at most 64 MiB.
pub(crate) fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(LARGEST_FILE + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST_FILE {
        let reason = "it is larger than 64 MiB, or has no end";
        return Err(io::Error::other(reason));
    }
    Ok(bytes)
}

/// The same as text.
pub(crate) fn read_bounded_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read_bounded(path)?).map_err(|_| io::Error::other("it is not UTF-8 text"))
}
