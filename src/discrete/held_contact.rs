//! A contact that is held closed over steps.

use super::{HeldMode, HeldRows};

/// A contact that is held closed, and what it did in the last step.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct HeldContact {
    /// Index into the [`Contacts`](crate::contact::Contacts).
    pub contact: usize,
    /// Modes at the start and at the end of the last step: the first guess for the next one.
    pub modes: [HeldMode; 2],
    /// Impulse at the start of the last step: normal, then tangents \[N s\].
    pub start_impulse: [f64; 3],
    /// Impulse at the end of the last step \[N s\].
    pub end_impulse: [f64; 3],
    /// Gap at the end of the last step \[m\].
    pub gap: f64,
    /// Normal velocity at the end of the last step \[m/s\].
    pub normal_velocity: f64,
    /// Sliding velocity at the end of the last step, in its tangents \[m/s\]; `None` when it is not
    /// that of the present moment: the contact has just closed, or an impact changed it.
    pub slip: Option<[f64; 2]>,
}

impl HeldContact {
    /// A contact that has just closed.
    #[must_use]
    pub fn new(contact: usize) -> Self {
        Self {
            contact,
            modes: [HeldMode::Stick; 2],
            start_impulse: [0.0; 3],
            end_impulse: [0.0; 3],
            gap: 0.0,
            normal_velocity: 0.0,
            slip: None,
        }
    }

    /// Sum of the impulses of the last step: normal, then tangents \[N s\].
    #[must_use]
    pub fn impulse(&self) -> [f64; 3] {
        [0, 1, 2].map(|k| self.start_impulse[k] + self.end_impulse[k])
    }

    /// Takes in the mode and the impulse at the step's start (0) or end (1).
    pub(super) fn record(&mut self, end: usize, mode: HeldMode, rows: &HeldRows, impulse: &[f64]) {
        let mut own = [0.0; 3];
        own[..=rows.tangents].copy_from_slice(&impulse[rows.row..=rows.row + rows.tangents]);
        self.modes[end] = mode;
        if end == 0 {
            self.start_impulse = own;
        } else {
            self.end_impulse = own;
        }
    }
}
