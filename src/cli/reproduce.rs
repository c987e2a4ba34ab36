//! `carom reproduce`: every published number next to ours.

use std::fmt::Write as _;
use std::path::PathBuf;

use carom::study::{ITEMS, PublishedCurve, PublishedNumber, did_you_mean, reproduce, write_whole};
use clap::Args;

use super::arguments::Shared;
use super::exit::{self, CommandResult, ExitStatus};
use super::{figure, interrupt};

/// Recompute the published numbers of the literature and compare
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Reproduce {
    /// One item; all when absent: cradle, billiards, trex, stronge, max-dissipation, plus, rocking-block
    item: Option<String>,

    /// Folder for the figures (SVG)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLE: &str = "\
Example:
  carom reproduce
  carom reproduce billiards --out out/figures

Exit codes: 0 every number is within its tolerance, 1 one is not, 2 bad input.";

impl Reproduce {
    /// Computes, prints one line a number, and draws the figures.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        if let Some(item) = &self.item
            && !ITEMS.iter().any(|(name, _)| name == item)
        {
            let names: Vec<&str> = ITEMS.iter().map(|(name, _)| *name).collect();
            return Err(format!(
                "there is no item \"{item}\"{}; the items are {}",
                did_you_mean(item, names.iter().copied()),
                names.join(", ")
            )
            .into());
        }
        let (numbers, curves) = reproduce(self.item.as_deref())?;
        let _writing = interrupt::writing();
        if let Some(folder) = &self.out {
            std::fs::create_dir_all(folder)
                .map_err(|e| format!("{}: cannot be made: {e}", folder.display()))?;
            for (i, curve) in curves.iter().enumerate() {
                let svg = draw(curve)?;
                let path = folder.join(format!("{}_{i}.svg", curve.item));
                write_whole(&path, |w| w.write_all(svg.as_bytes()))?;
            }
        }
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&numbers)?))?;
        } else {
            exit::answer(&table(&numbers))?;
        }
        Ok(if numbers.iter().all(PublishedNumber::agrees) {
            ExitStatus::Done
        } else {
            ExitStatus::CheckFailed
        })
    }
}

fn draw(curve: &PublishedCurve) -> Result<String, Box<dyn std::error::Error>> {
    figure::lines(&curve.title, curve.axes, &curve.series)
}

fn table(numbers: &[PublishedNumber]) -> String {
    let mut text = String::new();
    let number = |x: f64| {
        if x == 0.0 || (1e-3..1e5).contains(&x.abs()) {
            format!("{x:.6}")
        } else {
            format!("{x:.4e}")
        }
    };
    for n in numbers {
        let printed = n.printed.map_or("-".to_string(), number);
        let corrected = n
            .corrected
            .map_or(String::new(), |c| format!("  right {}", number(c)));
        let verdict = if n.agrees() { "ok  " } else { "OFF " };
        let _ = writeln!(
            text,
            "{verdict}{:<22} {:<64} paper {printed:>12}{corrected}  ours {:>12}  ± {:.1e}{}",
            n.source,
            n.quantity,
            number(n.ours),
            n.tolerance,
            if n.note.is_empty() {
                String::new()
            } else {
                format!("  ({})", n.note)
            },
        );
    }
    text
}
