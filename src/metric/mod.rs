//! Metrics: expressions over the columns and the summary of a run that come to one number.
//!
//! `max(abs(effort_hip))`, `(last(q_base.x) - first(q_base.x)) / summary.time_s`, `rms("effort_left-hip")`. A column is
//! a series, a field of the summary a number. Names with other signs than letters, digits, `_` and `.` stand in double
//! quotes.
//!
//! | act entry by entry, on both | reduce a series to a number |
//! |---|---|
//! | `+ - * / ^`, unary minus, `< <= > >=`, `and`, `or`, `abs`, `sqrt`, `sin`, `cos`, `min(a, b, …)`, `max(a, b, …)` | `first`, `last`, `min`, `max`, `mean`, `rms`, `integral` |
//!
//! A comparison is 1 where it holds and 0 elsewhere; conditions and heights are such expressions of numbers instead of series.
//! `^` binds tightest and to the right, unary minus looser than `^`. `integral` is over time by trapezoids, exact for
//! series that are linear between rows; `mean` is over rows and not over time. Units are those of the columns: SI. A
//! result that is a series is an error; a wrong name is answered with the nearest one, wrong grammar with its place.
//!
//! # Limits
//!
//! There are no events and no columns of other runs. `min` and `max` of one series reduce it, of several
//! arguments they act entry by entry.
//!
//! # Example
//!
//! ```
//! use carom::metric::{Expression, Names, Quantity};
//!
//! struct Fall;
//! impl Names for Fall {
//!     fn value(&self, name: &str) -> Option<Quantity> {
//!         (name == "q_base.z").then(|| Quantity::Series(vec![2.0, 1.5, 0.0]))
//!     }
//!     fn names(&self) -> Vec<String> {
//!         vec!["q_base.z".into()]
//!     }
//!     fn times(&self) -> &[f64] {
//!         &[0.0, 1.0, 2.0]
//!     }
//! }
//! let value = |text: &str| Expression::parse(text).and_then(|e| e.evaluate(&Fall));
//! assert_eq!(value("first(q_base.z) - last(q_base.z)"), Ok(2.0));
//! assert_eq!(value("integral(q_base.z)"), Ok(2.5));
//! assert_eq!(value("-2^2 + max(q_base.z)"), Ok(-2.0));
//! assert!(value("max(q_bose.z)").unwrap_err().to_string().contains("q_base.z"));
//! ```

mod expression;
mod formula;
mod parser;

pub use expression::{Expression, MetricError, Names, Quantity};
pub(crate) use formula::Formula;
pub(crate) use parser::as_name;
