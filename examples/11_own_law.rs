//! A law of one's own: typed settings under keys that files can set, registered by name, run from a scenario and compared
//! with the laws of the library.

use std::error::Error;
use std::path::Path;

use carom::hybrid::Unwatched;
use carom::impact::settings::{NumberRange, SettingKey};
use carom::impact::verdict::Ground;
use carom::impact::{
    ContactSpace, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, ImpulseReport, LawDetails,
    LawProperties, LawSettings, Outcome, Plastic, Resolution, Uniqueness,
};
use carom::laws::{LawEntry, LawRegistry, LawSetting};
use carom::record::{Run, RunEnd};
use carom::scenario::{Experiment, Scenario};
use carom::study::{ComparedLaw, LawComparison, first_impact};
use nalgebra::DVector;
use serde::Serialize;

/// Share of the plastic impulse that comes on top of it.
#[derive(Clone)]
struct BounceSettings {
    share: f64,
}

impl Default for BounceSettings {
    fn default() -> Self {
        Self { share: 0.5 }
    }
}

impl LawSettings for BounceSettings {
    const LAW: &'static str = "bounce";
    const SUMMARY: &'static str = "bounces by a share";
    const KEYS: &'static [SettingKey<Self>] = &[SettingKey::number(
        "share",
        "share of the plastic impulse that comes on top of it",
        NumberRange::between(0.0, 1.0),
        |s| &mut s.share,
    )];
}

/// What the law reports beside the outcome.
#[derive(Debug, PartialEq, Serialize)]
struct Pushed {
    total_impulse: f64,
}

struct Bounce {
    settings: BounceSettings,
    plastic: Plastic,
}

impl Bounce {
    fn new(settings: BounceSettings) -> Result<Self, ImpactError> {
        settings.check()?;
        let plastic = Plastic::default();
        Ok(Self { settings, plastic })
    }
}

impl ImpactLaw for Bounce {
    fn name(&self) -> &'static str {
        BounceSettings::LAW
    }

    fn properties(&self) -> LawProperties {
        self.plastic.properties()
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        let report = self.plastic.impulse(space, impulse)?;
        *impulse *= 1.0 + self.settings.share;
        Ok(report)
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        let mut impulse = DVector::zeros(problem.contact_space().rows());
        self.impulse(problem.contact_space(), &mut impulse)?;
        let total_impulse = impulse.sum();
        let mut outcome = Outcome::from_impulse(problem, &impulse);
        outcome.details = LawDetails::of(Pushed { total_impulse });
        Ok(Resolution {
            law: self.name(),
            outcomes: vec![outcome],
            uniqueness: Uniqueness::unique(Ground::Function),
            certificate: None,
            status: ImpactStatus::Resolved,
            details: LawDetails::none(),
        })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut laws = LawRegistry::standard();
    laws.register(LawEntry::new(Bounce::new))?;

    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/ball/bounce.toml");
    let experiment = |share: &str| -> Result<Experiment, Box<dyn Error>> {
        let overrides = [
            "impact.law=bounce",
            "contact.restitution=0",
            &format!("impact.parameters.share={share}"),
        ];
        let scenario = Scenario::read(&file, &overrides.map(str::to_string))?;
        Ok(Experiment::with_laws("ball/bounce.toml", scenario, &laws)?)
    };
    let bouncing = experiment("0.8")?;
    let mut run = Run::new(&bouncing)?;
    assert_eq!(run.advance(1000, &mut Unwatched)?, RunEnd::Reached);
    let height = run.simulation().state().q[2];
    println!("share 0.8: the ball is at {height:.4} m after a thousand steps");

    let impact = first_impact(&bouncing)?;
    let share = LawSetting {
        written: "share".to_string(),
        name: "share".to_string(),
        value: "0.8".to_string(),
    };
    for entry in LawComparison::of_impact(&laws, &[share], "first impact", &impact)?.laws {
        if let ComparedLaw::Applied { answer, .. } = entry {
            let outcome = &answer.outcomes[0];
            let details = outcome.details.get::<Pushed>();
            let energy = outcome.kinetic_energy;
            println!(
                "{:16} leaves {:.3} of the energy {details:?}",
                answer.law,
                energy.after / energy.before
            );
        }
    }
    for share in ["2", "a lot"] {
        if let Err(error) = experiment(share) {
            println!("refused: {error}");
        }
    }
    Ok(())
}
