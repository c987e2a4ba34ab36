//! The `carom` program.

use std::process::ExitCode;

use clap::Parser;

mod cli;

fn main() -> ExitCode {
    let arguments = cli::arguments::Arguments::parse();
    cli::interrupt::listen();
    let status = cli::exit::guarded(|| arguments.run());
    cli::interrupt::release();
    status.into()
}
