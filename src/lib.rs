//! Carom: variational multibody simulation of legged robots that says when an impact was ambiguous.
//!
//! Four equations carry the library.
//!
//! The **discrete Lagrangian** of a step of length h is the midpoint rule
//!
//! ```text
//! L_d(q₀, q₁, h) = h L((q₀ + q₁)/2, (q₁ − q₀)/h)
//! ```
//!
//! and the **discrete Euler-Lagrange equation** in position-momentum form is solved for q₁, with P = ∂L/∂v
//! and F = ∂L/∂q + forces at the midpoint:
//!
//! ```text
//! p₀ = P − (h/2) F,      p₁ = P + (h/2) F
//! ```
//!
//! A contact with normal u (gradient of its gap) **reflects** the momentum in the kinetic metric ⟨a, b⟩ = a M⁻¹ bᵀ:
//!
//! ```text
//! p Γ(u) = p − 2 ⟨p, u⟩ / ⟨u, u⟩ u
//! ```
//!
//! and the outcome of a simultaneous impact does not depend on the order of reflections when the
//! normals are **kinetically orthogonal**:
//!
//! ```text
//! ⟨u_i, u_j⟩ = 0   for all i ≠ j
//! ```
//!
//! A program begins with [`hybrid::Simulation::builder`], or with a scenario of [`study`].
//!
//! The layers, each using only those above it, are the modules below. [`impact`] uses small numerics and none of them: it
//! takes numbers and knows nothing of robots.

/// Small dense numerics shared by the layers.
pub(crate) mod numerics {
    mod dense_inverse;
    mod dense_product;
    mod dot;
    mod least_squares;
    mod permutations;
    mod pseudo_inverse;
    mod semidefinite;

    pub(crate) use dense_inverse::DenseInverse;
    pub(crate) use dense_product::{add_product, add_product_transposed};
    pub(crate) use dot::{add_columns, add_scaled, dot, largest};
    pub(crate) use least_squares::LeastSquares;
    pub(crate) use permutations::{next_permutation, permutations};
    pub(crate) use pseudo_inverse::PseudoInverse;
    pub(crate) use semidefinite::SemidefiniteFactor;
}

/// Spatial mathematics: twists, wrenches, rigid transforms, inertias. No robots.
pub mod spatial {
    mod inertia;
    mod motion;
    mod rotation;

    pub use inertia::{ArticulatedInertia, Inertia};
    pub use motion::{Force, Motion, Pose, Scalar};
    pub(crate) use motion::{lift, lift3};
    pub(crate) use rotation::rotation_coefficients;
    pub use rotation::{
        quaternion_exp, quaternion_product, quaternion_to_matrix, rotation_exp, rotation_from_rpy,
        skew,
    };
}

/// The immutable tree of bodies, built in code or from a robot description.
pub mod model {
    mod adjust;
    mod assembly;
    mod bounded_read;
    mod brief;
    mod builder;
    mod error;
    mod joint_indices;
    mod package_path;
    pub mod sample;
    mod state_check;
    mod tree;
    pub mod urdf;
    mod urdf_check;
    pub mod urdf_text;
    mod validation;
    mod xacro;
    #[cfg(feature = "xacro")]
    mod xacro_limits;
    #[cfg(feature = "xacro")]
    mod xacro_text;
    mod xml_tree;

    pub(crate) use bounded_read::read_bounded_text;
    pub(crate) use brief::brief;
    pub use builder::{Joint, Link, ModelBuilder};
    pub use error::ModelError;
    pub use joint_indices::JointIndices;
    pub(crate) use state_check::LARGEST_COORDINATE;
    pub(crate) use tree::pose_from_configuration;
    pub use tree::{
        Base, Body, Geometry, JointKind, JointLimits, JointSpring, LinkFrame, LinkShape, Model,
        PointSpring,
    };
}

/// Lagrangian mechanics on a model: kinematics, momenta, forces, the mass matrix and its inverse.
pub mod dynamics {
    mod articulated;
    mod forces;
    mod frame_jacobian;
    mod inverse_dynamics;
    mod joint_servo;
    mod kinematics;
    mod lagrangian;
    mod mass_matrix;
    mod motor;
    mod support;

