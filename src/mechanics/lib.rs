//! The mechanics of Carom: robots, the variational integrator, contacts and friction, impact laws, simulations, design.
//!
//! A package of its own, so that what is computed and what files and people need are compiled apart. Users see its rooms
//! as those of `carom`, whose page is the map. What the other rooms of `carom` need of the inside of these is public and
//! hidden from the documentation; it is no interface.

pub mod bibliography;
#[cfg(feature = "studies")]
pub mod comparison;
pub mod contact;
pub mod control;
#[cfg(feature = "studies")]
pub mod design;
pub mod discrete;
pub mod dynamics;
pub mod files;
pub mod friction;
pub mod hybrid;
pub mod impact;
pub mod model;
#[doc(hidden)]
pub mod numerics;
pub mod spatial;
pub mod stop;
