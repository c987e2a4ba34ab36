//! COLLADA 1.4 and 1.5: the geometries of the scene, placed by its nodes.

mod geometry;
mod transform;
mod words;

use std::collections::BTreeMap;

use nalgebra::Matrix4;

use super::{ColoredMesh, number, shown};
use crate::model::urdf::xml_tree::{Element, parse};
use transform::transform;
use words::numbers;

/// Nodes that are visited, each as often as it is an instance; nesting alone does not bound them.
const MOST_NODES: usize = 20_000;
/// Nesting of nodes, instances included: a node may hold an instance of itself.
const DEEPEST_NODE: usize = 64;

/// Reads the scene; all geometries where there is none.
pub(super) fn read(bytes: &[u8]) -> Result<ColoredMesh, String> {
    let text = String::from_utf8_lossy(bytes);
    let root = parse(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("line {}: {}", error.line, error.reason))?;
    if root.name != "COLLADA" {
        let name = shown(&root.name);
        return Err(format!(
            "its root element is <{name}>, COLLADA's is <COLLADA>"
        ));
    }
    let unit = match root
        .child("asset")
        .and_then(|asset| asset.child("unit")?.attribute("meter"))
    {
        Some(meter) => number(meter.trim())?,
        None => 1.0,
    };
    let mut reader = Reader {
        ids: BTreeMap::new(),
        nodes: 0,
        answer: ColoredMesh::default(),
    };
    index(&root, &mut reader.ids);
    let scenes: Vec<&Element> = library(&root, "library_visual_scenes")
        .filter(|element| element.name == "visual_scene")
        .collect();
    let shown = root
        .child("scene")
        .and_then(|scene| reader.target(scene.child("instance_visual_scene")?))
        .or(scenes.first().copied());
    let world = Matrix4::new_scaling(unit);
    match shown {
        Some(scene) => {
            for node in scene.children.iter().filter(|c| c.name == "node") {
                reader.node(node, &world, 0)?;
            }
        }
        None => {
            for geometry in library(&root, "library_geometries") {
                reader.geometry(geometry, &world, &[])?;
            }
        }
    }
    Ok(reader.answer)
}

/// What stands in all libraries of a kind.
fn library<'a>(root: &'a Element, name: &'a str) -> impl Iterator<Item = &'a Element> {
    let libraries = root.children.iter().filter(move |c| c.name == name);
    libraries.flat_map(|library| &library.children)
}

/// Elements by their identifiers; the first one, should two have the same.
fn index<'a>(element: &'a Element, ids: &mut BTreeMap<&'a str, &'a Element>) {
    if let Some(id) = element.attribute("id") {
        ids.entry(id).or_insert(element);
    }
    for child in &element.children {
        index(child, ids);
    }
}

struct Reader<'a> {
    ids: BTreeMap<&'a str, &'a Element>,
    nodes: usize,
    answer: ColoredMesh,
}

