//! A second algorithm for Stronge's law: the Cartesian equations in dτ = dI_z/‖γ‖, integrated by extrapolation of the
//! midpoint rule, with events found by bisection.
//!
//! γ' = ‖γ‖ d − μ B γ, I_z' = ‖γ‖, I_⊥' = −μ γ, (∫ v_z dI_z)' = v_z ‖γ‖: smooth, whatever the direction does.

/// W = [B d; dᵀ w] and the material of one contact, rows and columns tangent, tangent, normal.
#[derive(Debug, Clone, Copy)]
pub struct Contact {
    pub w: [[f64; 3]; 3],
    pub mu: f64,
    pub e: f64,
    pub velocity: [f64; 3],
}

/// γ (2), I_z, I_⊥ (2), ∫ v_z dI_z.
type State = [f64; 6];

const STAGES: usize = 9;

impl Contact {
    fn rate(&self, y: &State) -> State {
        let r = y[0].hypot(y[1]);
        let w = &self.w;
        [
            r * w[0][2] - self.mu * (w[0][0] * y[0] + w[0][1] * y[1]),
            r * w[1][2] - self.mu * (w[1][0] * y[0] + w[1][1] * y[1]),
            r,
            -self.mu * y[0],
            -self.mu * y[1],
            self.vz(y) * r,
        ]
    }

    fn vz(&self, y: &State) -> f64 {
        self.velocity[2] + self.w[2][0] * y[3] + self.w[2][1] * y[4] + self.w[2][2] * y[2]
    }

    /// One step by extrapolation of the modified midpoint rule.
    fn step(&self, y: &State, h: f64) -> State {
        let mut table = [[0.0; 6]; STAGES];
        for k in 0..STAGES {
            let n = 2 * (k + 1);
            let dt = h / n as f64;
            let f = self.rate(y);
            let mut before = *y;
            let mut now = *y;
            for i in 0..6 {
                now[i] += dt * f[i];
            }
            for _ in 1..n {
                let f = self.rate(&now);
                for i in 0..6 {
                    let next = before[i] + 2.0 * dt * f[i];
                    before[i] = now[i];
                    now[i] = next;
                }
            }
            let f = self.rate(&now);
            for i in 0..6 {
                table[k][i] = 0.5 * (now[i] + before[i] + dt * f[i]);
            }
            for j in (0..k).rev() {
                let ratio = ((k + 1) as f64 / (j + 1) as f64).powi(2) - 1.0;
                for i in 0..6 {
                    table[j][i] = table[j + 1][i] + (table[j + 1][i] - table[j][i]) / ratio;
                }
            }
        }
        table[0]
    }

    fn stick(&self) -> ([f64; 2], f64) {
        let w = &self.w;
        let det = w[0][0] * w[1][1] - w[0][1] * w[0][1];
        let x = (w[1][1] * w[0][2] - w[0][1] * w[1][2]) / det;
        let y = (w[0][0] * w[1][2] - w[0][1] * w[0][2]) / det;
        ([-x, -y], w[2][2] - w[0][2] * x - w[1][2] * y)
    }

    /// The unit vector with γ' along itself, outwards, by bisection on λ in ‖(μB + λ)⁻¹ d‖ = 1.
    fn centrifugal(&self) -> [f64; 2] {
        let w = &self.w;
        let at = |lambda: f64| {
            let (a, b, c) = (
                self.mu * w[0][0] + lambda,
                self.mu * w[0][1],
                self.mu * w[1][1] + lambda,
            );
            let det = a * c - b * b;
            [
                (c * w[0][2] - b * w[1][2]) / det,
                (a * w[1][2] - b * w[0][2]) / det,
            ]
        };
        let (mut low, mut high) = (0.0, w[0][2].hypot(w[1][2]));
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            let s = at(middle);
            if s[0].hypot(s[1]) > 1.0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        let s = at(low);
        let l = s[0].hypot(s[1]);
        [s[0] / l, s[1] / l]
    }

    /// (I_x, I_y, I_z) and E_c.
    pub fn solve(&self) -> ([f64; 3], f64) {
        if self.velocity[2] >= 0.0 {
            return ([0.0; 3], 0.0);
        }
        let mut y: State = [self.velocity[0], self.velocity[1], 0.0, 0.0, 0.0, 0.0];
        let w = &self.w;
        let size = self.mu * (w[0][0] + w[1][1]) + w[0][2].hypot(w[1][2]);
        let mut h = 0.2 / size;
        let mut energy = None;
        let target = |energy: Option<f64>, y: &State| match energy {
            None => self.vz(y),
            Some(e_c) => y[5] - self.e * self.e * e_c,
        };
        loop {
            let r = y[0].hypot(y[1]);
            let scale = size * (y[2] + self.vz(&y).abs() / (w[2][2] + size));
            if r <= 1e-17 * scale {
                break;
            }
            let mut next = self.step(&y, h);
            if target(energy, &next) < 0.0 {
                y = next;
                continue;
            }
            let (mut low, mut high) = (0.0, h);
            for _ in 0..120 {
                let middle = 0.5 * (low + high);
                next = self.step(&y, middle);
                if target(energy, &next) < 0.0 {
                    low = middle;
                } else {
                    high = middle;
                }
                if high - low <= 1e-16 * high {
                    break;
                }
            }
            y = next;
            if let Some(e_c) = energy {
                return ([y[3], y[4], y[2]], e_c);
            }
            // From here on the work is counted from the end of compression.
            energy = Some(-y[5]);
            y[5] = 0.0;
            h = 0.2 / size;
            if self.e == 0.0 {
                return ([y[3], y[4], y[2]], energy.expect("compression is over"));
            }
        }
        let (hold, sticking_rate) = self.stick();
        let (rate, beta) = if hold[0].hypot(hold[1]) <= self.mu {
            (hold, sticking_rate)
        } else {
            let s = self.centrifugal();
            (
                [-self.mu * s[0], -self.mu * s[1]],
                w[2][2] - self.mu * (s[0] * w[0][2] + s[1] * w[1][2]),
            )
        };
        let mut vz = self.vz(&y);
        let mut x = 0.0;
        if energy.is_none() {
            x = -vz / beta;
            energy = Some(-(y[5] + 0.5 * vz * x));
            y[5] = 0.0;
            vz = 0.0;
        }
        let e_c = energy.expect("compression is over");
        let left = self.e * self.e * e_c - y[5];
        x += ((vz * vz + 2.0 * beta * left).max(0.0).sqrt() - vz) / beta;
        ([y[3] + rate[0] * x, y[4] + rate[1] * x, y[2] + x], e_c)
    }
}
