//! Every law on every kind of problem: what [`LawProperties`] declares is what is so.
//!
//! | declared | asserted, on each problem that the law accepts |
//! |---|---|
//! | always | p⁺ = p⁻ + CᵀΛ, Λ_n ≥ 0, no contact closes afterwards, energy does not grow; the fast path agrees; the same in other units and other coordinates |
//! | `friction` | ‖Λ_t‖ ≤ μ Λ_n; without it friction is refused |
//! | `restitution` | without it the coefficient changes nothing |
//! | `set_valued` | without it one outcome, whatever is asked for |
//! | `order_independent` | contacts listed in another order have the same outcome |
//! | `conserves_energy` | restitution 1 without friction keeps the energy |
//! | `several_contacts` | problems with several are accepted |

use carom::impact::settings::KeyRole;
use carom::impact::{Contact, ImpactLaw, ImpactProblem, ImpactStatus, Outcome, PreImpact};
use carom::laws::{LawEntry, LawRegistry};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use crate::random_impacts::Random;

/// Of the norm of the momentum before the impact, squared for energies. The iterative laws stop at residuals of 1e-10
/// of that scale, in a Delassus matrix whose condition is below 1e3.
const BOUND: f64 = 1e-7;

/// A problem in its parts.
#[derive(Clone)]
struct Posed {
    name: &'static str,
    mass: DMatrix<f64>,
    velocity: DVector<f64>,
    /// Normal and tangents of each contact.
    rows: Vec<Vec<DVector<f64>>>,
    friction: f64,
    restitution: f64,
}

impl Posed {
    fn random(name: &'static str, seed: u64, contacts: usize, tangents: usize) -> Self {
        let mut random = Random::new(seed);
        let n = 6;
        let mass = random.mass_matrix(n);
        let away = random.vector(n);
        let rows = (0..contacts)
            .map(|_| {
                let normal = random.vector(n);
                let normal = if normal.dot(&away) < 0.0 {
                    -normal
                } else {
                    normal
                };
                let tangents = (0..tangents).map(|_| random.vector(n));
                std::iter::once(normal).chain(tangents).collect()
            })
            .collect();
        Self {
            name,
            mass,
            velocity: random.vector(n) - away * 2.0,
            rows,
            friction: if tangents > 0 { 0.4 } else { 0.0 },
            restitution: 0.0,
        }
    }

    /// Contacts whose normals are orthogonal in the kinetic metric, each with a tangent of its own.
    fn orthogonal(name: &'static str, contacts: usize, tangents: usize) -> Self {
        let n = 6;
        let unit = |i: usize| DVector::from_fn(n, |k, _| f64::from(u8::from(k == i)));
        let rows = (0..contacts)
            .map(|c| {
                let tangents = (0..tangents).map(|_| unit(contacts + c));
                std::iter::once(unit(c)).chain(tangents).collect()
            })
            .collect();
        Self {
            name,
            mass: DMatrix::identity(n, n),
            velocity: DVector::from_column_slice(&[-1.03, -0.57, 0.31, 0.73, -0.23, 0.41]),
            rows,
            friction: if tangents > 0 { 0.4 } else { 0.0 },
            restitution: 0.0,
        }
    }

    /// One contact whose sliding couples into its normal by so much that Coulomb friction has three solutions: the
    /// Delassus matrix of a body of 230 kg with most of its mass on a long arm, friction 3.7.
    fn leaning(name: &'static str) -> Self {
        let normal = Vector3::new(0.25, 0.36, -0.9).normalize();
        let tangent = normal.cross(&Vector3::x()).normalize();
        let frame = Matrix3::from_columns(&[normal, tangent, normal.cross(&tangent)]);
        let arm = Vector3::new(10.0, 0.0, 0.0).cross_matrix();
        let turning = Matrix3::from_diagonal(&Vector3::new(230.0, 106.0, 136.0).map(f64::recip));
        let delassus =
            frame.transpose() * (Matrix3::identity() / 230.06 - arm * turning * arm) * frame;
        let mass = delassus.try_inverse().expect("a body can move every way");
        let velocity = -(frame.transpose() * Vector3::new(0.06, 0.7, 0.23));
        let unit = |i: usize| DVector::from_fn(3, |k, _| f64::from(u8::from(k == i)));
        Self {
            name,
            mass: DMatrix::from_column_slice(3, 3, mass.as_slice()),
            velocity: DVector::from_column_slice(velocity.as_slice()),
            rows: vec![(0..3).map(unit).collect()],
            friction: 3.7,
            restitution: 0.0,
        }
    }

