/// How frictional problems were solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct FrictionCounts {
    /// Problems posed.
    pub problems: u64,
    /// Solved with no contact sliding, by the modes of the instant before.
    pub stuck: u64,
    /// Solved by Newton steps from the modes of the instant before.
    pub newton: u64,
    /// Solved by proximal steps.
    pub proximal: u64,
    /// Solved by Newton steps from the problem with polygons in place of discs.
    pub polygons: u64,
    /// Solved by trying every combination of modes.
    pub enumerated: u64,
    /// Not solved: the step is halved.
    pub unsolved: u64,
}
