//! The class `Model`: a robot and its dynamics.

use std::path::PathBuf;
use std::sync::Arc;

use nalgebra::{DMatrix, Vector3};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde::de::DeserializeOwned;

use super::exchange::{Answered, argument, matrix, raise, vector};
use crate::dynamics::{
    ArticulatedFactor, Kinematics, bias_forces, center_of_mass, gravity_energy, inverse_dynamics,
    kinetic_energy, mass_matrix, spring_energy,
};
use crate::model::urdf::{LoadOptions, load, parse};
use crate::model::{Base, Mimic, Model as Robot, ModelBuilder};

/// A robot: the immutable tree of its bodies. All methods leave it as it is; any number of threads may share it.
///
/// n = `nv` is the number of velocities, `nq` that of configurations (one more for a floating base). Numbers must be
/// finite and configurations those of the robot, otherwise `errors.ModelError` or `errors.ArgumentError` is raised.
#[pyclass(frozen, name = "Model", module = "carom")]
pub struct Model(pub Arc<Robot>);

/// One of the words of an enumeration.
fn word<T: DeserializeOwned>(what: &str, given: &str, words: &str) -> Answered<T> {
    serde_json::from_value(serde_json::Value::String(given.to_string()))
        .map_err(|_| argument(format!("{what} is {given:?}, it must be {words}")))
}

/// Pairs of texts of a dictionary.
fn pairs(given: Option<&Bound<'_, PyDict>>) -> Answered<Vec<(String, String)>> {
    let entries = given.iter().flat_map(|dictionary| dictionary.iter());
    entries
        .map(|(name, value)| Ok((name.extract()?, value.str()?.to_string())))
        .collect()
}

/// The robot of a description.
fn built(
    described: ModelBuilder,
    base: &str,
    gravity: Option<&Bound<'_, PyAny>>,
    mimic: &str,
) -> Answered<Model> {
    let mut described = described
        .base(word::<Base>("base", base, "fixed, planar or floating")?)
        .mimic(word::<Mimic>("mimic", mimic, "coupled, free or fixed")?);
    if let Some(gravity) = gravity {
        let gravity = vector(gravity, "gravity", 3)?;
        described = described.gravity([gravity[0], gravity[1], gravity[2]]);
    }
    Ok(Model(Arc::new(described.build()?)))
}

impl Model {
    /// Placements of all bodies.
    fn placed(&self, q: &Bound<'_, PyAny>) -> Answered<(Vec<f64>, Kinematics<f64>)> {
        let q = vector(q, "q", self.0.configuration_len())?;
        self.0.check_configuration(&q)?;
        let mut kinematics = Kinematics::new(&self.0);
        kinematics.update_placements(&self.0, &q);
        Ok((q, kinematics))
    }

    /// Numbers of velocity, force or acceleration.
    fn rates(&self, given: &Bound<'_, PyAny>, what: &str) -> Answered<Vec<f64>> {
        let rates = vector(given, what, self.0.dof())?;
        match rates.iter().position(|x| !x.is_finite()) {
            Some(i) => Err(argument(format!(
                "{what}: the entry of \"{}\" is {}, it must be finite",
                self.0.coordinate_names()[i],
                rates[i]
            ))),
            None => Ok(rates),
        }
    }

    /// The vector that `work` makes of a configuration and of vectors of velocity, force or acceleration.
    fn computed<'py, const N: usize>(
        &self,
        q: &Bound<'py, PyAny>,
        rates: [(&Bound<'py, PyAny>, &str); N],
        work: impl FnOnce(&[f64], &Kinematics<f64>, [Vec<f64>; N]) -> Answered<Vec<f64>>,
    ) -> Answered<Bound<'py, PyArray1<f64>>> {
        let (from, kinematics) = self.placed(q)?;
        let mut read = [const { Vec::new() }; N];
        for (out, (given, what)) in read.iter_mut().zip(rates) {
            *out = self.rates(given, what)?;
        }
        let made = work(&from, &kinematics, read)?;
        Ok(PyArray1::from_vec(q.py(), made))
    }
}

#[pymethods]
impl Model {
    /// Reads a robot from a URDF file or from its text.
    ///
    /// `base` says how the root link is held, `gravity` (3,) is in m/s^2 and (0, 0, -9.81) where it is not given,
    /// `mimic` says what becomes of joints that mimic others, `packages` are folders for `package://name/...`, which is
    /// looked for in the folders above the file as well.
    #[staticmethod]
    #[pyo3(signature = (source, *, base="fixed", gravity=None, mimic="coupled", packages=None))]
    fn from_urdf(
        source: &Bound<'_, PyAny>,
        base: &str,
        gravity: Option<&Bound<'_, PyAny>>,
        mimic: &str,
        packages: Option<&Bound<'_, PyDict>>,
    ) -> Answered<Self> {
        if let Ok(text) = source.cast::<PyString>()
            && text.to_str()?.trim_start().starts_with('<')
        {
            let described = parse(text.to_str()?, "robot")?;
            return built(described, base, gravity, mimic);
        }
        Self::from_xacro(source, None, base, gravity, mimic, packages)
    }

