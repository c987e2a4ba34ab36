//! TREX from code: the nearest robot and stance in which foot and tail may strike in any order.
//!
//! `cargo run --example design_trex`

use std::error::Error;
use std::f64::consts::PI;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::design::{
    Approach, DesignProblem, DesignSettings, Robot, Stance, Variable, coordinate_names,
};
use carom::model::{Base, Joint, Link, ModelBuilder};
use nalgebra::Vector3;

/// TREX with body radii r1 > r2 and leg segments lu and ll [m] ([SM] §VII.B).
fn trex([r1, r2, lu, ll]: [f64; 4]) -> Result<Robot, Box<dyn Error>> {
    let tail = r2 * (r1 + r2) / (r1 - r2);
    let ball = |name: &str, r: f64| {
        Link::new(name).solid_sphere(4000.0 / 3.0 * PI * r.powi(3), r, Vector3::zeros())
    };
    let rod = |name: &str, length: f64| {
        Link::new(name).rod(0.25 * length, Vector3::zeros(), Vector3::x() * length)
    };
    let turn = |name: &str, parent: &str, child: &str, at: f64| {
        let joint = Joint::revolute(name, parent, child).axis([0.0, -1.0, 0.0]);
        joint.origin([at, 0.0, 0.0], [0.0; 3])
    };
    let mut builder = ModelBuilder::new("trex").base(Base::Planar);
    builder = builder.link(ball("anterior", r1));
    for leg in ["A", "B"] {
        let (upper, lower) = (format!("upper_{leg}"), format!("lower_{leg}"));
        builder = builder
            .link(rod(&upper, lu))
            .link(rod(&lower, ll))
            .joint(turn(&format!("phi_{leg}"), "anterior", &upper, 0.0))
            .joint(turn(&format!("gamma_{leg}"), &upper, &lower, lu));
    }
    let model = builder
        .link(ball("posterior", r2))
        .link(rod("tail", tail))
        .joint(turn("phi_T", "anterior", "posterior", r1 + r2))
        .joint(Joint::fixed("mount", "posterior", "tail"))
        .build()?;
    let m = Material::new(0.0, 1.0);
    let foot = |name, link| Site::point(&model, name, link, [ll, 0.0, 0.0], m);
    let tail = Site::point(&model, "tail", "tail", [tail, 0.0, 0.0], m)?;
    let sites = vec![foot("foot_A", "lower_A")?, foot("foot_B", "lower_B")?, tail];
    let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], m);
    let contacts = Contacts::new(&model, sites, vec![ground], &[], Combination::Minimum)?;
    Ok(Robot { model, contacts })
}

fn main() -> Result<(), Box<dyn Error>> {
    let start = [0.07, 0.04, 0.08, 0.1];
    let named = ["r1", "r2", "lu", "ll"].into_iter().zip(start);
    let parameters = named.map(|(name, x)| Variable::new(name, x, 0.1));
    let names = coordinate_names(&trex(start)?.model);
    // x, z, pitch, then the two legs and the tail; 0.1 m counts as much as 1 rad, x stays.
    let landing = vec![0.0, 0.1238, -5.78, 5.13, 5.24, 1.99, 5.24, 0.0];
    let mut stance = Stance::orthogonal("landing", landing, &["foot_A", "tail"]);
    for (i, name) in names.iter().enumerate().skip(1) {
        let scale = if name == "base.z" { 0.1 } else { 1.0 };
        stance = stance.with_free(i, Variable::new(name, 0.0, scale));
    }
    stance.approach = Some(Approach::Fall(0.17));
    let family = |p: &[f64]| trex([p[0], p[1], p[2], p[3]]).map_err(|e| e.to_string());
    let problem = DesignProblem::new(Box::new(family), parameters.collect(), vec![stance])?;
    let design = problem.solve(&DesignSettings::default())?;
    println!("{:?} in {} steps", design.status, design.iterations);
    for (variable, x) in problem.variables().iter().zip(&design.variables) {
        println!("{:12} {:9.5} -> {x:9.5}", variable.name, variable.start);
    }
    Ok(())
}
