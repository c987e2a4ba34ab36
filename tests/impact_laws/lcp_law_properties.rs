//! What the LCP laws declare, on random problems.

use std::any::Any;

use carom::impact::lcp::{AnitescuPotraSettings, AnitescuPotraSolution, LcpSelection};
use carom::impact::routh::RouthSettings;
use carom::impact::sequential::{ImpactSequence, SequentialSettings};
use carom::impact::{
    AnitescuPotra, Contact, ImpactLaw, ImpactProblem, ImpactStatus, Outcome, PreImpact, Routh,
    Sequential,
};
use carom::laws::LawRegistry;
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

use crate::max_dissipation::problems::Stream;

const DOF: usize = 6;

/// Numbers from which a problem with `contacts` contacts of `tangents` tangents is made.
#[derive(Debug, Clone)]
struct Recipe {
    contacts: usize,
    tangents: usize,
    numbers: Vec<f64>,
    friction: f64,
}

fn recipe(contacts: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Recipe> {
    let numbers = prop::collection::vec(-1.0_f64..1.0, DOF * DOF + DOF + 3 * 3 * DOF);
    (contacts, 0_usize..=2, numbers, 0.0_f64..1.5).prop_map(
        |(contacts, tangents, numbers, friction)| Recipe {
            contacts,
            tangents,
            numbers,
            friction,
        },
    )
}

impl Recipe {
    /// The problem in other units (`mass`, `speed`) and with its contacts in another order.
    fn problem(&self, mass: f64, speed: f64, order: &[usize]) -> ImpactProblem {
        let a = DMatrix::from_column_slice(DOF, DOF, &self.numbers[..DOF * DOF]);
        let matrix = (&a * a.transpose() + DMatrix::identity(DOF, DOF) * 0.3) * mass;
        let rest = &self.numbers[DOF * DOF..];
        let velocity = DVector::from_column_slice(&rest[..DOF]) * speed;
        let row = |i: usize| DVector::from_column_slice(&rest[DOF * (1 + i)..DOF * (2 + i)]);
        let contact = |&c: &usize| {
            let tangents = (0..self.tangents).map(|t| row(3 * c + 1 + t)).collect();
            Contact::new(&format!("c{c}"), row(3 * c))
                .with_friction(tangents, self.friction)
                .with_restitution(0.0)
        };
        let contacts: Vec<Contact> = order.iter().map(contact).collect();
        ImpactProblem::new(matrix, PreImpact::Velocity(velocity), &contacts).unwrap()
    }

    fn plain(&self) -> ImpactProblem {
        self.problem(1.0, 1.0, &(0..self.contacts).collect::<Vec<_>>())
    }
}

/// Energy does not increase, impulses lie in the friction cone, nothing closes at the end.
fn check_outcome(problem: &ImpactProblem, outcome: &Outcome) -> Result<(), TestCaseError> {
    let energy = outcome.energy;
    // Residuals are below 1e-10 of the scale of the problem.
    let tolerance = 1e-9 * energy.before;
    prop_assert!(energy.after <= energy.before + tolerance, "{energy:?}");
    let scale = problem.kinetic_norm(problem.momentum());
    let space = problem.contact_space();
    let after = problem.rows() * &outcome.velocity;
    for (c, impulse) in outcome.impulses.iter().enumerate() {
        let rows = &space.contacts[c];
        let tangential = impulse.tangential.iter().map(|x| x * x).sum::<f64>().sqrt();
        let g = space.delassus[(rows.normal, rows.normal)];
        // The inscribed pyramid lies inside the cone.
        let small = 1e-9 * scale * (1.0 + rows.friction) * 10.0;
        prop_assert!(impulse.normal >= -small);
        prop_assert!(
            tangential <= rows.friction * impulse.normal + small,
            "{impulse:?}"
        );
        if outcome.status == ImpactStatus::Resolved {
            prop_assert!(after[rows.normal] >= -1e-9 * scale * g.sqrt());
        }
    }
    Ok(())
}

fn kinetic_distance(problem: &ImpactProblem, a: &Outcome, b: &Outcome) -> f64 {
    problem.kinetic_norm(&(&a.momentum - &b.momentum))
}

/// Pyramids of four facets: few enough modes to try all.
fn coarse(all: bool) -> AnitescuPotraSettings {
    AnitescuPotraSettings { all, facets: 4 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn simultaneous_solutions_are_complementary_and_hold_the_one_of_lemke(r in recipe(1..=3)) {
        let problem = r.plain();
        let mut law = AnitescuPotra::new(coarse(true)).unwrap();
        let all = law.resolve(&problem).unwrap();
        let scale = problem.kinetic_norm(problem.momentum());
        for outcome in &all.outcomes {
            check_outcome(&problem, outcome)?;
            let after = problem.rows() * &outcome.velocity;
            for (impulse, rows) in outcome.impulses.iter().zip(&problem.contact_space().contacts) {
                // Λ_n v_n = 0, in units of the energy.
                prop_assert!((impulse.normal * after[rows.normal]).abs() < 1e-8 * scale * scale);
            }
        }
        let mut law = AnitescuPotra::new(coarse(false)).unwrap();
        let one = law.resolve(&problem).unwrap();
        let near = |o: &Outcome| kinetic_distance(&problem, o, &one.outcomes[0]) < 1e-8 * scale;
        let inside = all.outcomes.iter().any(|o| {
            o.details.get::<AnitescuPotraSolution>().is_some_and(|found| found.continuum)
        });
        prop_assert!(inside || all.outcomes.iter().any(near));
    }

    #[test]
    fn solutions_do_not_depend_on_the_order_of_contacts(r in recipe(2..=3)) {
        let problem = r.plain();
        let order: Vec<usize> = (0..r.contacts).rev().collect();
        let turned = r.problem(1.0, 1.0, &order);
        let mut law = AnitescuPotra::new(coarse(true)).unwrap();
        let (a, b) = (law.resolve(&problem).unwrap(), law.resolve(&turned).unwrap());
        let scale = problem.kinetic_norm(problem.momentum());
        prop_assert_eq!(a.outcomes.len(), b.outcomes.len());
        for outcome in &a.outcomes {
            let near = |o: &Outcome| kinetic_distance(&problem, o, outcome) < 1e-8 * scale;
            prop_assert!(b.outcomes.iter().any(near));
        }
        let mut law = Sequential::new(SequentialSettings {
            sequence: ImpactSequence::All,
            facets: 4,
            ..SequentialSettings::default()
        })
        .unwrap();
        let (a, b) = (law.resolve(&problem).unwrap(), law.resolve(&turned).unwrap());
        // Orders that stop at the limit of steps stop somewhere on the way, which is no outcome.
        let [a, b] = [a, b].map(|answer| {
            let ended = answer.outcomes.iter().filter(|o| o.status == ImpactStatus::Resolved);
            ended.count()
        });
        prop_assert_eq!(a, b);
    }

    #[test]
    fn routh_dissipates_inside_the_cone_and_ends_open(r in recipe(1..=3), seed in 0_u64..1000) {
        let problem = r.plain();
        for selection in [LcpSelection::RandomCovering, LcpSelection::FixedCovering] {
            let settings = RouthSettings { seed, selection, facets: 6, ..RouthSettings::default() };
            let resolution = Routh::new(settings).unwrap().resolve(&problem).unwrap();
            check_outcome(&problem, &resolution.outcomes[0])?;
        }
    }

    #[test]
    fn sequential_impacts_dissipate_inside_the_cone(r in recipe(1..=3)) {
        let problem = r.plain();
        let resolution = Sequential::in_sequence(ImpactSequence::All).resolve(&problem).unwrap();
        for outcome in &resolution.outcomes {
            check_outcome(&problem, outcome)?;
        }
    }

    #[test]
    fn units_do_not_matter(r in recipe(1..=3), mass in -5..=5, speed in -10..=10) {
        // From a thousandth to a thousand, by factors that change no rounding (4 has an exact root,
        // for the factor of the mass matrix): where an increment has several solutions, rounding may
        // decide which one is met, units may not.
        let (mass, speed) = (4.0_f64.powi(mass), 2.0_f64.powi(speed));
        let order: Vec<usize> = (0..r.contacts).collect();
        let (plain, scaled) = (r.plain(), r.problem(mass, speed, &order));
        let routh = |unit: f64| {
            let step = Some(0.7 * unit);
            Routh::new(RouthSettings { step, ..RouthSettings::default() }).unwrap()
        };
        let laws: [(Box<dyn ImpactLaw>, Box<dyn ImpactLaw>); 3] = [
            (Box::new(routh(1.0)), Box::new(routh(mass * speed))),
            (Box::<AnitescuPotra>::default(), Box::<AnitescuPotra>::default()),
            (Box::<Sequential>::default(), Box::<Sequential>::default()),
        ];
        for (mut a, mut b) in laws {
            let a = a.resolve(&plain).unwrap();
            let b = b.resolve(&scaled).unwrap();
            let difference = &b.outcomes[0].velocity / speed - &a.outcomes[0].velocity;
            // Rounding times the condition of up to nine unknowns in a hundred increments.
            prop_assert!(difference.amax() < 1e-7, "{}: {}", a.law, difference.amax());
        }
    }

    /// The pyramid's deviation from the round cone, on a ball that slides (G = 1): the vertex that
    /// opposes the motion is at most π/F off, so the impulse is at most 2 sin(π/2F) μ Λ_n off.
    #[test]
    fn turning_the_tangent_frame_moves_the_impulse_by_less_than_a_facet(
        angle in 0.0_f64..std::f64::consts::TAU,
        friction in 0.05_f64..0.9,
    ) {
        for facets in [4_usize, 8, 16] {
            let mut law = AnitescuPotra::new(AnitescuPotraSettings { all: false, facets }).unwrap();
            // Sliding at 2 m/s along x, closing at 1 m/s: Λ_n = 1, Λ_t = −μ along x without the pyramid.
            let (sin, cos) = angle.sin_cos();
            let row = |x: f64, y: f64, z: f64| DVector::from_vec(vec![x, y, z]);
            let contact = Contact::new("ball", row(0.0, 0.0, 1.0))
                .with_friction(vec![row(cos, sin, 0.0), row(-sin, cos, 0.0)], friction);
            let before = PreImpact::Velocity(row(2.0, 0.0, -1.0));
            let problem = ImpactProblem::new(DMatrix::identity(3, 3), before, &[contact]).unwrap();
            let v = law.resolve(&problem).unwrap().outcomes[0].velocity.clone();
            let error = (v[0] - 2.0 + friction).hypot(v[1]);
            let bound = 2.0 * (std::f64::consts::PI / (2.0 * facets as f64)).sin() * friction;
            prop_assert!(error <= bound + 1e-12, "{facets} facets: {error} of {bound}");
        }
    }
}

#[test]
fn redundant_contacts_have_one_velocity_and_many_impulses() {
    // A block that lands flat on three points of one side: the sharing of the normal impulse is open.
    let contact = |name: &str, x: f64| {
        let row = |v: [f64; 3]| DVector::from_vec(v.to_vec());
        Contact::new(name, row([0.0, 1.0, x]))
            .with_friction(vec![row([1.0, 0.0, 0.5])], 0.8)
            .with_restitution(0.0)
    };
    let contacts = [
        contact("left", -1.0),
        contact("middle", 0.0),
        contact("right", 1.0),
    ];
    let before = PreImpact::Velocity(DVector::from_vec(vec![0.1, -1.0, 0.0]));
    let mass = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 0.4]));
    let problem = ImpactProblem::new(mass, before, &contacts).unwrap();
    let resolution = AnitescuPotra::all_solutions().resolve(&problem).unwrap();
    assert_eq!(resolution.outcomes.len(), 1);
    let outcome = &resolution.outcomes[0];
    assert!(outcome.velocity.amax() < 1e-12);
    let found = outcome.details.get::<AnitescuPotraSolution>().unwrap();
    assert!(!found.impulse_unique && !found.continuum);
}

