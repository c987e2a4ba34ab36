//! The frictional problem of one end of a step: rows, modes, and what is demanded of the impulses.

/// Rows of one contact, or of the dry friction of one joint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FrictionRows {
    /// First row: of the normal if there is one, else of the first tangent. The others follow it.
    pub row: usize,
    /// Whether there is a normal: a contact has one, a joint has not.
    pub normal: bool,
    /// Number of tangent rows, 0 to 2.
    pub tangents: usize,
    /// Coefficient of friction μ.
    pub friction: f64,
    /// Friction impulse that needs no normal impulse \[N s or N m s\]: that of a joint. Negative in a two-sided
    /// step back in time.
    pub limit: f64,
}

impl FrictionRows {
    /// A contact whose normal is `row`, followed by its tangents.
    #[must_use]
    pub fn contact(row: usize, tangents: usize, friction: f64) -> Self {
        Self {
            row,
            normal: true,
            tangents,
            friction,
            limit: 0.0,
        }
    }

    /// A joint with dry friction of at most the impulse `limit`.
    #[must_use]
    pub fn joint(row: usize, limit: f64) -> Self {
        Self {
            row,
            normal: false,
            tangents: 1,
            friction: 0.0,
            limit,
        }
    }

    /// Number of rows.
    #[must_use]
    pub fn height(&self) -> usize {
        usize::from(self.normal) + self.tangents
    }

    /// Row of tangent `t`.
    pub(crate) fn tangent(&self, t: usize) -> usize {
        self.row + usize::from(self.normal) + t
    }

    /// Whether it can resist slip.
    pub(crate) fn rubs(&self) -> bool {
        self.tangents > 0 && (self.friction > 0.0 || self.limit > 0.0)
    }

    /// Rows that stop when it sticks, from its first one on.
    pub(crate) fn stuck_rows(&self) -> usize {
        if self.rubs() || self.limit < 0.0 {
            self.height()
        } else {
            usize::from(self.normal)
        }
    }

    /// Largest friction impulse beside the normal impulse λ.
    pub(crate) fn radius(&self, normal_impulse: f64) -> f64 {
        self.friction * normal_impulse.max(0.0) + self.limit
    }

    /// The normal entry of `x` (r), zero without a normal.
    pub(crate) fn normal_of(&self, x: &[f64]) -> f64 {
        if self.normal { x[self.row] } else { 0.0 }
    }

    /// Its entries of `x` (r): of the normal, then of two tangents; what it does not have is zero.
    #[inline]
    pub(crate) fn entries(&self, x: &[f64]) -> [f64; 3] {
        match (self.normal, &x[self.row..self.row + self.height()]) {
            (true, [n, s, t]) => [*n, *s, *t],
            (true, [n, s]) => [*n, *s, 0.0],
            (true, [n]) => [*n, 0.0, 0.0],
            (false, [s, t]) => [0.0, *s, *t],
            (false, [s]) => [0.0, *s, 0.0],
            _ => [0.0; 3],
        }
    }

    /// The tangential entries of `x` (r).
    pub(crate) fn tangential(&self, x: &[f64]) -> [f64; 2] {
        let mut out = [0.0; 2];
        for (t, out) in out.iter_mut().enumerate().take(self.tangents) {
            *out = x[self.tangent(t)];
        }
        out
    }
}

/// What a held contact does; of a joint with dry friction, whether it sticks.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum HeldMode {
    /// No impulse.
    Open,
    /// Neither separates nor slips.
    Stick,
    /// Slips in this direction (unit, in the tangent rows).
    Slide([f64; 2]),
}

impl HeldMode {
    /// Whether another mode is the same: a slide is that turns by less than a right angle.
    pub(crate) fn goes_on_in(self, other: Self) -> bool {
        match (self, other) {
            (Self::Slide(a), Self::Slide(b)) => a[0] * b[0] + a[1] * b[1] > 0.0,
            (a, b) => a == b,
        }
    }
}

/// How the friction of a group is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FrictionRule {
    /// By maximum dissipation on its own slip.
    Coulomb,
    /// Against this direction (unit), on the edge of its cone, whatever its slip.
    Along([f64; 2]),
    /// The group takes no part.
    Off,
    /// It sticks, or stays closed where it cannot rub, by whatever impulse that takes: equations without
    /// conditions. A joint whose mode is to slide has its limit against the slip. All groups of a
    /// problem have this rule or none has.
    TwoSided,
}

/// What is left of the conditions \[m/s\], the largest over all groups.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FrictionResiduals {
    /// Approach of contacts: how far normal velocities are below zero.
    pub normal: f64,
    /// Slip of contacts and joints whose friction is not on the edge of its cone, or not against it.
    pub slip: f64,
    /// Separation of contacts that press.
    pub complementarity: f64,
}

impl FrictionResiduals {
    /// Nothing is known of the solution.
    pub const UNKNOWN: Self = Self {
        normal: f64::INFINITY,
        slip: f64::INFINITY,
        complementarity: f64::INFINITY,
    };

    /// The larger of each.
    pub(crate) fn or_worse(self, other: Self) -> Self {
        Self {
            normal: self.normal.max(other.normal),
            slip: self.slip.max(other.slip),
            complementarity: self.complementarity.max(other.complementarity),
        }
    }

    /// The largest of the three.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.normal.max(self.slip).max(self.complementarity)
    }
}

/// The velocities of the groups without impulses, and their rules.
#[derive(Debug, Clone, Copy)]
pub struct FrictionProblem<'a> {
    /// b, r.
    pub free: &'a [f64],
    /// Velocities with the impulses of the guess, r, or none where they are not known.
    pub guessed: &'a [f64],
    /// One for each group.
    pub rules: &'a [FrictionRule],
    /// Speeds \[m/s\] at which the groups slid the instant before, one for each, or none where they are not known: how
    /// hard friction resists being turned is guessed with them.
    pub slip_speeds: &'a [f64],
    /// Residuals below this \[m/s\] cannot be told from zero.
    pub resolution: f64,
    /// Residuals below this \[m/s\] do for now: an outer iteration that is still far from its end needs no
    /// more.
    pub wanted: f64,
    /// Whether impulses must stay near those of the guess where there are many: an outer iteration does not
    /// settle when they change from one to another.
    pub near: bool,
    /// Whether what satisfies the tolerance is improved as long as there is hope: an outer iteration does not
    /// settle otherwise.
    pub thorough: bool,
    /// Whether the guess solves nearly the same problem.
    pub continued: bool,
}

impl<'a> FrictionProblem<'a> {
    /// A problem to be solved as far as it goes, from any guess.
    #[must_use]
    pub fn exact(free: &'a [f64], rules: &'a [FrictionRule]) -> Self {
        Self {
            free,
            guessed: &[],
            rules,
            slip_speeds: &[],
            resolution: 0.0,
            wanted: 0.0,
            near: false,
            thorough: false,
            continued: false,
        }
    }
}
