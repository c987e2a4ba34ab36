//! Minimum of a convex quadratic over the convex region bounded by a conic section: the sliding branch of the
//! maximally dissipative impact (\[PER\] (7), (8) and appendix A).
//!
//! The frame has the focus of the conic, where the tangential impulse vanishes, at the origin and its vertex on
//! the positive first axis, so that the boundary is r(α) = k / (1 + e cos α).
//!
//! | symbol | meaning |
//! |---|---|
//! | e | eccentricity μ‖(A_nt, A_no)‖/A_nn |
//! | k | semi-latus rectum μ b_n/A_nn |
//! | q | distance of the vertex k/(1+e) |
//! | t | tan(α/2); y = q (1 − t², 2t)/(1 + σ²t²), σ² = (1−e)/(1+e) |
//! | y₀ | unconstrained minimum, outside of the region |
//!
//! \[PER\] solves the quartic in e^{iα} and filters its complex roots. In t, measured from the vertex, the same
//! condition is a real quartic whose coefficients need no cancellation for any e, and the sought root can be
//! isolated in advance: a boundary point is visible from y₀ exactly when ⟨y₀, u(α)⟩ > μ x₀ₙ, an arc centred on
//! the direction of y₀; on it the objective falls and then rises, once, because the problem is convex. Close to
//! the asymptotes of a hyperbola, where t determines the radius badly, the boundary is parametrised by
//! Z = (k/2) e^v (v the hyperbolic angle from the vertex), in which it tends to a straight line as k → 0.

use super::quartic::{increasing_root, value, value_and_slope};
use super::reduced::Reduced;

/// Share of 1 + σ²t² (for e > 1) below which the boundary counts as close to its asymptote.
const ASYMPTOTIC: f64 = 0.1;

/// A conic section in focal form.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conic {
    pub(crate) eccentricity: f64,
    pub(crate) parameter: f64,
}

impl Conic {
    /// Degenerate case k = 0: the lower of the minima along the two rays, and its radius; none when the region
    /// is the focus alone.
    #[cold]
    pub(crate) fn best_ray(&self, f: &Reduced) -> Option<((f64, f64), f64)> {
        let e = self.eccentricity;
        if e < 1.0 {
            return None;
        }
        let sine = ((e - 1.0) * (e + 1.0)).sqrt() / e;
        let along = |u: (f64, f64)| {
            let push = f.b1 * u.0 + f.b2 * u.1;
            let radius = (push / f.curvature(u)).max(0.0);
            // The objective at the minimum of the ray is −½ push · radius.
            (push * radius, (radius * u.0, radius * u.1), radius)
        };
        let left = along((-1.0 / e, sine));
        let right = along((-1.0 / e, -sine));
        let best = if right.0 > left.0 { right } else { left };
        Some((best.1, best.2))
    }

    /// The minimum on the boundary and its distance from the focus, for k > 0 and y₀ = `stick` outside:
    /// `sliding` = ‖y₀‖ > `reach` = μ x₀ₙ.
    #[inline]
    pub(crate) fn minimum(
        &self,
        f: &Reduced,
        stick: (f64, f64),
        sliding: f64,
        reach: f64,
    ) -> ((f64, f64), f64) {
        let k = self.parameter;
        let e = self.eccentricity;
        let u0 = (stick.0 / sliding, stick.1 / sliding);
        // Slope of the objective along the boundary in the direction of y₀, up to a positive factor.
        let along = (-u0.1, u0.0 + e);
        let focal = 1.0 + e * u0.0;
        let slope = along.0 * (k * (f.a11 * u0.0 + f.a12 * u0.1) - focal * f.b1)
            + along.1 * (k * (f.a12 * u0.0 + f.a22 * u0.1) - focal * f.b2);
        if slope > 0.0 {
            let mirrored = f.mirrored();
            let stick = (stick.0, -stick.1);
            let (y, radius) = Arc::new(self, &mirrored, stick, sliding, reach).minimum();
            ((y.0, -y.1), radius)
        } else {
            Arc::new(self, f, stick, sliding, reach).minimum()
        }
    }
}

/// The visible part of the boundary counter-clockwise from the direction of y₀, on which the minimum lies.
struct Arc<'a> {
    f: &'a Reduced,
    e: f64,
    k: f64,
    q: f64,
    sigma_squared: f64,
    stick: (f64, f64),
    u0: (f64, f64),
    reach: f64,
    /// Cosine of half the visible arc.
    opening: f64,
    /// Slope of the objective along the boundary as a polynomial in t, up to a positive factor.
    quartic: [f64; 5],
}

