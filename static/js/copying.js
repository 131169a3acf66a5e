// Buttons that copy a text which stands in them: [data-copies-text], said aloud by [data-said].
"use strict";

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copies-text]");
  if (!button) return;
  event.preventDefault();
  await navigator.clipboard.writeText(button.dataset.copiesText);
  document.dispatchEvent(new CustomEvent("studio:say", { detail: button.dataset.said }));
});
