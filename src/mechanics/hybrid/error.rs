use thiserror::Error;

use crate::control::ControlError;
use crate::discrete::StepError;
use crate::dynamics::SingularMass;
use crate::files::brief;
use crate::impact::ImpactError;
use crate::model::ModelError;

/// Why a simulation cannot start or go on.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SimulationError {
    /// A joint starts outside of its limits.
    #[error(
        "initial state: joint \"{joint}\" is at {position}, outside of its limits [{lower}, {upper}]; start it inside"
    )]
    LimitViolated {
        /// Name of the joint.
        joint: String,
        /// Its position \[rad or m\].
        position: f64,
        /// Lower limit.
        lower: f64,
        /// Upper limit.
        upper: f64,
    },
    /// A contact starts inside of the terrain.
    #[error(
        "initial state: contact \"{contact}\" is {depth:e} m below the surface; raise the robot, change its joints, or move apart what touches there"
    )]
    Penetration {
        /// Name of the contact.
        contact: String,
        /// Depth \[m\].
        depth: f64,
    },
    /// Two shapes start inside of each other, though no corner, edge or end of either is deep in the other.
    #[error(
        "initial state: \"{}\" and \"{}\" overlap by {overlap:e} m; move them apart",
        .shapes[0], .shapes[1]
    )]
    Overlap {
        /// Names of their links, objects or pieces of terrain.
        shapes: [String; 2],
        /// The shortest way on which they come apart \[m\].
        overlap: f64,
    },
    /// A motion costs no kinetic energy.
    #[error(
        "initial state: \"{coordinate}\" can move without inertia; give what it moves an inertia, or the joint an armature"
    )]
    NoInertia {
        /// Name of the coordinate.
        coordinate: String,
    },
    /// A latch is to hold a joint that is not at its limit, or moves.
    #[error(
        "initial state: the latch of joint \"{joint}\" is engaged, but the joint is at {position} with a rate of {rate}; it must rest at its limit, {limit}"
    )]
    LatchAway {
        /// Name of the joint.
        joint: String,
        /// Its position \[rad or m\].
        position: f64,
        /// The limit \[rad or m\].
        limit: f64,
        /// Its rate \[rad/s or m/s\].
        rate: f64,
    },
    /// A setting is out of range.
    #[error("{setting} is {}, it must be {range}", brief(*.value))]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// Its value.
        value: f64,
        /// The admissible range.
        range: &'static str,
    },
    /// An applied effort is NaN or infinite.
    #[error("at {time} s: the effort at \"{coordinate}\" is not finite ({value})")]
    Effort {
        /// Time \[s\].
        time: f64,
        /// Name of the coordinate.
        coordinate: String,
        /// The number.
        value: f64,
    },
    /// A step has no solution, even after halving.
    #[error("at {time} s, after halving the step {halvings} times: {source}")]
    Step {
        /// Time \[s\].
        time: f64,
        /// How often the step was halved.
        halvings: usize,
        /// What went wrong.
        source: StepError,
    },
    /// An impact has no solution under the chosen law.
    #[error("at {time} s, impact of {}: {source}", .contacts.join(", "))]
    Impact {
        /// Time \[s\].
        time: f64,
        /// Names of the closed contacts.
        contacts: Vec<String>,
        /// What went wrong.
        source: ImpactError,
    },
    /// Impacts follow each other without time passing.
    #[error(
        "at {time} s: {count} impacts within one time step, the last of {}; a smaller time_step, a lower restitution or a larger contact.capture_speed helps",
        .contacts.join(", ")
    )]
    TooManyImpacts {
        /// Time \[s\].
        time: f64,
        /// Impacts counted.
        count: usize,
        /// Names of the contacts that struck last.
        contacts: Vec<String>,
    },
    /// Contacts close, open or change their modes without end, and hardly any time passes.
    #[error(
        "at {time} s: one time step is in {count} pieces, the last of {last} s; a smaller time_step or a larger contact.capture_speed helps"
    )]
    TooManyPieces {
        /// Time \[s\].
        time: f64,
        /// Pieces counted.
        count: usize,
        /// Length of the last one \[s\].
        last: f64,
    },
    /// The law gives a strike no impulse: the contacts would approach for ever.
    #[error(
        "at {time} s: law \"{law}\" leaves the strike of {} as it is: no impulse that it knows stops them; another law helps",
        .contacts.join(", ")
    )]
    Unanswered {
        /// Time \[s\].
        time: f64,
        /// The law.
        law: &'static str,
        /// Names of the contacts that strike.
        contacts: Vec<String>,
    },
    /// The controller has no answer.
    #[error("at {time} s: {source}")]
    Control {
        /// Time \[s\].
        time: f64,
        /// What it says.
        source: ControlError,
    },
    /// A [`StopFlag`](crate::stop::StopFlag) was raised.
    #[error("at {time} s: stopped from outside")]
    Stopped {
        /// Time \[s\].
        time: f64,
    },
    /// A slice does not fit the model.
    #[error("{what}: {found} entries where the robot has {expected} coordinates of velocity")]
    Size {
        /// Which one.
        what: &'static str,
        /// Entries that it has.
        found: usize,
        /// Entries that it must have.
        expected: usize,
    },
    /// The motion has left every physical bound.
    #[error(
        "at {time} s: {coordinate} = {value:e} is beyond {largest:e}: the run is unstable; a smaller time_step or softer gains help"
    )]
    Unstable {
        /// Time \[s\].
        time: f64,
        /// Name of the coordinate.
        coordinate: String,
        /// Its value or rate.
        value: f64,
        /// The bound.
        largest: f64,
    },
    /// The motion has left the range of numbers.
    #[error("at {time} s: {what} is not finite; a smaller time_step or softer gains help")]
    NotFinite {
        /// Time \[s\].
        time: f64,
        /// Which quantity.
        what: String,
    },
    /// A saved state is damaged, or one of another robot or other contacts.
    #[error("saved state: {place}: {reason}")]
    SavedState {
        /// Place in the state, as its file names it.
        place: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The initial configuration or velocity does not fit the robot.
    #[error("initial state: {0}")]
    State(#[from] ModelError),
    /// The mass matrix is not positive definite.
    #[error(transparent)]
    SingularMass(#[from] SingularMass),
}
