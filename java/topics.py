"""Distributes the functions of pycuda.driver over Java's classes: Driver keeps what most programs call."""

import re
from pathlib import Path

# Functions by the class that has them, as static methods of its generated base <Class>Proxy.
TOPICS = {
    "Memory": ["memGetAddressRange", "memSetSyncMemops", "memExportDmaBuf", "memGetIpcHandle", "memPrefetchAsync", "memAdvise",
               "memRangeGetAttribute", "memRangeGetLocations", "memRangeIsAccessedBy"],
    "Copies": ["memcpyDtoa", "memcpyAtod", "memcpyAtoa", "memcpyPeer", "memcpyPeerAsync"],
    "Fills": ["memsetD16", "memsetD16Async", "memsetD2d8", "memsetD2d16", "memsetD2d32", "memsetD2d8Async", "memsetD2d16Async", "memsetD2d32Async"],
    "Profiler": ["initializeProfiler", "startProfiler", "stopProfiler"],
    "DriverLog": ["driverLog", "driverLogPosition", "writeDriverLog"],
    "Gl": ["haveGlExt"],
}
METHOD = r"(?:  /\*\*(?:(?!\*/).)*\*/\n)?  public static [^\n=]*?\b(?:%s)\([^\n]*\{(?:[^\n]*\}\n|\n.*?^  \}\n)\n?"


def base_of(topic, methods):
    stream = "  private static final Stream stream = Stream.DEFAULT;  // of calls that are given none\n\n" if re.search(r"\bstream\)", methods) else ""
    return f"""package org.pycuda;

/** Functions of {{@link {topic}}}. */
public abstract class {topic}Proxy {{
{stream}  {topic}Proxy() {{}}

{methods}}}
"""


def distribute(folder):
    """Move the functions of topics from the module's class, DriverProxy.java, to classes beside it."""
    module = Path(folder, "DriverProxy.java")
    text = module.read_text()
    for topic, names in TOPICS.items():
        pattern = re.compile(METHOD % "|".join(names), re.MULTILINE | re.DOTALL)
        methods = "".join(pattern.findall(text))
        missing = [name for name in names if f" {name}(" not in methods]
        if missing:
            raise SystemExit(f"{module} has no {', '.join(missing)}, which {topic} is to have")
        text = pattern.sub("", text)
        Path(folder, f"{topic}Proxy.java").write_text(base_of(topic, methods))
    module.write_text(text)
