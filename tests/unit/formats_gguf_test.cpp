// links: kazeia_apps kazeia_test_support
// A model as one GGUF file: the same model as its folder, and broken files are refused by name.
#include <gtest/gtest.h>

#include "cli/convert_model.h"
#include "formats/model_file.h"
#include "support/tiny_checkpoint.h"

namespace kazeia {
namespace {

using test::TempFolder;
using test::write_tiny_checkpoint;

TEST(Gguf, a_converted_model_opens) {
  const TempFolder folder;
  write_tiny_checkpoint(folder.path());
  const auto report = convert_model(folder.path(), folder.file("m.gguf"), StorageType::q8_0);
  ASSERT_TRUE(report) << report.error().message;
  const Result<ModelFile> model = open_model(folder.file("m.gguf"));
  ASSERT_TRUE(model) << model.error().message;
}

}  // namespace
}  // namespace kazeia
