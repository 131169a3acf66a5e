// What is shown once: selected when it is touched, copied by its button.
"use strict";

(() => {
  const TOLD_MS = 2000;
  const field = () => document.querySelector("[data-secret]");

  async function copy(button) {
    const said = button.innerHTML;
    field().select();
    try {
      await navigator.clipboard.writeText(field().value);
    } catch {
      return; // Not allowed here: it is selected, so that the person copies it themselves.
    }
    button.textContent = button.dataset.wordDone;
    setTimeout(() => { button.innerHTML = said; }, TOLD_MS);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copies-secret]");
    if (button) copy(button);
    if (event.target.matches("[data-secret]")) event.target.select();
  });
})();
