//! The derivative of a run through its events, by the implicit function theorem.
//!
//! ```text
//! piece:   δx ← A δx + b_t δt + b_τ δτ                                r = 0 of room `discrete`, differentiated
//! event:   Dg δx = 0   ⇒   δτ = −Dg (A δx + b_t δt) / (Dg b_τ)        what is located: a gap, the end of a slide, a seam
//! clock:   δτ = −δt                                                   the end of a step does not move
//! strike:  δx ← D R δx                                                the impact law on what strikes
//! ```
//!
//! x = (q, p), t the present moment, τ the length of a piece. b_t is what servos make of a later start. The equations are
//! those that located the events, so the derivative is that of the run itself, not of its limit of small steps: no
//! saltation matrix is needed. R is the law as a whole, a smooth function of (q, p) where one impact does not change its
//! branch; it is cheap and differentiated by differences that are drawn out to zero, with held contacts kept at rest.
//!
//! There is none where contacts strike together (what is then the derivative depends on their order), where friction jams,
//! where a law draws at random, and where a controller holds its efforts over a step.

mod flow;
mod gradient;
mod recording;
mod strike;

use nalgebra::{DMatrix, DVector, RowDVector};

use super::location::Watched;
use super::{LinearizeError, Simulation};
use crate::discrete::held::rubbing_joints;
use crate::discrete::linearization::StateInertia;
use crate::hybrid::SimulationError;
use crate::hybrid::node::Node;
use crate::numerics::drawn_out_derivative;
use flow::Surroundings;
pub use gradient::RunGradient;
pub(in crate::hybrid::simulation) use recording::{Ends, FlowPassage, Passage, StrikePassage};

/// Widths of differences: of changes of order one \[m, rad, m/s, rad/s\].
const WIDTH: f64 = 1e-3;

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
    /// The present state by the length of the piece that led to it, 2n.
    rate: Option<DVector<f64>>,
    /// The first of n columns that are changes of the generalized forces, if there are any.
    forces: Option<usize>,
}

impl Chain {
    /// Moves the present moment so that what changes by `slopes` (m) along the directions, and by `rate` with the moment,
    /// does not change.
    fn meet(&mut self, slopes: &RowDVector<f64>, rate: f64) {
        let Some(by_length) = &self.rate else {
            return;
        };
        let moved = slopes / -rate;
        self.x += by_length * &moved;
        self.time += moved;
    }
}

impl Simulation {
    /// From here on what the simulation does is remembered, for [`Simulation::recorded_derivative`]: some numbers a piece.
    /// What was remembered before is forgotten.
    pub fn start_recording(&mut self) {
        self.recording = Some(Vec::new());
    }

    /// Pieces and impacts remembered so far.
    pub(crate) fn recorded(&self) -> usize {
        self.recording.as_ref().map_or(0, Vec::len)
    }

    /// Forgets what was remembered after there were `length` of them: the simulation was restored to the state at which
    /// that was so.
    pub(crate) fn rewind_recording(&mut self, length: usize) {
        if let Some(recording) = &mut self.recording {
            recording.truncate(length);
        }
    }

    /// Forgets what was remembered after the last impact.
    pub(crate) fn end_recording_with_impact(&mut self) {
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
        let n = self.model.dof();
        if directions.nrows() != 2 * n {
            return Err(LinearizeError::Directions {
                found: directions.nrows(),
                expected: 2 * n,
            });
        }
        let recording = self.recording.take().ok_or(LinearizeError::NoRecording)?;
        let done = self.differentiate(&recording, directions);
        self.recording = Some(recording);
        done
    }

    fn differentiate(
        &mut self,
        recording: &[Passage],
        directions: &DMatrix<f64>,
    ) -> Result<RunDerivative, LinearizeError> {
        self.check_differentiable()?;
        let mut chain = Chain {
            x: directions.clone(),
            time: RowDVector::zeros(directions.ncols()),
            rate: None,
            forces: None,
        };
        let (q, p) = self.recorded_start(recording);
        self.inertia(&q, &p)?.replace_velocities(&mut chain.x);
        for passage in recording {
            self.differentiate_passage(passage, &mut chain)?;
        }
        let mut ends = chain.x.insert_column(directions.ncols(), 0.0);
        if let Some(rate) = &chain.rate {
            ends.column_mut(directions.ncols()).copy_from(rate);
        }
        self.inertia(&self.state.q, &self.state.p)?
            .replace_momenta(&self.model, &mut ends);
        let m = directions.ncols();
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
        chain: &mut Chain,
    ) -> Result<(), LinearizeError> {
        match passage {
            Passage::Flow(piece) => self.differentiate_piece(piece, chain),
            Passage::Strike(strike) => self.differentiate_strike(strike, chain),
            Passage::Obstacle { time, reason } => Err(LinearizeError::NotDifferentiable {
                time: *time,
                reason,
            }),
        }
    }

