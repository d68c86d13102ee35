/*
 * What makes the pages quick and handy. Every page is complete without any of it: each part below
 * stands alone and says what the page does without it. Nothing here writes a style attribute into
 * markup, and nothing is evaluated: the strict Content Security Policy holds.
 *
 * htmx swaps what a click brings (the attributes are in the markup); its events are named
 * differently in htmx 4 and 2, so both names are listened to.
 */
(() => {
  "use strict";

  const root = document.documentElement;
  const live = () => document.getElementById("janela-live");
  const listen = (names, listener) =>
    names.forEach((name) => document.addEventListener(name, listener));

  /* ---- ask: this page at another address, without a new entry in the browser's history ---- */

  function ask(address, source = document.getElementById("janela-again")) {
    if (!window.htmx || !source) {
      location.assign(address);
      return;
    }
    window.htmx.ajax("GET", address, { source })?.catch?.(() => {});
  }

  /* ---- the live region ----
   * Without it: a new page, whose title is read.
   */

  const region = () => document.getElementById("janela-status");

  function say(words) {
    const status = region();
    if (status && status.textContent !== words) status.textContent = words;
  }

  /* ---- select several with Ctrl or Cmd ----
   * Without it: the page's own switch, a plain link, makes every click add or remove.
   * With Shift or Alt, and where there is nothing to add, a click stays the browser's own.
   */

  const LINK = "#janela-live a[hx-get]";

  function several(event, link) {
    const address = link.dataset.janelaSeveral;
    const adds = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!adds || !address) return false;
    event.preventDefault();
    event.stopImmediatePropagation();
    ask(address, link);
    return true;
  }

  document.addEventListener(
    "click",
    (event) => {
      const link = event.target.closest?.(LINK);
      if (!link || !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)) return;
      if (!several(event, link)) event.stopImmediatePropagation();
    },
    true,
  );

  document.addEventListener("keydown", (event) => {
    const link = event.target.closest?.(LINK);
    if (event.key === "Enter" && link && event.target === link) several(event, link);
  });

  /* ---- Escape closes a menu, or else clears all filters ----
   * Without it: the menu's own button, and "Clear all" in the bar of filters.
   */

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || document.fullscreenElement) return;
    if (event.target.closest?.("input, select, textarea, [contenteditable], dialog, [popover]")) {
      return;
    }
    if (hideTip()) return;
    const menu = event.target.closest?.("details.janela-menu[open], details.janela-more[open]");
    if (menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
      return;
    }
    document.querySelector("#janela-live #janela-clear")?.click();
  });

  /* ---- what a reader was at stays: the focus, how far panes are scrolled, tables shown ----
   * Without it: a new page starts at its top.
   */

  let focused = null;
  let kept = [];
  let height = 0;

  document.addEventListener("focusin", (event) => {
    focused = event.target.closest?.("#janela-live [id]") ?? null;
  });

  document.addEventListener("pointerdown", (event) => {
    if (!event.target.closest?.("a, button, summary, input")) focused = null;
  });

  function keep() {
    height = window.scrollY;
    kept = [...document.querySelectorAll("#janela-live .janela-pane")].map((pane) => ({
      id: pane.id,
      open: Boolean(pane.querySelector("details.janela-astable[open]")),
      scrolled: [...pane.querySelectorAll(SCROLLERS)].map((each) => each.scrollTop),
    }));
  }

  const SCROLLERS = ".janela-pane__light--scroll, .janela-astable";

  function restore() {
    for (const { id, open, scrolled } of kept) {
      const pane = document.getElementById(id);
      const table = pane?.querySelector("details.janela-astable");
      if (table && open) table.open = true;
      pane?.querySelectorAll(SCROLLERS).forEach((each, at) => {
        if (scrolled[at] && each.scrollTop !== scrolled[at]) each.scrollTop = scrolled[at];
      });
    }
    kept = [];
    if (window.scrollY !== height) window.scrollTo({ top: height, behavior: "instant" });
    if (focused && (!document.activeElement || document.activeElement === document.body)) {
      const place = document.getElementById(focused.id) ?? document.getElementById("janela-filters");
      place?.focus({ preventScroll: true });
    }
  }

  /* ---- an answer that is not this page ----
   * The session may have ended, the frame may be gone: such an answer is opened as a page of its
   * own, instead of leaving a hole. Without it: every click is a page of its own.
   */

  function unanswered(event) {
    const { ctx, xhr, pathInfo } = event.detail;
    const target = ctx?.target ?? event.detail.target;
    const text = ctx?.text ?? xhr?.responseText ?? "";
    const select = target?.matches?.(".janela-pane--waiting, .janela-arrlight")
      ? target.querySelector("[hx-select]")?.getAttribute("hx-select")
      : target?.id === "janela-live" && "#janela-live";
    if (!select || text.includes(`id="${select.slice(1)}"`)) return false;
    event.preventDefault();
    if (target.id === "janela-live") {
      location.assign(ctx?.request.action ?? pathInfo.requestPath);
    } else {
      failed(target);
    }
    return true;
  }

  function failed(target) {
    const words = target?.querySelector?.("[data-janela-failed]");
    if (words) words.textContent = words.dataset.janelaFailed;
  }

  listen(["htmx:before:swap", "htmx:beforeSwap"], (event) => {
    if (!unanswered(event)) keep();
  });

  listen(["htmx:after:swap", "htmx:afterSwap"], () => {
    if (!live()) return;
    hideTip();
    restore();
    say(live().dataset.janelaSaid);
  });

  /* No answer at all: what is on screen must still be what the address says. */
  listen(["htmx:error", "htmx:sendError", "htmx:timeout"], (event) => {
    const target = event.detail.ctx?.target ?? event.detail.target;
    failed(target);
    if (target?.id !== "janela-live") return;
    if (location.pathname + location.search === live().dataset.janelaAddress) {
      say(region()?.dataset.janelaUnanswered);
    } else {
      location.reload();
    }
  });

  /* ---- Back and forward ask anew, in the same queue as clicks, so the last of them wins ----
   * Without it: htmx asks for the whole page; without that, the browser does.
   */

  listen(["htmx:before:history:restore", "htmx:historyCacheMiss"], (event) => {
    if (!document.getElementById("janela-again")) return;
    event.preventDefault();
    ask(event.detail.path);
  });

  /* ---- refresh by itself, but not while nobody can see it ----
   * Without it: <meta http-equiv="refresh"> in <noscript>.
   */

  let overdue = false;

  function schedule() {
    const seconds = Number(live()?.dataset.janelaRefresh);
    if (seconds) setTimeout(tick, seconds * 1000);
  }

  function tick() {
    overdue = document.hidden;
    if (!overdue) ask(location.pathname + location.search);
    schedule();
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden || !overdue) return;
    overdue = false;
    ask(location.pathname + location.search);
  });

  schedule();

  /* ---- full screen ----
   * Without it: no such button, and the browser's own full screen.
   */

  document.addEventListener("click", (event) => {
    if (!event.target.closest?.("[data-janela-full]")) return;
    if (document.fullscreenElement) document.exitFullscreen();
    else document.querySelector(".janela-page")?.requestFullscreen?.();
  });

  /* ---- tips: what a mark says, beside it and never over the data ----
   * Without it: the mark's own <title>, and its name.
   */

  const MARK = "a.janela-mark, g.janela-mark, .janela-bar, .janela-slice";
  const DATA =
    ".janela-mark__dot, .janela-mark__column, .janela-line line, .janela-slice__fill, " +
    ".janela-bar__fill, .janela-bar__n, .janela-bar__label, .janela-chart__text--value, " +
    ".janela-ring__total, .janela-legend__cell";
  const GAP = 8;
  let tip = null;
  let tipped = null;
  let muted = [];

  function wordsOf(mark) {
    return mark.getAttribute("aria-label") || mark.querySelector("title")?.textContent || "";
  }

  /* The browser's own tip would lie over ours: titles are put aside while ours is shown. */
  function mute(mark) {
    const own = mark.querySelector(":scope > title");
    if (own) {
      const named = !mark.hasAttribute("aria-label");
      if (named) mark.setAttribute("aria-label", own.textContent);
      muted.push(() => {
        if (named) mark.removeAttribute("aria-label");
        if (!mark.querySelector(":scope > title")) mark.prepend(own);
      });
      own.remove();
    }
    for (const part of mark.querySelectorAll("[title]")) {
      const title = part.getAttribute("title");
      part.removeAttribute("title");
      muted.push(() => part.hasAttribute("title") || part.setAttribute("title", title));
    }
  }

  function hideTip() {
    if (!tipped) return false;
    muted.forEach((undo) => undo());
    muted = [];
    tipped = null;
    tip.hidden = true;
    return true;
  }

  function showTip(mark) {
    if (mark === tipped) return;
    hideTip();
    const words = wordsOf(mark);
    const figure = mark.closest(".janela-pane__light");
    if (!words || !figure) return;
    if (!tip?.isConnected) {
      tip = document.createElement("div");
      tip.className = "janela janela-tip";
      tip.setAttribute("aria-hidden", "true");
      tip.append(document.createElement("b"), document.createElement("span"));
      (document.fullscreenElement ?? document.body).append(tip);
    }
    const [, head, rest] = words.match(/^(.*?): (.*)$/s) ?? [null, words, ""];
    tip.firstChild.textContent = head;
    tip.lastChild.textContent = rest.split(", ").join(" · ");
    tipped = mark;
    mute(mark);
    tip.hidden = false;
    place(mark, figure);
  }

  /* The first place near the mark where the tip hides no data and lies within the window. */
  function place(mark, figure) {
    const part = mark.querySelector(".janela-mark__dot, .janela-mark__column, .janela-bar__fill");
    const at = (part ?? mark).getBoundingClientRect();
    const all = mark.getBoundingClientRect();
    const room = figure.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const wide = root.clientWidth;
    const middle = at.left + at.width / 2 - width / 2;
    const data = [...figure.querySelectorAll(DATA)].map((each) => each.getBoundingClientRect());
    const places = [
      [at.right + GAP, at.top + at.height / 2 - height / 2],
      [at.left - GAP - width, at.top + at.height / 2 - height / 2],
      [middle, at.top - GAP - height],
      [middle, at.bottom + GAP],
      [at.right + GAP, all.bottom - height - 28],
      [at.left - GAP - width, all.bottom - height - 28],
      [at.right + GAP, all.top],
      [at.left - GAP - width, all.top],
      [middle, room.top - height - 2],
      [middle, room.bottom + 2],
    ];
    const clear = ([left, top]) =>
      left >= 4 &&
      left + width <= wide - 4 &&
      top >= 4 &&
      top + height <= root.clientHeight - 4 &&
      data.every(
        (box) =>
          box.right <= left || box.left >= left + width || box.bottom <= top || box.top >= top + height,
      );
    const [left, top] = places.find(clear) ?? places[8];
    tip.style.left = `${Math.min(Math.max(left, 4), Math.max(wide - width - 4, 4))}px`;
    tip.style.top = `${Math.max(top, 4)}px`;
  }

  const markOf = (event) => event.target.closest?.(MARK);

  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const mark = markOf(event);
    if (mark) showTip(mark);
    else if (tipped && !tipped.matches(":focus-visible")) hideTip();
  });
  document.addEventListener("focusin", (event) => {
    const mark = markOf(event);
    if (mark?.matches(":focus-visible")) showTip(mark);
    else hideTip();
  });
  document.addEventListener("focusout", hideTip);
  window.addEventListener("scroll", hideTip, { capture: true, passive: true });
})();
