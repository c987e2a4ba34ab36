//! What is known at one moment (q, p): velocity, gaps and gap rates, energies.
//!
//! Gaps of contacts with terrain are known where the bound of their group (a body and a piece of terrain), or their own, is not above
//! every gap that counts as closed; later where the motion may lead there ([`Node::know`]), and else never. A contact of which
//! the gap is not known is open.

use super::{SimulationSettings, State};
use crate::contact::{Contacts, EdgePresence, LastPlaced};
use crate::dynamics::{ArticulatedFactor, Kinematics, SingularMass, gravity_energy, spring_energy};
use crate::model::Model;
use crate::numerics::{larger, largest};

/// What a velocity that a state has kept is off that of its momentum at most, beside the largest of that or one \[m/s, rad/s\]: of
/// M with a condition of 1e5.
const ROUNDING: f64 = 1e-11;

/// Workspace for quantities at one moment.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Placements (and twists after [`Node::update_velocity`]).
    pub kinematics: Kinematics<f64>,
    /// Velocity M⁻¹p, n.
    pub velocity: Vec<f64>,
    /// Gap of each contact as the step sees it \[m\], present or not, where it is known.
    gaps: Vec<f64>,
    /// Of each of two edges whether they are there, where the gap is known.
    edges: Vec<Option<EdgePresence>>,
    /// Of each group, what its gaps are not below where it is positive \[m\].
    bounds: Vec<f64>,
    /// Of each pair of a body with what it touches, the bound of all its groups \[m\]; zero where each has its own.
    apart: Vec<f64>,
    /// Of each group, whether it is near: its contacts were looked at one by one.
    looked_at: Vec<bool>,
    /// Of each contact of such a group a bound of its own \[m\]; minus infinity where it has none.
    own_bounds: Vec<f64>,
    /// Of each contact of a group that was looked at, or of none, whether its gap is known: it always is of those without a bound.
    known: Vec<bool>,
    /// Largest gap of a contact that counts as closed \[m\].
    reach: f64,
    factor: ArticulatedFactor<f64>,
}

impl Node {
    pub fn new(model: &Model, contacts: &Contacts, settings: &SimulationSettings) -> Self {
        Self {
            kinematics: Kinematics::new(model),
            velocity: vec![0.0; model.dof()],
            gaps: vec![0.0; contacts.len()],
            edges: vec![None; contacts.len()],
            bounds: vec![0.0; contacts.group_count()],
            apart: vec![0.0; contacts.pairs().len()],
            looked_at: vec![false; contacts.group_count()],
            own_bounds: vec![f64::NEG_INFINITY; contacts.len()],
            known: vec![true; contacts.len()],
            reach: settings.simultaneity.max(settings.closed_gap),
            factor: ArticulatedFactor::new(model),
        }
    }

    /// As [`Node::update_gaps`] at a time \[s\], which terrain that moves by itself must know.
    pub fn update_gaps_at(&mut self, model: &Model, contacts: &Contacts, q: &[f64], time: f64) {
        self.kinematics.clock.time = time;
        self.update_gaps(model, contacts, q);
    }

    /// Placements at `q`, and the gaps of contacts that may be closed there.
    pub fn update_gaps(&mut self, model: &Model, contacts: &Contacts, q: &[f64]) {
        self.kinematics.update_placements(model, q);
        self.measure_gaps(contacts);
    }

    /// The same where the robot has been placed already.
    pub fn take_placements(&mut self, contacts: &Contacts, placed: &Kinematics<f64>) {
        self.kinematics.copy_placements(placed);
        self.measure_gaps(contacts);
    }

    fn measure_gaps(&mut self, contacts: &Contacts) {
        let (bounds, apart) = (&mut self.bounds, &mut self.apart);
        contacts.bound_gaps(&self.kinematics, self.reach, bounds, apart);
        for group in 0..self.looked_at.len() {
            // A bound that is not a number bounds nothing.
            self.looked_at[group] = !self.is_beyond(group, self.reach);
            if self.looked_at[group] {
                self.look_at_members(contacts, group);
            }
        }
        for &i in contacts.ungrouped() {
            self.gaps[i] = contacts.mechanical_gap(&self.kinematics, i);
        }
    }

