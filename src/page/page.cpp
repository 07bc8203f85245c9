#include "cornerturn/page.hpp"

#include <nlohmann/json.hpp>

#include "explain/svg.hpp"
#include "page/page_sources.hpp"

namespace cornerturn {
namespace {

using json = nlohmann::ordered_json;

std::string_view name_of(memory_space space) { return space == memory_space::shared ? "shared" : "global"; }

json to_json(memory_request const& each, bool shared) {
  json lanes = json::array(), addresses = json::array(), served = json::array(), groups = json::array();
  for (auto const& lane : each.lanes) {
    lanes.push_back(lane.lane);
    addresses.push_back(lane.active ? json(lane.address) : json());
    served.push_back(lane.wavefront);
    groups.push_back(lane.group);
  }
  json result{{"warp", each.warp},
              {"occurrence", each.occurrence},
              {"sectors", each.sectors},
              {"ideal_sectors", each.ideal_sectors},
              {"wavefronts", each.wavefronts},
              {"ideal_wavefronts", each.ideal_wavefronts},
              {"lanes", lanes},
              {"addresses", addresses}};
  if (shared) result["phases"] = served, result["groups"] = groups;
  return result;
}

json to_json(memory_instruction const& each) {
  bool const shared = each.space == memory_space::shared;
  json samples = json::array();
  for (auto const& sample : each.samples) samples.push_back(to_json(sample, shared));
  return {{"file", each.file},
          {"line", each.line},
          {"source", each.source},
          {"space", name_of(each.space)},
          {"store", each.store},
          {"box", each.box},
          {"async", each.async},
          {"bytes", each.bytes},
          {"swizzled", each.swizzled},
          {"requests", each.requests},
          {"active_lanes", each.active_lanes},
          {"sectors", each.sectors},
          {"ideal_sectors", each.ideal_sectors},
          {"partial_sectors", each.partial_sectors},
          {"half_lines", each.half_lines},
          {"lines", each.lines},
          {"wavefronts", each.wavefronts},
          {"ideal_wavefronts", each.ideal_wavefronts},
          {"warp_sectors", each.warp_sectors},
          {"split_sectors", each.split_sectors},
          {"bytes_needed", each.bytes_needed},
          {"bytes_moved", each.bytes_moved},
          {"samples", samples}};
}

json to_json(finding const& each) { return {{"kind", each.kind}, {"instruction", each.instruction}, {"text", each.text}}; }

json to_json(layout_finding const& each) {
  auto result = to_json(finding(each));
  result["space"] = each.space ? name_of(*each.space) : "both";
  return result;
}

template <class Findings>
void add_counts(json& into, std::vector<memory_instruction> const& instructions, Findings const& findings) {
  into["instructions"] = into["findings"] = json::array();
  for (auto const& each : instructions) into["instructions"].push_back(to_json(each));
  for (auto const& each : findings) into["findings"].push_back(to_json(each));
}

json to_json(code_explanation const& each) {
  json result{{"rung", each.rung},       {"type", ""},       {"idea", each.idea}, {"code", each.code}, {"block", each.block},
              {"threads", each.threads}, {"unavailable", ""}};
  add_counts(result, each.instructions, each.findings);
  return result;
}

json to_json(layout_padding const& each) {
  return {{"layout", each.layout}, {"cuda_code", each.cuda_code}, {"wavefronts", each.wavefronts}, {"elements", each.elements}};
}

json to_json(layout_suggestion const& each) {
  json result{{"layout", each.layout},
              {"code", each.code},
              {"cuda_code", each.cuda_code},
              {"wavefronts", each.wavefronts},
              {"ideal_wavefronts", each.ideal_wavefronts},
              {"elements", each.elements},
              {"tma_swizzle", each.tma_swizzle},
              {"rearrange_code", each.rearrange_code},
              {"cute_dsl_code", each.cute_dsl_code},
              {"gluon_code", each.gluon_code}};
  if (each.padding) result["padding"] = to_json(*each.padding);
  return result;
}

json to_json(code_suggestion const& each) {
  auto result = to_json(layout_suggestion(each));
  result.update({{"array", each.array}, {"given_wavefronts", each.given_wavefronts}, {"given_elements", each.given_elements}});
  if (each.tma) result["tma"] = to_json(*each.tma);
  return result;
}

json to_json(explanation const& each) {
  bool const is_plan = !each.plan.empty();
  auto result = is_plan ? json{{"kernel", each.rung}, {"plan", each.plan}, {"problem", each.problem}}
                        : json{{"rung", each.rung},
                               {"idea", each.idea},
                               {"rows", each.rows},
                               {"cols", each.cols},
                               {"type", each.type},
                               {"source_pitch", each.source_pitch},
                               {"destination_pitch", each.destination_pitch}};
  result.update({{"element_size", each.element_size},
                 {"source_align", each.source_align},
                 {"destination_align", each.destination_align},
                 {"unavailable", each.unavailable}});
  if (!each.unavailable.empty()) return result;
  result.update({{"threads", each.threads}, {"blocks", each.blocks}, {"classes", each.classes}, {"gpu", each.gpu}});
  result.update(is_plan ? json{{"expected_us", 1e6 * each.seconds}, {"expected_ratio", each.predicted}}
                        : json{{"tile", each.tile}, {"predicted", each.predicted}, {"limit", each.limit}});
  add_counts(result, each.instructions, each.findings);
  return result;
}

json to_json(layout_explanation const& each, std::optional<layout_suggestion> const& found) {
  json result{{"layout", each.layout}, {"elements", each.elements}, {"element_size", each.element_size}};
  if (!each.addresses.empty()) result["addresses"] = each.addresses;
  result["space"] = each.space ? name_of(*each.space) : "both";
  add_counts(result, each.instructions, each.findings);
  if (found) result["suggestion"] = to_json(*found);
  return result;
}

json to_json(traced_kernel const& each) {
  json result{{"kernel", each.rung}, {"idea", each.idea}, {"threads", each.threads}, {"blocks", each.blocks}};
  add_counts(result, each.instructions, each.findings);
  return result;
}

template <class Explanation>
json to_json(std::vector<Explanation> const& all) {
  json result = json::array();
  for (auto const& each : all) result.push_back(to_json(each));
  return result;
}

/// A code's explanation, and that of the code with the suggested layouts if there are any.
json to_json(code_explanation const& code, std::vector<code_suggestion> const& found) {
  json result{{"version", CORNERTURN_VERSION}, {"type", ""}, {"explanations", json::array()}, {"suggestions", json::array()}};
  result["explanations"].push_back(to_json(code));
  if (found.empty()) return result;
  for (auto const& each : found) result["suggestions"].push_back(to_json(each));
  auto after = to_json(explain_suggested_code(code.code, found));
  after["rung"] = "suggested";
  result["explanations"].push_back(std::move(after));
  return result;
}

void fill_in(std::string& into, std::string_view placeholder, std::string_view text) {
  into.replace(into.find(placeholder), placeholder.size(), text);
}

/// Text that is not UTF-8, such as a source line in Latin-1, gets replacement characters. An indent of -1 leaves out line ends.
std::string json_text(json const& data, int indent) { return data.dump(indent, ' ', false, json::error_handler_t::replace); }

std::string file_text(json const& data) { return json_text(data, 1) + "\n"; }

/// JSON for a script element: '<' is escaped, so that no text ends the element.
std::string script_json(json const& data) {
  std::string result;
  for (char const c : json_text(data, -1)) c == '<' ? result += "\\u003c" : result += c;
  return result;
}

std::string page_with(json data) {
  data["first_hue"] = svg::kFirstHue;
  data["hue_range"] = svg::kHueRange;
  std::string page(page::kHtml);
  fill_in(page, "/*STYLE*/", page::kCss);
  fill_in(page, "/*SCRIPT*/", page::kJs);
  fill_in(page, "\"DATA\"", script_json(data));
  return page;
}

}  // namespace

std::string json_of(std::vector<explanation> const& all) { return file_text(to_json(all)); }

std::string json_of(std::vector<traced_kernel> const& all) { return file_text(to_json(all)); }

std::string json_of(layout_explanation const& each, std::optional<layout_suggestion> const& found) {
  return file_text(to_json(each, found));
}

std::string json_of(code_explanation const& code, std::vector<code_suggestion> const& found) {
  return file_text(to_json(code, found));
}

std::string page_of(code_explanation const& code, std::vector<code_suggestion> const& found) {
  return page_with(to_json(code, found));
}

std::string page_of(std::vector<explanation> const& all, std::string const& type) {
  return page_with({{"version", CORNERTURN_VERSION},
                    {"rows", all.front().rows},
                    {"cols", all.front().cols},
                    {"type", type},
                    {"explanations", to_json(all)}});
}

std::string page_of(std::vector<traced_kernel> const& all) {
  auto kernels = to_json(all);
  for (auto& each : kernels) each.update({{"rung", each["kernel"]}, {"type", ""}, {"unavailable", ""}});
  return page_with({{"version", CORNERTURN_VERSION}, {"type", ""}, {"traced", true}, {"explanations", kernels}});
}

std::string page_of(layout_options const& asked, layout_explanation const& given, std::optional<layout_suggestion> const& found) {
  json layouts = json::array();
  layouts.push_back(to_json(given, found));
  if (found && found->layout != given.layout) layouts.push_back(to_json(explain_suggestion(asked, *found), std::nullopt));
  return page_with({{"version", CORNERTURN_VERSION},
                    {"store_threads", asked.store.threads},
                    {"load_threads", asked.load.threads},
                    {"ldmatrix", asked.ldmatrix},
                    {"layouts", layouts}});
}

}  // namespace cornerturn
