//! The formats of other programs that a scenario may ask for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A format of other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ExportFormat {
    /// `run.mcap`: transforms, joint states, events and shapes for Foxglove and Rerun.
    Mcap,
    /// `series.parquet` and `events.parquet`: the tables for pandas, polars and other readers of columns.
    Parquet,
}

/// The program was built without a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "this program was built without the feature \"{feature}\"; build it with \"cargo build --release --features {feature}\", or leave the export out: CSV files are always written"
)]
pub struct UnavailableFormat {
    /// The missing feature.
    pub feature: &'static str,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Mcap, Self::Parquet];

    /// Its name, which is also that of the feature.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mcap => "mcap",
            Self::Parquet => "parquet",
        }
    }

    /// Names of the files that it writes.
    #[must_use]
    pub fn files(self) -> &'static [&'static str] {
        match self {
            Self::Mcap => &["run.mcap"],
            Self::Parquet => &["series.parquet", "events.parquet"],
        }
    }

    /// Whether this build has it.
    ///
    /// # Errors
    /// It has not; the message says how to build one that has.
    pub fn available(self) -> Result<(), UnavailableFormat> {
        let built = match self {
            Self::Mcap => cfg!(feature = "mcap"),
            Self::Parquet => cfg!(feature = "parquet"),
        };
        if built {
            Ok(())
        } else {
            Err(UnavailableFormat {
                feature: self.name(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ExportFormat;

    #[test]
    fn a_format_is_built_in_or_says_how_to_have_it() {
        for format in ExportFormat::ALL {
            let built = match format {
                ExportFormat::Mcap => cfg!(feature = "mcap"),
                ExportFormat::Parquet => cfg!(feature = "parquet"),
            };
            let message = format.available().map_err(|e| e.to_string());
            assert_eq!(message.is_ok(), built);
            if let Err(message) = message {
                let remedy = format!("cargo build --release --features {}", format.name());
                assert!(message.contains(&remedy), "{message}");
            }
        }
    }
}
