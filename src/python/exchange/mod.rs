//! What goes between Python and the library: numbers and arrays, settings, sources, errors.

mod errors;
mod live;
mod numbers;
pub(super) mod settings;
pub(super) mod source;

pub(super) use errors::{Answered, Exception, argument, raise, wrong_type};
pub(super) use live::LiveArray;
pub(super) use numbers::{matrix, read_array, read_vector, tuple, vector};
