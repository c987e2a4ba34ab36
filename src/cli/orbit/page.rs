//! `orbit.html`: pictures and numbers of an orbit or a branch in one file.

use std::path::Path;

use carom::files::OutputFileError;
use carom::study::orbit::{Basin, BasinEnd, FoundOrbits, Orbit, Scan};
use serde::Serialize;

use super::pictures::Picture;
use super::report::{bifurcation_word, kind, stability};
use carom::views::page::{PageParts, write_page};

const PARTS: PageParts = PageParts {
    style: include_str!("page/style.css"),
    body: include_str!("page/body.html"),
    scripts: &[include_str!("page/main.js")],
};

/// What the page shows.
#[derive(Serialize, Default)]
pub struct OrbitPage {
    lead: String,
    /// The replay beside the page.
    pub replay: Option<&'static str>,
    facts: Vec<[String; 2]>,
    figures: Vec<Shown>,
    tables: Vec<Rows>,
}

#[derive(Serialize)]
struct Shown {
    name: String,
    svg: String,
}

#[derive(Serialize)]
struct Rows {
    title: &'static str,
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl OrbitPage {
    /// A page about a scenario with this description.
    pub fn new(description: &str) -> Self {
        Self {
            lead: description.to_string(),
            ..Self::default()
        }
    }

    /// Pictures that stand beside the page as files too.
    pub fn show(&mut self, pictures: &[Picture]) {
        let shown = pictures.iter().map(|(name, svg)| Shown {
            name: name.clone(),
            svg: svg.clone(),
        });
        self.figures.extend(shown);
    }

    /// One orbit in numbers.
    pub fn orbit(&mut self, orbit: &Orbit) {
        let mut facts = vec![
            ["status".to_string(), orbit.status.to_string()],
            ["period".to_string(), format!("{:.9} s", orbit.period_s)],
            ["stability".to_string(), stability(orbit).to_string()],
            ["return map".to_string(), kind(orbit).to_string()],
        ];
        let energy = format!(
            "{:.6} J lost in impacts, {:.6} J supplied",
            orbit.energy_lost_J, orbit.energy_supplied_J
        );
        facts.push(["energy".to_string(), energy]);
        if let Some(cost) = orbit.cost_of_transport {
            facts.push(["cost of transport".to_string(), format!("{cost:.9}")]);
        }
        self.facts.extend(facts);
        let multipliers = orbit.multipliers.iter().map(|[re, im]| {
            let parts = [*re, *im, re.hypot(*im)].map(|x| format!("{x:.9}"));
            parts.to_vec()
        });
        self.tables.push(Rows {
            title: "Multipliers",
            head: vec!["real part", "imaginary part", "modulus"],
            rows: multipliers.collect(),
        });
        let point = orbit.section_point.iter();
        self.tables.push(Rows {
            title: "Point on the section",
            head: vec!["coordinate", "value"],
            rows: point
                .map(|(name, x)| vec![name.clone(), x.to_string()])
                .collect(),
        });
        let events = orbit.events.iter().map(|event| {
            vec![
                format!("{:.9}", event.time_s),
                event.kind.to_string(),
                event.contacts.join(", "),
                event.unique.map_or(String::new(), |v| v.word().to_string()),
            ]
        });
        self.tables.push(Rows {
            title: "Events in a period",
            head: vec!["time s", "kind", "contacts", "one outcome"],
            rows: events.collect(),
        });
    }

    /// A branch in numbers.
    pub fn branch(&mut self, scan: &Scan) {
        self.facts.push(["parameter".to_string(), scan.key.clone()]);
        self.facts.push([
            "orbits at values asked for".to_string(),
            scan.points.len().to_string(),
        ]);
        if let Some((at, reason)) = &scan.ended {
            self.facts
                .push(["ends".to_string(), format!("at {at}: {reason}")]);
        }
        let found = scan.bifurcations.iter().map(|b| {
            vec![
                bifurcation_word(b.kind).to_string(),
                format!("{:.9}", b.parameter),
                format!("{:.0e}", b.within),
                format!("{:.6} {:+.6} i", b.multiplier[0], b.multiplier[1]),
                format!("{:.9}", b.period_s),
                b.branch.to_string(),
            ]
        });
        self.tables.push(Rows {
            title: "Folds and bifurcations",
            head: vec![
                "what",
                "parameter",
                "within",
                "multiplier",
                "period s",
                "branch",
            ],
            rows: found.collect(),
        });
        let changes = scan.changes.iter().map(|c| {
            vec![
                format!("{:.9}", c.parameter),
                format!("{:.0e}", c.within),
                c.before.clone(),
                c.after.clone(),
            ]
        });
        self.tables.push(Rows {
            title: "Changes of kind",
            head: vec!["parameter", "within", "before", "after"],
            rows: changes.collect(),
        });
    }

    /// Orbits of many starts.
    pub fn orbits(&mut self, found: &FoundOrbits) {
        self.facts
            .push(["starts".to_string(), found.starts.to_string()]);
        self.facts
            .push(["seed".to_string(), found.seed.to_string()]);
        let rows = found.orbits.iter().enumerate().map(|(k, found)| {
            let orbit = &found.orbit;
            let largest = orbit.largest_multiplier();
            vec![
                k.to_string(),
                found.starts.to_string(),
                format!("{:.9}", orbit.period_s),
                largest.map_or("-".to_string(), |x| format!("{x:.9}")),
                stability(orbit).to_string(),
                kind(orbit).to_string(),
            ]
        });
        self.tables.push(Rows {
            title: "Orbits",
            head: vec![
                "orbit",
                "starts",
                "period s",
                "largest modulus",
                "stability",
                "return map",
            ],
            rows: rows.collect(),
        });
    }

    /// Where motions from a grid go.
    pub fn basin(&mut self, basin: &Basin) {
        let count = |wanted: BasinEnd| basin.ends.iter().filter(|end| **end == wanted).count();
        let falls = format!("{} of {}", count(BasinEnd::Falls), basin.ends.len());
        self.facts.push(["motions that fall".to_string(), falls]);
    }

    /// Writes the page.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&self, path: &Path, title: &str) -> Result<(), OutputFileError> {
        write_page(path, title, &PARTS, self)
    }
}
