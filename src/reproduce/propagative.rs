//! Numbers of \[SM\].

use nalgebra::{DMatrix, DVector};

use super::{PublishedCurve, PublishedNumber};
use crate::dynamics::{Kinematics, mass_matrix};
use crate::impact::{
    Contact, ImpactError, ImpactLaw, ImpactProblem, Plastic, PreImpact, Propagative,
};
use crate::model::{Base, Model, urdf};
use crate::spatial::Pose;

/// Three equal balls in a row, the first striking with `speed`.
fn cradle_problem(speed: f64, restitution: f64) -> Result<ImpactProblem, ImpactError> {
    let contact = |name, row: [f64; 3]| {
        Contact::new(name, DVector::from_column_slice(&row)).with_restitution(restitution)
    };
    ImpactProblem::new(
        DMatrix::identity(3, 3),
        PreImpact::Velocity(DVector::from_column_slice(&[speed, 0.0, 0.0])),
        &[
            contact("AB", [-1.0, 1.0, 0.0]),
            contact("BC", [0.0, -1.0, 1.0]),
        ],
    )
}

fn energy_after(law: &mut dyn ImpactLaw, problem: &ImpactProblem) -> Result<f64, ImpactError> {
    let resolution = law.resolve(problem)?;
    Ok(resolution
        .outcomes
        .first()
        .map_or(f64::NAN, |o| o.energy.after))
}

pub fn cradle(
    numbers: &mut Vec<PublishedNumber>,
    curves: &mut Vec<PublishedCurve>,
) -> Result<(), ImpactError> {
    let mut series = Vec::new();
    for restitution in [1.0, 0.7, 0.0] {
        let mut points = Vec::new();
        for i in 1..=20 {
            let speed = 0.25 * f64::from(i);
            let problem = cradle_problem(speed, restitution)?;
            let plastic = energy_after(&mut Plastic::default(), &problem)?;
            let after = energy_after(&mut Propagative::default(), &problem)?;
            let kept = (after - plastic) / (problem.kinetic_energy() - plastic);
            points.push([speed, after / problem.kinetic_energy()]);
            if i % 10 == 0 {
                numbers.push(PublishedNumber::printed(
                    "cradle",
                    "[SM] eq. 16, Fig. 2b",
                    format!(
                        "retained share of the separable energy, R = {restitution}, {speed} m/s"
                    ),
                    restitution * restitution,
                    kept,
                    1e-12,
                ));
            }
        }
        series.push((format!("R = {restitution}"), points));
    }
    curves.push(PublishedCurve {
        item: "cradle",
        title: "Newton's cradle: energy kept over impact speed".to_string(),
        axes: ["impact speed (m/s)", "kinetic energy after / before"],
        series,
    });
    Ok(())
}

/// Ball C strikes A and B at once; the lines to their centres meet at `angle`.
fn billiard_problem(angle: f64) -> Result<ImpactProblem, ImpactError> {
    let (s, c) = (0.5 * angle).sin_cos();
    let row =
        |first: [f64; 4], last: [f64; 2]| DVector::from_iterator(6, first.into_iter().chain(last));
    ImpactProblem::new(
        DMatrix::identity(6, 6),
        PreImpact::Velocity(row([0.0; 4], [1.0, 0.0])),
        &[
            Contact::new("CA", row([c, s, 0.0, 0.0], [-c, -s])),
            Contact::new("CB", row([0.0, 0.0, c, -s], [-c, s])),
        ],
    )
}

pub fn billiards(
    numbers: &mut Vec<PublishedNumber>,
    curves: &mut Vec<PublishedCurve>,
) -> Result<(), ImpactError> {
    let source = "[SM] §VII.A, Fig. 5";
    let xi = |degrees: f64| -> Result<f64, ImpactError> {
        let problem = billiard_problem(degrees.to_radians())?;
        Ok(Propagative::default().resolve(&problem)?.indeterminacy())
    };
    let mut points = Vec::new();
    // At 180° the normals are opposite: the balls are wedged.
    for i in 120..360 {
        let degrees = 0.5 * f64::from(i);
        points.push([degrees, xi(degrees)?]);
    }
    numbers.push(PublishedNumber::printed(
        "billiards",
        source,
        "indeterminacy at 90°",
        0.0,
        xi(90.0)?,
        1e-13,
    ));
    // Two reflections in either order: ξ = 2 cos(θ/2)/√(1 + cos(θ/2)) · |sin 4γ|, cos 2γ = −cos(θ)/2.
    for degrees in [60.0_f64, 70.0, 120.0] {
        let angle = degrees.to_radians();
        let double = (-0.5 * angle.cos()).acos();
        let half = (0.5 * angle).cos();
        let closed = 2.0 * half / (1.0 + 0.5 * angle.cos()).sqrt() * (2.0 * double).sin().abs();
        numbers.push(
            PublishedNumber::not_printed(
                "billiards",
                source,
                format!("indeterminacy at {degrees}°"),
                xi(degrees)?,
                "",
            )
            .corrected(
                closed,
                1e-12,
                "closed form of two reflections; the figure prints no number",
            ),
        );
    }
    curves.push(PublishedCurve {
        item: "billiards",
        title: "Billiard break: indeterminacy over the angle between the normals".to_string(),
        axes: ["angle (degrees)", "indeterminacy"],
        series: vec![("three equal balls".to_string(), points)],
    });
    Ok(())
}

/// Gaps of foot and tail \[m\] and the impact of a fall from 17 cm onto both.
struct Strike {
    gaps: [f64; 2],
    cosine: f64,
    indeterminacy: f64,
}