    fn all() -> Vec<Self> {
        vec![
            Self::orthogonal("one contact", 1, 0),
            Self::orthogonal("orthogonal normals", 2, 0),
            Self::random("two contacts", 1, 2, 0),
            Self::random("three contacts", 2, 3, 0),
            Self::orthogonal("one contact with friction", 1, 1),
            Self::orthogonal("orthogonal contacts with friction", 2, 1),
            Self::random("two planar contacts with friction", 3, 2, 1),
            Self::random("a spatial contact with friction", 4, 1, 2),
            Self::random("two spatial contacts with friction", 5, 2, 2),
            Self::leaning("a spatial contact that friction presses on"),
        ]
    }

    /// The problem with its contacts in this order.
    fn ordered(&self, order: &[usize]) -> ImpactProblem {
        let contacts: Vec<Contact> = order
            .iter()
            .map(|&c| {
                let (normal, tangents) = self.rows[c].split_first().unwrap();
                let contact = Contact::new(&format!("c{c}"), normal.clone())
                    .with_restitution(self.restitution);
                if tangents.is_empty() {
                    contact
                } else {
                    contact.with_friction(tangents.to_vec(), self.friction)
                }
            })
            .collect();
        let before = PreImpact::Velocity(self.velocity.clone());
        ImpactProblem::new(self.mass.clone(), before, &contacts).unwrap()
    }

    fn problem(&self) -> ImpactProblem {
        self.ordered(&(0..self.rows.len()).collect::<Vec<_>>())
    }

    fn has_friction(&self) -> bool {
        self.friction > 0.0
    }

    /// The same in coordinates x with v = T x: M becomes TᵀMT and rows C become C T.
    fn in_coordinates(&self, t: &DMatrix<f64>) -> Self {
        let turned = |row: &DVector<f64>| t.transpose() * row;
        Self {
            mass: t.transpose() * &self.mass * t,
            velocity: t.clone().lu().solve(&self.velocity).unwrap(),
            rows: self
                .rows
                .iter()
                .map(|c| c.iter().map(turned).collect())
                .collect(),
            ..self.clone()
        }
    }
}

/// Every law with every problem and restitution that it accepts.
fn for_each(mut check: impl FnMut(&LawEntry, &Posed, &str)) {
    let mut checked = 0;
    for entry in LawRegistry::standard().entries() {
        let properties = entry.build().unwrap().properties();
        for posed in Posed::all() {
            if posed.has_friction() && !properties.friction {
                continue;
            }
            for restitution in [0.0, 0.5, 1.0] {
                let posed = Posed {
                    restitution,
                    ..posed.clone()
                };
                let place = format!("{} on {}, e = {restitution}", entry.name, posed.name);
                check(entry, &posed, &place);
                checked += 1;
            }
        }
    }
    assert!(checked > 150, "{checked} pairs of a law and a problem");
}

fn outcomes(law: &mut dyn ImpactLaw, problem: &ImpactProblem, place: &str) -> Vec<Outcome> {
    let resolution = law
        .resolve(problem)
        .unwrap_or_else(|e| panic!("{place}: {e}"));
    assert!(!resolution.outcomes.is_empty(), "{place}");
    resolution.outcomes
}

fn first(entry: &LawEntry, problem: &ImpactProblem, place: &str) -> Outcome {
    outcomes(entry.build().unwrap().as_mut(), problem, place).swap_remove(0)
}

/// How far two velocities are apart beside the momentum before the impact, in the kinetic metric.
fn apart(problem: &ImpactProblem, a: &DVector<f64>, b: &DVector<f64>) -> f64 {
    problem.kinetic_norm(&(problem.mass_matrix() * (a - b)))
        / problem.kinetic_norm(problem.momentum())
}

