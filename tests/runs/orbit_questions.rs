//! The numbers of the page `study::orbit::three_questions`, on the scenario that ships.

use std::f64::consts::PI;
use std::path::Path;

use carom::impact::Verdict;
use carom::scenario::{Experiment, Scenario};
use carom::study::orbit::{Differentiability, Orbit, find_orbit};

const G: f64 = 9.81;
const E: f64 = 0.8;
const T: f64 = 0.2;

fn bar(keys: &[&str]) -> Orbit {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/bar/two_feet.toml");
    let keys: Vec<String> = keys.iter().map(|key| (*key).to_string()).collect();
    let scenario = Scenario::read(&file, &keys).unwrap();
    let orbit = find_orbit(&Experiment::new("bar", scenario).unwrap(), 0).unwrap();
    assert!(orbit.found);
    orbit
}

/// Acceleration of the bar at the strike, and the angle of the table there.
fn strike() -> (f64, f64) {
    let force = 0.006 * (2.0 * PI / T).powi(2);
    let least = PI * G * (1.0 - E) / (1.0 + E);
    (
        (force * force - least * least).sqrt() - G,
        (least / force).acos(),
    )
}

/// Roots of μ² − s μ + e² by falling imaginary part.
fn pair(sum: f64) -> [f64; 2] {
    [0.5 * sum, (E * E - 0.25 * sum * sum).sqrt()]
}

#[test]
fn level_feet_with_orthogonal_normals_are_two_balls() {
    let orbit = bar(&[]);
    assert_eq!(
        orbit.differentiability,
        Some(Differentiability::Differentiable)
    );
    let sigma = (1.0 + E).powi(2) * strike().0 / (G * T);
    let swing = (1.5_f64 / 0.04).sqrt();
    let height = pair(-(2.0 * E + sigma * T));
    let pitch = pair(-(2.0 * E * (swing * T).cos() + sigma * (swing * T).sin() / swing));
    // The page prints six digits.
    assert!((height[0] - 0.022175).abs() < 1e-6 && (height[1] - 0.799693).abs() < 1e-6);
    assert!((pitch[0] - 0.360159).abs() < 1e-6 && (pitch[1] - 0.714343).abs() < 1e-6);
    for wanted in [height, pitch] {
        let off = |m: &[f64; 2]| (m[0] - wanted[0]).hypot(m[1] - wanted[1]);
        let nearest = orbit.multipliers.iter().map(off).fold(f64::MAX, f64::min);
        // The map bends differently on either side of the orbit: differences over 4e-5 rad know a slope to that.
        assert!(nearest < 4e-5, "{wanted:?} {:?}", orbit.multipliers);
    }
}

/// A deviation θ of the pitch at the section is θ cos νt at the strike, a time t later; there the rate of the height gains
/// C |θ cos νt|, and until the next section the height that times what is left of the period.
#[test]
fn feet_below_the_centre_make_the_kink_of_the_page() {
    let orbit = bar(&[
        "contact.site.0.position.2=-0.1",
        "contact.site.1.position.2=-0.1",
        "initial.joints.z=0.130166112086555",
        "spring.0.stiffness=2.0",
    ]);
    assert_eq!(orbit.differentiability, Some(Differentiability::Piecewise));
    let speed = G * T / (1.0 + E);
    let kink = (1.0 + E).powi(2) * (1.0 - E) * speed * 0.1 / (4.0 * 0.2);
    assert!((kink - 0.08829).abs() < 1e-6);
    let time = strike().1 * T / (2.0 * PI);
    let reached = ((2.0_f64 / 0.04).sqrt() * time).cos();
    let place = |name: &str| orbit.coordinates.iter().position(|n| n == name).unwrap();
    for (side, sign) in [("positive", 1.0), ("negative", -1.0)] {
        let found = orbit
            .limits
            .iter()
            .find(|l| l.along == "q_pitch" && l.side == side);
        let slope = &found.unwrap().derivative;
        // Drawn out by a quartic over 1e-3 rad, of a map known to 1e-12 or so.
        let rate = slope[place("v_z")] - sign * kink * reached;
        let height = slope[place("q_z")] - sign * kink * reached * (T - time);
        assert!(rate.abs() < 1e-6 && height.abs() < 1e-6, "{rate} {height}");
    }
}

/// Feet at the ends of a uniform bar: the cosine is −1/2, and three separate impacts end at gap rates 0.728 u and 0.701 u.
#[test]
fn a_uniform_bar_jumps_by_what_the_page_says() {
    let reach = 0.2 * 3.0_f64.sqrt();
    let orbit = bar(&[
        "contact.site.0.position.0=-0.34641016151377546",
        "contact.site.1.position.0=0.34641016151377546",
    ]);
    assert_eq!(
        orbit.differentiability,
        Some(Differentiability::Discontinuous)
    );
    let speed = G * T / (1.0 + E);
    let rate = 0.027 * speed / (2.0 * reach);
    let after = |k: usize| orbit.simultaneous[0].orders[k].velocity_after["pitch"];
    // The orbit's speed is known to what its residual is, 1e-12.
    assert!((after(0) + rate).abs() < 1e-10 && (after(1) - rate).abs() < 1e-10);
    // And the law has one outcome for the momentum at the coincidence.
    assert_eq!(orbit.simultaneous[0].unique, Verdict::Unique);
    assert_eq!(orbit.simultaneous[0].orders[0].sequence, ["A", "B", "A"]);
}
