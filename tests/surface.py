"""The public surface as text: names, parameters, members, fitted attributes."""

import inspect
from collections.abc import Mapping
from types import ModuleType

import iim
import iim.cluster.dask
import iim.cluster.spark
import iim.paper


def parameter_lines(function) -> list[str]:
    """Parameters in order, as they are written in a call; `*` before those that need their name."""
    lines = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in lines:
            lines.append("*")
        lines.append(str(parameter.replace(annotation=parameter.empty)))
    return lines


def member_line(method: type, name: str) -> str:
    member = inspect.getattr_static(method, name)
    # What scikit-learn gives us may get new arguments; only its names are ours to hold.
    if inspect.isfunction(member) and member.__module__.startswith("iim."):
        return f"{name}({', '.join(parameter_lines(member)[1:])})"
    return name


def members(method: type) -> list[str]:
    return [member_line(method, name) for name in dir(method) if not name.startswith("_")]


def fitted_attributes(method: type) -> list[str]:
    imputer = method().fit(iim.samples.example("pandas"))
    return sorted(name for name in dir(imputer) if name.endswith("_") and not name.startswith("_"))


def settings_lines(settings: Mapping[str, object]) -> list[str]:
    return [f"{name}: {value!r}" for name, value in settings.items()]


def adapter_sections(adapter: ModuleType) -> dict[str, list[str]]:
    sections = {adapter.__name__: sorted(adapter.__all__)}
    for name in sorted(adapter.__all__):
        sections[f"parameters of {adapter.__name__}.{name}"] = parameter_lines(getattr(adapter, name))
    return sections


def public_names() -> str:
    everyones = [members(method) for method in iim.METHODS.values()]
    shared = [line for line in everyones[0] if all(line in lines for lines in everyones)]
    sections = {
        "iim": sorted(iim.__all__),
        "iim.METHODS": [
            f"{key}: {method.__name__}, {method.paper_name}, {method.family}"
            for key, method in iim.METHODS.items()
        ],
        "iim.PAPER": settings_lines(iim.PAPER),
        "iim.paper": sorted(iim.paper.__all__),
        "keys of iim.paper.EXPERIMENTS": list(iim.paper.EXPERIMENTS),
        "keys of iim.paper.DATASETS": list(iim.paper.DATASETS),
        "parameters of iim.paper.reproduce": parameter_lines(iim.paper.reproduce),
        "parameters of iim.paper.load": parameter_lines(iim.paper.load),
        **adapter_sections(iim.cluster.dask),
        **adapter_sections(iim.cluster.spark),
        "members of every method": shared,
    }
    for key, method in iim.METHODS.items():
        sections |= {
            f"parameters of {key}": parameter_lines(method),
            f"members of {key} besides": [line for line in members(method) if line not in shared],
            f"PAPER of {key}": settings_lines(method.PAPER),
            f"attributes of {key}, fitted": fitted_attributes(method),
        }
    return "\n".join(
        f"{title}\n" + "".join(f"    {line}\n" for line in lines)
        for title, lines in sections.items()
        if lines
    )
