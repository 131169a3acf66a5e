// A field for a file that also takes one that is dropped on it, and says which it holds.
"use strict";

(() => {
  const inside = (event) => event.target.closest?.("[data-drop]");

  function say(field) {
    const words = field.querySelector("[data-dropped]");
    const file = field.querySelector("input[type=file]").files[0];
    words.textContent = file ? `${file.name} · ${Math.max(1, Math.round(file.size / 1024)).toLocaleString()} kB` : words.dataset.waiting;
  }

  document.addEventListener("dragover", (event) => {
    const field = inside(event);
    if (!field) return;
    event.preventDefault();
    field.classList.add("over");
  });

  document.addEventListener("dragleave", (event) => inside(event)?.classList.remove("over"));

  document.addEventListener("drop", (event) => {
    const field = inside(event);
    if (!field) return;
    event.preventDefault();
    field.classList.remove("over");
    if (!event.dataTransfer.files.length) return;
    field.querySelector("input[type=file]").files = event.dataTransfer.files;
    say(field);
  });

  document.addEventListener("change", (event) => {
    const field = event.target.matches("input[type=file]") && inside(event);
    if (field) say(field);
  });
})();