    /// Reads a robot from a xacro file with `arguments`; else as `from_urdf`.
    #[staticmethod]
    #[pyo3(signature = (path, arguments=None, *, base="fixed", gravity=None, mimic="coupled", packages=None))]
    fn from_xacro(
        path: &Bound<'_, PyAny>,
        arguments: Option<&Bound<'_, PyDict>>,
        base: &str,
        gravity: Option<&Bound<'_, PyAny>>,
        mimic: &str,
        packages: Option<&Bound<'_, PyDict>>,
    ) -> Answered<Self> {
        let py = path.py();
        let path = super::exchange::source::path(path, "a robot's file")?;
        let folders = pairs(packages)?.into_iter();
        let options = LoadOptions {
            packages: folders
                .map(|(name, at)| (name, PathBuf::from(at)))
                .collect(),
            xacro_arguments: pairs(arguments)?,
            environment: false,
        };
        let described = py.detach(|| load(&path, &options))?;
        built(described, base, gravity, mimic)
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn base(&self) -> &'static str {
        match self.0.base() {
            Base::Fixed => "fixed",
            Base::Planar => "planar",
            Base::Floating => "floating",
        }
    }

    /// Entries of q.
    #[getter]
    fn nq(&self) -> usize {
        self.0.configuration_len()
    }

    /// Entries of v, of momenta and of generalized forces.
    #[getter]
    fn nv(&self) -> usize {
        self.0.dof()
    }

    /// Joints: entries of v that are not of the base.
    #[getter]
    fn nu(&self) -> usize {
        self.0.joint_coordinates().len()
    }

    /// [kg].
    #[getter]
    fn mass(&self) -> f64 {
        self.0.mass()
    }

