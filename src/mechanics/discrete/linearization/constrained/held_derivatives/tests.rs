//! Derivatives of steps with held contacts against dual numbers carried through all of their equations.

mod corners;

use nalgebra::{Matrix3, Vector3};

use crate::contact::{Combination, Contacts, Material, Site, SiteShape, Terrain};
use crate::discrete::held::HeldContact;
use crate::discrete::linearization::HeldStep;
use crate::discrete::{StepInput, StepSettings, Stepper};
use crate::dynamics::{Kinematics, mass_matrix};
use crate::friction::HeldMode;
use crate::model::sample::hexapod;
use crate::model::{Base, Joint, Link, Model, ModelBuilder};
use crate::spatial::{Pose, quaternion_exp};

const TIGHT: StepSettings = StepSettings {
    tolerance: 1e-14,
    max_iterations: 60,
    max_halvings: 0,
};

struct Case {
    model: Model,
    contacts: Contacts,
    q: Vec<f64>,
    v: Vec<f64>,
    applied: Vec<f64>,
    h: f64,
}

impl Case {
    fn new(model: Model, contacts: Contacts, q: Vec<f64>) -> Self {
        let n = model.dof();
        Self {
            model,
            contacts,
            q,
            v: vec![0.0; n],
            applied: vec![0.0; n],
            h: 0.01,
        }
    }

    /// Takes a step with all contacts held, whose modes at the start must be `modes`, and compares its
    /// derivatives. Columns for which contacts contradict each other must be those of `contradicting`:
    /// what contacts miss by least squares there depends on the units of the equations.
    fn check(&self, modes: &str, contradicting: &[usize]) {
        let (model, n) = (&self.model, self.model.dof());
        let mut kinematics = Kinematics::new(model);
        kinematics.update_placements(model, &self.q);
        let p0 = mass_matrix(model, &kinematics) * nalgebra::DVector::from_column_slice(&self.v);
        // The ends of arcs and the rims of discs are open here.
        let mut held: Vec<_> = (0..self.contacts.len())
            .filter(|&i| self.contacts.is_nearest_place(i))
            .map(HeldContact::new)
            .collect();
        let (mut v, mut q1, mut p1) = (self.v.clone(), self.q.clone(), vec![0.0; n]);
        let input = StepInput {
            model,
            contacts: &self.contacts,
            q0: &self.q,
            p0: p0.as_slice(),
            applied: &self.applied,
            servos: &[],
            h: self.h,
            whole: self.h,
            closed_gap: 1e-9,
        };
        Stepper::new(model, TIGHT)
            .step(&input, &mut held, &mut [], &mut v, &mut q1, &mut p1)
            .expect("the step converges");
        let step = HeldStep {
            model,
            contacts: &self.contacts,
            held: &held,
            joints: &[],
            configuration: &self.q,
            mean_velocity: &v,
            end_momentum: &p1,
            applied: &self.applied,
            time_step: self.h,
            two_sided: false,
        };
        let found = step.derivatives().expect("a regular step");
        let expected = step.dual_derivatives().expect("a regular step");
        let found_modes: String = held.iter().map(|h| initial(step.mode(h, 0))).collect();
        assert_eq!(found_modes, modes);
        let contradictions = expected.contradictions.iter().enumerate();
        let found_contradicting: Vec<usize> = contradictions
            .filter_map(|(j, size)| (*size > ROUNDING * expected.condition).then_some(j))
            .collect();
        assert_eq!(found_contradicting, contradicting);
        for j in (0..=3 * n).filter(|j| !contradicting.contains(j)) {
            let (found, expected_column) = (found.column(j), expected.matrix.column(j));
            let error = (found - expected_column).amax();
            let bound = ROUNDING * expected.condition * (1.0 + expected_column.amax());
            assert!(error <= bound, "{modes} column {j}: {error:e} ({bound:e})");
        }
    }
}

/// Rounding of some dozens of operations, to be multiplied by the condition of the equations.
const ROUNDING: f64 = 1e-14;

fn initial(mode: HeldMode) -> char {
    match mode {
        HeldMode::Open => 'o',
        HeldMode::Stick => '-',
        HeldMode::Slide(_) => 's',
    }
}

fn ground(material: Material) -> Terrain {
    Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], material)
}

/// A block of 1 m × 0.6 m × 0.2 m on the ground with some of its four lower corners.
fn block(base: Base, friction: f64, corners: usize) -> Case {
    let model = ModelBuilder::new("block")
        .base(base)
        .link(Link::new("block").solid_box(2.0, [1.0, 0.6, 0.2], Vector3::new(0.1, 0.05, 0.0)))
        .build()
        .expect("a valid model");
    let material = Material::new(friction, 0.0);
    let sites = Site::box_corners(
        &model,
        "corner",
        "block",
        &Pose::identity(),
        [1.0, 0.6, 0.2],
        material,
    )
    .expect("valid sites");
    let sites = sites[4 - corners..4].to_vec();
    let contacts = Contacts::new(
        &model,
        sites,
        vec![ground(material)],
        &[],
        Combination::Minimum,
    )
    .expect("valid contacts");
    let mut q = model.neutral_configuration();
    q[if base == Base::Floating { 2 } else { 1 }] = 0.1;
    Case::new(model, contacts, q)
}