impl<'a> Arc<'a> {
    #[inline]
    fn new(conic: &Conic, f: &'a Reduced, stick: (f64, f64), sliding: f64, reach: f64) -> Self {
        let (e, k) = (conic.eccentricity, conic.parameter);
        let q = k / (1.0 + e);
        let sigma_squared = (1.0 - e) / (1.0 + e);
        let (near, far) = (1.0 + e, 1.0 - e);
        Self {
            f,
            e,
            k,
            q,
            sigma_squared,
            stick,
            u0: (stick.0 / sliding, stick.1 / sliding),
            reach,
            opening: (reach / sliding).clamp(-1.0, 1.0),
            quartic: [
                near * (f.a12 * q - f.b2),
                2.0 * (f.b1 - f.a11 * q + near * f.a22 * q),
                -6.0 * f.a12 * q,
                2.0 * (f.a11 * q + sigma_squared * f.b1 - far * f.a22 * q),
                far * (f.a12 * q + sigma_squared * f.b2),
            ],
        }
    }

    /// Whether the boundary point in direction u lies on this arc.
    #[inline]
    fn holds(&self, u: (f64, f64)) -> bool {
        self.u0.0 * u.1 - self.u0.1 * u.0 >= 0.0
            && self.stick.0 * u.0 + self.stick.1 * u.1 > self.reach
    }

    #[inline]
    fn minimum(&self) -> ((f64, f64), f64) {
        // The end of the arc.
        let (c, s) = (
            self.opening,
            ((1.0 - self.opening) * (1.0 + self.opening)).sqrt(),
        );
        let end = (self.u0.0 * c - self.u0.1 * s, self.u0.1 * c + self.u0.0 * s);
        let (mut low, mut high) = (half_tangent(self.u0), half_tangent(end));
        // Opposite the vertex an arc begins at t = −∞ and ends at +∞.
        if low.is_infinite() {
            low = f64::NEG_INFINITY;
        }
        if high.is_infinite() {
            high = f64::INFINITY;
        }
        if self.e > 1.0 {
            if let Some(found) = self.asymptotic(&mut low, &mut high, end) {
                return found;
            }
        } else if self.u0.1 >= 0.0 && end.1 < 0.0 && low.is_finite() {
            // The arc passes the far end of the ellipse, t = ±∞.
            if self.quartic[4] >= 0.0 {
                high = f64::INFINITY;
            } else {
                low = f64::NEG_INFINITY;
            }
        }
        self.root_between(low, high.max(low))
    }

    /// Root of the quartic in a bracket that may reach to ±∞; far from the vertex it is solved for 1/t.
    #[inline]
    fn root_between(&self, mut low: f64, mut high: f64) -> ((f64, f64), f64) {
        let c = &self.quartic;
        if low < -1.0 && high > -1.0 {
            if value(c, -1.0) < 0.0 {
                low = -1.0;
            } else {
                high = -1.0;
            }
        }
        if low < 1.0 && high > 1.0 {
            if value(c, 1.0) < 0.0 {
                low = 1.0;
            } else {
                high = 1.0;
            }
        }
        if low >= -1.0 && high <= 1.0 {
            let t = increasing_root(low, high, 0.5 * (low + high), |t| value_and_slope(c, t));
            let scale = self.q / (1.0 + self.sigma_squared * t * t);
            return (
                (scale * (1.0 - t * t), 2.0 * scale * t),
                scale * (1.0 + t * t),
            );
        }
        let reversed = [c[4], -c[3], c[2], -c[1], c[0]];
        let (low, high) = (-1.0 / low, -1.0 / high);
        let x = increasing_root(low, high, 0.5 * (low + high), |x| {
            value_and_slope(&reversed, x)
        });
        let scale = self.q / (x * x + self.sigma_squared);
        (
            (scale * (x * x - 1.0), -2.0 * scale * x),
            scale * (1.0 + x * x),
        )
    }

