//! The starter scenario as a text with comments.

use std::fmt::Write;

use super::gains::JointGain;
use super::gait::Gait;
use super::legs::Leg;
use super::pose::Pose;
use super::{FRICTION, Starter, joints, walking};
use crate::files::{toml_key, toml_string};
use crate::model::{Base, Mimic, Model};
use crate::scenario::{RobotEntry, SiteEntry};

pub(super) fn text(
    starter: &Starter,
    entry: &RobotEntry,
    model: &Model,
    pose: &Pose,
    gains: &[JointGain],
    walk: Walk<'_>,
) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write_all(&mut text, starter, entry, model, pose, gains, walk);
    text
}

/// Sites that no collision shape makes, and the legs with their gait.
type Walk<'a> = (&'a [SiteEntry], Option<&'a (Vec<Leg>, Gait)>);

fn write_all(
    out: &mut String,
    starter: &Starter,
    entry: &RobotEntry,
    model: &Model,
    pose: &Pose,
    gains: &[JointGain],
    (sites, walk): Walk<'_>,
) -> std::fmt::Result {
    let driven = match walk {
        Some(_) => "walking slowly",
        None if gains.is_empty() => "limp",
        None => "under servos",
    };
    let on = if model.base() == Base::Fixed {
        "on a fixed base"
    } else {
        "on level ground"
    };
    writeln!(out, "# Written by `carom init`; every line may be changed.")?;
    writeln!(
        out,
        "description = {}",
        toml_string(&format!("{} {on}, {driven}", starter.robot))
    )?;
    writeln!(out, "time_step = 1e-3    # s")?;
    writeln!(out, "duration = 3.0      # s")?;
    writeln!(out, "\n[robot]")?;
    writeln!(
        out,
        "file = {}",
        toml_string(&entry.file.display().to_string())
    )?;
    let word = match model.base() {
        Base::Fixed => "fixed",
        Base::Planar => "planar",
        Base::Floating => "floating",
    };
    let why = starter
        .base_reason
        .map_or(String::new(), |reason| format!("    # {reason}"));
    writeln!(out, "base = \"{word}\"{why}")?;
    match entry.mimic {
        Mimic::Coupled => {}
        Mimic::Free => writeln!(out, "mimic = \"free\"")?,
        Mimic::Fixed => writeln!(out, "mimic = \"fixed\"")?,
    }
    if !entry.packages.is_empty() {
        let packages = entry.packages.iter();
        let pairs: Vec<String> = packages
            .map(|(name, folder)| {
                format!(
                    "{} = {}",
                    toml_key(name),
                    toml_string(&folder.display().to_string())
                )
            })
            .collect();
        writeln!(out, "packages = {{ {} }}", pairs.join(", "))?;
    }
    if !entry.arguments.is_empty() {
        let pairs: Vec<String> = (entry.arguments.iter())
            .map(|(name, value)| format!("{} = {}", toml_key(name), toml_string(value)))
            .collect();
        writeln!(out, "arguments = {{ {} }}", pairs.join(", "))?;
    }
    if entry.allow_env {
        writeln!(out, "allow_env = true")?;
    }
    for (name, joint) in &entry.joint {
        if let Some(armature) = joint.armature {
            writeln!(
                out,
                "joint.{}.armature = {}    # it would move without inertia",
                toml_key(name),
                number(armature)
            )?;
        }
    }
    write_initial(out, model, pose)?;
    write_contacts(out, starter, pose, sites)?;
    if let Some((legs, gait)) = walk {
        walking::write(out, model, gains, legs, gait, &pose.q)?;
        return walking::write_locomotion(out, legs);
    }
    if gains.is_empty() {
        return writeln!(out, "\n[controller]\nkind = \"none\"");
    }
    writeln!(out, "\n[controller]")?;
    writeln!(
        out,
        "kind = \"servo\"    # each joint is held where it starts; `target` says where else"
    )?;
    writeln!(out, "joint = [")?;
    let width = gains
        .iter()
        .map(|gain| toml_string(&gain.name).len() + 1)
        .max()
        .unwrap_or(0);
    for gain in gains {
        writeln!(
            out,
            "    {{ name = {:width$} stiffness = {}, damping = {} }},",
            toml_string(&gain.name) + ",",
            number(gain.stiffness),
            number(gain.damping)
        )?;
    }
    writeln!(out, "]")
}

