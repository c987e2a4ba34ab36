//! Table 1 of [JW]: the paper's solvers beside the exact one.

use serde::Serialize;

use super::settings::{StrongeSettings, StrongeSolver};
use super::trajectory::coefficients::Coefficients;
use super::trajectory::process::Process;
use super::{Stronge, euler, unsupported};
use crate::impact::{ImpactError, ImpactProblem};

/// One column of Table 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrongeSolverRow {
    /// `exact`, `ni`, `fs`, `vs`.
    pub solver: &'static str,
    /// Step of the normal impulse \[N s\], where it is fixed.
    pub step: Option<f64>,
    /// Euler steps, or panels of the exact solver.
    pub iterations: usize,
    /// Normal impulse \[N s\].
    pub normal_impulse: f64,
    /// Tangential impulse \[N s\].
    pub tangential_impulse: [f64; 2],
    /// ‖I − I_exact‖ \[N s\].
    pub error: f64,
}

impl Stronge {
    /// Solves a problem with one contact by the exact solver, then by NI and FS with the given steps \[N s\] and by VS:
    /// iterations and error of each, as in Table 1 of \[JW\]. Tolerances of events s and l are those of the law.
    ///
    /// # Errors
    /// Not exactly one contact, a step that is not positive, or a solver that does not end.
    pub fn compare_solvers(
        &self,
        problem: &ImpactProblem,
        step_ni: f64,
        step_fs: f64,
    ) -> Result<Vec<StrongeSolverRow>, ImpactError> {
        let space = problem.contact_space();
        if space.len() != 1 {
            return Err(unsupported(format!(
                "the solvers are compared on one contact, the problem has {}",
                space.len()
            )));
        }
        for step in [step_ni, step_fs] {
            if !(step > 0.0 && step.is_finite()) {
                return Err(ImpactError::OutOfRange {
                    place: "step of the normal impulse".into(),
                    value: step,
                    range: "positive and finite",
                });
            }
        }
        let c = Coefficients::read(space, 0, space.velocity.as_slice())?;
        let mut exact = Process::new(&c);
        exact.run()?;
        let mut rows = vec![StrongeSolverRow {
            solver: StrongeSolver::Exact.name(),
            step: None,
            iterations: exact.panels,
            normal_impulse: exact.normal,
            tangential_impulse: exact.tangential,
            error: 0.0,
        }];
        for (solver, step) in [
            (StrongeSolver::NumericalIntegration, Some(step_ni)),
            (StrongeSolver::FixedStep, Some(step_fs)),
            (StrongeSolver::VariableStep, None),
        ] {
            let settings = StrongeSettings {
                solver,
                step,
                ..self.settings.clone()
            };
            let solved = euler::solve(&c, &settings)?;
            let error = (solved.normal - exact.normal)
                .hypot(solved.tangential[0] - exact.tangential[0])
                .hypot(solved.tangential[1] - exact.tangential[1]);
            rows.push(StrongeSolverRow {
                solver: solver.name(),
                step: solved.step,
                iterations: solved.iterations,
                normal_impulse: solved.normal,
                tangential_impulse: solved.tangential,
                error,
            });
        }
        Ok(rows)
    }
}
