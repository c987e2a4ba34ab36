//! The impact as a process: slide, tail, stick or resumed slip, through compression and restitution.
//!
//! Events are located exactly: c (v_z = 0) and r (stored energy 0) by integrating up to them, s (γ = 0) by the closed
//! form of the tail. No tolerance decides between two outcomes.

use super::coefficients::{Coefficients, Vec2, dot, length};
use super::events::{Event, EventLog};
use super::invariant::PrincipalFrame;
use crate::impact::ImpactError;

/// Phase of the contact normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::impact::stronge) enum Phase {
    Compression,
    Restitution,
    Over,
}

/// One place on a slide, as shown to an observer.
#[derive(Debug, Clone, Copy)]
pub(in crate::impact::stronge) struct Sighting {
    pub normal: f64,
    pub speed: f64,
    /// |sin| of the angle between γ and γ'.
    pub sine: f64,
}

/// The process and where it stands.
pub(in crate::impact::stronge) struct Process<'c, 'o> {
    pub(in crate::impact::stronge) c: &'c Coefficients,
    /// Normal impulse so far \[N s\].
    pub normal: f64,
    /// Tangential impulse so far \[N s\].
    pub tangential: Vec2,
    /// Normal velocity now \[m/s\].
    pub vz: f64,
    /// Stored energy: what compression has put in, or what restitution has not yet given back \[J\].
    pub stored: f64,
    /// E_c, energy stored when compression ended \[J\].
    pub compression_energy: f64,
    /// Of it, what the contact does not give back \[J\].
    pub lost: f64,
    pub log: EventLog,
    /// Stretches integrated.
    pub panels: usize,
    pub(in crate::impact::stronge) phase: Phase,
    pub(in crate::impact::stronge) r: f64,
    pub(in crate::impact::stronge) s: Vec2,
    pub(in crate::impact::stronge) stop: f64,
    pub(in crate::impact::stronge) observer: Option<&'o mut dyn FnMut(Sighting)>,
}

impl<'c, 'o> Process<'c, 'o> {
    pub fn new(c: &'c Coefficients) -> Self {
        let r = length(c.gamma);
        let s = if r > 0.0 {
            [c.gamma[0] / r, c.gamma[1] / r]
        } else {
            [0.0; 2]
        };
        Self {
            c,
            normal: 0.0,
            tangential: [0.0; 2],
            vz: c.vz,
            stored: 0.0,
            compression_energy: 0.0,
            lost: 0.0,
            log: EventLog::default(),
            panels: 0,
            phase: Phase::Compression,
            r,
            s,
            stop: f64::INFINITY,
            observer: None,
        }
    }

    /// The process in the middle: what a numerical integration has come to. `stored` is the energy at hand,
    /// `compression_energy` is known once compression is over.
    pub fn resume(
        c: &'c Coefficients,
        normal: f64,
        tangential: Vec2,
        stored: f64,
        compression_energy: Option<f64>,
    ) -> Self {
        let bi = c.b_times(tangential);
        let gamma = [
            c.gamma[0] + bi[0] + c.d[0] * normal,
            c.gamma[1] + bi[1] + c.d[1] * normal,
        ];
        let mut process = Self::new(c);
        process.r = length(gamma);
        process.s = if process.r > 0.0 {
            [gamma[0] / process.r, gamma[1] / process.r]
        } else {
            [0.0; 2]
        };
        process.normal = normal;
        process.tangential = tangential;
        process.vz = c.vz + dot(c.d, tangential) + c.w * normal;
        process.stored = stored;
        if let Some(energy) = compression_energy {
            process.compression_energy = energy;
            process.lost = (1.0 - c.e * c.e) * energy;
            process.phase = Phase::Restitution;
        }
        process
    }

    /// Stops where the normal impulse reaches `normal`, if that is before the end.
    pub fn stop_at(mut self, normal: f64) -> Self {
        self.stop = normal;
        self
    }

    /// Shows every node of the slide to `observer`.
    pub fn observed(mut self, observer: &'o mut dyn FnMut(Sighting)) -> Self {
        self.observer = Some(observer);
        self
    }

    /// True when the impact is over (rather than stopped on the way).
    pub fn over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Sliding speed and direction now.
    pub fn sliding(&self) -> (f64, Vec2) {
        (self.r, self.s)
    }

    /// Runs to the end, or to where it was told to stop.
    ///
    /// # Errors
    /// Numbers that overflow on the way.
    pub fn run(&mut self) -> Result<(), ImpactError> {
        if self.vz >= 0.0 {
            self.phase = Phase::Over;
            return Ok(());
        }
        if self.c.mu == 0.0 {
            self.straight([0.0; 2], self.c.w, f64::INFINITY);
        } else if self.r == 0.0 {
            self.leave_origin();
        } else {
            self.slide()?;
        }
        let finite = self.normal.is_finite()
            && self.tangential.iter().all(|x| x.is_finite())
            && self.stored.is_finite();
        if finite && (self.over() || self.normal >= self.stop) {
            return Ok(());
        }
        Err(self.not_converged())
    }

    /// From here on, slides along the present direction as if it were invariant.
    pub fn run_along_line(&mut self) -> Result<(), ImpactError> {
        self.stop = f64::INFINITY;
        self.log.push(Event::Line, self.normal);
        self.along_line(self.s);
        if self.over() {
            return Ok(());
        }
        Err(self.not_converged())
    }

