//! What the matrix of a contact block says by itself about its two tangents: the same for every velocity that the
//! block meets while the impulses of other contacts change.

use nalgebra::Matrix3;

use super::reduced::{Elimination, Reduced};

/// A tangential response smaller than this share of the tangent block is rounding of a zero one.
pub(crate) const SINGULAR: f64 = 1e-14;

/// The tangential axes of a block, the first along its coupling with the normal, and Â of \[PER\] in them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TangentFrame {
    /// ‖(A_nt, A_no)‖/A_nn.
    pub(crate) coupling: f64,
    /// Whether every tangential direction responds alike and none couples with the normal.
    pub(crate) is_isotropic: bool,
    cos: f64,
    sin: f64,
    a11: f64,
    a12: f64,
    a22: f64,
    elimination: Elimination,
    /// Smallest eigenvalue of Â that is not rounding.
    cutoff: f64,
}

impl TangentFrame {
    /// The frame of A, rows normal, tangent, second tangent.
    #[inline]
    pub(crate) fn new(a: &Matrix3<f64>) -> Self {
        let (nn, nt, no) = (a[(0, 0)], a[(1, 0)], a[(2, 0)]);
        let coupling = nt.hypot(no) / nn;
        // The tangential axis along which normal and tangential motion couple; any without coupling.
        let (cos, sin) = if coupling > 0.0 {
            (nt / (nn * coupling), no / (nn * coupling))
        } else {
            (1.0, 0.0)
        };
        let (tt, to, oo) = (a[(1, 1)], a[(1, 2)], a[(2, 2)]);
        let a11 = cos * cos * tt + 2.0 * cos * sin * to + sin * sin * oo - coupling * coupling * nn;
        let a12 = cos * sin * (oo - tt) + (cos * cos - sin * sin) * to;
        let a22 = sin * sin * tt - 2.0 * cos * sin * to + cos * cos * oo;
        let cutoff = SINGULAR * (tt + oo);
        Self {
            coupling,
            is_isotropic: coupling == 0.0 && to == 0.0 && tt == oo,
            cos,
            sin,
            a11,
            a12,
            a22,
            elimination: Elimination::new(a11, a12, a22, cutoff),
            cutoff,
        }
    }

    /// The objective in the tangential impulses for b = (`bn`, `bt`, `bo`), and its unconstrained minimum.
    #[inline]
    pub(crate) fn minimum(&self, bn: f64, bt: f64, bo: f64) -> (Reduced, (f64, f64)) {
        let (cos, sin) = (self.cos, self.sin);
        let mut reduced = Reduced {
            a11: self.a11,
            a12: self.a12,
            a22: self.a22,
            b1: cos * bt + sin * bo - self.coupling * bn,
            b2: cos * bo - sin * bt,
        };
        let stick = reduced.minimum(&self.elimination, self.cutoff);
        (reduced, stick)
    }

    /// A tangential impulse of this frame in the tangents of the block.
    #[inline]
    pub(crate) fn turned(&self, y: (f64, f64)) -> (f64, f64) {
        (
            self.cos * y.0 - self.sin * y.1,
            self.sin * y.0 + self.cos * y.1,
        )
    }
}
