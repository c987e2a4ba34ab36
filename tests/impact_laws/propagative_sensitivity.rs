//! Derivatives of outcomes and distances to other sequences.

use crate::random_impacts::{Parts, Random};
use carom::impact::verdict::{sensitivity, switching_distance};
use carom::impact::{ImpactLaw, Propagative, ReflectionOrder};
use nalgebra::DVector;

/// Exact derivatives against central differences along the same sequence.
#[test]
fn sensitivity_agrees_with_differences() {
    let mut random = Random::new(21);
    for case in 0..60 {
        let m = random.between(1, 4);
        let n = random.between(m, 6);
        let mut parts = Parts::random(&mut random, m, n);
        parts.restitution = match case % 3 {
            0 => vec![1.0; m],
            1 => vec![0.6; m],
            _ => (0..m).map(|_| 0.2 + 0.7 * random.uniform()).collect(),
        };
        let problem = parts.problem();
        let answer = Propagative::default().resolve(&problem).expect("solved");
        let word = answer.outcomes[0].sequence.clone().expect("a sequence");
        let s = sensitivity(&problem, &word).expect("solved");
        let scale = s.outcome.norm();
        assert!((&s.outcome - &answer.outcomes[0].momentum).norm() <= 1e-10 * scale);
        if case % 3 == 0 {
            let inverse = problem
                .mass_matrix()
                .clone()
                .try_inverse()
                .expect("definite");
            let kept = s.momentum.transpose() * &inverse * &s.momentum;
            assert!((kept - &inverse).amax() <= 1e-12 * inverse.amax());
        }
        // Error h² f‴/6 + ε/h: 1e-6 is reached for derivatives of moderate size with h = 1e-5.
        let h = 1e-5;
        let outcome = |parts: &Parts| {
            sensitivity(&parts.problem(), &word)
                .expect("solved")
                .outcome
        };
        for j in 0..n {
            let (mut plus, mut minus) = (parts.clone(), parts.clone());
            let step =
                problem.solve_mass(&DVector::from_fn(n, |i, _| if i == j { h } else { 0.0 }));
            plus.velocity += &step;
            minus.velocity -= &step;
            let difference = (outcome(&plus) - outcome(&minus)) / (2.0 * h);
            let column = s.momentum.column(j);
            assert!((difference - column).norm() <= 1e-5 * (1.0 + column.norm()));
            for i in 0..m {
                let (mut plus, mut minus) = (parts.clone(), parts.clone());
                plus.normals[i][j] += h;
                minus.normals[i][j] -= h;
                let difference = (outcome(&plus) - outcome(&minus)) / (2.0 * h);
                let column = s.normals[i].column(j);
                assert!((difference - column).norm() <= 1e-4 * (1.0 + column.norm()));
            }
        }
    }
}

/// Inside the distance no perturbation changes the sequence; along the hyperplane's normal just beyond it does.
#[test]
fn switching_distance_is_sharp() {
    let mut random = Random::new(22);
    for case in 0..300 {
        let m = random.between(1, 5);
        let n = random.between(m, 8);
        let parts = Parts::random(&mut random, m, n);
        let problem = parts.problem();
        let order = ReflectionOrder::ALL[case % 3];
        let sequence = |p: &Parts| {
            Propagative::with_order(order)
                .resolve(&p.problem())
                .expect("solved")
                .outcomes[0]
                .sequence
                .clone()
                .expect("a sequence")
        };
        let word = sequence(&parts);
        let nearest = switching_distance(&problem, &word, Some(order)).expect("valid");
        for _ in 0..5 {
            let direction = random.vector(n);
            let length = problem.kinetic_norm(&direction);
            let mut moved = parts.clone();
            moved.velocity += problem.solve_mass(&direction) * (0.999 * nearest.distance / length);
            assert_eq!(sequence(&moved), word);
        }
        // The functional ⟨p_k, w⟩ of p⁻ has the gradient w pulled back through the reflections.
        let s = sensitivity(&problem, &word[..nearest.step]).expect("valid");
        let unit = |i: usize| {
            let u = problem.rows().row(i).transpose();
            let length = problem.kinetic_norm(&u);
            u / length
        };
        let mut w = unit(nearest.contacts[0]);
        if let Some(&other) = nearest.contacts.get(1) {
            w -= unit(other);
        }
        let w = &w / problem.kinetic_norm(&w);
        let covector = s.momentum.transpose() * problem.solve_mass(&w);
        let value = covector.dot(problem.momentum());
        assert!((value.abs() - nearest.distance).abs() <= 1e-10);
        let mut beyond = parts.clone();
        beyond.velocity -= &covector * (1.001 * value);
        assert_ne!(sequence(&beyond), word);
    }
}
