//! The robots of a scenario: one table `[robot]`, or a list `[[robot]]`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::RobotEntry;
use crate::scenario::ScenarioError;

/// The robots of a scenario, at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Robots {
    first: RobotEntry,
    others: Vec<RobotEntry>,
}

impl From<RobotEntry> for Robots {
    fn from(robot: RobotEntry) -> Self {
        Self {
            first: robot,
            others: Vec::new(),
        }
    }
}

impl Robots {
    /// The only robot, or the first of several.
    #[must_use]
    pub fn first(&self) -> &RobotEntry {
        &self.first
    }

    /// The same, to be changed.
    pub fn first_mut(&mut self) -> &mut RobotEntry {
        &mut self.first
    }

    /// All robots in order.
    pub fn iter(&self) -> impl Iterator<Item = &RobotEntry> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The same, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut RobotEntry> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// Number of robots.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is always one")]
    pub fn len(&self) -> usize {
        1 + self.others.len()
    }

    /// Whether the names of a robot begin with its own: there are several, or the only one has a name.
    #[must_use]
    pub fn are_named(&self) -> bool {
        self.first.name.is_some()
    }

    /// The restitutions of limits of joints that are written, with their places.
    pub(crate) fn written_restitutions(&self) -> impl Iterator<Item = (String, f64)> {
        self.iter().enumerate().flat_map(|(i, robot)| {
            let place = self.place(i);
            let written = robot.joint.iter().filter_map(|(name, joint)| {
                Some((name, joint.restitution?)).filter(|_| robot.limits)
            });
            written.map(move |(name, x)| (format!("{place}.joint.{name}.restitution"), x))
        })
    }

    /// What messages call the entry of robot i.
    pub(crate) fn place(&self, i: usize) -> String {
        match self.iter().nth(i).and_then(|robot| robot.name.as_ref()) {
            Some(name) => format!("robot[{i}] \"{name}\""),
            None => "robot".to_string(),
        }
    }

    /// Checks what concerns the robots together; `file` is what messages call the scenario.
    pub(crate) fn check(&self, file: &str) -> Result<(), ScenarioError> {
        let several = !self.others.is_empty();
        for (i, robot) in self.iter().enumerate() {
            let wrong = |reason: String| Err(ScenarioError::value(file, self.place(i), reason));
            if several && robot.name.is_none() {
                let place = format!("robot[{i}]");
                let reason = "there are several robots; give each a name";
                return Err(ScenarioError::value(file, place, reason));
            }
            robot.check(file, &self.place(i))?;
            if self.iter().take(i).any(|other| other.name == robot.name) {
                return wrong("there are two robots of this name".to_string());
            }
            let (own, scene) = (robot.gravity, self.first.gravity);
            // The first is compared with itself otherwise, which a number that is none is not equal to.
            if i > 0 && own != scene && own != super::standard_gravity() {
                let reason = format!(
                    "its gravity is {own:?}, that of the first robot {scene:?}; all are in one field: state it in the first alone"
                );
                return wrong(reason);
            }
        }
        Ok(())
    }
}

impl Serialize for Robots {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.others.is_empty() {
            return self.first.serialize(serializer);
        }
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Robots {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Not an untagged enum: that would hide which key is wrong.
        deserializer.deserialize_any(RobotsVisitor)
    }
}

struct RobotsVisitor;

impl<'de> Visitor<'de> for RobotsVisitor {
    type Value = Robots;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table [robot], or several [[robot]]")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Robots, A::Error> {
        RobotEntry::deserialize(MapAccessDeserializer::new(map)).map(Robots::from)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Robots, A::Error> {
        use serde::de::Error;
        let mut robots =
            Vec::<RobotEntry>::deserialize(SeqAccessDeserializer::new(list))?.into_iter();
        let first = robots.next().ok_or_else(|| {
            A::Error::custom("the list of robots is empty; give [robot], or several [[robot]]")
        })?;
        Ok(Robots {
            first,
            others: robots.collect(),
        })
    }
}

/// As it is read above.
impl JsonSchema for Robots {
    fn schema_name() -> Cow<'static, str> {
        "Robots".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let robot = generator.subschema_for::<RobotEntry>();
        json_schema!({
            "anyOf": [robot, {"type": "array", "minItems": 1, "items": robot}]
        })
    }
}