    /// From here on, goes on as if the sliding velocity were zero.
    pub fn run_from_origin(&mut self) -> Result<(), ImpactError> {
        self.stop = f64::INFINITY;
        self.leave_origin();
        if self.over() {
            return Ok(());
        }
        Err(self.not_converged())
    }

    pub(in crate::impact::stronge) fn not_converged(&self) -> ImpactError {
        ImpactError::NotConverged {
            law: super::super::NAME,
            residual: self.stored,
            iterations: self.panels,
        }
    }

    /// γ = 0: sticks if friction can hold it, else slides on along the centrifugal direction.
    pub(in crate::impact::stronge) fn leave_origin(&mut self) {
        self.r = 0.0;
        self.log.push(Event::Still, self.normal);
        let hold = self.c.sticking();
        if length(hold) <= self.c.mu {
            if self.c.tied {
                self.jam();
            } else {
                self.straight([-hold[0], -hold[1]], self.c.sticking_rate(), f64::INFINITY);
            }
            return;
        }
        let frame = PrincipalFrame::new(self.c);
        let s = frame.direction(frame.first_quadrant());
        let start = self.normal;
        self.straight(
            [-self.c.mu * s[0], -self.c.mu * s[1]],
            self.c.sliding_rate(s),
            f64::INFINITY,
        );
        self.s = s;
        self.r = dot(s, self.c.acceleration(s)).max(0.0) * (self.normal - start);
    }

    /// What sticks cannot approach or separate either, v_z = dᵀB⁻¹γ = 0: compression is over, and what is stored is lost.
    fn jam(&mut self) {
        if self.phase == Phase::Compression {
            self.end_phase();
        }
        self.vz = 0.0;
        if self.phase == Phase::Restitution {
            self.lost += self.stored;
            self.end_phase();
        }
    }

    /// γ on an invariant direction: straight to the origin, or away from it for ever.
    pub(in crate::impact::stronge) fn along_line(&mut self, s: Vec2) {
        let rate = dot(s, self.c.acceleration(s));
        let until = if rate < 0.0 {
            -self.r / rate
        } else {
            f64::INFINITY
        };
        let start = self.normal;
        let arrived = self.straight(
            [-self.c.mu * s[0], -self.c.mu * s[1]],
            self.c.sliding_rate(s),
            until,
        );
        self.s = s;
        if arrived {
            self.leave_origin();
        } else {
            self.r = (self.r + rate * (self.normal - start)).max(0.0);
        }
    }

    /// Constant I_⊥' = `rate` and v_z' = `beta`, for at most the normal impulse `until`. True when that
    /// was reached before the end of the impact.
    fn straight(&mut self, rate: Vec2, beta: f64, until: f64) -> bool {
        let mut left = until;
        while self.phase != Phase::Over {
            let to_event = self.straight_to_phase_end(beta);
            let to_stop = self.stop - self.normal;
            let step = to_event.min(left).min(to_stop);
            if !step.is_finite() {
                return false;
            }
            let event = to_event <= left && to_event <= to_stop;
            self.advance(
                step,
                [rate[0] * step, rate[1] * step],
                beta * step,
                step * (self.vz + 0.5 * beta * step),
            );
            if event {
                self.end_phase();
            } else if left <= to_stop {
                return true;
            } else {
                self.normal = self.stop;
                return false;
            }
            left -= step;
        }
        false
    }

    /// Normal impulse until the phase ends if v_z' stays `beta`.
    pub(in crate::impact::stronge) fn straight_to_phase_end(&self, beta: f64) -> f64 {
        match self.phase {
            Phase::Compression if beta > 0.0 => -self.vz / beta,
            Phase::Compression => f64::INFINITY,
            Phase::Restitution => first_root(self.vz, beta, self.stored),
            Phase::Over => 0.0,
        }
    }

    pub(in crate::impact::stronge) fn advance(
        &mut self,
        normal: f64,
        tangential: Vec2,
        vz: f64,
        work: f64,
    ) {
        self.normal += normal;
        self.tangential[0] += tangential[0];
        self.tangential[1] += tangential[1];
        self.vz += vz;
        self.stored -= work;
    }

    pub(in crate::impact::stronge) fn end_phase(&mut self) {
        if self.phase == Phase::Compression {
            self.phase = Phase::Restitution;
            self.log.push(Event::Compressed, self.normal);
            self.vz = 0.0;
            self.compression_energy = self.stored;
            self.stored *= self.c.e * self.c.e;
            self.lost = self.compression_energy - self.stored;
            if self.stored > 0.0 {
                return;
            }
        }
        self.phase = Phase::Over;
        self.stored = 0.0;
        self.log.push(Event::Restored, self.normal);
    }
}

/// The smallest x > 0 with v x + ½ a x² = `target` > 0; infinite when there is none.
fn first_root(v: f64, a: f64, target: f64) -> f64 {
    let square = v * v + 2.0 * a * target;
    if square < 0.0 {
        return f64::INFINITY;
    }
    let root = square.sqrt();
    if v >= 0.0 {
        return 2.0 * target / (v + root);
    }
    if a > 0.0 {
        (root - v) / a
    } else {
        f64::INFINITY
    }
}
