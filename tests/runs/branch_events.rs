//! Where held contacts have several continuations: the count in closed form, and the event in a run.

use crate::painleve::mu_star;
use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::friction::{
    Continuations, Delassus, FrictionProblem, FrictionRows, FrictionRule, HeldMode, count_solutions,
};
use carom::hybrid::{Event, EventKind, EventNote, Simulation};
use carom::impact::Plastic;
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::{DMatrix, DVector, Matrix2, Vector2, Vector3};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// All combinations of modes of six planar contacts.
const BUDGET: usize = 4096;

fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn count(
    factor: &DMatrix<f64>,
    groups: &[FrictionRows],
    free: &[f64],
    rules: &[FrictionRule],
) -> Continuations {
    let problem = FrictionProblem::exact(free, rules);
    let modes = vec![HeldMode::Stick; groups.len()];
    let mut delassus = Delassus::from_factor(factor, groups);
    count_solutions(&mut delassus, &problem, &modes, BUDGET)
}

/// Those of contacts in a plane, rows normal and tangent of each in turn.
fn planar(factor: &DMatrix<f64>, friction: &[f64], free: &[f64]) -> Continuations {
    let rows = |(i, mu): (usize, &f64)| FrictionRows::contact(2 * i, 1, *mu);
    let groups: Vec<FrictionRows> = friction.iter().enumerate().map(rows).collect();
    let rules = vec![FrictionRule::Coulomb; groups.len()];
    count(factor, &groups, free, &rules)
}

fn known(found: usize) -> Continuations {
    Continuations {
        found,
        complete: true,
    }
}

/// Rows of the lower tip of a slender rod at the angle θ from the plane on (x, z, θ) over the root of the inertia
/// (mass and length 1): normal, then tangent.
fn rod_factor(angle: f64) -> DMatrix<f64> {
    let (s, c) = angle.sin_cos();
    // Half the length over the root of 1/12.
    let turn = 0.5 * 12.0_f64.sqrt();
    DMatrix::from_row_slice(2, 3, &[0.0, 1.0, -turn * c, 1.0, 0.0, turn * s])
}

#[test]
fn painleve_rod_has_as_many_continuations_as_the_closed_form() {
    for degrees in [20.0_f64, 45.0, 63.4349, 80.0] {
        let angle = degrees.to_radians();
        let (s, c) = angle.sin_cos();
        for share in [0.5, 0.9, 1.1, 2.0] {
            let mu = share * mu_star(angle);
            // Sliding against t, friction along t: a_n = b_n + p λ.
            let p = 1.0 + 3.0 * c * c - 3.0 * mu * s * c;
            assert_eq!(p < 0.0, share > 1.0);
            let factor = rod_factor(angle);
            let groups = [FrictionRows::contact(0, 1, mu)];
            for normal in [-1e-4, 1e-4] {
                let free = [normal, -1.0];
                // Finite forces, the direction of sliding given: λ = −b_n/p, and none where b_n ≥ 0.
                let forces = usize::from(-normal / p > 0.0) + usize::from(normal >= 0.0);
                let rule = [FrictionRule::Along([-1.0, 0.0])];
                assert_eq!(count(&factor, &groups, &free, &rule).found, forces);
                // An impact without collision stops the tip where friction suffices for that: above μ_*.
                let jams = usize::from(share > 1.0);
                let all = count(&factor, &groups, &free, &[FrictionRule::Coulomb]);
                assert_eq!(all, known(forces + jams), "{degrees} {share} {normal}");
                assert_eq!(all.found, if p < 0.0 && normal > 0.0 { 3 } else { 1 });
            }
        }
    }
}

