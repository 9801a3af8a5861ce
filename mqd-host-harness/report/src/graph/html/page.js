"use strict";
// The picture that can be moved and scaled, the table of operations with its filters, and findings in the picture.
// The part of the address after # keeps what is chosen.

// The part of the picture that is in view.
const view = (() => {
  const picture = document.querySelector(".mqd-graph");
  const frame = picture.closest(".view");
  const SMALLEST = 0.75; // Text is readable down to this scale.
  const { x, y, width, height } = picture.viewBox.baseVal;
  const all = { x, y, width, height };
  let shown = all;

  function set(box) {
    shown = box;
    picture.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
  }

  // The rectangle around some elements, with a margin. Null if there are none.
  function around(elements) {
    const boxes = [...elements].map((element) => element.getBBox());
    if (boxes.length === 0) return null;
    const [left, top] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
    const right = Math.max(...boxes.map((box) => box.x + box.width));
    const bottom = Math.max(...boxes.map((box) => box.y + box.height));
    const margin = 24;
    return { x: left - margin, y: top - margin, width: right - left + 2 * margin, height: bottom - top + 2 * margin };
  }

  // Pixels of a unit of the picture, if this box fits the frame.
  const scale = (box) => Math.min(frame.clientWidth / box.width, frame.clientHeight / box.height);

  // A box with the same middle that fills the frame; no larger than life.
  function fit(box) {
    const by = Math.min(scale(box), 1);
    const [w, h] = [frame.clientWidth / by, frame.clientHeight / by];
    return { x: box.x + (box.width - w) / 2, y: box.y + (box.height - h) / 2, width: w, height: h };
  }

  function nodesNear(nodes) {
    const near = new Set(nodes);
    for (const arrow of picture.querySelectorAll("[data-from]")) {
      if (nodes.has(arrow.dataset.from)) near.add(arrow.dataset.to);
      if (nodes.has(arrow.dataset.to)) near.add(arrow.dataset.from);
    }
    return near;
  }

  // These nodes with their neighbourhood if that is readable, else without it.
  function focus(numbers) {
    const nodes = new Set(numbers);
    const boxOf = (some) => around([...picture.querySelectorAll("[data-node]")].filter((node) => some.has(node.dataset.node)));
    const readable = [all, boxOf(nodesNear(nodes))].find((box) => box !== null && scale(box) >= SMALLEST);
    set(fit(readable ?? boxOf(nodes) ?? all));
  }

  const stuck = () => [...picture.querySelectorAll(".node.deadlock")].map((node) => node.dataset.node);
  const deadlock = () => focus(stuck());
  const everything = () => set(fit(all));

  // Scales by a factor. The point at this part of the frame stays where it is.
  function zoom(by, across = 0.5, down = 0.5) {
    const now = frame.clientWidth / shown.width;
    const factor = Math.min(Math.max(by, 0.02 / now), 8 / now);
    const [w, h] = [shown.width / factor, shown.height / factor];
    set({ x: shown.x + (shown.width - w) * across, y: shown.y + (shown.height - h) * down, width: w, height: h });
  }

  const move = (right, down) => set({ ...shown, x: shown.x + right * shown.width, y: shown.y + down * shown.height });

  const keys = {
    "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), "0": everything,
    ArrowLeft: () => move(-0.1, 0), ArrowRight: () => move(0.1, 0), ArrowUp: () => move(0, -0.1), ArrowDown: () => move(0, 0.1),
  };
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  // The wheel alone scrolls the page.
  frame.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = frame.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 300), (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  }, { passive: false });
  let drag = null;
  let dragged = false;
  frame.addEventListener("pointerdown", (event) => {
    dragged = false;
    if (event.button === 0) drag = { x: event.clientX, y: event.clientY, from: shown };
  });
  addEventListener("pointermove", (event) => {
    if (drag === null) return;
    const [right, down] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!dragged && Math.hypot(right, down) < 4) return;
    dragged = true;
    const { from } = drag;
    set({ ...from, x: from.x - right * from.width / frame.clientWidth, y: from.y - down * from.height / frame.clientHeight });
  });
  for (const name of ["pointerup", "pointercancel"]) addEventListener(name, () => { drag = null; });
  // A node is a link; dragging it does not follow it.
  frame.addEventListener("click", (event) => { if (dragged) event.preventDefault(); }, true);
  frame.addEventListener("dragstart", (event) => event.preventDefault());

  const buttons = { larger: () => zoom(1.25), smaller: () => zoom(0.8), everything, deadlock };
  for (const button of document.querySelectorAll("button[data-view]")) {
    button.addEventListener("click", buttons[button.dataset.view]);
    button.hidden = button.dataset.view === "deadlock" && stuck().length === 0;
  }
  frame.classList.add("movable");
  // The frame is as high as the whole picture needs, but no higher than the window.
  frame.style.height = `${Math.min(innerHeight * 0.8, Math.max(all.height * Math.min(frame.clientWidth / all.width, 1), 160))}px`;
  deadlock();
  addEventListener("resize", deadlock);
  return { focus };
})();

