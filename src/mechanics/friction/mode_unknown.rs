//! One unknown of the equations of given modes: what it pushes, and what its equation tests.

/// One unknown: its push on up to three rows from `row` on, and the test of its equation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unknown {
    pub row: usize,
    pub height: usize,
    pub push: [f64; 3],
    pub test: [f64; 3],
    /// Which row alone it pushes, and which alone it tests, where that is known.
    pub unit: Option<usize>,
    pub test_unit: Option<usize>,
    /// Added to the diagonal.
    pub turning: f64,
}

impl Unknown {
    /// Pushes by x.
    pub fn add(&self, x: f64, impulse: &mut [f64]) {
        match self.unit {
            Some(at) => impulse[at] += x,
            None => {
                let [p, q, s] = self.push;
                match &mut impulse[self.row..self.row + self.height] {
                    [a, b, c] => {
                        *a += p * x;
                        *b += q * x;
                        *c += s * x;
                    }
                    [a, b] => {
                        *a += p * x;
                        *b += q * x;
                    }
                    rest => rest.iter_mut().for_each(|a| *a += p * x),
                }
            }
        }
    }

    /// One that pushes where this one tests.
    pub fn of_test(&self) -> Self {
        Self {
            push: self.test,
            unit: self.test_unit,
            ..*self
        }
    }

    /// Whether it pushes where it tests: of what slides with friction it does not.
    pub fn is_plain(&self) -> bool {
        self.push == self.test
    }

    /// Norm of the impulses of its unit.
    pub fn size(&self) -> f64 {
        let [a, b, c] = self.push;
        (a * a + b * b + c * c).sqrt()
    }

    /// Its test of r numbers; of impulses, its own value.
    pub fn tested(&self, x: &[f64]) -> f64 {
        match self.test_unit {
            Some(at) => x[at],
            None => {
                let [p, q, s] = self.test;
                match &x[self.row..self.row + self.height] {
                    [a, b, c] => a * p + b * q + c * s,
                    [a, b] => a * p + b * q,
                    rest => rest.iter().map(|a| a * p).sum(),
                }
            }
        }
    }
}

/// out ← Σ pushᵢ columnᵢ for up to three columns of r numbers.
pub(super) fn push_columns(push: [f64; 3], columns: &[f64], r: usize, out: &mut Vec<f64>) {
    let [p, q, s] = push;
    let mut columns = columns.chunks_exact(r);
    out.clear();
    match [columns.next(), columns.next(), columns.next()] {
        [Some(a), Some(b), Some(c)] => {
            let rows = a.iter().zip(b).zip(c);
            out.extend(rows.map(|((a, b), c)| p * a + q * b + s * c));
        }
        [Some(a), Some(b), None] => out.extend(a.iter().zip(b).map(|(a, b)| p * a + q * b)),
        [a, ..] => out.extend(a.into_iter().flatten().map(|a| p * a)),
    }
}