/// TREX at x = 0, height `z`, pitch −θ and the paper's joint angles.
fn trex_strike(model: &Model, z: f64, theta: f64, joints: [f64; 5]) -> Result<Strike, ImpactError> {
    let mut q = model.neutral_configuration();
    q[1] = z;
    q[2] = -theta;
    for (name, value) in ["phi_A", "gamma_A", "phi_B", "gamma_B", "phi_T"]
        .iter()
        .zip(joints)
    {
        let body = model.body_of_joint(name).map_err(|e| lost(&e))?;
        q[model.bodies()[body].q_index] = value;
    }
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, &q);
    let mut gaps = [0.0; 2];
    let mut contacts = Vec::new();
    for (i, (name, link)) in [("foot", "foot_A"), ("tail", "tail_tip")]
        .into_iter()
        .enumerate()
    {
        let (body, point) = tip(model, link)?;
        let x = kinematics.world_point(body, &point);
        gaps[i] = x.z;
        let mut row = DVector::zeros(model.dof());
        let up = nalgebra::Vector3::z();
        kinematics.add_point_force(model, body, &x, &up, row.as_mut_slice());
        contacts.push(Contact::new(name, row));
    }
    let mut fall = DVector::zeros(model.dof());
    fall[1] = -(2.0_f64 * 9.81 * 0.17).sqrt();
    let problem = ImpactProblem::new(
        mass_matrix(model, &kinematics),
        PreImpact::Velocity(fall),
        &contacts,
    )?;
    let g = &problem.contact_space().delassus;
    Ok(Strike {
        gaps,
        cosine: g[(0, 1)] / (g[(0, 0)] * g[(1, 1)]).sqrt(),
        indeterminacy: Propagative::default().resolve(&problem)?.indeterminacy(),
    })
}

/// A robot that is not the paper's.
fn lost(reason: &dyn std::fmt::Display) -> ImpactError {
    ImpactError::Unsupported {
        law: "propagative",
        reason: format!("TREX: {reason}"),
    }
}

/// Body and point (in the body's frame) of a leg's or the tail's end: along x from the link's frame.
fn tip(model: &Model, end: &str) -> Result<(Option<usize>, nalgebra::Vector3<f64>), ImpactError> {
    let link = if end == "foot_A" {
        "lower_leg_A"
    } else {
        "tail"
    };
    let index = model
        .links()
        .iter()
        .position(|l| l.name == link)
        .ok_or_else(|| lost(&format!("there is no link \"{link}\"")))?;
    let length = model
        .shapes()
        .iter()
        .filter(|s| s.link == index)
        .map(|s| s.pose.translation.x * 2.0)
        .fold(0.0, f64::max);
    let placement: &Pose<f64> = &model.links()[index].pose;
    Ok((
        model.links()[index].body,
        placement.point(&nalgebra::Vector3::new(length, 0.0, 0.0)),
    ))
}

pub fn trex(numbers: &mut Vec<PublishedNumber>) -> Result<(), ImpactError> {
    const INERTIA: &str =
        "the inertias are not determined by the text; ours are solid spheres and thin rods";
    let load =
        |text: &str| urdf::parse(text, "trex.urdf").and_then(|b| b.base(Base::Planar).build());
    let rows = [
        (
            "Initial",
            include_str!("../../robots/trex/trex.urdf"),
            [0.1238, 5.78],
            [5.13, 5.24, 1.99, 5.24, 0.0],
            (1.65e-3, -4.2778e-4),
            [0.001_315, 0.000_031],
            ([0.122_872, 5.783_99], 2.3306e-4),
        ),
        (
            "Optimized",
            include_str!("../../robots/trex/trex_optimized.urdf"),
            [0.1369, 5.92],
            [4.79, 5.67, 2.85, 5.71, -0.19],
            (-2.28e-7, 6.2951e-4),
            [0.000_577, 0.000_209],
            ([0.136_424_8, 5.921_02], 3.8682e-4),
        ),
    ];
    for (name, text, [z, theta], joints, (printed, literal), gaps, (closed, xi)) in rows {
        let model = match load(text) {
            Ok(model) => model,
            Err(error) => {
                let what = format!("{name}: gaps, cosine and indeterminacy");
                numbers.push(PublishedNumber::failed("trex", "[SM] Table I", what, error));
                continue;
            }
        };
        let strike = trex_strike(&model, z, theta, joints)?;
        for (i, what) in ["foot", "tail"].into_iter().enumerate() {
            numbers.push(
                PublishedNumber::printed(
                    "trex",
                    "[SM] Table I",
                    format!("{name}: gap of the {what} (m)"),
                    0.0,
                    strike.gaps[i],
                    0.0,
                )
                .corrected(
                    gaps[i],
                    1e-6,
                    "the printed digits close the gaps to 1.3 mm only",
                ),
            );
        }
        numbers.push(
            PublishedNumber::printed(
                "trex",
                "[SM] §VII.B",
                format!("{name}: kinetic cosine of foot and tail"),
                printed,
                strike.cosine,
                0.0,
            )
            .corrected(literal, 1e-4 * literal.abs(), INERTIA),
        );
        let closed = trex_strike(&model, closed[0], closed[1], joints)?;
        numbers.push(
            PublishedNumber::not_printed(
                "trex",
                "[SM] Fig. 8",
                format!("{name}: indeterminacy of the first impact, gaps closed"),
                closed.indeterminacy,
                "",
            )
            .corrected(
                xi,
                2e-4 * xi,
                "independent computation; the figure prints no number",
            ),
        );
    }
    Ok(())
}
