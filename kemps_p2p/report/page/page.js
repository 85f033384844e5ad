
// The page itself: the table, the lanes and the story at one moment, for the eyes that are chosen. Everything that
// it writes is text; a card has a face only if the data says that these eyes see its position at that moment.

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LANE = 36, AXIS = 24, STEP = 26, WAIT = 90, EDGE = 46, DIGIT = 7.5;
  const ALL = "all", TABLE = "table";
  const SUITS = "♣♦♥♠";
  const QUIET = new Set(["passed", "auto-passed", "shown", "swept", "play-started"]);
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const claims = JSON.parse(byId("claims").textContent);
  let at = data.focus;
  let eyes = data.eyes;
  let timer = null;

  function make(tag, content, attributes = {}) {
    const element = document.createElement(tag);
    if (content !== undefined) element.textContent = content;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  }

  function draw(tag, attributes, content) {
    const element = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (content !== undefined) element.textContent = content;
    return element;
  }

  const stateOf = (moment) => data.states[moment.state];
  const dealOf = (index) => Math.max(stateOf(data.moments[index]).deal, 0);
  const eyesPlace = () => (eyes === ALL ? 0 : eyes === TABLE ? 1 : 2 + eyes);

  function textOf(moment) {
    const place = typeof moment.text === "number" ? moment.text : moment.text[eyesPlace()];
    return data.texts[place].trim();
  }

  // Whoever does not look with all eyes is told nothing before it has happened.
  const isAhead = (index) => eyes !== ALL && index > at;

  // What the chosen eyes see of a position: the name of its card, or nothing.
  function faceOf(state, position) {
    const isSeen = eyes === ALL || state.seen.includes(position)
      || (eyes !== TABLE && state.own[eyes].includes(position));
    return isSeen ? data.cards[state.deal]?.[position] : undefined;
  }

  // Drawing

  function cardElement(state, position, isFresh) {
    const face = faceOf(state, position);
    const known = face !== undefined;
    const element = make("span", known ? face : "?", { class: "face", role: "img", "aria-label": known ? face : "face down" });
    element.dataset.position = position;
    element.classList.add(known ? `s${SUITS.indexOf([...face].find((each) => SUITS.includes(each)))}` : "back");
    if (isFresh) {
      element.classList.add("fresh");
      element.setAttribute("aria-label", `${known ? face : "face down"}, has just come here`);
    }
    return element;
  }

  function cardsInto(element, state, positions, before) {
    element.replaceChildren(...positions.map((position) =>
      cardElement(state, position, before !== null && !before.includes(position))));
  }

  function showTable() {
    const moment = data.moments[at], state = stateOf(moment);
    const earlier = at > 0 ? stateOf(data.moments[at - 1]) : null;
    const isSameDeal = earlier !== null && earlier.deal === state.deal && earlier.hands.length > 0;
    const deal = state.deal < 0 ? "Before the first deal" : `Deal ${state.deal + 1} of ${Math.max(data.deals.length, 1)}`;
    byId("where").textContent = `${deal}, entry ${moment.entry}, ${moment.clock}; ${state.phase}`;
    byId("told").textContent = textOf(moment);
    byId("seats").replaceChildren(...data.seats.map((seat, index) => {
      const box = make("div", undefined, { class: "seat" });
      box.dataset.seat = index;
      if (eyes === index) box.classList.add("eyes");
      if (moment.who.includes(index)) box.classList.add("acts");
      box.append(make("div", seat.name, { class: "name" }));
      box.append(make("div", `${data.teams[seat.team]}, so far: ${state.scores[seat.team]}`, { class: "team" }));
      const hand = make("div", undefined, { class: "cards" });
      cardsInto(hand, state, state.hands[index] ?? [], isSameDeal ? earlier.hands[index] : null);
      const notes = [
        moment.who.includes(index) ? "just now" : "",
        state.dealer === index ? "dealer" : "",
        state.turn === index ? "on turn" : "",
        state.passes.includes(index) ? "has passed" : "",
        state.barred.includes(index) ? "may not counter again" : "",
        eyes === index ? `you see what ${seat.name} saw` : "",
      ].filter(Boolean).join("; ");
      box.append(hand, make("div", notes, { class: "notes" }));
      return box;
    }));
    cardsInto(byId("pool"), state, state.pool, isSameDeal ? earlier.pool : null);
    byId("rest").textContent = state.deal < 0 ? "" : `${state.stock} cards face down in the stock, ${state.swept} swept away.`;
  }

  // What is in question: the race or call of this moment, else the last one before it in this deal.
  function questionAt() {
    const deal = dealOf(at);
    const found = [
      ...data.calls.map((call) => ({ call, at: call.at, end: call.end ?? call.at })),
      ...data.races.map((race) => ({ race, at: race.at, end: race.end ?? race.at })),
    ].filter((each) => dealOf(each.at) === deal && each.at <= at);
    const running = found.filter((each) => at <= each.end);
    return (running.length ? running : found).sort((a, b) => b.at - a.at)[0];
  }

  // What came of it. Who looks with all eyes is told what comes later, nobody else.
  function ruling(found, end) {
    if (end !== null && end <= at) return textOf(data.moments[end]);
    if (end !== null && eyes === ALL) return `${data.moments[end].clock} ${textOf(data.moments[end])}`;
    return found.call ? "Not judged yet at this moment." : "";
  }

  function showQuestion() {
    const found = questionAt();
    const isAny = found !== undefined;
    const end = isAny ? (found.call ?? found.race).end : null;
    byId("question-text").textContent = isAny ? textOf(data.moments[found.at]) : "Nothing yet in this deal: no race and no call.";
    byId("question-verdict").textContent = isAny ? ruling(found, end) : "";
    byId("question-rules").replaceChildren(...((found?.call ?? found?.race)?.rules ?? []).map((rule) => make("li", rule)));
    byId("words").hidden = !found?.race?.words.length;
    byId("words-rows").replaceChildren(...(found?.race?.words ?? []).map((word) => make("li", word)));
    // The report tells every card of the deal, so that it is for all eyes alone.
    byId("report")?.toggleAttribute("hidden", eyes !== ALL);
  }

  // Lanes

  let lanesOf = null;

  function placesOf(deal) {
    const marks = [];
    let x = EDGE, last = null;
    data.moments.forEach((moment, index) => {
      if (dealOf(index) !== deal || !(moment.kind in data.marks)) return;
      const waited = last === null ? 0 : moment.ms - last;
      x += last === null ? 0 : Math.min(STEP + Math.log2(1 + Math.max(waited, 0) / 50) * 8, WAIT);
      last = moment.ms;
      marks.push({ index, x, moment });
    });
    return { marks, width: x + EDGE };
  }

  function markElement(mark, lane) {
    const { moment, index } = mark;
    const y = AXIS + lane * LANE + LANE / 2;
    const group = draw("g", { class: "mark", transform: `translate(${mark.x} ${y})` });
    const shapes = { called: "M0 -15L15 0L0 15L-15 0Z", race: "M-11 -11H11V11H-11Z", together: "M-11 -11H11V11H-11Z",
      gestured: "M0 -14L14 11H-14Z" };
    group.append(draw("title", {}, `${moment.clock} ${textOf(moment)}`));
    group.append(draw("path", { d: shapes[moment.kind] ?? "M-11 0A11 11 0 1 0 11 0A11 11 0 1 0 -11 0Z" }));
    group.append(draw("text", { y: moment.kind === "gestured" ? 3 : 0 }, data.marks[moment.kind].letter));
    if (moment.kind === "called") group.classList.add("call");
    if (QUIET.has(moment.kind)) group.classList.add("quietly");
    group.dataset.index = index;
    return group;
  }

  function buildLanes(deal) {
    const { marks, width } = placesOf(deal);
    const table = data.seats.length;
    const height = AXIS + (table + 1) * LANE;
    const svg = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
    for (let lane = 0; lane <= table; lane += 1) {
      const y = AXIS + lane * LANE + LANE / 2;
      svg.append(draw("line", { class: "rail", x1: 0, x2: width, y1: y, y2: y }));
    }
    // Each time once, and none over another or over the edge.
    let free = 0, told = "";
    for (const { x, moment: { clock } } of marks) {
      const half = clock.length * DIGIT / 2;
      if (clock === told || x - half < free || x + half > width) continue;
      svg.append(draw("text", { class: "tick", x, y: AXIS / 2 }, clock));
      free = x + half + DIGIT;
      told = clock;
    }
    svg.append(draw("line", { class: "now", id: "now", y1: AXIS, y2: height }));
    for (const mark of marks) {
      const lanes = mark.moment.who.length ? mark.moment.who : [table];
      for (const lane of lanes) svg.append(markElement(mark, lane));
    }
    svg.addEventListener("click", (event) => {
      const mark = event.target.closest(".mark");
      if (mark) go(Number(mark.dataset.index));
    });
    byId("scroll").replaceChildren(svg);
    byId("labels").replaceChildren(make("div", "time", { class: "axis" }),
      ...data.seats.map((seat) => make("div", seat.name, { title: seat.name })), make("div", "the table"));
    lanesOf = { deal, eyes, marks };
  }

  function showLanes() {
    const deal = dealOf(at);
    if (lanesOf === null || lanesOf.deal !== deal || lanesOf.eyes !== eyes) buildLanes(deal);
    const passed = lanesOf.marks.filter((mark) => mark.index <= at);
    const x = passed.length ? passed[passed.length - 1].x : 4;
    const line = byId("now");
    line.setAttribute("x1", x + 13);
    line.setAttribute("x2", x + 13);
    const box = byId("scroll");
    for (const mark of box.querySelectorAll(".mark")) {
      const index = Number(mark.dataset.index);
      mark.classList.toggle("on", index === at);
      mark.classList.toggle("ahead", isAhead(index));
    }
    if (x < box.scrollLeft + 40 || x > box.scrollLeft + box.clientWidth - 60) box.scrollLeft = x - box.clientWidth / 2;
  }

  // The story

  let storyOf = null;

  function showStory() {
    const deal = dealOf(at), list = byId("story");
    if (storyOf === null || storyOf.deal !== deal || storyOf.eyes !== eyes) {
      const lines = [];
      data.moments.forEach((moment, index) => {
        if (dealOf(index) !== deal) return;
        const button = make("button", undefined, { type: "button", title: moment.day });
        button.append(make("time", moment.clock), make("span", textOf(moment)));
        button.addEventListener("click", () => go(index));
        button.dataset.index = index;
        const line = make("li");
        line.append(button);
        lines.push(line);
      });
      list.replaceChildren(...lines);
      storyOf = { deal, eyes };
    }
    for (const button of list.querySelectorAll("button")) {
      const index = Number(button.dataset.index);
      button.classList.toggle("later", index > at);
      button.parentElement.hidden = isAhead(index);
      if (index === at) {
        button.setAttribute("aria-current", "step");
        const top = button.offsetTop - list.offsetTop;
        if (top < list.scrollTop || top > list.scrollTop + list.clientHeight - 60) list.scrollTop = wholeLine(list, top - list.clientHeight / 3);
      } else button.removeAttribute("aria-current");
    }
  }

  // Where the list has to be scrolled to so that it begins with a whole line.
  function wholeLine(list, wanted) {
    const tops = [...list.querySelectorAll("li:not([hidden]) button")].map((button) => button.offsetTop - list.offsetTop);
    return Math.max(0, ...tops.filter((top) => top <= wanted));
  }

  function show() {
    byId("scrub").value = at;
    byId("scrub").setAttribute("aria-valuetext", `${data.moments[at].clock}: ${textOf(data.moments[at])}`);
    showTable();
    showQuestion();
    showLanes();
    showStory();
  }

  // Moving

  function go(index) {
    at = Math.min(Math.max(index, 0), data.moments.length - 1);
    show();
  }

  const stops = [...data.calls, ...data.races].map((each) => each.at).sort((a, b) => a - b);
  const nextStop = () => stops.find((stop) => stop > at) ?? data.moments.length - 1;
  const lastStop = () => [...stops].reverse().find((stop) => stop < at) ?? 0;

  function stop() {
    clearTimeout(timer);
    timer = null;
    byId("play").textContent = "Play";
    byId("play").setAttribute("aria-pressed", "false");
  }

  function schedule() {
    if (at >= data.moments.length - 1) { stop(); return; }
    const speed = Number(byId("speed").value);
    const wait = speed > 0 ? Math.min(data.moments[at + 1].ms - data.moments[at].ms, 8000) / speed : speed < 0 ? 250 : 1000;
    timer = setTimeout(() => { go(at + 1); schedule(); }, Math.max(wait, 30));
  }

  function togglePlay() {
    if (timer !== null) { stop(); return; }
    if (at >= data.moments.length - 1) go(0);
    byId("play").textContent = "Pause";
    byId("play").setAttribute("aria-pressed", "true");
    schedule();
  }

  function look(value) {
    eyes = value === ALL || value === TABLE ? value : Number(value);
    byId("eyes").value = String(eyes);
    show();
  }

  function fill() {
    byId("seats").classList.toggle("many", data.seats.length > 4);
    byId("scrub").max = data.moments.length - 1;
    const values = [ALL, TABLE, ...data.seats.keys()];
    byId("eyes").append(...values.map((value, place) => make("option", data.lookers[place], { value })));
    byId("eyes").value = String(eyes);
    const jump = byId("jump");
    jump.append(make("option", "choose …", { value: "" }));
    for (const [label, marks] of [["Calls", data.calls], ["Races", data.races], ["Deals", data.deals.map((each, index) => ({ number: index + 1, at: each }))]]) {
      if (!marks.length) continue;
      const group = make("optgroup", undefined, { label });
      group.append(...marks.map((mark) => make("option", `${label.slice(0, -1)} ${mark.number}, ${data.moments[mark.at].clock}`, { value: mark.at })));
      jump.append(group);
    }
    jump.addEventListener("change", () => { if (jump.value !== "") go(Number(jump.value)); jump.value = ""; });
    byId("eyes").addEventListener("change", () => look(byId("eyes").value));
    byId("scrub").addEventListener("input", () => go(Number(byId("scrub").value)));
    byId("first").addEventListener("click", () => go(0));
    byId("before").addEventListener("click", () => go(at - 1));
    byId("after").addEventListener("click", () => go(at + 1));
    byId("last").addEventListener("click", () => go(data.moments.length - 1));
    byId("play").addEventListener("click", togglePlay);
  }

  document.addEventListener("keydown", (event) => {
    const isField = event.target.closest?.("select, input");
    const isPressable = event.target.closest?.("button, summary, a, #scroll");
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("select")) return;
    const isRange = isField !== null && isField !== undefined;
    if (event.key === "ArrowRight" && !(isRange && !event.shiftKey)) go(event.shiftKey ? nextStop() : at + 1);
    else if (event.key === "ArrowLeft" && !(isRange && !event.shiftKey)) go(event.shiftKey ? lastStop() : at - 1);
    else if (event.key === "Home" && !isRange) go(0);
    else if (event.key === "End" && !isRange) go(data.moments.length - 1);
    else if (event.key === " " && !isPressable) togglePlay();
    else if (event.key === "0") look(ALL);
    else if (event.key === "t" || event.key === "T") look(TABLE);
    else if (/^[1-9]$/.test(event.key) && Number(event.key) <= data.seats.length) look(Number(event.key) - 1);
    else return;
    event.preventDefault();
  });

  // The log in this page

  function logBytes() {
    try { return Verify.bytesOf(byId("log").textContent); } catch { return null; }
  }

  function outcome(told, isGood) {
    byId("outcome").textContent = told;
    byId("outcome").classList.toggle("bad", !isGood);
  }

  async function check() {
    const button = byId("check"), bar = byId("done");
    button.disabled = true;
    bar.hidden = false;
    byId("checked").replaceChildren();
    outcome("", true);
    const bytes = logBytes();
    if (bytes === null) outcome("✗ Not verified: the log in this page is damaged and cannot be read at all.", false);
    else tellCheck(await Verify.run(bytes, claims, (share) => { bar.value = share; }));
    bar.hidden = true;
    button.disabled = false;
  }

  function tellCheck(result) {
    const { failures, passed, notes, signatures, isSigned } = result;
    const lines = [];
    if (failures.length) {
      outcome(`✗ Not verified. The first thing that does not hold: ${failures[0]}.`, false);
      lines.push(...failures.slice(0, 20).map((each) => ["✗", `${each}.`]));
      if (failures.length > 20) lines.push(["✗", `and ${failures.length - 20} more.`]);
    } else if (!isSigned) {
      outcome("◐ Half verified: every link holds. This browser cannot check Ed25519 signatures; a newer one can, and so does kemps audit.", false);
    } else if (claims.verdict === "clean") {
      outcome(`✓ Verified: all ${signatures.length} signatures and all links of this log hold.`, true);
    } else {
      outcome(`◐ All ${signatures.length} signatures and all links of this log hold. The audit still says “${claims.verdict}”: `
        + "why, stands above, and only kemps audit can check it.", false);
    }
    if (!failures.length) lines.push(...passed.map((each) => [isSigned ? "✓" : "◐", isSigned ? each() : `${each()} (Signatures were not checked.)`]));
    lines.push(...notes.map((each) => ["!", each]));
    byId("checked").replaceChildren(...lines.map(([sign, told]) => {
      const line = make("li");
      line.append(make("span", sign, { class: "tick", "aria-hidden": "true" }), make("span", told));
      return line;
    }));
  }

  function save() {
    const bytes = logBytes();
    if (bytes === null) { outcome("✗ The log in this page is damaged and cannot be saved.", false); return; }
    const link = make("a", undefined, { download: claims.file });
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  byId("check").hidden = byId("save").hidden = byId("main").hidden = false;
  byId("check").addEventListener("click", check);
  byId("save").addEventListener("click", save);
  if (navigator.clipboard) {
    byId("copy").hidden = false;
    byId("copy").addEventListener("click", async () => {
      await navigator.clipboard.writeText(byId("command").textContent);
      byId("copy").textContent = "Copied";
    });
  }
  if (matchMedia("(max-width: 600px)").matches) byId("letters").open = false;
  fill();
  show();
})();
