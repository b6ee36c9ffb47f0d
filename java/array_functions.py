"""The methods that array_functions.txt lists."""

import re
from dataclasses import dataclass
from pathlib import Path

ROW = re.compile(r"^(static )?(?:(\S+) )?(\w+)\.(\w+)\((.*?)\) (=|->) (.*)\n    (.*)$", re.MULTILINE)
PARAMETER = re.compile(r"([^\s,\[]+) (\w+)(?: = ([^,\[\]]+))?")
RESULTS = {"GPUArray.UniqueAll": 4, "LinAlg.SlogDet": 2, "LinAlg.QR": 2, "LinAlg.SVD": 3, "LinAlg.Eigen": 2}
NO_BASE = ("LinAlg", "Fft")  # classes of static methods


@dataclass
class Parameter:
    type: str
    name: str
    default: str
    depth: int  # brackets around it

    def number(self, array):
        """The numbers that are passed to the core for it."""
        if self.type == "Axis":
            return f"{given(self.name)}.mask({array}.ndim()), CoreCalls.flag({self.name}.keep)"
        return {"double": f"Scalars.bits({self.name})", "boolean": f"CoreCalls.flag({self.name})"}.get(self.type, self.name)


def given(name):
    return f'java.util.Objects.requireNonNull({name}, "{name}")'


def method(doc, header, body, static=False):
    return f"\n    /** {doc}. */\n    public {'static ' if static else ''}{header} {{\n        {body}\n    }}\n"


def parameters_of(text):
    text = text.replace("[]", "@")
    return [Parameter(match[1].replace("@", "[]"), match[2], match[3], text[:match.start(2)].count("["))
            for match in PARAMETER.finditer(text)]


def core_call(function, parameters, result, is_static):
    """A call of the core's function, with the numbers that the row has in parentheses."""
    name, numbers = re.match(r"(\w+)\((.*)\)", function).groups()
    named = {parameter.name: parameter for parameter in parameters}
    arrays = ([] if is_static else ["self()"]) + [given(parameter.name) for parameter in parameters if parameter.type == "GPUArray"]
    values = [named[number].number(arrays[0]) if number in named else f"Scalars.bits({number})" if "." in number else number
              for number in filter(None, numbers.split(", "))]
    many = result in RESULTS
    arguments = ", ".join([f'"{name}"', *([f"new long[] {{{', '.join(values)}}}"] if values or many else []), *arrays])
    if not many:
        return f"return CoreCalls.one({arguments});"
    made = ", ".join(f"made[{number}]" for number in range(RESULTS[result]))
    return f"GPUArray[] made = CoreCalls.all({arguments});\n        return new {result}({made});"


def methods(static, result, owner, name, parameters, how, function, doc):
    """The methods of a row: one for each type of its parameters, and for each number of omitted parameters in brackets."""
    is_static, result = bool(static) or owner in NO_BASE, result or "GPUArray"
    kinds = max(parameter.type.count("|") for parameter in parameters) if parameters else 0
    for kind in range(kinds + 1):
        typed = [Parameter((parameter.type.split("|") * (kinds + 1))[kind], parameter.name, parameter.default, parameter.depth) for parameter in parameters]
        depth = max((parameter.depth for parameter in typed), default=0)
        for left_out in range(depth + 1):
            if how == "=":
                body = core_call(function, typed, result, is_static)
            else:
                body = ("" if result == "void" else "return ") + re.sub(r"given\((\w+)\)", lambda name: given(name[1]), function) + ";"
            if left_out:
                body = f"return {name}({', '.join(p.name if p.depth <= depth - left_out else p.default for p in typed)});"
            header = f"{result} {name}({', '.join(f'{p.type} {p.name}' for p in typed if p.depth <= depth - left_out)})"
            yield method(re.sub(r"\[([^\[\]]*\|[^\[\]]*)\]", lambda texts: texts[1].split("|")[left_out], doc), header, body, is_static)


def methods_of(owner):
    """The methods of a class, as text."""
    text = ""
    for *head, parameters, how, function, doc in ROW.findall(Path(__file__).with_suffix(".txt").read_text()):
        if head[2] != owner:
            continue
        text += "".join(methods(*head, parameters_of(parameters), how, function.replace("OUT", "null"), doc))
        if "OUT" in function:
            text += "".join(methods(*head, parameters_of(f"{parameters}, GPUArray out"), how, function.replace("OUT", "given(out)"),
                                    f"{doc}, in {{@code out}}, which is returned"))
    return text
