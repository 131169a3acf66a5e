// The workbench: a response that was pasted stays while constraints are edited and saved, words of
// the prompt are quoted by selecting them, and a type is chosen from the list of all.
"use strict";

(() => {
  const box = () => document.querySelector("[data-response-kept]");
  const place = () => `response ${box().dataset.responseKept}`;

  // Asked again: the form of the response listens.
  const again = () => document.getElementById("try-response").dispatchEvent(new Event("again"));

  function keep() {
    try {
      sessionStorage.setItem(place(), box().value);
    } catch {
      // Full or forbidden: then it goes with the page.
    }
  }

  function begin() {
    if (!box()) return;
    try {
      if (!box().value) box().value = sessionStorage.getItem(place()) || "";
    } catch {
      // Nothing was kept.
    }
    if (box().value) again();
    keep();
  }

  // What is selected of an element, without the numbers of its marks.
  function selectedIn(element) {
    const selection = getSelection();
    if (!selection.rangeCount || !element.contains(selection.getRangeAt(0).commonAncestorContainer)) return "";
    const copy = selection.getRangeAt(0).cloneContents();
    copy.querySelectorAll(".mark-number").forEach((one) => one.remove());
    return copy.textContent.trim();
  }

  function put(field, text) {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  }

  function quote(button) {
    const words = selectedIn(document.querySelector("[data-quoted-from]"));
    if (words) put(document.getElementById(button.dataset.quotes), words);
    else document.dispatchEvent(new CustomEvent("studio:say", { detail: button.dataset.nothing }));
  }

  function choose(button) {
    const select = document.getElementById("id_type");
    select.value = button.dataset.chooses;
    button.closest("dialog").close();
    select.dispatchEvent(new Event("input", { bubbles: true }));
    select.dispatchEvent(new Event("change", { bubbles: true }));
    select.focus();
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.matches("[data-quotes]")) quote(button);
    if (button?.matches("[data-fills]")) put(document.getElementById(button.dataset.fills), document.getElementById(button.dataset.from).textContent);
    if (button?.matches("[data-chooses]")) choose(button);
    if (button?.matches("[data-clears]")) put(document.getElementById(button.dataset.clears), "");
  });

  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-response-kept]")) keep();
  });

  // A draft that came back, or other fields, are other constraints.
  document.addEventListener("draft:filled", (event) => {
    if (event.target.closest("#constraint-form") && box()?.value) again();
  });
  document.addEventListener("htmx:after:swap", (event) => {
    if (event.target.closest?.("#constraint-form") && box()?.value) again();
  });
  // htmx listens a tick after its script has run, which may be later than the page's load.
  addEventListener("load", () => setTimeout(begin));
})();
