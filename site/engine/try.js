"use strict";

const kExamples = {
  "A transpose": ["__shared__ float tile[32][32];\nfloat* in;\nfloat* out;\nint n = 1024;",
    "for (int j = 0; j < 32; j += 8)\n  tile[threadIdx.y + j][threadIdx.x] = in[(threadIdx.y + j) * n + threadIdx.x];\n" +
    "__syncthreads();\nfor (int j = 0; j < 32; j += 8)\n  out[(threadIdx.y + j) * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y + j];", "32, 8"],
  "ldmatrix and a swizzle": ["__shared__ half s[64][64];\nint row = lane % 16, col = lane / 16 * 8;",
    "ldmatrix_x4(a, &s[row][col]);\nldmatrix_x4(b, &s[row][col ^ (row & 7) * 8]);", "32"],
  "Vectors": ["__shared__ float s[32][36];\nfloat4 const* in;",
    "int row = threadIdx.x / 8, col = threadIdx.x % 8 * 4;\n*(float4*)&s[row][col] = in[threadIdx.x];\ns[threadIdx.x % 32][row];", "256"],
  "A histogram, bins for each lane": ["__shared__ unsigned bins[32][64];",
    "int value = threadIdx.x * 37 & 63; // stands for what is counted\nbins[lane][value]++;", "32"],
  "A stencil with a halo": ["__shared__ float2 s[18][18];\nfloat2* in;\nint n = 1024;",
    "int x = threadIdx.x + 1, y = threadIdx.y + 1;\ns[y][x] = in[y * n + x];\nif (threadIdx.x == 0) s[y][0] = in[y * n];\n" +
    "__syncthreads();\nfloat2 left = s[y][x - 1], above = s[y - 1][x];", "16, 16"],
  "An array of structures": ["struct particle { float x, y, z; };\nparticle* p;", "p[threadIdx.x].x += 1;\np[threadIdx.x].y += 1;\np[threadIdx.x].z += 1;", "128"],
  "A box by TMA": ["__shared__ half tile[64][64];\n__device__ half map[4096][4096]; // the tensor of the map",
    "if (threadIdx.x == 0)\n  cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, 64, 128, bar);\n" +
    "ldmatrix_x4(a, &tile[lane % 16][lane / 16 * 8]);", "128"],
  "A layout of CuTe": ["__shared__ half s : Swizzle<3,3,3> o (64,64):(64,1);",
    "*(uint4*)&s(lane, 0);\nfor (int k = 0; k < 8; ++k) s(k, lane);", "32"],
  "A layout of Triton": ["__shared__ half s : [64, 64], gl.SwizzledSharedLayout(vec=8, per_phase=1, max_phase=8, order=[1, 0]);",
    "*(uint4*)&s(lane, 0);\nfor (int k = 0; k < 8; ++k) s(k, lane);", "32"],
};

let question = "", isAnswered = true; // of the address, whose reader answers before the counts are shown

const field = name => document.getElementById(name);
const kFields = ["declarations", "accesses", "block"];
const decoded = name => Uint8Array.from(atob(field(name).textContent.trim()), each => each.charCodeAt(0));
const compiled = WebAssembly.compile(decoded("engine"));
const [before, given, after] = new TextDecoder().decode(decoded("page")).split(/(?<=id="data">)(.*?)(?=<\/script>)/s);

/** The page of `explain` with other data: the counts that the engine returns. */
const pageOf = counts => before + JSON.stringify({...JSON.parse(given), ...counts}).replaceAll("<", "\\u003c") + after;

/** Calls a function of the engine on a code. Each call has its own instance, because a throw leaves it half done. */
async function engine(name, code, ...options) {
  const text = new TextEncoder().encode(code);
  let memory;
  const read = from => {
    const bytes = new Uint8Array(memory.buffer);
    return new TextDecoder().decode(bytes.subarray(from, bytes.indexOf(0, from)));
  };
  const none = new Proxy({}, {get: () => () => 0}); // the system that the C library asks for
  const fail = from => { throw new Error(read(from)); };
  const instance = await WebAssembly.instantiate(await compiled, {page: {fail}, wasi_snapshot_preview1: none});
  memory = instance.exports.memory;
  instance.exports._initialize?.();
  const at = instance.exports.reserve(text.length);
  new Uint8Array(memory.buffer).set(text, at);
  return read(instance.exports[name](...options));
}

/** The fields as one code: the block, the declarations and the accesses, each from a new line on. */
function codeOf() {
  const [declarations, accesses, block] = kFields.map(name => field(name).value);
  const extents = block.replace(/^\s*(?:dim3\b)?\s*\w*\s*[({](.*)[)}]\s*;?\s*$/, "$1").replace(/(?<=\d)\s*[x×]\s*(?=\d)/g, ", ").trim();
  const shape = extents ? `dim3 block(${extents});` : "";
  return [shape, declarations, accesses].join("\n");
}

/** The field that has a line of the code, and the line within it, from 1. */
function placeOf(line) {
  const first = field("declarations").value.split("\n").length;
  return line === 1 ? ["block", 1] : line <= 1 + first ? ["declarations", line - 1] : ["accesses", line - 1 - first];
}

