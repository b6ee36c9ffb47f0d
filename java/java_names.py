"""Gives SWIG's Java classes the names that Java programs expect: parameters in camelCase, getters as records have them (width(), not
getWidth()), and flags as enums. What SWIG calls in C++ stays.

usage: java_names.py folder list
Rewrites the sources of the folder, and writes their names into the list, one a line.
"""

import re
import sys
from pathlib import Path

import topics

METHOD = re.compile(r"^  (?P<modifiers>(?:@\w+ |public |protected |private |static |final |abstract )*)(?P<type>[\w.<>\[\], ]+? )?(?P<name>\w+)"
                    r"\((?P<parameters>[^()]*)\) (?:throws \w+ )?\{.*?(?:^  \}$|\}$)", re.MULTILINE | re.DOTALL)

# The enum that a parameter or result of flags has, by class and method, or by class.
FLAGS = {
    "ArrayDescriptor3D": "Array3dFlags",
    "ContextProxy.getFlags": "CtxFlags",
    "ContextProxy.setFlags": "CtxFlags",
    "CopyBatch": "MemcpyFlags",
    "Device.getHostAtomicCapabilities": "AtomicCapability",
    "Device.getP2pAtomicCapabilities": "AtomicCapability",
    "Device.getPrimaryContextFlags": "CtxFlags",
    "Device.makeContext": "CtxFlags",
    "Device.setPrimaryContextFlags": "CtxFlags",
    "Event": "EventFlags",
    "ExecutableGraphProxy.flags": "GraphInstantiateFlags",
    "FunctionProxy": "OccupancyFlags",
    "GraphProxy": "GraphDebugDotFlags",
    "IPCMemoryHandle": "IpcMemFlags",
    "ManagedAllocation": "MemAttachFlags",
    "MemoryOperations.barrier": "StreamMemoryBarrierFlags",
    "PagelockedHostAllocation.getFlags": "HostAllocFlags",
    "RegisteredBuffer": "GraphicsRegisterFlags",
    "RegisteredBuffer.setMapFlags": "GraphicsMapFlags",
    "RegisteredImage": "GraphicsRegisterFlags",
    "RegisteredImage.setMapFlags": "GraphicsMapFlags",
    "SMResourceProxy": "SmSplitFlags",
    "StreamProxy.flags": "StreamFlags",
    **{f"{owner}.{call}Value{bits}": f"Stream{call.capitalize()}ValueFlags"
       for owner in ("StreamProxy", "MemoryOperations") for call in ("write", "wait") for bits in (32, 64)},
    "TextureDescriptor": "TextureFlags",
    "TextureReference": "TextureFlags",
}
# Parameters of flags that CUDA has no values for: Java shows the call without them.
NO_VALUES = {"ContextProxy.attach", "ContextProxy.disablePeerAccess", "ContextProxy.enablePeerAccess", "DriverProxy.init", "SurfaceReference.setArray"}
# Hand-written constructors take these, as numbers.
IN_NUMBERS = {"PageLockedMemoryPoolProxy.PageLockedMemoryPoolProxy", "StreamProxy.StreamProxy"}
# What a verb of its own is called where records would not have it.
RENAMED = {"Event.query": "isDone", "GraphNodeProxy.getMemoryOperations": "operations"}


def camel(name):
    return re.sub(r"(?<=[a-z0-9])_+([a-z0-9])", lambda part: part[1].upper(), name)


def record_style(name):
    """getWidth is width; other names stay."""
    return re.sub(r"^get([A-Z])", lambda first: first[1].lower(), name)


def with_flags(owner, name, modifiers, kind, text):
    """The method with its flags as an enum."""
    if "public" not in modifiers:
        return text
    enum = FLAGS.get(f"{owner}.{name}") or FLAGS.get(owner)
    if kind == "int" and re.search(r"([fF]lags|AtomicCapabilities)$", name):
        head, _, call = text.partition("return ")
        value, _, end = call.partition(";")
        return f"{head.replace('int ', f'java.util.Set<{enum}> ', 1)}return {enum}.setOf({value});{end}"
    parameter = re.search(r"\bint (flags|mem_flags)\b|(?<=Flags\()int (value)\b", text)
    if not parameter or f"{owner}.{name}" in IN_NUMBERS:
        return text
    if f"{owner}.{name}" in NO_VALUES:
        return text.replace("public ", "", 1)
    flags = parameter[1] or parameter[2]
    head, brace, body = text.partition(") {")
    is_last = head.endswith(f"int {flags}")
    head = head.replace(f"int {flags}", f"{enum}{'...' if is_last else ''} {flags}")
    return head + brace + re.sub(rf"\b{flags}\b", f"{enum}.bits({flags})", body)


def in_java(owner, match):
    """The method as Java has it."""
    name, kind = match["name"], (match["type"] or "").strip()
    text = with_flags(owner, name, match["modifiers"], kind, match[0])
    for parameter in re.findall(r"(\w+)(?:,|$)", match["parameters"]):
        text = re.sub(rf"\b{parameter}\b", camel(parameter), text) if "_" in parameter else text
    if "public" in match["modifiers"] or "static" not in match["modifiers"]:
        text = text.replace(f" {name}(", f" {RENAMED.get(f'{owner}.{name}') or record_style(name)}(", 1)
    return text


# Null is the address of no object only here: elsewhere a call that has none to return throws.
OR_NULL = {"currentOrNull"}
MADE = re.compile(r"^(?P<head> *(?:\w+ )*)(?P<type>\w+)(?P<call> (?P<name>\w+)\([^()]*\) \{(?:(?!^  \}).)*?)return \(cPtr == 0\) \? null : (?P<made>new [^;]*);",
                  re.MULTILINE | re.DOTALL)


def never_null(match):
    """The method without a case that does not exist, or with the annotation that says so."""
    if match["name"] in OR_NULL:
        return match[0].replace(match["type"], f"@org.jspecify.annotations.Nullable {match['type']}", 1)
    return f"{match['head']}{match['type']}{match['call']}return {match['made']};"


def main(folder, names):
    sources = sorted(Path(folder).glob("*.java"))
    for source in sources:
        if not source.stem.endswith("JNI"):
            text = source.read_text()
            source.write_text(MADE.sub(never_null, METHOD.sub(lambda match: in_java(source.stem, match), text)))
    if Path(folder, "DriverProxy.java").exists():
        topics.distribute(folder)
        sources = sorted(Path(folder).glob("*.java"))
    Path(names).write_text("".join(f"{source}\n" for source in sources))


if __name__ == "__main__":
    main(*sys.argv[1:])