    pub use articulated::{ArticulatedFactor, SingularMass};
    pub use forces::{POINT_SPRING_ROWS, add_passive_forces, point_spring_load, spring_energy};
    pub(crate) use forces::{add_point_spring_forces, passive_load, spring_line};
    pub use inverse_dynamics::{InverseDynamics, bias_forces, inverse_dynamics};
    pub use joint_servo::{JointServo, ServoEffort};
    pub use kinematics::Kinematics;
    pub use lagrangian::{
        LagrangianTerms, center_of_mass, gravity_energy, kinetic_energy, spatial_momentum,
    };
    pub use mass_matrix::{mass_diagonal, mass_matrix};
    pub use motor::Motor;
    pub use support::{Support, SupportJoint};
}

/// Geometry of touching: contact sites on links, terrain, gaps and contact Jacobians.
pub mod contact {
    mod circle_box;
    mod contacts;
    mod coverage;
    mod error;
    mod extent;
    mod frame;
    mod gap;
    mod held_face;
    mod limit;
    mod listing;
    mod material;
    mod outline;
    mod place;
    mod planar;
    mod presence;
    mod site;
    mod terrain;
    mod touching;

    pub use contacts::Contacts;
    pub use error::ContactError;
    pub use frame::ContactFrame;
    pub use held_face::BoxFace;
    pub use limit::JointLimit;
    pub use material::{Combination, Material};
    pub use planar::planar_normal;
    pub use site::{Site, SiteShape, sphere_sites};
    pub use terrain::{Surface, Terrain};
}

/// Impulses of contacts and of joints with dry friction on a Delassus matrix. No robots.
pub mod friction {
    mod branch_path;
    #[cfg(test)]
    mod branch_path_tests;
    mod continuations;
    mod counts;
    mod delassus;
    mod dense_factor;
    mod enumeration;
    mod mode_system;
    mod natural_map;
    mod newton;
    mod problem;
    mod row_layout;
    mod single_contact;
    mod solver;
    mod sweeps;

    pub(crate) use branch_path::{BranchPath, Solution};
    pub(crate) use continuations::count_solutions_around;
    pub use continuations::{Continuations, count_solutions};
    pub use counts::FrictionCounts;
    pub use delassus::Delassus;
    pub use problem::{FrictionProblem, FrictionResiduals, FrictionRows, FrictionRule, HeldMode};
    pub(crate) use row_layout::ContactRows;
    pub use solver::FrictionSolver;
}

/// The variational integrator: (q, p) to (q, p) by the midpoint discrete Euler-Lagrange equation.
pub mod discrete {
    mod block_diagonal;
    mod composition;
    mod contact_tangents;
    mod contact_variation;
    #[cfg(test)]
    mod dual_jacobian;
    mod error;
    mod floating_step;
    #[cfg(test)]
    mod floating_step_tests;
    mod held_contact;
    mod held_derivatives;
    #[cfg(test)]
    mod held_derivatives_dual;
    #[cfg(test)]
    mod held_derivatives_tests;
    mod held_stage;
    mod held_step;
    mod linearized_step;
    mod midpoint;
    mod midpoint_jacobian;
    mod newton_elimination;
    mod predictor;
    mod residual;
    mod step;
    mod step_derivatives;
    #[cfg(test)]
    mod step_derivatives_tests;
    mod step_linearization;
    mod varied_frame;

    pub use composition::stages;
    pub use error::{StepError, StepReport};
    pub(crate) use held_contact::rubbing_joints;
    pub use held_contact::{HeldContact, HeldJoint};
    pub use held_derivatives::HeldDerivatives;
    pub use held_step::HeldStep;
    pub use linearized_step::{LinearizedStep, ReducedStep};
    pub use midpoint::Midpoint;
    pub use predictor::Predictor;
    pub(crate) use step::BranchEnd;
    pub use step::{StepInput, StepSettings, StepWork, Stepper};
    pub use step_derivatives::StepDerivatives;
}

