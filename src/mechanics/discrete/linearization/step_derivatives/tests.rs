//! Derivatives of a step against dual numbers carried through the step's own equation.

use nalgebra::{DMatrix, DVector};
use num_dual::Dual64;

use super::StepDerivatives;
use crate::contact::{Combination, Contacts};
use crate::discrete::midpoint::{Midpoint, dual, random_state, start_momentum_jacobian, tangent};
use crate::discrete::{StepInput, StepSettings, Stepper};
use crate::dynamics::{Kinematics, LagrangianTerms};
use crate::model::sample::{Uniform, chain, geared_tree, hexapod, mimicking_tree, random_tree};
use crate::model::{Base, JointKind, Model};
use crate::spatial::{Force, Motion, lift};

const TIGHT: StepSettings = StepSettings {
    tolerance: 1e-14,
    max_iterations: 40,
    max_halvings: 0,
};

/// Changes of (q₁, p₁) for one direction of (q₀, p₀, u, h).
struct Direction {
    q: Vec<f64>,
    p: Vec<f64>,
    u: Vec<f64>,
    h: f64,
}

struct Step<'a> {
    model: &'a Model,
    q0: &'a [f64],
    v: &'a [f64],
    applied: &'a [f64],
    h: f64,
    inverse: &'a DMatrix<f64>,
}

impl Step<'_> {
    /// The implicit function theorem with dual numbers for everything but the inverse.
    fn derivative(&self, direction: &Direction) -> (DVector<f64>, DVector<f64>) {
        let n = self.model.dof();
        let with = |x: &[f64], d: &[f64]| -> Vec<Dual64> {
            x.iter().zip(d).map(|(x, d)| Dual64::new(*x, *d)).collect()
        };
        let zero = vec![Dual64::from(0.0); n];
        let change = with(&vec![0.0; n], &direction.q);
        let mut q0 = dual(self.q0);
        self.model
            .integrate(&dual(self.q0), &change, lift(1.0), &mut q0);
        let applied = with(self.applied, &direction.u);
        let h = Dual64::new(self.h, direction.h);
        let mut midpoint = Midpoint::<Dual64>::new(self.model);
        let mut p = zero.clone();
        midpoint.evaluate(self.model, &q0, &dual(self.v), &applied, h);
        midpoint.start_momentum(self.model, &dual(self.v), h, &mut p);
        let missing = DVector::from_fn(n, |i, _| direction.p[i] - p[i].eps);
        let dv = self.inverse * missing;
        let v = with(self.v, dv.as_slice());
        midpoint.evaluate(self.model, &q0, &v, &applied, h);
        midpoint.end_momentum(self.model, &v, h, &mut p);
        let p1 = DVector::from_iterator(n, p.iter().map(|x| x.eps));
        let mut q1 = q0.clone();
        self.model.integrate(&q0, &v, h, &mut q1);
        (DVector::from_vec(tangent(self.model, &q1)), p1)
    }
}

#[test]
fn derivatives_of_a_step_are_those_of_dual_numbers() {
    let mut random = Uniform::new(8);
    for base in [Base::Fixed, Base::Planar, Base::Floating] {
        for bodies in [1, 3, 8] {
            for tree in [geared_tree, mimicking_tree] {
                let model = tree(100 + bodies as u64, bodies, base).expect("a valid model");
                let name = format!("{base:?} {bodies}");
                check_against_dual_numbers(&model, 0.02, &mut random, &name);
            }
        }
    }
}

#[test]
fn derivatives_of_robots_are_those_of_dual_numbers() {
    let mut random = Uniform::new(10);
    let hexapod = hexapod().expect("a valid model");
    check_against_dual_numbers(&hexapod, 0.01, &mut random, "hexapod");
    let chain = chain(64).expect("a valid model");
    check_against_dual_numbers(&chain, 1e-3, &mut random, "chain of 64");
}

fn nothing_to_touch(model: &Model) -> Contacts {
    Contacts::new(model, vec![], vec![], &[], Combination::Minimum).expect("no contacts")
}

fn free_step<'a>(
    model: &'a Model,
    contacts: &'a Contacts,
    q0: &'a [f64],
    p0: &'a [f64],
    applied: &'a [f64],
    h: f64,
) -> StepInput<'a> {
    StepInput {
        model,
        contacts,
        q0,
        p0,
        applied,
        servos: &[],
        h,
        whole: h,
        closed_gap: 0.0,
    }
}

