use nalgebra::DMatrix;

use crate::friction::{
    BranchPath, Delassus, DelassusMatrix, FrictionProblem, FrictionRows, FrictionRule,
    FrictionSolver, HeldMode, Solution,
};

/// Whether the solution that the solver finds at the first free velocities from sticking goes over into that at
/// the second, which it finds from the mode `then`.
fn goes_over(
    factor: &DMatrix<f64>,
    groups: &[FrictionRows],
    free: [&[f64]; 2],
    then: HeldMode,
) -> bool {
    let mut delassus = Delassus::from_factor(factor, groups);
    let rules = vec![FrictionRule::Coulomb; groups.len()];
    let problem = |free| FrictionProblem::exact(free, &rules);
    let mut solve = |free, mode| {
        let mut solver = FrictionSolver::default();
        let mut modes = vec![mode; groups.len()];
        let mut impulse = vec![0.0; factor.nrows()];
        let left = solver.solve(&mut delassus, &problem(free), &mut modes, &mut impulse);
        assert!(left.largest() <= FrictionSolver::tolerance(&problem(free)));
        (impulse, solver.velocity().to_vec())
    };
    let [before, after] = [solve(free[0], HeldMode::Stick), solve(free[1], then)];
    let [before, after] =
        [&before, &after].map(|(impulse, velocity)| Solution { impulse, velocity });
    BranchPath::default().goes_over(
        &DelassusMatrix::of(&mut delassus),
        &problem(free[1]),
        before,
        after,
    )
}

/// The lower tip of a rod of mass and length 1 at tan θ = 2: w_n = 1.6, w_t = 3.4, w_nt = −1.2.
fn rod() -> DMatrix<f64> {
    let (s, c) = (0.8_f64.sqrt(), 0.2_f64.sqrt());
    let turn = 3.0_f64.sqrt();
    DMatrix::from_row_slice(2, 3, &[0.0, 1.0, -turn * c, 1.0, 0.0, turn * s])
}

#[test]
fn a_fold_ends_a_branch() {
    // With μ = 2 sticking ends at b_n = −b_t/7, where it meets sliding against t; open from b_n = 0 on.
    let tip = [FrictionRows::contact(0, 1, 2.0)];
    let over =
        |from: f64, to: f64, then| goes_over(&rod(), &tip, [&[from, -1.0], &[to, -1.0]], then);
    assert!(over(-0.1, 0.05, HeldMode::Stick));
    assert!(!over(0.05, 0.15, HeldMode::Open));
    assert!(!over(0.142_856, 0.142_858, HeldMode::Open));
    // The other branch, taken although the own one goes on.
    assert!(!over(0.05, 0.05, HeldMode::Open));
}

#[test]
fn a_branch_goes_on_through_the_edges_of_modes() {
    // With μ = 0.3 sticking goes over into sliding, and that into opening.
    let tip = [FrictionRows::contact(0, 1, 0.3)];
    let over =
        |from: [f64; 2], to: [f64; 2]| goes_over(&rod(), &tip, [&from, &to], HeldMode::Stick);
    assert!(over([-1.0, 0.7], [-1.0, 1.0]));
    assert!(over([-1.0, 0.7], [-1.0, 10.0]));
    assert!(over([-1.0, 0.7], [1.0, 1.0]));
    assert!(over([-1.0, 0.7], [1.0, -3.0]));
}

#[test]
fn feet_in_space_begin_to_slide_together() {
    let mut factor = DMatrix::zeros(12, 6);
    for (i, [x, y]) in [[0.3, 0.2], [-0.3, 0.2], [-0.3, -0.2], [0.3, -0.2]]
        .into_iter()
        .enumerate()
    {
        let rows = [
            [0.0, 0.0, 1.0, y, -x, 0.0],
            [1.0, 0.0, 0.0, 0.0, -0.1, -y],
            [0.0, 1.0, 0.0, 0.1, 0.0, x],
        ];
        for (k, row) in rows.iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                factor[(3 * i + k, j)] = *value / if j < 3 { 1.0 } else { 0.3 };
            }
        }
    }
    let feet: Vec<FrictionRows> = (0..4)
        .map(|i| FrictionRows::contact(3 * i, 2, 0.5))
        .collect();
    let free = |push: [f64; 3]| -> Vec<f64> { (0..12).map(|i| push[i % 3]).collect() };
    let over = |from: [f64; 3], to: [f64; 3]| {
        goes_over(&factor, &feet, [&free(from), &free(to)], HeldMode::Stick)
    };
    assert!(over([-1.0, 0.2, 0.1], [-1.0, 0.6, 0.3]));
    assert!(over([-1.0, 0.2, 0.1], [-1.0, -0.6, 0.8]));
    assert!(over([-1.0, 0.2, 0.1], [0.5, 0.3, 0.1]));
}