#[test]
fn outcomes_are_impulses_that_contacts_can_exert() {
    for_each(|entry, posed, place| {
        let problem = posed.problem();
        let mut law = entry.build().unwrap();
        let properties = law.properties();
        let space = problem.contact_space();
        let scale = problem.kinetic_norm(problem.momentum());
        for outcome in outcomes(law.as_mut(), &problem, place) {
            let mut impulse = DVector::zeros(space.rows());
            for (own, rows) in outcome.impulses.iter().zip(&space.contacts) {
                let unit = space.delassus[(rows.normal, rows.normal)].sqrt();
                let small = BOUND * scale / unit;
                assert!(own.normal >= -small, "{place}: Λ_n = {}", own.normal);
                let tangential = own.tangential.iter().map(|x| x * x).sum::<f64>().sqrt();
                if properties.friction {
                    let cone = rows.friction * own.normal;
                    assert!(
                        tangential <= cone + 10.0 * small,
                        "{place}: {tangential} beyond {cone}"
                    );
                } else {
                    assert_eq!(tangential, 0.0, "{place}");
                }
                impulse[rows.normal] = own.normal;
                for (row, x) in rows.rows().skip(1).zip(&own.tangential) {
                    impulse[row] = *x;
                }
            }
            let balance = problem.momentum_after(&impulse) - &outcome.momentum;
            assert!(
                problem.kinetic_norm(&balance) <= BOUND * scale,
                "{place}: momentum"
            );
            assert!(
                outcome.energy.after <= outcome.energy.before + BOUND * scale * scale,
                "{place}: {:?}",
                outcome.energy
            );
            if outcome.status == ImpactStatus::Resolved {
                let after = problem.rows() * &outcome.velocity;
                for rows in &space.contacts {
                    let unit = space.delassus[(rows.normal, rows.normal)].sqrt();
                    assert!(
                        after[rows.normal] >= -BOUND * scale * unit,
                        "{place}: it closes"
                    );
                }
            }
        }
    });
}

#[test]
fn the_fast_path_is_the_first_outcome() {
    for_each(|entry, posed, place| {
        let problem = posed.problem();
        let outcome = first(entry, &problem, place);
        let mut impulse = DVector::zeros(problem.contact_space().rows());
        let mut law = entry.build().unwrap();
        law.impulse(problem.contact_space(), &mut impulse)
            .unwrap_or_else(|e| panic!("{place}: {e}"));
        let velocity = problem.velocity_after(&impulse);
        let far = apart(&problem, &velocity, &outcome.velocity);
        assert!(far < BOUND, "{place}: {far}");
    });
}

#[test]
fn friction_is_refused_by_laws_without_it() {
    let mut without = 0;
    for entry in LawRegistry::standard().entries() {
        let mut law = entry.build().unwrap();
        if law.properties().friction {
            continue;
        }
        without += 1;
        let problem = Posed::orthogonal("friction", 1, 1).problem();
        let error = law.resolve(&problem).expect_err(entry.name).to_string();
        assert!(error.contains("friction"), "{}: {error}", entry.name);
    }
    assert_eq!(without, 2, "the propagative law and the plastic one");
}

#[test]
fn restitution_matters_only_to_laws_that_honour_it() {
    for_each(|entry, posed, place| {
        let honours = entry.build().unwrap().properties().restitution;
        // Half of the energy of a single contact tells one from the other.
        let tells = posed.name == "one contact" && posed.restitution > 0.0;
        let problem = posed.problem();
        let without = Posed {
            restitution: 0.0,
            ..posed.clone()
        };
        let a = first(entry, &problem, place);
        let b = first(entry, &without.problem(), place);
        let far = apart(&problem, &a.velocity, &b.velocity);
        if !honours {
            assert_eq!(far, 0.0, "{place}");
        } else if tells {
            assert!(far > 0.1, "{place}: {far}");
        }
    });
}

