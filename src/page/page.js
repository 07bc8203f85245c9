const kStepMs = 700;
const kAll = -1; // the step that shows all wavefronts or sectors at once

const data = JSON.parse(document.getElementById("data").textContent);

// ---- which view

const explanations = data.explanations ?? data.layouts.map(explanationOf);
const find = (rung, type) => explanations.find(each => each.rung === rung && each.type === type);
const instructionsOf = explained => (explained && !explained.unavailable ? explained.instructions ?? [] : []);

/** The instruction to show first: the costliest, or else one of the same kind as before. */
function firstInstruction(explained, before) {
  const all = instructionsOf(explained), likely = data.layouts ? all.filter(isShared) : all;
  const worst = likely.reduce((a, b) => (excess(b) > excess(a) ? b : a), likely[0]);
  if (!worst || wasteful(excess(worst))) return Math.max(0, all.indexOf(worst));
  return Math.max(0, all.findIndex(each => before && accessName(each) === accessName(before)));
}

function viewOf(explained, before) {
  return {rung: explained.rung, type: explained.type, at: firstInstruction(explained, before), sample: 0, lane: 0, step: kAll};
}

function firstView() {
  const asked = explanations.filter(each => data.layouts || each.type === data.type);
  const useful = asked.filter(each => instructionsOf(each).length);
  const telling = useful.find(each => instructionsOf(each).some(it => isShared(it) && wasteful(excess(it))));
  return viewOf(telling ?? useful[0] ?? asked[0]);
}

function otherView(view) {
  const mine = instructionsOf(find(view.rung, view.type))[view.at];
  const alike = each => instructionsOf(each).some(it => mine && accessName(it) === accessName(mine));
  const others = explanations.filter(each => each.type === view.type && each.rung !== view.rung && alike(each));
  const best = others.reduce((a, b) => (b.predicted > a.predicted ? b : a), others[0]);
  return best ? viewOf(best, mine) : {...view};
}

const kKeys = ["rung", "type", "at", "sample", "lane", "step"];

function hashOf(views) {
  const query = new URLSearchParams();
  views.forEach((view, i) => kKeys.forEach(key => {
    if (key !== "step" || view.step !== kAll) query.set(i ? `${key}2` : key, view[key]);
  }));
  return "#" + query;
}

function viewsFrom(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  return ["", "2"].flatMap(suffix => {
    const [rung, type, ...numbers] = kKeys.map(key => query.get(key + suffix));
    const explained = find(rung, type);
    if (!explained) return [];
    const [at, sample, lane, step] = numbers.map((text, i) => (/^\d+$/.test(text ?? "") ? Number(text) : i === 3 ? kAll : 0));
    return [{rung, type, at, sample, lane, step}];
  });
}

// ---- the page

function make(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties))
    if (name.includes("-")) made.setAttribute(name, value);
    else made[name] = value;
  made.append(...children);
  return made;
}
const terms = list => list.map(([term, value, key]) =>
  make("div", {}, make("dt", {textContent: term}), make("dd", {"data-field": key ?? term}, ...[value].flat())));
const fill = (select, options, chosen) => {
  select.replaceChildren(...options.map(([value, text]) => make("option", {value, textContent: text})));
  select.value = chosen;
};

const titleOf = explained => (explained.addresses ? `addresses ${explained.addresses}` : explained.layout ? `${explained.rung}: ${explained.layout}` : explained.rung);

class Panel {
  constructor(view, name, changed) {
    this.root = document.getElementById("panel").content.firstElementChild.cloneNode(true);
    this.root.setAttribute("aria-label", name);
    this.part = Object.fromEntries([...this.root.querySelectorAll("[data-part]")].map(each => [each.dataset.part, each]));
    this.changed = changed;
    this.listen();
    this.show(view);
  }

