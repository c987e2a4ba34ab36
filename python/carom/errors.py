"""What goes wrong, with the same texts as the program."""


class CaromError(Exception):
    """Anything that Carom says is wrong."""


class ArgumentError(CaromError, ValueError):
    """An argument has the wrong shape, or is a number that it cannot be."""


class ModelError(CaromError, ValueError):
    """A robot's file is wrong, a name is not one of the robot, a configuration is not one of it."""


class ScenarioError(CaromError, ValueError):
    """A scenario or a setting is wrong; the text names the file, the key and what would be right."""


class SimulationError(CaromError, RuntimeError):
    """A simulation cannot start or go on: it stands where it stopped."""


class StateError(CaromError, ValueError):
    """A saved state is damaged."""


class BusyError(CaromError, RuntimeError):
    """A simulation is in the middle of a call, of its controller or of another thread."""


class ImpactError(CaromError, ValueError):
    """An impact problem is wrong, or the law does not cover it."""


class OrbitError(CaromError, RuntimeError):
    """There is no orbit to look for, or the motion does not return."""


class DesignError(CaromError, ValueError):
    """A design file is wrong, or what it wants cannot be had."""


class BaselineError(CaromError, ValueError):
    """A baseline cannot be read, run or written."""


class BaselineDiffers(CaromError, AssertionError):
    """What a scenario does differs from its baseline by more than the tolerances."""


class RunError(CaromError, OSError):
    """A folder of results cannot be read or written."""
