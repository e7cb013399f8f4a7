"""Changes of one operator in C++ source text, for scripts/mutate.py.

A change is described by the line of code with the operator marked in place, for example

    if (pods.size() [> => >=] limit) {

The list of changes that no test can observe (test/mutation/unobservable.txt) has one entry per line:

    src/room/file.cc: if (pods.size() [> => >=] limit) { ## the reason
"""
import dataclasses
import re

# What an operator becomes. They are the ones that decisions hang on: comparisons, logic, sums and limits.
BINARY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
          "+": "-", "-": "+", "+=": "-=", "-=": "+="}
WORDS = {"true": "false", "false": "true"}
ASSERTIONS = ("assert", "static_assert", "decltype", "noexcept", "alignas", "sizeof")
LIMITS = {"max": "min", "min": "max", "max_element": "min_element", "min_element": "max_element"}

TOKEN = re.compile(r"""
    (?P<space>\s+|\\\n)
  | (?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
  | (?P<string>(?:u8|[uUL])?(?:R"(?P<mark>[^()\\\s]*)\(.*?\)(?P=mark)"
                             |"(?:\\.|[^"\\\n])*"
                             |'(?:\\.|[^'\\\n])*'))
  | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark_>\.\.\.|<=>|<<=|>>=|->\*|::|->|<<|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|.)
""", re.S | re.X)
DIRECTIVE = re.compile(r"^[ \t]*\#(?:\\\n|[^\n])*", re.M)


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclasses.dataclass(frozen=True)
class Change:
    start: int
    end: int
    after: str
    line: int
    marked: str  # the line of code with the operator marked

    def apply(self, text):
        return text[:self.start] + self.after + text[self.end:]


def tokens(text):
    """Without space, comments and preprocessor lines."""
    found = []
    position = 0
    while position < len(text):
        directive = DIRECTIVE.match(text, position) if text[position - 1:position] in ("", "\n") else None
        if directive:
            position = directive.end()
            continue
        match = TOKEN.match(text, position)
        position = match.end()
        if match.lastgroup not in ("space", "comment"):
            found.append(Token(match.lastgroup, match[0], match.start(), match.end()))
    return found


def skipped(toks):
    """Indexes of tokens that state facts: assertions, template heads, constraints, declared operators."""
    skip = set()
    i = 0
    while i < len(toks):
        end = None
        word = toks[i].text if toks[i].kind == "word" else ""
        following = toks[i + 1].text if i + 1 < len(toks) else ""
        if word in ASSERTIONS and following == "(":
            end = closing(toks, i + 1, "(", ")")
        elif word == "template" and following == "<":
            end = closing(toks, i + 1, "<", ">")
        elif word in ("requires", "concept", "using", "friend"):
            end = next((j for j in range(i, len(toks)) if toks[j].text in (";", "{")), i)
        elif word == "operator":
            end = min(i + 1, len(toks) - 1)
        if end is not None:
            skip.update(range(i, end + 1))
            i = end
        i += 1
    return skip


def closing(toks, i, opening_text, closing_text):
    depth = 0
    for j in range(i, len(toks)):
        depth += (toks[j].text == opening_text) - (toks[j].text == closing_text)
        if depth == 0:
            return j
    return len(toks) - 1


def replacement(text, toks, i):
    """What token i becomes, or None. The sources are formatted by clang-format: a binary operator has space
    on both sides; an angle bracket of a template, a reference, a sign and a negation lack it on one."""
    token = toks[i]
    before = toks[i - 1] if i else None
    after = toks[i + 1] if i + 1 < len(toks) else None
    if token.kind == "word":
        if token.text in WORDS:
            return WORDS[token.text]
        named_in_std = i >= 2 and before.text == "::" and toks[i - 2].text in ("std", "ranges")
        return LIMITS.get(token.text) if named_in_std and after and after.text in ("(", "<") else None
    if token.kind != "mark_" or not before or not after:
        return None
    if token.text == "!":
        return ""
    spaced = text[token.start - 1].isspace() and text[token.end:token.end + 1].isspace()
    if token.text not in BINARY or not spaced:
        return None
    if token.text == "&&" and after.text in ("{", ";", "=", "const", "noexcept", "->", "override"):
        return None  # of a member function for temporaries
    if token.text in ("+", "-", "+=", "-=") and "string" in (before.kind, after.kind) and \
            "'" not in (before.text[0], after.text[0]):
        return None  # joins texts: nothing else would compile
    return BINARY[token.text]


def changes(text):
    """All changes of one operator, in the order of the text."""
    toks = tokens(text)
    skip = skipped(toks)
    found = []
    for i, token in enumerate(toks):
        after = None if i in skip else replacement(text, toks, i)
        if after is None:
            continue
        begin = text.rfind("\n", 0, token.start) + 1
        end = text.find("\n", token.end)
        end = len(text) if end < 0 else end
        marked = " ".join(f"{text[begin:token.start]}[{token.text} => {after}]{text[token.end:end]}".split())
        found.append(Change(token.start, token.end, after, text.count("\n", 0, begin) + 1, marked))
    return found


def read_unobservable(text):
    """[(file, marked line, reason)] from the text of the list; ValueError names a line that is no entry."""
    entries = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"(\S+): (.*\[.+ => .*\].*?)\s+## (.*\S.*)", line)
        if not match:
            raise ValueError(f"line {number} is no entry of the form FILE: CODE [A => B] CODE ## REASON")
        entries.append((match[1], " ".join(match[2].split()), match[3].strip()))
    return entries


def stale(entries, root):
    """The entries whose change is not possible in the files below root."""
    known = {}
    for file, marked, _ in entries:
        if file not in known:
            path = root / file
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            known[file] = {change.marked for change in changes(text)}
    return [f"{file}: {marked}" for file, marked, _ in entries if marked not in known[file]]
