//! What the pictures of a run show, from its tables.

use crate::impact::Verdict;
use crate::record::EventRow;
use crate::scenario::Experiment;

/// More points than this a curve are thinned: a picture has fewer pixels.
const MOST_POINTS: usize = 2000;

/// The points of a curve; of many points, the lowest and the highest of each group, so that no peak
/// is lost.
pub(crate) fn thinned(times: &[f64], values: &[f64], offset: f64) -> Vec<(f64, f64)> {
    let points = || {
        times
            .iter()
            .zip(values)
            .map(|(t, x)| (*t, x - offset))
            .filter(|(_, x)| x.is_finite())
    };
    let count = values.len();
    if count <= MOST_POINTS {
        return points().collect();
    }
    let all: Vec<(f64, f64)> = points().collect();
    let group = count.div_ceil(MOST_POINTS / 2);
    let mut kept = Vec::with_capacity(MOST_POINTS + 2);
    for chunk in all.chunks(group) {
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (Some(low), Some(high)) =
            (chunk.iter().min_by(by_value), chunk.iter().max_by(by_value))
        else {
            continue;
        };
        let (first, second) = if low.0 <= high.0 {
            (low, high)
        } else {
            (high, low)
        };
        kept.push(*first);
        if second != first {
            kept.push(*second);
        }
    }
    kept
}

/// Rows whose configurations are worth a point of a picture: the first, and then equally many apart.
pub(crate) fn rows_for_pictures(count: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(count.div_ceil(MOST_POINTS).max(1))
}

/// When contacts were held and struck.
pub(crate) struct ContactPhases {
    /// Names of the contacts.
    pub names: Vec<String>,
    /// Contact, from, to \[s\].
    pub held: Vec<(usize, f64, f64)>,
    /// Contact, time \[s\], whether the impact was not unique: ambiguous, or not decided.
    pub impacts: Vec<(usize, f64, bool)>,
}

impl ContactPhases {
    /// From the events of a run; contacts that are held at its end are held until `end`.
    pub fn new(events: &[EventRow], experiment: &Experiment, end: f64) -> Self {
        let contacts = &experiment.contacts;
        let names: Vec<String> = (0..contacts.len())
            .map(|i| contacts.name(i).to_string())
            .collect();
        let mut since = vec![None; names.len()];
        let (mut held, mut impacts) = (Vec::new(), Vec::new());
        for event in events {
            let time = event.time;
            for (k, name) in event.contacts.iter().enumerate() {
                let Some(i) = names.iter().position(|n| n == name) else {
                    continue;
                };
                match (event.kind.as_str(), &event.impact) {
                    ("hold", _) => since[i] = Some(time),
                    ("release", _) => held.extend(since[i].take().map(|from| (i, from, time))),
                    (_, Some(impact)) if impact.impulses[k][0] > 0.0 => {
                        impacts.push((i, time, impact.verdict.unique != Verdict::Unique));
                    }
                    _ => {}
                }
            }
        }
        for (i, from) in since.into_iter().enumerate() {
            held.extend(from.map(|from| (i, from, end)));
        }
        Self {
            names,
            held,
            impacts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::thinned;

    #[test]
    fn thinning_keeps_every_peak() {
        let n = 50_000;
        let times: Vec<f64> = (0..n).map(f64::from).collect();
        let mut values = vec![0.0; n as usize];
        values[31_234] = 7.0;
        values[40_001] = -3.0;
        let points = thinned(&times, &values, 1.0);
        assert!(points.len() < 2100, "{}", points.len());
        assert!(points.contains(&(31_234.0, 6.0)));
        assert!(points.contains(&(40_001.0, -4.0)));
        assert!(points.windows(2).all(|w| w[0].0 < w[1].0));
    }
}
