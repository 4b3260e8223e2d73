// An official checkpoint folder is read under our names and layouts, and broken ones are refused by name.
#include <gtest/gtest.h>

#include "formats/model_file.h"
#include "support/tiny_checkpoint.h"

namespace kazeia {
namespace {

using test::TempFolder;
using test::TinyCheckpoint;
using test::write_tiny_checkpoint;

TEST(Checkpoint, a_tiny_official_folder_opens) {
  const TempFolder folder;
  write_tiny_checkpoint(folder.path());
  const Result<ModelFile> model = open_model(folder.path());
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->config.talker.num_code_groups, 4);
}

}  // namespace
}  // namespace kazeia
