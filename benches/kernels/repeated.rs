//! Kernels run a given number of times.

use std::hint::black_box;

use carom::discrete::linearization::{HeldDerivatives, StepDerivatives};
use carom::impact::examples::box_and_wall;
use carom::impact::propagative::EnumerationBudget;
use carom::impact::routh::RouthSettings;
use carom::impact::{
    AnitescuPotra, ContactSpace, ImpactLaw, MaxDissipation, Plus, Propagative, Routh, Stronge,
    verdict,
};
use nalgebra::DVector;

use crate::impact_cases::{
    brick_vertex, cradle, seven_contacts, three_coulomb_solutions, two_polyhedra,
};
use crate::run_cases::{RowCase, RunCase, StrikeCase};
use crate::step_cases::{FreeCase, StandingCase, falling_chain, falling_hexapod, falling_trex};

pub const NAMES: [&str; 24] = [
    "step/chain/8",
    "step/chain/64",
    "step/hexapod/free",
    "step/hexapod/standing",
    "step/trex",
    "derivatives/chain/8",
    "derivatives/hexapod/standing",
    "impact/propagative/2",
    "impact/enumerate/seven",
    "impact/stronge",
    "impact/max-dissipation",
    "impact/plus",
    "impact/routh/box_wall",
    "impact/anitescu-potra/box_wall",
    "run/tripod",
    "run/collapse",
    "run/dry",
    "run/humanoid",
    "run/self",
    "run/bump",
    "run/stairs",
    "run/objects",
    "event/locate",
    "series/row",
];

/// Length of the runs [s], shorter than those of the benchmarks: feet strike, are held and slide.
const RUN: f64 = 0.1;

/// Whether there is a kernel of this name.
pub fn repeat(name: &str, count: usize) -> bool {
    let corner = || box_and_wall().expect("fixed numbers");
    match name {
        "step/chain/8" => solve(falling_chain(8), count),
        "step/chain/64" => solve(falling_chain(64), count),
        "step/hexapod/free" => solve(falling_hexapod(), count),
        "step/hexapod/standing" => {
            let mut case = StandingCase::new();
            for _ in 0..10 {
                case.advance();
            }
            counted(count, || {
                black_box(&mut case).advance();
            });
        }
        "step/trex" => solve(falling_trex(), count),
        "derivatives/chain/8" => {
            let mut case = falling_chain(8);
            case.step();
            let mut derivatives = StepDerivatives::new(&case.model);
            counted(count, || {
                black_box(&case).differentiate(&mut derivatives);
            });
        }
        "derivatives/hexapod/standing" => {
            let case = StandingCase::settled();
            let mut derivatives = HeldDerivatives::new(&case.model);
            counted(count, || {
                black_box(&case).differentiate(&mut derivatives);
            });
        }
        "impact/propagative/2" => resolve(
            Propagative::default(),
            cradle(2, |_| 1.0).contact_space(),
            count,
        ),
        "impact/enumerate/seven" => {
            let problem = seven_contacts();
            let norm = problem.kinetic_norm(problem.momentum());
            let budget = EnumerationBudget::default();
            counted(count, || {
                let found = verdict(black_box(problem.contact_space()), norm, &budget);
                black_box(found.expect("a valid problem"));
            });
        }
        "impact/stronge" => resolve(Stronge::default(), &two_polyhedra(), count),
        "impact/max-dissipation" => {
            resolve(MaxDissipation::default(), &three_coulomb_solutions(), count);
        }
        "impact/plus" => resolve(Plus::default(), &brick_vertex(), count),
        "impact/routh/box_wall" => {
            let example = corner();
            let law = Routh::new(RouthSettings {
                step: Some(example.step),
                max_steps: example.max_steps,
                ..RouthSettings::default()
            })
            .expect("in range");
            resolve(law, example.problem.contact_space(), count);
        }
        "impact/anitescu-potra/box_wall" => {
            let law = AnitescuPotra::default();
            resolve(law, corner().problem.contact_space(), count);
        }
        "run/tripod" => {
            // It walks at once.
            let early = ["start=0", "shift=0.01", "ramp=0.02"].map(|x| format!("controller.{x}"));
            let early = early.each_ref().map(String::as_str);
            go(&RunCase::new("robots/rhex/tripod.toml", &early, RUN), count);
        }
        "run/collapse" => go(&RunCase::collapse(RUN), count),
        "run/dry" => go(&RunCase::dry(RUN), count),
        "run/humanoid" => go(&RunCase::humanoid(RUN), count),
        "run/self" => go(&RunCase::own_links(RUN), count),
        "run/bump" => go(&RunCase::bump(RUN), count),
        "run/stairs" => go(&RunCase::stairs(RUN), count),
        "run/objects" => go(&RunCase::objects(RUN), count),
        "event/locate" => {
            let case = StrikeCase::new();
            counted(count, || case.strike(&mut black_box(&case).before()));
        }
        "series/row" => {
            let mut case = RowCase::standing();
            counted(count, || {
                black_box(black_box(&mut case).write());
            });
        }
        _ => return false,
    }
    true
}

fn go(case: &RunCase, count: usize) {
    counted(count, || {
        black_box(black_box(case).run());
    });
}

fn solve(mut case: FreeCase, count: usize) {
    counted(count, || {
        black_box(&mut case).step();
    });
}

fn resolve(mut law: impl ImpactLaw, space: &ContactSpace, count: usize) {
    let mut impulse = DVector::zeros(space.rows());
    counted(count, || {
        law.impulse(black_box(space), &mut impulse)
            .expect("a valid problem");
    });
}

/// What is counted: by its name, within which valgrind counts.
#[inline(never)]
fn counted(count: usize, mut kernel: impl FnMut()) {
    for _ in 0..count {
        kernel();
    }
}
