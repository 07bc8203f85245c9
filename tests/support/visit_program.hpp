#pragma once

// `visit_program` for every family's plan.
#include "kernel/boxes/programs.hpp"
#include "kernel/convert/programs.hpp"
#include "kernel/direct/programs.hpp"
#include "kernel/gather/programs.hpp"
#include "kernel/interleave/programs.hpp"
#include "kernel/panels/programs.hpp"
#include "kernel/planes/programs.hpp"
#include "kernel/small/programs.hpp"
#include "kernel/swap/programs.hpp"
#include "kernel/tiled/programs.hpp"
#include "kernel/unaligned/programs.hpp"
