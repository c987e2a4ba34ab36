//! The objective of a contact on the plane of maximum compression: a convex quadratic in its two tangential impulses
//! (\[PER\]), and its minimum without the cone.

/// ½ yᵀÂ y − yᵀb̂ in the frame of the conic.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reduced {
    pub(crate) a11: f64,
    pub(crate) a12: f64,
    pub(crate) a22: f64,
    pub(crate) b1: f64,
    pub(crate) b2: f64,
}

impl Reduced {
    /// The unconstrained minimum, by the elimination of the matrix. Where the smaller eigenvalue is below `cutoff` the
    /// direction has no response of its own: its right-hand side, rounding too, is dropped and the eigenvalue raised,
    /// so that the least impulse along it is preferred.
    #[inline]
    pub(crate) fn minimum(&mut self, elimination: &Elimination, cutoff: f64) -> (f64, f64) {
        if elimination.singular {
            self.regularise(cutoff);
            return Elimination::new(self.a11, self.a12, self.a22, cutoff).solve(self);
        }
        elimination.solve(self)
    }

    #[cold]
    fn regularise(&mut self, cutoff: f64) {
        let mean = 0.5 * (self.a11 + self.a22);
        let half = 0.5 * (self.a11 - self.a22);
        let radius = half.hypot(self.a12);
        // Eigenvector of the larger eigenvalue.
        let (c, s) = if radius > 0.0 {
            let angle = 0.5 * self.a12.atan2(half);
            (angle.cos(), angle.sin())
        } else {
            (1.0, 0.0)
        };
        let mut large = mean + radius;
        let mut small = mean - radius;
        let mut b_large = c * self.b1 + s * self.b2;
        let mut b_small = c * self.b2 - s * self.b1;
        if small <= cutoff {
            small = 100.0 * cutoff;
            b_small = 0.0;
        }
        if large <= cutoff {
            large = 100.0 * cutoff;
            b_large = 0.0;
        }
        self.a11 = c * c * large + s * s * small;
        self.a12 = c * s * (large - small);
        self.a22 = s * s * large + c * c * small;
        self.b1 = c * b_large - s * b_small;
        self.b2 = s * b_large + c * b_small;
    }

    #[inline]
    pub(crate) fn gradient(&self, y: (f64, f64)) -> (f64, f64) {
        (
            self.a11 * y.0 + self.a12 * y.1 - self.b1,
            self.a12 * y.0 + self.a22 * y.1 - self.b2,
        )
    }

    #[inline]
    pub(crate) fn curvature(&self, d: (f64, f64)) -> f64 {
        self.a11 * d.0 * d.0 + 2.0 * self.a12 * d.0 * d.1 + self.a22 * d.1 * d.1
    }

    /// The same objective with the second axis reversed.
    pub(crate) fn mirrored(&self) -> Self {
        Self {
            a12: -self.a12,
            b2: -self.b2,
            ..*self
        }
    }
}

/// The elimination of a reduced matrix from its larger pivot, for as many right-hand sides as come: the adjugate would
/// lose the residual of an ill-conditioned block.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Elimination {
    /// Whether the smaller eigenvalue is below the cutoff.
    singular: bool,
    /// Whether the pivot is the first entry of the diagonal.
    first: bool,
    /// Coupling over the pivot.
    ratio: f64,
    /// What the elimination leaves of the other entry.
    rest: f64,
}

impl Elimination {
    #[inline]
    pub(crate) fn new(a11: f64, a12: f64, a22: f64, cutoff: f64) -> Self {
        let trace = a11 + a22;
        let determinant = a11 * a22 - a12 * a12;
        let first = a11 >= a22;
        let (pivot, other) = if first { (a11, a22) } else { (a22, a11) };
        let ratio = a12 / pivot;
        Self {
            // The smaller eigenvalue is at least determinant / trace and at most twice that.
            singular: determinant <= 2.0 * cutoff * trace || trace <= 2.0 * cutoff,
            first,
            ratio,
            rest: other - ratio * a12,
        }
    }

    #[inline]
    fn solve(&self, f: &Reduced) -> (f64, f64) {
        if self.first {
            let second = (f.b2 - self.ratio * f.b1) / self.rest;
            ((f.b1 - f.a12 * second) / f.a11, second)
        } else {
            let first = (f.b1 - self.ratio * f.b2) / self.rest;
            (first, (f.b2 - f.a12 * first) / f.a22)
        }
    }
}
