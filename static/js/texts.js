// Cards of long texts: rendered or raw, copied, and folded when they are long.
"use strict";

(() => {
  const SLACK = 40;

  function show(card, view) {
    for (const pane of card.querySelectorAll("[data-pane]")) pane.hidden = pane.dataset.pane !== view;
    for (const button of card.querySelectorAll("[data-view]")) {
      button.setAttribute("aria-pressed", String(button.dataset.view === view));
    }
    measure(card);
  }

  // The raw button is a switch when its key is pressed; by pointer each button means itself.
  function turn(card, button, byKey) {
    const pressed = button.getAttribute("aria-pressed") === "true";
    show(card, byKey && pressed ? "rendered" : button.dataset.view);
  }

  // Only what is folded away needs a button; while it is open it can be folded again.
  function measure(card) {
    const fold = card.querySelector("[data-fold]");
    const button = card.querySelector("[data-unfolds]");
    if (fold.matches(".open")) return;
    button.hidden = fold.scrollHeight <= fold.clientHeight + SLACK;
    fold.classList.toggle("cut", !button.hidden);
    fold.classList.toggle("whole", button.hidden);
  }

  function unfold(card, button) {
    const open = card.querySelector("[data-fold]").classList.toggle("open");
    button.setAttribute("aria-expanded", String(open));
    button.textContent = open ? button.dataset.less : button.dataset.more;
  }

  async function copy(card, button) {
    await navigator.clipboard.writeText(card.querySelector('[data-pane="raw"]').textContent);
    document.dispatchEvent(new CustomEvent("studio:say", { detail: button.dataset.said }));
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-response] button");
    if (!button) return;
    const card = button.closest("[data-response]");
    if (button.matches("[data-view]")) turn(card, button, event.detail === 0);
    if (button.matches("[data-unfolds]")) unfold(card, button);
    if (button.matches("[data-copies]")) copy(card, button);
  });

  const measureAll = () => document.querySelectorAll("[data-response]").forEach(measure);
  document.addEventListener("DOMContentLoaded", measureAll);
  document.addEventListener("htmx:after:swap", measureAll);
})();
