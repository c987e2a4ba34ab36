//! One spatial contact by its W, for the tests of Stronge's law.

use carom::impact::{
    Contact, ContactRows, ContactSpace, ImpactLaw, ImpactProblem, PreImpact, Stronge,
};
use nalgebra::{DMatrix, DVector, Matrix2, Matrix3, Vector2, Vector3, dvector};

/// W (tangent, tangent, normal), velocity, friction, restitution.
#[derive(Debug, Clone, Copy)]
pub struct Data {
    pub w: Matrix3<f64>,
    pub v: Vector3<f64>,
    pub mu: f64,
    pub e: f64,
}

impl Data {
    pub fn space(&self) -> ContactSpace {
        const TO: [usize; 3] = [1, 2, 0];
        let mut delassus = DMatrix::zeros(3, 3);
        let mut velocity = DVector::zeros(3);
        for i in 0..3 {
            velocity[TO[i]] = self.v[i];
            for j in 0..3 {
                delassus[(TO[i], TO[j])] = self.w[(i, j)];
            }
        }
        ContactSpace::new(
            delassus,
            velocity,
            vec![ContactRows {
                normal: 0,
                tangents: 2,
                friction: self.mu,
                restitution: self.e,
            }],
        )
    }

    pub fn problem(&self) -> ImpactProblem {
        let contact = Contact::new("c", dvector![0.0, 0.0, 1.0])
            .with_friction(
                vec![dvector![1.0, 0.0, 0.0], dvector![0.0, 1.0, 0.0]],
                self.mu,
            )
            .with_restitution(self.e);
        let mass = self.w.try_inverse().expect("definite");
        ImpactProblem::new(
            DMatrix::from_fn(3, 3, |i, j| 0.5 * (mass[(i, j)] + mass[(j, i)])),
            PreImpact::Velocity(DVector::from_column_slice(self.v.as_slice())),
            &[contact],
        )
        .expect("valid data")
    }

    pub fn impulse(&self) -> Vector3<f64> {
        let mut impulse = DVector::zeros(3);
        Stronge::default()
            .impulse(&self.space(), &mut impulse)
            .expect("a valid contact");
        Vector3::new(impulse[1], impulse[2], impulse[0])
    }

    pub fn energy_change(&self, i: &Vector3<f64>) -> f64 {
        i.dot(&self.v) + 0.5 * i.dot(&(self.w * i))
    }

    pub fn b(&self) -> Matrix2<f64> {
        self.w.fixed_view::<2, 2>(0, 0).into()
    }

    pub fn d(&self) -> Vector2<f64> {
        Vector2::new(self.w[(0, 2)], self.w[(1, 2)])
    }
}

/// Equal to within a share of their size.
pub fn close(a: &Vector3<f64>, b: &Vector3<f64>, share: f64) -> bool {
    (a - b).norm() <= share * (a.norm() + b.norm())
}
