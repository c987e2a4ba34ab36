"""A controller that is a program of its own: it holds joints by proportional-derivative control.

Carom writes one JSON document a line on standard input; every one but the last is answered with a line. Run it by
    carom simulate examples/external_controller.toml
"""

import json
import sys

STIFFNESS = 400.0  # N m/rad
DAMPING = 40.0  # N m s/rad


def main():
    hello = json.loads(sys.stdin.readline())
    # Where each driven joint stands in q and v.
    places = [(hello["q"].index(name), hello["v"].index(name)) for name in hello["joints"]]
    answer({"type": "ready", "number": hello["number"]})
    target = None
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "bye":
            break
        positions = [message["q"][i] for i, _ in places]
        rates = [message["v"][j] for _, j in places]
        if target is None:
            target = positions  # hold where the run starts
        efforts = [
            STIFFNESS * (wanted - position) + DAMPING * (0.0 - rate)
            for wanted, position, rate in zip(target, positions, rates)
        ]
        answer({"type": "efforts", "number": message["number"], "efforts": efforts})


def answer(message):
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