  listen() {
    const {rung, type, instruction, sample, step, previous, next, play, lanes, picture} = this.part;
    const explain = () => {
      const before = this.instruction, sameRung = rung.value === this.view.rung;
      const explained = find(rung.value, type.value) ?? explanations.find(each => each.rung === rung.value);
      const kept = sameRung && instructionsOf(explained)[this.view.at] ? {at: this.view.at} : {};
      this.show({...viewOf(explained, before), ...kept});
    };
    rung.onchange = type.onchange = explain;
    instruction.onchange = () => this.choose(Number(instruction.value));
    sample.onchange = () => this.choose(this.view.at, Number(sample.value));
    step.oninput = () => this.go(Number(step.value));
    previous.onclick = () => this.go(this.view.step - 1);
    next.onclick = () => this.go(this.view.step + 1);
    play.onclick = () => (this.timer ? this.stop() : this.play());
    lanes.onkeydown = event => this.move(event);
    for (const area of [lanes, picture]) {
      const at = event => event.target.closest("[data-at]")?.dataset.at;
      area.onpointerover = event => this.preview(event.pointerType === "mouse" ? at(event) : undefined);
      area.onpointerleave = () => this.preview(undefined);
      area.onclick = event => at(event) !== undefined && this.pick(Number(at(event)));
    }
  }

  show(view) {
    this.stop();
    this.explained = find(view.rung, view.type);
    const {part} = this, {unavailable} = this.explained, all = instructionsOf(this.explained);
    const gone = each => (each.unavailable ? " (unavailable)" : "");
    const sizes = explanations.filter(each => each.rung === view.rung);
    const rungs = unique(explanations.map(each => each.rung));
    const nameIn = rung => titleOf(find(rung, view.type) ?? {rung});
    fill(part.rung, rungs.map(rung => [rung, nameIn(rung) + gone(find(rung, view.type) ?? {})]), view.rung);
    part.subject.textContent = data.layouts ? "Layout" : data.suggestions ? "Code" : data.traced ? "Kernel" : "Rung";
    if (data.layouts) part.tablekey.textContent = kLayoutKey;
    part.type.parentElement.hidden = Boolean(data.layouts ?? data.suggestions ?? data.traced);
    const sizeName = each => `${counted(each.element_size, "byte")} (${each.type})${gone(each)}`;
    fill(part.type, sizes.map(each => [each.type, sizeName(each)]), view.type);
    part.notice.hidden = !unavailable && all.length > 0;
    part.notice.textContent = unavailable ? `${view.rung} does not support this matrix: ${unavailable}` :
      "No memory instruction was recorded for this kernel.";
    part.body.hidden = !part.notice.hidden;
    for (const select of [part.instruction, part.sample]) select.parentElement.hidden = part.body.hidden;
    if (part.body.hidden) {
      this.view = {...view, at: 0, sample: 0, lane: 0, step: kAll};
      this.instruction = null;
      fill(part.instruction, [], "");
      fill(part.sample, [], "");
      return this.changed();
    }
    fill(part.instruction, all.map((it, at) => [at, `${at + 1}. ${accessName(it)}, ${placeName(it)}`]), view.at);
    this.showKernel();
    this.choose(Math.min(view.at, all.length - 1), view.sample, view.lane, view.step);
  }

  showKernel() {
    const {part, explained} = this;
    const size = data.suggestions || data.traced ? "" : `, ${counted(explained.element_size, "byte")} per element`;
    part.name.textContent = titleOf(explained) + size;
    part.idea.textContent = explained.idea;
    const factsOf = data.layouts ? factsOfLayout : data.suggestions ? factsOfCode : data.traced ? factsOfTraced : factsOfRung;
    part.facts.replaceChildren(...terms(factsOf(explained)));
    part.table.replaceChildren(...explained.instructions.map((it, at) => this.tableRow(it, at)));
    const none = make("li", {className: "none", textContent: "No problem found."});
    part.findings.replaceChildren(...this.findings(explained.findings ?? []), ...(explained.findings?.length ? [] : [none]));
  }

