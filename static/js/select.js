// Choosing rows of a list: the button with data-selects turns the box of the row that was focused
// last, so that a key can; how many are chosen is said beside the act.
"use strict";

(() => {
  let row = null;

  const boxes = (form) => [...form.querySelectorAll("[data-row] input[type=checkbox]")];

  function say(form) {
    const chosen = boxes(form).filter((one) => one.checked).length;
    form.querySelector("[data-selected]").textContent = chosen ? `(${chosen})` : "";
  }

  document.addEventListener("focusin", (event) => {
    row = event.target.closest("[data-row]") || row;
  });

  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-selects]")) return;
    const box = row?.isConnected && row.querySelector("input[type=checkbox]");
    if (!box || box.disabled) return;
    box.checked = !box.checked;
    box.dispatchEvent(new Event("change", { bubbles: true }));
    row.querySelector("a").focus();
  });

  document.addEventListener("change", (event) => {
    const form = event.target.closest("[data-select]");
    if (form) say(form);
  });
})();
