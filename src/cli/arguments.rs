//! The command line as a whole: the subcommands and what they share.

use clap::{Args, Parser, Subcommand};

use super::terminal::exit;
use super::terminal::exit::ExitStatus;
use super::{
    baseline, compare, design, impact, init, inspect, orbit, picture, report, reproduce, schema,
    simulate, sweep,
};

/// Variational multibody simulation of legged robots that says when an impact was ambiguous.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, after_help = EXAMPLE)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    shared: Shared,
}

const EXAMPLE: &str = "\
Example:
  carom impact cradle.json --law propagative

Exit codes: 0 done, 1 a check or comparison failed, 2 bad input, 3 stopped early or an output cannot be written, 4 a fault of the program, 130 and 143 stopped by SIGINT and SIGTERM.";

/// What every command understands.
#[derive(Debug, Clone, Args)]
pub struct Shared {
    /// Print one JSON document on standard output and nothing else there
    #[arg(long, global = true)]
    pub json: bool,

    /// Show no progress and no notes
    #[arg(long, global = true)]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    Impact(impact::Impact),
    Init(init::Init),
    Baseline(baseline::BaselineCommand),
    Compare(compare::Compare),
    Design(design::Design),
    Inspect(inspect::Inspect),
    Orbit(orbit::OrbitCommand),
    Picture(picture::Picture),
    Report(report::Report),
    Reproduce(reproduce::Reproduce),
    Schema(schema::SchemaCommand),
    Simulate(simulate::Simulate),
    Sweep(sweep::SweepCommand),
}

impl Arguments {
    /// Runs the chosen command; an error becomes one message on standard error.
    pub fn run(self) -> ExitStatus {
        let result = match self.command {
            Command::Impact(command) => command.run(&self.shared),
            Command::Init(command) => command.run(&self.shared),
            Command::Baseline(command) => command.run(&self.shared),
            Command::Compare(command) => command.run(&self.shared),
            Command::Design(command) => command.run(&self.shared),
            Command::Inspect(command) => command.run(&self.shared),
            Command::Orbit(command) => command.run(&self.shared),
            Command::Picture(command) => command.run(&self.shared),
            Command::Report(command) => command.run(&self.shared),
            Command::Reproduce(command) => command.run(&self.shared),
            Command::Schema(command) => command.run(&self.shared),
            Command::Simulate(command) => command.run(&self.shared),
            Command::Sweep(command) => command.run(&self.shared),
        };
        result.unwrap_or_else(|error| exit::ended_with(&*error))
    }
}
