//! Stances brought into contact: gaps closed by the smallest motion of free coordinates.

use crate::design::{DesignError, DesignProblem, DesignSettings, Method, Robot, Stance};

impl DesignProblem {
    /// The configuration q of a stance of the robot at `x` with its gaps closed by the smallest motion of
    /// its free coordinates; that at `x` itself when they are closed.
    ///
    /// # Errors
    /// Gaps that do not close.
    pub fn touching_configuration(
        &self,
        x: &[f64],
        stance: usize,
        settings: &DesignSettings,
    ) -> Result<Vec<f64>, DesignError> {
        let alone = Stance {
            coordinates: self.coordinates(x, stance),
            ..self.stances()[stance].clone()
        };
        close_gaps(&self.robot(x)?, alone, settings)
    }
}

/// The configuration in which a stance touches, from its coordinates by the smallest motion.
pub(crate) fn close_gaps(
    robot: &Robot,
    stance: Stance,
    settings: &DesignSettings,
) -> Result<Vec<f64>, DesignError> {
    let fixed_robot = robot.clone();
    let stance = Stance {
        targets: Vec::new(),
        minimised: Vec::new(),
        ..stance
    };
    let family = move |_: &[f64]| Ok(fixed_robot.clone());
    let problem = DesignProblem::new(Box::new(family), Vec::new(), vec![stance])?;
    let settings = DesignSettings {
        method: Method::Nearest,
        stationarity: 1e-4,
        ..*settings
    };
    let solution = problem.solve(&settings)?;
    Ok(problem.configuration(&robot.model, &solution.variables, 0))
}
