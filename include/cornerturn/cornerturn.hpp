#pragma once

#include "cornerturn/cache.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/explain.hpp"
#include "cornerturn/file.hpp"
#include "cornerturn/info.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/layout.hpp"
#include "cornerturn/log.hpp"
#include "cornerturn/permute.hpp"
#include "cornerturn/plan.hpp"
#include "cornerturn/transpose.hpp"
#include "cornerturn/tune.hpp"