/// Solutions of one planar contact, from the inequalities of each mode; `None` where one is within `margin`.
fn closed_form(w: &Matrix2<f64>, b: &Vector2<f64>, mu: f64, margin: f64) -> Option<usize> {
    let mut found = 0;
    let mut clear = true;
    let mut holds = |x: f64, size: f64| {
        clear &= x.abs() > margin * size;
        x > 0.0
    };
    let size = b.amax();
    found += usize::from(holds(b.x, size));
    let stick = -w.try_inverse()? * b;
    let strength = stick.amax();
    let inside = holds(mu * stick.x - stick.y.abs(), strength);
    found += usize::from(holds(stick.x, strength) && inside);
    for sign in [-1.0, 1.0] {
        let p = w.m11 - sign * mu * w.m12;
        if p.abs() <= margin * w.amax() {
            return None;
        }
        let normal = -b.x / p;
        let slip = sign * (b.y + normal * (w.m12 - sign * mu * w.m22));
        let along = holds(slip, size);
        found += usize::from(holds(normal, strength) && along);
    }
    clear.then_some(found)
}

#[test]
fn one_planar_contact_has_as_many_as_its_inequalities_say() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut seen = [0; 4];
    for case in 0..20_000 {
        let factor = DMatrix::from_fn(2, 2, |_, _| uniform(&mut random));
        let w = &factor * factor.transpose();
        let w = Matrix2::from_fn(|i, j| w[(i, j)]);
        let b = Vector2::from_fn(|_, _| uniform(&mut random));
        let mu = 2.0 * uniform(&mut random).abs();
        // Far more than two solutions of this size must differ by.
        let Some(expected) = closed_form(&w, &b, mu, 1e-4) else {
            continue;
        };
        let found = planar(&factor, &[mu], b.as_slice());
        assert_eq!(found, known(expected), "case {case}: {w} {b} {mu}");
        seen[expected.min(3)] += 1;
    }
    // An odd number always: solutions come and go in pairs.
    assert!(seen[0] == 0 && seen[2] == 0, "{seen:?}");
    assert!(seen[1] > 5000 && seen[3] > 100, "{seen:?}");
}

#[test]
fn counts_do_not_depend_on_the_order_of_contacts_or_on_units() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut several = 0;
    for case in 0..600 {
        let contacts = 2 + case % 2;
        let r = 2 * contacts;
        let factor = DMatrix::from_fn(r, r, |_, _| uniform(&mut random));
        // Strong coupling and normals that open slowly make for many solutions.
        let free = DVector::from_fn(r, |i, _| {
            uniform(&mut random) * if i % 2 == 0 { 0.1 } else { 1.0 }
        });
        let friction: Vec<f64> = (0..contacts).map(|_| 2.0 + uniform(&mut random)).collect();
        let here = planar(&factor, &friction, free.as_slice());
        assert!(here.complete && here.found >= 1, "case {case}: {here:?}");
        // Solutions come and go in pairs, and with independent rows there is one to begin with.
        assert_eq!(here.found % 2, 1, "case {case}");
        several += usize::from(here.found > 1);
        // Millimetres and tonnes, say.
        let (length, mass) = (1e3, 1e-3);
        let scaled = planar(
            &(&factor * (length / f64::sqrt(mass))),
            &friction,
            (&free * length).as_slice(),
        );
        assert_eq!(here, scaled, "case {case}");
        let from = |row: usize| (row + 2) % r;
        let turned: Vec<f64> = (0..contacts)
            .map(|i| friction[(i + 1) % contacts])
            .collect();
        let permuted = planar(
            &DMatrix::from_fn(r, r, |i, j| factor[(from(i), j)]),
            &turned,
            DVector::from_fn(r, |i, _| free[from(i)]).as_slice(),
        );
        assert_eq!(here, permuted, "case {case}");
        // The other way round along every surface.
        let mirror = DMatrix::from_fn(r, r, |i, j| {
            if i % 2 == 1 {
                -factor[(i, j)]
            } else {
                factor[(i, j)]
            }
        });
        let mirrored = DVector::from_fn(r, |i, _| if i % 2 == 1 { -free[i] } else { free[i] });
        assert_eq!(
            here,
            planar(&mirror, &friction, mirrored.as_slice()),
            "case {case}"
        );
    }
    assert!(several > 20, "{several}");
}

