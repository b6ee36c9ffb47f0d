"""Pages, messages, comments and names are plain English: they have no phrases of a translation, and use the field's terms."""

import re
import unittest
from pathlib import Path

from source_tree import files_under, text_of, tracked_files

# A phrase, and its replacement.
PHRASES = {
    r"entr(?:y|ies) by entr(?:y|ies)|\bevery entry\b|\bentries\b(?! point)(?=.*\b(?:array|vector|mask)\b)": "elements",
    r"taken for the nearest": "clamped",
    r"any may stay": "which value wins is unspecified",
    r"of one's own\b|of your own\b": "custom",
    r"\bis dear\b|\bdear to\b": "expensive",
    r"it is yours (?:not )?to": "you must (not)",
    r"the hardware likes": "the device's preferred alignment",
    r"[Tt]he simplest way (?:are|is) ": "X is the simplest way",
    r"for systems that have no such": "if it is not installed",
    r"end as they would": "complete normally",
    r"nothing watches over": "is not detected",
    r"kept and told": "stored and reported, without effect",
    r"differences that are meant": "intentional differences",
    r"[Ww]hat is there(?:,|\]| <)": "status",
    r"gives? (?:its|the|the interpreter's) lock up|interpreter's lock": "releases the GIL",
    r"nobody tells|somebody (?:else )?(?:forgot|asks|ends)": "say who, or use the passive",
    r"\b[Ww]hoever\b|\b[Ww]ho (?:wants|needs|asks|measures)\b": "name the subject",
    r"of no account": "does not matter",
    r"speaks? to nvcc": "changes nvcc's output",
    r"without further ado": "already ordered",
    r"\band its like\b|\band their like\b": "list them, or say 'and others'",
    r"\blet go of\b": "released",
    r"makes? an? own\b": "its own",
}


# Unclear names, and those that replaced them.
NAMES = {"ThreadUses": "HazardPointers", "PoolOfMemory": "PoolHandle", "is_still_there": "is_alive", "takeBack": "cancel", "find_out": "update_flags",
         "HitCache": "CachedRanges"}
# In comments and in docstrings of sources.
IN_SOURCES = {
    r"\b[Ww]hoever\b|\b[Nn]obody\b|\b[Ss]omebody\b|\b[Aa]nybody\b": "name the subject, or use the passive",
    r"\bWho (?:wants|needs|asks|waits|calls)\b": "name the subject",
    r"\block up\b": "releases the GIL",
    r"\b(?:its|their) like\b": "list them",
    r"\bof no account\b|\bis told once\b": "say it in the field's terms",
    r"\blets? go of\b": "releases",
    r"\bfor ever\b": "forever, or never ends",
    r"\b(?:is|are) dear\b": "expensive",
    r"\bthat there (?:is|are) not\b": "that does not exist",
    r"\bno business of\b": "not for X",
    r"\b(?:\d[\d.,]*|[Oo]ne|two|four) (?:threads?|elements?|arguments?|instructions?|lanes?|bytes|KB|MB|ms|µs) an? "
    r"(?:block|thread|lane|element|row|column|call|step|point|line|node|axis|device|worker|second)\b": "per",
    r"\bwhole numbers?\b": "integers",
    r"\b(?:is|are|was|were) (?:not )?looked (?:at|for)\b": "compared, read, searched for",
    r"\bas asked for\b|\b(?:was|were) asked for\b": "as requested",
    r"\bwhat .{1,40} makes of\b|\btells? (?:it|them) again\b|\bof late\b|\bhas not to\b|\bhave not to\b": "say it in the field's terms",
    r"\bcomes? to (?:its|their) end\b": "ends",
}
# In names, outside the tests.
IN_NAMES = {
    r"\b(?:most|least)_(?!common|urgent)\w+": "max_, min_",
    r"\bspread(?:_\w+)?\(": "variance, expand, broadcast",
}
# In the sources of arrays, whose words are NumPy's.
IN_ARRAYS = {r"\bplaces\b|\bplaces_\w+|\b\w+_places?\b(?<!in_place)": "index, indices, axis", r"\bkeep_axes\b": "keepdims"}
ARRAYS = ("core/src/gpuarray", "core/include/pycuda/gpuarray", "swig/python/gpuarray", "python/pycuda/_arrays", "java/src/arrays")
SOURCES = (".hpp", ".cpp", ".h", ".i", ".def", ".cu", ".java", ".py", ".pyi", ".cmake", ".sh", ".txt")


def read_by_users():
    """Text that users read: pages, the reference, and Python's modules."""
    pages = [path for path in tracked_files() if path.suffix == ".md"]
    return [*pages, *files_under("swig/reference", ".txt"), *(path for path in files_under("python/pycuda", ".py") if "array_api" not in path.parts)]


def sources():
    return [path for path in tracked_files() if path.suffix in SOURCES and path.name != Path(__file__).name]


def found_in(paths, phrases):
    any_phrase = re.compile("|".join(phrases))
    texts = ((path, text_of(path)) for path in paths)
    return [f"{path}:{number}: {match[0]!r}: write {instead!r}" for path, text in texts if any_phrase.search(text)
            for number, line in enumerate(text.splitlines(), 1)
            for phrase, instead in phrases.items() for match in re.finditer(phrase, line)]


class WordsTest(unittest.TestCase):
    def test_no_phrase_of_a_translation(self):
        self.assertEqual(found_in(read_by_users(), PHRASES), [])

    def test_sources_too(self):
        self.assertEqual(found_in(sources(), IN_SOURCES | {rf"\b{name}\b": instead for name, instead in NAMES.items()}), [])

    def test_names(self):
        self.assertEqual(found_in([path for path in sources() if path.parts[0] not in ("tests", "examples")], IN_NAMES), [])
        self.assertEqual(found_in([path for folder in ARRAYS for path in files_under(folder, *SOURCES)], IN_ARRAYS), [])

    def test_phrases_are_found(self):
        for sentence in ("of equal indices any may stay", "Kernels of one's own", "Who wants the build folder", "gives the interpreter's lock up"):
            self.assertTrue(any(re.search(phrase, sentence) for phrase in PHRASES), sentence)
        for sentence in ("one thread a block", "1,024 elements a row", "a size of whole numbers", "What cannot run is not looked at"):
            self.assertTrue(any(re.search(phrase, sentence) for phrase in IN_SOURCES), sentence)


if __name__ == "__main__":
    unittest.main()
