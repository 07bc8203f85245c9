"use strict";

const kSector = 32, kLine = 128, kBanks = 32, kWord = 4, kColumns = 32;

// ---- words and numbers

const grouped = number => (number < 10000 ? String(number) : String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f"));
const rounded = number => (Number.isInteger(number) ? grouped(number) : number.toFixed(number < 10 ? 2 : 1));
const article = number => (/^(8|1[18](\.|$))/.test(rounded(number)) ? "an" : "a"); // an 8-way, an 11-way, an 18-way
const counted = (number, word) => `${grouped(number)} ${word}${number === 1 ? "" : "s"}`;
const hex = number => "0x" + number.toString(16);
const unique = numbers => [...new Set(numbers)];
const ascending = numbers => unique(numbers).sort((a, b) => a - b);

/** [0, 1, 2, 5] -> "0–2, 5" */
function ranges(numbers) {
  const runs = [];
  for (const number of ascending(numbers)) {
    const last = runs.at(-1);
    if (last && last[1] + 1 === number) last[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}
const named = (word, numbers) => `${word}${unique(numbers).length === 1 ? "" : "s"} ${ranges(numbers)}`;

// ---- what a request means

/** The numbers of the pieces of `size` bytes that an access covers. */
function pieces(access, size) {
  const from = Math.floor(access.address / size), to = Math.floor((access.address + access.bytes - 1) / size);
  return Array.from({length: to - from + 1}, (_, i) => from + i);
}
const sectorsOf = access => pieces(access, kSector);
const wordsOf = access => pieces(access, kWord);
const banksOf = access => unique(wordsOf(access).map(word => word % kBanks));

const isShared = instruction => instruction.space === "shared";
const accessName = it => `${it.space} ${it.store ? "store" : "load"}${it.box ? " (box)" : ""}`;
const placeName = it => (it.file ? `${it.file}:${it.line}` : it.option);
const who = it => (it.box ? "row" : "lane");
const costs = (it, of) =>
  (isShared(it) ? [of.wavefronts, of.ideal_wavefronts, "wavefront"] : [of.sectors, of.ideal_sectors, "sector"]);
const excess = (it, of = it) => {
  const [cost, ideal] = costs(it, of);
  return ideal ? cost / ideal : 1;
};
const wasteful = ratio => ratio > 1.005;

function accessesOf(instruction, sample) {
  return sample.addresses.map((address, i) => ({
    lane: sample.lanes?.[i] ?? i,
    address: address ?? 0,
    active: address !== null,
    bytes: instruction.bytes,
    phase: sample.phases?.[i] ?? (instruction.box ? i : 0),
    group: sample.groups?.[i] ?? 0,
  }));
}

/** A layout's instruction as it would be if the tile were in global memory. */
function asGlobal(it) {
  const samples = it.samples.map(sample => {
    const active = accessesOf(it, sample).filter(each => each.active), bytes = active.flatMap(each => pieces(each, 1));
    return {...sample, sectors: unique(active.flatMap(sectorsOf)).length,
      ideal_sectors: Math.ceil(unique(bytes).length / kSector)};
  });
  return {...it, space: "global", bytes_moved: it.sectors * kSector, samples};
}

/** The colour of a place: of a bank or, in global memory, of a sector, on the scale of the SVG pictures. */
const kSectorHues = 8;
const hueOf = (it, place) => {
  const places = isShared(it) ? kBanks : kSectorHues;
  return data.first_hue + (data.hue_range * (place % places)) / (places - 1);
};

function contenders(access, accesses) {
  const words = new Set(wordsOf(access)), banks = new Set(banksOf(access));
  return accesses.filter(other => other.active && other !== access && other.group === access.group &&
    wordsOf(other).some(word => banks.has(word % kBanks) && !words.has(word)));
}

/** Merges adjacent cells that the same lanes access into segments. */
function segmentsOf(cells, stepOf) {
  const segments = [];
  cells.forEach((lanes, at) => {
    if (!lanes) return;
    const last = segments.at(-1), step = stepOf(at);
    if (last && last.from + last.length === at && last.step === step && String(last.lanes) === String(lanes)) ++last.length;
    else segments.push({from: at, length: 1, lanes, step});
  });
  return segments;
}

const put = (cells, at, lane) => {
  cells[at] ??= [];
  if (!cells[at].includes(lane)) cells[at].push(lane);
};

/** Wavefronts down, banks across. */
function sharedPicture(instruction, sample) {
  const accesses = accessesOf(instruction, sample), active = accesses.filter(each => each.active);
  const steps = [];
  for (const access of active) {
    const step = (steps[access.phase] ??= {lanes: [], banks: [], cells: Array(kColumns).fill(null)});
    step.lanes.push(access.lane);
    for (const bank of banksOf(access)) {
      step.banks.push(bank);
      put(step.cells, bank, access.lane);
    }
  }
  const rows = [];
  Array.from(steps, step => step ?? {lanes: [], banks: [], cells: []}).forEach((step, at) => {
    rows.push({name: `${at}`, step: at, segments: segmentsOf(step.cells, () => at), sectors: []});
    step.text = `Wavefront ${at} of 0–${steps.length - 1}: ${named(who(instruction), step.lanes)} on ` +
      `${counted(unique(step.banks).length, "bank")} of 32 (${ranges(step.banks)})`;
    if (!instruction.box && at + 1 === sample.ideal_wavefronts && at + 1 < steps.length)
      rows.push({note: `without conflicts: ${counted(at + 1, "wavefront")}`, ideal: true});
  });
  const heads = Array.from({length: kBanks}, (_, bank) => ({from: bank, length: 1, text: `${bank}`, bank}));
  const unit = instruction.box ? "row" : "wavefront";
  return {accesses, steps, rows, heads, corner: ["bank", unit], unit};
}

/** The largest cell in bytes such that no access begins or ends within a cell. */
function cellBytes(active) {
  const fits = size => active.every(each => each.address % size === 0 && each.bytes % size === 0);
  return [4, 2, 1].find(fits);
}

/** The text of a gap between rows, with the number of equal gaps that follow. */
function gapNote(gap, at, gapBefore) {
  let times = 1;
  while (gapBefore(at + times) === gap) ++times;
  return `… ${grouped(gap)} bytes${times > 1 ? `, ${times} times` : ""} …`;
}

/** Addresses down, bytes across: 32 cells of 1, 2 or 4 bytes, which are 1, 2 or 4 sectors. */
function globalPicture(instruction, sample) {
  const accesses = accessesOf(instruction, sample), active = accesses.filter(each => each.active);
  const cell = cellBytes(active), width = cell * kColumns, perSector = kSector / cell;
  const sectors = ascending(active.flatMap(sectorsOf)), stepOf = new Map(sectors.map((sector, at) => [sector, at]));
  const tracks = new Map();
  for (const access of active)
    for (const piece of pieces(access, cell)) {
      const row = Math.floor(piece / kColumns);
      if (!tracks.has(row)) tracks.set(row, Array(kColumns).fill(null));
      put(tracks.get(row), piece % kColumns, access.lane);
    }
  const rows = [], ordered = [...tracks].sort(([a], [b]) => a - b);
  const gapBefore = at => (at > 0 && at < ordered.length ? (ordered[at][0] - ordered[at - 1][0] - 1) * width : 0);
  ordered.forEach(([row, cells], at) => {
    const first = (row * width) / kSector, gap = gapBefore(at);
    if (gap) rows.push({note: gap === gapBefore(at - 1) ? "" : gapNote(gap, at, gapBefore)});
    rows.push({
      name: hex(row * width),
      segments: segmentsOf(cells, at => stepOf.get(first + Math.floor(at / perSector))),
      sectors: Array.from({length: width / kSector}, (_, i) =>
        ({from: i * perSector, length: perSector, step: stepOf.get(first + i)})),
    });
  });
  const steps = sectors.map((sector, at) => {
    const inside = active.filter(each => sectorsOf(each).includes(sector)), used = new Set();
    for (const each of inside)
      for (let byte = 0; byte < kSector; ++byte) {
        const address = sector * kSector + byte;
        if (address >= each.address && address < each.address + each.bytes) used.add(byte);
      }
    const lanes = inside.map(each => each.lane);
    return {lanes, text: `Sector ${at} of 0–${sectors.length - 1}, at ${hex(sector * kSector)}: ` +
      `${named(who(instruction), lanes)} ${lanes.length === 1 ? "uses" : "use"} ${used.size} of its 32 bytes`};
  });
  const heads = Array.from({length: width / kSector}, (_, i) =>
    ({from: i * perSector, length: perSector, text: `+${i * kSector} … ${i * kSector + kSector - 1}`}));
  return {accesses, steps, rows, heads, corner: ["byte", "address"], unit: "sector", sectors};
}

const pictureOf = (instruction, sample) => (isShared(instruction) ? sharedPicture : globalPicture)(instruction, sample);

function readoutOf(instruction, picture, access) {
  const word = who(instruction), fields = [[word, `${access.lane}`, "lane"]];
  if (!access.active) return [...fields, ["state", "predicated off: no access", "state"]];
  fields.push(["address", `${grouped(access.address)} (${hex(access.address)})`, "address"],
    ["bytes", `${access.bytes}`, "bytes"]);
  const lanes = accesses => (accesses.length ? named(word, accesses.map(each => each.lane)) : "none");
  if (isShared(instruction)) {
    const banks = banksOf(access);
    fields.push([banks.length === 1 ? "bank" : "banks", ranges(banks), "bank"]);
    const last = picture.steps.length - 1;
    if (!instruction.box)
      fields.push(["wavefront", last > 0 ? `${access.phase} of 0–${last}` : `${access.phase}, the only one`, "wavefront"],
        ["conflicts with (other words, same bank)", lanes(contenders(access, picture.accesses)), "contenders"]);
  } else {
    const sectors = sectorsOf(access), inside = [...Array(access.bytes).keys()].map(byte => (access.address % kSector) + byte);
    const others = picture.accesses.filter(each =>
      each.active && each !== access && sectorsOf(each).some(at => sectors.includes(at)));
    fields.push([sectors.length === 1 ? "sector" : "sectors", ranges(sectors), "sector"],
      ["128-byte line", ranges(pieces(access, kLine)), "line"]);
    if (sectors.length === 1) fields.push(["bytes of the sector", ranges(inside), "inside"]);
    fields.push(["shares a sector with", lanes(others), "sharers"]);
  }
  return fields;
}