/// A rod between two walls, held by friction alone: it stays or it falls.
#[test]
fn a_rod_jammed_between_walls_stays_or_falls() {
    let (s, c) = f64::to_radians(20.0).sin_cos();
    let turn = 0.5 * 12.0_f64.sqrt();
    // On (x, z, rotation), the left end above the right one: normals from the walls, tangents upwards.
    let factor = DMatrix::from_row_slice(
        4,
        3,
        &[
            1.0,
            0.0,
            -turn * s,
            0.0,
            1.0,
            -turn * c,
            -1.0,
            0.0,
            -turn * s,
            0.0,
            1.0,
            turn * c,
        ],
    );
    // Gravity over a millisecond; the line through the ends is in the cones from μ = tan 20° on.
    let free = [0.0, -9.81e-3, 0.0, -9.81e-3];
    let below = planar(&factor, &[0.99 * s / c; 2], &free);
    let above = planar(&factor, &[1.5 * s / c; 2], &free);
    assert_eq!(below.found, 1);
    assert_eq!(above.found, 2);
    // Four rows on three coordinates: impulses are not unique, and the count is a lower bound.
    assert!(!above.complete);
}

#[test]
fn a_block_on_a_floor_has_one_continuation_whatever_its_friction() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(9);
    for case in 0..500 {
        let mu = 3.0 * uniform(&mut random).abs();
        let free = [
            uniform(&mut random),
            uniform(&mut random),
            uniform(&mut random),
        ];
        let groups = [FrictionRows::contact(0, 2, mu)];
        let here = count(
            &DMatrix::identity(3, 3),
            &groups,
            &free,
            &[FrictionRule::Coulomb],
        );
        assert_eq!(here.found, 1, "case {case}: {mu} {free:?}");
        // √(G_tt (G⁻¹)_nn) = 1.
        assert_eq!(here.complete, mu < 1.0);
    }
}

#[test]
fn impulses_of_redundant_feet_are_not_continuations() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(17);
    for case in 0..6 {
        // A body on four feet: normal up, two tangents, on its linear and angular velocity.
        let mut factor = DMatrix::zeros(12, 6);
        for (i, [x, y]) in [[0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2], [0.3, -0.2]]
            .into_iter()
            .enumerate()
        {
            let height = 0.1;
            let rows = [
                [0.0, 0.0, 1.0, y, -x, 0.0],
                [1.0, 0.0, 0.0, 0.0, -height, -y],
                [0.0, 1.0, 0.0, height, 0.0, x],
            ];
            for (k, row) in rows.iter().enumerate() {
                for (j, value) in row.iter().enumerate() {
                    factor[(3 * i + k, j)] = *value / if j < 3 { 1.0 } else { 0.3 };
                }
            }
        }
        let mu = 0.5 + 0.3 * uniform(&mut random);
        // A push along the ground below or above what friction holds.
        let push = [
            0.01 * uniform(&mut random),
            0.01 * uniform(&mut random),
            -0.01,
        ];
        let free: Vec<f64> = (0..12).map(|i| push[(i + 2) % 3]).collect();
        let groups: Vec<FrictionRows> = (0..4)
            .map(|i| FrictionRows::contact(3 * i, 2, mu))
            .collect();
        let here = count(&factor, &groups, &free, &[FrictionRule::Coulomb; 4]);
        assert_eq!(here.found, 1, "case {case}");
    }
}

/// The angle at which the least friction jams a rod: tan θ = 2.
const STEEPEST: f64 = 1.107_148_717_794_090_5;
const FRICTION: f64 = 2.0;

