//! The kernels of the LCP laws allocate nothing once they have seen a problem of the size.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use carom::impact::{
    AnitescuPotra, ImpactLaw, Routh, RouthSettings, Sequential, compass_gait, disk_stack, ramone,
    rocking_block,
};
use nalgebra::DVector;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: forwards to the system allocator; the counter is a plain cell of the thread.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn impulses_allocate_nothing_after_warm_up() {
    let examples = [disk_stack(1.0), rocking_block(), compass_gait(), ramone()].map(Result::unwrap);
    let routh = Routh::new(RouthSettings {
        step: Some(0.3),
        ..RouthSettings::default()
    });
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
                let before = ALLOCATIONS.with(Cell::get);
                for _ in 0..20 {
                    law.impulse(space, &mut impulse).unwrap();
                }
                let count = ALLOCATIONS.with(Cell::get) - before;
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