/// Half of the last digit of distances that are written \[m\]: what is less counts as none.
const SHOWN: f64 = 5e-4;

fn write_initial(out: &mut String, model: &Model, pose: &Pose) -> std::fmt::Result {
    let stands = match pose.margin {
        None => String::new(),
        Some(margin) if margin >= SHOWN => format!(
            "    # the lowest site touches; the centre of mass is {margin:.3} m inside of what does"
        ),
        Some(margin) if margin > -SHOWN => {
            "    # the lowest site touches; the centre of mass is above the edge of what does"
                .to_string()
        }
        Some(margin) => format!(
            "    # the lowest site touches; the centre of mass is {:.3} m outside of what does: it tips",
            -margin
        ),
    };
    match model.base() {
        Base::Fixed => {}
        Base::Planar => {
            writeln!(out, "\n[initial.base]\nz = {}{stands}", number(pose.q[1]))?;
        }
        Base::Floating => writeln!(
            out,
            "\n[initial.base]\nposition = [0.0, 0.0, {}]{stands}",
            number(pose.q[2])
        )?,
    }
    let names: Vec<String> = joints(model).map(|body| toml_key(&body.joint)).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    if width > 0 {
        writeln!(out, "\n[initial.joints]    # rad or m; limits beside")?;
    }
    for (body, name) in joints(model).zip(names) {
        let limits = match body.limits.position {
            Some((low, high)) => format!("    # {} to {}", brief(low), brief(high)),
            None => String::new(),
        };
        writeln!(
            out,
            "{name:width$} = {}{limits}",
            number(pose.q[body.q_index])
        )?;
    }
    Ok(())
}

fn write_contacts(
    out: &mut String,
    starter: &Starter,
    pose: &Pose,
    sites: &[SiteEntry],
) -> std::fmt::Result {
    writeln!(out, "\n[impact]")?;
    writeln!(
        out,
        "law = \"max-dissipation\"    # propagative, plastic, stronge, routh, ...: see `carom impact --help`"
    )?;
    writeln!(out, "\n[contact]")?;
    writeln!(out, "friction = {}", number(FRICTION))?;
    writeln!(out, "restitution = 0.0")?;
    let from: Vec<String> = (starter.sites.iter())
        .map(|(kind, count)| format!("{count} \"{kind}\""))
        .collect();
    let from = if from.is_empty() {
        "none".to_string()
    } else {
        from.join(", ")
    };
    writeln!(
        out,
        "# Sites come from the collision shapes: {from}. To choose kinds: collisions = [\"sphere\", \"box\"]"
    )?;
    if !sites.is_empty() {
        writeln!(
            out,
            "# There are none: these are points of the shapes that are drawn. Legs that roll want arcs (kind = \"arc\")."
        )?;
    }
    for site in sites {
        let points: Vec<String> = (site.points.iter().flatten())
            .map(|[x, y, z]| format!("[{}, {}, {}]", number(*x), number(*y), number(*z)))
            .collect();
        let (name, link) = (toml_string(&site.name), toml_string(&site.link));
        writeln!(
            out,
            "[[contact.site]]\nname = {name}\nlink = {link}\nkind = \"hull\""
        )?;
        writeln!(out, "points = [{}]\n", points.join(", "))?;
    }
    writeln!(out, "\n[[terrain]]")?;
    writeln!(out, "kind = \"plane\"\nname = \"ground\"")?;
    if pose.ground != 0.0 {
        writeln!(
            out,
            "point = [0.0, 0.0, {}]    # below the lowest site",
            number(pose.ground)
        )?;
    }
    Ok(())
}

/// A number as TOML reads it back: a float stays one.
pub(super) fn number(x: f64) -> String {
    toml::Value::Float(x).to_string()
}

fn brief(x: f64) -> String {
    if x.is_finite() {
        format!("{x:.3}")
    } else {
        "unbounded".to_string()
    }
}