#[test]
fn planar_blocks_stick_slide_and_tip() {
    for (friction, stuck, sliding) in [(0.0, "----", "----"), (0.5, "----", "ssss")] {
        let mut case = block(Base::Planar, friction, 4);
        case.check(stuck, &[]);
        case.v[0] = 1.0;
        case.check(sliding, &[]);
        // Tipped onto the edge in front.
        case.applied[2] = 30.0;
        let tipped = format!("o{0}o{0}", &sliding[..1]);
        case.check(&tipped, &[]);
    }
}

#[test]
fn blocks_stick_slide_and_tip() {
    let mut case = block(Base::Floating, 0.5, 4);
    case.check("----", &[]);
    case.v[0] = 1.0;
    case.v[1] = 0.5;
    case.check("ssss", &[]);
    // On three corners, so that the turning block has one way only to share its weight.
    let mut case = block(Base::Floating, 0.5, 3);
    case.v.copy_from_slice(&[1.0, 0.5, 0.0, 0.0, 0.0, 0.8]);
    case.check("sss", &[]);
    // Tipped onto the edge in front, and lifted but for one corner.
    let mut case = block(Base::Floating, 0.5, 4);
    case.v.copy_from_slice(&[1.0, 0.5, 0.0, 0.0, 0.0, 0.8]);
    case.applied[4] = 30.0;
    case.check("osos", &[]);
    case.applied[4] = 0.0;
    case.applied[2] = 30.0;
    case.check("ooos", &[]);
}

/// The six-legged robot on its feet, legs upright or turned.
fn standing(angles: [f64; 6]) -> Case {
    let model = hexapod().expect("a valid model");
    let material = Material::new(0.8, 0.0);
    let feet: Vec<Site> = model
        .links()
        .iter()
        .filter(|l| l.name != "body")
        .map(|l| Site::point(&model, &l.name, &l.name, [0.0, 0.0, -0.17], material))
        .collect::<Result<_, _>>()
        .expect("the links exist");
    let contacts = Contacts::new(
        &model,
        feet,
        vec![ground(material)],
        &[],
        Combination::Minimum,
    )
    .expect("valid contacts");
    let mut q = model.neutral_configuration();
    q[2] = 0.17 * angles[0].cos();
    q[7..].copy_from_slice(&angles);
    Case::new(model, contacts, q)
}

#[test]
fn a_hexapod_stands_and_sways_on_redundant_feet() {
    let mut case = standing([0.0; 6]);
    case.check("------", &[]);
    // All legs turn alike. A change of one leg's angle leaves feet no way to stay where they are.
    case.v[0] = 0.3;
    case.v[6..].fill(0.3 / 0.17);
    case.check("------", &[6, 7, 8, 9, 10, 11]);
    standing([0.3, -0.3, 0.3, 0.3, -0.3, -0.3]).check("------", &[6, 7, 8, 9, 10, 11]);
}

/// A body on two legs with knees, all moved by one coordinate: shins mimic thighs, and the right thigh the left one.
fn crouching() -> Case {
    let (segment, angle) = (0.3_f64, 0.4_f64);
    let rod = |name: &str| Link::new(name).rod(0.4, Vector3::zeros(), Vector3::z() * -segment);
    let hinge = |name: &str, parent: &str, child: &str, origin: [f64; 3]| {
        Joint::revolute(name, parent, child)
            .origin(origin, [0.0; 3])
            .axis([0.0, 1.0, 0.0])
    };
    let knee = [0.0, 0.0, -segment];
    let model = ModelBuilder::new("crouching")
        .base(Base::Floating)
        .link(Link::new("body").solid_box(3.0, [0.3, 0.4, 0.2], Vector3::zeros()))
        .link(rod("left_thigh"))
        .link(rod("left_shin"))
        .link(rod("right_thigh"))
        .link(rod("right_shin"))
        // The coordinate stands at the end of the chain, and its leader behind two of its followers.
        .joint(hinge("a", "body", "left_thigh", [-0.1, -0.2, 0.0]).mimics("c", 1.0, 0.0))
        .joint(hinge("b", "left_thigh", "left_shin", knee).mimics("a", -2.0, 0.0))
        .joint(hinge("c", "body", "right_thigh", [0.1, 0.2, 0.0]).armature(0.02))
        .joint(hinge("d", "right_thigh", "right_shin", knee).mimics("c", -1.7, 0.0))
        .build()
        .expect("a valid model");
    let material = Material::new(0.8, 0.0);
    // The left foot is below its hip; the right shin ends at the same height.
    let height = 2.0 * segment * angle.cos();
    let reach = (height - segment * angle.cos()) / (0.7 * angle).cos();
    let foot = |name: &str, link: &str, z: f64| {
        Site::point(&model, name, link, [0.0, 0.0, -z], material).expect("the link exists")
    };
    let feet = vec![
        foot("left", "left_shin", segment),
        foot("right", "right_shin", reach),
    ];
    let terrains = vec![ground(material)];
    let contacts =
        Contacts::new(&model, feet, terrains, &[], Combination::Minimum).expect("valid contacts");
    let mut q = model.neutral_configuration();
    q[2] = height;
    q[7] = angle;
    Case::new(model, contacts, q)
}

