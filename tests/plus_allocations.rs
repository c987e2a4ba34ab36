//! The kernel of the law `plus` allocates nothing once it has seen a problem of the size.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use carom::impact::{Contact, ImpactLaw, ImpactProblem, Plus, PreImpact};
use nalgebra::{DMatrix, DVector};

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
fn a_second_impulse_allocates_nothing() {
    // Two feet of a planar body, one of them in impending slip, struck from every side.
    let foot = |name: &str, x: f64| {
        Contact::new(name, DVector::from_column_slice(&[0.0, 1.0, x]))
            .with_friction(vec![DVector::from_column_slice(&[1.0, 0.0, 0.6])], 0.3)
            .with_restitution(0.4)
    };
    let contacts = [foot("left", -0.5), foot("right", 0.5)];
    let mut law = Plus::default();
    let mut impulse = DVector::zeros(4);
    let mut counted = Vec::new();
    for direction in 0..16 {
        let (s, c) = (0.4 * f64::from(direction)).sin_cos();
        let problem = ImpactProblem::new(
            DMatrix::from_diagonal(&DVector::from_column_slice(&[1.0, 1.0, 0.1])),
            PreImpact::Velocity(DVector::from_column_slice(&[c, -1.0, 3.0 * s])),
            &contacts,
        )
        .unwrap();
        let before = ALLOCATIONS.with(Cell::get);
        law.impulse(problem.contact_space(), &mut impulse).unwrap();
        counted.push(ALLOCATIONS.with(Cell::get) - before);
    }
    assert!(counted[0] > 0, "the counter counts");
    assert!(counted[1..].iter().all(|&n| n == 0), "{counted:?}");
}
