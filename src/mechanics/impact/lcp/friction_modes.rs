//! One combination of friction modes: the impulses and velocities that belong to it.
//!
//! A solution of a contact LCP gives each contact a mode: *off*, or closed with friction that
//! *sticks*, slides against one vertex of the cone (*facet* k: Λ_t = μ Λ_n d_k), or slides exactly
//! between two of them (*edge* k: Λ_t between μ Λ_n d_k and μ Λ_n d_{k+1}). In an increment of Routh's
//! method a closed contact may also carry its whole allowance (*full*: Λ_n = Λ_n,max while it still
//! approaches). For given modes the LCP becomes a linear system with inequalities:
//!
//! | mode | unknowns | equations | inequalities |
//! |---|---|---|---|
//! | off | | | v_n ≥ 0 |
//! | closed | λ_n | v_n = 0 | λ_n ≥ 0 (and λ_n ≤ λ_n,max) |
//! | full | | (λ_n = λ_n,max) | v_n ≤ 0 |
//! | … stick | λ_t | v_t = 0 | λ_t in the cone |
//! | … facet k | | λ_t = μ λ_n d_k | no other vertex opposes v_t more |
//! | … edge k | split p : q | (d_k − d_{k+1}) · v_t = 0 | p, q ≥ 0, no other vertex opposes more |

use super::linearized_contacts::{LinearizedContact, LinearizedContacts};

/// Friction of a closed contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Friction {
    None,
    Stick,
    Facet(usize),
    Edge(usize),
}

/// Mode of one contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Takes no part: no impulse, no condition.
    Ignored,
    Off,
    Closed(Friction),
    Full(Friction),
}

/// Number of modes of a contact; `bounded` adds the full ones.
pub(crate) fn mode_count(contact: &LinearizedContact, bounded: bool) -> usize {
    let closed = friction_count(contact);
    1 + closed * if bounded { 2 } else { 1 }
}

fn friction_count(contact: &LinearizedContact) -> usize {
    match contact.facets {
        0 => 1,
        2 => 3,
        facets => 1 + 2 * facets,
    }
}

/// The mode with this index, 0 … [`mode_count`] − 1.
pub(crate) fn mode(contact: &LinearizedContact, index: usize) -> Mode {
    let closed = friction_count(contact);
    let friction = |i: usize| match (contact.facets, i) {
        (0, _) => Friction::None,
        (_, 0) => Friction::Stick,
        (facets, i) if i <= facets => Friction::Facet(i - 1),
        (facets, i) => Friction::Edge(i - 1 - facets),
    };
    match index {
        0 => Mode::Off,
        i if i <= closed => Mode::Closed(friction(i - 1)),
        i => Mode::Full(friction(i - 1 - closed)),
    }
}

/// What a solver of mode combinations is given besides the modes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModeProblem<'a> {
    /// The contacts.
    pub(crate) space: &'a LinearizedContacts,
    /// Scaled velocity before, r.
    pub(crate) before: &'a [f64],
    /// λ_n,max per contact; `None` without upper bounds.
    pub(crate) allowance: Option<&'a [f64]>,
}

/// Unknowns and equations of a mode combination.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModeSystem {
    /// Impulse of a unit of each unknown, r numbers each.
    pub(crate) columns: Vec<f64>,
    /// Each equation e · v = 0, r numbers each.
    pub(crate) equations: Vec<f64>,
    /// Impulse that is fixed by the modes, r.
    pub(crate) fixed: Vec<f64>,
}

impl ModeSystem {
    /// Sets up the system for `modes`.
    pub(crate) fn assemble(&mut self, problem: &ModeProblem, modes: &[Mode]) {
        let space = problem.space;
        self.columns.clear();
        self.equations.clear();
        self.fixed.clear();
        self.fixed.resize(space.rows(), 0.0);
        for (i, (contact, mode)) in space.contacts.iter().zip(modes).enumerate() {
            match *mode {
                Mode::Ignored | Mode::Off => {}
                Mode::Closed(friction) => self.closed(space, contact, friction),
                Mode::Full(friction) => {
                    let allowance = problem.allowance.map_or(0.0, |a| a[i]);
                    self.fixed[contact.normal] = allowance;
                    self.full(space, contact, friction, allowance);
                }
            }
        }
    }

    fn closed(
        &mut self,
        space: &LinearizedContacts,
        contact: &LinearizedContact,
        friction: Friction,
    ) {
        let mu = contact.friction;
        let ray = |d: [f64; 2]| [1.0, mu * d[0], mu * d[1]].map(|x| x / (1.0 + mu));
        self.equation(space, contact, [1.0, 0.0, 0.0]);
        match friction {
            Friction::None => self.column(space, contact, [1.0, 0.0, 0.0]),
            Friction::Stick => {
                self.column(space, contact, [1.0, 0.0, 0.0]);
                self.stick(space, contact);
            }
            Friction::Facet(k) => {
                self.column(space, contact, ray(space.direction(contact, k)));
            }
            Friction::Edge(k) => {
                let next = (k + 1) % contact.facets;
                let (d, e) = (space.direction(contact, k), space.direction(contact, next));
                self.column(space, contact, ray(d));
                self.column(space, contact, ray(e));
                self.equation(space, contact, [0.0, d[0] - e[0], d[1] - e[1]]);
            }
        }
    }

