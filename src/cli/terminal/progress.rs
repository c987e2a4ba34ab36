//! Progress on standard error.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::arguments::Shared;

/// A bar up to `length`, with `counts` (in the words of indicatif) between its share and the time left; hidden where
/// nobody would see it.
pub fn bar(length: Option<u64>, counts: &str, shared: &Shared) -> ProgressBar {
    if shared.quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(length, ProgressDrawTarget::stderr_with_hz(8));
    let template = format!("{{wide_bar}} {{percent:>3}} %  {counts}{{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// A bar that counts runs.
pub fn runs_bar(runs: Option<u64>, shared: &Shared) -> ProgressBar {
    bar(runs, "{pos}/{len} runs  {per_sec}  ", shared)
}
