# The tests that run with every set of instructions that Highway compiles the CPU engine for, as patterns of gtest. The shards unit.*
# fail for a test that runs the engine, or plans for it, and matches no pattern here, and for a pattern that matches no test.
# (Suites whose names begin with `instructions/` do all sets by themselves.)

set(on_every_target
  all/cpu_rungs.*/vector_* all/cpu_rungs.*/streaming_* all/cpu_rungs.*/threads_* any_axes.*on_the_cpu boxes.*
  c_distributed.* c_interface.* cache.* calls_of_many_threads.* compare_results.* cpu_convert.* cpu_ladder.* distributed_elements.*
  distributed_run.* element_sizes/far_offsets.* inplace_plan.* ladder.climbs_the_cpu_s limited.follows_* local_plan.* mdspan.* permute.* permute_batched.*
  permute_batched_in_c.* permute_elements.* permute_elements_in_c.* permute_inplace.* pieces.do_* pipeline.does_what_the_whole_does
  plan.moves_what_the_cpu_engine_moves plan_api.* quantize.* quantize_call.* rearrange.* rearrange_in_c.* rearrange_swizzle.* rectangle.*on_the_cpu*
  packed_matrices.* rearrange_bits.* skinny.* staged.steps_*
  strided_copy.* swizzled.follows_* threads_of_a_call.* transpose.moves_elements_of_any_size transpose.takes_packed_* transposing_a_file.* typed.*
  worker_threads.*)

# They run with the best set alone: they take long, and the tests above have the same instructions; or they are of threads, messages,
# plans and times.
set(on_one_target
  bad_input.* choice_test.* cpu_stopwatch.* cpu_threads.* distributed_simulation.* errors.* files/stopped_in_place.*
  inplace_plan.explains_* ladder_without_a_gpu.* permute_inplace.transposes_skinny_rectangles plan_candidates.* plans_of_boxes.*
  known_formats.swizzled_tiles_* quantize_choice.* quantize_plan.* quantize.of_the_tile_program_is_that_of_the_cpu)

# The files of Python whose calls run the engine, and those of their tests that take longest, which run with the best set alone.
set(python_on_every_target
  interfaces/test_blas.py interfaces/test_blas_batches.py interfaces/test_blas_sums.py python/test_addresses.py
  python/test_distributed.py python/test_elements.py python/test_fp8.py python/test_images.py python/test_inplace.py
  python/test_permute.py python/test_plan.py python/test_producers.py python/test_random.py)
set(python_on_one_target
  test_many_threads_and_views test_values_with_scales_get_others test_any_destination test_a_plan test_saturation_of_a_type_to_itself
  "(test_scales_and_values and e5m2)")

# The best set needs no run of its own. A run for a set that the processor lacks, or for its best one, is skipped.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(targets AVX2 SSE4 scalar)
else()
  set(targets scalar)
endif()
