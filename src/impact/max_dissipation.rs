//! Purely inelastic impact with maximum dissipation (\[PER\]).
//!
//! One contact: exact, see [`ContactBlock::maximum_dissipation`]. Several contacts: each in turn is solved
//! exactly with the impulses of the others fixed (non-linear block Gauss-Seidel, \[PER\] §3.1) until no contact
//! would change its impulse.
//!
//! * Existence and uniqueness: both for one contact. For several a fixed point need not be unique, and where
//!   friction alone can press contacts together the sweeps need not converge; the answer then says
//!   not-terminated.
//! * Energy: never increases at a fixed point. Every contact's impulse x and final velocity v satisfy
//!   xᵀv ≤ 0 (x = (β, 0, 0) is feasible and no better), so ΔE = Σ xᵀv − ½ ΛᵀGΛ ≤ −½ ΛᵀGΛ.
//! * Friction: the cone ‖Λ_t‖ ≤ μ Λ_n in the frame of the tangent rows as they are given; rows that are not
//!   orthonormal make it elliptic.
//! * Restitution: none. The law is inelastic whatever the coefficient; the answer notes a coefficient that was
//!   set on purpose (neither 0 nor the default 1).
//! * Order: a sweep treats the contacts in the order given, or by how fast they close before the impact
//!   (`order`); where several fixed points exist it selects one.
//!
//! The residual of a sweep is the largest change of a contact's impulse in the norm √(xᵀA x), divided by the
//! largest √(v²/G) over the rows: a ratio that depends neither on units nor on the scale of the masses.

use nalgebra::DVector;
use serde_json::{Value, json};

use super::coulomb::coulomb_solutions;
use super::error::{check_finite, check_size};
use super::order::Selector;
use super::parameters::{
    parse_count, parse_seed, parse_switch, parse_tolerance, parse_word, unknown_parameter,
};
use super::sweep_limit::SweepLimit;
use super::swept_contacts::SweptContacts;
use super::{
    Certificate, ContactBlock, ContactSpace, DissipationBranch, Doubt, Exploration, Ground,
    ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, ImpulseReport, LawProperties, Outcome,
    ReflectionOrder, Resolution, Uniqueness,
};

const NAME: &str = "max-dissipation";
/// Room kept for the convergence history, so that recording it does not allocate.
const RESERVED_SWEEPS: usize = 10_000;
/// Closing speeds that differ by less than this share of the largest are ties, which go to the first contact.
const TIE: f64 = 1e-9;

/// The maximum dissipation law.
#[derive(Debug, Clone)]
pub struct MaxDissipation {
    /// Estimated distance from the fixed point, as a residual, at which sweeps stop.
    tolerance: f64,
    max_sweeps: usize,
    warm_start: bool,
    order: ReflectionOrder,
    seed: u64,
    /// The contacts in the order of a sweep.
    visits: Vec<usize>,
    approach: Vec<f64>,
    floor: Vec<f64>,
    /// Impulse of the last resolution with several contacts.
    last: DVector<f64>,
    /// Each contact as the sweeps see it.
    swept: SweptContacts,
    limit: SweepLimit,
    branches: Vec<DissipationBranch>,
    history: Vec<f64>,
}

impl Default for MaxDissipation {
    fn default() -> Self {
        Self {
            tolerance: 1e-12,
            max_sweeps: 10_000,
            warm_start: false,
            order: ReflectionOrder::Index,
            seed: 0,
            visits: Vec::new(),
            approach: Vec::new(),
            floor: Vec::new(),
            last: DVector::zeros(0),
            swept: SweptContacts::default(),
            limit: SweepLimit::default(),
            branches: Vec::new(),
            history: Vec::new(),
        }
    }
}