    fn full(
        &mut self,
        space: &LinearizedContacts,
        contact: &LinearizedContact,
        friction: Friction,
        allowance: f64,
    ) {
        let limit = contact.friction * allowance;
        match friction {
            Friction::None => {}
            Friction::Stick => self.stick(space, contact),
            Friction::Facet(k) => self.push(contact, space.direction(contact, k), limit),
            Friction::Edge(k) => {
                let next = (k + 1) % contact.facets;
                let (d, e) = (space.direction(contact, k), space.direction(contact, next));
                self.push(contact, d, limit);
                self.column(space, contact, [0.0, e[0] - d[0], e[1] - d[1]]);
                self.equation(space, contact, [0.0, d[0] - e[0], d[1] - e[1]]);
            }
        }
    }

    fn stick(&mut self, space: &LinearizedContacts, contact: &LinearizedContact) {
        for t in 0..contact.tangents {
            let mut unit = [0.0; 3];
            unit[1 + t] = 1.0;
            self.column(space, contact, unit);
            self.equation(space, contact, unit);
        }
    }

    fn push(&mut self, contact: &LinearizedContact, d: [f64; 2], limit: f64) {
        for t in 0..contact.tangents {
            self.fixed[contact.normal + 1 + t] = limit * d[t];
        }
    }

    fn column(&mut self, space: &LinearizedContacts, contact: &LinearizedContact, x: [f64; 3]) {
        append(&mut self.columns, space.rows(), contact, x);
    }

    fn equation(&mut self, space: &LinearizedContacts, contact: &LinearizedContact, x: [f64; 3]) {
        append(&mut self.equations, space.rows(), contact, x);
    }
}

fn append(rows: &mut Vec<f64>, r: usize, contact: &LinearizedContact, x: [f64; 3]) {
    let start = rows.len() + contact.normal;
    rows.resize(rows.len() + r, 0.0);
    rows[start..start + 1 + contact.tangents].copy_from_slice(&x[..1 + contact.tangents]);
}

/// Appends the inequalities of `modes` (≥ 0 when satisfied) at the impulse `lambda` and the velocity
/// `v`. They are linear but for the allowance, which enters times `constant` (0 for their slopes).
pub(crate) fn append_slacks(
    problem: &ModeProblem,
    modes: &[Mode],
    constant: f64,
    lambda: &[f64],
    v: &[f64],
    out: &mut Vec<f64>,
) {
    let space = problem.space;
    for (i, (contact, mode)) in space.contacts.iter().zip(modes).enumerate() {
        let friction = match *mode {
            Mode::Ignored => continue,
            Mode::Off => {
                out.push(v[contact.normal]);
                continue;
            }
            Mode::Closed(friction) => {
                out.push(lambda[contact.normal]);
                if let Some(allowance) = problem.allowance {
                    out.push(constant * allowance[i] - lambda[contact.normal]);
                }
                friction
            }
            Mode::Full(friction) => {
                out.push(-v[contact.normal]);
                friction
            }
        };
        let facets = contact.facets;
        let along = |k: usize| space.along(contact, k % facets, v);
        match friction {
            Friction::None => {}
            Friction::Stick => space.append_cone_slacks(contact, lambda, out),
            Friction::Facet(k) if facets == 2 => out.push(-along(k)),
            Friction::Facet(k) => {
                out.push(along(k + 1) - along(k));
                out.push(along(k + facets - 1) - along(k));
            }
            Friction::Edge(k) => {
                let (p, q) = space.split(contact, k, lambda);
                out.push(p);
                out.push(q);
                out.push(along(k + facets - 1) - along(k));
                out.push(along(k + 2) - along(k + 1));
            }
        }
    }
}

/// The mode as a word: `off`, `stick`, `slip+` (towards the positive tangent), `slip-`,
/// `slip@90deg` (direction of sliding), `closed` without friction; `full …` at λ_n,max.
pub(crate) fn mode_name(contact: &LinearizedContact, mode: Mode) -> String {
    let degrees =
        |k: usize, half: usize| (360 * (2 * k + half) / (2 * contact.facets).max(1) + 180) % 360;
    let friction = |f: Friction| match f {
        Friction::None => "closed".to_string(),
        Friction::Stick => "stick".to_string(),
        Friction::Facet(0) if contact.facets == 2 => "slip-".to_string(),
        Friction::Facet(_) if contact.facets == 2 => "slip+".to_string(),
        Friction::Facet(k) => format!("slip@{}deg", degrees(k, 0)),
        Friction::Edge(k) => format!("slip@{}deg", degrees(k, 1)),
    };
    match mode {
        Mode::Ignored => "ignored".to_string(),
        Mode::Off => "off".to_string(),
        Mode::Closed(f) => friction(f),
        Mode::Full(f) => format!("full {}", friction(f)),
    }
}
