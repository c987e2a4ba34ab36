//! Jacobians of points and frames of a body (\[F\] ch. 2.13, 5.1): how the velocity v moves them.

use nalgebra::{DMatrix, Vector3};

use super::Kinematics;
use crate::model::{JointKind, Model};
use crate::spatial::{Scalar, lift};

impl<T: Scalar> Kinematics<T> {
    /// Writes the Jacobian of a point, 3 × n, to `out` of that size: the world velocity \[m/s\] of the
    /// material point of a body that is now at `x` \[m\] (world) is J v. `None` is the world, which does
    /// not move. Needs placements. O(depth of the body) beside clearing `out`.
    ///
    /// ```
    /// # use carom_mechanics as carom;
    /// use carom::dynamics::Kinematics;
    /// use nalgebra::DMatrix;
    ///
    /// let model = carom::model::sample::chain(2)?;
    /// let mut kinematics = Kinematics::<f64>::new(&model);
    /// kinematics.update_placements(&model, &[0.0, 0.5]);
    /// let link = model.link("link2")?;
    /// let tip = kinematics.world_point(link.body, &link.pose.point(&[1.0, 0.0, 0.0].into()));
    /// let mut jacobian = DMatrix::zeros(3, model.dof());
    /// kinematics.point_jacobian(&model, link.body, &tip, &mut jacobian);
    /// // Turning the first joint moves the tip about the origin.
    /// assert!((jacobian[(2, 0)] + tip.x).abs() < 1e-15);
    /// # Ok::<(), carom::model::ModelError>(())
    /// ```
    ///
    /// # Panics
    /// `out` has another size.
    pub fn point_jacobian(
        &self,
        model: &Model,
        body: Option<usize>,
        x: &Vector3<T>,
        out: &mut DMatrix<T>,
    ) {
        assert_eq!(out.shape(), (3, model.dof()), "a point's Jacobian is 3 × n");
        self.write_columns(model, body, x, out);
    }

    /// Writes the Jacobian of a frame, 6 × n, to `out` of that size: above the rows of
    /// [`Kinematics::point_jacobian`] for its origin `x`, below them those of the body's angular velocity
    /// in world axes \[rad/s\].
    ///
    /// # Panics
    /// `out` has another size.
    pub fn frame_jacobian(
        &self,
        model: &Model,
        body: Option<usize>,
        x: &Vector3<T>,
        out: &mut DMatrix<T>,
    ) {
        assert_eq!(out.shape(), (6, model.dof()), "a frame's Jacobian is 6 × n");
        self.write_columns(model, body, x, out);
    }

    /// Three or six rows, as many as `out` has.
    fn write_columns(
        &self,
        model: &Model,
        body: Option<usize>,
        x: &Vector3<T>,
        out: &mut DMatrix<T>,
    ) {
        out.fill(T::zero());
        let turns = out.nrows() == 6;
        let shared = model.coupling().is_some();
        let mut at = body;
        while let Some(i) = at {
            let b = &model.bodies()[i];
            let ratio = b.follows.map_or(T::one(), |follower| lift(follower.ratio));
            let mut set = |column: usize, linear: &Vector3<T>, angular: &Vector3<T>| {
                for (row, part) in [(0, linear), (3, angular)]
                    .into_iter()
                    .take(1 + usize::from(turns))
                {
                    let mut place = out.fixed_view_mut::<3, 1>(row, column);
                    if shared {
                        place += part * ratio;
                    } else {
                        place.copy_from(part);
                    }
                }
            };
            let pose = &self.world[i];
            let lever = x - pose.translation;
            let axis = |k: usize| -> Vector3<T> { pose.rotation.column(k).into() };
            match b.kind {
                JointKind::Revolute => set(b.v_index, &axis(2).cross(&lever), &axis(2)),
                JointKind::Prismatic => set(b.v_index, &axis(2), &Vector3::zeros()),
                JointKind::Floating => {
                    for k in 0..3 {
                        set(b.v_index + k, &axis(k), &Vector3::zeros());
                        set(b.v_index + 3 + k, &axis(k).cross(&lever), &axis(k));
                    }
                }
            }
            at = b.parent;
        }
    }
}