/// Two rods without weight, each on its tip, in one plane.
fn two_rods() -> Model {
    let mut builder = ModelBuilder::new("rods")
        .base(Base::Fixed)
        .gravity([0.0; 3])
        .link(Link::new("frame"));
    for side in ["a", "b"] {
        let name = |what: &str| format!("{what}_{side}");
        let end = Vector3::new(0.5, 0.0, 0.0);
        builder = builder
            .link(Link::new(&name("along")))
            .link(Link::new(&name("up")))
            .link(Link::new(&name("rod")).rod(1.0, -end, end))
            .joint(Joint::prismatic(&name("x"), "frame", &name("along")).axis([1.0, 0.0, 0.0]))
            .joint(Joint::prismatic(&name("z"), &name("along"), &name("up")).axis([0.0, 0.0, 1.0]))
            .joint(
                Joint::revolute(&name("turn"), &name("up"), &name("rod")).axis([0.0, -1.0, 0.0]),
            );
    }
    builder.build().unwrap()
}

/// Runs steps of a millisecond in which the rods are pressed down by 1 N and pulled along −x by what is given of each
/// for every step, with the torque that keeps them from turning about a tip that sticks: then a tip that sticks carries
/// (1 N, what is given).
fn run(pulls: impl Iterator<Item = [f64; 2]>) -> Vec<Event> {
    let model = two_rods();
    let material = Material::new(FRICTION, 0.0);
    let sites = ["rod_a", "rod_b"]
        .map(|rod| Site::point(&model, rod, rod, [-0.5, 0.0, 0.0], material).unwrap());
    let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], material);
    let contacts = Contacts::new(
        &model,
        sites.to_vec(),
        vec![ground],
        &[],
        Combination::default(),
    )
    .unwrap();
    let (s, c) = STEEPEST.sin_cos();
    let mut simulation = Simulation::builder(model)
        .contacts(contacts)
        .law(Plastic::default())
        .time_step(1e-3)
        .state(&[0.0, 0.5 * s, STEEPEST, 3.0, 0.5 * s, STEEPEST], &[0.0; 6])
        .build()
        .unwrap();
    for pulls in pulls {
        let forces = pulls.map(|pull| [-pull, -1.0, 0.5 * (c - s * pull)]);
        simulation.step(forces.as_flattened()).unwrap();
    }
    simulation.take_events()
}

fn branches(events: &[Event]) -> Vec<&Event> {
    let branches = events.iter().filter(|e| e.kind == EventKind::Branch);
    branches.collect()
}

/// With w_n = 1.6 and w_nt = −1.2, a tip that sticks under the pull r may open as well where r > 4/3: without contact it
/// would accelerate upwards by 1.2 r − 1.6. At r = μ = 2 sticking meets sliding, and both end: only opening is left.
/// With the other rod at 1.6 there are three continuations, all of which that one has.
#[test]
fn a_branch_that_ends_before_several_others_is_an_event() {
    let pull = |step: usize| 1.9 + 0.013 * step as f64;
    let ends = (0..).find(|&k| pull(k) > FRICTION).unwrap();
    let events = run((0..ends + 5).map(|k| [1.6, pull(k)]));
    let branches = branches(&events);
    assert_eq!(branches.len(), 1, "{events:?}");
    let branch = branches[0];
    assert!(
        (branch.time - 1e-3 * ends as f64).abs() < 1e-12,
        "{branch:?}"
    );
    assert!(branch.contacts.contains(&1));
    assert_eq!(branch.continuations, Some(3));
    assert!(!branch.at_least);
    assert_eq!(branch.note, Some(EventNote::Branch));
    let reason = branch.reason.as_ref().unwrap();
    assert!(reason.contains("rod_b: stick to open"), "{reason}");
}

#[test]
fn a_branch_that_ends_before_one_other_is_none() {
    let events = run((0..20).map(|k| [1.2, 1.9 + 0.013 * k as f64]));
    assert!(events.iter().any(|e| e.kind == EventKind::Release));
    assert!(branches(&events).is_empty(), "{events:?}");
}

/// Pulled the other way, sticking goes over into sliding, while the other rod stays on a branch beside others.
#[test]
fn a_branch_that_goes_on_in_another_mode_is_none() {
    let events = run((0..20).map(|k| [1.6, -1.9 - 0.013 * k as f64]));
    assert!(branches(&events).is_empty(), "{events:?}");
    assert!(
        events.iter().all(|e| e.kind == EventKind::Hold),
        "{events:?}"
    );
}
