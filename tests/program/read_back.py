"""Exports read back by independent programs: `mcap` and `mcap-protobuf-support`, and `pyarrow`.

usage: python3 tests/program/read_back.py FOLDER

FOLDER holds the results of `carom simulate robots/rhex/stand.toml --export mcap,parquet`, or of another
robot on a floating base. Every number is compared with the CSV files, without tolerance where the format
keeps all bits. Exits with 1 at the first difference.
"""

import csv
import json
import math
import sys
from pathlib import Path

import pyarrow.parquet
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory


def table(path):
    """Header and rows of a CSV file."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], rows[1:]


def check_parquet(folder, name):
    header, rows = table(folder / f"{name}.csv")
    read = pyarrow.parquet.read_table(folder / f"{name}.parquet")
    assert read.column_names == header, (read.column_names, header)
    assert read.num_rows == len(rows), (read.num_rows, len(rows))
    metadata = {key.decode(): value.decode() for key, value in read.schema.metadata.items()}
    summary = json.loads((folder / "summary.json").read_text())
    assert metadata["carom.scenario_hash"] == summary["scenario_hash"], metadata
    for i, column in enumerate(header):
        for row, value in zip(rows, read[column].to_pylist()):
            text = row[i]
            if text == "":
                assert value is None, (column, value)
            elif isinstance(value, bool):
                assert text == str(value).lower(), (column, text, value)
            elif isinstance(value, str):
                assert text == value, (column, text, value)
            elif isinstance(value, int):
                assert int(text.removeprefix(">=")) == value, (column, text, value)
            else:
                assert float(text) == value, (column, text, value)
    print(f"{name}.parquet: {len(rows)} rows of {len(header)} columns agree with {name}.csv")


def rotated(q, v):
    """A vector turned by the quaternion (x, y, z, w)."""
    x, y, z, w = q
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    first = [2 * c for c in cross([x, y, z], v)]
    second = cross([x, y, z], first)
    return [v[i] + w * first[i] + second[i] for i in range(3)]


def check_mcap(folder):
    header, rows = table(folder / "series.csv")
    columns = {name: [float(row[i]) for row in rows] for i, name in enumerate(header)}
    _, events = table(folder / "events.csv")
    topics = {}
    with open(folder / "run.mcap", "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        assert summary is not None and summary.statistics is not None
        for schema, channel, message in reader.iter_messages():
            decoded = (
                json.loads(message.data)
                if channel.message_encoding == "json"
                else DecoderFactory().decoder_for("protobuf", schema)(message.data)
            )
            topics.setdefault(channel.topic, []).append((message.log_time, schema.name, decoded))
        attachments = {a.name: a.data for a in reader.iter_attachments()}
        notes = {m.name: m.metadata for m in reader.iter_metadata()}
    count = sum(len(messages) for messages in topics.values())
    assert summary.statistics.message_count == count

    expected = {
        "/tf": ("foxglove.FrameTransforms", len(rows)),
        "/joint_states": ("foxglove.JointStates", len(rows)),
        "/series": ("carom.Series", len(rows)),
        "/events": ("carom.Event", len(events)),
        "/log": ("foxglove.Log", len(events)),
    }
    for topic, (schema, number) in expected.items():
        messages = topics.get(topic, [])
        assert len(messages) == number, (topic, len(messages), number)
        assert all(name == schema for _, name, _ in messages), topic
    assert topics["/scene"][0][1] == "foxglove.SceneUpdate"
    drawn = {entity.id for entity in topics["/scene"][0][2].entities}
    assert "terrain" in drawn and len(drawn) > 1, drawn
    assert attachments["scenario.toml"] == (folder / "scenario.toml").read_bytes()
    assert attachments["robot.urdf"] == (folder / "robot.urdf").read_bytes()
    assert notes["carom"]["scenario_hash"] == json.loads((folder / "summary.json").read_text())["scenario_hash"]

    for row, (time, _, states) in enumerate(topics["/joint_states"]):
        assert time == round(columns["time_s"][row] * 1e9), (row, time)
        for joint in states.joints:
            assert joint.position == columns[f"q_{joint.name}"][row], (row, joint)
            assert joint.velocity == columns[f"v_{joint.name}"][row], (row, joint)
    for row, (_, _, values) in enumerate(topics["/series"]):
        for name, value in values.items():
            assert value == columns[name][row], (row, name)
    base = [name for name in ("x", "y", "z") if f"q_base.{name}" in columns]
    for row, (_, _, message) in enumerate(topics["/tf"]):
        root = message.transforms[0]
        assert root.parent_frame_id == "world"
        for name in base:
            assert getattr(root.translation, name) == columns[f"q_base.{name}"][row], (row, name)
        if "q_base.qw" in columns:
            wanted = [columns[f"q_base.q{k}"][row] for k in "xyzw"]
            found = [getattr(root.rotation, k) for k in "xyzw"]
            # A quaternion by way of a matrix: a few roundings of numbers below one, signs apart.
            for v in ([1, 0, 0], [0, 1, 0], [0, 0, 1]):
                difference = math.dist(rotated(wanted, v), rotated(found, v))
                assert difference < 1e-14, (row, difference)
    print(f"run.mcap: {count} messages on {len(topics)} topics agree with the CSV files")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    check_parquet(folder, "series")
    check_parquet(folder, "events")
    check_mcap(folder)


if __name__ == "__main__":
    main()
