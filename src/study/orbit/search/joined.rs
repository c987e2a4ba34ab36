//! Orbits that exist on a jump alone: on them contacts strike together, and motions beside them meet the contacts one after
//! the other and end elsewhere.
//!
//! Newton's method cannot come to rest there: whatever side it tries, the map is another one. Where strikes that are close
//! are joined to one impact, the law decides for all of them as it does on the orbit itself, and the map has no jump; on the
//! orbit both maps are the same. So the orbit of the joined map is looked for, and kept if it is one of the map.

use super::{CLOSED, Found, Search, size};
use crate::hybrid::EventKind;
use crate::study::orbit::OrbitError;

/// Gaps up to which contacts strike together [m].
const JOINED: [f64; 3] = [1e-6, 1e-5, 1e-4];

impl Search<'_> {
    /// From where a search has ended without an orbit; `None` if there is none on a jump either.
    pub(super) fn on_a_jump(&self, ended: &Found) -> Result<Option<Found>, OrbitError> {
        if !several_strike(ended) {
            return Ok(None);
        }
        let mut z = ended.z.clone();
        for gap in JOINED {
            let mut experiment = self.experiment.clone();
            experiment.scenario.impact.simultaneity = gap;
            let joined = Search {
                experiment: &experiment,
                ..self.same()
            };
            let found = match joined.newton(z.clone()) {
                Ok(found) => found,
                // Beside the orbit a motion need not come back.
                Err(OrbitError::Scenario(error)) => return Err(error.into()),
                Err(_) => continue,
            };
            if found.residual > CLOSED {
                if found.residual < ended.residual {
                    z = found.z;
                }
                continue;
            }
            let (image, stride) = self.at(&found.z)?;
            let residual = size(&(&image - &found.z), &found.z);
            if residual <= CLOSED {
                return Ok(Some(Found {
                    residual,
                    stride,
                    iterations: ended.iterations + found.iterations,
                    ..found
                }));
            }
        }
        Ok(None)
    }
}

/// Whether two contacts strike on the way.
fn several_strike(found: &Found) -> bool {
    let strikes = |kind| matches!(kind, EventKind::Impact | EventKind::Limit);
    let events = found.stride.events.iter().filter(|e| strikes(e.kind));
    let mut contacts = events.flat_map(|e| e.contacts.iter());
    let first = contacts.next();
    contacts.any(|c| Some(c) != first)
}
