//! Parameters of a run: whatever makes another robot, other contacts, another law or other servos of the same kinds.

use std::convert::Infallible;

use nalgebra::DVector;

use super::flow::Surroundings;
use crate::dynamics::{Kinematics, LagrangianTerms};
use crate::hybrid::Simulation;
use crate::hybrid::simulation::LinearizeError;
use crate::numerics::slope_and_error;

/// A parameter of a simulation, known by the simulations that it makes near its value: a mass, a length, friction, a
/// restitution, a gain, a number of a gait table.
///
/// They enter the equations of a run, which are smooth in them, and cost no motion: differences of the equations that are
/// drawn out to zero (error O(width⁶), rounding over width) are as exact as derivatives need to be.
pub struct Parameter {
    width: f64,
    /// At −1 and +1, ±½ and ±¼ widths from its value.
    sides: [[Simulation; 2]; 3],
}

impl Parameter {
    /// The simulations at up to `width` to both sides of the parameter's value; a thousandth of the value is a good width.
    /// `simulation` makes the one at a change of the parameter, in its unit; where those begin does not matter.
    ///
    /// # Errors
    /// Those of `simulation`.
    pub fn new<E>(
        width: f64,
        mut simulation: impl FnMut(f64) -> Result<Simulation, E>,
    ) -> Result<Self, E> {
        let mut pair = |share: f64| -> Result<[Simulation; 2], E> {
            Ok([simulation(-width * share)?, simulation(width * share)?])
        };
        Ok(Self {
            width,
            sides: [pair(1.0)?, pair(0.5)?, pair(0.25)?],
        })
    }

    /// Whether its simulations have the coordinates, contacts and dry friction of this one.
    pub(super) fn fits(&self, simulation: &Simulation) -> bool {
        let shape = |s: &Simulation| {
            let rubbing = (s.model.bodies().iter()).map(|b| (b.friction > 0.0, b.latches));
            (
                s.model.configuration_len(),
                s.model.dof(),
                s.contacts.len(),
                s.drive.is_some(),
                rubbing.collect::<Vec<_>>(),
            )
        };
        let own = shape(simulation);
        self.sides.iter().flatten().all(|side| shape(side) == own)
    }

    /// Derivative by the parameter of f, a function of a simulation and of the change that made it, and how far it is from
    /// smooth; `middle` is f without a change.
    pub(super) fn slope<E>(
        &mut self,
        middle: &DVector<f64>,
        mut f: impl FnMut(&mut Simulation, f64) -> Result<DVector<f64>, E>,
    ) -> Result<(DVector<f64>, f64), E> {
        let mut share = 2.0 * self.width;
        let mut pair = |[below, above]: &mut [Simulation; 2]| -> Result<[DVector<f64>; 2], E> {
            share *= 0.5;
            Ok([f(below, -share)?, f(above, share)?])
        };
        let [coarse, half, fine] = &mut self.sides;
        let sides = [pair(coarse)?, pair(half)?, pair(fine)?];
        Ok(slope_and_error(self.width, middle, &sides))
    }

    /// Derivative of a smooth function that has a value for every simulation, with n numbers.
    fn plain_slope(
        &mut self,
        n: usize,
        mut f: impl FnMut(&Simulation) -> DVector<f64>,
    ) -> DVector<f64> {
        let f = |simulation: &mut Simulation, _| Ok::<_, Infallible>(f(simulation));
        match self.slope(&DVector::zeros(n), f) {
            Ok((slope, _)) => slope,
            Err(never) => match never {},
        }
    }

    /// Of the gap of a contact at q.
    pub(super) fn gap_slope(&mut self, q: &[f64], contact: usize) -> f64 {
        let gap = |simulation: &Simulation| {
            let mut kinematics = Kinematics::new(&simulation.model);
            kinematics.update_placements(&simulation.model, q);
            let gap = simulation.contacts.frame(&kinematics, contact).gap;
            DVector::from_element(1, gap)
        };
        self.plain_slope(1, gap)[0]
    }

    /// ∂(M v)/∂θ at (q, v), n.
    pub(super) fn momentum_slope(&mut self, q: &[f64], v: &[f64]) -> DVector<f64> {
        self.plain_slope(v.len(), |simulation| {
            let model = &simulation.model;
            let mut kinematics = Kinematics::new(model);
            kinematics.update_placements(model, q);
            kinematics.update_twists(model, v);
            let mut terms = LagrangianTerms::new(model);
            terms.update(model, &kinematics);
            DVector::from(terms.momentum)
        })
    }
}

impl Simulation {
    /// What pieces of a run are differentiated with.
    pub(super) fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            model: &self.model,
            contacts: &self.contacts,
            drive: self.drive.as_deref(),
            solver: self.settings.solver,
            order: self.settings.order,
            closed_gap: self.settings.closed_gap,
            whole: self.settings.time_step,
        }
    }

    pub(super) fn check_parameters(&self, parameters: &[Parameter]) -> Result<(), LinearizeError> {
        match parameters.iter().position(|p| !p.fits(self)) {
            Some(index) => Err(LinearizeError::OtherShape { index }),
            None => Ok(()),
        }
    }
}
