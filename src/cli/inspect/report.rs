//! The answer of `carom inspect` for a person.

use carom::contact::CollisionKind;
use carom::model::Base;
use carom::scenario::{BodyPair, Exclusion, Inspection, JointSummary, StateQuantities};

use super::super::text::{largest, number, table, vector};

/// One screen about a robot.
pub fn report(inspection: &Inspection) -> String {
    let base = match inspection.base {
        Base::Fixed => "fixed",
        Base::Planar => "planar",
        Base::Floating => "floating",
    };
    let plural = if inspection.dof == 1 { "" } else { "s" };
    let mut text = format!(
        "{}: {base} base, {} degree{plural} of freedom, {} kg in motion\n",
        inspection.name,
        inspection.dof,
        number(inspection.mass, 0.0)
    );
    if !inspection.joints.is_empty() {
        text += "\n";
        text += &table(&joint_rows(inspection));
    }
    if !inspection.mimics.is_empty() {
        text += "\n";
        text += &table(&mimic_rows(inspection));
    }
    text += "\n";
    text += &collision_line(inspection);
    if !inspection.contact_sites.is_empty() {
        let mut rows = vec![cells(["collision sphere on link", "radius m", "centre m"])];
        for site in &inspection.contact_sites {
            let scale = largest(site.center);
            rows.push(cells([
                &site.link,
                &number(site.radius, 0.0),
                &vector(&site.center, scale),
            ]));
        }
        text += &table(&rows);
    }
    text += &pair_lines(&inspection.body_pairs);
    if let Some(state) = &inspection.state {
        text += &state_lines(state);
    }
    for warning in &inspection.warnings {
        text += &format!("warning: {warning}\n");
    }
    text
}

/// Which collision shapes there are.
fn collision_line(inspection: &Inspection) -> String {
    let moving = || inspection.collision_shapes.iter().filter(|s| s.moves);
    let counts: Vec<String> = (CollisionKind::ALL.iter())
        .map(|kind| (kind, moving().filter(|s| s.kind == *kind).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} {}", kind.word()))
        .collect();
    if counts.is_empty() {
        return "No contact sites: no link that moves has a collision shape; a scenario can declare sites.\n".into();
    }
    format!(
        "collision shapes: {}; all become contact sites where a scenario declares none and has no contact.collisions\n",
        counts.join(", ")
    )
}

/// Which bodies touch each other if a scenario wants it.
fn pair_lines(pairs: &[BodyPair]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let touching = pairs.iter().filter(|pair| pair.excluded.is_none()).count();
    let mut text = format!("with contact.self = true {touching} pairs of bodies can touch\n");
    for reason in [Exclusion::Neighbours, Exclusion::Overlap] {
        let excluded = pairs.iter().filter(|pair| pair.excluded == Some(reason));
        let names: Vec<String> = excluded.map(|pair| pair.bodies.join(" - ")).collect();
        if !names.is_empty() {
            text += &format!("  left out, {}: {}\n", reason.reason(), names.join(", "));
        }
    }
    text
}

fn cells<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_string).to_vec()
}

fn joint_rows(inspection: &Inspection) -> Vec<Vec<String>> {
    let gravity = inspection.state.as_ref().map(|state| &state.gravity);
    let mut heading = cells([
        "joint",
        "kind",
        "moves link",
        "range",
        "effort",
        "speed",
        "damping",
        "friction",
    ]);
    if gravity.is_some() {
        heading.push("dV/dq".to_string());
    }
    let of_base = inspection.dof - inspection.joints.len();
    let mut rows = vec![heading];
    for (i, joint) in inspection.joints.iter().enumerate() {
        let stated = |x: Option<f64>| x.map_or("-".to_string(), |x| number(x, 0.0));
        let mut row = cells([
            &joint.name,
            joint.kind,
            &joint.link,
            &range(joint),
            &stated(joint.effort),
            &stated(joint.speed),
            &number(joint.damping, 0.0),
            &number(joint.friction, 0.0),
        ]);
        if let Some(gravity) = gravity {
            row.push(number(
                gravity[of_base + i],
                largest(gravity.iter().copied()),
            ));
        }
        rows.push(row);
    }
    rows
}

fn mimic_rows(inspection: &Inspection) -> Vec<Vec<String>> {
    let mut rows = vec![cells(["mimic joint", "moves link", "position"])];
    for mimic in &inspection.mimics {
        let mut position = format!("{} {}", number(mimic.ratio, 0.0), mimic.leader);
        if mimic.offset != 0.0 {
            let sign = if mimic.offset < 0.0 { '-' } else { '+' };
            position += &format!(" {sign} {}", number(mimic.offset.abs(), 0.0));
        }
        rows.push(cells([&mimic.name, &mimic.link, &position]));
    }
    rows
}

fn range(joint: &JointSummary) -> String {
    joint.position.map_or("-".to_string(), |[low, high]| {
        format!("{} to {}", number(low, 0.0), number(high, 0.0))
    })
}

fn state_lines(state: &StateQuantities) -> String {
    let com = state
        .center_of_mass
        .map_or("-".to_string(), |c| vector(&c, largest(c)));
    let diagonal: Vec<f64> = state
        .mass_matrix
        .iter()
        .enumerate()
        .map(|(i, row)| row[i])
        .collect();
    format!(
        "\nkinetic energy   {} J\npotential energy {} J (zero at the world's origin)\ncentre of mass   {com} m\ndiagonal of M    {} (all of M with --json)\n",
        number(state.kinetic_energy, 0.0),
        number(state.potential_energy, 0.0),
        vector(&diagonal, 0.0)
    )
}