/// Impact laws: numbers in, outcomes out. One problem type, one trait, one file a law.
pub mod impact {
    mod analysis;
    mod anitescu_potra;
    mod certificate;
    mod conic;
    mod contact_block;
    mod contact_set;
    mod contact_space;
    mod coulomb;
    mod enumeration;
    mod error;
    mod examples;
    mod examples_ramone;
    mod extent_refinement;
    mod friction_check;
    mod friction_lcp;
    mod friction_modes;
    mod given_order;
    mod law;
    mod law_details;
    mod law_key;
    mod law_settings;
    mod lcp;
    mod lcp_enumeration;
    mod lcp_law_support;
    mod least_norm;
    mod lemke_dictionary;
    mod linear_family;
    mod linear_program;
    mod linearized_contacts;
    mod max_dissipation;
    mod max_dissipation_answer;
    mod max_dissipation_settings;
    mod minimality;
    mod mode_solver;
    mod near_points;
    mod nonnegative;
    mod order;
    mod outcome;
    mod painleve;
    mod planar_hull;
    mod plastic;
    mod plus;
    mod problem;
    mod propagation;
    mod propagative;
    mod propagative_answer;
    mod propagative_settings;
    mod quartic;
    mod reduced;
    mod reflection_group;
    mod restitution;
    mod routh;
    mod routh_sampler;
    mod routh_settings;
    mod sample_random;
    mod sensitivity;
    mod separation;
    mod sequential;
    mod sequential_settings;
    mod set_summary;
    mod solution_enumeration;
    mod state_graph;
    mod stronge;
    mod sweep_limit;
    mod swept_contacts;
    mod tangent_frame;
    mod two_contacts;
    mod uniqueness;
    mod unit_contacts;
    mod verdict;

    pub use anitescu_potra::{
        AnitescuPotra, AnitescuPotraReport, AnitescuPotraSettings, AnitescuPotraSolution,
    };
    pub use certificate::{Certificate, ContactAngle, certify, contact_angles};
    pub use contact_block::{ConicSection, ContactBlock, DissipationBranch};
    pub use contact_set::{NetSize, PostImpactSet};
    pub use contact_space::{ContactRows, ContactSpace};
    pub use coulomb::{CoulombKind, CoulombSolution, coulomb_solutions};
    pub use error::ImpactError;
    pub use examples::{ImpactExample, box_and_wall, compass_gait, disk_stack, rocking_block};
    pub use examples_ramone::ramone;
    pub use extent_refinement::ExtremeSample;
    pub use friction_lcp::LcpSelection;
    pub use law::{Exploration, ImpactLaw, ImpulseReport, LawProperties};
    pub use law_details::LawDetails;
    pub use law_key::{KeyRole, KeyValues, LawKey, NumberRange, SettingKey};
    pub use law_settings::LawSettings;
    pub use lcp::{LcpReport, LcpStatus, Lemke, natural_residual};
    pub use lcp_enumeration::{LARGEST_ENUMERATION, LcpSolution, enumerate_lcp};
    pub use max_dissipation::MaxDissipation;
    pub use max_dissipation_answer::{
        CoulombAnswer, MaxDissipationOutcome, MaxDissipationReport, SweepReport,
    };
    pub use max_dissipation_settings::MaxDissipationSettings;
    pub use minimality::is_subsequence;
    pub use order::ReflectionOrder;
    pub use outcome::{
        ContactImpulse, EnergyLedger, ImpactStatus, Outcome, Resolution, indeterminacy,
        split_impulse,
    };
    pub use painleve::{PainleveRod, mu_star};
    pub use planar_hull::PlanarHull;
    pub use plastic::{Plastic, PlasticDetails, PlasticSettings};
    pub use plus::{
        Plus, PlusDetails, PlusInterval, PlusMode, PlusPhase, PlusPoint, PlusSettings, PlusTrace,
    };
    pub use problem::{Contact, ImpactProblem, PreImpact};
    pub use propagative::Propagative;
    pub use propagative_answer::{
        OrdersReport, OrdersStatement, PropagativeOutcome, PropagativeReport,
    };
    pub use propagative_settings::PropagativeSettings;
    pub use reflection_group::{CoxeterFamily, ReflectionGroup};
    pub use routh::{Routh, RouthOutcome, RouthReport, sample_set, termination_constant};
    pub use routh_sampler::SampleStatus;
    pub use routh_settings::RouthSettings;
    pub(crate) use sample_random::{RandomWords, SampleRandom};
    pub use sensitivity::{Sensitivity, SwitchingDistance, sensitivity, switching_distance};
    pub use separation::Separation;
    pub use sequential::Sequential;
    pub use sequential_settings::{ImpactSequence, SequentialReport, SequentialSettings};
    pub use set_summary::{
        NormalExtents, SetExtents, SetSummary, TangentialEnd, TangentialExtents,
    };
    pub use state_graph::EnumerationBudget;
    pub use stronge::{
        ContactReport, InvariantDirection, InvariantKind, Stronge, StrongeCourse, StrongeCurve,
        StrongeDetails, StrongeEvent, StrongeImpact, StrongeIterations, StrongeLabel,
        StrongeReport, StrongeSample, StrongeSettings, StrongeSolver, StrongeSolverRow,
    };
    pub use two_contacts::{AlternatingSequence, TwoContacts};
    pub use uniqueness::{Doubt, Ground, Uniqueness, Verdict};
    pub use verdict::{OutcomeImpulse, all_outcome_impulses, verdict};
}