  tableRow(it, at) {
    const [cost, ideal, word] = costs(it, it), ratio = excess(it), each = number => rounded(number / Math.max(1, it.requests));
    const times = !ideal ? "–" : isShared(it) ? `${rounded(ratio)}-way` : `${rounded(ratio)}×`;
    const number = (textContent, title = "") => make("td", {className: "number", textContent, title});
    const name = `Show ${accessName(it)} at ${placeName(it)}`;
    return make("tr", {onclick: () => this.choose(at)},
      make("td", {}, make("button", {type: "button", textContent: placeName(it), "aria-label": name})),
      make("td", {textContent: accessName(it)}),
      number(ideal ? each(cost) : "–", `${counted(cost, word)} in all requests`),
      number(ideal ? each(ideal) : "–", `${counted(ideal, word)} in all requests`),
      make("td", {className: "number", title: `${grouped(it.bytes_needed)} bytes needed, ${grouped(it.bytes_moved)} moved`},
        wasteful(ratio) ? make("strong", {textContent: times}) : times),
      number(it.bytes),
      number(each(it.active_lanes), `${grouped(it.active_lanes)} in all requests`),
      number(grouped(it.requests)),
      ...(it.source ? [make("td", {className: "source", textContent: it.source, title: it.source})] : []));
  }

  /** The findings of a kernel; those of a layout under a heading for each memory. */
  findings(all) {
    if (!data.layouts) return [...all.map(each => this.finding(each)), ...this.cures()];
    return ["both", "shared", "global"].flatMap(space => {
      const found = all.filter(each => each.space === space).map(each => this.finding(each));
      const textContent = space === "both" ? "In either memory" : `In ${space} memory`;
      return found.length ? [make("li", {className: "memory", textContent}), ...found] : [];
    });
  }

  /** The cures of a code, for a screen on which the panel that shows them is further down. */
  cures() {
    if (this.explained.rung !== "code") return [];
    return (data.suggestions ?? []).map(each => make("li", {className: "cure"},
      make("span", {className: "kind", textContent: "cure"}),
      `${counted(each.wavefronts, "wavefront")} instead of ${grouped(each.given_wavefronts)}: `, make("code", {textContent: each.cuda_code})));
  }

  finding(each) {
    const it = this.explained.instructions[each.instruction], item = make("li");
    const onclick = () => this.choose(each.instruction);
    if (it) item.append(make("button", {type: "button", textContent: placeName(it), onclick}));
    item.append(make("span", {className: "kind", textContent: each.kind}), each.text);
    return item;
  }

  choose(at, sampleAt = 0, lane = 0, step = kAll) {
    this.stop();
    const {part} = this, it = (this.instruction = this.explained.instructions[at]), samples = it.samples ?? [];
    sampleAt = Math.min(sampleAt, Math.max(0, samples.length - 1));
    this.view = {rung: this.explained.rung, type: this.explained.type, at, sample: sampleAt, lane, step};
    part.instruction.value = at;
    [...part.table.rows].forEach((row, i) => {
      row.classList.toggle("chosen", i === at);
      row.querySelector("button").setAttribute("aria-pressed", i === at);
    });
    const sampleName = (sample, i) => {
      const [cost, , word] = costs(it, sample);
      return `${counted(cost, word)}: warp ${sample.warp}, occurrence ${sample.occurrence}`;
    };
    fill(part.sample, samples.map((sample, i) => [i, sampleName(sample, i)]), sampleAt);
    part.title.textContent = `${placeName(it)} · ${accessName(it)} · ${counted(it.bytes, "byte")} per ${who(it)}`;
    part.request.hidden = part.sample.parentElement.hidden = !samples.length;
    if (samples.length) this.draw(it, samples[sampleAt]);
    this.changed();
  }

