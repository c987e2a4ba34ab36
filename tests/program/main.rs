//! The program `carom` and the files it reads, as a user meets them; and the README and the layers, as they claim to be.
#![allow(clippy::unwrap_used)] // a test may fail by panicking

mod architecture;
mod arcs;
/// Baselines and controllers of other programs.
#[cfg(feature = "cli")]
mod baseline {
    mod changes;
    mod external;
    mod inputs;
    mod library;
    mod metrics;
    mod orbits;
    mod ranking;
    mod refusals;
    mod robust;
    mod support;
}
mod cli_design;
mod cli_orbit;
mod cli_orbit_design;
/// `carom impact` and `carom compare`: files, options, exit codes, messages.
#[cfg(feature = "cli")]
mod cli_impact {
    mod answers;
    mod comparison;
    mod refusals;
    mod series;
    mod support;
}
/// `carom simulate`: files, columns, exit codes, resumed runs.
#[cfg(feature = "cli")]
mod cli_simulate {
    mod batch;
    mod exports;
    mod files;
    mod live;
    mod pages;
    mod picture;
    mod refusals;
    mod resume;
    pub mod support;
    mod written_exports;
}
mod composite_joints;
#[path = "../support/folder.rs"]
mod folder;
/// Files as slips and malice leave them.
#[cfg(feature = "cli")]
mod fuzz {
    mod inputs;
    mod mutation;
    mod program;
    mod targets;
}
mod init;
mod inspect;
mod level;
/// What is left of runs that are killed, interrupted, or written into one folder.
#[cfg(feature = "cli")]
mod nothing_lost {
    mod kills;
    mod last_step;
    mod locks;
    mod older_runs;
    mod signals;
    mod support;
    mod unwritable;
}
mod joint_patterns;
mod problem_file;
mod readme_commands;
mod sampled_control;
mod scenario_joints;
mod scenarios;
mod scenes;
/// The schemas of files.
mod schema {
    mod agreement;
    #[cfg(feature = "cli")]
    mod command;
    mod generated;
    mod refusals;
    mod support;
}
/// `carom sweep`: parts, merging, what is told of all runs.
#[cfg(feature = "cli")]
mod sweep {
    mod answers;
    mod parts;
    mod support;
}
mod terrain_keys;
mod untrusted;
mod written_as_meant;
