use thiserror::Error;

use crate::scenario::ScenarioError;
use crate::study::orbit::OrbitError;

/// Why an orbit leads to no design.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OrbitDesignError {
    /// The file, or a file it names, is wrong.
    #[error(transparent)]
    File(#[from] ScenarioError),
    /// The motion.
    #[error(transparent)]
    Orbit(#[from] OrbitError),
    /// The scenario has no orbit near its start.
    #[error(
        "{file}: no orbit is found from the start, a return differs by {residual:.1e}; `carom orbit` with --settle or --starts may find one to start from"
    )]
    NoOrbit {
        /// The scenario.
        file: String,
        /// Residual where the search ended.
        residual: f64,
    },
    /// A robot beside the start has no orbit.
    #[error("no orbit is found at {at}, a return differs by {residual:.1e}")]
    Lost {
        /// Parameters as `name = value`.
        at: String,
        /// Residual where the search ended.
        residual: f64,
    },
    /// Contacts strike one by one.
    #[error(
        "{contacts} strike {count} times together in a period at {at}, and not {wanted} times; nearer to the start they may, or with a larger orbit.together"
    )]
    Apart {
        /// The contacts.
        contacts: String,
        /// How often they do.
        count: usize,
        /// How often they do on the starting orbit.
        wanted: usize,
        /// Parameters as `name = value`.
        at: String,
    },
    /// Nothing is wanted.
    #[error(
        "{file}: no contacts strike together on this orbit, and nothing is to be made small or large; name contacts in orbit.touch, or add minimise"
    )]
    NothingWanted {
        /// The design file.
        file: String,
    },
    /// The robot's normals have no cosines.
    #[error(
        "the impact of {contacts} has no cosines: a contact cannot move, or the mass matrix is singular"
    )]
    Immovable {
        /// The contacts.
        contacts: String,
    },
}
