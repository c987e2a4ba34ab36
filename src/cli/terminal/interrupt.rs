//! SIGINT and SIGTERM: what must not be left half done is finished, and the program ends with 128 and the signal's number.
//!
//! A command that computes first and writes in the end is ended between the two or after them. One that can be stopped at
//! any step ([`polite`]) looks at [`stop`] itself, saves and says how to go on; a second signal ends it at once, which
//! loses no more than a kill would: files are whole or not there.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use carom::files::{LockError, OutputFolder, OutputLock, remove_leftovers};
use carom::stop::StopFlag;

static STOP: LazyLock<StopFlag> = LazyLock::new(StopFlag::default);
static SIGNAL: AtomicI32 = AtomicI32::new(0);
static POLITE: AtomicBool = AtomicBool::new(false);
static ADVICE: Mutex<String> = Mutex::new(String::new());
static HELD: Mutex<Held> = Mutex::new(Held::Nothing);

/// What nobody else may write while this command runs.
pub enum Held {
    /// Nothing.
    Nothing,
    /// A folder of results.
    Folder(OutputFolder),
    /// A file, or a folder of which one file is written.
    File { _lock: OutputLock },
}

/// A signal that asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signal(i32);

impl Signal {
    /// The exit code that shells expect.
    pub fn exit_code(self) -> u8 {
        128_u8.saturating_add(u8::try_from(self.0).unwrap_or(0))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self.0 {
            2 => "SIGINT",
            15 => "SIGTERM",
            _ => "a signal",
        }
    }
}

/// Whether to stop, for those who look.
pub fn stop() -> &'static StopFlag {
    &STOP
}

/// The signal that asked to stop, if one has.
pub fn received() -> Option<Signal> {
    match SIGNAL.load(Ordering::SeqCst) {
        0 => None,
        number => Some(Signal(number)),
    }
}

/// From here on the command looks at [`stop`] itself.
pub fn polite() {
    POLITE.store(true, Ordering::SeqCst);
}

/// What an interrupted user is told, for example how to go on.
pub fn advise(text: &str) {
    *ADVICE.lock().unwrap_or_else(PoisonError::into_inner) = text.to_string();
}

/// Keeps a folder or a file until the program ends.
pub fn hold(held: Held) {
    *writing() = held;
}

/// Keeps a file that will be written whole, and removes what killed processes left of it.
///
/// # Errors
/// Another process writes it.
pub fn hold_file(file: &Path) -> Result<(), LockError> {
    let lock = OutputLock::of_file(file)?;
    remove_leftovers(file);
    hold(Held::File { _lock: lock });
    Ok(())
}

/// Keeps a folder in which `file` will be written whole.
///
/// # Errors
/// Another process writes into it.
pub fn hold_folder_of(file: &Path) -> Result<(), LockError> {
    let lock = OutputLock::of_folder(file.parent().unwrap_or(Path::new("")))?;
    remove_leftovers(file);
    hold(Held::File { _lock: lock });
    Ok(())
}

/// While this is kept a signal waits: from the first file of an answer to the last.
pub fn writing() -> MutexGuard<'static, Held> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives back what is held: the command has ended.
pub fn release() {
    hold(Held::Nothing);
}

/// Begins to listen, where there are such signals; elsewhere the system ends the program.
pub fn listen() {
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGINT, SIGTERM};
        // Without handlers a signal ends the program at once, which loses no more than a kill.
        if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) {
            std::thread::spawn(move || signals.forever().for_each(take));
        }
    }
}

#[cfg(unix)]
fn take(signal: i32) {
    SIGNAL.store(signal, Ordering::SeqCst);
    let again = STOP.is_raised();
    STOP.raise();
    if POLITE.load(Ordering::SeqCst) && !again {
        return;
    }
    let signal = Signal(signal);
    // Waits for a command that is writing, and keeps it from beginning.
    let mut held = writing();
    *held = Held::Nothing;
    let advice = ADVICE.lock().unwrap_or_else(PoisonError::into_inner);
    super::exit::complain(&format!("stopped by {}{advice}", signal.name()));
    std::process::exit(i32::from(signal.exit_code()));
}