/// Collisions that take time: stiff springs and dampers instead of an impact law, to compare the laws with.
pub mod compliant {
    mod dormand_prince;
    mod hertz;
    mod integrator;
    mod radau;
    mod rocking_block;

    pub use dormand_prince::DormandPrince;
    pub use hertz::{BodyState, HertzCollision, HertzContact, SphereBody};
    pub use integrator::{Integrated, IntegrationError, Method, System, Tolerances, integrate};
    pub use radau::Radau;
    pub use rocking_block::{Corner, RockingBlock, RockingCollision};
}

/// Granular flow: time stepping of many free spheres with friction, and a channel to compare laws in.
pub mod granular {
    mod broad_phase;
    mod channel;
    mod channel_report;
    mod contact_law;
    mod contacts;
    mod error;
    mod particles;
    mod time_stepping;

    pub use broad_phase::CellList;
    pub use channel::{ChannelSettings, run};
    pub use channel_report::{ChannelReport, ChannelSample, FlowProfile};
    pub use contact_law::GranularLaw;
    pub use error::GranularError;
    pub use particles::{Boundary, Particle};
    pub use time_stepping::{ParticleSystem, StepStatistics, TimeStepSettings};
}

/// Controllers: from the state at the beginning of a step to joint efforts.
pub mod control {
    mod clock;
    mod controller;
    mod drive;
    pub mod external;
    mod external_error;
    mod external_process;
    mod gait;
    mod gait_controller;
    mod schedule;
    mod servo;
    mod walk;

    pub use crate::dynamics::Motor;
    pub use clock::BuehlerClock;
    pub use controller::{ControlError, Controller, DrivenJoint, Observation, Passive};
    pub use drive::{Drive, Sampled};
    pub use external::{ExternalController, ExternalSettings};
    pub use external_error::ExternalError;
    pub use gait::{Gait, LegPhase};
    pub use gait_controller::{GaitController, GaitLeg};
    pub use schedule::Schedule;
    pub use servo::{HoldThenSpin, Servo, ServoController};
    pub use walk::{LegProgram, WalkStage, WalkTimes};
}

/// The simulation: steps, located events, impacts and held contacts in one run.
pub mod hybrid {
    mod batch;
    mod builder;
    mod collision;
    mod crossing;
    mod error;
    mod event;
    mod flow;
    mod node;
    mod run;
    mod settings;
    mod simulation;
    mod solver_counts;
    mod stage_sums;
    mod state;
    mod state_check;
    mod watcher;

    pub use batch::{Batch, BatchError, Simulated, run_batch};
    pub use builder::{BuildError, SimulationBuilder};
    pub use collision::Collision;
    pub use error::SimulationError;
    pub use event::{Event, EventKind, EventNote, HoldMode, ImpactRecord};
    pub use run::{RunError, RunStop};
    pub use settings::SimulationSettings;
    pub use simulation::{CapturedImpact, Energies, Fork, LinearizeError, Simulation, StepSummary};
    pub use solver_counts::SolverCounts;
    pub use state::{State, WorkLedger};
    pub use watcher::{Unwatched, Watcher};
}

/// Design of robots whose impacts are unique: contact normals made orthogonal in the kinetic metric by
/// geometry, masses and stance.
pub mod design {
    mod acceleration;
    mod bounded_lbfgs;
    mod chart;
    mod compromise;
    mod description;
    mod diagnosis;
    mod error;
    mod gauss_newton;
    mod indeterminacy;
    mod kept;
    mod linearization;
    mod map;
    mod minimum_norm;
    mod multistart;
    mod nearest;
    mod nearest_in_box;
    mod orthogonality;
    mod problem;
    mod progress;
    mod quantity;
    mod residuals;
    mod solve;
    mod stance;
    mod swarm;
    mod touching;
    mod variable;

    pub use chart::{configuration, coordinate_names, coordinates};
    pub use error::DesignError;
    pub use indeterminacy::order_indeterminacy;
    pub use linearization::Linearization;
    pub use map::{DesignMap, MapAxis, MapPoint, design_map};
    pub use multistart::{StartRecord, best_start, solve_numbered, solve_start};
    pub use orthogonality::{ContactGram, contact_gram, impact_at};
    pub use problem::{DesignProblem, Robot, RobotFamily};
    pub use progress::{Progress, Stage, Watch};
    pub use quantity::{Keep, KeptQuantity, Quantity};
    pub use solve::{DesignSettings, DesignSolution, DesignStatus, Method, Weighing};
    pub use stance::{Approach, CosineTarget, Stance};
    pub use swarm::Swarm;
    pub use variable::Variable;
}

