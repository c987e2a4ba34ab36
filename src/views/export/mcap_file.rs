//! `run.mcap`: a run for Foxglove and Rerun, in the message types of Foxglove (protobuf).
//!
//! | topic | type | what |
//! |---|---|---|
//! | `/tf` | `foxglove.FrameTransforms` | every link in the frame `world`, at every row of the series |
//! | `/joint_states` | `foxglove.JointStates` | position and velocity of every joint |
//! | `/scene` | `foxglove.SceneUpdate` | shapes of links, terrain, impulses at impacts |
//! | `/log` | `foxglove.Log` | events in words; a warning where an impact was not unique |
//! | `/events` | JSON, `carom.Event` | events with their verdicts and impulses |
//! | `/series` | JSON, `carom.Series` | energies, gaps and forces of `series.csv` |
//!
//! The scenario and the robot are attached.

use std::borrow::Cow;
use std::io::Cursor;
use std::path::Path;

use foxglove::Encode;
use foxglove::messages::{
    FrameTransform, FrameTransforms, JointState, JointStates, Log, Timestamp, log,
};
use mcap::records::{MessageHeader, Metadata};
use mcap::{Attachment, McapError, WriteOptions, Writer};

use super::ExportError;
use super::mcap_scene::{impact_update, quaternion, scene_update, vector};
use crate::dynamics::Kinematics;
use crate::files::write_whole;
use crate::impact::Verdict;
use crate::record::{EventRow, RunSeries};
use crate::scenario::{Experiment, joints};
use crate::views::replay::{ReplayEvent, replay_events};

/// The frame that all links are placed in.
pub(crate) const WORLD: &str = "world";

/// Writes the file beside those of the finished run in `folder`.
///
/// # Errors
/// A table is missing or damaged, or the file cannot be written.
pub(crate) fn write_mcap(experiment: &Experiment, folder: &Path) -> Result<(), ExportError> {
    let series = RunSeries::read(&folder.join("series.csv"))?;
    let rows = EventRow::read(&folder.join("events.csv"))?;
    let events = replay_events(experiment, &rows);
    let path = folder.join("run.mcap");
    let bytes = encode(experiment, &series, &events).map_err(|e| ExportError::Encoding {
        path: path.clone(),
        reason: e.to_string(),
    })?;
    write_whole(&path, |out| out.write_all(&bytes))?;
    Ok(())
}

/// Nanoseconds since the start of the run.
fn nanoseconds(time: f64) -> u64 {
    (time.max(0.0) * 1e9).round() as u64
}

/// The same as a timestamp of a message.
pub(crate) fn timestamp(time: f64) -> Timestamp {
    let total = nanoseconds(time);
    Timestamp::new(
        (total / 1_000_000_000) as u32,
        (total % 1_000_000_000) as u32,
    )
}

/// One topic.
struct Channel {
    id: u16,
    sequence: u32,
}

/// A file that grows in memory.
struct File {
    writer: Writer<Cursor<Vec<u8>>>,
}

impl File {
    fn channel(
        &mut self,
        topic: &str,
        schema: (&str, &str, &[u8]),
        encoding: &str,
    ) -> Result<Channel, McapError> {
        let (name, kind, data) = schema;
        let schema = self.writer.add_schema(name, kind, data)?;
        let id = self
            .writer
            .add_channel(schema, topic, encoding, &Default::default())?;
        Ok(Channel { id, sequence: 0 })
    }

    /// A topic of one of Foxglove's types.
    fn typed<T: Encode>(&mut self, topic: &str) -> Result<Channel, McapError> {
        let schema = T::get_schema();
        let schema = schema.as_ref().map_or(("", "", [].as_slice()), |s| {
            (&*s.name, &*s.encoding, &*s.data)
        });
        self.channel(topic, schema, &T::get_message_encoding())
    }

    /// A topic of JSON objects.
    fn json(
        &mut self,
        topic: &str,
        name: &str,
        schema: &serde_json::Value,
    ) -> Result<Channel, McapError> {
        let text = schema.to_string();
        self.channel(topic, (name, "jsonschema", text.as_bytes()), "json")
    }

    fn put(&mut self, channel: &mut Channel, time: f64, data: &[u8]) -> Result<(), McapError> {
        let header = MessageHeader {
            channel_id: channel.id,
            sequence: channel.sequence,
            log_time: nanoseconds(time),
            publish_time: nanoseconds(time),
        };
        channel.sequence = channel.sequence.wrapping_add(1);
        self.writer.write_to_known_channel(&header, data)
    }

