//! How the program speaks with whoever started it: text, progress, signals, how it ends.

pub mod exit;
pub mod interrupt;
pub mod progress;
pub mod text;
