//! The `carom` program: a file a command, beside what they share.

pub mod arguments;
pub mod baseline;
pub mod compare;
pub mod design;
pub mod figure;
pub mod granular;
pub mod impact;
pub mod init;
pub mod inspect;
pub mod law_options;
pub mod orbit;
pub mod picture;
pub mod report;
pub mod reproduce;
pub mod robot_options;
pub mod schema;
pub mod simulate;
pub mod sweep;
pub mod terminal;
