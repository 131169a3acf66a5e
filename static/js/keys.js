// The keyboard. An element says which key works it: data-key="j", "Control+k", "g p" (one after
// the other). Keys belong to a scope: a dialog that is open, else the drawer, else the page; in
// one scope two elements may not share a key, and the console says so when they do.
"use strict";

(() => {
  const TYPING = 'input, textarea, select, [contenteditable]:not([contenteditable="false"]), [role=textbox], [role=combobox], [role=listbox], [role=option]';
  const CHORD_MS = 1200;
  const FLASH_MS = 160;
  let pending = "";
  let forget = 0;

  const dialog = () => document.querySelector("dialog[open]");
  const drawer = () => document.querySelector("#drawer:has(> *)");
  const visible = (element) => element.getClientRects().length > 0 && !element.disabled;

  function keyed(scope) {
    const all = [...scope.querySelectorAll("[data-key]")].filter(visible);
    return scope === document ? all.filter((one) => !one.closest("#drawer, dialog")) : all;
  }

  function scopes() {
    const top = dialog();
    if (top) return [top];
    return [drawer(), document].filter(Boolean);
  }

  function find(key) {
    for (const scope of scopes()) {
      const found = keyed(scope).find((one) => one.dataset.key === key);
      if (found) return found;
    }
    return null;
  }

  const begins = (key) => scopes().some((scope) => keyed(scope).some((one) => one.dataset.key.startsWith(`${key} `)));

  function collisions() {
    return scopes().flatMap((scope) => {
      const seen = new Map();
      for (const one of keyed(scope)) {
        seen.set(one.dataset.key, [...(seen.get(one.dataset.key) || []), one]);
      }
      return [...seen].filter(([, elements]) => elements.length > 1);
    });
  }

  function report() {
    for (const [key, elements] of collisions()) {
      console.error(`The key ${key} works ${elements.length} things:`, ...elements.map(label));
    }
  }

  function label(element) {
    const copy = element.cloneNode(true);
    copy.querySelectorAll("kbd, .count, svg").forEach((part) => part.remove());
    return element.dataset.keyLabel || element.getAttribute("aria-label") || copy.textContent.trim();
  }

  function act(element) {
    if (element.matches("input, textarea, select")) {
      element.focus();
      element.select?.();
      return;
    }
    if (element.matches("summary")) element.focus();
    element.classList.add("pressed");
    setTimeout(() => element.classList.remove("pressed"), FLASH_MS);
    element.click();
  }

  // Rows of a list: j and k, or the arrows, move the focus; Enter opens, as on any link.
  function move(step) {
    const rows = [...document.querySelectorAll("[data-row]")].filter(visible);
    if (!rows.length || dialog()) return false;
    const now = rows.indexOf(document.activeElement.closest("[data-row]"));
    const next = now < 0 ? (step > 0 ? 0 : rows.length - 1) : now + step;
    const row = rows[Math.min(Math.max(next, 0), rows.length - 1)];
    const target = row.matches("a, button") ? row : row.querySelector("a, button") || row;
    target.focus();
    target.scrollIntoView({ block: "nearest" });
    return true;
  }

  function nameOf(event) {
    const key = event.key.length === 1 ? event.key : event.key;
    if (event.ctrlKey || event.metaKey) return `Control+${key.length === 1 ? key.toLowerCase() : key}`;
    return key;
  }

  // A focused button or link owns Enter and Space; a radio or a slider owns the arrows.
  function ownedByFocus(event) {
    const focused = document.activeElement;
    if (["Enter", " "].includes(event.key)) return focused.matches("a, button, summary, [role=button]");
    if (event.key.startsWith("Arrow")) return focused.matches("[role=radio], [role=slider], [role=tab], summary");
    return false;
  }

  function onKey(event) {
    if (event.defaultPrevented || event.isComposing || event.altKey) return;
    const held = event.ctrlKey || event.metaKey;
    const typing = event.target.closest?.(TYPING);
    if (typing && !held && event.key === "Escape" && !dialog()) return typing.blur();
    if (typing && !held) return;
    if (ownedByFocus(event)) return;
    const name = nameOf(event);
    const whole = pending ? `${pending} ${name}` : name;
    pending = "";
    clearTimeout(forget);
    const element = find(whole);
    if (element && !element.matches('[aria-disabled="true"]')) {
      event.preventDefault();
      if (!typing) document.activeElement.blur?.();
      return act(element);
    }
    if (held || dialog()) return;
    if (begins(whole)) {
      pending = whole;
      forget = setTimeout(() => { pending = ""; }, CHORD_MS);
    } else if (whole === "?") {
      showSheet();
    } else if (["j", "ArrowDown"].includes(whole) && move(1)) {
      event.preventDefault();
    } else if (["k", "ArrowUp"].includes(whole) && move(-1)) {
      event.preventDefault();
    }
  }

  function section(title, entries) {
    if (!entries.length) return [];
    const heading = document.createElement("h3");
    heading.textContent = title;
    const list = document.createElement("dl");
    list.className = "keys";
    for (const [key, words] of entries) {
      const term = document.createElement("dt");
      for (const part of key.split(/[ +]/)) {
        const kbd = document.createElement("kbd");
        kbd.textContent = part;
        term.append(kbd);
      }
      const says = document.createElement("dd");
      says.textContent = words;
      list.append(term, says);
    }
    return [heading, list];
  }

  function entries(scope) {
    return keyed(scope).map((one) => [one.dataset.key, label(one)]);
  }

  function showSheet() {
    const sheet = document.querySelector("[data-key-sheet]");
    const words = sheet.dataset;
    const page = entries(document);
    const isGo = ([key]) => key.startsWith("g ");
    const rows = document.querySelector("[data-row]") ? [["j k", words.wordRow], ["Enter", words.wordOpen]] : [];
    sheet.querySelector("[data-key-list]").replaceChildren(
      ...section(words.wordDrawer, drawer() ? entries(drawer()) : []),
      ...section(words.wordPage, [...page.filter((one) => !isGo(one)), ["?", words.wordHelp]]),
      ...section(words.wordLists, rows),
      ...section(words.wordGo, page.filter(isGo)),
    );
    sheet.showModal();
  }

  document.addEventListener("keydown", onKey);
  document.addEventListener("DOMContentLoaded", report);
  document.addEventListener("htmx:after:swap", report);
})();