  draw(it, sample) {
    const {part, view} = this, picture = (this.picture = pictureOf(it, sample)), {accesses, steps, unit} = picture;
    view.lane = Math.max(0, accesses.findIndex(each => each.lane === view.lane));
    view.step = view.step < steps.length ? view.step : kAll;
    part.verdict.replaceChildren(...[verdictOf(it, sample)].flat());
    part.laneslabel.textContent = `${who(it)}s`;
    part.lanes.setAttribute("aria-label", `${who(it)}s of the ${it.box ? "box" : "warp"}; arrow keys move between them`);
    part.lanes.replaceChildren(...accesses.map((access, at) => this.laneButton(it, access, at)));
    part.stepper.hidden = steps.length < 2;
    part.stepper.setAttribute("aria-label", `Step through the ${unit}s`);
    part.step.max = steps.length - 1;
    part.step.setAttribute("aria-label", unit);
    part.pictureregion.setAttribute("aria-label", `Picture of the request, by ${unit}`);
    const told = steps.slice(0, 4).map(step => step.text).join(". ");
    part.picture.setAttribute("aria-label", `${counted(steps.length, unit)}. ${told}`);
    part.picture.replaceChildren(...this.headRow(picture), ...picture.rows.flatMap(row => this.pictureRow(it, row)));
    part.key.replaceChildren(...keyOf(it, picture));
    this.mark();
  }

  laneButton(it, access, at) {
    const about = access.active ? `address ${access.address}` : "predicated off";
    const button = make("button", {type: "button", className: access.active ? "cell" : "off", textContent: access.lane,
      role: "radio", "data-at": at, "aria-label": `${who(it)} ${access.lane}, ${about}`});
    button.style.setProperty("--hue", hueOf(it, isShared(it) ? banksOf(access)[0] : sectorsOf(access)[0]));
    return button;
  }

  headRow({heads, corner}) {
    const place = head => {
      const made = make("span", {textContent: head.text});
      made.style.gridColumn = `${head.from + 1} / span ${head.length}`;
      if (head.bank !== undefined) made.dataset.bank = head.bank;
      return made;
    };
    const track = make("div", {className: "track head"}, ...heads.map(place));
    track.style.setProperty("--heads", heads.length);
    return [make("div", {className: "name head"}, ...corner.map(textContent => make("span", {textContent}))), track];
  }

  pictureRow(it, row) {
    if (row.note !== undefined) {
      const texts = row.note ? [make("span", {textContent: row.note})] : [];
      return [make("div", {className: row.ideal ? "between ideal" : "between"}, ...texts)];
    }
    const lay = (part, className) => {
      const made = make("div", {className});
      made.style.gridColumn = `${part.from + 1} / span ${part.length}`;
      if (part.step !== undefined) made.dataset.step = part.step;
      return made;
    };
    const track = make("div", {className: "track"});
    for (const sector of row.sectors) track.append(lay(sector, sector.step === undefined ? "sector skipped" : "sector moved"));
    for (const segment of row.segments) {
      const [first] = segment.lanes, many = segment.lanes.length > 1;
      const cell = lay(segment, many && segment.length === 1 ? "cell many" : "cell");
      cell.textContent = many ? (segment.length > 2 ? ranges(segment.lanes) : `${first}+`) : first;
      cell.title = named(who(it), segment.lanes);
      cell.style.setProperty("--hue", hueOf(it, isShared(it) ? segment.from : this.picture.sectors[segment.step]));
      cell.dataset.lanes = segment.lanes.join(" ");
      cell.dataset.at = this.picture.accesses.findIndex(each => each.lane === first);
      track.append(cell);
    }
    const name = make("div", {className: "name", textContent: row.name});
    if (row.step !== undefined) name.dataset.step = row.step;
    return [name, track];
  }

