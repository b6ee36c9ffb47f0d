#!/usr/bin/env python3
"""Lists one test for each legal form of the instructions that compute values, from core/cpu/ptx/opcodes.def.

Each line is "results = operands : instruction", with $0, $1, ... for results and operands in that order. ptxas refuses
some of them for sm_90: those lines are left out of forms.txt, to whose other lines driver/forms_test.cpp adds hashes and samples.
join_forms.py then joins lines.
"""
import itertools
import pathlib
import re
import subprocess
import sys

import make_matrix_forms
import make_memory_forms
import make_video_forms

ROOT = pathlib.Path(__file__).resolve().parents[3]
SKIP = {"Mov", "Addc", "Subc", "Madc"}


def preprocessed():
    source = ('#define PTX_OPCODE(id, s, f) OPCODE(#id, s, #f)\n#define PTX_SPELLING(id, s)\n#define PTX_REFUSED(...)\n'
              '#define PTX_FORM(id, t, m, o) FORM(#id, t, m, o)\n#include "ptx/opcodes.def"\n')
    text = subprocess.run(["g++", "-E", "-P", "-xc++", f"-I{ROOT}/core/cpu", "-"], input=source, text=True,
                          capture_output=True, check=True).stdout
    opcodes, forms = {}, []  # those of the family Value
    namespace = {"OPCODE": lambda i, s, f: f == "Value" and opcodes.__setitem__(i, s), "FORM": lambda *f: forms.append(f)}
    for call in re.findall(r'(?:OPCODE|FORM)\((?:"[^"]*"|[^()"])*\)', text):
        eval(call, namespace)
    return opcodes, forms


def groups():
    text = (ROOT / "core/cpu/ptx/modifiers.hpp").read_text().replace("\\\n", " ")
    return {name.capitalize(): re.findall(r'X\(\w+, "([^"]+)"\)', body)
            for name, body in re.findall(r"#define PTX_(\w+)\(X\)(.*)", text)}


def alternatives(word, group):
    optional = word.endswith("?")
    word = word.rstrip("?")
    if word in group:
        choices = group[word]
    else:
        choices = word.split(":")[-1].split("/") if "::" not in word else [word]
    return ([""] if optional else []) + choices


def doubled(t):
    return {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}[t]


def operand_type(word, types):
    word = word.lstrip("=?").split(":")[0]
    if word == "i32":
        return "s32" if "s32" in types else "u32"
    m = re.fullmatch(r"(\d)(w?)", word)
    if m:
        t = types[int(m[1])]
        return doubled(t) if m[2] else t
    return word


# One combination of comparison and Boolean operation stands for all.
BOOLEANS = {("eq", "and"), ("ne", "or"), ("eq", "or"), ("ne", "xor"), ("eq", "xor"), ("lt", "xor"), ("ftz", "and"),
            ("ftz", "or"), ("ftz", "xor")}


def one_line(name, results, sources, paired):
    text = ["$0|$1"] if paired else [f"${n}" for n in range(len(results))]
    n, kept = len(results), []
    for s in sources:
        if s == "imm":
            text.append("0x6a")
        else:
            text.append(f"${n}")
            n += 1
            kept.append(s)
    return f"{' '.join(results)} = {' '.join(kept)} : {name} {', '.join(text)};"


def lines():
    opcodes, forms = preprocessed()
    group = groups()
    for ident, types, modifiers, operands in forms:
        if ident not in opcodes or ident in SKIP:
            continue
        mods = [alternatives(w, group) for w in modifiers.split()]
        for type_choice in itertools.product(*[t.split() for t in types.split("|")] if types else [[]]):
            for mod in itertools.product(*mods):
                used = [m for m in mod if m]
                if ident in ("Set", "Setp") and {"and", "or", "xor"} & set(used) and tuple(used[-2:]) not in BOOLEANS:
                    continue
                if "cc" in used or any("f32x2" in t for t in type_choice):
                    continue
                words = operands.split()
                ts = [operand_type(w, type_choice) for w in words]
                if "b128" in ts:
                    continue
                name = ".".join([opcodes[ident], *used, *type_choice])
                results = [t for w, t in zip(words, ts) if w.startswith("=")]
                sources = [t for w, t in zip(words, ts) if not w.startswith("=")]
                pairs = [True] if any(":P" in w for w in words) else [True, False] if any(":p" in w for w in words) else [False]
                for paired in pairs:
                    yield one_line(name, results + ["pred"] if paired else results, sources, paired)


CHAINS = [
    "{t} {t} = {t} {t} {t} {t} : add.cc.{t} $0, $2, $3; addc.{t} $1, $4, $5;",
    "{t} {t} {t} = {t} {t} {t} {t} : add.cc.{t} $0, $3, $4; addc.cc.{t} $1, $5, $6; addc.{t} $2, $5, $4;",
    "{t} {t} = {t} {t} {t} {t} : sub.cc.{t} $0, $2, $3; subc.{t} $1, $4, $5;",
    "{t} {t} {t} = {t} {t} {t} {t} : sub.cc.{t} $0, $3, $4; subc.cc.{t} $1, $5, $6; subc.{t} $2, $5, $4;",
    "{t} {t} {t} = {t} {t} {t} {t} : mad.lo.cc.{t} $0, $3, $4, $5; madc.hi.cc.{t} $1, $3, $4, $6; addc.{t} $2, $5, $6;",
    "{t} {t} {t} = {t} {t} {t} {t} : mad.hi.cc.{t} $0, $3, $4, $5; madc.lo.cc.{t} $1, $3, $6, $5; madc.hi.{t} $2, $5, $6, $4;",
    "{t} {t} = {t} {t} {t} : mad.lo.cc.{t} $0, $2, $3, $4; madc.lo.{t} $1, $3, $4, $2;",
]

if __name__ == "__main__":
    chains = (c.format(t=t) for c in CHAINS for t in ("u32", "s32", "u64", "s64"))
    sys.stdout.write("\n".join(dict.fromkeys(itertools.chain(lines(), chains, make_memory_forms.lines(), make_video_forms.lines(),
                                                               make_matrix_forms.lines()))) + "\n")
