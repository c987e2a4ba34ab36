use super::special::LOCATED;
use super::*;

/// A map of (z, s), with its derivative.
struct Maps<I, D>(I, D);

impl<I, D> Family for Maps<I, D>
where
    I: Fn(&DVector<f64>, f64) -> DVector<f64>,
    D: Fn(&DVector<f64>, f64) -> DMatrix<f64>,
{
    fn image(&self, z: &DVector<f64>, share: f64) -> Result<DVector<f64>, OrbitError> {
        Ok(self.0(z, share))
    }

    fn slope(&self, z: &DVector<f64>, share: f64) -> Result<DMatrix<f64>, OrbitError> {
        Ok(self.1(z, share))
    }
}

impl<I, D> Explored for Maps<I, D>
where
    I: Fn(&DVector<f64>, f64) -> DVector<f64>,
    D: Fn(&DVector<f64>, f64) -> DMatrix<f64>,
{
    type Seen = ();

    fn look(&self, at: &Place) -> Result<Looked<()>, OrbitError> {
        Ok(Looked {
            seen: (),
            derivative: Some(self.1(&at.z, at.share)),
            mark: if at.z[0] > 0.5 { "high" } else { "low" }.to_string(),
        })
    }
}

fn one(x: f64) -> DVector<f64> {
    DVector::from_element(1, x)
}

fn at_zero(z: DVector<f64>) -> Start {
    Start {
        z,
        share: 0.0,
        heading: 1.0,
        along: Along { sheet: 0, arc: 0.0 },
    }
}

/// x + a − x² with a = 0.9 − 2s: fixed points ±√a, which end in a fold at s = 0.45; the mark changes at x = 1/2, where
/// s = 0.325.
#[test]
fn a_fold_is_passed_and_both_sides_have_rows() {
    let maps = Maps(
        |z: &DVector<f64>, s: f64| one(z[0] + 0.9 - 2.0 * s - z[0] * z[0]),
        |z: &DVector<f64>, _: f64| DMatrix::from_element(1, 1, 1.0 - 2.0 * z[0]),
    );
    let track = follow(&maps, at_zero(one(0.9_f64.sqrt())), 11).unwrap();
    assert_eq!(track.ended, None);
    let [fold] = &track.located[..] else {
        panic!("{}", track.located.len());
    };
    assert_eq!((fold.what, fold.along.sheet), (Special::Fold, 0));
    // The parameter is flat there: it is known far better than the part of the way.
    assert!((fold.node.place.share - 0.45).abs() < 1e-9);
    let shares: Vec<f64> = track.rows.iter().map(|(n, _)| n.place.share).collect();
    let wanted = [0.0, 0.1, 0.2, 0.3, 0.4, 0.4, 0.3, 0.2, 0.1, 0.0];
    assert_eq!(shares.len(), 10, "{shares:?}");
    for ((node, along), wanted) in track.rows.iter().zip(wanted) {
        assert!((node.place.share - wanted).abs() < 1e-15);
        let sign = if along.sheet == 0 { 1.0 } else { -1.0 };
        let exact = sign * (0.9 - 2.0 * wanted).sqrt();
        assert!(
            (node.place.z[0] - exact).abs() < 1e-9,
            "{} {exact}",
            node.place.z[0]
        );
    }
    let arcs: Vec<f64> = track.rows.iter().map(|(_, along)| along.arc).collect();
    assert!(arcs.is_sorted_by(|a, b| a < b));
    let [change] = &track.changes[..] else {
        panic!("{}", track.changes.len());
    };
    assert!((change.share - 0.325).abs() < 2e-7 && change.within <= LOCATED);
    assert_eq!(change.marks, ["high".to_string(), "low".to_string()]);
}

/// r x (1 − x): at r = 1 the branches 0 and 1 − 1/r cross, at r = 3 the period doubles.
#[test]
fn the_logistic_map_doubles_at_three_and_branches_at_one() {
    let r = |s: f64| 0.5 + 3.0 * s;
    let maps = Maps(
        move |z: &DVector<f64>, s: f64| one(r(s) * z[0] * (1.0 - z[0])),
        move |z: &DVector<f64>, s: f64| DMatrix::from_element(1, 1, r(s) * (1.0 - 2.0 * z[0])),
    );
    let nought = follow(&maps, at_zero(one(0.0)), 7).unwrap();
    let found: Vec<(Special, f64)> = (nought.located.iter())
        .map(|l| (l.what, r(l.node.place.share)))
        .collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, Special::BranchPoint);
    assert!((found[0].1 - 1.0).abs() < 1e-6);
    let r = |s: f64| 3.5 - 1.5 * s;
    let maps = Maps(
        move |z: &DVector<f64>, s: f64| one(r(s) * z[0] * (1.0 - z[0])),
        move |z: &DVector<f64>, s: f64| DMatrix::from_element(1, 1, r(s) * (1.0 - 2.0 * z[0])),
    );
    let other = follow(&maps, at_zero(one(1.0 - 1.0 / 3.5)), 7).unwrap();
    let [doubling] = &other.located[..] else {
        panic!("{}", other.located.len());
    };
    assert_eq!(doubling.what, Special::PeriodDoubling);
    assert!((r(doubling.node.place.share) - 3.0).abs() < 1e-6);
}

/// The delayed logistic map x' = r x (1 − y), y' = x: the pair is on the circle at r = 2, at 60 degrees.
#[test]
fn a_pair_passes_the_circle_where_the_delayed_logistic_map_has_it() {
    let r = |s: f64| 1.6 + s;
    let maps = Maps(
        move |z: &DVector<f64>, s: f64| DVector::from_vec(vec![r(s) * z[0] * (1.0 - z[1]), z[0]]),
        move |z: &DVector<f64>, s: f64| {
            DMatrix::from_row_slice(2, 2, &[r(s) * (1.0 - z[1]), -r(s) * z[0], 1.0, 0.0])
        },
    );
    let start = 1.0 - 1.0 / 1.6;
    let track = follow(&maps, at_zero(DVector::from_element(2, start)), 6).unwrap();
    let [found] = &track.located[..] else {
        panic!("{}", track.located.len());
    };
    assert_eq!(found.what, Special::NeimarkSacker);
    assert!((r(found.node.place.share) - 2.0).abs() < 1e-6);
    let [re, im] = found.multiplier.unwrap();
    assert!((re - 0.5).abs() < 1e-6 && (im - 0.75_f64.sqrt()).abs() < 1e-6);
}

/// Two real multipliers whose product passes 1 are no bifurcation: diag(2, 1/4 + s/2) at s = 1/2.
#[test]
fn a_neutral_saddle_is_told_apart() {
    let maps = Maps(
        |z: &DVector<f64>, s: f64| DVector::from_vec(vec![2.0 * z[0], (0.25 + 0.5 * s) * z[1]]),
        |_: &DVector<f64>, s: f64| {
            DMatrix::from_diagonal(&DVector::from_vec(vec![2.0, 0.25 + 0.5 * s]))
        },
    );
    let track = follow(&maps, at_zero(DVector::zeros(2)), 5).unwrap();
    assert_eq!((track.located.len(), track.rows.len()), (0, 5));
}