  /** Marks the chosen lane and step in the existing elements, so that the focus does not move. */
  mark(previewed) {
    const {part, view, picture} = this, {accesses, steps} = picture;
    const access = accesses[previewed ?? view.lane], step = steps[view.step];
    const banks = isShared(this.instruction) && access.active ? banksOf(access) : [];
    part.request.classList.toggle("stepping", step !== undefined);
    [...part.lanes.children].forEach((button, at) => {
      button.setAttribute("aria-checked", at === view.lane);
      button.tabIndex = at === view.lane ? 0 : -1;
      button.classList.toggle("shown", accesses[at] === access);
      button.classList.toggle("now", step?.lanes.includes(accesses[at].lane) ?? false);
    });
    for (const each of part.picture.querySelectorAll("[data-step]"))
      each.classList.toggle("now", Number(each.dataset.step) === view.step);
    for (const each of part.picture.querySelectorAll("[data-lanes]"))
      each.classList.toggle("shown", access.active && each.dataset.lanes.split(" ").includes(String(access.lane)));
    for (const each of part.picture.querySelectorAll("[data-bank]")) {
      each.classList.toggle("shown", banks.includes(Number(each.dataset.bank)));
      each.classList.toggle("now", step?.banks?.includes(Number(each.dataset.bank)) ?? false);
    }
    part.readout.replaceChildren(...terms(readoutOf(this.instruction, picture, access)));
    const all = `All ${counted(steps.length, picture.unit)}; step through to see which ${who(this.instruction)}s each serves`;
    part.caption.textContent = step?.text ?? all;
    part.step.value = view.step;
    part.step.setAttribute("aria-valuetext", part.caption.textContent);
    if (step) this.reveal(part.picture.querySelector(".cell.now"));
    part.previous.disabled = view.step <= kAll;
    part.next.disabled = view.step >= steps.length - 1;
  }

  /** Scrolls within the picture only, never the page. */
  reveal(cell) {
    const box = this.part.pictureregion, seen = box.getBoundingClientRect(), wanted = cell?.getBoundingClientRect();
    if (wanted && (wanted.top < seen.top + wanted.height * 2 || wanted.bottom > seen.bottom))
      box.scrollTop += wanted.top - seen.top - seen.height / 2;
  }

  preview(at) {
    if (this.picture && this.previewed !== at) this.mark((this.previewed = at));
  }

  pick(at) {
    this.view.lane = at;
    this.mark();
    this.changed();
  }

  move(event) {
    const all = this.part.lanes.children, across = getComputedStyle(this.part.lanes).gridTemplateColumns.split(" ").length;
    const by = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across, Home: -all.length, End: all.length}[event.key];
    if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const far = Math.abs(by) === all.length, to = this.view.lane + by;
    if (!far && (to < 0 || to >= all.length)) return;
    this.pick(Math.min(all.length - 1, Math.max(0, to)));
    all[this.view.lane].focus();
  }

  go(step) {
    this.stop();
    this.step(step);
  }

  step(step) {
    this.view.step = Math.min(this.picture.steps.length - 1, Math.max(kAll, step));
    this.mark();
    this.changed();
  }

  play() {
    const last = this.picture.steps.length - 1, advance = () => {
      this.step(this.view.step === last ? 0 : this.view.step + 1);
      if (this.view.step === last) this.stop();
    };
    this.timer = setInterval(advance, kStepMs);
    this.part.play.textContent = "Pause";
    this.part.caption.setAttribute("aria-live", "off");
    advance();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.part.play.textContent = "Play";
    this.part.caption.setAttribute("aria-live", "polite");
  }

  /** The view for the address bar, which holds the lane's number instead of its index. */
  get shared() {
    return {...this.view, lane: this.picture?.accesses[this.view.lane]?.lane ?? 0};
  }
}

function verdictOf(instruction, sample) {
  const [cost, ideal, word] = costs(instruction, sample), ratio = excess(instruction, sample);
  if (!cost) return "This request moves nothing.";
  if (!wasteful(ratio)) return `${counted(cost, word)}, the minimum for its bytes.`;
  const price = isShared(instruction) ? `${article(ratio)} ${rounded(ratio)}-way bank conflict` : `${rounded(ratio)} times the bytes`;
  return [`${counted(cost, word)} instead of ${grouped(ideal)}: `, make("strong", {}, price), "."];
}

