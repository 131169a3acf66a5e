// The jump palette by keyboard: arrows lead from the field through the places and back, Enter in
// the field opens the first place.
"use strict";

(() => {
  const links = () => [...document.querySelectorAll("#jump-found a")];

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
    const first = links()[0];
    if (event.key === "Enter" && event.target === field && first) {
      event.preventDefault();
      first.click();
    } else if (event.key.length === 1 && event.target !== field && !event.ctrlKey && !event.metaKey) {
      field.focus(); // and what is typed goes on there
    }
  });
})();