    /// Looks at the contacts of a group one by one, and makes known the gaps of those that may be closed.
    fn look_at_members(&mut self, contacts: &Contacts, group: usize) {
        let mut last = LastPlaced::default();
        let has_own_bounds = contacts.has_own_bounds(group);
        for &i in contacts.members(group) {
            if has_own_bounds {
                self.own_bounds[i] = contacts.bound_place(&self.kinematics, i, &mut last);
                self.known[i] = !self.is_place_beyond(i, self.reach);
                if !self.known[i] {
                    continue;
                }
            }
            self.measure(contacts, i, &mut last);
        }
    }

    /// Whether all gaps of a group are certainly larger than `length` \[m\], which is not negative.
    #[inline]
    pub fn is_beyond(&self, group: usize, length: f64) -> bool {
        self.bounds[group] > length
    }

    /// Whether all gaps of a pair are certainly larger than `length` \[m\], which is not negative. Each of its groups has its own
    /// bound where they are not.
    pub fn is_pair_beyond(&mut self, contacts: &Contacts, pair: usize, length: f64) -> bool {
        let is_beyond = self.apart[pair] > length;
        if !is_beyond && self.apart[pair] > 0.0 {
            self.apart[pair] = 0.0;
            let own = &contacts.pairs()[pair];
            contacts.bound_each(&self.kinematics, own, &mut self.bounds);
        }
        is_beyond
    }

    /// Of each two shapes that are not certainly apart and of which the edges or sides may touch, the first of their contacts, but of
    /// those that may be inactive.
    pub fn close_shapes<'a>(&'a self, contacts: &'a Contacts) -> impl Iterator<Item = usize> + 'a {
        let pairs = contacts.pairs().iter().zip(&self.apart);
        let close = pairs.filter(|(_, apart)| **apart == 0.0);
        let groups = close.flat_map(|(pair, _)| contacts.groups_of(pair));
        let groups = groups.chain(contacts.unpaired());
        let close = groups.filter(|group| !self.is_beyond(group.index, 0.0));
        let first = close.filter_map(|group| contacts.shape_pair(group));
        first.filter(|&i| contacts.inactivity(i).is_none())
    }

    /// Looks at the contacts of a group one by one, if that was not done.
    #[inline]
    pub fn look_at(&mut self, contacts: &Contacts, group: usize) {
        if !self.looked_at[group] {
            self.looked_at[group] = true;
            self.look_at_members(contacts, group);
        }
    }

    /// Whether the gap of a contact of a group that was looked at is certainly larger than `length` \[m\], which is not negative.
    #[inline]
    pub fn is_place_beyond(&self, i: usize, length: f64) -> bool {
        self.own_bounds[i] > length
    }

    /// Makes the gap of a contact of a group that was looked at known.
    #[inline]
    pub fn know(&mut self, contacts: &Contacts, i: usize, last: &mut LastPlaced) {
        if !self.known[i] {
            self.known[i] = true;
            self.measure(contacts, i, last);
        }
    }

    #[inline]
    fn measure(&mut self, contacts: &Contacts, i: usize, last: &mut LastPlaced) {
        (self.gaps[i], self.edges[i]) = contacts.measure(&self.kinematics, i, last);
    }

    fn is_known(&self, contacts: &Contacts, i: usize) -> bool {
        (contacts.group(i)).is_none_or(|group| self.looked_at[group] && self.known[i])
    }

    /// Gap of one contact where it is known \[m\]: it is of all that may be closed.
    #[inline]
    pub fn known_gap(&self, contacts: &Contacts, i: usize) -> Option<f64> {
        self.is_known(contacts, i).then(|| self.gaps[i])
    }

    /// Gap of one contact \[m\].
    pub fn gap(&self, contacts: &Contacts, i: usize) -> f64 {
        let known = self.known_gap(contacts, i);
        known.unwrap_or_else(|| contacts.mechanical_gap(&self.kinematics, i))
    }

