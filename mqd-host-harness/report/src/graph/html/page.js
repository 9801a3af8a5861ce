"use strict";
// The table of operations with its filters, and findings in the picture. The part of the address after # keeps what is chosen.
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
    const all = [String(who), QUEUES[queue], texts[peer], texts[comm], tag === null ? "ANY_TAG" : String(tag), String(bytes), texts[status]];
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