#[test]
fn laws_that_are_not_set_valued_have_one_outcome() {
    let mut several = Vec::new();
    for_each(|entry, posed, place| {
        let mut draft = entry.draft();
        if let Some((key, value)) = entry.exhaustive() {
            draft.set(key.name, value).unwrap();
        }
        draft.set_role(KeyRole::Samples, "256").unwrap();
        // Of several contacts, pyramids of four facets have few enough modes to try them all in a moment.
        if posed.rows.len() > 1 && entry.key("facets").is_some() {
            draft.set("facets", "4").unwrap();
        }
        let mut law = draft.build().unwrap();
        let count = outcomes(law.as_mut(), &posed.problem(), place).len();
        if law.properties().set_valued {
            if count > 1 && !several.contains(&entry.name) {
                several.push(entry.name);
            }
        } else {
            assert_eq!(count, 1, "{place}");
        }
    });
    // None declares more than it has: each set-valued law has several outcomes somewhere.
    let declared: Vec<_> = LawRegistry::standard()
        .entries()
        .iter()
        .filter(|entry| entry.build().unwrap().properties().set_valued)
        .map(|entry| entry.name)
        .collect();
    let missing: Vec<_> = declared
        .iter()
        .filter(|name| !several.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?} had one outcome everywhere");
}

#[test]
fn listing_contacts_in_another_order_changes_only_what_depends_on_it() {
    for_each(|entry, posed, place| {
        let problem = posed.problem();
        if !entry.build().unwrap().properties().order_independent {
            return;
        }
        let reversed: Vec<usize> = (0..posed.rows.len()).rev().collect();
        let a = first(entry, &problem, place);
        let b = first(entry, &posed.ordered(&reversed), place);
        let far = apart(&problem, &a.velocity, &b.velocity);
        assert!(far < BOUND, "{place}: {far}");
    });
}

#[test]
fn energy_is_kept_where_that_is_declared() {
    let mut kept = 0;
    for_each(|entry, posed, place| {
        let declared = entry.build().unwrap().properties().conserves_energy;
        if !declared || posed.restitution < 1.0 || posed.has_friction() {
            return;
        }
        let energy = first(entry, &posed.problem(), place).energy;
        let change = (energy.after - energy.before).abs() / energy.before;
        assert!(change < BOUND, "{place}: {change}");
        kept += 1;
    });
    assert!(kept >= 8, "{kept}");
}

#[test]
fn units_and_coordinates_change_nothing() {
    let mut random = Random::new(9);
    for_each(|entry, posed, place| {
        let t = random.mass_matrix(posed.velocity.len());
        let problem = posed.problem();
        let plain = first(entry, &problem, place);
        let scaled = Posed {
            mass: &posed.mass * 1e3,
            velocity: &posed.velocity * 1e-2,
            ..posed.clone()
        };
        // Speeds among the settings are in the same units.
        let mut draft = entry.draft();
        for key in entry.keys().iter().filter(|key| key.unit == "m/s") {
            // A key without a default leaves the speed to the law.
            if let Ok(speed) = key.default.parse::<f64>() {
                draft.set(key.name, &(speed * 1e-2).to_string()).unwrap();
            }
        }
        let mut law = draft.build().unwrap();
        let heavy = outcomes(law.as_mut(), &scaled.problem(), place).swap_remove(0);
        let far = apart(&problem, &(heavy.velocity * 1e2), &plain.velocity);
        assert!(far < BOUND, "{place}, other units: {far}");
        let elsewhere = first(entry, &posed.in_coordinates(&t).problem(), place);
        let far = apart(&problem, &(&t * elsewhere.velocity), &plain.velocity);
        assert!(far < BOUND, "{place}, other coordinates: {far}");
    });
}

#[test]
fn what_is_drawn_depends_on_the_seed_alone() {
    for_each(|entry, posed, place| {
        let problem = posed.problem();
        let drawn = |seed: u64| {
            let mut law = entry.build().unwrap();
            law.reseed(seed);
            outcomes(law.as_mut(), &problem, place)
                .swap_remove(0)
                .velocity
        };
        assert_eq!(drawn(3), drawn(3), "{place}");
        if !entry.build().unwrap().draws_at_random() {
            assert_eq!(drawn(3), drawn(4), "{place} draws");
        }
    });
}
