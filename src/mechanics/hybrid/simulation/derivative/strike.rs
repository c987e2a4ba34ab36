//! The derivative of an impact: the gap that closed stays closed, then the law.

use nalgebra::{DMatrix, DVector, RowDVector};

use super::recording::StrikePassage;
use super::{Chain, Parameter, SMOOTH};
use crate::dynamics::{ArticulatedFactor, Kinematics};
use crate::hybrid::SimulationError;
use crate::hybrid::collision::{Closed, collide, collide_at_limit};
use crate::hybrid::node::Node;
use crate::hybrid::simulation::{LinearizeError, Simulation};
use crate::impact::{ImpactLaw, Propagative};

/// Singular values of the rows of held contacts below this share of the largest are redundant.
const REDUNDANT: f64 = 1e-10;

impl Simulation {
    pub(super) fn differentiate_strike(
        &mut self,
        strike: &StrikePassage,
        parameters: &mut [Parameter],
        chain: &mut Chain,
    ) -> Result<(), LinearizeError> {
        let [contact] = strike.striking[..] else {
            return Err(LinearizeError::NotDifferentiable {
                time: strike.time,
                reason: "contacts strike together",
            });
        };
        let n = self.model.dof();
        let mut kinematics = Kinematics::new(&self.model);
        kinematics.update_placements(&self.model, &strike.q);
        let frame = self.contacts.frame(&kinematics, contact);
        let mut row = RowDVector::zeros(n);
        let normal = frame.normal;
        frame.row(&self.model, &kinematics, &normal, row.as_mut_slice());
        if let Some(rate) = &chain.rate {
            let rate = row.tr_dot(&rate.rows(0, n));
            let mut slopes = &row * chain.x.rows(0, n);
            let first = chain.parameters.unwrap_or_default();
            for (j, parameter) in parameters.iter_mut().enumerate() {
                slopes[first + j] += parameter.gap_slope(&strike.q, contact);
            }
            chain.meet(strike.time, &slopes, rate)?;
        }
        if strike.first {
            chain.impact.copy_from(&chain.time);
        }
        let mut inertia = self.inertia(&strike.q, &strike.p)?;
        let columns: Vec<DVector<f64>> = chain.x.column_iter().map(|c| c.into_owned()).collect();
        let there = (&strike.q[..], &strike.p[..]);
        let smooth = |(slope, error): (DVector<f64>, f64)| {
            if error > SMOOTH * slope.amax().max(1.0) {
                return Err(LinearizeError::NotDifferentiable {
                    time: strike.time,
                    reason: "the impact law has a kink at this impact or changes its branch beside it, or a parameter's \
                             simulations differ from this one in more than the parameter",
                });
            }
            Ok(slope)
        };
        let image = |simulation: &mut Simulation, q: &[f64], p: &[f64]| {
            let placeholder = Box::new(Propagative::default());
            let mut law = std::mem::replace(&mut simulation.law, placeholder);
            let image = simulation.image_of_strike(law.as_mut(), strike, q, p);
            simulation.law = law;
            image
        };
        let middle = image(self, there.0, there.1)?;
        let first = chain.parameters.unwrap_or(columns.len());
        for (j, column) in columns.iter().enumerate() {
            let slope = match j.checked_sub(first).and_then(|k| parameters.get_mut(k)) {
                // At once with the state that it changes: the law may be smooth along both and along neither alone, as where
                // a parameter changes the velocity of a momentum.
                Some(parameter) => parameter.slope(&middle, |simulation, e| {
                    let (q, p) = self.moved(there, column.as_slice(), e);
                    image(simulation, &q, &p)
                })?,
                None => {
                    let mut law =
                        std::mem::replace(&mut self.law, Box::new(Propagative::default()));
                    let slope = self.slope_along(&mut inertia, there, column.as_slice(), |q, p| {
                        self.image_of_strike(law.as_mut(), strike, q, p)
                    });
                    self.law = law;
                    slope?
                }
            };
            chain.x.view_mut((n, j), (n, 1)).copy_from(&smooth(slope)?);
        }
        chain.rate = None;
        Ok(())
    }

    /// Momentum after the impact from (q, p), in which what was held is brought to rest first: of second order where the
    /// change keeps it at rest.
    fn image_of_strike(
        &self,
        law: &mut dyn ImpactLaw,
        strike: &StrikePassage,
        q: &[f64],
        p: &[f64],
    ) -> Result<DVector<f64>, SimulationError> {
        let mut node = Node::new(&self.model, &self.contacts, &self.settings);
        node.update_gaps(&self.model, &self.contacts, q);
        let mut p = p.to_vec();
        self.bring_to_rest(strike, &node, &mut p)?;
        node.update_velocity(&self.model, &p)?;
        let resolve = if strike.at_limit {
            collide_at_limit
        } else {
            collide
        };
        let collision = resolve(
            law,
            &self.model,
            &self.contacts,
            &node,
            &p,
            Closed {
                contacts: &strike.closed,
                locked: &strike.locked,
                caught: &[],
            },
            &self.exploration(),
        )
        .map_err(|source| self.unresolved(&strike.closed, source))?;
        Ok(collision.outcome.momentum)
    }

    fn bring_to_rest(
        &self,
        strike: &StrikePassage,
        node: &Node,
        p: &mut [f64],
    ) -> Result<(), SimulationError> {
        let n = self.model.dof();
        let mut rows: Vec<Vec<f64>> = Vec::new();
        let mut drives = Vec::new();
        for &(contact, sticks) in &strike.held {
            let frame = self.contacts.frame(&node.kinematics, contact);
            let tangents = if sticks {
                self.contacts.tangent_count(contact)
            } else {
                0
            };
            let [along, across] = frame.drive();
            drives.extend_from_slice(&[0.0, along, across][..1 + tangents]);
            rows.extend(frame.rows(&self.model, &node.kinematics, tangents));
        }
        if rows.is_empty() {
            return Ok(());
        }
        let mut factor = ArticulatedFactor::new(&self.model);
        factor.factor(&self.model, &node.kinematics)?;
        let mut solve = |x: &[f64]| {
            let mut out = vec![0.0; n];
            factor.solve(&self.model, &node.kinematics, x, &mut out);
            DVector::from(out)
        };
        let c = DMatrix::from_fn(rows.len(), n, |i, j| rows[i][j]);
        let solved: Vec<DVector<f64>> = rows.iter().map(|row| solve(row)).collect();
        let delassus = &c * DMatrix::from_columns(&solved);
        let rates = &c * solve(p) - DVector::from(drives);
        let least = REDUNDANT * delassus.amax();
        if let Ok(impulse) = delassus.svd(true, true).solve(&rates, least) {
            for (p, push) in p.iter_mut().zip((c.transpose() * impulse).iter()) {
                *p -= push;
            }
        }
        Ok(())
    }
}
