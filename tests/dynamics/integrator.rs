//! What makes the step a midpoint variational integrator: order two, reversible, symplectic, no
//! energy drift, symmetry momenta conserved.

use carom::discrete::StepSettings;
use carom::dynamics::{
    Kinematics, LagrangianTerms, gravity_energy, kinetic_energy, mass_matrix, spatial_momentum,
    spring_energy,
};
use carom::model::sample::{Uniform, chain, hexapod, random_tree};
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::{DMatrix, Matrix3, Vector3};

use crate::free_steps::FreeSteps;

const TIGHT: StepSettings = StepSettings {
    tolerance: 1e-14,
    max_iterations: 60,
    max_halvings: 0,
};

pub struct Flow<'a> {
    steps: FreeSteps<'a>,
    v: Vec<f64>,
}

impl<'a> Flow<'a> {
    pub fn new(model: &'a Model) -> Self {
        Self {
            steps: FreeSteps::new(model, TIGHT),
            v: vec![0.0; model.dof()],
        }
    }

    /// Advances (q, p) by `steps` steps of `h`.
    pub fn run(&mut self, q: &mut Vec<f64>, p: &mut Vec<f64>, h: f64, steps: usize) {
        let (mut q1, mut p1) = (q.clone(), p.clone());
        for _ in 0..steps {
            self.steps
                .step(q, p, h, &mut self.v, &mut q1, &mut p1)
                .unwrap();
            std::mem::swap(q, &mut q1);
            std::mem::swap(p, &mut p1);
        }
    }
}

fn momentum(model: &Model, q: &[f64], v: &[f64]) -> Vec<f64> {
    let mut k = Kinematics::new(model);
    k.update_placements(model, q);
    k.update_twists(model, v);
    let mut terms = LagrangianTerms::new(model);
    terms.update(model, &k);
    terms.momentum
}

pub fn velocity(model: &Model, q: &[f64], p: &[f64]) -> Vec<f64> {
    let mut k = Kinematics::new(model);
    k.update_placements(model, q);
    let m = mass_matrix(model, &k);
    m.cholesky()
        .unwrap()
        .solve(&nalgebra::DVector::from_column_slice(p))
        .as_slice()
        .to_vec()
}

fn energy(model: &Model, q: &[f64], p: &[f64]) -> f64 {
    let mut k = Kinematics::new(model);
    k.update_placements(model, q);
    k.update_twists(model, &velocity(model, q, p));
    kinetic_energy(model, &k) + gravity_energy(model, &k) + spring_energy(model, &k, q)
}

/// Double pendulum, a floating tree, and a floating body with joint and point springs.
pub fn specimens() -> Vec<(&'static str, Model)> {
    let springs = ModelBuilder::new("springs")
        .base(Base::Floating)
        .link(Link::new("a").solid_box(2.0, [0.2, 0.3, 0.4], Vector3::new(0.05, 0.0, 0.02)))
        .link(Link::new("b").solid_box(1.0, [0.3, 0.1, 0.2], Vector3::new(0.0, 0.1, 0.0)))
        .joint(Joint::revolute("j", "a", "b").origin([0.3, 0.0, 0.1], [0.2, 0.1, 0.0]))
        .joint_spring("j", 0.2, 8.0, 0.0)
        .point_spring(
            [None, Some("a")],
            [[0.0, 0.0, 1.0], [0.1, 0.0, 0.1]],
            0.3,
            30.0,
            0.0,
        )
        .build()
        .unwrap();
    vec![
        ("double pendulum", chain(2).unwrap()),
        ("floating tree", random_tree(11, 5, Base::Floating).unwrap()),
        ("planar tree", random_tree(12, 3, Base::Planar).unwrap()),
        ("springs", springs),
    ]
}

pub fn start(model: &Model, seed: u64, speed: f64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Uniform::new(seed);
    let direction: Vec<f64> = (0..model.dof())
        .map(|_| random.between(-1.0, 1.0))
        .collect();
    let mut q = model.neutral_configuration();
    model.integrate(&model.neutral_configuration(), &direction, 0.5, &mut q);
    let v: Vec<f64> = (0..model.dof())
        .map(|_| random.between(-speed, speed))
        .collect();
    let p = momentum(model, &q, &v);
    (q, p)
}

pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(x, y)| (x - y).powi(2))
        .sum::<f64>()
        .sqrt()
}

