// ---- layouts

/**
 * A layout as an explanation: its instructions in shared memory, then in global memory, or those of one memory only. ldmatrix reads
 * no global memory.
 */
function explanationOf(layout, at) {
  const [{suggestion}] = data.layouts;
  const optionOf = it => (layout.addresses ? "--addresses" : it.store ? "--store-threads" :
    data.ldmatrix ? `ldmatrix.x${data.ldmatrix}` : "--load-threads");
  const instructions = layout.instructions.map(it => ({...it, option: optionOf(it)}));
  const shared = layout.space === "global" ? [] : instructions,
    global = layout.space === "shared" ? [] : instructions.filter(it => it.store || !data.ldmatrix).map(asGlobal);
  const findings = layout.findings.map(each =>
    (each.space === "global" ? {...each, instruction: each.instruction + shared.length} : each));
  return {...layout, rung: at ? "suggested" : "given", type: `${layout.element_size}`, findings, idea: ideaOf(layout, at),
    code: at ? suggestion.code : "", cuda_code: at ? suggestion.cuda_code : "", cute_dsl_code: at ? suggestion.cute_dsl_code : "",
    gluon_code: at ? suggestion.gluon_code : "", padded_code: (at && suggestion.padding?.cuda_code) || "",
    tma: at ? tmaText(suggestion) : "", instructions: [...shared, ...global]};
}

/** Says if TMA and wgmma have the swizzle of a suggestion. */
function tmaText({layout, tma_swizzle}) {
  if (tma_swizzle) return `the ${tma_swizzle}-byte mode`;
  return layout.startsWith("Sw<") ? "none" : "";
}

const kLayoutKey = "Shared: with the tile in shared memory, where the cost is in wavefronts; global: with the tile in global " +
  "memory, where it is in sectors. Ideal: the cost without waste. Cost, ideal and active lanes are averages per request; bytes " +
  "are per lane.";
const wavefrontsOf = layout => layout.instructions.reduce((sum, each) => sum + each.wavefronts, 0);

function ideaOf(layout, at) {
  const [given] = data.layouts, now = wavefrontsOf(layout);
  const ideal = layout.instructions.reduce((sum, each) => sum + each.ideal_wavefronts, 0);
  if (layout.instructions.some(each => !each.ideal_wavefronts)) return "an access that no GPU does, as the findings say";
  const purpose = layout.addresses ? "for the access of one warp" : "to access the whole tile";
  if (layout.space === "global") {
    const [sectors, least] = ["sectors", "ideal_sectors"].map(name => layout.instructions.reduce((sum, it) => sum + it[name], 0));
    return `${counted(sectors, "sector")} ${purpose} in global memory, of which ${grouped(least)} would do`;
  }
  const taken = `${counted(now, "wavefront")} ${purpose} in shared memory`;
  if (at) return `${taken}, ${grouped(wavefrontsOf(given))} with the given layout`;
  const better = given.suggestion && data.layouts.length < 2 ? "; no padding and no swizzle is better" : "";
  return `${taken}; ${now > ideal ? `${grouped(ideal)} without bank conflicts` : "no bank conflict"}${better}`;
}