#[test]
fn parameters_are_read_and_refused_by_name() {
    let laws = LawRegistry::standard();
    let mut routh = laws.get("routh").unwrap().draft();
    for (name, value) in [
        ("step", "0.3"),
        ("max_steps", "7"),
        ("selection", "all"),
        ("jobs", "2"),
    ] {
        routh.set(name, value).unwrap();
    }
    let built: Box<dyn Any> = routh.build().unwrap();
    assert_eq!(
        built.downcast::<Routh>().unwrap().settings().step,
        Some(0.3)
    );
    for (name, value) in [
        ("step", "-1"),
        ("step", "NaN"),
        ("facets", "5"),
        ("bounce", "1"),
    ] {
        assert!(routh.set(name, value).is_err(), "{name}={value}");
    }
    let visiting = |sequence: &str| {
        let mut draft = laws.get("sequential").unwrap().draft();
        draft.set("sequence", sequence).unwrap();
        draft.build().unwrap()
    };
    let problem = carom::impact::examples::rocking_block().unwrap().problem;
    let refused = visiting("A, nobody").resolve(&problem);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("nobody"), "{message}");
    assert!(visiting("A").resolve(&problem).is_err(), "B has no turn");
}

#[test]
fn nothing_happens_without_approach_or_contacts() {
    let contact = Contact::new("a", DVector::from_vec(vec![1.0, 0.0]));
    for contacts in [vec![], vec![contact]] {
        let before = PreImpact::Velocity(DVector::from_vec(vec![1.0, 2.0]));
        let problem = ImpactProblem::new(DMatrix::identity(2, 2), before, &contacts).unwrap();
        let routh = RouthSettings {
            samples: 10,
            ..RouthSettings::default()
        };
        let laws: [Box<dyn ImpactLaw>; 5] = [
            Box::<Routh>::default(),
            Box::new(Routh::new(routh).unwrap()),
            Box::<AnitescuPotra>::default(),
            Box::new(AnitescuPotra::all_solutions()),
            Box::<Sequential>::default(),
        ];
        for mut law in laws {
            let resolution = law.resolve(&problem).unwrap();
            for outcome in &resolution.outcomes {
                assert_eq!(outcome.velocity, *problem.velocity(), "{}", law.name());
            }
        }
    }
}

