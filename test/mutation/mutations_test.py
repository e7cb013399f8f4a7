#!/usr/bin/env python3
"""Which changes ./dev mutate makes in C++ source text, and that its list of exceptions matches the code."""
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import mutate  # noqa: E402
import mutations  # noqa: E402


def marked(text):
    return [change.marked for change in mutations.changes(text)]


class Changes(unittest.TestCase):
    def test_each_operator_has_one_change(self):
        for before, after in (("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"), ("==", "!="), ("!=", "=="),
                              ("&&", "||"), ("||", "&&"), ("+", "-"), ("-", "+"), ("+=", "-="), ("-=", "+=")):
            self.assertEqual(marked(f"x = a {before} b;"), [f"x = a [{before} => {after}] b;"])

    def test_words(self):
        self.assertEqual(marked("bool a = true;"), ["bool a = [true => false];"])
        self.assertEqual(marked("bool a = false;"), ["bool a = [false => true];"])
        self.assertEqual(marked("if (!a) f();"), ["if ([! => ]a) f();"])
        self.assertEqual(marked("x = std::max(a, b);"), ["x = std::[max => min](a, b);"])
        self.assertEqual(marked("x = std::min<int>(a, b);"), ["x = std::[min => max]<int>(a, b);"])
        self.assertEqual(marked("x = std::ranges::max_element(a);"),
                         ["x = std::ranges::[max_element => min_element](a);"])

    def test_every_operator_of_a_line_is_a_change_of_its_own(self):
        self.assertEqual(marked("return a < b && !c;"),
                         ["return a [< => <=] b && !c;", "return a < b [&& => ||] !c;",
                          "return a < b && [! => ]c;"])

    def test_the_change_is_made_where_it_is_marked(self):
        text = "int f() {\n  return a - b;\n}\n"
        (change,) = mutations.changes(text)
        self.assertEqual(change.line, 2)
        self.assertEqual(change.apply(text), "int f() {\n  return a + b;\n}\n")

    def test_an_operator_at_the_end_of_a_line(self):
        self.assertEqual(marked("x = a &&\n    b ==\n    c;"), ["x = a [&& => ||]", "b [== => !=]"])

    def test_constants_of_types_and_members_are_no_limits(self):
        for text in ("x = std::numeric_limits<int>::max();", "x = range.max(1);", "int max = 1;",
                     "x = my::max(a, b);"):
            self.assertEqual(marked(text), [])


class LeftAlone(unittest.TestCase):
    def nothing(self, *texts):
        for text in texts:
            self.assertEqual(marked(text), [], text)

    def test_comments(self):
        self.nothing("// a < b && !c\nx();", "/* a == b\n true */ x();", "x();  // true \\\n a < b\n")

    def test_strings_and_characters(self):
        self.nothing('f("a < b && !c // true");', r'f("\" < true");', 'f(R"(a " < b)");',
                     'f(R"X(a )" < b)X");', "f('<');", r"f('\'', '!');", 'f(u8"a == b");')

    def test_a_string_ends_where_it_ends(self):
        self.assertEqual(marked(r'f("\\", a < b);'), [r'f("\\", a [< => <=] b);'])
        self.assertEqual(marked("x = 1'000'000 < b;"), ["x = 1'000'000 [< => <=] b;"])
        self.assertEqual(marked('f("//", a < b);'), ['f("//", a [< => <=] b);'])

    def test_preprocessor_lines(self):
        self.nothing("#include <vector>\n", "#if A && !B\n#endif\n", "  #define X(a) \\\n    a < 1\n")
        self.assertEqual(marked("#pragma once\nx = a < b;"), ["x = a [< => <=] b;"])

    def test_angle_brackets_of_templates(self):
        self.nothing("std::vector<int> x;", "std::map<int, std::vector<int>> x;", "f<a>(b);",
                     "std::vector<\n    int> x;", "template <typename T>\nvoid f();",
                     "template <>\nstruct X<int> {};",
                     "template <bool kOn = true, typename T = X<int>>\nvoid f();", "x = static_cast<int>(y);")

    def test_references_signs_arrows_and_shifts(self):
        self.nothing("auto&& x = y;", "void f(T&& x);", "Result f() &&;", "Result f() && {}", "x = -y;",
                     "f(+1, -1);", "x->y = z;", "auto f() -> int;", "x = y << 1;", "x <<= 1;", "++x;", "x--;",
                     "x = 1e+5;", "auto c = a <=> b;")

    def test_operators_that_are_declared(self):
        self.nothing("bool operator==(const X&) const = default;", "bool operator<(X a, X b);",
                     "bool operator!() const;",
                     "friend bool operator==(const X&, const X&) = default;")

    def test_assertions_and_constraints(self):
        self.nothing("assert(a < b && f(c, !d));", "static_assert(sizeof(X) == 8);",
                     "void f() noexcept(true);",
                     "template <class T>\n  requires A<T> && B<T>\nvoid f();")
        self.assertEqual(marked("assert(a < b); x = a < b;"), ["assert(a < b); x = a [< => <=] b;"])

    def test_joined_texts(self):
        self.nothing('x = "a" + b;', 'x = b + "a";', 'x += "a";')
        self.assertEqual(marked("x = c - '0';"), ["x = c [- => +] '0';"])