    fn differentiate_piece(
        &self,
        piece: &FlowPassage,
        chain: &mut Chain,
    ) -> Result<(), LinearizeError> {
        let around = Surroundings {
            model: &self.model,
            contacts: &self.contacts,
            drive: self.drive.as_deref(),
            solver: self.settings.solver,
            order: self.settings.order,
            closed_gap: self.settings.closed_gap,
            whole: self.settings.time_step,
        };
        let derivative = flow::differentiate(&around, piece)?;
        chain.x = derivative.by_state * &chain.x + &derivative.by_start * &chain.time;
        if let Some(first) = chain.forces {
            let mut own = chain.x.columns_mut(first, derivative.by_force.ncols());
            own += &derivative.by_force;
        }
        chain.rate = Some(derivative.by_length);
        match piece.ends {
            Ends::Anywhere => {}
            Ends::Clock => {
                // Their sum does not change.
                let slopes = chain.time.clone();
                chain.meet(&slopes, 1.0);
                chain.time.fill(0.0);
            }
            // The strike that follows meets its gap.
            Ends::Event(_, Watched::Gap) => {}
            // The force is zero where the flows with and without the contact are joined: they have one rate there.
            Ends::Event(_, Watched::Force) => {}
            Ends::Event(which, watched) => {
                let q = derivative.end;
                let held = &piece.held[1];
                let value = |q: &[f64], p: &[f64]| -> Result<f64, SimulationError> {
                    let mut node = Node::new(&self.model, &self.contacts, &self.settings);
                    node.update_gaps(&self.model, &self.contacts, q);
                    node.update_velocity(&self.model, p)?;
                    Ok(match watched {
                        Watched::Slip([x, y]) => {
                            let slip = node.slip(&self.contacts, which);
                            x * slip[0] + y * slip[1]
                        }
                        Watched::Rate(sign) => {
                            let index = rubbing_joints(&self.model).nth(which);
                            index.map_or(0.0, |(_, at, _)| sign * node.velocity[at])
                        }
                        Watched::Seam(sign) => {
                            let own = held.iter().find(|h| h.contact == which);
                            own.map_or(0.0, |own| sign * self.seam(&node, own))
                        }
                        Watched::Gap | Watched::Force => 0.0,
                    })
                };
                let mut inertia = self.inertia(&q, &piece.end_momentum)?;
                let mut slope = |direction: &[f64]| {
                    let there = (&q[..], &piece.end_momentum[..]);
                    self.slope_along(&mut inertia, there, direction, |q, p| {
                        value(q, p).map(|x| DVector::from_element(1, x))
                    })
                };
                let mut slopes = RowDVector::zeros(chain.x.ncols());
                for (j, column) in chain.x.column_iter().enumerate() {
                    slopes[j] = slope(column.as_slice())?.0[0];
                }
                let rate = match &chain.rate {
                    Some(rate) => slope(rate.as_slice())?.0[0],
                    None => return Ok(()),
                };
                chain.meet(&slopes, rate);
            }
        }
        Ok(())
    }

    fn inertia(&self, q: &[f64], p: &[f64]) -> Result<StateInertia, SimulationError> {
        Ok(StateInertia::new(&self.model, q, p)?)
    }

    /// Derivative of a smooth function of (q, p) along (δq, δp), and how far it is from smooth; `inertia` is that there.
    fn slope_along(
        &self,
        inertia: &mut StateInertia,
        (q, p): (&[f64], &[f64]),
        direction: &[f64],
        mut f: impl FnMut(&[f64], &[f64]) -> Result<DVector<f64>, SimulationError>,
    ) -> Result<(DVector<f64>, f64), LinearizeError> {
        let n = self.model.dof();
        let (turn, push) = direction.split_at(n);
        let mut speeds = vec![0.0; n];
        inertia.solve(&self.model, push, &mut speeds);
        let size = turn.iter().chain(&speeds);
        let size = size.fold(0.0_f64, |m, x| m.max(x.abs()));
        if size == 0.0 {
            return Ok((f(q, p)? * 0.0, 0.0));
        }
        let mut moved = q.to_vec();
        let mut pushed = p.to_vec();
        let (slope, error) = drawn_out_derivative(WIDTH / size, |e| {
            self.model.integrate(q, turn, e, &mut moved);
            for ((to, from), push) in pushed.iter_mut().zip(p).zip(push) {
                *to = from + e * push;
            }
            f(&moved, &pushed)
        })?;
        Ok((slope, error / size))
    }
}
