//! Problems of islands: each is solved by itself.

use super::FrictionSolver;
use crate::friction::delassus::Island;
use crate::friction::{Delassus, FrictionProblem, FrictionResiduals, FrictionRule, HeldMode};

/// The solver of an island, and its share of the problem.
#[derive(Debug, Clone, Default)]
pub(super) struct Part {
    solver: FrictionSolver,
    modes: Vec<HeldMode>,
    rules: Vec<FrictionRule>,
    slip_speeds: Vec<f64>,
    impulse: Vec<f64>,
    free: Vec<f64>,
    guessed: Vec<f64>,
}

/// The entries of some places, none of nothing.
fn gather<T: Copy>(from: &[T], at: &[usize], to: &mut Vec<T>) {
    to.clear();
    if !from.is_empty() {
        to.extend(at.iter().map(|i| from[*i]));
    }
}

impl Part {
    fn solve(
        &mut self,
        island: &mut Island,
        problem: &FrictionProblem<'_>,
        modes: &mut [HeldMode],
        impulse: &mut [f64],
    ) -> FrictionResiduals {
        let (groups, rows) = (&island.groups, &island.rows);
        gather(modes, groups, &mut self.modes);
        gather(problem.rules, groups, &mut self.rules);
        gather(problem.slip_speeds, groups, &mut self.slip_speeds);
        gather(impulse, rows, &mut self.impulse);
        gather(problem.free, rows, &mut self.free);
        gather(problem.guessed, rows, &mut self.guessed);
        let own = FrictionProblem {
            free: &self.free,
            guessed: &self.guessed,
            rules: &self.rules,
            slip_speeds: &self.slip_speeds,
            ..*problem
        };
        let left = self.solver.solve(
            &mut island.delassus,
            &own,
            &mut self.modes,
            &mut self.impulse,
        );
        for (i, mode) in groups.iter().zip(&self.modes) {
            modes[*i] = *mode;
        }
        for (i, x) in rows.iter().zip(&self.impulse) {
            impulse[*i] = *x;
        }
        left
    }
}

impl FrictionSolver {
    /// Solves the problem of each island; `None` if there is one only.
    pub(super) fn solve_islands(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        modes: &mut [HeldMode],
        impulse: &mut [f64],
    ) -> Option<FrictionResiduals> {
        let islands = delassus.islands();
        if islands.is_empty() {
            return None;
        }
        if self.parts.len() < islands.len() {
            self.parts.resize_with(islands.len(), Part::default);
        }
        let mut left = FrictionResiduals::default();
        self.least_norm = true;
        self.refuses_least_norm = false;
        for (island, part) in islands.iter_mut().zip(&mut self.parts) {
            part.solver.counts = self.counts;
            let own = part.solve(island, problem, modes, impulse);
            self.counts = part.solver.counts;
            self.least_norm &= part.solver.least_norm;
            self.refuses_least_norm |= part.solver.refuses_least_norm;
            for (i, velocity) in island.rows.iter().zip(part.solver.velocity()) {
                self.velocity[*i] = *velocity;
            }
            left = left.or_worse(own);
        }
        self.found.clear();
        Some(left)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DVector;

    use super::{Delassus, FrictionProblem, FrictionRule, FrictionSolver, HeldMode};
    use crate::friction::FrictionRows;

    const BODIES: usize = 3;
    const COORDINATES: usize = 6;

    /// Numbers between two bounds in no order.
    struct Numbers(f64);

    impl Numbers {
        fn between(&mut self, low: f64, high: f64) -> f64 {
            self.0 += 1.0;
            low + (high - low) * (0.5 + 0.5 * (self.0 * self.0).sin())
        }
    }

    /// Groups of `bodies`, one after the other, with the entries of their rows and their velocities without impulses.
    struct Scene {
        /// The body of each group, what it is, and its rows, column after column.
        groups: Vec<(usize, FrictionRows, Vec<f64>)>,
        free: Vec<Vec<f64>>,
    }

    impl Scene {
        /// Two contacts of each body, in turns, and a joint of the first.
        fn random(random: &mut Numbers) -> Self {
            let mut groups = Vec::new();
            let mut free = Vec::new();
            for i in 0..2 * BODIES + 1 {
                let rows = if i < 2 * BODIES {
                    FrictionRows::contact(0, 2, random.between(0.1, 0.6))
                } else {
                    FrictionRows::joint(0, random.between(0.01, 0.1))
                };
                let entries = rows.height() * COORDINATES;
                let entries = (0..entries).map(|_| random.between(-1.0, 1.0)).collect();
                groups.push((i % BODIES, rows, entries));
                free.push(
                    (0..rows.height())
                        .map(|_| random.between(-1.0, 0.5))
                        .collect(),
                );
            }
            Self { groups, free }
        }

        /// Solves for the groups of some bodies; their impulses, and the matrix.
        fn solve(&self, bodies: &[usize]) -> (Vec<Vec<f64>>, Delassus, FrictionSolver) {
            let chosen =
                || (self.groups.iter().zip(&self.free)).filter(|(g, _)| bodies.contains(&g.0));
            let mut delassus = Delassus::default();
            delassus.clear(bodies.len() * COORDINATES);
            for ((body, rows, _), _) in chosen() {
                let first = bodies.iter().position(|b| b == body).unwrap() * COORDINATES;
                let coordinates: Vec<usize> = (first..first + COORDINATES).collect();
                delassus.push(*rows, &coordinates, None);
            }
            delassus.allocate();
            for (k, ((_, _, entries), _)) in chosen().enumerate() {
                delassus.factor_rows_mut(k).copy_from_slice(entries);
            }
            let free: Vec<f64> = chosen().flat_map(|(_, free)| free.clone()).collect();
            let rules = vec![FrictionRule::Coulomb; chosen().count()];
            let mut modes = vec![HeldMode::Stick; rules.len()];
            let mut impulse = vec![0.0; free.len()];
            let problem = FrictionProblem::exact(&free, &rules);
            let mut solver = FrictionSolver::default();
            let left = solver.solve(&mut delassus, &problem, &mut modes, &mut impulse);
            assert!(left.largest() <= FrictionSolver::tolerance(&problem));
            let own = |g: &FrictionRows| impulse[g.row..g.row + g.height()].to_vec();
            let impulses = delassus.groups().iter().map(own).collect();
            (impulses, delassus, solver)
        }
    }

    #[test]
    fn bodies_side_by_side_are_solved_as_if_each_was_alone() {
        for seed in 0..100 {
            let scene = Scene::random(&mut Numbers(1000.0 * f64::from(seed)));
            let (all, mut delassus, solver) = scene.solve(&[0, 1, 2]);
            assert_eq!(delassus.islands().len(), BODIES);
            for body in 0..BODIES {
                let own = scene.groups.iter().zip(&all).filter(|(g, _)| g.0 == body);
                let own: Vec<&Vec<f64>> = own.map(|(_, x)| x).collect();
                let (alone, mut single, _) = scene.solve(&[body]);
                assert!(single.islands().is_empty());
                assert_eq!(own, alone.iter().collect::<Vec<_>>(), "{seed}");
            }
            // Velocities by the whole matrix: sums of 19 products of numbers of order one.
            let impulse = DVector::from_vec(all.concat());
            let free = DVector::from_vec(scene.free.concat());
            let (matrix, _) = delassus.matrix();
            let velocity = free + matrix * &impulse;
            let scale = 1.0 + matrix.amax() * impulse.amax();
            for (a, b) in velocity.iter().zip(solver.velocity()) {
                assert!((a - b).abs() <= 1e-13 * scale, "{seed} {a} {b}");
            }
        }
    }
}
