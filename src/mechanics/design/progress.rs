/// Where a solver is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// On the way to any near root.
    Root,
    /// Along the roots to the nearest, or closing gaps.
    Nearest,
    /// Weighing what cannot all be had.
    Compromise,
}

/// One step of a solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Where it is.
    pub stage: Stage,
    /// Largest residual after the step.
    pub residual: f64,
}

/// Somebody who hears of every step.
pub type Watch<'a> = &'a dyn Fn(Progress);
