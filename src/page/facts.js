// ---- the facts of what is explained: lists of term, value and the name of the field if it is not the term

const sides = (source, destination) => `${grouped(source)}, ${grouped(destination)}`;

function factsOfRung(explained) {
  const gauge = make("span", {className: "gauge", "aria-hidden": "true"});
  gauge.style.setProperty("--share", `${Math.min(1, explained.predicted) * 100}%`);
  const speed = [[`predicted (model of ${explained.gpu}), ratio to a copy`, [explained.predicted.toFixed(2), gauge]],
    ["limited by", explained.limit]];
  return [
    ...(explained.predicted > 0 ? speed : []),
    ["pitch in elements, source and destination", sides(explained.source_pitch, explained.destination_pitch)],
    ["alignment in bytes, source and destination", sides(explained.source_align, explained.destination_align)],
    ["tile", explained.tile.replace("x", " × ")], ["threads per block", grouped(explained.threads)],
    ["blocks", grouped(explained.blocks)], ["classes of blocks", grouped(explained.classes)],
  ];
}

function factsOfLayout(explained) {
  const {elements, element_size, code, addresses} = explained;
  if (addresses) return [["byte addresses", addresses]];
  const texts = [["threads of the store", data.store_threads], ["threads of the load", data.load_threads], ["in CuTe", code],
    ["without CuTe", explained.cuda_code], ["in CuTe DSL", explained.cute_dsl_code], ["in Gluon", explained.gluon_code], ["or padded", explained.padded_code],
    ["swizzle of TMA and wgmma", explained.tma]];
  return [["tile in elements", grouped(elements)], ["tile in bytes", grouped(elements * element_size)],
    ...texts.filter(([, text]) => text)];
}

const factsOfTraced = ({threads, blocks}) => [["threads per block", grouped(threads)], ["blocks in the trace", grouped(blocks)]];

/** The facts of a code: its block, and the suggestions if the explanation is of these. */
function factsOfCode(explained) {
  const {block, threads} = explained;
  const facts = [["threads of a block", /\d x/.test(block) ? `${block} = ${grouped(threads)}` : grouped(threads)]];
  const change = (now, given) => (now === given ? `${grouped(now)}, as before` : `${grouped(now)} instead of ${grouped(given)}`);
  if (explained.rung === "code") return facts;
  for (const each of data.suggestions) {
    const option = it => [`${counted(it.wavefronts, "wavefront")}, ${counted(it.elements, "element")}`, make("br"), it.cuda_code];
    facts.push([`wavefronts of ${each.array}`, change(each.wavefronts, each.given_wavefronts), "wavefronts"],
      [`elements of ${each.array}`, change(each.elements, each.given_elements), "elements"],
      ["without CuTe", each.cuda_code], ["in CuTe", each.code], ["in CuTe DSL", each.cute_dsl_code]);
    if (each.gluon_code) facts.push(["in Gluon", each.gluon_code]);
    if (each.padding) facts.push(["or padded", option(each.padding)]);
    if (each.tma_swizzle) facts.push(["swizzle of TMA and wgmma", tmaText(each)]);
    if (each.tma) facts.push(["or with a swizzle of TMA and wgmma", option(each.tma)]);
  }
  return facts;
}