impl<'a> Reader<'a> {
    fn by_reference(&self, reference: &str) -> Option<&'a Element> {
        self.ids.get(reference.strip_prefix('#')?).copied()
    }

    fn target(&self, instance: &Element) -> Option<&'a Element> {
        self.by_reference(instance.attribute("url")?)
    }

    fn node(
        &mut self,
        node: &'a Element,
        above: &Matrix4<f64>,
        depth: usize,
    ) -> Result<(), String> {
        self.nodes += 1;
        if depth > DEEPEST_NODE || self.nodes > MOST_NODES {
            return Err("its nodes are nested too deep or hold one another".to_string());
        }
        let mut placed = *above;
        for child in &node.children {
            if let Some(step) = transform(child)? {
                placed *= step;
            }
        }
        for child in &node.children {
            match child.name.as_str() {
                "node" => self.node(child, &placed, depth + 1)?,
                "instance_node" => {
                    if let Some(node) = self.target(child) {
                        self.node(node, &placed, depth + 1)?;
                    }
                }
                "instance_geometry" => {
                    if let Some(geometry) = self.target(child) {
                        let materials = self.materials(child);
                        self.geometry(geometry, &placed, &materials)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn materials(&self, instance: &'a Element) -> Vec<(&'a str, [f64; 3])> {
        let bound = instance
            .child("bind_material")
            .and_then(|bind| bind.child("technique_common"));
        let bound = bound.into_iter().flat_map(|technique| &technique.children);
        bound
            .filter_map(|material| {
                let symbol = material.attribute("symbol")?;
                let effect = self
                    .by_reference(material.attribute("target")?)?
                    .child("instance_effect")?;
                Some((symbol, diffuse(self.target(effect)?)?))
            })
            .collect()
    }
}

/// Diffuse colour of an effect, if it is one and no texture.
fn diffuse(effect: &Element) -> Option<[f64; 3]> {
    let technique = effect.child("profile_COMMON")?.child("technique")?;
    let models = ["lambert", "phong", "blinn", "constant"];
    let model = (technique.children.iter()).find(|c| models.contains(&c.name.as_str()))?;
    let color = &model.child("diffuse")?.child("color")?.text;
    let color = numbers::<3>(&mut color.split_ascii_whitespace()).ok()?;
    let shade = |x: &f64| (0.0..=1.0).contains(x);
    color.iter().all(shade).then_some(color)
}

/// A square in two colours, in cm, turned about z.
#[cfg(test)]
pub(in crate::model::mesh) const SAMPLE: &str = r##"<COLLADA version="1.4.1"><asset><unit meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique><phong><diffuse><color>1 0.5 0 1</color></diffuse></phong></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array count="12">0 0 0 100 0 0 100 100 0 0 100 0</float_array>
<technique_common><accessor stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<triangles material="orange"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" offset="1"/>
<p>0 0 1 0 2 0</p></triangles>
<polylist><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>
<tristrips><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 3 2</p></tristrips>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node id="n"><translate>0 0 100</translate><rotate>0 0 1 90</rotate>
<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="orange" target="#m"/></technique_common></bind_material></instance_geometry>
</node><node><scale>-1 1 1</scale><instance_node url="#n"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#w"/></scene></COLLADA>"##;

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    /// Signed area of a triangle about z \[m²\].
    fn area(read: &ColoredMesh, triangle: usize) -> f64 {
        let [a, b, c] =
            read.mesh.triangles[triangle].map(|i| Vector3::from(read.mesh.vertices[i as usize]));
        (b - a).cross(&(c - a)).z / 2.0
    }

    #[test]
    fn nodes_place_geometries_in_metres() {
        let read = read(SAMPLE.as_bytes()).unwrap();
        // Five triangles of each of the two instances.
        assert_eq!(read.mesh.triangles.len(), 10);
        // Corner (1, 0, 0) m of the square is at (0, 1, 1) m: turned by 90°, 1 m up. Rounding: cos(π/2).
        let corner = Vector3::from(read.mesh.vertices[1]);
        assert!((corner - Vector3::new(0.0, 1.0, 1.0)).norm() < 1e-15);
        assert_eq!(
            read.colors,
            [(0..1, [1.0, 0.5, 0.0]), (5..6, [1.0, 0.5, 0.0])]
        );
        // All look up, those of the mirrored instance too.
        for triangle in 0..10 {
            assert!((area(&read, triangle) - 0.5).abs() < 1e-12, "{triangle}");
        }
    }

    #[test]
    fn what_holds_itself_or_is_missing_is_an_error() {
        let changed = |from: &str, to: &str| read(SAMPLE.replacen(from, to, 1).as_bytes());
        let own = changed(
            "<instance_geometry url=\"#g\">",
            "<instance_node url=\"#n\"/><instance_geometry url=\"#g\">",
        );
        assert!(own.unwrap_err().contains("hold one another"));
        assert!(
            changed("0 0 1 0 2 0", "0 0 1 0 9 0")
                .unwrap_err()
                .contains("corner 9 of 4")
        );
        assert!(
            changed("source=\"#s\"", "source=\"#x\"")
                .unwrap_err()
                .contains("missing")
        );
        assert!(
            changed("0 0 1 90", "0 0 1")
                .unwrap_err()
                .contains("<rotate>")
        );
        assert!(changed("COLLADA", "robot").is_err());
        // Without a scene all geometries are taken.
        let plain = changed("instance_visual_scene", "none").unwrap();
        assert_eq!(plain.mesh.triangles.len(), 10);
    }
}
