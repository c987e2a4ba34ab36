//! The tables of a run: their rows and columns, written and read back.

mod columns;
mod csv_fields;
mod event_rows;
mod events;
mod run_tables;
mod series;
mod series_rows;

pub use columns::{RunColumn, RunColumns};
pub(super) use event_rows::event_verdict;
pub(crate) use event_rows::{EventLine, events_header};
pub use events::{EventRow, ImpactRow, ImpactVerdict};
pub use run_tables::RunTables;
pub(crate) use series::damaged;
pub use series::{RunFileError, RunSeries};
pub(crate) use series_rows::series_header;
pub use series_rows::{HeldInterval, SeriesRow};
pub(super) use series_rows::{RowBasis, effort_names, series_names, series_values};
