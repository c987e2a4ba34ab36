//! Symmetric compositions of the midpoint step: higher order without giving up symplecticity or
//! reversibility.
//!
//! A composition of order 2k takes stages γ₁h, …, γ_s h with Σγ = 1 and γ_i = γ_{s+1−i}. Order 4 is
//! Suzuki's five stages (Phys. Lett. A 146, 1990); order 6 is Kahan and Li's nine stages and order 8
//! their fifteen (Math. Comp. 66, 1997), which leave smaller errors than Yoshida's.
//!
//! Stages are free steps or two-sided ones ([`Stepper::two_sided`](super::Stepper::two_sided)): both are
//! symmetric.

/// First halves of the symmetric coefficient lists; the middle one follows from Σγ = 1.
const ORDER_6: [f64; 4] = [
    0.392_161_444_007_314_1,
    0.332_599_136_789_359_44,
    -0.706_246_172_557_639_4,
    0.082_213_596_293_550_8,
];
const ORDER_8: [f64; 7] = [
    0.741_670_364_350_613,
    -0.409_100_825_800_031_6,
    0.190_754_710_296_238_4,
    -0.573_862_471_116_082_3,
    0.299_064_181_303_655_9,
    0.334_624_918_245_298_16,
    0.315_293_092_396_766_6,
];

/// Stage fractions γ of the composition of the given order (2, 4, 6 or 8).
#[must_use]
pub fn stages(order: u32) -> Vec<f64> {
    let half: &[f64] = match order {
        4 => {
            let outer = 1.0 / (4.0 - 4.0_f64.cbrt());
            return vec![outer, outer, 1.0 - 4.0 * outer, outer, outer];
        }
        6 => &ORDER_6,
        8 => &ORDER_8,
        _ => return vec![1.0],
    };
    let middle = 1.0 - 2.0 * half.iter().sum::<f64>();
    half.iter()
        .copied()
        .chain([middle])
        .chain(half.iter().rev().copied())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::stages;

    #[test]
    fn stages_are_symmetric_and_meet_the_conditions_of_order_on_powers() {
        for order in [2, 4, 6, 8] {
            let stages = stages(order);
            // Of every term and of its coefficient, all below 1.
            let rounding = 2.0 * stages.len() as f64 * f64::EPSILON;
            assert!(stages.iter().eq(stages.iter().rev()));
            for power in (1..order).step_by(2) {
                let sum: f64 = stages.iter().map(|x| x.powi(power as i32)).sum();
                let expected = if power == 1 { 1.0 } else { 0.0 };
                assert!(
                    (sum - expected).abs() <= rounding,
                    "{order}, {power}: {sum}"
                );
            }
        }
    }
}
