// Two texts beside each other: scrolled apart, or together when asked.
"use strict";

(() => {
  const button = document.querySelector("[data-locks-scroll]");
  const panes = [...document.querySelectorAll("[data-pane-scroll], .panes .diff > .prose")];
  if (!button || panes.length < 2) return;
  let leading = null;

  button.addEventListener("click", () => {
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
  });

  for (const pane of panes) {
    pane.tabIndex = 0;
    pane.addEventListener("scroll", () => {
      if (button.getAttribute("aria-pressed") !== "true" || (leading && leading !== pane)) return;
      leading = pane;
      const share = pane.scrollTop / Math.max(1, pane.scrollHeight - pane.clientHeight);
      for (const other of panes) {
        if (other !== pane) other.scrollTop = share * (other.scrollHeight - other.clientHeight);
      }
      requestAnimationFrame(() => { leading = null; });
    }, { passive: true });
  }
})();
