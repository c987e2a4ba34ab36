//! The room numerics.

mod dense_inverse;
mod dense_product;
mod dot;
mod drawn_out;
mod general_factor;
mod least_squares;
mod lemke;
mod lemke_dictionary;
mod memory;
mod permutations;
mod pivoted_factor;
mod pseudo_inverse;
mod semidefinite;
mod symmetric_factor;
mod tiles;

pub(crate) use dense_inverse::DenseInverse;
pub(crate) use dense_product::{add_product, add_product_transposed};
pub(crate) use dot::{add_columns, add_columns_apart, add_scaled, subtract_scaled};
#[doc(hidden)]
pub use dot::{dot, dot_in_order, larger, largest};
pub(crate) use drawn_out::slope_and_error;
#[doc(hidden)]
pub use drawn_out::{drawn_out, drawn_out_derivative};
pub(crate) use general_factor::GeneralFactor;
pub(crate) use least_squares::LeastSquares;
pub use lemke::{LcpReport, LcpStatus, Lemke};
pub(crate) use memory::make_room;
pub(crate) use permutations::next_permutation;
#[doc(hidden)]
pub use permutations::permutations;
pub(crate) use pseudo_inverse::PseudoInverse;
pub(crate) use semidefinite::SemidefiniteFactor;
pub(crate) use symmetric_factor::SymmetricFactor;
