//! Maps: cosines and ξ over two variables, with the gaps closed again at every point.

use rayon::prelude::*;
use serde::Serialize;

use super::{
    DesignError, DesignProblem, DesignSettings, Quantity, Stance, close_gaps, order_indeterminacy,
};

/// One axis of a map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MapAxis {
    /// Name of a variable.
    pub variable: String,
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// Number of values, at least 2.
    pub points: usize,
}

impl MapAxis {
    /// Value number i.
    #[must_use]
    pub fn value(&self, i: usize) -> f64 {
        self.from + (self.to - self.from) * i as f64 / (self.points.max(2) - 1) as f64
    }
}

/// One point of a map.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MapPoint {
    /// Wanted cosines' values, all stances in order.
    pub cosines: Vec<f64>,
    /// ξ of the first stance with a velocity.
    pub xi: Option<f64>,
}

/// A scan over two variables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DesignMap {
    /// The two axes.
    pub axes: [MapAxis; 2],
    /// Points, the first axis varying fastest; `None` where the gaps cannot be closed.
    pub points: Vec<Option<MapPoint>>,
}

/// Scans the two axes around `x` (values of all variables): at each point the other free coordinates
/// move as little as possible to close the gaps, the other parameters stay as they are.
///
/// # Errors
/// An axis that is no variable, or no other free coordinates to close the gaps with.
pub fn design_map(
    problem: &DesignProblem,
    x: &[f64],
    axes: [MapAxis; 2],
    settings: &DesignSettings,
) -> Result<DesignMap, DesignError> {
    let mut at = [0; 2];
    for (axis, at) in axes.iter().zip(&mut at) {
        let names = || problem.variables().iter().map(|v| v.name.as_str());
        *at = names().position(|n| n == axis.variable).ok_or_else(|| {
            let known: Vec<&str> = names().collect();
            DesignError::Variable {
                variable: axis.variable.clone(),
                reason: format!("a map runs over free variables: {}", known.join(", ")),
            }
        })?;
        if !(axis.from.is_finite() && axis.to.is_finite() && axis.from < axis.to && axis.points > 1)
        {
            return Err(DesignError::Variable {
                variable: axis.variable.clone(),
                reason: "an axis needs a finite range and two points or more".to_string(),
            });
        }
    }
    if at[0] == at[1] {
        return Err(DesignError::Variable {
            variable: axes[0].variable.clone(),
            reason: "a map needs two different variables".to_string(),
        });
    }
    let [columns, rows] = [axes[0].points, axes[1].points];
    // Results come back in the order of the grid, whatever the number of threads.
    let points = (0..columns * rows)
        .into_par_iter()
        .map(|i| {
            let mut y = x.to_vec();
            y[at[0]] = axes[0].value(i % columns);
            y[at[1]] = axes[1].value(i / columns);
            map_point(problem, &y, at, settings).ok()
        })
        .collect();
    Ok(DesignMap { axes, points })
}

/// Closes the gaps at fixed parameters and fixed axis variables, and measures.
fn map_point(
    problem: &DesignProblem,
    y: &[f64],
    fixed: [usize; 2],
    settings: &DesignSettings,
) -> Result<MapPoint, DesignError> {
    let robot = problem.robot(y)?;
    let mut cosines = Vec::new();
    let mut xi = None;
    for (s, stance) in problem.stances().iter().enumerate() {
        let first = problem.resolved[s].first_variable;
        let mut free = stance.free.clone();
        let mut k = first;
        free.retain(|_| {
            k += 1;
            !fixed.contains(&(k - 1))
        });
        let alone = Stance {
            coordinates: problem.coordinates(y, s),
            free,
            ..stance.clone()
        };
        let q = close_gaps(&robot, alone, settings)?;
        let impact = problem.impact(&robot, &q, s)?;
        let g = &impact.contact_space().delassus;
        for quantity in problem.quantities() {
            if let Quantity::Cosine {
                stance: of,
                pair: (a, b),
                ..
            } = quantity
                && *of == s
            {
                cosines.push(g[(*a, *b)] / (g[(*a, *a)] * g[(*b, *b)]).sqrt());
            }
        }
        if xi.is_none() && stance.approach.is_some() {
            xi = Some(order_indeterminacy(&impact)?);
        }
    }
    Ok(MapPoint { cosines, xi })
}
