// How an official tensor becomes ours: the arithmetic of TensorRecipe.
#pragma once
#include <cstddef>
#include <span>

#include "formats/tensor_manifest.h"

namespace kazeia {

// A tensor's elements as stored: f32, f16 or bf16, at any address.
struct StoredElements {
  DType dtype = DType::f32;
  std::span<const std::byte> bytes;
};

// True for the recipes that only move elements, so that they work on any element type: copy and the three conv layouts.
bool keeps_elements(TensorRecipe recipe);

// Reorders source[0] into spec.shape, element type unchanged. For the recipes with keeps_elements; out has the
// source's size.
void rearrange(const TensorSpec& spec, StoredElements source, std::span<std::byte> out);

// Converts to f32.
void to_float(StoredElements source, std::span<float> out);

// Any recipe, computed in f32. sources: those of the spec; out: spec.shape.
void apply_recipe(const TensorSpec& spec, std::span<const StoredElements> sources, std::span<float> out);

}  // namespace kazeia