    fn put_typed<T: Encode>(
        &mut self,
        channel: &mut Channel,
        time: f64,
        message: &T,
    ) -> Result<(), McapError> {
        let mut data = Vec::new();
        message
            .encode(&mut data)
            .map_err(|e| McapError::from(std::io::Error::other(e.to_string())))?;
        self.put(channel, time, &data)
    }
}

fn encode(
    experiment: &Experiment,
    series: &RunSeries,
    events: &[ReplayEvent],
) -> Result<Vec<u8>, McapError> {
    let options = WriteOptions::new().library(concat!("carom ", env!("CARGO_PKG_VERSION")));
    let mut file = File {
        writer: options.create(Cursor::new(Vec::new()))?,
    };
    write_description(&mut file, experiment)?;
    let mut scene = file.typed::<foxglove::messages::SceneUpdate>("/scene")?;
    let start = series.times().first().copied().unwrap_or_default();
    file.put_typed(&mut scene, start, &scene_update(experiment, start))?;
    write_rows(&mut file, experiment, series)?;
    write_events(&mut file, &mut scene, experiment, events)?;
    file.writer.finish()?;
    Ok(file.writer.into_inner().into_inner())
}

fn write_description(file: &mut File, experiment: &Experiment) -> Result<(), McapError> {
    let resolved = experiment.resolved().to_toml();
    let facts = [
        ("version", env!("CARGO_PKG_VERSION").to_string()),
        ("description", experiment.scenario.description.clone()),
        ("scenario_hash", experiment.hash().unwrap_or_default()),
        ("law", experiment.scenario.impact.law.clone()),
    ];
    file.writer.write_metadata(&Metadata {
        name: "carom".to_string(),
        metadata: facts.map(|(key, value)| (key.to_string(), value)).into(),
    })?;
    let scenario = (
        "scenario.toml".to_string(),
        "application/toml",
        resolved.unwrap_or_default(),
    );
    let robots = experiment
        .robot_files()
        .map(|(name, text)| (name, "application/xml", text.to_string()));
    for (name, media_type, text) in std::iter::once(scenario).chain(robots) {
        file.writer.attach(&Attachment {
            log_time: 0,
            create_time: 0,
            name,
            media_type: media_type.to_string(),
            data: Cow::Owned(text.into_bytes()),
        })?;
    }
    Ok(())
}

fn write_rows(
    file: &mut File,
    experiment: &Experiment,
    series: &RunSeries,
) -> Result<(), McapError> {
    let model = &experiment.model;
    let mut transforms = file.typed::<FrameTransforms>("/tf")?;
    let mut states = file.typed::<JointStates>("/joint_states")?;
    // What transforms and joint states do not tell.
    let others: Vec<(&String, &Vec<f64>)> = series
        .names()
        .iter()
        .zip(series.columns())
        .skip(1)
        .filter(|(name, _)| !name.starts_with("q_") && !name.starts_with("v_"))
        .collect();
    let properties: serde_json::Map<_, _> = others
        .iter()
        .map(|(name, _)| ((*name).clone(), serde_json::json!({"type": "number"})))
        .collect();
    let schema = serde_json::json!({"type": "object", "properties": properties});
    let mut values = file.json("/series", "carom.Series", &schema)?;

    let columns = |prefix: &str, names: &[String]| -> Vec<&[f64]> {
        let found = names
            .iter()
            .map(|name| series.column(&format!("{prefix}{name}")));
        found.map(Option::unwrap_or_default).collect()
    };
    let positions = columns("q_", model.configuration_names());
    let velocities = columns("v_", model.coordinate_names());
    let at = |columns: &[&[f64]], i: usize, row: usize| {
        columns.get(i).and_then(|column| column.get(row).copied())
    };
    let mut kinematics = Kinematics::<f64>::new(model);
    for (row, time) in series.times().iter().enumerate() {
        let q: Option<Vec<f64>> = (0..positions.len())
            .map(|i| at(&positions, i, row))
            .collect();
        if let Some(q) = q {
            kinematics.update_placements(model, &q);
            let message = link_transforms(experiment, &kinematics, *time);
            file.put_typed(&mut transforms, *time, &message)?;
        }
        let joints = joints(model).map(|body| JointState {
            name: body.joint.clone(),
            position: at(&positions, body.q_index, row),
            velocity: at(&velocities, body.v_index, row),
            acceleration: None,
            effort: None,
        });
        let followers = model.following_bodies().map(|(body, follower)| JointState {
            name: body.joint.clone(),
            position: at(&positions, body.q_index, row).map(|x| follower.position(x)),
            velocity: at(&velocities, body.v_index, row).map(|x| follower.velocity(x)),
            acceleration: None,
            effort: None,
        });
        let message = JointStates {
            timestamp: Some(timestamp(*time)),
            joints: joints.chain(followers).collect(),
        };
        file.put_typed(&mut states, *time, &message)?;
        let object: serde_json::Map<_, _> = others
            .iter()
            .map(|(name, column)| ((*name).clone(), serde_json::json!(column[row])))
            .collect();
        file.put(
            &mut values,
            *time,
            serde_json::Value::Object(object).to_string().as_bytes(),
        )?;
    }
    Ok(())
}

