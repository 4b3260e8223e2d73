"""The layer checker must catch what it is there for: each test builds a small tree with one violation."""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import check_layers  # noqa: E402


class CheckLayersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for header in (
            "src/base/result.h",
            "src/flow/pcm.h",
            "src/kernels/kernels.h",
            "src/formats/tensor_source.h",
            "src/formats/gguf_reader.h",
            "src/compute/plan.h",
            "src/nn/nn.h",
            "src/sampling/sampling.h",
            "src/stages/codec_embeddings.h",
            "src/stages/codec/decoder.h",
            "src/stages/talker/talker.h",
            "src/stages/audio/audio.h",
            "src/engine/model.h",
            "include/kazeia/engine.h",
            "include/kazeia/kazeia.h",
        ):
            self.write(header, "#pragma once\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def violations(self):
        return [f"{path.as_posix()}:{line}: {text}" for path, line, text in check_layers.problems(self.root)]

    def expect_include(self, path, name, allowed):
        self.write(path, f'#include "{name}"\n')
        found = self.violations()
        (self.root / path).unlink()
        self.assertEqual(allowed, not found, f"{path} includes {name}: {found}")

    def test_a_tree_that_keeps_the_rules_has_no_violation(self):
        self.assertEqual([], self.violations())

    def test_a_lower_layer_may_not_include_a_higher_one(self):
        self.expect_include("src/base/a.cpp", "flow/pcm.h", allowed=False)
        self.expect_include("src/flow/a.cpp", "formats/gguf_reader.h", allowed=False)
        self.expect_include("src/kernels/a.cpp", "compute/plan.h", allowed=False)
        self.expect_include("src/nn/a.cpp", "flow/pcm.h", allowed=False)
        self.expect_include("src/nn/a.cpp", "stages/codec/decoder.h", allowed=False)
        self.expect_include("src/stages/codec/a.cpp", "engine/model.h", allowed=False)
        self.expect_include("src/nn/a.cpp", "compute/plan.h", allowed=True)
        self.expect_include("src/engine/a.cpp", "stages/codec/decoder.h", allowed=True)

    def test_compute_sees_one_header_of_formats(self):
        self.expect_include("src/compute/a.cpp", "formats/tensor_source.h", allowed=True)
        self.expect_include("src/compute/a.cpp", "formats/gguf_reader.h", allowed=False)

    def test_a_stage_may_not_include_another_stage(self):
        self.expect_include("src/stages/talker/a.cpp", "stages/codec/decoder.h", allowed=False)
        self.expect_include("src/stages/talker/a.cpp", "stages/talker/talker.h", allowed=True)
        self.expect_include("src/stages/talker/a.cpp", "stages/codec_embeddings.h", allowed=True)
        self.expect_include("src/stages/a.cpp", "stages/codec/decoder.h", allowed=False)

    def test_an_include_by_a_path_relative_to_the_file_is_seen_too(self):
        self.expect_include("src/stages/talker/a.cpp", "../codec/decoder.h", allowed=False)

    def test_the_public_headers_show_nothing_of_the_inside(self):
        self.expect_include("include/kazeia/a.h", "base/result.h", allowed=False)
        self.expect_include("bindings/c/a.cpp", "kazeia/engine.h", allowed=True)
        self.expect_include("bindings/android/a.cpp", "kazeia/kazeia.h", allowed=True)
        self.expect_include("bindings/android/a.cpp", "kazeia/engine.h", allowed=False)
        self.expect_include("bindings/c/a.cpp", "engine/model.h", allowed=False)

    def test_apps_use_the_public_interface_and_audio(self):
        self.expect_include("apps/cli/say.cpp", "kazeia/engine.h", allowed=True)
        self.expect_include("apps/cli/say.cpp", "stages/audio/audio.h", allowed=True)
        self.expect_include("apps/cli/say.cpp", "engine/model.h", allowed=False)
        self.expect_include("apps/cli/say.cpp", "formats/gguf_reader.h", allowed=False)
        self.expect_include("apps/cli/convert.cpp", "formats/gguf_reader.h", allowed=True)

    def test_a_folder_that_is_no_layer_is_refused(self):
        self.expect_include("src/utils/a.cpp", "base/result.h", allowed=False)

    def test_ggml_stays_in_three_layers_and_the_simulated_device(self):
        for path, allowed in (
            ("src/compute/a.cpp", True),
            ("src/nn/a.cpp", True),
            ("src/sampling/a.cpp", True),
            ("tests/device/driver_test.cpp", True),
            ("src/stages/codec/a.cpp", False),
            ("src/formats/a.cpp", False),
            ("apps/cli/bench.cpp", False),
        ):
            for header in ("ggml.h", "ggml-backend.h", "gguf.h"):
                self.expect_include(path, header, allowed)

    def test_the_library_neither_prints_nor_reads_the_environment(self):
        for code in ('std::printf("x");', "std::cerr << 1;", "fputs(text, stderr);", 'auto* v = std::getenv("X");'):
            self.write("src/base/a.cpp", code + "\n")
            self.assertEqual(1, len(self.violations()), code)
        for code in ("// goes to stderr in apps", 'log("stdout");', "std::snprintf(b, n, f);", "fingerprintf(1);"):
            self.write("src/base/a.cpp", code + "\n")
            self.assertEqual([], self.violations(), code)
        (self.root / "src/base/a.cpp").unlink()
        self.write("apps/cli/a.cpp", 'std::fprintf(stderr, "x");\n')
        self.assertEqual([], self.violations())

    def test_sources_are_ascii_in_comments_too(self):
        self.write("src/base/a.cpp", "// d\u00e9j\u00e0 vu\n")
        self.assertEqual(1, len(self.violations()))

    def test_a_long_file_is_refused_unless_it_is_generated(self):
        self.write("src/base/a.cpp", "int x;\n" * 401)
        self.assertIn("src/base/a.cpp:401: file of 401 lines", self.violations()[0])
        (self.root / "src/base/a.cpp").rename(self.root / "src/base/tables_generated.cpp")
        self.assertEqual([], self.violations())

    def test_a_long_function_is_refused_and_a_long_table_is_not(self):
        self.write("src/base/a.cpp", "void f() {\n" + "  g();\n" * 58 + "}\n")
        self.assertEqual([], self.violations())
        self.write("src/base/a.cpp", "void f() {\n" + "  g();\n" * 59 + "}\n")
        self.assertIn("function of 61 lines", self.violations()[0])
        self.write("src/base/a.cpp", "const int table[] = {\n" + "  1,\n" * 100 + "};\n")
        self.assertEqual([], self.violations())

    def test_a_header_without_pragma_once_is_refused(self):
        self.write("src/base/a.h", "struct A {};\n")
        self.assertEqual(1, len(self.violations()))


if __name__ == "__main__":
    unittest.main()
