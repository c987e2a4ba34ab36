//! Sliding that turns: stretch by stretch in the chart of an invariant direction, up to an event or the origin.

use super::chart::{Chart, Rates};
use super::coefficients::{dot, length};
use super::events::Event;
use super::invariant::PrincipalFrame;
use super::panel;
use super::panel::{LONGEST_DECAY, Panel, Place};
use super::process::{Phase, Process, Sighting};
use super::quadrature::{NODES, RULE};
use super::tail;
use super::tail::Tail;
use crate::impact::ImpactError;

/// What a stretch ran into.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Obstacle {
    /// The event that ends the phase.
    PhaseEnd,
    /// v_z falls through zero during restitution, which only happens when (18) fails.
    Turn,
    /// The normal impulse at which the process was to stop.
    Stop,
}

/// An angle below this cannot be told from zero in double precision.
const INVISIBLE_ANGLE: f64 = 1e-15;
/// A sliding speed below this share of the speed changes of the impact cannot be told from zero.
const INVISIBLE_SPEED: f64 = 1e-17;
/// A direction that turns less than this per unit of logarithmic speed cannot be told from a fixed one.
const INVISIBLE_TURN: f64 = 1e-15;
/// The starting direction is called invariant (event l) within this angle. The impulse does not depend on it.
pub(in crate::impact::stronge) const LINE_ANGLE: f64 = 1e-11;
/// A remaining step this small, in units of the normal impulse over which speed and direction change, is taken by
/// Taylor's formula.
const TAYLOR: f64 = 3e-6;
/// More stretches than any impact needs; reached only on overflow of the data.
const MOST_PANELS: usize = 4000;

impl Process<'_, '_> {
    /// Slides from the present direction until the impact is over or stopped.
    pub(in crate::impact::stronge) fn slide(&mut self) -> Result<(), ImpactError> {
        let frame = PrincipalFrame::new(self.c);
        let slowing = dot(self.s, self.c.acceleration(self.s)).abs();
        if frame.turning_scale() <= INVISIBLE_TURN * slowing {
            self.log.push(Event::Line, self.normal);
            self.along_line(self.s);
            return Ok(());
        }
        let (mut chart, mut t, mut leave) = self.chart(&frame);
        if t <= LINE_ANGLE {
            self.log.push(Event::Line, self.normal);
        }
        let mut turning = chart.turning_points();
        // The phase for which the tail has been found to hold an event, and the t at which its series was too long.
        let mut tail_refused = None;
        let mut tail_too_long = f64::INFINITY;
        while self.panels < MOST_PANELS {
            let speed_scale = self.c.acceleration_scale()
                * (self.normal + self.vz.abs() / (self.c.w + self.c.mu * length(self.c.d)));
            if self.r <= INVISIBLE_SPEED * speed_scale {
                self.leave_origin();
                return Ok(());
            }
            if t <= INVISIBLE_ANGLE {
                self.along_line(chart.s0);
                return Ok(());
            }
            if t > leave {
                self.s = chart.direction(t);
                (chart, t, leave) = self.chart(&frame);
                turning = chart.turning_points();
            }
            if self.observer.is_none()
                && tail_refused != Some(self.phase)
                && t < 0.6 * tail_too_long
                && turning.iter().flatten().all(|&p| p >= t * (1.0 - 1e-12))
                && tail::within_reach(&chart, t)
                && self.tail_looks_uneventful(&chart, t)
            {
                match tail::to_origin(&chart, self.place(t)) {
                    Some(tail) if self.uneventful(&tail) => {
                        let change = tail.vz - self.vz;
                        self.advance(tail.normal, tail.tangential, change, tail.work);
                        self.leave_origin();
                        return Ok(());
                    }
                    Some(_) => tail_refused = Some(self.phase),
                    None => tail_too_long = t,
                }
            }
            match self.stretch(&chart, t, &turning) {
                Some(end) => t = end,
                None => break,
            }
            if self.phase == Phase::Over || self.normal >= self.stop {
                self.s = chart.direction(t);
                return Ok(());
            }
        }
        Err(self.not_converged())
    }

    /// The chart to see the present direction from, its t, and the t beyond which to change it.
    fn chart(&self, frame: &PrincipalFrame) -> (Chart, f64, f64) {
        let sector = frame.sector(self.s);
        if let Some((repelling, leave)) = sector.repelling {
            let (chart, t) = Chart::new(self.c, frame.direction(repelling), self.s);
            return (chart, t, (0.5 * leave).tan());
        }
        let (chart, t) = Chart::new(self.c, frame.direction(sector.attracting), self.s);
        (chart, t, f64::INFINITY)
    }

    /// Whether the straight way to the origin would be free of events: spares most of the tails that would be refused.
    fn tail_looks_uneventful(&self, chart: &Chart, t: f64) -> bool {
        let x = chart.rates(t);
        let normal = -self.r / x.f;
        match self.phase {
            Phase::Compression => self.vz + 0.3 * x.beta * normal < 0.0,
            _ => 0.3 * normal * (self.vz + 0.5 * x.beta * normal) < self.stored,
        }
    }

