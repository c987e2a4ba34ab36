//! The `carom` program.

use std::process::ExitCode;

use clap::Parser;

mod cli;

fn main() -> ExitCode {
    let arguments = cli::arguments::Arguments::parse();
    cli::terminal::interrupt::listen();
    let status = cli::terminal::exit::guarded(|| arguments.run());
    cli::terminal::interrupt::release();
    status.into()
}
