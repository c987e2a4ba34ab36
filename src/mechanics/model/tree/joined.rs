//! Several trees under one world: a robot and what stands or lies beside it.

use std::ops::Range;

use super::{Base, JointKind, Model};
use crate::model::{Coupling, Link, ModelBuilder, ModelError};
use crate::spatial::Pose;

/// What the base of a robot is called in the names of coordinates.
const BASE: &str = "base";
/// Bodies of a planar base: two slides and the pitch.
const PLANAR_BODIES: usize = 3;

/// What hangs together under the world: a robot, or a loose body beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// Name of the robot or of the loose body.
    pub name: String,
    /// How its root is held.
    pub base: Base,
    /// Its bodies in [`Model::bodies`].
    pub bodies: Range<usize>,
}

impl Tree {
    /// All of a model whose bodies hang together.
    pub(in crate::model) fn of(model: &Model) -> Self {
        Self {
            name: model.name.clone(),
            base: model.base,
            bodies: 0..model.bodies.len(),
        }
    }

    /// The bodies that its base moves, and no joint of its description.
    #[must_use]
    pub fn base_bodies(&self) -> Range<usize> {
        let count = match self.base {
            Base::Fixed => 0,
            Base::Planar => PLANAR_BODIES,
            Base::Floating => 1,
        };
        self.bodies.start..self.bodies.start + count
    }
}

impl Model {
    /// One link that moves freely: link, joint and body are called `name`, its coordinates `<name>.x` …
    /// `<name>.qw` and `<name>.vx` … `<name>.wz`. The link's own name counts for nothing.
    ///
    /// # Errors
    /// As [`ModelBuilder::build`].
    pub fn loose(name: &str, link: Link) -> Result<Self, ModelError> {
        let link = Link {
            name: name.to_string(),
            ..link
        };
        let model = ModelBuilder::new(name)
            .base(Base::Floating)
            .link(link)
            .build()?;
        Ok(model.renamed(|own| match own.strip_prefix(BASE) {
            Some(rest) => format!("{name}{rest}"),
            None => own.to_string(),
        }))
    }

    /// The same with the names of links, joints and coordinates changed.
    #[must_use]
    pub fn renamed(mut self, rename: impl Fn(&str) -> String) -> Self {
        for link in &mut self.links {
            link.name = rename(&link.name);
        }
        for body in &mut self.bodies {
            body.name = rename(&body.name);
            body.joint = rename(&body.joint);
        }
        for composite in &mut self.composites {
            composite.name = rename(&composite.name);
        }
        for name in self
            .coordinate_names
            .iter_mut()
            .chain(&mut self.configuration_names)
        {
            *name = rename(name);
        }
        self
    }

    /// The robot and what is beside it, in order: each hangs together under the world.
    #[must_use]
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// The tree that a body belongs to, by its place in [`Model::trees`].
    #[must_use]
    pub fn tree_of(&self, body: usize) -> usize {
        let before = |tree: &Tree| tree.bodies.end <= body;
        self.trees.partition_point(before)
    }

    /// Whether a body is moved by a base and by no joint of a description.
    #[must_use]
    pub fn is_base(&self, body: usize) -> bool {
        let tree = self.trees.get(self.tree_of(body));
        tree.is_some_and(|tree| tree.base_bodies().contains(&body))
    }

    /// The same robot as one of several: it is called `name`, and its links, joints and coordinates `<name>.<own name>`.
    #[must_use]
    pub fn among(self, name: &str) -> Self {
        let mut model = self.renamed(|own| format!("{name}.{own}"));
        model.name = name.to_string();
        for tree in &mut model.trees {
            tree.name = name.to_string();
        }
        for warning in &mut model.warnings {
            *warning = format!("{name}: {warning}");
        }
        model
    }

    /// The same robot elsewhere \[m\]: what is fixed in the world, and the joints that start there. A floating base
    /// stays: where it is, its coordinates say.
    #[must_use]
    pub fn placed(mut self, pose: &Pose<f64>) -> Self {
        for link in self.links.iter_mut().filter(|link| link.body.is_none()) {
            link.pose = pose.compose(&link.pose);
        }
        let roots = self.bodies.iter_mut().filter(|b| b.parent.is_none());
        for body in roots.filter(|b| b.kind != JointKind::Floating) {
            body.placement = pose.compose(&body.placement);
        }
        for spring in &mut self.point_springs {
            for (body, point) in spring.bodies.iter().zip(&mut spring.points) {
                if body.is_none() {
                    *point = pose.point(point);
                }
            }
        }
        self.coupling = Coupling::of(&self);
        self
    }

    /// This robot with another tree beside it, whose bodies, links and coordinates come after its own. Name, base and gravity
    /// are those of the first.
    ///
    /// # Errors
    /// [`ModelError::DuplicateName`] where both have a link, a joint or a coordinate of one name.
    pub fn beside(mut self, mut other: Self) -> Result<Self, ModelError> {
        let (bodies, links) = (self.bodies.len(), self.links.len());
        for link in &mut other.links {
            link.body = link.body.map(|b| b + bodies);
        }
        for body in &mut other.bodies {
            body.parent = body.parent.map(|p| p + bodies);
            body.q_index += self.nq;
            body.v_index += self.nv;
            if let Some(follower) = &mut body.follows {
                follower.leader += bodies;
            }
        }
        for composite in &mut other.composites {
            composite.bodies.start += bodies;
            composite.bodies.end += bodies;
        }
        for shape in &mut other.shapes {
            shape.link += links;
        }
        for mesh in &mut other.meshes {
            mesh.link += links;
        }
        for spring in &mut other.joint_springs {
            spring.body += bodies;
        }
        for spring in &mut other.point_springs {
            spring.bodies = spring.bodies.map(|body| body.map(|b| b + bodies));
        }
        self.links.append(&mut other.links);
        self.bodies.append(&mut other.bodies);
        self.composites.append(&mut other.composites);
        self.shapes.append(&mut other.shapes);
        self.meshes.append(&mut other.meshes);
        self.joint_springs.append(&mut other.joint_springs);
        self.point_springs.append(&mut other.point_springs);
        self.subtree_mass.append(&mut other.subtree_mass);
        self.coordinate_names.append(&mut other.coordinate_names);
        self.configuration_names
            .append(&mut other.configuration_names);
        self.warnings.append(&mut other.warnings);
        for tree in &mut other.trees {
            tree.bodies.start += bodies;
            tree.bodies.end += bodies;
        }
        self.trees.append(&mut other.trees);
        self.nq += other.nq;
        self.nv += other.nv;
        check_distinct("link", self.links.iter().map(|l| l.name.as_str()))?;
        check_distinct("joint", self.bodies.iter().map(|b| b.joint.as_str()))?;
        self.check_coordinate_names()?;
        self.coupling = Coupling::of(&self);
        Ok(self)
    }

    /// That no two coordinates have one name, as those of a floating base and of a joint that is called as one of them.
    pub(in crate::model) fn check_coordinate_names(&self) -> Result<(), ModelError> {
        for names in [&self.coordinate_names, &self.configuration_names] {
            check_distinct("coordinate", names.iter().map(String::as_str))?;
        }
        Ok(())
    }
}

fn check_distinct<'a>(
    kind: &'static str,
    names: impl Iterator<Item = &'a str>,
) -> Result<(), ModelError> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            let name = name.to_string();
            return Err(ModelError::DuplicateName { kind, name });
        }
    }
    Ok(())
}
