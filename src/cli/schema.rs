//! `carom schema`: what the keys of files are, for editors and for people.

use std::collections::BTreeMap;
use std::path::PathBuf;

use carom::schema::{FileKind, Section, page};
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::arguments::Shared;
use super::terminal::exit;
use super::terminal::exit::{CommandResult, ExitStatus};

/// Print the JSON schema of a kind of file, which editors complete and check keys by
#[derive(Debug, Args)]
#[command(after_help = EXAMPLE)]
pub struct SchemaCommand {
    /// Kind of file
    #[arg(default_value = "scenario", value_parser = PossibleValuesParser::new(FileKind::ALL.map(FileKind::name)))]
    kind: String,

    /// List the kinds
    #[arg(long, conflicts_with_all = ["page", "out"])]
    list: bool,

    /// Print the page of every key of every kind instead, in Markdown
    #[arg(long)]
    page: bool,

    /// Write a file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLE: &str = "\
Example:
  carom schema --out scenario.schema.json
  carom schema design
  carom schema --page --out KEYS.md

A scenario whose first line is \"#:schema scenario.schema.json\" is completed and checked by editors that know Taplo.
Exit codes: 0 done, 2 bad input, 3 FILE cannot be written.";

impl SchemaCommand {
    /// Prints or writes.
    pub fn run(&self, shared: &Shared) -> CommandResult {
        let text = if self.list {
            listed(shared.json)
        } else if self.page && shared.json {
            let kinds = FileKind::ALL.map(|kind| (kind.name(), kind.sections()));
            let kinds: BTreeMap<&str, Vec<Section>> = kinds.into_iter().collect();
            format!("{}\n", serde_json::to_string(&kinds)?)
        } else if self.page {
            page()
        } else {
            let kind = FileKind::ALL
                .into_iter()
                .find(|kind| kind.name() == self.kind);
            kind.unwrap_or(FileKind::Scenario).schema_text()
        };
        match &self.out {
            Some(file) => exit::write_text(file, &text)?,
            None => exit::answer(&text)?,
        }
        Ok(ExitStatus::Done)
    }
}

fn listed(json: bool) -> String {
    if json {
        let kinds = FileKind::ALL.map(|kind| (kind.name().to_string(), kind.about().into()));
        let kinds: serde_json::Map<String, serde_json::Value> = kinds.into_iter().collect();
        return format!("{}\n", serde_json::Value::Object(kinds));
    }
    let lines = FileKind::ALL.map(|kind| format!("{:9} {}\n", kind.name(), kind.about()));
    lines.concat()
}