(() => {
  const PAGE = 500;
  const QUEUES = { sends: "pending send", receives: "pending receive", unexpected: "unexpected message" };
  const { texts, rows } = JSON.parse(document.getElementById("data").textContent);
  const form = document.getElementById("filters");
  const table = document.getElementById("table");
  const more = document.getElementById("more");
  const withAges = table.dataset.ages === "true";
  const names = ["rank", "comm", "queue", "tag", "text"];
  let matching = [];
  let shown = 0;

  // "0-3,8,10-98:2" as a test of a number; null if it is none. Nothing passes everything.
  function numbers(text) {
    const parts = text.split(",").map((part) => part.trim()).filter((part) => part !== "");
    const ranges = parts.map((part) => /^(-?\d+)(?:-(\d+)(?::([1-9]\d*))?)?$/.exec(part));
    if (ranges.includes(null)) return null;
    const passes = ranges.map(([, first, last, step]) => {
      const [low, high, every] = [Number(first), Number(last ?? first), Number(step ?? 1)];
      return (number) => number >= low && number <= high && (number - low) % every === 0;
    });
    return (number) => passes.length === 0 || (number !== null && passes.some((test) => test(number)));
  }

  function cells([who, queue, peer, comm, tag, bytes, status, details, age]) {
    const all = [String(who), QUEUES[queue], texts[peer], texts[comm], tag === null ? "ANY_TAG" : String(tag), bytes === null ? "not known" : String(bytes), texts[status]];
    if (withAges) all.push(texts[age]);
    all.push(texts[details]);
    return all;
  }

  function valueOf(name) {
    return form.elements[name].value;
  }

  function filter() {
    const tests = {};
    for (const name of ["rank", "tag"]) {
      tests[name] = numbers(valueOf(name));
      form.elements[name].setAttribute("aria-invalid", tests[name] === null);
    }
    const [comm, queue, text] = [valueOf("comm"), valueOf("queue"), valueOf("text").toLowerCase()];
    const anyRank = valueOf("rank").trim() === "";
    const { rank: rankTest, tag: tagTest } = tests;
    matching = rows.filter((row) => {
      const [who, rowQueue, , rowComm, tag] = row;
      return (rankTest === null || anyRank || (typeof who === "number" && rankTest(who)))
        && (comm === "" || texts[rowComm] === comm)
        && (queue === "" || rowQueue === queue)
        && (tagTest === null || tag === null || tagTest(tag))
        && (text === "" || cells(row).some((cell) => cell.toLowerCase().includes(text)));
    });
    table.tBodies[0].replaceChildren();
    shown = 0;
    show();
  }

  function show() {
    const fragment = document.createDocumentFragment();
    for (const row of matching.slice(shown, shown + PAGE)) {
      const line = document.createElement("tr");
      cells(row).forEach((text, column) => {
        const cell = document.createElement(column === 0 ? "th" : "td");
        if (column === 0) cell.scope = "row";
        if (column === 4 || column === 5) cell.className = "number";
        cell.textContent = text;
        line.append(cell);
      });
      fragment.append(line);
    }
    table.tBodies[0].append(fragment);
    shown = Math.min(shown + PAGE, matching.length);
    more.hidden = shown === matching.length;
    const rest = shown < matching.length ? `, the first ${shown} of them shown` : "";
    document.getElementById("shown").textContent = `${matching.length} of ${rows.length} operations${rest}`;
  }

  function address() {
    const chosen = new URLSearchParams();
    for (const name of names) if (valueOf(name) !== "") chosen.set(name, valueOf(name));
    const pressed = document.querySelector("button[aria-pressed=true]");
    if (pressed) chosen.set("finding", pressed.dataset.finding);
    return chosen.toString();
  }

  function remember() {
    // A new entry for each key would fill the browser's history.
    history.replaceState(null, "", `#${address()}`);
  }

  function showFinding(number) {
    for (const element of document.querySelectorAll(".shown")) element.classList.remove("shown");
    const picture = document.querySelector(".mqd-graph");
    picture.classList.toggle("choosing", number !== null);
    for (const button of document.querySelectorAll("button[data-finding]")) {
      const pressed = button.dataset.finding === number;
      button.setAttribute("aria-pressed", pressed);
      if (!pressed) continue;
      button.closest("article").classList.add("shown");
      for (const kind of ["node", "arrow"]) {
        for (const index of button.dataset[`${kind}s`].split(" ").filter(Boolean)) {
          for (const element of picture.querySelectorAll(`[data-${kind}="${index}"]`)) element.classList.add("shown");
        }
      }
      view.focus(button.dataset.nodes.split(" "));
    }
  }

  function restore() {
    if (location.hash === "#operations") return;
    const chosen = new URLSearchParams(location.hash.slice(1));
    for (const name of names) {
      const field = form.elements[name];
      field.value = chosen.get(name) ?? "";
      // A choice that this report does not have.
      if (field.selectedIndex === -1) field.value = "";
    }
    showFinding(chosen.get("finding"));
    filter();
  }

  form.addEventListener("input", () => { filter(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { filter(); remember(); }));
  more.addEventListener("click", show);
  addEventListener("hashchange", () => {
    restore();
    if (new URLSearchParams(location.hash.slice(1)).has("rank")) document.getElementById("operations").scrollIntoView();
  });
  for (const button of document.querySelectorAll("button[data-finding]")) {
    button.addEventListener("click", () => {
      const pressed = button.getAttribute("aria-pressed") === "true";
      showFinding(pressed ? null : button.dataset.finding);
      remember();
      if (!pressed) document.getElementById("picture").scrollIntoView();
    });
  }
  restore();
})();
