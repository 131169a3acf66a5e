// What opens and closes: dialogs, menus, toasts, and the drawer with evidence. Filters submit
// themselves when a menu changes.
"use strict";

(() => {
  const TOAST_MS = 10000;
  const SAID_MS = 4000;
  let opener = null;

  const drawer = () => document.getElementById("drawer");

  function closeDrawer(link) {
    drawer().replaceChildren();
    if (link.href !== location.href) history.pushState(null, "", link.href);
    (opener?.isConnected ? opener : document.getElementById("content")).focus();
    opener = null;
  }

  document.addEventListener("click", (event) => {
    const opens = event.target.closest("[data-opens]");
    if (opens) return document.getElementById(opens.dataset.opens).showModal();
    const closes = event.target.closest("[data-closes]");
    if (closes) {
      const panel = closes.closest(closes.dataset.closes);
      return panel.close ? panel.close() : panel.remove();
    }
    const away = event.target.closest("[data-closes-drawer]");
    // On a page of its own the link leads back; beside a page it closes the drawer.
    if (away && away.closest("#drawer")) {
      event.preventDefault();
      return closeDrawer(away);
    }
    if (event.target.matches("dialog")) event.target.close();
    for (const menu of document.querySelectorAll("details.menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });

  document.addEventListener("keydown", (event) => {
    const menu = event.target.closest?.("details.menu[open]");
    if (event.key === "Escape" && menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });

  document.addEventListener("htmx:before:request", (event) => {
    const source = event.target;
    if (source.getAttribute?.("hx-target") === "#drawer" && !source.closest("#drawer")) opener = source;
  });

  document.addEventListener("htmx:after:swap", () => {
    const title = drawer()?.querySelector("[data-drawer-title]");
    if (title && !drawer().contains(document.activeElement)) title.focus();
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-filters] select")) event.target.form.requestSubmit();
  });

  // A toast goes after a while, but not while somebody points at it or is in it.
  function expire(toast, ms) {
    setTimeout(() => (toast.matches(":hover, :focus-within") ? expire(toast, ms) : toast.remove()), ms);
  }

  // What a script has done is said like what the server has done.
  document.addEventListener("studio:say", (event) => {
    const toast = document.createElement("div");
    toast.className = "toast";
    toast.textContent = event.detail;
    document.getElementById("toasts").append(toast);
    expire(toast, SAID_MS);
  });

  document.addEventListener("DOMContentLoaded", () => {
    for (const toast of document.querySelectorAll("[data-toast]")) expire(toast, TOAST_MS);
  });
})();
