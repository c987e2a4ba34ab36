//! `carom reproduce`: every published number next to ours.

use std::fmt::Write as _;
use std::path::PathBuf;

use carom::files::did_you_mean;
use carom::reproduce::{ITEMS, PublishedCurve, PublishedNumber, Standing, reproduce};
use clap::Args;
use serde::Serialize;

use super::arguments::Shared;
use super::figure;
use super::terminal::exit::{CommandResult, ExitStatus};
use super::terminal::{exit, interrupt};

/// Recompute the published numbers of the literature and compare
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct Reproduce {
    /// One item; all when absent: cradle, billiards, trex, stronge, max-dissipation, plus, rocking-block, sets
    item: Option<String>,

    /// Folder for the figures (SVG)
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLE: &str = "\
Example:
  carom reproduce
  carom reproduce billiards --out out/figures

A line is ok where ours is within the tolerance of what is printed, or right where a paper is wrong. What a paper says in
words is qualitative, what a figure shows without a number is not printed, and what was computed back from the printed
number itself is that: none of these is ok.
Exit codes: 0 no line is OFF or FAILED, 1 one is, 2 bad input, 3 a figure cannot be written.";

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
        let (numbers, curves) = reproduce(self.item.as_deref());
        let _writing = interrupt::writing();
        if let Some(folder) = &self.out {
            exit::make_folder(folder)?;
            for (i, curve) in curves.iter().enumerate() {
                let svg = draw(curve)?;
                let path = folder.join(format!("{}_{i}.svg", curve.item));
                exit::write_text(&path, &svg)?;
            }
        }
        if shared.json {
            exit::answer(&format!("{}\n", serde_json::to_string(&rows(&numbers))?))?;
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

/// The numbers for a program.
fn rows(numbers: &[PublishedNumber]) -> Vec<Row<'_>> {
    let row = |number| Row {
        number,
        verdict: PublishedNumber::verdict(number),
    };
    numbers.iter().map(row).collect()
}

#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    number: &'a PublishedNumber,
    verdict: &'static str,
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
        let bound = match n.standing {
            Standing::Number => format!("± {:.1e}", n.tolerance),
            Standing::Qualitative { above, below } => {
                format!("between {} and {}", number(above), number(below))
            }
            Standing::NotPrinted | Standing::ComputedBack => String::new(),
        };
        let remark = match (&n.failure, n.note) {
            (Some(failure), _) => format!("  ({failure})"),
            (None, "") => String::new(),
            (None, note) => format!("  ({note})"),
        };
        let _ = writeln!(
            text,
            "{:<14}{:<22} {:<64} paper {printed:>12}{corrected}  ours {:>12}  {bound}{remark}",
            n.verdict(),
            n.source,
            n.quantity,
            number(n.ours),
        );
    }
    let off = numbers.iter().filter(|n| !n.agrees()).count();
    let ok = numbers.iter().filter(|n| n.verdict() == "ok").count();
    let _ = writeln!(
        text,
        "{ok} of {} lines are ok, {off} are OFF or FAILED, {} hold no number against ours",
        numbers.len(),
        numbers.len() - ok - off
    );
    text
}
