//! The derivative of a piece: of one step, or of the stages that compose it.

use nalgebra::{DMatrix, DVector};

use super::recording::FlowPassage;
use super::{Parameter, SMOOTH};
use crate::contact::Contacts;
use crate::control::Drive;
use crate::discrete::held::{HeldContact, HeldJoint};
use crate::discrete::linearization::{HeldDerivatives, HeldStep, StepEquations, close_loop};
use crate::discrete::{StepError, StepInput, StepSettings, Stepper, stages};
use crate::dynamics::JointServo;
use crate::hybrid::simulation::LinearizeError;
use crate::model::Model;

/// Half the time over which the rate of a servo's effort is taken \[s\]: its targets are pieces of lines, or sines of some
/// Hz, of which this leaves (2π f)² 1e-10 / 6 of the rate, and a rounding of 1e-11 of the effort.
const MOMENT: f64 = 1e-5;

/// How the end (δq₁, δp₁) of a piece changes: by the start (δq₀, δp₀), by the moment of the start, by the length.
pub(super) struct PieceDerivative {
    /// 2n × 2n.
    pub by_state: DMatrix<f64>,
    /// 2n.
    pub by_start: DVector<f64>,
    /// 2n.
    pub by_length: DVector<f64>,
    /// By the moment of the run's first impact, 2n: where a controller begins to move at it.
    pub by_impact: DVector<f64>,
    /// By generalized forces that are constant over it, 2n × n.
    pub by_force: DMatrix<f64>,
    /// By the parameters, 2n × k.
    pub by_parameter: DMatrix<f64>,
    /// Configuration at the end.
    pub end: Vec<f64>,
}

/// What does not change in a run.
pub(super) struct Surroundings<'a> {
    pub model: &'a Model,
    pub contacts: &'a Contacts,
    pub drive: Option<&'a dyn Drive>,
    pub solver: StepSettings,
    pub order: u32,
    pub closed_gap: f64,
    pub whole: f64,
}

/// The derivative of a recorded piece.
pub(super) fn differentiate(
    around: &Surroundings<'_>,
    piece: &FlowPassage,
    parameters: &mut [Parameter],
) -> Result<PieceDerivative, LinearizeError> {
    let n = around.model.dof();
    let fractions = if piece.composed {
        stages(around.order)
    } else {
        vec![1.0]
    };
    let mut whole = PieceDerivative {
        by_state: DMatrix::identity(2 * n, 2 * n),
        by_start: DVector::zeros(2 * n),
        by_length: DVector::zeros(2 * n),
        by_impact: DVector::zeros(2 * n),
        by_force: DMatrix::zeros(2 * n, n),
        by_parameter: DMatrix::zeros(2 * n, parameters.len()),
        end: Vec::new(),
    };
    let mut walk = Walk::new(around, piece);
    for (k, fraction) in fractions.iter().enumerate() {
        let middle = walk.begun + 0.5 * fraction;
        let stage = walk.stage(around, piece, (k, *fraction), parameters)?;
        whole.by_state = &stage.by_state * whole.by_state;
        whole.by_start = &stage.by_state * whole.by_start + &stage.by_moment;
        whole.by_length = &stage.by_state * whole.by_length
            + &stage.by_length * *fraction
            + &stage.by_moment * middle;
        whole.by_impact = &stage.by_state * whole.by_impact + &stage.by_impact;
        whole.by_force = &stage.by_state * whole.by_force + &stage.by_force;
        whole.by_parameter = &stage.by_state * whole.by_parameter + &stage.by_parameter;
        walk.begun += fraction;
    }
    whole.end = walk.q;
    Ok(whole)
}

/// How the end of a stage changes: by its start, by the moment of its middle, by its length, and the rest as of a piece.
struct StageDerivative {
    by_state: DMatrix<f64>,
    by_moment: DVector<f64>,
    by_length: DVector<f64>,
    by_impact: DVector<f64>,
    by_force: DMatrix<f64>,
    by_parameter: DMatrix<f64>,
}

/// The way through the stages; a composition is solved again from the mean velocities that it found.
struct Walk {
    stepper: Option<Stepper>,
    /// Share of the piece that is done.
    begun: f64,
    q: Vec<f64>,
    p: Vec<f64>,
    held: Vec<HeldContact>,
    joints: Vec<HeldJoint>,
    /// At the middle of the stage; a moment before and after; with the first impact a moment before and after.
    servos: [Vec<JointServo>; 5],
}

impl Walk {
    fn new(around: &Surroundings<'_>, piece: &FlowPassage) -> Self {
        let stepper = piece.composed.then(|| {
            let mut stepper = Stepper::new(around.model, around.solver);
            stepper.two_sided = true;
            stepper
        });
        let side = usize::from(!piece.composed);
        Self {
            stepper,
            begun: 0.0,
            q: piece.q.clone(),
            p: piece.p.clone(),
            held: piece.held[side].clone(),
            joints: piece.joints[1].clone(),
            servos: Default::default(),
        }
    }