impl MaxDissipation {
    /// The parameters that [`ImpactLaw::set_parameter`] knows.
    pub const PARAMETERS: &'static [&'static str] =
        &["tolerance", "max_sweeps", "warm_start", "order", "seed"];

    /// The law with its default parameters: tolerance 1e-12, at most 10 000 sweeps, no warm start, contacts in
    /// the order given.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Residual after each sweep of the last resolution; empty for one contact.
    #[must_use]
    pub fn convergence_history(&self) -> &[f64] {
        &self.history
    }

    /// Branch of each contact in the last resolution.
    #[must_use]
    pub fn branches(&self) -> &[DissipationBranch] {
        &self.branches
    }

    /// Like [`ImpactLaw::impulse`], starting from the impulse Λ (r) that `impulse` holds: a warm start.
    ///
    /// # Errors
    /// As [`ImpactLaw::impulse`]; [`ImpactError::Dimension`] when `impulse` does not have r entries.
    pub fn impulse_from(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        check(space)?;
        check_size("impulse", space.rows(), impulse.len())?;
        check_finite("impulse", impulse.as_slice())?;
        self.branches.clear();
        self.history.clear();
        match space.len() {
            0 => Ok(ImpulseReport {
                status: ImpactStatus::Resolved,
                steps: 0,
            }),
            1 => {
                let (x, branch) = ContactBlock::from_space(space, 0, impulse).maximum_dissipation();
                for i in 0..impulse.len() {
                    impulse[i] = x[i];
                }
                self.branches.push(branch);
                Ok(ImpulseReport {
                    status: ImpactStatus::Resolved,
                    steps: 1,
                })
            }
            _ => Ok(self.sweep(space, impulse)),
        }
    }

    /// Fills `visits`: the contacts by their closing speeds before the impact, in the kinetic metric.
    fn arrange(&mut self, space: &ContactSpace) {
        let m = space.len();
        self.visits.clear();
        if self.order == ReflectionOrder::Index {
            self.visits.extend(0..m);
            return;
        }
        let speeds = space
            .contacts
            .iter()
            .map(|c| space.velocity[c.normal] / space.delassus[(c.normal, c.normal)].sqrt());
        self.approach.clear();
        self.approach.extend(speeds);
        let largest = self.approach.iter().fold(0.0_f64, |a, u| a.max(u.abs()));
        let unit = if largest > 0.0 { largest } else { 1.0 };
        // The selector chooses among closing contacts: moved by a common speed all of them are.
        for speed in &mut self.approach {
            *speed -= 2.0 * unit;
        }
        self.floor.clear();
        self.floor.resize(m, TIE * unit);
        let mut selector = Selector::new(self.order, self.seed);
        while let Some(next) = selector.select(&self.approach, &self.floor) {
            self.visits.push(next);
            self.approach[next] = f64::INFINITY;
        }
    }

    fn sweep(&mut self, space: &ContactSpace, impulse: &mut DVector<f64>) -> ImpulseReport {
        let m = space.len();
        self.arrange(space);
        self.branches.resize(m, DissipationBranch::Separating);
        self.swept.fill(space, impulse);
        self.limit.begin(space);
        self.history.reserve(self.max_sweeps.min(RESERVED_SWEEPS));
        let scale = (0..space.rows())
            .map(|i| space.velocity[i].powi(2) / space.delassus[(i, i)])
            .fold(0.0, f64::max)
            .sqrt();
        let mut status = ImpactStatus::NotTerminated;
        for sweep in 0..self.max_sweeps {
            // Half steps break the cycles that discontinuous blocks can fall into; the cone is convex.
            let share = if sweep < self.max_sweeps / 2 {
                1.0
            } else {
                0.5
            };
            let mut largest: f64 = 0.0;
            let mut settled = true;
            for &j in &self.visits {
                let (change, branch) = self.swept.visit(j, impulse.as_mut_slice(), share);
                settled &= std::mem::replace(&mut self.branches[j], branch) == branch;
                largest = largest.max(change);
            }
            let residual = if scale > 0.0 {
                largest.sqrt() / scale
            } else {
                largest.sqrt()
            };
            let rate = self
                .history
                .last()
                .map_or(0.0, |previous| (residual / previous).min(1.0));
            self.history.push(residual);
            let rate = rate.max(self.limit.rate);
            // What is left is the geometric series of the changes to come, down to rounding.
            let rest = residual * rate <= self.tolerance * (1.0 - rate);
            if residual <= 8.0 * f64::EPSILON || (residual <= self.tolerance && rest) {
                status = ImpactStatus::Resolved;
                break;
            }
            self.limit
                .after_sweep(impulse.as_mut_slice(), residual, settled);
        }
        if self.last.len() != impulse.len() {
            self.last = DVector::zeros(impulse.len());
        }
        self.last.copy_from(impulse);
        ImpulseReport {
            status,
            steps: self.history.len(),
        }
    }

    /// The resolution without diagnostics, and its impulse Λ (r).
    fn plain(
        &mut self,
        problem: &ImpactProblem,
    ) -> Result<(Resolution, DVector<f64>), ImpactError> {
        let space = problem.contact_space();
        let mut impulse = DVector::zeros(space.rows());
        let report = self.impulse(space, &mut impulse)?;
        let mut outcome = Outcome::from_impulse(problem, &impulse);
        outcome.status = report.status;
        let uniqueness = match (report.status, space.len() <= 1) {
            (ImpactStatus::Resolved, true) => Uniqueness::unique(Ground::Function),
            (ImpactStatus::Resolved, false) => Uniqueness::undecided(Doubt::OneSolution),
            _ => Uniqueness::undecided(Doubt::NotTerminated),
        };
        let resolution = Resolution {
            law: NAME,
            outcomes: vec![outcome],
            uniqueness,
            certificate: (space.len() == 1).then(|| Certificate {
                unique_for_every_momentum: true,
                reason: "single-contact".to_string(),
                angles: Vec::new(),
                deviation: 0.0,
                indeterminacy_bound: 0.0,
            }),
            status: report.status,
            details: serde_json::Map::new(),
        };
        Ok((resolution, impulse))
    }

    fn answer(&self, space: &ContactSpace, impulse: &DVector<f64>, outcome: &mut Outcome) {
        let details = &mut outcome.details;
        let names: Vec<Value> = self.branches.iter().map(|b| json!(b.name())).collect();
        let sections: Vec<Value> = (0..space.len())
            .map(|j| json!(ContactBlock::from_space(space, j, impulse).conic_section()))
            .collect();
        let one_or_all = |mut list: Vec<Value>| match list.len() {
            1 => list.remove(0),
            _ => Value::Array(list),
        };
        details.insert("branch".into(), one_or_all(names));
        details.insert("conic_section".into(), one_or_all(sections));
        details.insert("objective".into(), json!(space.energy_change(impulse)));
        if let Some(residual) = self.history.last() {
            details.insert("sweeps".into(), json!(self.history.len()));
            details.insert("residual".into(), json!(residual));
            details.insert("convergence".into(), json!(self.history));
        }
    }
}

