//! The end of a step by its start: the stages of a held step put together.

use super::HeldDerivatives;
use crate::numerics::add_product;

impl HeldDerivatives {
    /// q₁ and p₁ through v̄.
    pub(super) fn chain(&mut self) {
        let linear = &self.linear;
        let n = linear.newton.nrows();
        let moved = linear.end_place_by_time.as_slice();
        let by_free = self.by_free_momentum.as_slice();
        let by_end = self.by_end_configuration.as_slice();
        let by_mean = self.by_mean.as_mut_slice();
        by_mean.copy_from_slice(by_end);
        linear.end_by_velocity.multiply_right(n, by_mean);
        add_product(n, 1.0, by_free, linear.end.as_slice(), by_mean);
        let momentum = self.momentum.as_mut_slice();
        momentum.fill(0.0);
        add_product(n, 1.0, by_mean, self.mean.as_slice(), momentum);
        let (by_configuration, rest) = momentum.split_at_mut(n * n);
        let (by_force, by_time) = rest[n * n..].split_at_mut(n * n);
        let product = self.product.as_mut_slice();
        product.copy_from_slice(by_end);
        linear.end_by_start.multiply_right(n, product);
        add(product, by_configuration);
        let end = linear.end_by_configuration.as_slice();
        add_product(n, 1.0, by_free, end, by_configuration);
        product.copy_from_slice(by_free);
        linear.by_force[1].multiply_right(n, product);
        add(product, by_force);
        add_product(n, 1.0, by_end, moved, by_time);
        add_product(n, 1.0, by_free, linear.end_by_time.as_slice(), by_time);

        let configuration = self.mean.as_mut_slice();
        linear.end_by_velocity.multiply_left(n, configuration);
        linear.end_by_start.add_to(n, &mut configuration[..n * n]);
        add(moved, &mut configuration[3 * n * n..]);
        let columns = configuration.chunks_exact(n).zip(momentum.chunks_exact(n));
        let targets = self.matrix.as_mut_slice().chunks_exact_mut(2 * n);
        for (target, (q, p)) in targets.zip(columns) {
            target[..n].copy_from_slice(q);
            target[n..].copy_from_slice(p);
        }
    }
}

fn add(x: &[f64], out: &mut [f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out += x;
    }
}
