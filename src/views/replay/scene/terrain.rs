//! Pieces of the fixed world as they are drawn.

use serde::Serialize;

use crate::contact::{Contacts, Drawn, HeightField};

/// A piece of the fixed world.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub(crate) enum TerrainPiece {
    /// Half-space.
    Plane {
        /// Its name.
        name: String,
        /// A point of the plane \[m\].
        point: [f64; 3],
        /// Unit outward normal.
        normal: [f64; 3],
    },
    /// Axis-aligned box.
    Box {
        /// Its name.
        name: String,
        /// Lowest corner \[m\].
        min: [f64; 3],
        /// Highest corner \[m\].
        max: [f64; 3],
    },
    /// Heights over a grid, at most 65 by 65 of them.
    Heights {
        /// Its name.
        name: String,
        /// x and y of the first height \[m\].
        origin: [f64; 2],
        /// Distances of heights along x and y \[m\].
        cell: [f64; 2],
        /// Heights \[m\], x along a row.
        rows: Vec<Vec<f64>>,
    },
}

/// Most heights along a side that are drawn.
const DRAWN_HEIGHTS: usize = 65;

pub(super) fn terrain(contacts: &Contacts) -> Vec<TerrainPiece> {
    let pieces = contacts.terrains().iter();
    pieces
        .filter_map(|terrain| piece(terrain.name.clone(), terrain.drawn()?))
        .collect()
}

fn piece(name: String, drawn: Drawn) -> Option<TerrainPiece> {
    Some(match drawn {
        Drawn::HalfSpace { point, normal } => TerrainPiece::Plane {
            name,
            point: point.into(),
            normal: normal.try_normalize(0.0).unwrap_or_default().into(),
        },
        Drawn::Box { min, max } => TerrainPiece::Box {
            name,
            min: min.into(),
            max: max.into(),
        },
        Drawn::Heights(field) => {
            let DrawnHeights { origin, cell, rows } = DrawnHeights::of(&field);
            TerrainPiece::Heights {
                name,
                origin,
                cell,
                rows,
            }
        }
        _ => return None,
    })
}

/// The heights of a field that are drawn.
pub(crate) struct DrawnHeights {
    /// x and y of the first \[m\].
    pub origin: [f64; 2],
    /// Distances along x and y \[m\].
    pub cell: [f64; 2],
    /// Rows along x \[m\].
    pub rows: Vec<Vec<f64>>,
}

impl DrawnHeights {
    pub fn of(field: &HeightField) -> Self {
        let counts = field.nodes().map(|n| n.min(DRAWN_HEIGHTS));
        let cell = [0, 1].map(|k| {
            let length = (field.nodes()[k] - 1) as f64 * field.cell()[k];
            length / (counts[k] - 1) as f64
        });
        let origin = field.origin();
        let height = |i: usize, j: usize| {
            let [x, y] = [(0, i), (1, j)].map(|(k, i)| origin[k] + i as f64 * cell[k]);
            field.at(x, y).value
        };
        let rows = (0..counts[1]).map(|j| (0..counts[0]).map(|i| height(i, j)).collect());
        Self {
            origin,
            cell,
            rows: rows.collect(),
        }
    }
}
