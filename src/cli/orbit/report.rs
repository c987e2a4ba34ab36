//! What `carom orbit` prints.

use std::fmt::Write;

use carom::study::orbit::{BifurcationKind, Differentiability, FoundOrbits, Orbit, Scan};

use crate::cli::terminal::text::table;

/// A branch as a table, and what happens on it.
pub fn branch(answer: &Scan) -> String {
    let mut rows = vec![
        [
            "branch",
            "parameter",
            "period s",
            "largest multiplier",
            "modulus",
            "return map",
        ]
        .map(str::to_string)
        .to_vec(),
    ];
    for point in &answer.points {
        let orbit = &point.orbit;
        let (multiplier, modulus) = match orbit.multipliers.first() {
            Some([re, im]) => (
                format!("{re:.9} {im:+.9} i"),
                format!("{:.9}", re.hypot(*im)),
            ),
            None => ("-".to_string(), "-".to_string()),
        };
        let parameter = format!("{}", point.parameter);
        rows.push(vec![
            point.branch.to_string(),
            parameter,
            format!("{:.9}", orbit.period_s),
            multiplier,
            modulus,
            kind(orbit).to_string(),
        ]);
    }
    let mut text = table(&rows);
    for found in &answer.bifurcations {
        let what = bifurcation_word(found.kind);
        text += &format!(
            "{what} at {} = {:.9} (within {:.0e}), period {:.9} s\n",
            answer.key, found.parameter, found.within, found.period_s
        );
    }
    for change in &answer.changes {
        text += &format!(
            "change at {} = {:.9} (within {:.0e}): {} becomes {}\n",
            answer.key, change.parameter, change.within, change.before, change.after
        );
    }
    text
}

/// The orbits of many starts as a table.
pub fn orbits(answer: &FoundOrbits) -> String {
    let head = [
        "orbit",
        "starts",
        "period s",
        "largest modulus",
        "stability",
        "return map",
    ];
    let mut rows = vec![head.map(str::to_string).to_vec()];
    for (k, found) in answer.orbits.iter().enumerate() {
        let orbit = &found.orbit;
        let modulus = orbit.largest_multiplier();
        rows.push(vec![
            k.to_string(),
            found.starts.to_string(),
            format!("{:.9}", orbit.period_s),
            modulus.map_or("-".to_string(), |x| format!("{x:.9}")),
            stability(orbit).to_string(),
            kind(orbit).to_string(),
        ]);
    }
    let mut text = table(&rows);
    for (k, found) in answer.orbits.iter().enumerate() {
        let point = found.orbit.section_point.iter();
        let point: Vec<String> = point.map(|(name, x)| format!("{name} = {x:.9}")).collect();
        text += &format!("orbit {k} at {}\n", point.join(", "));
    }
    text += &format!(
        "of {} starts {} did not converge, {} did not come back to the section\n",
        answer.starts, answer.not_converged, answer.not_returned
    );
    text
}

/// What happens at a bifurcation.
pub fn bifurcation_word(kind: BifurcationKind) -> &'static str {
    match kind {
        BifurcationKind::PeriodDoubling => "period doubling",
        BifurcationKind::Fold => "fold",
        BifurcationKind::BranchPoint => "branch point, a multiplier passes 1",
        BifurcationKind::NeimarkSacker => "Neimark-Sacker",
        _ => "another bifurcation",
    }
}

/// What is known of its stability, in words.
pub fn stability(orbit: &Orbit) -> &'static str {
    match orbit.stable {
        Some(true) => "stable",
        Some(false) => "unstable",
        None => "not decided",
    }
}

/// The word of its differentiability.
pub fn kind(orbit: &Orbit) -> &'static str {
    orbit.differentiability.map_or("", Differentiability::word)
}

/// One orbit in lines.
pub fn report(orbit: &Orbit) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = lines(&mut text, orbit);
    text
}

fn lines(out: &mut String, orbit: &Orbit) -> std::fmt::Result {
    writeln!(
        out,
        "status            {} after {} Newton iterations; a return differs by {:.1e}",
        orbit.status, orbit.iterations, orbit.residual
    )?;
    writeln!(
        out,
        "period            {} s in {} strides",
        orbit.period_s, orbit.strides
    )?;
    for (key, value) in &orbit.free {
        writeln!(out, "free              {key} = {value}")?;
    }
    for (name, way) in &orbit.advance {
        writeln!(out, "advance           {way} along {name}")?;
    }
    for (name, value) in &orbit.section_point {
        writeln!(out, "section           {name} = {value}")?;
    }
    let word = match orbit.differentiability {
        Some(Differentiability::Differentiable) => "differentiable",
        Some(Differentiability::Piecewise) => "piecewise differentiable: no multipliers",
        Some(Differentiability::Discontinuous) => {
            "discontinuous: no multipliers, and nothing is said of stability"
        }
        Some(other) => other.word(),
        None => "not looked at: this is no orbit",
    };
    writeln!(out, "return map        {word}")?;
    for [re, im] in &orbit.multipliers {
        let imaginary = if *im == 0.0 {
            String::new()
        } else {
            format!(" {im:+.9} i")
        };
        writeln!(
            out,
            "multiplier        {re:.9}{imaginary}   (modulus {:.9})",
            re.hypot(*im)
        )?;
    }
    writeln!(out, "stability         {}", stability(orbit))?;
    for strike in &orbit.simultaneous {
        writeln!(
            out,
            "at once           {} at {} s",
            strike.contacts.join(", "),
            strike.time_s
        )?;
        for order in &strike.orders {
            writeln!(
                out,
                "  {} first: {}",
                order.order.join(", "),
                order.sequence.join(" ")
            )?;
        }
        let largest = strike.jump.values().copied().fold(0.0, f64::max);
        writeln!(out, "  velocities after differ by up to {largest:.3e}")?;
    }
    writeln!(
        out,
        "energy            {} J lost in impacts, {} J supplied",
        orbit.energy_lost_J, orbit.energy_supplied_J
    )?;
    if let Some(cost) = orbit.cost_of_transport {
        writeln!(out, "cost of transport {cost}")?;
    }
    if let Some((name, depth)) = &orbit.scuffing {
        writeln!(
            out,
            "scuffing          {name} passes {depth} m below the ground where it must not strike"
        )?;
    }
    for event in &orbit.events {
        writeln!(
            out,
            "event             {:.9} s {} {}",
            event.time_s,
            event.kind,
            event.contacts.join(", ")
        )?;
    }
    Ok(())
}
