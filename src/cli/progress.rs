//! The progress of many runs.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::arguments::Shared;

/// A bar that counts runs; hidden where nobody would see it.
pub fn runs_bar(runs: Option<u64>, shared: &Shared) -> ProgressBar {
    if shared.quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(runs, ProgressDrawTarget::stderr_with_hz(8));
    if let Ok(style) = ProgressStyle::with_template(
        "{wide_bar} {percent:>3} %  {pos}/{len} runs  {per_sec}  {eta} left",
    ) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}
