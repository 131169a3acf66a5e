// The tree of a spec shows which criterion stands beside it; a hash is copied by one key.
"use strict";

(() => {
  document.addEventListener("click", (event) => {
    const row = event.target.closest("[data-criterion]");
    if (!row) return;
    document.querySelectorAll("[data-criterion][aria-current]").forEach((one) => one.removeAttribute("aria-current"));
    row.setAttribute("aria-current", "true");
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copies-from]");
    if (!button) return;
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copiesFrom).textContent);
    document.dispatchEvent(new CustomEvent("studio:say", { detail: button.dataset.said }));
  });
})();
