//! The derivative of a piece with what ended it.

use nalgebra::{DVector, RowDVector};

use super::recording::{Ends, FlowPassage};
use super::{Chain, Parameter, flow};
use crate::discrete::held::{HeldContact, rubbing_joints};
use crate::discrete::linearization::StateInertia;
use crate::hybrid::SimulationError;
use crate::hybrid::node::Node;
use crate::hybrid::simulation::crossings::Watched;
use crate::hybrid::simulation::{LinearizeError, Simulation};
use crate::numerics::drawn_out_derivative;

/// Widths of differences: of changes of order one \[m, rad, m/s, rad/s\].
const WIDTH: f64 = 1e-3;

impl Simulation {
    pub(super) fn differentiate_piece(
        &self,
        piece: &FlowPassage,
        parameters: &mut [Parameter],
        chain: &mut Chain,
    ) -> Result<(), LinearizeError> {
        let derivative = flow::differentiate(&self.surroundings(), piece, parameters)?;
        chain.x = derivative.by_state * &chain.x
            + &derivative.by_start * &chain.time
            + &derivative.by_impact * &chain.impact;
        for (own, added) in [
            (chain.forces, &derivative.by_force),
            (chain.parameters, &derivative.by_parameter),
        ] {
            if let Some(first) = own {
                let mut own = chain.x.columns_mut(first, added.ncols());
                own += added;
            }
        }
        chain.rate = Some(derivative.by_length);
        match piece.ends {
            Ends::Anywhere => {}
            Ends::Clock => {
                // Their sum does not change.
                let slopes = chain.time.clone();
                chain.meet(piece.time + piece.tau, &slopes, 1.0)?;
                chain.time.fill(0.0);
            }
            // The strike that follows meets its gap.
            Ends::Event(_, Watched::Gap) => {}
            // The force is zero where the flows with and without the contact are joined: they have one rate there.
            Ends::Event(_, Watched::Force) => {}
            Ends::Event(which, watched) => {
                let there = (&derivative.end[..], &piece.end_momentum[..]);
                let held = &piece.held[1];
                let mut inertia = self.inertia(there.0, there.1)?;
                let mut slope = |direction: &[f64]| {
                    self.slope_along(&mut inertia, there, direction, |q, p| {
                        self.watched_value((which, watched), held, q, p)
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
                let first = chain.parameters.unwrap_or_default();
                for (j, parameter) in parameters.iter_mut().enumerate() {
                    let value = |simulation: &mut Simulation, _| {
                        simulation.watched_value((which, watched), held, there.0, there.1)
                    };
                    slopes[first + j] += parameter.slope(&DVector::zeros(1), value)?.0[0];
                }
                chain.meet(piece.time + piece.tau, &slopes, rate)?;
            }
        }
        Ok(())
    }

    /// What passes zero where a piece ends, one number.
    fn watched_value(
        &self,
        (which, watched): (usize, Watched),
        held: &[HeldContact],
        q: &[f64],
        p: &[f64],
    ) -> Result<DVector<f64>, SimulationError> {
        let mut node = Node::new(&self.model, &self.contacts, &self.settings);
        node.update_gaps(&self.model, &self.contacts, q);
        node.update_velocity(&self.model, p)?;
        let value = match watched {
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
        };
        Ok(DVector::from_element(1, value))
    }

    pub(super) fn inertia(&self, q: &[f64], p: &[f64]) -> Result<StateInertia, SimulationError> {
        Ok(StateInertia::new(&self.model, q, p)?)
    }

    /// Derivative of a smooth function of (q, p) along (δq, δp), and how far it is from smooth; `inertia` is that there.
    pub(super) fn slope_along(
        &self,
        inertia: &mut StateInertia,
        (q, p): (&[f64], &[f64]),
        direction: &[f64],
        mut f: impl FnMut(&[f64], &[f64]) -> Result<DVector<f64>, SimulationError>,
    ) -> Result<(DVector<f64>, f64), LinearizeError> {
        let (turn, push) = direction.split_at(self.model.dof());
        let mut speeds = vec![0.0; push.len()];
        inertia.solve(&self.model, push, &mut speeds);
        let size = turn.iter().chain(&speeds);
        let size = size.fold(0.0_f64, |m, x| m.max(x.abs()));
        if size == 0.0 {
            return Ok((f(q, p)? * 0.0, 0.0));
        }
        let (slope, error) = drawn_out_derivative(WIDTH / size, |e| {
            let (q, p) = self.moved((q, p), direction, e);
            f(&q, &p)
        })?;
        Ok((slope, error / size))
    }

    /// The state beside (q, p) along (δq, δp) e.
    pub(super) fn moved(
        &self,
        (q, p): (&[f64], &[f64]),
        direction: &[f64],
        e: f64,
    ) -> (Vec<f64>, Vec<f64>) {
        let (turn, push) = direction.split_at(self.model.dof());
        let mut moved = q.to_vec();
        self.model.integrate(q, turn, e, &mut moved);
        let pushed = p.iter().zip(push).map(|(p, push)| p + e * push);
        (moved, pushed.collect())
    }
}
