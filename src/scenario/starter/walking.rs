//! The controller of a starter scenario that walks, as a text with comments.

use std::fmt::Write;

use super::gains::JointGain;
use super::gait::{DUTY_FACTOR, Gait, OFFSET, SWEEP, Turn, Wave, phases};
use super::legs::Leg;
use super::text::number;
use crate::files::toml_string;
use crate::model::Model;

/// The table `[controller]`.
pub(super) fn write(
    out: &mut String,
    model: &Model,
    gains: &[JointGain],
    legs: &[Leg],
    gait: &Gait,
    q: &[f64],
) -> std::fmt::Result {
    match gait {
        Gait::Waves { period, waves } => write_waves(out, model, gains, (legs, waves), *period, q),
        Gait::Clock { period, turns } => write_clock(out, model, gains, (legs, turns), *period),
    }
}

fn write_waves(
    out: &mut String,
    model: &Model,
    gains: &[JointGain],
    (legs, waves): (&[Leg], &[Wave]),
    period: f64,
    q: &[f64],
) -> std::fmt::Result {
    writeln!(
        out,
        "\n# A gait of sines: each foot goes to and fro and up and down in {period} s."
    )?;
    writeln!(
        out,
        "#   faster: the same larger frequency_Hz everywhere    longer steps: larger amplitude (rad) of hips and knees"
    )?;
    writeln!(
        out,
        "#   another gait: add 2 pi times a leg's share of the stride to the phases of its joints. Shares now:"
    )?;
    for (leg, phase) in legs.iter().zip(phases(legs)) {
        writeln!(out, "#     {:20} {phase}", leg.name)?;
    }
    writeln!(out, "[controller]\nkind = \"servo\"\njoint = [")?;
    for gain in gains {
        let body = model
            .bodies()
            .iter()
            .position(|body| body.joint == gain.name);
        let wave = waves.iter().find(|wave| Some(wave.joint) == body);
        let target = match (wave, body) {
            (Some(wave), _) => format!(
                "{{ sine = {{ mean = {}, amplitude = {}, frequency_Hz = {}, phase = {} }} }}",
                number(wave.mean),
                number(wave.amplitude),
                number((1e4 / period).round() / 1e4),
                number(wave.phase)
            ),
            (None, Some(body)) => number(q[model.bodies()[body].q_index]),
            (None, None) => continue,
        };
        writeln!(
            out,
            "    {{ name = {}, stiffness = {}, damping = {}, target = {target} }},{}",
            toml_string(&gain.name),
            number(gain.stiffness),
            number(gain.damping),
            wave.map_or(String::new(), |wave| format!(
                "    # {}",
                legs[wave.leg].name
            ))
        )?;
    }
    writeln!(out, "]")
}

fn write_clock(
    out: &mut String,
    model: &Model,
    gains: &[JointGain],
    (legs, turns): (&[Leg], &[Turn]),
    period: f64,
) -> std::fmt::Result {
    let of = |turn: &Turn| {
        gains
            .iter()
            .find(|gain| gain.name == model.bodies()[turn.joint].joint)
    };
    let largest =
        |value: fn(&JointGain) -> f64| turns.iter().filter_map(of).map(value).fold(0.0, f64::max);
    writeln!(
        out,
        "\n# Legs that turn round by a Buehler clock: slowly while they are on the ground, fast around."
    )?;
    writeln!(out, "[controller]\nkind = \"gait\"")?;
    writeln!(
        out,
        "stiffness = {}",
        number(largest(|gain| gain.stiffness))
    )?;
    writeln!(out, "damping = {}", number(largest(|gain| gain.damping)))?;
    writeln!(out, "start = 0.5    # s; it stands before")?;
    writeln!(
        out,
        "\n[controller.gait]    # a name (\"tripod\") or a file takes the place of this table"
    )?;
    writeln!(out, "period = {}    # s, of a stride", number(period))?;
    writeln!(
        out,
        "duty_factor = {DUTY_FACTOR}    # share of the stride on the ground; more is slower and safer"
    )?;
    writeln!(
        out,
        "sweep = {SWEEP}    # rad, turned through on the ground: the length of a step"
    )?;
    writeln!(
        out,
        "offset = {OFFSET}    # rad, in the middle of that; positive points to the rear"
    )?;
    writeln!(
        out,
        "leg = [    # phase: the share of the stride that a leg is ahead"
    )?;
    for (leg, phase) in legs.iter().zip(phases(legs)) {
        writeln!(
            out,
            "    {{ name = {}, phase = {} }},",
            toml_string(&leg.name),
            number(phase)
        )?;
    }
    writeln!(out, "]\n")?;
    for turn in turns {
        writeln!(
            out,
            "[[controller.leg]]\nname = {}\njoint = {}\ndirection = {}    # -1 where a negative turn walks forwards\nzero = {}    # rad, where the leg points straight down",
            toml_string(&legs[turn.leg].name),
            toml_string(&model.bodies()[turn.joint].joint),
            number(turn.direction),
            number(turn.zero)
        )?;
    }
    Ok(())
}

/// The table `[locomotion]`.
pub(super) fn write_locomotion(out: &mut String, legs: &[Leg]) -> std::fmt::Result {
    let places = || legs.iter().map(|leg| leg.hip.x);
    let spread =
        places().fold(f64::NEG_INFINITY, f64::max) - places().fold(f64::INFINITY, f64::min);
    let heights = legs.iter().map(|leg| leg.hip.z.abs());
    let length = spread.max(heights.fold(0.1, f64::max));
    let names: Vec<String> = legs.iter().map(|leg| toml_string(&leg.name)).collect();
    writeln!(
        out,
        "\n[locomotion]    # speed, steps and cost of transport in the report"
    )?;
    writeln!(
        out,
        "body_length = {}    # m",
        number((1e3 * length).round() / 1e3)
    )?;
    writeln!(out, "legs = [{}]", names.join(", "))
}