/// One step from a random state, differentiated in four random directions.
fn check_against_dual_numbers(model: &Model, h: f64, random: &mut Uniform, name: &str) {
    let n = model.dof();
    let (q0, start, applied) = random_state(model, random);
    let p0 = momentum(model, &q0, &start);
    let mut stepper = Stepper::new(model, TIGHT);
    let (mut v, mut q1, mut p1) = (start, q0.clone(), p0.clone());
    let nothing = nothing_to_touch(model);
    stepper
        .step(
            &free_step(model, &nothing, &q0, &p0, &applied, h),
            &mut [],
            &mut [],
            &mut v,
            &mut q1,
            &mut p1,
        )
        .expect("the step converges");
    let mut derivatives = StepDerivatives::new(model);
    derivatives
        .update(model, &stepper.midpoint, &v, h)
        .expect("a regular step");
    let jacobian = start_momentum_jacobian(model, &q0, &v, &applied, h);
    let singular = jacobian.singular_values();
    let condition = singular[0] / singular[n - 1];
    let inverse = jacobian.try_inverse().expect("a regular step");
    let step = Step {
        model,
        q0: &q0,
        v: &v,
        applied: &applied,
        h,
        inverse: &inverse,
    };
    for _ in 0..4 {
        let mut draw = || -> Vec<f64> { (0..n).map(|_| random.between(-1.0, 1.0)).collect() };
        let direction = Direction {
            q: draw(),
            p: draw(),
            u: draw(),
            h: draw()[0],
        };
        let (q, p) = step.derivative(&direction);
        let (dq, dp, du) = (
            DVector::from_column_slice(&direction.q),
            DVector::from_column_slice(&direction.p),
            DVector::from_column_slice(&direction.u),
        );
        let d = &derivatives;
        let found_q = &d.configuration_by_configuration * &dq
            + &d.configuration_by_momentum * &dp
            + &d.configuration_by_force * &du
            + &d.configuration_by_time * direction.h;
        let found_p = &d.momentum_by_configuration * &dq
            + &d.momentum_by_momentum * &dp
            + &d.momentum_by_force * &du
            + &d.momentum_by_time * direction.h;
        // Rounding times the condition of the Newton matrix, both sides with the same v̄.
        let bound = 1e-14 * condition * (1.0 + q.amax() + p.amax()) * n as f64;
        let (eq, ep) = ((q - found_q).amax(), (p - found_p).amax());
        assert!(
            eq <= bound && ep <= bound,
            "{name}: {eq:e} {ep:e} ({bound:e})"
        );
    }
}

/// M(q) v.
fn momentum(model: &Model, q: &[f64], v: &[f64]) -> Vec<f64> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    kinematics.update_twists(model, v);
    let mut terms = LagrangianTerms::new(model);
    terms.update(model, &kinematics);
    terms.momentum
}

/// The derivative by (q₀, p₀) of a step without dampers is a symplectic matrix.
#[test]
fn the_derivative_of_a_step_without_dampers_is_symplectic() {
    check_symplectic(&chain(5).expect("a valid model"));
    check_symplectic(&hexapod().expect("a valid model"));
    check_symplectic(&random_tree(7, 4, Base::Floating).expect("a valid model"));
}

fn check_symplectic(model: &Model) {
    let n = model.dof();
    let mut random = Uniform::new(9);
    let (q0, start, _) = random_state(model, &mut random);
    let p0 = momentum(model, &q0, &start);
    let (mut v, mut q1, mut p1) = (start, q0.clone(), p0.clone());
    let nothing = nothing_to_touch(model);
    let mut stepper = Stepper::new(model, TIGHT);
    stepper
        .step(
            &free_step(model, &nothing, &q0, &p0, &vec![0.0; n], 0.01),
            &mut [],
            &mut [],
            &mut v,
            &mut q1,
            &mut p1,
        )
        .expect("the step converges");
    let mut d = StepDerivatives::new(model);
    d.update(model, &stepper.midpoint, &v, 0.01)
        .expect("a regular step");
    let mut map = DMatrix::zeros(2 * n, 2 * n);
    for (row, column, block) in [
        (0, 0, &d.configuration_by_configuration),
        (0, n, &d.configuration_by_momentum),
        (n, 0, &d.momentum_by_configuration),
        (n, n, &d.momentum_by_momentum),
    ] {
        map.view_mut((row, column), (n, n)).copy_from(block);
    }
    let (before, after) = (symplectic_form(model, &p0), symplectic_form(model, &p1));
    let error = (map.transpose() * &after * &map - before).amax();
    let jacobian = start_momentum_jacobian(model, &q0, &v, &vec![0.0; n], 0.01);
    let singular = jacobian.singular_values();
    let condition = singular[0] / singular[n - 1];
    // Rounding of products whose entries reach the square of the largest one times those of the form; that of the map
    // comes from the inverse of the Newton matrix.
    let scale = 1.0 + map.amax().powi(2) * after.amax();
    let bound = f64::EPSILON * condition * n as f64 * scale;
    assert!(error <= bound, "{error:e} of {bound:e}");
}

/// δq ∧ δp, and of a floating body, whose changes are body twists, the bracket p · [δq, δq].
fn symplectic_form(model: &Model, p: &[f64]) -> DMatrix<f64> {
    let n = model.dof();
    let mut form = DMatrix::zeros(2 * n, 2 * n);
    for i in 0..n {
        form[(i, n + i)] = 1.0;
        form[(n + i, i)] = -1.0;
    }
    for body in model.bodies() {
        if body.kind != JointKind::Floating {
            continue;
        }
        let at = body.v_index;
        let momentum = Force::from_slice(&p[at..at + 6]);
        let unit = |k: usize| Motion::from_slice(&[0, 1, 2, 3, 4, 5].map(|i| f64::from(i == k)));
        for a in 0..6 {
            for b in 0..6 {
                form[(at + a, at + b)] = momentum.dot(&unit(a).cross(&unit(b)));
            }
        }
    }
    form
}