    /// Whether nothing happens on the way to the origin.
    fn uneventful(&self, tail: &Tail) -> bool {
        let quiet = match self.phase {
            Phase::Compression => tail.vz <= 0.0,
            // v_z is monotonic here, so the work is largest at an end unless v_z falls through zero.
            Phase::Restitution => tail.work < self.stored && !(self.vz > 0.0 && tail.vz < 0.0),
            Phase::Over => false,
        };
        quiet && self.normal + tail.normal < self.stop
    }

    fn place(&self, t: f64) -> Place {
        Place {
            t,
            r: self.r,
            vz: self.vz,
        }
    }

    /// Integrates one stretch from `t`, up to an event if there is one. The t where it ends, or `None`
    /// when no stretch could be resolved.
    fn stretch(&mut self, chart: &Chart, t: f64, turning: &[Option<f64>; 2]) -> Option<f64> {
        let start = self.place(t);
        let mut length = self.stretch_length(chart, t, turning);
        for _ in 0..200 {
            self.panels += 1;
            let Some(panel) = panel::integrate(chart, start, length) else {
                length *= 0.5;
                continue;
            };
            let rates = chart.rates(panel.end.t);
            let reach = TAYLOR * panel.end.r / (rates.f.abs() + rates.h.abs() + rates.dh.abs());
            let (obstacle, hit) = self.obstacle(&panel);
            if let Some(obstacle) = obstacle {
                let step = self.remaining(&panel, obstacle, &rates);
                // Closer than the impulse can be told from it, there is nothing left to correct.
                let there = step.abs() <= 4.0 * f64::EPSILON * (self.normal + panel.normal);
                if there || step.abs() <= reach {
                    self.commit(chart, &panel);
                    let mut end = panel.end.t;
                    if !there {
                        end = self.taylor(chart, end, step);
                    }
                    match obstacle {
                        Obstacle::PhaseEnd => self.end_phase(),
                        Obstacle::Turn => self.vz = 0.0,
                        Obstacle::Stop => self.normal = self.stop,
                    }
                    return Some(end);
                }
                if hit {
                    length *= self.guess(&panel, obstacle).clamp(1e-6, 1.0 - 1e-9);
                    continue;
                }
            }
            self.commit(chart, &panel);
            return Some(panel.end.t);
        }
        None
    }

    /// The first obstacle of a stretch and whether it lies inside; an obstacle that is not inside may
    /// be just behind the end.
    fn obstacle(&self, panel: &Panel) -> (Option<Obstacle>, bool) {
        let phase_end = match self.phase {
            Phase::Compression => panel.end.vz >= 0.0,
            _ => panel.work >= self.stored,
        };
        let stop = self.normal + panel.normal >= self.stop;
        if phase_end && stop {
            let first =
                if self.guess(panel, Obstacle::PhaseEnd) <= self.guess(panel, Obstacle::Stop) {
                    Obstacle::PhaseEnd
                } else {
                    Obstacle::Stop
                };
            return (Some(first), true);
        }
        if phase_end {
            return (Some(Obstacle::PhaseEnd), true);
        }
        if self.phase == Phase::Restitution && self.vz > 0.0 && panel.end.vz < 0.0 {
            return (Some(Obstacle::Turn), true);
        }
        if stop {
            return (Some(Obstacle::Stop), true);
        }
        let behind = self.stop - (self.normal + panel.normal);
        if behind.is_finite() && behind <= 1e-9 * self.stop {
            return (Some(Obstacle::Stop), false);
        }
        (Some(Obstacle::PhaseEnd), false)
    }

    /// Where in the stretch the obstacle lies, as a share of its length.
    fn guess(&self, panel: &Panel, obstacle: Obstacle) -> f64 {
        let rule = &*RULE;
        match obstacle {
            Obstacle::PhaseEnd if self.phase == Phase::Compression => panel.first_crossing(
                self.vz,
                panel.end.vz,
                &panel.normal_velocity,
                &panel.normal_velocity_rates,
                0.0,
            ),
            Obstacle::PhaseEnd => {
                let mut rates = panel.rates;
                for i in 0..NODES {
                    rates[i] *= panel.normal_velocity[i];
                }
                panel.first_crossing(0.0, panel.work, &rule.running(&rates), &rates, self.stored)
            }
            Obstacle::Turn => panel.first_crossing(
                -self.vz,
                -panel.end.vz,
                &panel.normal_velocity.map(|v| -v),
                &panel.normal_velocity_rates.map(|v| -v),
                0.0,
            ),
            Obstacle::Stop => panel.first_crossing(
                0.0,
                panel.normal,
                &rule.running(&panel.rates),
                &panel.rates,
                self.stop - self.normal,
            ),
        }
    }

