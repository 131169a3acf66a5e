// The jump palette by keyboard: arrows lead from the field through the places and back, Enter in
// the field opens the first place, and waits for it where the list still tells of what was typed
// before.
"use strict";

(() => {
  let wanted = false;
  const links = () => [...document.querySelectorAll("#jump-found a")];

  function open(field) {
    const told = document.querySelector("#jump-found [data-for]")?.dataset.for;
    wanted = told !== field.value.trim();
    if (!wanted) links()[0]?.click();
  }

  function step(event, field) {
    const all = links();
    if (!all.length) return;
    const at = all.indexOf(document.activeElement);
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    event.preventDefault();
    if (next < 0) return field.focus();
    all[Math.min(next, all.length - 1)].focus();
  }

  document.addEventListener("keydown", (event) => {
    const dialog = event.target.closest?.("#jump");
    if (!dialog || event.isComposing) return;
    const field = dialog.querySelector("[data-jump]");
    if (event.key === "ArrowDown" || event.key === "ArrowUp") return step(event, field);
    if (event.key === "Enter" && event.target === field) {
      event.preventDefault();
      open(field);
    } else if (event.key.length === 1 && event.target !== field && !event.ctrlKey && !event.metaKey) {
      field.focus(); // and what is typed goes on there
    }
  });

  document.addEventListener("htmx:after:swap", () => {
    const field = document.querySelector("#jump[open] [data-jump]");
    if (wanted && field) open(field);
  });
})();