    /// Hyperbola: the minimum if it is close to an asymptote; otherwise limits the bracket to the part that is
    /// not.
    fn asymptotic(
        &self,
        low: &mut f64,
        high: &mut f64,
        end: (f64, f64),
    ) -> Option<((f64, f64), f64)> {
        let sigma = (-self.sigma_squared).sqrt();
        let limit = (1.0 - ASYMPTOTIC).sqrt() / sigma;
        let at = |t: f64| {
            let d = 1.0 + t * t;
            ((1.0 - t * t) / d, 2.0 * t / d)
        };
        if *low < -limit {
            if !self.holds(at(-limit)) || value(&self.quartic, -limit) >= 0.0 {
                let farthest = hyperbolic(self.k, sigma, -*low).map(|z| z * (1.0 + 1e-5));
                let mirrored = self.f.mirrored();
                let (y, radius) = Branch::new(self, &mirrored).minimum(None, farthest);
                return Some(((y.0, -y.1), radius));
            }
            *low = -limit;
        }
        let reaches = self.holds(at(limit));
        if *low < limit && !(reaches && value(&self.quartic, limit) < 0.0) {
            if reaches {
                *high = limit;
            }
            return None;
        }
        let nearest = if *low >= limit {
            hyperbolic(self.k, sigma, *low).map(|z| z * (1.0 - 1e-5))
        } else {
            None
        };
        let root = ((self.e - 1.0) * (self.e + 1.0)).sqrt();
        let farthest = if self.holds((-1.0 / self.e, root / self.e)) {
            None
        } else {
            hyperbolic(self.k, sigma, half_tangent(end)).map(|z| z * (1.0 + 1e-5))
        };
        Some(Branch::new(self, self.f).minimum(nearest, farthest))
    }
}

/// Z of the boundary point at t on the upper half of a hyperbola, where it is well determined.
fn hyperbolic(k: f64, sigma: f64, t: f64) -> Option<f64> {
    let gap = 1.0 - sigma * t;
    (gap > 1e-10).then(|| 0.5 * k * (1.0 + sigma * t) / gap)
}

/// tan(α/2) of the direction (cos α, sin α), without cancellation.
#[inline]
fn half_tangent(u: (f64, f64)) -> f64 {
    if u.0 >= 0.0 {
        u.1 / (1.0 + u.0)
    } else {
        (1.0 - u.0) / u.1
    }
}

/// The upper half of a hyperbola far from its vertex, y(Z) = (q + k/g² − (Z + κ/Z)/g², (Z − κ/Z)/g) with
/// g² = e² − 1 and κ = k²/4.
struct Branch<'a> {
    f: &'a Reduced,
    g: f64,
    kappa: f64,
    /// q + k/g².
    center: f64,
    /// Z where the branch counts as far from the vertex.
    start: f64,
}

impl<'a> Branch<'a> {
    fn new(arc: &Arc, f: &'a Reduced) -> Self {
        let g_squared = (arc.e - 1.0) * (arc.e + 1.0);
        let edge = (1.0 - ASYMPTOTIC).sqrt();
        Self {
            f,
            g: g_squared.sqrt(),
            kappa: 0.25 * arc.k * arc.k,
            center: arc.q + arc.k / g_squared,
            start: 0.5 * arc.k * (1.0 + edge) / (1.0 - edge),
        }
    }

    #[cold]
    fn minimum(&self, nearest: Option<f64>, farthest: Option<f64>) -> ((f64, f64), f64) {
        let g = self.g;
        let low = nearest.unwrap_or(self.start).max(self.start);
        let high = farthest.unwrap_or(f64::INFINITY).max(low);
        // On the asymptote itself the objective is a parabola in Z.
        let direction = (-1.0 / (g * g), 1.0 / g);
        let (e1, e2) = self.f.gradient((self.center, 0.0));
        let straight = -(e1 * direction.0 + e2 * direction.1) / self.f.curvature(direction);
        let z = increasing_root(low, high, straight.clamp(low, high), |z| {
            let ratio = self.kappa / (z * z);
            let (e1, e2) = self.f.gradient(self.point(z));
            let d = (-(1.0 - ratio) / (g * g), (1.0 + ratio) / g);
            let bend = -2.0 * ratio / z;
            (
                e1 * d.0 + e2 * d.1,
                self.f.curvature(d) + bend * (e1 / (g * g) + e2 / g),
            )
        });
        let y = self.point(z);
        (y, y.0.hypot(y.1))
    }

    fn point(&self, z: f64) -> (f64, f64) {
        let rest = self.kappa / z;
        (
            self.center - (z + rest) / (self.g * self.g),
            (z - rest) / self.g,
        )
    }
}