class Verdict(unittest.TestCase):
    def test_a_change_is_noticed_when_a_test_fails_with_it(self):
        self.assertEqual(mutate.verdict(lambda: True, lambda: False), "noticed")
        self.assertEqual(mutate.verdict(lambda: True, lambda: True), "survived")
        self.assertEqual(mutate.verdict(lambda: False, lambda: self.fail("nothing to run")), "invalid")

    def test_a_program_that_fails_crashes_or_hangs_does_not_pass(self):
        with tempfile.TemporaryDirectory() as directory:
            mutate.BUILD = pathlib.Path(directory)
            self.assertTrue(mutate.passes(["true"], 10))
            self.assertFalse(mutate.passes(["false"], 10))
            self.assertFalse(mutate.passes(["sh", "-c", "kill -SEGV $$"], 10))
            self.assertFalse(mutate.passes(["sleep", "60"], 0.1))


class Bench(unittest.TestCase):
    def test_one_change_at_a_time_and_none_in_the_end(self):
        with tempfile.TemporaryDirectory() as directory:
            mutate.TREE = pathlib.Path(directory)
            texts = {"a.cc": "x = a < b && c;", "b.cc": "y = true;"}
            for name, text in texts.items():
                (mutate.TREE / name).write_text(text, encoding="utf-8")

            def there():
                return {name: (mutate.TREE / name).read_text(encoding="utf-8") for name in texts}

            bench = mutate.Bench()
            first, second = [mutate.Attempt("a.cc", c) for c in mutations.changes(texts["a.cc"])]
            (other,) = [mutate.Attempt("b.cc", c) for c in mutations.changes(texts["b.cc"])]
            bench.put(first)
            self.assertEqual(there(), {"a.cc": "x = a <= b && c;", "b.cc": "y = true;"})
            bench.put(second)
            self.assertEqual(there(), {"a.cc": "x = a < b || c;", "b.cc": "y = true;"})
            bench.put(other)
            self.assertEqual(there(), {"a.cc": "x = a < b && c;", "b.cc": "y = false;"})
            bench.put(None)
            self.assertEqual(there(), texts)


class Draw(unittest.TestCase):
    def setUp(self):
        self.room = mutate.Room("base", "tamp_base", ["src/core/money.cc", "src/core/time.cc"], "base_test")

    def test_the_same_seed_draws_the_same_changes(self):
        self.assertEqual(mutate.draw(self.room, 1, set()), mutate.draw(self.room, 1, set()))
        self.assertNotEqual(mutate.draw(self.room, 1, set()), mutate.draw(self.room, 2, set()))

    def test_what_is_listed_is_set_apart(self):
        every, _ = mutate.draw(self.room, 1, set())
        first = (every[0].file, every[0].change.marked)
        drawn, listed = mutate.draw(self.room, 1, {first})
        self.assertEqual({(a.file, a.change.marked) for a in listed}, {first})
        self.assertEqual([a for a in every if a not in listed], drawn)


class List(unittest.TestCase):
    def test_an_entry_has_file_code_and_reason(self):
        entry = "# a comment\n\nsrc/a/b.cc: if (a [< => <=] b)  ## both are never equal\n"
        self.assertEqual(mutations.read_unobservable(entry),
                         [("src/a/b.cc", "if (a [< => <=] b)", "both are never equal")])

    def test_an_entry_without_a_reason_or_a_change_is_refused(self):
        for text in ("src/a/b.cc: if (a [< => <=] b)", "src/a/b.cc: if (a [< => <=] b) ## ",
                     "src/a/b.cc: if (a < b) ## why"):
            with self.assertRaises(ValueError):
                mutations.read_unobservable(text)

    def test_an_entry_that_matches_no_code_is_stale(self):
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (directory / "a.cc").write_text("  x = a < b;\n", encoding="utf-8")
        entries = [("a.cc", "x = a [< => <=] b;", "r"), ("a.cc", "x = a [> => >=] b;", "r"),
                   ("b.cc", "[! => ]a", "r")]
        self.assertEqual(mutations.stale(entries, directory), ["a.cc: x = a [> => >=] b;", "b.cc: [! => ]a"])

    def test_the_list_of_this_tree_matches_its_code(self):
        text = (ROOT / "test/mutation/unobservable.txt").read_text(encoding="utf-8")
        entries = mutations.read_unobservable(text)
        self.assertEqual(mutations.stale(entries, ROOT), [])
        self.assertEqual(len({entry[:2] for entry in entries}), len(entries), "an entry stands twice")


if __name__ == "__main__":
    unittest.main()