#[test]
fn converges_with_order_two_over_a_decade_of_steps() {
    for (name, model) in specimens() {
        let (q0, p0) = start(&model, 21, 1.0);
        let end = |steps: usize| {
            let (mut q, mut p) = (q0.clone(), p0.clone());
            Flow::new(&model).run(&mut q, &mut p, 0.2 / steps as f64, steps);
            (q, p)
        };
        // Richardson: with error c h², |x(h) − x(h/2)| is ¾ c h², so its slope is that of the error.
        let gap = |steps: usize| {
            let ((qa, pa), (qb, pb)) = (end(steps), end(2 * steps));
            (distance(&qa, &qb).powi(2) + distance(&pa, &pb).powi(2)).sqrt()
        };
        let slope = (gap(40) / gap(400)).log10();
        assert!((slope - 2.0).abs() < 0.05, "{name}: slope {slope}");
    }
}

#[test]
fn runs_backwards_to_where_it_came_from() {
    for (name, model) in specimens() {
        let (q0, p0) = start(&model, 22, 1.0);
        let (mut q, mut p) = (q0.clone(), p0.clone());
        let mut flow = Flow::new(&model);
        flow.run(&mut q, &mut p, 1e-3, 1000);
        flow.run(&mut q, &mut p, -1e-3, 1000);
        let error = distance(&q, &q0) + distance(&p, &p0);
        assert!(error < 1e-10, "{name}: {error:e}");
    }
}

#[test]
fn the_jacobian_of_the_step_is_symplectic() {
    // For coordinates with v = dq/dt the step's Jacobian A obeys AᵀJA = J. The floating base is
    // checked in the same way with variations left-trivialised, where the symplectic form gains the
    // term −p · [·, ·] of the body frame.
    for (name, model) in specimens() {
        let n = model.dof();
        let (q0, p0) = start(&model, 23, 1.0);
        let h = 0.02;
        let image = |dq: &[f64], dp: &[f64]| {
            let mut q = q0.clone();
            model.integrate(&q0, dq, 1.0, &mut q);
            let mut p: Vec<f64> = p0.iter().zip(dp).map(|(a, b)| a + b).collect();
            let mut flow = Flow::new(&model);
            flow.run(&mut q, &mut p, h, 1);
            (q, p)
        };
        let zero = vec![0.0; n];
        let (q1, p1) = image(&zero, &zero);
        let mut a = DMatrix::zeros(2 * n, 2 * n);
        // Central differences of fourth order: error ε⁴ f⁽⁵⁾ + rounding/ε, best near ε = 1e-3.
        let epsilon = 1e-3;
        for j in 0..2 * n {
            let column = |e: f64| {
                let (mut dq, mut dp) = (zero.clone(), zero.clone());
                if j < n {
                    dq[j] = e
                } else {
                    dp[j - n] = e
                }
                let (q, p) = image(&dq, &dp);
                let mut out = local_difference(&model, &q1, &q);
                out.extend(p.iter().zip(&p1).map(|(a, b)| a - b));
                out
            };
            let (f1, b1) = (column(epsilon), column(-epsilon));
            let (f2, b2) = (column(2.0 * epsilon), column(-2.0 * epsilon));
            for i in 0..2 * n {
                a[(i, j)] = (8.0 * (f1[i] - b1[i]) - (f2[i] - b2[i])) / (12.0 * epsilon);
            }
        }
        let error = (a.transpose() * form(&model, &p1) * &a - form(&model, &p0)).amax();
        let scale = form(&model, &p1).amax().max(a.amax().powi(2));
        assert!(error < 1e-9 * scale, "{name}: {error:e} of {scale:e}");
    }
}