/// All links in the world: no frame hangs on another, so that none is lost.
fn link_transforms(
    experiment: &Experiment,
    kinematics: &Kinematics<f64>,
    time: f64,
) -> FrameTransforms {
    let links = experiment.model.links().iter().map(|link| {
        let pose = match link.body {
            Some(body) => kinematics.world[body].compose(&link.pose),
            None => link.pose,
        };
        FrameTransform {
            timestamp: Some(timestamp(time)),
            parent_frame_id: WORLD.to_string(),
            child_frame_id: link.name.clone(),
            translation: Some(vector(&pose.translation)),
            rotation: Some(quaternion(&pose.rotation)),
        }
    });
    FrameTransforms {
        transforms: links.collect(),
    }
}

fn write_events(
    file: &mut File,
    scene: &mut Channel,
    experiment: &Experiment,
    events: &[ReplayEvent],
) -> Result<(), McapError> {
    let schema = serde_json::json!({"type": "object", "properties": {
        "time": {"type": "number"}, "kind": {"type": "string"},
        "verdict": {"type": ["object", "null"]}, "mode": {"type": "string"}, "note": {"type": "string"},
        "reason": {"type": "string"}, "continuations": {"type": ["integer", "null"]}, "contacts": {"type": "array", "items": {"type": "object"}},
    }});
    let mut structured = file.json("/events", "carom.Event", &schema)?;
    let mut words = file.typed::<Log>("/log")?;
    let largest = events
        .iter()
        .flat_map(|event| &event.contacts)
        .map(|contact| nalgebra::Vector3::from(contact.impulse).norm())
        .fold(0.0, f64::max);
    for event in events {
        let text = serde_json::to_string(event)
            .map_err(|e| McapError::from(std::io::Error::other(e.to_string())))?;
        file.put(&mut structured, event.time, text.as_bytes())?;
        file.put_typed(&mut words, event.time, &log_message(event))?;
        if event.verdict.is_some() && largest > 0.0 {
            file.put_typed(
                scene,
                event.time,
                &impact_update(experiment, event, largest),
            )?;
        }
    }
    Ok(())
}

fn log_message(event: &ReplayEvent) -> Log {
    let names: Vec<&str> = event.contacts.iter().map(|c| c.name.as_str()).collect();
    let contacts = names.join(", ");
    let (level, message) = match &event.verdict {
        None => match event.continuations {
            Some(n) => (
                log::Level::Warning,
                format!("{} {contacts}: {n} continuations", event.kind),
            ),
            None => (log::Level::Info, format!("{} {contacts}", event.kind)),
        },
        Some(verdict) => {
            let level = if verdict.unique == Verdict::Unique {
                log::Level::Info
            } else {
                log::Level::Warning
            };
            let bound = match verdict.unique {
                Verdict::Undecided => "not decided whether unique, at least ",
                _ if verdict.capped => "at least ",
                _ => "",
            };
            let text = format!(
                "{} of {contacts} by law {}: {bound}{} outcome(s), indeterminacy {}, sequence {}",
                event.kind,
                verdict.law,
                verdict.outcomes,
                verdict.indeterminacy,
                verdict.sequence.join(" ")
            );
            (level, text)
        }
    };
    Log {
        timestamp: Some(timestamp(event.time)),
        level: level as i32,
        message,
        name: "carom".to_string(),
        file: String::new(),
        line: 0,
    }
}