/** The counts with the places of the fields: "accesses:2" instead of "code:7". */
function inFields(json) {
  const counts = JSON.parse(json);
  for (const each of counts.explanations) {
    for (const it of each.instructions) [it.file, it.line] = placeOf(it.line);
    for (const it of each.findings) it.text = it.text.replace(/\bcode:(\d+)/g, (_, line) => placeOf(Number(line)).join(":"));
  }
  return counts;
}

/** Shows an error at its character: "code '…' is wrong at line 3, character 7, '[': …". */
function complain(message) {
  const found = /^code '.*' is wrong at (?:the end of )?line (\d+)(?:, character (\d+)(?:, '.+?')?)?: (.*)$/s.exec(message);
  field("error").textContent = message;
  field("error").hidden = false;
  if (!found) return;
  const [name, line] = placeOf(Number(found[1])), at = line - 1;
  const box = field(name), lines = box.value.split("\n");
  box.setAttribute("aria-invalid", "true");
  const text = lines[at] ?? "", place = Math.min((Number(found[2]) || text.length + 1) - 1, text.length);
  const problem = found[3].replace("; write dim3 block(32, 8), say, before it", "; write it into the field Block, e.g. 32, 8");
  field("error").textContent =
    name === "block" ? `Block: ${problem}` : `Line ${line} of the ${name}: ${problem}\n\n${text}\n${" ".repeat(place)}^`;
  const from = lines.slice(0, at).reduce((sum, each) => sum + each.length + 1, 0) + place;
  if (name !== "block" && document.activeElement !== box) box.setSelectionRange(from, from + 1);
}

/** What the counts say to the question: the sums, and each problem with its lanes. */
const answerOf = ({idea, findings}) => [`${idea}.`, ...findings.map(each => each.text)].join("\n");

let waiting, asked = 0;

/** Explains the fields as they are now. body[data-explained] is data-asked when the last answer is shown whole. */
async function explain() {
  clearTimeout(waiting);
  const mine = (document.body.dataset.asked = ++asked);
  field("error").hidden = true;
  field("copy").textContent = "Copy the link";
  for (const name of kFields) field(name).removeAttribute("aria-invalid");
  const state = "#" + new URLSearchParams([...kFields.map(name => [name, field(name).value]), ...(question ? [["question", question]] : [])]);
  if (location.hash !== state) history.replaceState(null, "", state);
  try {
    const counts = inFields(await engine("explain", codeOf()));
    if (mine !== asked) return;
    field("save").disabled = false;
    field("answer").textContent = answerOf(counts.explanations[0]);
    const shown = new Promise(done => field("result").addEventListener("load", done, {once: true}));
    field("result").srcdoc = pageOf(counts);
    field("result").hidden = !isAnswered;
    await shown;
    performance.mark("explained");
  } catch (error) {
    if (mine !== asked) return;
    complain(error.message);
    field("save").disabled = true;
    field("result").hidden = true;
  }
  document.body.dataset.explained = mine;
}

function restore() {
  const query = new URLSearchParams(location.hash.slice(1) || field("state").textContent), [, first] = Object.entries(kExamples)[0];
  kFields.forEach((name, i) => (field(name).value = query.has("accesses") ? query.get(name) ?? "" : first[i]));
  question = query.get("question") ?? "";
  isAnswered = !question;
  field("example").selectedIndex = query.has("accesses") ? -1 : 0;
  field("question").textContent = question;
  field("exercise").hidden = !question;
  field("answer").hidden = true;
  field("reveal").hidden = false;
  explain();
}

for (const name of kFields)
  field(name).oninput = () => {
    field("example").selectedIndex = -1;
    clearTimeout(waiting);
    waiting = setTimeout(explain, 400);
  };
field("form").onsubmit = event => {
  event.preventDefault();
  explain();
};
field("reveal").onclick = () => {
  isAnswered = true;
  field("reveal").hidden = true;
  field("answer").hidden = field("result").hidden = false;
};
field("example").append(...Object.keys(kExamples).map(name => new Option(name, name)));
field("example").onchange = () => {
  kExamples[field("example").value].forEach((text, i) => (field(kFields[i]).value = text));
  explain();
};
field("copy").onclick = async () => {
  await navigator.clipboard?.writeText(location.href);
  field("copy").textContent = "Copied";
};
field("save").onclick = async () => {
  const drawn = await engine("picture", codeOf(), 1);
  const link = Object.assign(document.createElement("a"), {download: "explained.svg", href: URL.createObjectURL(new Blob([drawn], {type: "image/svg+xml"}))});
  link.click();
  URL.revokeObjectURL(link.href);
};
field("result").onload = () => {
  const {documentElement, body} = field("result").contentDocument;
  const fit = () => (field("result").style.height = `${documentElement.offsetHeight + 2}px`);
  new ResizeObserver(fit).observe(body);
  fit();
};
if (field("state").textContent) document.querySelector(".brand a").removeAttribute("href"); // outside of the site
addEventListener("hashchange", restore);
restore();
