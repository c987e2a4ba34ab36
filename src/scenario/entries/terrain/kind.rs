//! A piece of terrain in a scenario file, of any kind.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plane::PlaneEntry;
use super::{MotionEntry, every_kind};
use crate::contact::{Material, Terrain};
use crate::scenario::{ExperimentCache, ScenarioError};

/// The keys of a kind of terrain.
pub(super) trait TerrainKind {
    /// How it moves, of a kind that can.
    fn motion(&self) -> Option<MotionEntry> {
        None
    }

    /// The file that it names, if any.
    fn file_mut(&mut self) -> Option<&mut PathBuf> {
        None
    }

    /// Reads that file into the entry, so that it needs none any more; `scenario` and `place` are what messages call the
    /// scenario and the entry.
    fn read(
        &mut self,
        _scenario: &str,
        _place: &str,
        _cache: &ExperimentCache,
    ) -> Result<(), ScenarioError> {
        Ok(())
    }

    /// The pieces that it stands for, or why there are none.
    fn build(&self, material: Material) -> Result<Vec<Terrain>, String>;
}

/// The enum of all kinds, with what each of them has by itself.
macro_rules! kinds {
    ($($(#[$says:meta])* $kind:ident($file:ident::$keys:ident),)*) => {
        /// A piece of terrain.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
        pub(crate) enum TerrainEntry {
            $($(#[$says])* $kind(super::$file::$keys),)*
        }

        impl TerrainEntry {
            fn keys(&self) -> &dyn TerrainKind {
                match self {
                    $(Self::$kind(keys) => keys,)*
                }
            }

            fn keys_mut(&mut self) -> &mut dyn TerrainKind {
                match self {
                    $(Self::$kind(keys) => keys,)*
                }
            }

            /// Its name; those of the pieces of a pattern begin with it.
            pub(crate) fn name(&self) -> &str {
                match self {
                    $(Self::$kind(keys) => &keys.name,)*
                }
            }

            /// Friction and restitution, where stated.
            pub(in crate::scenario::entries) fn material(&self) -> [Option<f64>; 2] {
                match self {
                    $(Self::$kind(keys) => [keys.friction, keys.restitution],)*
                }
            }

            /// The same, to be filled in.
            pub(crate) fn material_mut(&mut self) -> [&mut Option<f64>; 2] {
                match self {
                    $(Self::$kind(keys) => [&mut keys.friction, &mut keys.restitution],)*
                }
            }
        }
    };
}
every_kind!(kinds);

impl TerrainEntry {
    /// Level ground at height zero.
    pub(crate) fn level(name: &str) -> Self {
        Self::Plane(PlaneEntry::level(name))
    }

    /// Whether the piece moves as a whole.
    pub(crate) fn is_shaken(&self) -> bool {
        let motion = self.keys().motion();
        motion.is_some_and(|motion| motion.shake.is_some())
    }

    /// The file that it names, if any.
    pub(crate) fn file_mut(&mut self) -> Option<&mut PathBuf> {
        self.keys_mut().file_mut()
    }

    /// Reads the heights of a file into the entry, so that it needs none any more.
    pub(crate) fn read_heights(
        &mut self,
        file: &str,
        place: &str,
        cache: &ExperimentCache,
    ) -> Result<(), ScenarioError> {
        self.keys_mut().read(file, place, cache)
    }

    /// The pieces that it stands for; `file` and `place` are what messages call the scenario and the entry, `material`
    /// fills in what is not stated.
    pub(crate) fn build(
        &self,
        file: &str,
        place: &str,
        material: impl Fn(Option<f64>, Option<f64>) -> Material,
    ) -> Result<Vec<Terrain>, ScenarioError> {
        let [friction, restitution] = self.material();
        let keys = self.keys();
        let made = keys.build(material(friction, restitution));
        let moved = made.and_then(|mut pieces| {
            if let Some(motion) = keys.motion() {
                motion.set(&mut pieces)?;
            }
            Ok(pieces)
        });
        moved.map_err(|reason| ScenarioError::value(file, place, reason))
    }
}