    /// Differentiates stage `k` and goes to its end.
    fn stage(
        &mut self,
        around: &Surroundings<'_>,
        piece: &FlowPassage,
        (k, fraction): (usize, f64),
        parameters: &mut [Parameter],
    ) -> Result<StageDerivative, LinearizeError> {
        let Surroundings {
            model, contacts, ..
        } = *around;
        let n = model.dof();
        let h = fraction * piece.tau;
        let middle = piece.time + (self.begun + 0.5 * fraction) * piece.tau;
        let servos_at = |drive: Option<&dyn Drive>, moved: [f64; 2], out: &mut Vec<JointServo>| {
            out.clear();
            if let Some(drive) = drive {
                let impact = piece.first_impact.map(|time| time + moved[1]);
                drive.servos(middle + moved[0], impact, out);
            }
        };
        let moves = [
            [0.0; 2],
            [-MOMENT, 0.0],
            [MOMENT, 0.0],
            [0.0, -MOMENT],
            [0.0, MOMENT],
        ];
        for (servos, moved) in self.servos.iter_mut().zip(moves) {
            servos_at(around.drive, moved, servos);
        }
        let mut v = piece.mean_velocity[k * n..(k + 1) * n].to_vec();
        let (mut q1, mut p1) = (self.q.clone(), piece.end_momentum.clone());
        match &mut self.stepper {
            Some(stepper) => {
                let input = StepInput {
                    model,
                    contacts,
                    q0: &self.q,
                    p0: &self.p,
                    applied: &piece.applied,
                    servos: &self.servos[0],
                    h,
                    closed_gap: around.closed_gap,
                    whole: around.whole,
                };
                let (held, joints) = (&mut self.held, &mut self.joints);
                stepper.step(&input, held, joints, &mut v, &mut q1, &mut p1)?;
            }
            None => model.integrate(&self.q, &v, h, &mut q1),
        }
        // Efforts are constants beside their slopes, which the loop takes in.
        let efforts = |servos: &[JointServo]| {
            let mut applied = piece.applied.clone();
            for servo in servos {
                let q = self.q[servo.q_index] + 0.5 * h * v[servo.v_index];
                applied[servo.v_index] += servo.effort(q, v[servo.v_index]).effort;
            }
            applied
        };
        let applied = efforts(&self.servos[0]);
        let step = HeldStep {
            model,
            contacts,
            held: &self.held,
            joints: &self.joints,
            configuration: &self.q,
            mean_velocity: &v,
            end_momentum: &p1,
            applied: &applied,
            time_step: h,
            two_sided: piece.composed,
        };
        let mut held = HeldDerivatives::new(model);
        let open_loop = held.update(&step)?.clone();
        let end_velocity = held.end_velocity().to_vec();
        let equations = |of: &Surroundings<'_>, applied: &[f64]| {
            StepEquations::new(&step, of.model, of.contacts, applied, &end_velocity).into_values()
        };
        let own = equations(around, &applied);
        let mut servos = Vec::new();
        let mut by_parameter = DMatrix::zeros(2 * n, parameters.len());
        for (mut column, parameter) in by_parameter.column_iter_mut().zip(parameters) {
            let (slope, error) = parameter.slope(&own, |simulation, _| {
                let other = simulation.surroundings();
                servos_at(other.drive, [0.0; 2], &mut servos);
                Ok::<_, LinearizeError>(equations(&other, &efforts(&servos)))
            })?;
            if error > SMOOTH * slope.amax().max(1.0) {
                return Err(LinearizeError::NotDifferentiable {
                    time: piece.time,
                    reason: "the equations of a step have a kink at the value of a parameter, or its simulations differ \
                             from this one in more than the parameter",
                });
            }
            column.copy_from(&held.respond(&slope));
        }
        let derivative = self.close_loop(open_loop, by_parameter, &v, h)?;
        (self.q, self.p) = (q1, p1);
        Ok(derivative)
    }

    /// Servos answer: δu = −k δq̄ − d δv̄ + u̇ δt with δq̄ = (δq₀ + δq₁)/2 and δv̄ = (δq₁ − δq₀ − v̄ δh)/h.
    fn close_loop(
        &self,
        open: DMatrix<f64>,
        by_parameter: DMatrix<f64>,
        v: &[f64],
        h: f64,
    ) -> Result<StageDerivative, StepError> {
        let n = v.len();
        // By (q₀, p₀), the length, the moment, the first impact, the forces and the parameters.
        let parameters = by_parameter.ncols();
        let mut all = DMatrix::zeros(2 * n, 3 * n + 3 + parameters);
        all.columns_mut(0, 2 * n).copy_from(&open.columns(0, 2 * n));
        all.column_mut(2 * n).copy_from(&open.column(3 * n));
        all.columns_mut(2 * n + 3, n)
            .copy_from(&open.columns(2 * n, n));
        all.columns_mut(3 * n + 3, parameters)
            .copy_from(&by_parameter);
        let [now, moved @ ..] = &self.servos;
        let mut slopes = Vec::with_capacity(now.len());
        for (k, servo) in now.iter().enumerate() {
            let at = servo.v_index;
            let rate = v[at];
            let q = self.q[servo.q_index] + 0.5 * h * rate;
            let own = servo.effort(q, rate);
            let force = open.column(2 * n + at);
            let [before, after, earlier, later] = moved
                .each_ref()
                .map(|servos| servos[k].effort(q, rate).effort);
            all.column_mut(2 * n)
                .axpy(own.damping * rate / h, &force, 1.0);
            all.column_mut(2 * n + 1)
                .axpy((after - before) / (2.0 * MOMENT), &force, 1.0);
            all.column_mut(2 * n + 2)
                .axpy((later - earlier) / (2.0 * MOMENT), &force, 1.0);
            slopes.push((at, own));
        }
        let forces = open.columns(2 * n, n).into_owned();
        close_loop(&forces, slopes.into_iter(), h, &mut all)?;
        Ok(StageDerivative {
            by_state: all.columns(0, 2 * n).into_owned(),
            by_length: all.column(2 * n).into_owned(),
            by_moment: all.column(2 * n + 1).into_owned(),
            by_impact: all.column(2 * n + 2).into_owned(),
            by_force: all.columns(2 * n + 3, n).into_owned(),
            by_parameter: all.columns(3 * n + 3, parameters).into_owned(),
        })
    }
}
