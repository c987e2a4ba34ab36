//! The table of runs: its rows, the parts that hold some of them, and all of them merged.

mod merge;
#[cfg(feature = "parquet")]
mod parquet_table;
mod part;
mod row;

pub(super) use merge::write_table;
pub use merge::{Progress, TABLE, collect_parts, shard};
#[cfg(feature = "parquet")]
pub(super) use parquet_table::write_parquet;
pub(super) use part::write_part;
pub use part::{PARTS, Part};
pub(super) use row::{record, row};
