//! One propagative run: reflect violated contacts in a given order until none is left.
//!
//! A reflection at k maps z ← z − 2 z_k Ĝ_{·k} and adds λ̂_k = −2 z_k > 0: O(m), whatever the number of
//! degrees of freedom \[SM, eq. 7\].

use crate::impact::order::Selector;
use crate::impact::unit_contacts::UnitContacts;
use crate::impact::{ContactSpace, ImpactError, ImpactStatus};

/// State of a run; the vectors have one entry a contact.
#[derive(Debug, Clone, Default)]
pub(crate) struct Propagation {
    pub(crate) approach: Vec<f64>,
    pub(crate) unit_impulse: Vec<f64>,
    pub(crate) work: Vec<f64>,
    pub(crate) word: Vec<usize>,
    pub(crate) reflections: u64,
}

impl Propagation {
    /// Runs from the pre-impact state. Stops after `limit` reflections; keeps the word when `record` is set.
    pub(crate) fn run(
        &mut self,
        unit: &UnitContacts,
        mut selector: Selector,
        limit: u64,
        record: bool,
    ) -> ImpactStatus {
        self.reset(unit);
        while let Some(k) = selector.select(&self.approach, &unit.floor) {
            if self.reflections == limit {
                return ImpactStatus::NotTerminated;
            }
            self.reflect(unit, k);
            if record {
                self.word.push(k);
            }
        }
        ImpactStatus::Resolved
    }

    pub(crate) fn reset(&mut self, unit: &UnitContacts) {
        let m = unit.len();
        self.approach.clear();
        self.approach.extend_from_slice(&unit.approach);
        for vector in [&mut self.unit_impulse, &mut self.work] {
            vector.clear();
            vector.resize(m, 0.0);
        }
        self.word.clear();
        self.reflections = 0;
    }

    pub(crate) fn reflect(&mut self, unit: &UnitContacts, k: usize) {
        let z = unit.reflect(&mut self.approach, k);
        self.unit_impulse[k] -= 2.0 * z;
        self.work[k] += 0.5 * z * z;
        self.reflections += 1;
    }
}

/// Impulses along the normals, one a contact \[N s\], of the run in which the first violated contact of `order` reflects
/// next; none where more than `limit` reflections do not end it. A contact is violated beyond the share `tolerance` of
/// the velocities that it is coupled to.
///
/// # Errors
/// A contact space that is not valid.
pub fn impulses_by_priority(
    space: &ContactSpace,
    order: &[usize],
    tolerance: f64,
    limit: u64,
) -> Result<Option<Vec<f64>>, ImpactError> {
    let mut unit = UnitContacts::default();
    unit.load(space)?;
    unit.set_tolerance(tolerance)?;
    let mut run = Propagation::default();
    run.reset(&unit);
    let first = |z: &[f64]| order.iter().copied().find(|&k| unit.is_violated(k, z[k]));
    while let Some(k) = first(&run.approach) {
        if run.reflections == limit {
            return Ok(None);
        }
        run.reflect(&unit, k);
    }
    let by_length = run.unit_impulse.iter().zip(&unit.length);
    Ok(Some(by_length.map(|(x, length)| x / length).collect()))
}
