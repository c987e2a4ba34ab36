//! The derivative of a run through its events, by the implicit function theorem.
//!
//! ```text
//! piece:   δx ← A δx + b_t δt + b_τ δτ                                r = 0 of room `discrete`, differentiated
//! event:   Dg δx = 0   ⇒   δτ = −Dg (A δx + b_t δt) / (Dg b_τ)        what is located: a gap, the end of a slide, a seam
//! clock:   δτ = −δt                                                   the end of a step does not move
//! strike:  δx ← D R δx                                                the impact law on what strikes
//! parameters: each line gains ∂(·)/∂θ δθ, of r, g and R at constant x
//! ```
//!
//! x = (q, p), t the present moment, τ the length of a piece. b_t is what servos make of a later start; what they make of a
//! later first impact, where a controller begins to move at it, is carried along likewise. The equations are
//! those that located the events, so the derivative is that of the run itself, not of its limit of small steps: no
//! saltation matrix is needed. R is the law as a whole, a smooth function of (q, p) where one impact does not change its
//! branch; it is cheap and differentiated by differences that are drawn out to zero, with held contacts kept at rest.
//!
//! There is none where contacts strike together (what is then the derivative depends on their order), where friction jams,
//! where a law draws at random, and where a controller holds its efforts over a step.

mod flow;
mod gradient;
mod parameter;
mod piece;
mod recording;
mod strike;

use nalgebra::{DMatrix, DVector, RowDVector};

use super::{LinearizeError, Simulation};
pub use gradient::RunGradient;
pub use parameter::Parameter;
pub(in crate::hybrid::simulation) use recording::{Ends, FlowPassage, Passage, StrikePassage};

/// Differences of a smooth function agree to this share of its slope.
const SMOOTH: f64 = 1e-5;

/// How the end of a run changes with its start, by m directions.
///
/// Changes are (δq, δv) as in [`LinearizedStep`](crate::discrete::linearization::LinearizedStep): of a floating base the body
/// twist.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDerivative {
    /// The end by the directions, 2n × m: at the moment at which the run ended, or right after the impact that ended it.
    pub transition: DMatrix<f64>,
    /// The moment of the end by the directions \[s\], m: zero where the clock ended the run.
    pub end_time: RowDVector<f64>,
    /// How the end changes with its moment, 2n: the rate of the flow there. None right after an impact.
    pub rate: Option<DVector<f64>>,
}

/// What has become of the directions.
struct Chain {
    /// (δq, δp), 2n × m.
    x: DMatrix<f64>,
    /// Of the present moment, m.
    time: RowDVector<f64>,
    /// Of the moment of the run's first impact, m.
    impact: RowDVector<f64>,
    /// The present state by the length of the piece that led to it, 2n.
    rate: Option<DVector<f64>>,
    /// The first of n columns that are changes of the generalized forces, if there are any.
    forces: Option<usize>,
    /// The first of those that are changes of the parameters.
    parameters: Option<usize>,
}

impl Chain {
    /// Moves the present moment so that what changes by `slopes` (m) along the directions, and by `rate` with the moment,
    /// does not change.
    fn meet(
        &mut self,
        time: f64,
        slopes: &RowDVector<f64>,
        rate: f64,
    ) -> Result<(), LinearizeError> {
        let Some(by_length) = &self.rate else {
            return Ok(());
        };
        let moved = slopes / -rate;
        if !moved.iter().all(|x| x.is_finite()) {
            return Err(LinearizeError::NotDifferentiable {
                time,
                reason: "what makes the event stands still there",
            });
        }
        self.x += by_length * &moved;
        self.time += moved;
        Ok(())
    }
}

impl Simulation {
    /// From here on what the simulation does is remembered, for [`Simulation::recorded_derivative`]: some numbers a piece.
    /// What was remembered before is forgotten.
    pub fn start_recording(&mut self) {
        self.recording = Some(Vec::new());
    }

    /// Pieces and impacts remembered so far.
    #[doc(hidden)]
    pub fn recorded(&self) -> usize {
        self.recording.as_ref().map_or(0, Vec::len)
    }

    /// Forgets what was remembered after there were `length` of them: the simulation was restored to the state at which
    /// that was so.
    #[doc(hidden)]
    pub fn rewind_recording(&mut self, length: usize) {
        if let Some(recording) = &mut self.recording {
            recording.truncate(length);
        }
    }

    /// Forgets what was remembered after the last impact.
    #[doc(hidden)]
    pub fn end_recording_with_impact(&mut self) {
        if let Some(recording) = &mut self.recording {
            let last = recording
                .iter()
                .rposition(|p| matches!(p, Passage::Strike(_)));
            recording.truncate(last.map_or(recording.len(), |last| last + 1));
        }
    }

    pub(super) fn record(&mut self, passage: impl FnOnce(&Self) -> Passage) {
        if self.recording.is_some() {
            let passage = passage(self);
            if let Some(recording) = &mut self.recording {
                recording.push(passage);
            }
        }
    }

