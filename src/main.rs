//! The `carom` program.

use std::process::ExitCode;

use clap::Parser;

mod cli {
    pub mod arguments;
    pub mod baseline;
    pub mod baseline_report;
    pub mod compare;
    pub mod design;
    pub mod design_map_plot;
    pub mod design_pictures;
    pub mod design_plots;
    pub mod design_search;
    pub mod design_text;
    pub mod exit;
    pub mod figure;
    pub mod granular;
    pub mod impact;
    pub mod impact_report;
    pub mod inspect;
    pub mod inspect_report;
    pub mod interrupt;
    pub mod law_options;
    pub mod locomotion_report;
    pub mod page;
    pub mod plane_figure;
    pub mod progress;
    pub mod replay;
    pub mod report;
    pub mod reproduce;
    pub mod series_options;
    pub mod set_plots;
    pub mod simulate;
    pub mod simulate_batch;
    pub mod simulate_report;
    pub mod stronge_plots;
    pub mod text;
}

fn main() -> ExitCode {
    let arguments = cli::arguments::Arguments::parse();
    cli::interrupt::listen();
    let status = arguments.run();
    cli::interrupt::release();
    status.into()
}
