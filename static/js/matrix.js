// The matrix of a group: one stop for the Tab key, arrows between its cells, Enter opens the
// evidence in the drawer; looking at a column shows what it decides.
"use strict";

(() => {
  const FIXED = 4;
  const HOVER_MS = 120;
  const FOCUS_MS = 300;
  const table = document.querySelector("[data-matrix]");
  if (!table) return;
  const heads = [...table.querySelectorAll("[data-column]")];
  const columns = [...table.querySelectorAll("col:not(.fixed)")];
  const rows = [...table.tBodies[0].rows];
  const grid = rows.map((row) => [...row.cells].slice(FIXED).map((cell) => cell.firstElementChild));
  let timer = 0;
  let shown = "";

  const place = (element) => {
    const cell = element.closest("td, th");
    const y = rows.indexOf(cell.parentElement);
    return { y, x: [...cell.parentElement.cells].indexOf(cell) - (y < 0 ? 1 : FIXED) };
  };

  function look(x, delay) {
    columns.forEach((column, at) => column.classList.toggle("on", at === x));
    heads.forEach((head, at) => head.closest("th").classList.toggle("on", at === x));
    clearTimeout(timer);
    const key = heads[x]?.dataset.column;
    if (!key || key === shown || !document.getElementById("without")) return;
    timer = setTimeout(() => {
      shown = key;
      const address = new URL(table.dataset.without, location.href);
      address.search = location.search;
      address.searchParams.set("column", key);
      htmx.ajax("GET", address.pathname + address.search, { target: "#without", swap: "outerHTML" });
    }, delay);
  }

  // One cell at a time can be reached by Tab.
  function rove(target) {
    for (const stop of table.querySelectorAll('tbody [tabindex="0"], thead [tabindex="0"]')) stop.tabIndex = -1;
    target.tabIndex = 0;
  }

  function focusAt(y, x) {
    const target = y < 0 ? heads[x] : grid[y]?.[x];
    if (!target) return false;
    rove(target);
    target.focus();
    target.scrollIntoView({ block: "nearest", inline: "nearest" });
    return true;
  }

  function mark() {
    const name = location.pathname.split("/").pop();
    for (const one of table.querySelectorAll("td.on, tr.on")) one.classList.remove("on");
    const link = name && grid.flat().find((one) => one?.pathname?.split("/").pop() === name);
    if (!link) return;
    link.parentElement.classList.add("on");
    link.closest("tr").classList.add("on");
    rove(link);
    look(place(link).x, HOVER_MS);
  }

  const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  table.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !event.target.matches("td > *, .name")) return;
    const { y, x } = place(event.target);
    const width = heads.length;
    let to = null;
    if (STEPS[event.key]) {
      const [down, over] = STEPS[event.key];
      const turn = document.dir === "rtl" ? -over : over;
      to = [y + down, x + turn];
    } else if (event.key === "Home") to = [y, 0];
    else if (event.key === "End") to = [y, width - 1];
    else if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      event.target.click();
      return;
    }
    if (to && to[0] >= -1 && to[1] >= 0 && focusAt(Math.min(to[0], rows.length - 1), Math.min(to[1], width - 1))) event.preventDefault();
  });

  table.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    const head = event.target.closest("[data-column]");
    if (head) {
      event.preventDefault();
      return look(heads.indexOf(head), 0);
    }
    const link = event.target.closest("td:not(.bar) > a");
    if (!link) return;
    event.preventDefault();
    rove(link);
    htmx.ajax("GET", link.href, { source: link, target: "#drawer", swap: "innerHTML", push: link.href });
  });

  table.addEventListener("pointerover", (event) => {
    const cell = event.target.closest?.("td, th");
    if (!cell || event.pointerType === "touch") return;
    const inBody = rows.includes(cell.parentElement);
    const at = [...cell.parentElement.cells].indexOf(cell) - (inBody ? FIXED : 1);
    if (at >= 0) look(at, HOVER_MS);
  });

  table.addEventListener("focusin", (event) => {
    if (event.target.matches("td > *, .name")) look(place(event.target).x, FOCUS_MS);
  });

  for (const one of grid.flat()) if (one) one.tabIndex = -1;
  if (grid[0]?.[0]) grid[0][0].tabIndex = 0;
  // The drawer may have moved on to another cell than the one that opened it.
  document.addEventListener("click", (event) => {
    if (!event.target.closest("#drawer [data-closes-drawer]")) return;
    setTimeout(() => {
      table.querySelector('tbody [tabindex="0"]')?.focus();
      mark();
    });
  }, true);

  document.addEventListener("htmx:after:swap", mark);
  document.addEventListener("htmx:after:history:update", mark);
  addEventListener("popstate", mark);
  mark();
})();
