//! The answer of `carom inspect` for a person.

use carom::contact::CollisionKind;
use carom::model::Base;
use carom::scenario::{
    BodyPair, Exclusion, Inspection, JointSummary, SceneSummary, StateQuantities,
};

use super::super::terminal::text::{largest, number, table, vector};

/// One screen about a robot.
pub fn report(inspection: &Inspection) -> String {
    let base = base_word(inspection.base);
    let plural = if inspection.dof == 1 { "" } else { "s" };
    let several = inspection
        .scene
        .as_ref()
        .filter(|scene| scene.robots.len() + scene.objects.len() > 1);
    let mut text = match several {
        Some(scene) => scene_lines(scene),
        None => format!("{}: {base} base, ", inspection.name),
    };
    text += &format!(
        "{} degree{plural} of freedom, {} kg in motion\n",
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
    if let Some(scene) = &inspection.scene {
        text += &terrain_lines(scene);
        text += &touching_lines(scene);
        text += &excluded_lines(&inspection.body_pairs);
        text += &end_lines(inspection);
        return text;
    }
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
    text += &ground_lines(inspection);
    text += &pair_lines(&inspection.body_pairs);
    text += &end_lines(inspection);
    text
}

fn base_word(base: Base) -> &'static str {
    match base {
        Base::Fixed => "fixed",
        Base::Planar => "planar",
        Base::Floating => "floating",
    }
}

/// Robots and objects.
fn scene_lines(scene: &SceneSummary) -> String {
    let mut rows = vec![cells(["robot or object", "base", "bodies", "kg in motion"])];
    for tree in &scene.robots {
        let (bodies, mass) = (tree.bodies.to_string(), number(tree.mass, 0.0));
        rows.push(cells([&tree.name, base_word(tree.base), &bodies, &mass]));
    }
    for object in &scene.objects {
        let mass = number(object.mass, 0.0);
        rows.push(cells([&object.name, "loose", "1", &mass]));
    }
    format!("{}\n", table(&rows))
}

fn terrain_lines(scene: &SceneSummary) -> String {
    if scene.terrain.is_empty() {
        return "No terrain.\n".to_string();
    }
    let mut rows = vec![cells([
        "terrain",
        "kind",
        "friction",
        "restitution",
        "where",
    ])];
    let point = |p: &[f64; 3]| vector(p, largest(*p));
    for piece in &scene.terrain {
        let mut place = match (&piece.point, &piece.normal, &piece.min, &piece.max) {
            (Some(at), Some(normal), ..) => {
                format!("through {} m, normal {}", point(at), point(normal))
            }
            (.., Some(min), Some(max)) => format!("{} to {} m", point(min), point(max)),
            _ => String::new(),
        };
        if let Some(velocity) = &piece.velocity {
            place += &format!(", its surface moves at {} m/s", point(velocity));
        }
        if let (Some(amplitude), Some(frequency)) = (&piece.amplitude, piece.frequency) {
            let frequency = number(frequency, 0.0);
            place += &format!(", shaken by {} m at {frequency} Hz", point(amplitude));
        }
        let (friction, restitution) = (number(piece.friction, 0.0), number(piece.restitution, 0.0));
        rows.push(cells([
            &piece.name,
            piece.kind,
            &friction,
            &restitution,
            &place,
        ]));
    }
    table(&rows)
}

fn touching_lines(scene: &SceneSummary) -> String {
    let mut rows = vec![cells([
        "link",
        "can touch",
        "contacts",
        "friction",
        "restitution",
    ])];
    for touching in &scene.touching {
        rows.push(cells([
            &touching.link,
            &touching.with,
            &touching.contacts.to_string(),
            &number(touching.friction, 0.0),
            &number(touching.restitution, 0.0),
        ]));
    }
    let limits = match scene.joint_limits {
        0 => String::new(),
        count => format!("{count} limits of joints are contacts too\n"),
    };
    match scene.touching.is_empty() {
        true => format!("Nothing can touch anything.\n{limits}"),
        false => format!("\n{}{limits}", table(&rows)),
    }
}

/// State and warnings.
fn end_lines(inspection: &Inspection) -> String {
    let mut text = String::new();
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

/// How many contacts a run has of which shapes.
fn ground_lines(inspection: &Inspection) -> String {
    let all = &inspection.ground_contacts;
    if all.is_empty() {
        return String::new();
    }
    let mut rows = vec![cells(["link", "shape", "contacts with level ground"])];
    for own in all {
        rows.push(cells([
            &own.link,
            own.kind.word(),
            &own.contacts.to_string(),
        ]));
    }
    let sum: usize = all.iter().map(|own| own.contacts).sum();
    rows.push(cells(["all", "", &sum.to_string()]));
    table(&rows)
}

/// Which bodies touch each other if a scenario wants it.
fn pair_lines(pairs: &[BodyPair]) -> String {
    if pairs.is_empty() {
        return String::new();
    }
    let touching = pairs.iter().filter(|pair| pair.excluded.is_none()).count();
    let mut text = format!("with contact.self = true {touching} pairs of bodies can touch\n");
    text += &excluded_lines(pairs);
    text
}

/// Which bodies do not touch each other, and why.
fn excluded_lines(pairs: &[BodyPair]) -> String {
    let mut text = String::new();
    for reason in [
        Exclusion::Neighbours,
        Exclusion::Overlap,
        Exclusion::Listed,
        Exclusion::Unlisted,
    ] {
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
    let mut rows = vec![heading];
    for joint in &inspection.joints {
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
            let at = inspection
                .coordinates
                .iter()
                .position(|name| *name == joint.name);
            let slope = at.map_or(f64::NAN, |at| gravity[at]);
            row.push(number(slope, largest(gravity.iter().copied())));
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
