//! The kernels of the LCP laws allocate nothing once they have seen a problem of the size.

use carom::impact::examples::{compass_gait, disk_stack, ramone, rocking_block};
use carom::impact::routh::RouthSettings;
use carom::impact::{AnitescuPotra, ImpactLaw, Routh, Sequential};
use nalgebra::DVector;

use crate::counting::allocations;

#[test]
fn impulses_allocate_nothing_after_warm_up() {
    let examples = [disk_stack(1.0), rocking_block(), compass_gait(), ramone()].map(Result::unwrap);
    let routh = Routh::new(RouthSettings {
        step: Some(0.3),
        ..RouthSettings::default()
    })
    .unwrap();
    let laws: [Box<dyn ImpactLaw>; 3] = [
        Box::new(routh),
        Box::<AnitescuPotra>::default(),
        Box::<Sequential>::default(),
    ];
    for mut law in laws {
        // The first round meets the largest problem first; the second must not allocate.
        for round in 0..2 {
            for example in &examples {
                let space = example.problem.contact_space();
                let mut impulse = DVector::zeros(space.rows());
                let before = allocations();
                for _ in 0..20 {
                    law.impulse(space, &mut impulse).unwrap();
                }
                let count = allocations() - before;
                assert!(
                    round == 0 || count == 0,
                    "{} {}: {count}",
                    law.name(),
                    example.name
                );
            }
        }
    }
}