impl ImpactLaw for MaxDissipation {
    fn name(&self) -> &'static str {
        NAME
    }

    fn properties(&self) -> LawProperties {
        LawProperties {
            friction: true,
            restitution: false,
            set_valued: false,
            order_independent: false,
            conserves_energy: false,
            several_contacts: true,
        }
    }

    fn draws_at_random(&self) -> bool {
        self.order == ReflectionOrder::Random
    }

    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
    }

    fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), ImpactError> {
        match name {
            "order" => {
                let known = ReflectionOrder::ALL.map(ReflectionOrder::name);
                let order = ReflectionOrder::from_name(value);
                self.order = parse_word(NAME, name, value, order, &known)?;
            }
            "seed" => self.seed = parse_seed(NAME, name, value)?,
            "tolerance" => self.tolerance = parse_tolerance(NAME, name, value)?,
            "max_sweeps" => {
                let sweeps = parse_count(NAME, name, value)?;
                self.max_sweeps = usize::try_from(sweeps).unwrap_or(usize::MAX);
            }
            "warm_start" => self.warm_start = parse_switch(NAME, name, value)?,
            _ => return Err(unknown_parameter(NAME, name, Self::PARAMETERS)),
        }
        Ok(())
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        let r = space.rows();
        if impulse.len() != r {
            impulse.resize_vertically_mut(r, 0.0);
        }
        if self.warm_start && space.len() > 1 && self.last.len() == r {
            impulse.copy_from(&self.last);
        } else {
            impulse.fill(0.0);
        }
        self.impulse_from(space, impulse)
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        let (mut resolution, impulse) = self.plain(problem)?;
        let space = problem.contact_space();
        for outcome in &mut resolution.outcomes {
            self.answer(space, &impulse, outcome);
        }
        let notes: Vec<Value> = space
            .contacts
            .iter()
            .zip(problem.names())
            .filter(|(c, _)| c.restitution != 0.0 && c.restitution != 1.0)
            .map(|(c, name)| {
                json!(format!(
                    "contact \"{name}\": the law is purely inelastic, restitution {} has no effect",
                    c.restitution
                ))
            })
            .collect();
        let details = &mut resolution.details;
        if !notes.is_empty() {
            details.insert("notes".into(), Value::Array(notes));
        }
        if space.len() == 1 {
            let zero = DVector::zeros(space.rows());
            let block = ContactBlock::from_space(space, 0, &zero);
            details.insert("coulomb_solutions".into(), coulomb_answer(&block));
        }
        Ok(resolution)
    }

    fn explore(
        &mut self,
        problem: &ImpactProblem,
        _exploration: &Exploration,
    ) -> Result<Resolution, ImpactError> {
        Ok(self.plain(problem)?.0)
    }
}

/// The Coulomb solutions of the same contact, for comparison.
fn coulomb_answer(block: &ContactBlock) -> Value {
    let own = 1..1 + block.tangents;
    coulomb_solutions(block)
        .iter()
        .map(|s| {
            json!({
                "kind": s.kind,
                "normal": s.impulse[0],
                "tangential": s.impulse.as_slice()[own.clone()],
                "sliding_velocity": s.velocity.as_slice()[own.clone()],
                "objective": s.objective,
            })
        })
        .collect()
}

/// A contact space may have been built by hand: nothing that is not a number may pass.
fn check(space: &ContactSpace) -> Result<(), ImpactError> {
    check_finite("contact velocity", space.velocity.as_slice())?;
    check_finite("Delassus matrix", space.delassus.as_slice())?;
    for c in &space.contacts {
        let diagonal = space.delassus[(c.normal, c.normal)];
        if diagonal <= 0.0 {
            return Err(ImpactError::OutOfRange {
                place: "Delassus matrix: diagonal entry of a normal".to_string(),
                value: diagonal,
                range: "positive",
            });
        }
        if c.friction.is_nan() || c.friction < 0.0 {
            return Err(ImpactError::OutOfRange {
                place: "friction".to_string(),
                value: c.friction,
                range: "at least 0",
            });
        }
    }
    Ok(())
}
