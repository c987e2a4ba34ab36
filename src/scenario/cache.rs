//! What experiments read from files and build, kept for the next ones.
//!
//! The runs of a sweep differ in a few keys, most of which change neither the robot nor a file. What is kept is found by
//! everything that it is made from, compared value by value, so that an experiment made with a cache is the one that is
//! made without. A file is read once: what becomes of it later is not seen.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::{GaitEntry, RobotEntry, ScenarioError, SpringEntry};
use crate::contact::hull;
use crate::model::mesh::MeshError;
use crate::model::urdf::LoadOptions;
use crate::model::{LinkMesh, Model, ModelBuilder};

/// Things of one kind that are kept; the first ones, since of a robot that is another one in every run none comes again.
const MOST: usize = 64;

/// Values by what they are made from.
#[derive(Debug)]
struct Kept<K, V>(RwLock<Vec<(K, V)>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(RwLock::new(Vec::new()))
    }
}

impl<K: PartialEq + Clone, V: Clone> Kept<K, V> {
    /// The value of `key`, which `make` makes the first time. Errors are not kept.
    fn get<E>(&self, key: &K, make: impl FnOnce() -> Result<V, E>) -> Result<V, E> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = known.iter().find(|(own, _)| own == key) {
            return Ok(value.clone());
        }
        drop(known);
        // Two threads may both make it: the same value.
        let made = make()?;
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST && !known.iter().any(|(own, _)| own == key) {
            known.push((key.clone(), made.clone()));
        }
        Ok(made)
    }
}

/// A robot as its file describes it, and the text of its plain URDF.
#[derive(Debug)]
pub(super) struct Described {
    pub builder: ModelBuilder,
    pub text: Arc<str>,
}

type Hull = Result<Vec<[f64; 3]>, MeshError>;

/// Robots, meshes, heights and gaits that were read, and robots that were built: what
/// [`Experiment::cached`](super::Experiment::cached) takes again where the keys are the same. Threads may share it.
#[derive(Debug, Default)]
pub struct ExperimentCache {
    described: Kept<(PathBuf, LoadOptions), Arc<Described>>,
    models: Kept<(RobotEntry, Vec<SpringEntry>), Arc<Model>>,
    hulls: Kept<LinkMesh, Arc<Hull>>,
    heights: Kept<PathBuf, Arc<Vec<Vec<f64>>>>,
    gaits: Kept<GaitEntry, GaitEntry>,
}

impl ExperimentCache {
    /// The robot of a file.
    pub(super) fn described(&self, robot: &RobotEntry) -> Result<Arc<Described>, ScenarioError> {
        let key = (robot.file.clone(), robot.load_options());
        self.described.get(&key, || {
            let (builder, text) = robot.load()?;
            let text = text.into();
            Ok(Arc::new(Described { builder, text }))
        })
    }

    /// The robot that `make` builds of an entry and springs.
    pub(super) fn model(
        &self,
        robot: &RobotEntry,
        springs: &[SpringEntry],
        make: impl FnOnce() -> Result<Model, ScenarioError>,
    ) -> Result<Arc<Model>, ScenarioError> {
        let key = (robot.clone(), springs.to_vec());
        self.models.get(&key, || Ok(Arc::new(make()?)))
    }

    /// Points of the convex hull of a mesh; what cannot be read is kept as that.
    pub(super) fn hull(&self, mesh: &LinkMesh) -> Hull {
        let found = self
            .hulls
            .get(mesh, || Ok::<_, MeshError>(Arc::new(hull(mesh))));
        found.and_then(|hull| (*hull).clone())
    }

    /// The heights of a file, read by `read`.
    pub(super) fn heights<E>(
        &self,
        file: &Path,
        read: impl FnOnce(&Path) -> Result<Vec<Vec<f64>>, E>,
    ) -> Result<Arc<Vec<Vec<f64>>>, E> {
        let key = file.to_path_buf();
        self.heights.get(&key, || Ok(Arc::new(read(file)?)))
    }

    /// A gait with its table in place of its name or file.
    pub(super) fn gait(
        &self,
        scenario: &str,
        gait: &GaitEntry,
    ) -> Result<GaitEntry, ScenarioError> {
        self.gaits.get(gait, || gait.resolved(scenario))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::LawRegistry;
    use crate::scenario::{Experiment, Scenario};

    fn text(robot: &Path, more: &str) -> String {
        format!(
            "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = {robot:?}\nbase = \"planar\"\n{more}\n"
        )
    }

    #[test]
    fn what_is_kept_is_what_is_read() {
        let folder = std::env::temp_dir().join(format!("carom-cache-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let robot = folder.join("robot.urdf");
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/trex/trex_optimized.urdf");
        std::fs::copy(shipped, &robot).unwrap();
        let (laws, cache) = (LawRegistry::standard(), ExperimentCache::default());
        let make = |more: &str| {
            let scenario = Scenario::parse("test", &text(&robot, more), &[]).unwrap();
            Experiment::cached("test", scenario, &laws, &cache)
        };
        let first = make("").unwrap();
        // What does not change the robot shares it; what does, does not.
        let rough = make("[contact]\nfriction = 0.5").unwrap();
        assert!(Arc::ptr_eq(&first.model, &rough.model));
        let heavy = make("mass_scale = { tail = 2.0 }").unwrap();
        assert!(heavy.model.mass() > first.model.mass());
        let springs = "[[spring]]\njoint = \"phi_T\"\nstiffness = 2.0";
        assert!(!Arc::ptr_eq(&first.model, &make(springs).unwrap().model));
        // The same as without a cache, to the bytes that name a run.
        for more in ["", "mass_scale = { tail = 2.0 }", springs] {
            let scenario = Scenario::parse("test", &text(&robot, more), &[]).unwrap();
            let alone = Experiment::new("test", scenario).unwrap();
            let cached = make(more).unwrap();
            assert_eq!(cached.hash().unwrap(), alone.hash().unwrap());
            assert_eq!(cached.model, alone.model);
        }
        // Its file is not needed again.
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(make("[contact]\nfriction = 0.25").is_ok());
        assert!(make("allow_env = true").is_err());
    }

    #[test]
    fn the_first_are_kept() {
        let kept = Kept::default();
        let made = std::cell::Cell::new(0);
        let get = |key: usize| {
            kept.get(&key, || {
                made.set(made.get() + 1);
                Ok::<_, ()>(key)
            })
        };
        for key in (0..MOST + 1).chain(0..MOST + 1) {
            assert_eq!(get(key), Ok(key));
        }
        // All once, and the one too many twice.
        assert_eq!(made.get(), MOST + 2);
        assert_eq!(kept.get(&usize::MAX, || Err::<usize, _>("no")), Err("no"));
    }
}