/// Paths over many redundant contacts end on rays by rounding, about every other time: others are then tried. Bodies that
/// fall on twelve points of a floor, of light limbs on its corners.
#[test]
fn impacts_on_many_contacts_are_solved() {
    let mut random = Stream(5);
    for case in 0..60 {
        let limbs = 6;
        let n = 6 + limbs;
        // A plate of 10 kg, on whose corners joints turn limbs of inertias over four orders of magnitude.
        let mut mass = DMatrix::identity(n, n);
        for i in 0..n {
            mass[(i, i)] = if i < 6 {
                10.0
            } else {
                10.0_f64.powf(random.between(-4.0, 0.0))
            };
        }
        let contacts: Vec<Contact> = (0..12)
            .map(|c| {
                let [x, y, z] = [0, 1, 2].map(|_| random.between(-0.5, 0.5));
                let limb = 6 + c % limbs;
                let reach = [0, 1, 2].map(|_| random.between(-0.3, 0.3));
                let row = |k: usize| {
                    let turned = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]][k];
                    let mut row = DVector::zeros(n);
                    row[k] = 1.0;
                    row.rows_mut(3, 3).copy_from_slice(&turned);
                    row[limb] = reach[k];
                    row
                };
                Contact::new(&format!("c{c}"), row(2))
                    .with_friction(vec![row(0), row(1)], 0.8)
                    .with_restitution(0.0)
            })
            .collect();
        let mut velocity = DVector::from_fn(n, |_, _| random.between(-1.0, 1.0));
        velocity[2] = -2.0;
        let problem = ImpactProblem::new(mass, PreImpact::Velocity(velocity), &contacts).unwrap();
        for law in [
            &mut AnitescuPotra::default() as &mut dyn ImpactLaw,
            &mut Routh::default(),
        ] {
            let name = law.name();
            let resolution = law.resolve(&problem);
            let resolution = resolution.unwrap_or_else(|error| panic!("{case} {name}: {error}"));
            assert_eq!(resolution.status, ImpactStatus::Resolved, "{case} {name}");
            for outcome in &resolution.outcomes {
                check_outcome(&problem, outcome).unwrap_or_else(|e| panic!("{case} {name}: {e}"));
            }
        }
    }
}
