//! Colours of visual shapes: a material's own, or the one of the same name at the top of the file.

use std::collections::BTreeMap;

use super::xml_tree::Element;

/// Red, green and blue from 0 to 1, by the names of materials.
pub(super) struct Materials(BTreeMap<String, [f64; 3]>);

impl Materials {
    /// Those of a robot: materials at the top, then those that visual shapes name and colour.
    pub(super) fn of(robot: &Element) -> Self {
        let mut named = BTreeMap::new();
        let links = robot.children.iter().filter(|c| c.name == "link");
        let visuals = links.flat_map(|link| link.children.iter().filter(|c| c.name == "visual"));
        let inner = visuals.filter_map(|visual| visual.child("material"));
        let top = robot.children.iter().filter(|c| c.name == "material");
        for material in top.chain(inner) {
            if let (Some(name), Some(color)) = (material.attribute("name"), color(material)) {
                named.entry(name.to_string()).or_insert(color);
            }
        }
        Self(named)
    }

    /// The colour of a visual element, if it has one that can be read.
    pub(super) fn color(&self, visual: &Element) -> Option<[f64; 3]> {
        let material = visual.child("material")?;
        color(material).or_else(|| self.0.get(material.attribute("name")?).copied())
    }
}

fn color(material: &Element) -> Option<[f64; 3]> {
    let text = material.child("color")?.attribute("rgba")?;
    let mut parts = text.split_ascii_whitespace().map(str::parse::<f64>);
    let mut next = || parts.next()?.ok().filter(|x| (0.0..=1.0).contains(x));
    Some([next()?, next()?, next()?])
}

#[cfg(test)]
mod tests {
    use super::super::xml_tree::parse;
    use super::Materials;

    #[test]
    fn a_colour_is_a_visuals_own_or_that_of_its_name() {
        let text = "<robot><material name='blue'><color rgba='0 0 1 1'/></material><link>\
            <visual><material name='blue'/></visual>\
            <visual><material name=''><color rgba='1 0.5 0 1'/></material></visual>\
            <visual><material name='none'/></visual>\
            <visual><material name='x'><color rgba='2 0 0 1'/></material></visual><visual/></link></robot>";
        let robot = parse(text).unwrap();
        let materials = Materials::of(&robot);
        let visuals = &robot.child("link").unwrap().children;
        let colors: Vec<_> = visuals.iter().map(|v| materials.color(v)).collect();
        let blue = Some([0.0, 0.0, 1.0]);
        assert_eq!(colors, [blue, Some([1.0, 0.5, 0.0]), None, None, None]);
    }
}
