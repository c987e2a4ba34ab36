//! The gaits of the robots that ship, as periodic orbits: what strikes in a period, and what that makes of the return map.
//!
//! # TREX
//!
//! The legs of `robots/trex/run.toml` hold their stance until the first impact and then turn at 10 rad/s. A return map cannot
//! begin with that: every period would wait for an impact of its own, which is another machine (and is refused). But once the
//! turn is under way it has a period, a turn of 2π/10 s. `robots/trex/run_orbit.toml` says when it began (`start = -0.45`) and from
//! where (`hold`), and is cut in the middle of the flight:
//!
//! ```console
//! $ carom orbit robots/trex/run_orbit.toml
//! $ carom orbit robots/trex/run_orbit.toml --set contact.restitution=0 --settle 10
//! ```
//!
//! | restitution | impacts in a period | way \[m\] | cost of transport | largest multiplier |
//! |---|---|---|---|---|
//! | 0.8, as it ships | 113 | 0.14265 | 1.681 | 0.256 |
//! | 0.5 | 46 | 0.14436 | 2.080 | 0.229 |
//! | 0 | 5 | 0.16414 | 2.037 | 0.0056 |
//!
//! The run is stable, and its feet and tail strike one by one: the return map is differentiable there, and every impact is
//! unique. Foot and tail do strike together where the run begins, from the stance that the design made orthogonal; on the
//! orbit they come down 5 ms and more apart. The first touch of a tail or foot that bounces is followed by a chatter of
//! impacts that ends in finite time; what is told of the multipliers of 0.8 has their noise (`derivative_error`).
//!
//! # The hexapod's tripod
//!
//! Three legs of `robots/rhex/tripod_orbit.toml` come down within 5 ms, one after the other: nothing strikes together, the map is
//! differentiable, and what neighbouring motions do is told by multipliers. But while a leg strikes others stand, and legs
//! that touch down bounce off when the next one strikes. What a law makes of several contacts may not be unique. The law that
//! ships, of maximum dissipation, does not know it of several contacts; the plastic law has one outcome, but does not stop a
//! leg that slides and jams by its own friction, which is left to the former.
//!
//! ```console
//! $ carom orbit robots/rhex/tripod_orbit.toml
//! $ carom orbit robots/rhex/tripod_orbit.toml --set impact.law=plastic --settle 6
//! $ carom orbit robots/rhex/tripod_unique.toml
//! ```
//!
//! | table | law | impacts known to be unique | way \[m\] | lost in impacts \[J\] | cost of transport | largest multiplier |
//! |---|---|---|---|---|---|---|
//! | sweep 0.9 about −0.25 rad | maximum dissipation | 4 of 14 | 0.29028 | 2.544 | 0.2872 | 0.060 |
//! | the same | plastic | 12 of 12 | 0.29225 | | 0.2877 | 0.046 |
//! | sweep 0.7 about 0 rad, 22 N m/rad | plastic | 26 of 26 | 0.26558 | 1.443 | 0.3018 | 0.182 |
//!
//! With the smaller sweep legs come down steeper, no leg jams, and every strike has one outcome. That costs 5 % in
//! transport; the hexapod is 9 % slower, and perturbations take three strides instead of two to fall to a hundredth.