    fn known_edges(&self, contacts: &Contacts, i: usize) -> Option<EdgePresence> {
        let known = contacts.group(i).is_some() && self.is_known(contacts, i);
        known.then(|| self.edges[i]).flatten()
    }

    /// As [`Contacts::is_present`].
    #[inline]
    pub fn is_present(&self, contacts: &Contacts, i: usize) -> bool {
        match self.known_edges(contacts, i) {
            Some(edges) => edges.is_crossed,
            None => contacts.is_present(&self.kinematics, i),
        }
    }

    /// As [`Contacts::is_passable`].
    #[inline]
    pub fn is_passable(&self, contacts: &Contacts, i: usize) -> bool {
        match self.known_edges(contacts, i) {
            Some(edges) => edges.is_passable,
            None => contacts.is_passable(&self.kinematics, i),
        }
    }

    /// The contacts of groups that were looked at, and of none.
    pub fn near_contacts<'a>(&'a self, contacts: &'a Contacts) -> impl Iterator<Item = usize> + 'a {
        let groups = (0..self.looked_at.len()).filter(|&group| self.looked_at[group]);
        let grouped = groups.flat_map(|group| contacts.members(group));
        grouped.chain(contacts.ungrouped()).copied()
    }

    /// The contacts whose gaps are known, by groups.
    pub fn known_contacts<'a>(
        &'a self,
        contacts: &'a Contacts,
    ) -> impl Iterator<Item = usize> + 'a {
        self.near_contacts(contacts).filter(|&i| self.known[i])
    }

    /// Velocity of the momentum `p` at the configuration of the last [`Node::update_gaps`].
    pub fn update_velocity(&mut self, model: &Model, p: &[f64]) -> Result<(), SingularMass> {
        self.factor.factor(model, &self.kinematics)?;
        self.factor
            .solve(model, &self.kinematics, p, &mut self.velocity);
        self.kinematics.update_twists(model, &self.velocity);
        Ok(())
    }

    /// Velocity of a state at the configuration of the last [`Node::update_gaps`].
    pub fn take_velocity(&mut self, model: &Model, state: &State) -> Result<(), SingularMass> {
        self.update_velocity(model, &state.p)?;
        let pairs = state.velocity.iter().zip(&self.velocity);
        let apart = pairs.fold(0.0, |m, (own, other)| larger(m, (own - other).abs()));
        let is_kept = state.velocity.len() == self.velocity.len();
        // Somebody may have changed p.
        if is_kept && apart <= ROUNDING * largest(&self.velocity).max(1.0) {
            self.set_velocity(model, &state.velocity);
        }
        Ok(())
    }

    /// The same where the velocity is known.
    pub fn set_velocity(&mut self, model: &Model, velocity: &[f64]) {
        self.velocity.copy_from_slice(velocity);
        self.kinematics.update_twists(model, velocity);
    }

    /// Gap rate Dφ v of one contact \[m/s\].
    pub fn rate(&self, contacts: &Contacts, i: usize) -> f64 {
        contacts.gap_rate(&self.kinematics, i)
    }

    /// Sliding velocity of one contact in its tangents \[m/s\].
    pub fn slip(&self, contacts: &Contacts, i: usize) -> [f64; 2] {
        let mut slip = contacts.frame(&self.kinematics, i).slip(&self.kinematics);
        for slip in &mut slip[contacts.tangent_count(i)..] {
            *slip = 0.0;
        }
        slip
    }

    /// Kinetic energy ½ pᵀv \[J\].
    pub fn kinetic_energy(&self, p: &[f64]) -> f64 {
        0.5 * p
            .iter()
            .zip(&self.velocity)
            .map(|(p, v)| p * v)
            .sum::<f64>()
    }

    /// Potential energy of gravity and springs \[J\].
    pub fn potential_energy(&self, model: &Model, q: &[f64]) -> f64 {
        gravity_energy(model, &self.kinematics) + spring_energy(model, &self.kinematics, q)
    }
}