/// What the user touches: problem files, answers, laws by name, files written whole.
pub mod study {
    mod assert_baseline;
    mod baseline;
    mod baseline_compare;
    mod baseline_error;
    mod baseline_file;
    mod baseline_inputs;
    mod baseline_ranking;
    mod baseline_record;
    mod baseline_text;
    mod baseline_twins;
    mod baseline_values;
    mod baseline_words;
    mod branch_files;
    mod branch_metric;
    mod branching;
    mod default_metrics;
    mod design_drop;
    mod design_evidence;
    mod design_file;
    mod design_report;
    mod design_robot;
    mod design_solver;
    mod design_study;
    mod experiment;
    mod export;
    mod export_format;
    #[cfg(feature = "mcap")]
    mod export_mcap;
    #[cfg(feature = "parquet")]
    mod export_parquet;
    mod finished_run;
    mod gait_files;
    #[cfg(feature = "cli")]
    mod granular_plots;
    mod granular_scenario;
    mod granular_study;
    mod growing_table;
    mod impact_answer;
    mod impact_file;
    mod inspection;
    mod json_place;
    mod law_comparison;
    mod law_draft;
    mod law_setting;
    mod laws;
    mod locomotion;
    #[cfg(feature = "mcap")]
    mod mcap_scene;
    mod metric_expression;
    mod metric_parser;
    mod momentum_distance;
    mod nearest_name;
    mod number_text;
    mod output_file;
    mod output_folder;
    mod output_lock;
    mod packed_numbers;
    #[cfg(feature = "cli")]
    mod plot_data;
    #[cfg(feature = "cli")]
    mod plot_legend;
    #[cfg(feature = "cli")]
    mod plot_phases;
    #[cfg(feature = "cli")]
    mod plots;
    mod replay;
    mod replay_frames;
    mod replay_scene;
    mod reproduce;
    mod resolved_scenario;
    mod robot_state;
    mod robust_distribution;
    mod robust_plan;
    mod robust_report;
    mod robust_run;
    mod run;
    mod run_account;
    mod run_columns;
    mod run_comparison;
    mod run_events;
    mod run_recorder;
    mod run_series;
    mod run_statistics;
    mod run_summary;
    mod run_tables;
    mod run_trace;
    mod saved_run_check;
    mod scenario;
    mod scenario_baseline;
    mod scenario_batch;
    mod scenario_contact;
    mod scenario_controller;
    mod scenario_error;
    mod scenario_external;
    mod scenario_gait;
    mod scenario_impact;
    mod scenario_initial;
    mod scenario_joint;
    mod scenario_locomotion;
    mod scenario_override;
    mod scenario_paths;
    mod scenario_robot;
    mod scenario_site;
    mod state_error;
    mod strict_json;
    #[cfg(feature = "cli")]
    mod svg_theme;