#[test]
fn joints_that_share_a_coordinate_stand_and_slide() {
    let mut case = crouching();
    // About what keeps the knees from giving way.
    case.applied[6] = -7.4;
    case.check("--", &[]);
    case.v[0] = 1.0;
    case.check("ss", &[]);
}

/// A wheel that rolls, and one that slips.
#[test]
fn wheels_roll_and_slip() {
    for base in [Base::Planar, Base::Floating] {
        for (friction, spin, mode) in [(0.6, 2.0, "-"), (0.3, 3.0, "s")] {
            let material = Material::new(friction, 0.0);
            let inertia = Matrix3::from_diagonal(&Vector3::new(0.2, 0.375, 0.2));
            let model = ModelBuilder::new("wheel")
                .base(base)
                .link(Link::new("disc").inertial(3.0, Vector3::zeros(), inertia))
                .build()
                .expect("a valid model");
            let edge = SiteShape::DiscEdge {
                axis: Vector3::y(),
                radius: 0.5,
            };
            let site = Site::new(&model, "rim", "disc", [0.0; 3], edge, material).expect("a site");
            let terrains = vec![ground(material)];
            let contacts = Contacts::new(&model, vec![site], terrains, &[], Combination::Minimum)
                .expect("valid contacts");
            let (q, v) = match base {
                Base::Floating => {
                    // Leaning by 0.3 rad about x.
                    let turn = quaternion_exp(&Vector3::new(0.3, 0.0, 0.0));
                    let height = 0.5 * 0.3_f64.cos();
                    let q = [&[0.0, 0.0, height][..], &turn].concat();
                    (q, vec![1.0, 0.0, 0.0, 0.0, spin, 0.2])
                }
                _ => (vec![0.0, 0.5, 0.4], vec![1.0, 0.0, spin]),
            };
            let mut case = Case::new(model, contacts, q);
            case.v = v;
            case.check(mode, &[]);
        }
    }
}

/// Two arms on one body. The round end of the left one presses against that of the other, or against a
/// knob on the body (which is the world for a fixed base), which has no friction: in one degree of
/// freedom it would be between sticking and sliding.
fn arms(base: Base, other: &str) -> Case {
    let material = Material::new(if other == "knob" { 0.0 } else { 0.5 }, 0.0);
    let body = Link::new("body").solid_box(2.0, [0.4, 0.3, 0.2], Vector3::zeros());
    let mut builder = ModelBuilder::new("arms").base(base).link(body);
    for (name, x, axis) in [
        ("left", -0.3, [0.1, 1.0, 0.0]),
        ("right", 0.3, [0.0, 1.0, 0.2]),
    ] {
        let rod = Link::new(name).rod(0.5, Vector3::zeros(), Vector3::new(0.0, 0.0, 0.6));
        let joint = Joint::revolute(&format!("{name}_joint"), "body", name)
            .origin([x, 0.0, 0.1], [0.0; 3])
            .axis(axis);
        builder = builder.link(rod).joint(joint);
    }
    let model = builder.build().expect("a valid model");
    let ball = |name: &str, link: &str, center: [f64; 3]| {
        Site::sphere(&model, name, link, center, 0.1, material).expect("a site")
    };
    let sites = vec![
        ball("left", "left", [0.0, 0.0, 0.6]),
        ball("right", "right", [0.0, 0.0, 0.6]),
        ball("knob", "body", [0.05, 0.04, 0.65]),
    ];
    let pairs = [["left".to_string(), other.to_string()]];
    let contacts =
        Contacts::new(&model, sites, vec![], &pairs, Combination::Minimum).expect("valid contacts");
    let mut q = model.neutral_configuration();
    let first = q.len() - 2;
    // Turned towards each other until the balls touch.
    let mut kinematics = Kinematics::new(&model);
    let mut bounds = [0.0, 0.7];
    for _ in 0..60 {
        let angle = 0.5 * (bounds[0] + bounds[1]);
        q[first] = angle;
        q[first + 1] = -angle;
        kinematics.update_placements(&model, &q);
        let apart = contacts.gap(&kinematics, 0) > 0.0;
        bounds[usize::from(!apart)] = angle;
    }
    Case::new(model, contacts, q)
}

#[test]
fn bodies_touch_each_other_and_the_world() {
    for base in [Base::Fixed, Base::Floating] {
        for other in ["right", "knob"] {
            let mut case = arms(base, other);
            let n = case.model.dof();
            case.applied[n - 2] = 5.0;
            case.applied[n - 1] = -6.0;
            if other == "knob" {
                case.check("-", &[]);
                continue;
            }
            // Turned by one of the arms the ends would have to slip.
            case.check("-", &[n - 2, n - 1]);
            case.v[n - 2] = 0.5;
            case.v[n - 1] = 0.45;
            if base == Base::Floating {
                case.v[1] = 0.3;
                case.v[4] = -0.7;
            }
            case.check("s", &[]);
        }
    }
}