/// Small variation d with q = base ⊕ d (rotation by the logarithm).
fn local_difference(model: &Model, base: &[f64], q: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; model.dof()];
    for (i, body) in model.bodies().iter().enumerate() {
        let at = body.v_index;
        if body.kind != carom::model::JointKind::Floating {
            out[at] = q[body.q_index] - base[body.q_index];
            continue;
        }
        let relative = model
            .floating_pose(i, base)
            .inverse()
            .compose(&model.floating_pose(i, q));
        let r = relative.rotation;
        let axial = Vector3::new(
            r[(2, 1)] - r[(1, 2)],
            r[(0, 2)] - r[(2, 0)],
            r[(1, 0)] - r[(0, 1)],
        ) * 0.5;
        let sine = axial.norm();
        let w = if sine == 0.0 {
            axial
        } else {
            axial * (sine.asin() / sine)
        };
        // Translation of exp(x): V(w) u with V = dexp of the rotation, so u = V⁻¹ t.
        let skew = carom::spatial::skew(&w);
        let theta2 = w.norm_squared();
        let c = if theta2 < 1e-6 {
            1.0 / 12.0 + theta2 / 720.0
        } else {
            let theta = theta2.sqrt();
            1.0 / theta2 - (1.0 + theta.cos()) / (2.0 * theta * theta.sin())
        };
        let u = relative.translation - skew * relative.translation * 0.5
            + skew * skew * relative.translation * c;
        out[at..at + 3].copy_from_slice(u.as_slice());
        out[at + 3..at + 6].copy_from_slice(w.as_slice());
    }
    out
}

/// Symplectic form of (left-trivialised) phase space: dq ∧ dp − p·[dq, dq].
fn form(model: &Model, p: &[f64]) -> DMatrix<f64> {
    use carom::spatial::{Force, Motion};
    let n = model.dof();
    let mut j = DMatrix::zeros(2 * n, 2 * n);
    for i in 0..n {
        j[(i, n + i)] = 1.0;
        j[(n + i, i)] = -1.0;
    }
    for body in model.bodies() {
        if body.kind != carom::model::JointKind::Floating {
            continue;
        }
        let at = body.v_index;
        let h = Force::from_slice(&p[at..at + 6]);
        for a in 0..6 {
            for b in 0..6 {
                let unit = |k: usize| {
                    let mut e = [0.0; 6];
                    e[k] = 1.0;
                    Motion::from_slice(&e)
                };
                // −dθ for θ = p·(g⁻¹dg) is dq∧dp + p·[dq, dq].
                j[(at + a, at + b)] += h.dot(&unit(a).cross(&unit(b)));
            }
        }
    }
    j
}

#[test]
fn free_flight_conserves_the_spatial_momentum() {
    let mut model = random_tree(31, 4, Base::Floating).unwrap();
    model = without_gravity(model);
    let (mut q, mut p) = start(&model, 24, 1.0);
    let spatial = |q: &[f64], p: &[f64]| {
        let mut k = Kinematics::new(&model);
        k.update_placements(&model, q);
        k.update_twists(&model, &velocity(&model, q, p));
        spatial_momentum(&model, &k)
    };
    let before = spatial(&q, &p);
    let mut flow = Flow::new(&model);
    flow.run(&mut q, &mut p, 1e-3, 20_000);
    let after = spatial(&q, &p);
    let change = (after.linear - before.linear).norm() + (after.angular - before.angular).norm();
    let scale = before.linear.norm() + before.angular.norm();
    // 20 000 steps of a few roundings each, adding like a random walk.
    assert!(change < 1e-12 * scale, "{:e}", change / scale);
}

fn without_gravity(model: Model) -> Model {
    model.with_gravity(Vector3::zeros())
}

/// Robots thrown without turning, their joints still: gravity pulls every part alike, so they fall as
/// points do. The midpoint rule is exact for a constant acceleration.
#[test]
fn a_fall_turns_nothing() {
    let sphere = ModelBuilder::new("sphere")
        .base(Base::Floating)
        .link(Link::new("ball").inertial(1.0, Vector3::zeros(), Matrix3::identity() * 1e-3))
        .build()
        .unwrap();
    let specimens = [
        ("sphere", sphere),
        (
            "off-centre tree",
            random_tree(11, 5, Base::Floating).unwrap(),
        ),
        ("six-legged robot", hexapod().unwrap()),
    ];
    let (h, steps) = (1e-3, 1000);
    for (name, model) in specimens {
        let n = model.dof();
        let (q0, _) = start(&model, 25, 0.0);
        let mut v = vec![0.0; n];
        v[..3].copy_from_slice(&[2.0, 0.7, -1.1]);
        let (mut q, mut p) = (q0.clone(), momentum(&model, &q0, &v));
        let thrown = model.floating_pose(0, &q0).rotation * Vector3::new(v[0], v[1], v[2]);
        let mut flow = Flow::new(&model);
        flow.run(&mut q, &mut p, h, steps);
        // A rounding of 1e-15 rad a step, whether they add up or not.
        let turned = distance(&q[3..], &q0[3..]);
        assert!(turned <= 1e-15 * steps as f64, "{name}: {turned:e} rad");
        let time = h * steps as f64;
        let fallen = thrown * time + model.gravity() * (0.5 * time * time);
        let path: Vec<f64> = (0..3).map(|i| q0[i] + fallen[i]).collect();
        // Every step rounds a velocity of 10 m/s by 1e-15 m/s, whether they add up or not, over 1 s.
        let missed = distance(&q[..3], &path);
        assert!(
            missed <= 1e-15 * steps as f64 * time,
            "{name}: {missed:e} m"
        );
    }
}

