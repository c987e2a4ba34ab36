//! Pictures of a sampled set of outcomes in planes of contact velocities ([HP] Figs. 9 to 14).

use std::error::Error;

use carom::impact::routh::PostImpactSet;
use carom::impact::sequential::ImpactSequence;
use carom::impact::{AnitescuPotra, ImpactLaw, ImpactProblem, Sequential};

use super::super::figure::plane_figure::{Layer, PlaneFigure, Shape};

/// Samples drawn as dots; the hull is that of all.
const DOTS: usize = 3000;
/// Distance of samples that count as one in the growth of a net, in units of the impact.
const NETS: [f64; 3] = [0.1, 0.03, 0.01];
const LARGEST_NET: usize = 1500;
/// Contacts beyond this are not paired with each other.
const MOST_PAIRED: usize = 6;

/// Outcomes that other laws of the paper give, in contact velocities.
struct Others {
    simultaneous: Vec<Vec<f64>>,
    sequential: Vec<Vec<f64>>,
}

/// File names and SVG texts: normal velocities of every pair of contacts, normal and tangential velocity of
/// every contact with friction, growth of ε-nets.
pub fn draw(
    problem: &ImpactProblem,
    set: &PostImpactSet,
) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let space = problem.contact_space();
    let names: Vec<String> = problem.names().iter().map(|n| safe(n)).collect();
    let others = Others::new(problem);
    let mut plots = Vec::new();
    let paired = space.len().min(MOST_PAIRED);
    for (i, a) in space.contacts.iter().enumerate().take(paired) {
        for (j, b) in space.contacts.iter().enumerate().take(paired).skip(i + 1) {
            let axes = [&problem.names()[i], &problem.names()[j]]
                .map(|name| format!("normal velocity of {name} (m/s)"));
            plots.push((
                format!("normal_{}_{}.svg", names[i], names[j]),
                plane(problem, set, &others, [a.normal, b.normal], axes)?,
            ));
        }
    }
    for (i, contact) in space.contacts.iter().enumerate() {
        for (t, row) in contact.tangent_rows().enumerate() {
            let name = &problem.names()[i];
            let (mark, words) = match contact.tangents {
                1 => (String::new(), "sliding velocity"),
                _ => (
                    (t + 1).to_string(),
                    ["first sliding velocity", "second sliding velocity"][t],
                ),
            };
            let axes = [
                format!("{words} of {name} (m/s)"),
                format!("normal velocity of {name} (m/s)"),
            ];
            plots.push((
                format!("contact_{}{}.svg", names[i], mark),
                plane(problem, set, &others, [row, contact.normal], axes)?,
            ));
        }
    }
    plots.push(("net.svg".to_string(), nets(set)?));
    Ok(plots)
}

fn safe(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    name.chars().map(plain).collect()
}

impl Others {
    fn new(problem: &ImpactProblem) -> Self {
        let velocities = |law: &mut dyn ImpactLaw| -> Vec<Vec<f64>> {
            let resolution = law.resolve(problem);
            let outcomes = resolution.map(|r| r.outcomes).unwrap_or_default();
            outcomes
                .iter()
                .filter(|o| o.status == carom::impact::ImpactStatus::Resolved)
                .map(|o| (problem.rows() * &o.velocity).as_slice().to_vec())
                .collect()
        };
        Self {
            simultaneous: velocities(&mut AnitescuPotra::all_solutions()),
            sequential: velocities(&mut Sequential::in_sequence(ImpactSequence::All)),
        }
    }
}

fn plane(
    problem: &ImpactProblem,
    set: &PostImpactSet,
    others: &Others,
    rows: [usize; 2],
    axes: [String; 2],
) -> Result<String, Box<dyn Error>> {
    let at = |v: &[f64]| rows.map(|row| v[row]);
    let every = set.in_set().div_ceil(DOTS).max(1);
    let dots = set.members().step_by(every).map(|(_, v)| at(v)).collect();
    let hull = set.hull(rows[0], rows[1]);
    let all = |list: &[Vec<f64>]| list.iter().map(|v| at(v)).collect::<Vec<_>>();
    let before = at(problem.contact_space().velocity.as_slice());
    let mut layers = vec![
        Layer::named("convex hull of the set", 0, Shape::Outline, hull.vertices),
        Layer::named("samples", 0, Shape::Dots, dots),
        Layer::named("before the impact", 6, Shape::Crosses, vec![before]),
        Layer::named("simultaneous", 1, Shape::Squares, all(&others.simultaneous)),
        Layer::named("sequential", 2, Shape::Triangles, all(&others.sequential)),
    ];
    layers.retain(|layer| !layer.points.is_empty());
    PlaneFigure {
        title: format!("Velocities after the impact, {} samples", set.len()),
        axes,
        equal: false,
        layers,
        notes: Vec::new(),
    }
    .draw()
}

/// Size of ε-nets over the number of samples, both to base 2.
fn nets(set: &PostImpactSet) -> Result<String, Box<dyn Error>> {
    let layers = NETS
        .iter()
        .enumerate()
        .map(|(i, epsilon)| {
            let points = set
                .net_growth(*epsilon, LARGEST_NET)
                .iter()
                .map(|n| [n.samples, n.points].map(|x| (x.max(1) as f64).log2()))
                .collect();
            Layer::named(&format!("epsilon = {epsilon}"), i, Shape::Line, points)
        })
        .collect();
    PlaneFigure {
        title: "Growth of epsilon-nets: level once the set is covered".to_string(),
        axes: [
            "samples (log2)".to_string(),
            "points of the net (log2)".to_string(),
        ],
        equal: false,
        layers,
        notes: Vec::new(),
    }
    .draw()
}