/** The colour of each bank or sector. */
function legendOf(it) {
  const swatches = Array.from({length: isShared(it) ? kBanks : kSectorHues}, (_, place) => {
    const made = make("span", {className: "swatch cell", title: `${place}`});
    made.style.setProperty("--hue", hueOf(it, place));
    return made;
  });
  const words = isShared(it) ? "Colour: the first bank accessed, 0 to 31 " : "Colour: the sector, its number modulo 8, 0 to 7 ";
  return make("span", {className: "legend"}, words, make("span", {className: "scale"}, ...swatches), ". ");
}

function keyOf(it, picture) {
  const moved = make("span", {className: "swatch moved"});
  const several = picture.rows.some(row => row.segments?.some(each => each.lanes.length > 1 && each.length <= 2));
  const more = several ? ` “4+”: lane 4 and others access the same ${isShared(it) ? "word" : "bytes"}.` : "";
  if (isShared(it)) return [legendOf(it), `A number is a ${who(it)} served by a bank; a row is a ${picture.unit}.${more}`];
  return [legendOf(it), `A number is a ${who(it)} that accesses these bytes; `, moved,
    ` other bytes of its sectors; blank: not moved.${more}`];
}

const subject = data.layouts ? "layout" : "kernel";
const panels = [], main = document.getElementById("panels"), compare = document.getElementById("compare");
let writing;
// a page without an address shows what the page around it has made; in another frame, the page around it explains the kernels
const isAnswer = location.protocol === "about:";
document.body.classList.toggle("embedded", window !== window.top && !isAnswer);
document.body.classList.toggle("answer", isAnswer);

function remember() {
  if (isAnswer) return;
  clearTimeout(writing);
  writing = setTimeout(() => history.replaceState(null, "", hashOf(panels.map(panel => panel.shared))), 150);
}

function open(views) {
  panels.splice(0).forEach(panel => panel.stop());
  views.forEach((view, i) => panels.push(new Panel(view, i ? `Second ${subject}` : `First ${subject}`, remember)));
  main.replaceChildren(...panels.map(panel => panel.root));
  panels.forEach(panel => panel.instruction && panel.picture && panel.mark());
  lay();
}

function lay() {
  main.classList.toggle("two", panels.length === 2);
  compare.textContent = panels.length === 2 ? `Show one ${subject}` : "Compare side by side";
  remember();
}

compare.onclick = () => {
  if (panels.length === 2) {
    const closed = panels.pop();
    closed.stop();
    closed.root.remove();
  } else {
    panels.push(new Panel(otherView(panels[0].view), `Second ${subject}`, remember));
    main.append(panels[1].root);
  }
  lay();
};

function restore() {
  const views = viewsFrom(location.hash);
  const first = firstView(), shown = (data.layouts ?? data.suggestions ?? []).length > (data.layouts ? 1 : 0) ? [first, otherView(first)] : [first];
  open(views.length ? views : shown);
}

const about = data.layouts ? data.layouts[0].addresses ?? data.layouts[0].layout : data.suggestions ? `block of ${explanations[0].block}` :
  data.traced ? counted(explanations.length, "traced kernel") : `${grouped(data.rows)} × ${grouped(data.cols)}`;
document.getElementById("about").textContent = `${data.version} · ${about}`;
document.getElementById("subject").textContent = subject;
if (data.layouts) {
  document.getElementById("command").textContent = "cornerturn layout";
  document.title = `cornerturn layout: ${about}`;
  compare.hidden = data.layouts.length < 2;
}
if (data.suggestions ?? data.traced) compare.hidden = explanations.length < 2;
if (explanations.length) {
  addEventListener("hashchange", restore);
  restore();
} else {
  compare.hidden = true;
  main.append(make("p", {className: "notice", textContent: "This page contains no kernel."}));
}