    /// Normal impulse from the end of the stretch to the obstacle (negative when it lies before), to the third
    /// order that [`Self::taylor`] has.
    fn remaining(&self, panel: &Panel, obstacle: Obstacle, x: &Rates) -> f64 {
        let vz = panel.end.vz;
        let curl = self.curl(x, panel.end.r);
        match obstacle {
            Obstacle::Stop => self.stop - self.normal - panel.normal,
            Obstacle::PhaseEnd if self.phase == Phase::Restitution => {
                let left = self.stored - panel.work;
                let square = vz * vz + 2.0 * x.beta * left;
                if !(square >= 0.0 && vz >= 0.0) {
                    return f64::INFINITY;
                }
                let step = 2.0 * left / (vz + square.sqrt());
                let done = step * (vz + step * (0.5 * x.beta + step * curl / 6.0));
                let slope = vz + x.beta * step;
                step + if slope > 0.0 {
                    (left - done) / slope
                } else {
                    0.0
                }
            }
            _ => {
                let step = -vz / x.beta;
                -(vz + 0.5 * curl * step * step) / x.beta
            }
        }
    }

    /// d²v_z/dI_z².
    fn curl(&self, x: &Rates, r: f64) -> f64 {
        -self.c.mu * x.dn * x.h / r
    }

    fn commit(&mut self, chart: &Chart, panel: &Panel) {
        if let Some(observer) = self.observer.as_mut() {
            let normal = RULE.running(&panel.rates);
            for i in 0..NODES {
                let rates = chart.rates(panel.places[i]);
                observer(Sighting {
                    normal: self.normal + normal[i],
                    speed: panel.speeds[i],
                    sine: rates.h.abs() / rates.h.hypot(rates.f),
                });
            }
        }
        self.advance(
            panel.normal,
            panel.tangential,
            panel.end.vz - self.vz,
            panel.work,
        );
        self.vz = panel.end.vz;
        self.r = panel.end.r;
    }

    /// Moves by the small normal impulse `step`, by Taylor's formula of third order. The t it ends at.
    fn taylor(&mut self, chart: &Chart, t: f64, step: f64) -> f64 {
        let x = chart.rates(t);
        let mu = self.c.mu;
        let curl = self.curl(&x, self.r);
        let x1 = step;
        let x2 = step * step;
        let x3 = x2 * step;
        let s = chart.direction(t);
        let n = chart.normal_direction(t);
        let turn = 0.5 * x.h / self.r * x2;
        let work = self.vz * x1 + 0.5 * x.beta * x2 + curl * x3 / 6.0;
        self.advance(
            x1,
            [
                -mu * (s[0] * x1 + n[0] * turn),
                -mu * (s[1] * x1 + n[1] * turn),
            ],
            x.beta * x1 + 0.5 * curl * x2,
            work,
        );
        let df = 2.0 * x.h - x.dn;
        let r = self.r;
        self.r += x.f * x1 + 0.5 * df * x.h / r * x2;
        let angle = x.h / r * x1 + 0.5 * x.h * (x.dh - x.f) / (r * r) * x2;
        let half = (0.5 * angle).tan();
        (t + half) / (1.0 - t * half)
    }

    /// Signed length in y = ln t of the next stretch: as long as the functions on it are resolved, no
    /// longer than to the next event as far as that can be foreseen.
    fn stretch_length(&self, chart: &Chart, t: f64, turning: &[Option<f64>; 2]) -> f64 {
        let x = chart.rates(t);
        let k = 0.5 * (1.0 + t * t);
        // dy/dτ = q/(2 (1 + t²)) and h = t q/(1 + t²)².
        let turning_rate = x.h * (2.0 * k) / (2.0 * t);
        let inward = turning_rate < 0.0;
        let mut length = if inward {
            chart.clearance(t, 5.0 * t) / t
        } else {
            (0.6 * chart.clearance(t, 3.0 * t) / t).ln_1p()
        };
        length = length.min(LONGEST_DECAY / chart.speed_slope(t).abs());
        let foreseen = self
            .straight_to_phase_end(x.beta)
            .min(self.stop - self.normal);
        let growth = x.f * foreseen / self.r;
        if growth > -1.0 && foreseen.is_finite() {
            let tau = if growth.abs() < 1e-8 {
                foreseen / self.r
            } else {
                growth.ln_1p() / x.f
            };
            let turned = (tau * x.h).abs();
            // Where the forecast is good, end at the event; else a little behind it, to find it inside.
            let margin = if turned < 1e-3 {
                1.0
            } else {
                1.0 + turned.min(0.5)
            };
            length = length.min(margin * (tau * turning_rate).abs());
        }
        for &point in turning.iter().flatten() {
            let away = if inward { t / point } else { point / t };
            if away > 1.0 + 1e-12 {
                length = length.min(away.ln());
            }
        }
        if inward { -length } else { length }
    }
}