/// A body that turns about its centre of mass moves through space as one that does not turn.
#[test]
fn turning_does_not_bend_the_path_of_a_free_body() {
    let model = ModelBuilder::new("brick")
        .base(Base::Floating)
        .link(Link::new("brick").solid_box(2.0, [0.3, 0.2, 0.1], Vector3::zeros()))
        .build()
        .unwrap();
    let q0 = model.neutral_configuration();
    let v = [2.0, 0.0, 1.0, 5.0, -7.0, 3.0];
    let (mut q, mut p) = (q0.clone(), momentum(&model, &q0, &v));
    Flow::new(&model).run(&mut q, &mut p, 1e-3, 1000);
    let path = [2.0, 0.0, 1.0 - 0.5 * 9.81];
    // Every step rounds a velocity of 10 m/s by 1e-15 m/s, over 1 s.
    let missed = distance(&q[..3], &path);
    assert!(missed <= 1e-12, "{missed:e} m");
}

#[test]
fn energy_of_the_four_link_chain_oscillates_without_trend() {
    let model = chain(4).unwrap();
    let mut q = vec![0.0; 4];
    let mut p = vec![0.0; 4];
    let mut flow = Flow::new(&model);
    let unit = 4.0 * 9.81 * 4.0;
    let mut errors = Vec::new();
    for _ in 0..4000 {
        flow.run(&mut q, &mut p, 1e-3, 10);
        errors.push(energy(&model, &q, &p) / unit);
    }
    let worst = |part: &[f64]| part.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
    assert!(worst(&errors) < 3e-4, "{:e}", worst(&errors));
    // The error is h² times a function of the state and nothing that grows. Of a motion that forgets in a second 40 s
    // hold 40 independent values: four standard errors of the slope of a line through them, √12 σ/(T √40).
    let n = errors.len() as f64;
    let mean = errors.iter().sum::<f64>() / n;
    let deviation = (errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / n).sqrt();
    // Time in units of the whole, about its middle: the mean of its square is 1/12.
    let moment = errors
        .iter()
        .enumerate()
        .map(|(i, e)| ((i as f64 + 0.5) / n - 0.5) * (e - mean));
    let slope = 12.0 * moment.sum::<f64>() / n;
    let bound = 4.0 * (12.0_f64 / 40.0).sqrt() * deviation;
    assert!(slope.abs() < bound, "{slope:e} {bound:e}");
}

/// Chains whose joints all turn at random rates, their far ends at tens of metres a second: exact
/// Newton steps keep the iterations bounded where those with the mass matrix contract slowly.
#[test]
fn five_iterations_suffice_at_every_length() {
    let h = 1e-3;
    for n in [4, 16, 64, 256] {
        let model = chain(n).unwrap();
        let mut random = Uniform::new(3);
        let mut q: Vec<f64> = (0..n).map(|_| random.between(-1.0, 1.0)).collect();
        let rates: Vec<f64> = (0..n).map(|_| random.between(-0.5, 0.5)).collect();
        let mut p = momentum(&model, &q, &rates);
        let mut steps = FreeSteps::new(&model, StepSettings::default());
        let (mut v, mut q1, mut p1) = (rates, q.clone(), p.clone());
        let mut history = [v.clone(), v.clone(), v.clone()];
        for step in 0..40 {
            if step >= 3 {
                for (i, v) in v.iter_mut().enumerate() {
                    *v = 3.0 * (history[0][i] - history[1][i]) + history[2][i];
                }
            }
            let report = steps.step(&q, &p, h, &mut v, &mut q1, &mut p1).unwrap();
            assert!(report.iterations <= 5, "{n} links: {}", report.iterations);
            assert!(report.residual <= 1e-10);
            history.rotate_right(1);
            history[0].copy_from_slice(&v);
            std::mem::swap(&mut q, &mut q1);
            std::mem::swap(&mut p, &mut p1);
        }
    }
}
