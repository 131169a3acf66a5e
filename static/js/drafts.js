// Drafts: what is typed into <form data-draft="KEY"> is kept on the server a moment later, and in
// this browser until the server has said so. The form holds components/draft.html, which says how
// the draft is: clean, dirty, saving, saved (when) or failed (retry). Where another window of the
// same person has saved meanwhile, a dialog shows both texts.
"use strict";

(() => {
  const QUIET_MS = 1000; // saved when nothing was typed for so long,
  const LONGEST_MS = 5000; // and at the latest so long after the first key.
  const KEEPALIVE_CHARACTERS = 20000; // what a browser sends for a page that is going away: 64 kB
  const drafts = new Map();

  function timeOf(moment) {
    const at = new Date(moment);
    const isToday = at.toDateString() === new Date().toDateString();
    return isToday ? at.toLocaleTimeString([], { hour12: false }) : at.toLocaleString([], { hour12: false });
  }

  // The server does not keep the order of the fields.
  const inOrder = (value) => (value && !Array.isArray(value) && typeof value === "object" ? Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)) : value);
  const same = (one, other) => JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));

  class Draft {
    constructor(form) {
      this.form = form;
      this.part = form.querySelector("[data-draft-part]");
      this.url = this.part.dataset.url;
      this.place = `draft ${this.url}`;
      this.version = 0;
      this.initial = this.body();
      this.kept = this.initial; // what the server holds, as far as we know
      this.timer = 0;
      this.since = 0;
      this.sending = null;
      form.addEventListener("input", () => this.typed());
      form.addEventListener("submit", (event) => this.submitted(event));
      this.find("[data-draft-retry]").addEventListener("click", () => this.save());
      this.find("[data-draft-discard]").addEventListener("click", () => this.discard());
      for (const button of this.part.querySelectorAll("[data-draft-take]")) {
        button.addEventListener("click", () => this.take(button.dataset.draftTake));
      }
      this.say("clean");
      this.restore();
    }

    find(selector) {
      return this.part.querySelector(selector);
    }

    // The fields that people fill in: no hidden ones, no passwords, no files.
    fields() {
      return [...this.form.elements].filter(
        (one) => one.name && !one.closest("[data-draft-part]") && !["hidden", "password", "file", "submit", "button", "fieldset"].includes(one.type),
      );
    }

    body() {
      const body = {};
      for (const one of this.fields()) {
        const several = ["checkbox", "select-multiple"].includes(one.type);
        if (one.type === "radio" && !one.checked) continue;
        if (!several) body[one.name] = one.value;
        else {
          const chosen = one.type === "checkbox" ? (one.checked ? [one.value] : []) : [...one.selectedOptions].map((option) => option.value);
          body[one.name] = [...(body[one.name] || []), ...chosen];
        }
      }
      return body;
    }

    fill(body) {
      for (const one of this.fields()) {
        if (!(one.name in body)) continue;
        const value = body[one.name];
        if (one.type === "checkbox") one.checked = value.includes(one.value);
        else if (one.type === "radio") one.checked = value === one.value;
        else if (one.type === "select-multiple") for (const option of one.options) option.selected = value.includes(option.value);
        else one.value = value;
        one.dispatchEvent(new CustomEvent("draft:filled", { bubbles: true }));
      }
    }

    say(state, moment) {
      const words = this.part.dataset;
      const text = { clean: words.wordClean, dirty: words.wordDirty, saving: words.wordSaving, saved: words.wordSaved, found: words.wordFound, failed: words.wordFailed }[state];
      this.state = state;
      this.find("[data-draft-state]").dataset.draftState = state;
      const now = moment ? `${text} ${timeOf(moment)}` : text;
      if (this.find("[data-draft-words]").textContent !== now) this.find("[data-draft-words]").textContent = now;
      this.find("[data-draft-retry]").hidden = state !== "failed";
      this.find("[data-draft-discard]").hidden = state === "clean" || state === "saving";
    }

    // What an earlier visit left: on the server, and in this browser where the server was not reached.
    async restore() {
      const local = this.readLocal();
      const found = Number(this.part.dataset.version) ? await this.ask("GET") : null;
      const draft = found?.ok ? found.answer : null;
      if (draft) [this.version, this.kept] = [draft.version, draft.body];
      if (local && draft && draft.version > local.version && !same(draft.body, local.body)) {
        return this.conflict(draft, local.body);
      }
      const newest = local?.body || draft?.body;
      if (!newest || same(newest, this.initial) || this.wasSaved(local, draft)) return this.forgetLocal();
      if (this.state !== "clean") return draft && !local && this.conflict(draft, this.body());
      this.fill(newest);
      if (local && !same(local.body, this.kept)) return this.typed();
      this.forgetLocal();
      this.say("found", draft.saved_at);
    }

    // The form was sent, the server has no draft of it any more, and the page shows something new.
    wasSaved(local, draft) {
      return local?.submitted && !draft && !same(local.was, this.initial);
    }

    typed() {
      const now = Date.now();
      this.since = this.since || now;
      this.keepLocal();
      if (this.state !== "saving") this.say("dirty");
      clearTimeout(this.timer);
      const wait = Math.min(QUIET_MS, Math.max(0, this.since + LONGEST_MS - now));
      this.timer = setTimeout(() => this.save(), wait);
    }

    get isWaiting() {
      return this.since > 0 || this.state === "failed";
    }

    // Before the page changes: what was typed is sent, and the browser keeps sending it.
    flush() {
      if (this.isWaiting) this.save({ leaving: true });
    }

    async save({ leaving = false } = {}) {
      clearTimeout(this.timer);
      if (this.sending && !leaving) return;
      const body = this.body();
      // One that is under way will have counted the version up, if it arrives.
      const version = this.version + (this.sending ? 1 : 0);
      this.since = 0;
      this.say("saving");
      this.sending = this.ask("PUT", { body, version }, leaving);
      const found = await this.sending;
      this.sending = null;
      if (found?.ok) return this.saved(body, found.answer);
      if (found?.status === 409) return this.conflict(found.answer, body);
      this.say("failed");
    }

    saved(body, answer) {
      this.version = answer.version;
      this.kept = body;
      if (!same(this.body(), body)) return this.typed();
      this.forgetLocal();
      this.say("saved", answer.saved_at);
    }

    async discard() {
      clearTimeout(this.timer);
      this.since = 0;
      this.forgetLocal();
      this.fill(this.initial);
      const found = this.version ? await this.ask("DELETE") : { ok: true };
      this.kept = this.initial;
      this.say(found?.ok || found?.status === 404 ? "clean" : "failed");
    }

    // The server forgets the draft once the form itself is saved; until then it is kept here.
    submitted(event) {
      clearTimeout(this.timer);
      this.since = 0;
      if (this.sending) {
        event.preventDefault();
        this.sending.finally(() => this.form.requestSubmit(event.submitter));
        return;
      }
      this.keepLocal({ submitted: true });
      this.gone = true;
    }

    conflict(answer, mine) {
      this.other = answer;
      this.mine = mine;
      const theirs = answer.theirs || answer.body;
      this.other.body = theirs;
      const template = this.find("[data-draft-field]");
      const parts = Object.keys(theirs).filter((name) => !same(mine[name], theirs[name])).map((name) => {
        const part = template.content.cloneNode(true);
        part.querySelector("legend").textContent = this.labelOf(name);
        part.querySelector("[data-mine]").textContent = this.words(name, mine[name]);
        part.querySelector("[data-theirs]").textContent = this.words(name, theirs[name]);
        return part;
      });
      this.find("[data-draft-fields]").replaceChildren(...parts);
      this.say("failed");
      const dialog = this.find("[data-draft-conflict]");
      if (!dialog.open) dialog.showModal();
    }

    take(which) {
      this.find("[data-draft-conflict]").close();
      this.version = this.other.version;
      if (which === "theirs") {
        this.fill(this.other.body);
        this.kept = this.other.body;
        this.forgetLocal();
        return this.say("saved", this.other.saved_at);
      }
      this.fill(this.mine);
      return this.save();
    }

    labelOf(name) {
      const field = this.fields().find((one) => one.name === name);
      const group = field?.closest("fieldset")?.querySelector("legend");
      return (group || field?.labels?.[0])?.textContent.trim() || name;
    }

    words(name, value) {
      const texts = [value ?? ""].flat().map((one) => {
        const option = this.fields().find((field) => field.name === name && field.options);
        return [...(option?.options || [])].find((found) => found.value === one)?.textContent.trim() || one;
      });
      return texts.join(", ") || this.part.dataset.wordEmpty;
    }

    // {ok, status, answer}; null when the server was not reached or is not the one that we asked.
    async ask(method, content, leaving = false) {
      const body = content && JSON.stringify(content);
      try {
        const response = await fetch(this.url, {
          method,
          body,
          keepalive: leaving && (body?.length || 0) < KEEPALIVE_CHARACTERS,
          headers: { "Content-Type": "application/json", "X-CSRFToken": this.form.elements.csrfmiddlewaretoken.value },
        });
        const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
        if (response.redirected || (response.status !== 204 && !isJson)) return null;
        return { ok: response.ok, status: response.status, answer: isJson ? await response.json() : null };
      } catch {
        return null;
      }
    }

    readLocal() {
      try {
        return JSON.parse(localStorage.getItem(this.place));
      } catch {
        return null;
      }
    }

    keepLocal({ submitted = false } = {}) {
      const kept = { body: this.body(), version: this.version, was: this.initial, submitted };
      try {
        localStorage.setItem(this.place, JSON.stringify(kept));
      } catch {
        // Full or forbidden: then the server alone keeps the draft.
      }
    }

    forgetLocal() {
      try {
        localStorage.removeItem(this.place);
      } catch {
        // Nothing was kept.
      }
    }
  }

  function begin() {
    for (const [form] of drafts) if (!form.isConnected) drafts.delete(form);
    for (const form of document.querySelectorAll("form[data-draft]")) {
      if (!drafts.has(form) && form.querySelector("[data-draft-part]")) drafts.set(form, new Draft(form));
    }
  }

  function flushAll() {
    for (const draft of drafts.values()) if (!draft.gone) draft.flush();
  }

  document.addEventListener("DOMContentLoaded", begin);
  document.addEventListener("htmx:after:swap", begin);
  document.addEventListener("htmx:before:request", flushAll);
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") flushAll(); });
  window.addEventListener("pagehide", flushAll);
  window.addEventListener("online", flushAll);
  // A page that comes back from the browser's memory was not submitted after all.
  window.addEventListener("pageshow", () => { for (const draft of drafts.values()) draft.gone = false; });
})();