    /// Acceleration [m/s^2], shape (3,).
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.0.gravity().as_slice())
    }

    /// Names of the nu joints, in the order of efforts.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        let of = |&i: &usize| self.0.coordinate_names()[i].clone();
        self.0.joint_coordinates().iter().map(of).collect()
    }

    #[getter]
    fn link_names(&self) -> Vec<String> {
        let links = self.0.links().iter();
        links.map(|link| link.name.clone()).collect()
    }

    /// Names of the entries of q.
    #[getter]
    fn configuration_names(&self) -> Vec<String> {
        self.0.configuration_names().to_vec()
    }

    /// Names of the entries of v.
    #[getter]
    fn coordinate_names(&self) -> Vec<String> {
        self.0.coordinate_names().to_vec()
    }

    /// Places of the joints in v, shape (nu,).
    #[getter]
    fn actuated<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let places = self.0.joint_coordinates().into_iter();
        PyArray1::from_iter(py, places.map(|i| i as i64))
    }

    /// Lowest and highest value of every entry of q [rad or m], infinite where there is none: shape (nq, 2).
    #[getter]
    fn position_limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let mut limits = DMatrix::from_fn(self.0.configuration_len(), 2, |_, side| {
            [f64::NEG_INFINITY, f64::INFINITY][side]
        });
        for body in self.0.leading_bodies() {
            if let Some((lower, upper)) = body.limits.position {
                limits[(body.q_index, 0)] = lower;
                limits[(body.q_index, 1)] = upper;
            }
        }
        matrix(py, &limits)
    }

    /// Largest effort at every entry of v [N m or N], infinite where there is none: shape (nv,).
    #[getter]
    fn effort_limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let mut limits = vec![f64::INFINITY; self.0.dof()];
        for body in self.0.leading_bodies() {
            if let Some(limit) = body.limits.effort {
                limits[body.v_index] = limit;
            }
        }
        PyArray1::from_vec(py, limits)
    }

    /// What a user of the robot's file should know.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().to_vec()
    }

    /// The configuration with every joint at zero and the base at the origin, shape (nq,).
    fn neutral<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.0.neutral_configuration())
    }

    /// Where velocity v (nv,) leads from q (nq,) in the time h [s], shape (nq,).
    fn integrate<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        h: f64,
    ) -> Answered<Bound<'py, PyArray1<f64>>> {
        self.computed(q, [(v, "v")], |from, _, [v]| {
            let mut to = vec![0.0; from.len()];
            self.0.integrate(from, &v, h, &mut to);
            Ok(to)
        })
    }

    /// M(q), shape (nv, nv).
    fn mass_matrix<'py>(&self, q: &Bound<'py, PyAny>) -> Answered<Bound<'py, PyArray2<f64>>> {
        let (_, kinematics) = self.placed(q)?;
        Ok(matrix(q.py(), &mass_matrix(&self.0, &kinematics)))
    }

    /// Generalized forces M(q) a + bias [N or N m], shape (nv,). Without springs and damping.
    fn inverse_dynamics<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        a: &Bound<'py, PyAny>,
    ) -> Answered<Bound<'py, PyArray1<f64>>> {
        self.computed(q, [(v, "v"), (a, "a")], |q, _, [v, a]| {
            Ok(inverse_dynamics(&self.0, q, &v, &a)?)
        })
    }

    /// Coriolis and centrifugal forces and weight, shape (nv,): what no acceleration takes.
    fn bias_forces<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
    ) -> Answered<Bound<'py, PyArray1<f64>>> {
        self.computed(q, [(v, "v")], |q, _, [v]| Ok(bias_forces(&self.0, q, &v)?))
    }

    /// Acceleration M(q)^-1 (forces - bias) [m/s^2 or rad/s^2], shape (nv,), in O(n). Without springs and damping.
    fn forward_dynamics<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        v: &Bound<'py, PyAny>,
        forces: &Bound<'py, PyAny>,
    ) -> Answered<Bound<'py, PyArray1<f64>>> {
        let given = [(v, "v"), (forces, "forces")];
        self.computed(q, given, |q, kinematics, [v, given]| {
            let bias = bias_forces(&self.0, q, &v)?;
            let net: Vec<f64> = given.iter().zip(&bias).map(|(f, b)| f - b).collect();
            let mut factor = ArticulatedFactor::new(&self.0);
            factor
                .factor(&self.0, kinematics)
                .map_err(|error| raise("ModelError", error.to_string()))?;
            let mut acceleration = vec![0.0; self.0.dof()];
            factor.solve(&self.0, kinematics, &net, &mut acceleration);
            Ok(acceleration)
        })
    }

    /// J of a point (3,) [m] of a link, in its frame, its origin where none is given: J v is the velocity of the point
    /// [m/s], then the angular velocity of the link [rad/s], both in axes of the world. Shape (6, nv).
    #[pyo3(signature = (q, link, point=None))]
    fn frame_jacobian<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        link: &str,
        point: Option<&Bound<'py, PyAny>>,
    ) -> Answered<Bound<'py, PyArray2<f64>>> {
        let (_, kinematics) = self.placed(q)?;
        let frame = self.0.link(link)?;
        let own = match point {
            Some(point) => Vector3::from_vec(vector(point, "point", 3)?),
            None => Vector3::zeros(),
        };
        let x = kinematics.world_point(frame.body, &frame.pose.point(&own));
        let mut jacobian = DMatrix::zeros(6, self.0.dof());
        kinematics.frame_jacobian(&self.0, frame.body, &x, &mut jacobian);
        Ok(matrix(q.py(), &jacobian))
    }

    /// Origin [m], shape (3,), and rotation, shape (3, 3), of a link in the world.
    #[allow(clippy::type_complexity, reason = "two arrays, as Python unpacks them")]
    fn frame_pose<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        link: &str,
    ) -> Answered<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>)> {
        let (_, kinematics) = self.placed(q)?;
        let frame = self.0.link(link)?;
        let point = |own: Vector3<f64>| kinematics.world_point(frame.body, &frame.pose.point(&own));
        let origin = point(Vector3::zeros());
        let rotation = DMatrix::from_fn(3, 3, |i, j| {
            let axis = Vector3::from_fn(|k, _| if k == j { 1.0 } else { 0.0 });
            (point(axis) - origin)[i]
        });
        Ok((
            PyArray1::from_slice(q.py(), origin.as_slice()),
            matrix(q.py(), &rotation),
        ))
    }

    /// [m], shape (3,).
    fn center_of_mass<'py>(&self, q: &Bound<'py, PyAny>) -> Answered<Bound<'py, PyArray1<f64>>> {
        let (_, kinematics) = self.placed(q)?;
        let center = center_of_mass(&self.0, &kinematics);
        Ok(PyArray1::from_slice(q.py(), center.as_slice()))
    }

    /// [J].
    fn kinetic_energy(&self, q: &Bound<'_, PyAny>, v: &Bound<'_, PyAny>) -> Answered<f64> {
        let (_, mut kinematics) = self.placed(q)?;
        kinematics.update_twists(&self.0, &self.rates(v, "v")?);
        Ok(kinetic_energy(&self.0, &kinematics))
    }

    /// Of gravity and springs [J].
    fn potential_energy(&self, q: &Bound<'_, PyAny>) -> Answered<f64> {
        let (q, kinematics) = self.placed(q)?;
        Ok(gravity_energy(&self.0, &kinematics) + spring_energy(&self.0, &kinematics, &q))
    }

    fn __repr__(&self) -> String {
        format!(
            "<carom.Model \"{}\": {} base, nq {}, nv {}, {} kg>",
            self.name(),
            self.base(),
            self.nq(),
            self.nv(),
            self.mass()
        )
    }
}
