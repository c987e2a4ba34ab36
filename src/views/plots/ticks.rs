//! Round numbers along an axis.

/// Round numbers that divide a range, with one notation for all of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticks {
    first: f64,
    step: f64,
    count: usize,
    largest: f64,
}

impl Ticks {
    /// About `count` numbers, 1, 2 or 5 times a power of ten apart, from `low` to `high`.
    #[must_use]
    pub fn new((low, high): (f64, f64), count: usize) -> Self {
        let rough = ((high - low) / count.max(1) as f64).max(f64::MIN_POSITIVE);
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .map(|m| m * power)
            .into_iter()
            .find(|step| *step >= rough * (1.0 - 1e-9))
            .unwrap_or(10.0 * power);
        let first = (low / step - 1e-9).ceil();
        let last = (high / step + 1e-9).floor();
        let count = (last - first + 1.0).clamp(0.0, 100.0) as usize;
        Self {
            first,
            step,
            count,
            largest: low.abs().max(high.abs()),
        }
    }

    /// The numbers with their texts.
    pub fn iter(&self) -> impl Iterator<Item = (f64, String)> + '_ {
        (0..self.count).map(|k| {
            let value = (self.first + k as f64) * self.step;
            (value, self.text(value))
        })
    }

    fn text(&self, value: f64) -> String {
        if value.abs() < 1e-6 * self.step {
            return "0".to_string();
        }
        let magnitude = self.step.log10() + 1e-9;
        if self.largest >= 1e5 || self.step < 5e-4 {
            // One exponent for the whole axis.
            let exponent = (self.largest.log10() + 1e-9).floor();
            let decimals = (exponent - magnitude.floor()).clamp(0.0, 12.0) as usize;
            return format!("{:.decimals$}e{exponent}", value / 10_f64.powf(exponent))
                .replace('-', "−");
        }
        let decimals = (-magnitude.floor()).clamp(0.0, 12.0) as usize;
        format!("{value:.decimals$}").replace('-', "−")
    }
}

#[cfg(test)]
mod tests {
    use super::Ticks;

    #[test]
    fn ticks_are_round_and_cover_the_range() {
        let texts = |range, count| -> Vec<String> {
            Ticks::new(range, count).iter().map(|t| t.1).collect()
        };
        assert_eq!(texts((0.0, 1.5), 3), ["0", "0.5", "1.0", "1.5"]);
        assert_eq!(texts((-12.0, 31.0), 4), ["0", "20"]);
        assert_eq!(
            texts((-0.02, 0.03), 5),
            ["−0.02", "−0.01", "0", "0.01", "0.02", "0.03"]
        );
        assert_eq!(texts((0.0, 2.4e-6), 3), ["0", "1e−6", "2e−6"]);
        assert_eq!(texts((0.0, 3e5), 3), ["0", "1e5", "2e5", "3e5"]);
    }
}