    pub use crate::hybrid::Watcher;
    pub use assert_baseline::{UPDATE_BASELINES, assert_same_as_baseline, check_baseline};
    pub use baseline::{Baseline, BaselineOptions, ControllerFactory};
    pub use baseline_compare::{
        ColumnComparison, Comparison, EventComparison, EventDifference, MetricComparison, Sides,
    };
    pub use baseline_error::BaselineError;
    pub use baseline_inputs::{InputChange, InputFile, InputRole, RecordedFrom};
    pub use baseline_ranking::RankedDifference;
    pub use baseline_twins::ComparedPart;
    pub use baseline_values::{ColumnValues, MetricValue, StoredEvents, StoredSeries};
    pub use branch_files::write_branches;
    pub use branch_metric::Metric;
    pub use branching::{BranchError, BranchSummary, BranchTree, BranchWatcher, run_branches};
    pub use design_drop::DropEntry;
    pub use design_evidence::{DropEvidence, DropRun};
    pub use design_file::{
        ActEntry, DesignFile, FreeEntry, KeepEntry, KeepKind, MotionEntry, ParameterEntry,
        StanceEntry, TargetEntry,
    };
    pub use design_report::{BeforeAfter, CosineEntry, DesignReport, MotionReport};
    pub use design_robot::ParametricRobot;
    pub use design_solver::{Global, SolverEntry};
    pub use design_study::{DesignStudy, DesignStudyError};
    pub use experiment::Experiment;
    pub use export::ExportError;
    pub use export_format::{ExportFormat, UnavailableFormat};
    pub use finished_run::FinishedRun;
    pub use gait_files::{GAITS, gait_by_name, read_gait};
    #[cfg(feature = "cli")]
    pub use granular_plots::draw_granular_plots;
    pub use granular_scenario::{
        ChannelEntry, GRANULAR_LAWS, GranularContactEntry, GranularImpactEntry,
        GranularOutputEntry, GranularScenario, ParticlesEntry, TimeSteppingEntry,
    };
    pub use granular_study::{GranularRun, GranularSummary};
    pub use impact_answer::{
        AngleAnswer, CertificateAnswer, EnumeratedSequences, FailedAnswer, ImpactAnswer,
        NamedImpulse, OutcomeAnswer,
    };
    pub use impact_file::{ImpactFile, ImpactFileError, NamedProblem, ProblemError};
    pub use inspection::{Inspection, JointSummary, NotFinite, SphereSite, StateQuantities};
    pub use law_comparison::{ComparedLaw, FirstImpactError, LawComparison, first_impact};
    pub use law_draft::LawDraft;
    pub use law_setting::LawSetting;
    pub use laws::{
        DuplicateLawError, LawEntry, LawRegistry, UnknownLawError, answer, unused_restitution,
    };
    pub use locomotion::{LegSummary, LocomotionSummary};
    pub use metric_expression::{Expression, MetricError, Names, Quantity};
    pub use momentum_distance::{
        DistanceCurve, DistanceEvent, DistanceSample, Parting, TOGETHER, momentum_distance,
    };
    pub use nearest_name::did_you_mean;
    pub use output_file::{OutputFileError, remove_leftovers, write_whole};
    pub use output_folder::{DESIGN_OUTPUT, FolderError, OutputFolder, OutputKind, RUN_OUTPUT};
    pub use output_lock::{LockError, OutputLock};
    #[cfg(feature = "cli")]
    pub use plots::{PlotError, draw_plots};
    pub use replay::{Replay, ReplayContact, ReplayEvent, ReplayVerdict};
    pub use replay_frames::ReplayFrames;
    pub use replay_scene::{
        BodyFrame, ContactSides, PlacedShape, Placement, ReplayScene, SiteOutline, SpringLine,
        Stick, TerrainPiece,
    };
    pub use reproduce::{ITEMS, PublishedCurve, PublishedNumber, Standing, reproduce};
    pub use resolved_scenario::ROBOT_FILE;
    pub use robot_state::RobotState;
    pub use robust_distribution::Distribution;
    pub use robust_report::{BandComparison, RobustReport, Spread, StoppedRun};
    pub use run::{Run, RunEnd};
    pub use run_columns::{RunColumn, RunColumns};
    pub use run_comparison::{ComparedEvent, ComparedRun, ComparedValue, RunComparison};
    pub use run_events::{EventRow, ImpactRow};
    pub use run_recorder::{EndedRun, RecordError, Recorder, SavedRun};
    pub use run_series::{RunFileError, RunSeries};
    pub use run_statistics::RunStatistics;
    pub use run_summary::{
        EnergySummary, HeldSummary, ImpactSummary, NewtonSummary, RunStatus, SolverSummary, Summary,
    };
    pub use run_tables::{HeldInterval, SeriesRow};
    pub use run_trace::{NamedEvent, Trace};
    pub use scenario::{OutputEntry, Scenario, StepperEntry, StepperKind};
    pub use scenario_baseline::{BaselineEntry, PerturbEntry, RobustEntry};
    pub use scenario_batch::{BatchEnd, ScenarioBatch, end_digest};
    pub use scenario_contact::{ContactEntry, TerrainEntry};
    pub use scenario_controller::{ControllerEntry, ServoEntry};
    pub use scenario_error::ScenarioError;
    pub use scenario_external::ExternalEntry;
    pub use scenario_gait::{GaitChoice, GaitEntry, GaitLegEntry};
    pub use scenario_impact::ImpactEntry;
    pub use scenario_initial::InitialEntry;
    pub use scenario_joint::JointEntry;
    pub use scenario_locomotion::LocomotionEntry;
    pub use scenario_robot::{RobotEntry, SpringEntry};
    pub use scenario_site::{SiteEntry, SiteKind};
    pub use state_error::StateError;
    #[cfg(feature = "cli")]
    pub use svg_theme::{PALETTE, with_dark_colours};
}

/// The examples of the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