    /// How the present state changes when that at [`Simulation::start_recording`] does, by `directions` (2n × m, columns
    /// (δq, δv)) that keep held contacts closed and at rest.
    ///
    /// # Errors
    /// [`LinearizeError::NoRecording`]; [`LinearizeError::NotDifferentiable`] where something in the run has no derivative, or
    /// none that is known; sizes; those of linear equations without solutions.
    pub fn recorded_derivative(
        &mut self,
        directions: &DMatrix<f64>,
    ) -> Result<RunDerivative, LinearizeError> {
        self.recorded_derivative_by(directions, &mut [])
    }

    /// As [`Simulation::recorded_derivative`], and how the present state changes with `parameters` when the run begins at
    /// the same configuration and velocity: one more column for each, after those of the directions.
    ///
    /// # Errors
    /// As there, and [`LinearizeError::OtherShape`].
    pub fn recorded_derivative_by(
        &mut self,
        directions: &DMatrix<f64>,
        parameters: &mut [Parameter],
    ) -> Result<RunDerivative, LinearizeError> {
        let n = self.model.dof();
        if directions.nrows() != 2 * n {
            return Err(LinearizeError::Directions {
                found: directions.nrows(),
                expected: 2 * n,
            });
        }
        let recording = self.recording.take().ok_or(LinearizeError::NoRecording)?;
        let done = self.differentiate(&recording, directions, parameters);
        self.recording = Some(recording);
        done
    }

    fn differentiate(
        &mut self,
        recording: &[Passage],
        directions: &DMatrix<f64>,
        parameters: &mut [Parameter],
    ) -> Result<RunDerivative, LinearizeError> {
        self.check_differentiable()?;
        self.check_parameters(parameters)?;
        let (n, first) = (self.model.dof(), directions.ncols());
        let m = first + parameters.len();
        let mut chain = Chain {
            x: directions.clone().resize_horizontally(m, 0.0),
            time: RowDVector::zeros(m),
            impact: RowDVector::zeros(m),
            rate: None,
            forces: None,
            parameters: Some(first),
        };
        let (q, p) = self.recorded_start(recording);
        let mut inertia = self.inertia(&q, &p)?;
        inertia.replace_velocities(&mut chain.x);
        let v = inertia.velocity(&self.model, &p);
        for (j, parameter) in parameters.iter_mut().enumerate() {
            let changed = parameter.momentum_slope(&q, &v);
            chain.x.view_mut((n, first + j), (n, 1)).copy_from(&changed);
        }
        for passage in recording {
            self.differentiate_passage(passage, parameters, &mut chain)?;
        }
        let mut ends = chain.x.insert_column(m, 0.0);
        if let Some(rate) = &chain.rate {
            ends.column_mut(m).copy_from(rate);
        }
        let (q, p) = (&self.state.q, &self.state.p);
        let mut inertia = self.inertia(q, p)?;
        let v = inertia.velocity(&self.model, p);
        for (j, parameter) in parameters.iter_mut().enumerate() {
            let mut push = ends.view_mut((n, first + j), (n, 1));
            push -= parameter.momentum_slope(q, &v);
        }
        inertia.replace_momenta(&self.model, &mut ends);
        Ok(RunDerivative {
            transition: ends.columns(0, m).into_owned(),
            end_time: chain.time,
            rate: chain.rate.map(|_| ends.column(m).into_owned()),
        })
    }

    fn check_differentiable(&self) -> Result<(), LinearizeError> {
        let time = self.state.time;
        let not = |reason| Err(LinearizeError::NotDifferentiable { time, reason });
        if self.controller.is_some() && self.drive.is_none() {
            return not("a controller holds its efforts over a step");
        }
        if self.contacts.is_shaken() {
            return not("a piece of terrain moves by itself");
        }
        if self.law.draws_at_random() {
            return not("the impact law draws at random");
        }
        Ok(())
    }

    /// (q, p) at the start of a recording.
    fn recorded_start(&self, recording: &[Passage]) -> (Vec<f64>, Vec<f64>) {
        match recording.first() {
            Some(Passage::Flow(piece)) => (piece.q.clone(), piece.p.clone()),
            Some(Passage::Strike(strike)) => (strike.q.clone(), strike.p.clone()),
            _ => (self.state.q.clone(), self.state.p.clone()),
        }
    }

    fn differentiate_passage(
        &mut self,
        passage: &Passage,
        parameters: &mut [Parameter],
        chain: &mut Chain,
    ) -> Result<(), LinearizeError> {
        match passage {
            Passage::Flow(piece) => self.differentiate_piece(piece, parameters, chain),
            Passage::Strike(strike) => self.differentiate_strike(strike, parameters, chain),
            Passage::Obstacle { time, reason } => Err(LinearizeError::NotDifferentiable {
                time: *time,
                reason,
            }),
        }
    }
}
