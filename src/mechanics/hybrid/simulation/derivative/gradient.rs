//! The gradient of one number by everything that acted on a run, in one sweep backwards.
//!
//! Every passage is a linear map y ↦ P y + Q u of y = (δx, δt, δt₁), the changes of the state, of the present moment and of
//! that of the first impact, with u the changes of the generalized forces held over it. So with λ the gradient after it
//!
//! ```text
//! λ_k = P_kᵀ λ_{k+1},      ∂J/∂u_k = Q_kᵀ λ_{k+1}
//! ```

use nalgebra::{DMatrix, DVector, RowDVector};

use super::{Chain, Parameter, Passage};
use crate::hybrid::simulation::{LinearizeError, Simulation};

/// The gradient of a number J by the start of a run and by the forces in its steps.
#[derive(Debug, Clone, PartialEq)]
pub struct RunGradient {
    /// By (δq, δv) at [`Simulation::start_recording`], 2n.
    pub start: DVector<f64>,
    /// By generalized forces held over each time step, n × steps \[J's unit / (N m or N)\]: column k is that of the step that
    /// began k steps after the start.
    pub forces: DMatrix<f64>,
    /// By the parameters \[J's unit over theirs\], of a run from the same configuration and velocity.
    pub parameters: DVector<f64>,
}

impl Simulation {
    /// The gradient of J by the start and by the forces of the run since [`Simulation::start_recording`]; `objective` is
    /// ∂J/∂(q, v) at the present state, 2n, of a run that ended by the clock. One sweep over the run, whatever the number of
    /// steps; unlike the derivative along given directions, it asks for the impact law's slopes in all of them.
    ///
    /// # Errors
    /// As [`Simulation::recorded_derivative`].
    pub fn recorded_gradient(&mut self, objective: &[f64]) -> Result<RunGradient, LinearizeError> {
        self.recorded_gradient_by(objective, &mut [])
    }

    /// As [`Simulation::recorded_gradient`], also by `parameters`, in the same sweep.
    ///
    /// # Errors
    /// As [`Simulation::recorded_derivative_by`].
    pub fn recorded_gradient_by(
        &mut self,
        objective: &[f64],
        parameters: &mut [Parameter],
    ) -> Result<RunGradient, LinearizeError> {
        let n = self.model.dof();
        if objective.len() != 2 * n {
            return Err(LinearizeError::Directions {
                found: objective.len(),
                expected: 2 * n,
            });
        }
        let recording = self.recording.take().ok_or(LinearizeError::NoRecording)?;
        let done = self.sweep_back(&recording, objective, parameters);
        self.recording = Some(recording);
        done
    }

    fn sweep_back(
        &mut self,
        recording: &[Passage],
        objective: &[f64],
        parameters: &mut [Parameter],
    ) -> Result<RunGradient, LinearizeError> {
        self.check_differentiable()?;
        self.check_parameters(parameters)?;
        let n = self.model.dof();
        let maps = self.passage_maps(recording, parameters)?;
        // From (q, v) to (q, p): δv = M⁻¹(δp − ∂(M v)/∂q δq).
        let mut inertia = self.inertia(&self.state.q, &self.state.p)?;
        let (by_place, by_rate) = objective.split_at(n);
        let mut by_momentum = DVector::zeros(n);
        inertia.solve(&self.model, by_rate, by_momentum.as_mut_slice());
        let place = DVector::from_column_slice(by_place)
            - inertia.parts.momentum_configuration.transpose() * &by_momentum;
        let mut gradient = DVector::zeros(2 * n + 2);
        gradient.rows_mut(0, n).copy_from(&place);
        gradient.rows_mut(n, n).copy_from(&by_momentum);

        // At the end a parameter changes the velocity that belongs to a momentum.
        let (q, p) = (&self.state.q, &self.state.p);
        let v = inertia.velocity(&self.model, p);
        let slopes = parameters.iter_mut().map(|parameter| {
            let changed = parameter.momentum_slope(q, &v);
            -by_momentum.dot(&changed)
        });
        let mut by_parameter = DVector::from_iterator(slopes.len(), slopes);

        let h = self.settings.time_step;
        let start = recording.first().map_or(self.state.time, Passage::time);
        let step_of = |time: f64| ((time - start) / h + 1e-9).floor() as usize;
        let steps = recording.last().map_or(0, |p| step_of(p.time()) + 1);
        let mut forces = DMatrix::zeros(n, steps);
        for (passage, map) in recording.iter().zip(&maps).rev() {
            if matches!(passage, Passage::Flow(_)) {
                let mut own = forces.column_mut(step_of(passage.time()));
                own += map.columns(2 * n + 2, n).tr_mul(&gradient);
            }
            by_parameter += map.columns(3 * n + 2, by_parameter.len()).tr_mul(&gradient);
            gradient = map.columns(0, 2 * n + 2).tr_mul(&gradient);
        }
        let (q, p) = self.recorded_start(recording);
        let mut inertia = self.inertia(&q, &p)?;
        let v = inertia.velocity(&self.model, &p);
        let parts = inertia.parts;
        let by_momentum = gradient.rows(n, n).into_owned();
        for (own, parameter) in by_parameter.iter_mut().zip(parameters) {
            *own += by_momentum.dot(&parameter.momentum_slope(&q, &v));
        }
        let mut start = DVector::zeros(2 * n);
        let place = gradient.rows(0, n) + parts.momentum_configuration.transpose() * &by_momentum;
        start.rows_mut(0, n).copy_from(&place);
        start.rows_mut(n, n).copy_from(&(parts.mass * by_momentum));
        Ok(RunGradient {
            start,
            forces,
            parameters: by_parameter,
        })
    }

    /// \[P Q\] of every passage, (2n + 2) × (3n + 2 + k) for k parameters.
    fn passage_maps(
        &mut self,
        recording: &[Passage],
        parameters: &mut [Parameter],
    ) -> Result<Vec<DMatrix<f64>>, LinearizeError> {
        let n = self.model.dof();
        let columns = 3 * n + 2 + parameters.len();
        let mut rate = None;
        let mut maps = Vec::with_capacity(recording.len());
        for passage in recording {
            let mut time = RowDVector::zeros(columns);
            time[2 * n] = 1.0;
            let mut impact = RowDVector::zeros(columns);
            impact[2 * n + 1] = 1.0;
            let mut chain = Chain {
                x: DMatrix::identity(2 * n, columns),
                time,
                impact,
                rate,
                forces: Some(2 * n + 2),
                parameters: Some(3 * n + 2),
            };
            self.differentiate_passage(passage, parameters, &mut chain)?;
            let mut map = chain.x.insert_row(2 * n, 0.0);
            map = map.insert_row(2 * n + 1, 0.0);
            map.row_mut(2 * n).copy_from(&chain.time);
            map.row_mut(2 * n + 1).copy_from(&chain.impact);
            maps.push(map);
            rate = chain.rate;
        }
        Ok(maps)
    }
}
