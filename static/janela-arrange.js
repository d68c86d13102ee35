/*
 * flask-janela: dragging panes, and a preview that follows the form. It only makes both quicker:
 * without it the arrows under each pane move it, and the form's Preview button shows it.
 */
(() => {
  "use strict";

  const toasts = document.getElementById("janela-toasts");

  /* Says one sentence where a screen reader hears it; with a link where there is a way on. */
  function say(sentence, href, way) {
    if (!toasts) return;
    const toast = document.createElement("div");
    toast.className = "janela-toast";
    const words = document.createElement("span");
    words.textContent = sentence;
    toast.append(words);
    if (href) {
      const link = document.createElement("a");
      link.className = "janela-toast__act";
      link.href = href;
      link.textContent = way;
      toast.append(link);
    }
    toasts.replaceChildren(toast);
  }

  function byPosition(grid) {
    return [...grid.querySelectorAll(":scope > [data-janela-pane]:not(.sortable-fallback)")];
  }

  /* The page as it is after a change: its version, each pane's place, and which steps are left. */
  function settle(grid, state) {
    for (const input of grid.querySelectorAll('input[name="version"]')) input.value = state.version;
    document.querySelector("[data-janela-version]").textContent = state.version;
    document.querySelector("[data-janela-changed]").textContent = state.changed;
    const panes = byPosition(grid);
    panes.forEach((pane, index) => {
      const place = pane.querySelector('[data-janela-number="to"]');
      if (place.matches("input")) place.value = index + 1;
      else place.textContent = index + 1;
      pane.querySelector('button[value="earlier"]').disabled = index === 0;
      pane.querySelector('button[value="later"]').disabled = index === panes.length - 1;
    });
  }

  function putBack(grid, order) {
    for (const pane of order) grid.append(pane);
  }

  async function send(grid, pane, place, before) {
    const form = pane.querySelector("form");
    const body = new URLSearchParams(new FormData(form));
    body.set("to", place);
    grid.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(form.getAttribute("action"), {
        method: "POST",
        body,
        headers: { Accept: "application/json" },
      });
      const state = answer.headers.get("Content-Type")?.startsWith("application/json")
        ? await answer.json()
        : {};
      if (answer.ok && state.order) {
        settle(grid, state);
        say(state.said);
        return;
      }
      putBack(grid, before);
      say(
        state.message || grid.dataset.janelaUnsaved,
        window.location.pathname,
        grid.dataset.janelaReload,
      );
    } catch {
      putBack(grid, before);
      say(grid.dataset.janelaUnreached);
    } finally {
      grid.removeAttribute("aria-busy");
    }
  }

  const grid = document.querySelector("[data-janela-arrange]");
  if (grid && window.Sortable) {
    let before = [];
    window.Sortable.create(grid, {
      handle: ".janela-handle",
      draggable: ".janela-pane",
      chosenClass: "janela-pane--held",
      ghostClass: "janela-pane--ghost",
      animation: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 120,
      forceFallback: true,
      fallbackTolerance: 3,
      onStart: () => {
        before = byPosition(grid);
      },
      onEnd: (event) => {
        const place = byPosition(grid).indexOf(event.item);
        if (place !== before.indexOf(event.item)) send(grid, event.item, place + 1, before);
      },
    });
  }

  /* A pane's corner is pulled from column to column and row to row. Letting go sends the new size as
     the buttons under the pane do, one at a time; Escape leaves it as it was. */
  const number = (name, pane) =>
    Number([...pane.classList].find((each) => each.startsWith(name)).slice(name.length));

  function size(pane, span, height) {
    pane.classList.remove(...[...pane.classList].filter((each) => /^janela-(span|height)-/.test(each)));
    pane.classList.add(`janela-span-${span}`, `janela-height-${height}`);
    pane.querySelector('[data-janela-number="span"]').textContent = span;
    pane.querySelector('[data-janela-number="height"]').textContent = height;
  }

  function pull(grid, pane, down) {
    const before = { span: number("janela-span-", pane), height: number("janela-height-", pane) };
    const now = { ...before };
    const looks = getComputedStyle(grid);
    const columns = looks.gridTemplateColumns.split(" ").length;
    const column = (grid.clientWidth + parseFloat(looks.columnGap)) / columns;
    const start = pane.getBoundingClientRect();
    const row = (start.height + parseFloat(looks.rowGap)) / before.height;
    const within = (value, most) => Math.min(Math.max(Math.round(value), 1), most);
    const grip = down.target.closest(".janela-grip");
    grip.setPointerCapture(down.pointerId);
    pane.classList.add("janela-pane--held", "janela-pane--sizing");

    const move = (event) => {
      now.span = within((event.clientX - start.left) / column, columns);
      now.height = within((event.clientY - start.top) / row, 5);
      size(pane, now.span, now.height);
    };
    const pulling = new AbortController();
    const { signal } = pulling;
    const stop = (keep) => {
      pulling.abort();
      pane.classList.remove("janela-pane--held", "janela-pane--sizing");
      if (!keep) size(pane, before.span, before.height);
      if (!keep || (now.span === before.span && now.height === before.height)) return;
      const form = pane.querySelector("form");
      for (const [name, value] of Object.entries(now)) {
        if (value === before[name]) continue;
        const input = document.createElement("input");
        input.type = "hidden";
        input.name = name;
        input.value = value;
        form.append(input);
      }
      form.action = pane.querySelector('button[name="span"]').formAction;
      form.submit();
    };
    const escape = (event) => {
      if (event.key === "Escape") stop(false);
    };
    grip.addEventListener("pointermove", move, { signal });
    grip.addEventListener("pointerup", () => stop(true), { signal });
    grip.addEventListener("pointercancel", () => stop(false), { signal });
    document.addEventListener("keydown", escape, { signal });
  }

  grid?.addEventListener("pointerdown", (event) => {
    const pane = event.target.closest?.(".janela-grip")?.closest("[data-janela-pane]");
    if (!pane || event.button !== 0) return;
    event.preventDefault();
    pull(grid, pane, event);
  });

  /* The form of a pane: what it offers and what it would show follow what is chosen. */
  const form = document.querySelector("[data-janela-refresh]");
  if (form) {
    const choices = new Set(["model", "measure", "dimension", "granularity"]);
    let latest = 0;
    let timer = 0;
    let stale = false;

    const twin = (element) =>
      element.id ? `#${element.id}` : `[name="${element.name}"][value="${CSS.escape(element.value)}"]`;

    /* New fields in place of the old, around the one in use: a list that is being typed through and
       a caret stay as they are. */
    const adopt = (old, fresh) => {
      const used = document.activeElement;
      const its = old !== used && old.contains(used) && [...old.children].find((each) => each.contains(used));
      const same = its && (used.matches("summary") ? "summary" : twin(used));
      const place = same && [...fresh.children].find((each) => each.matches(same) || each.querySelector(same));
      if (old === used) {
        if (old.matches("select") && old.textContent !== fresh.textContent) {
          // Each option that leaves a list makes the next one the chosen one, so look before.
          const offered = [...fresh.options].map((each) => each.value);
          const chosen = offered.includes(old.value) ? old.value : fresh.value;
          old.replaceChildren(...fresh.children);
          old.value = chosen;
        }
      } else if (!place) {
        old.replaceWith(fresh);
      } else {
        const all = [...fresh.children];
        const at = all.indexOf(place);
        for (const each of [...old.children]) if (each !== its) each.remove();
        its.before(...all.slice(0, at));
        its.after(...all.slice(at + 1));
        adopt(its, place);
      }
    };

    /* Said where the next preview takes its place. */
    const unanswered = () => {
      const words = document.createElement("p");
      words.className = "janela-error";
      words.setAttribute("role", "alert");
      words.textContent = document.getElementById("janela-status").dataset.janelaUnanswered;
      const preview = document.getElementById("janela-preview");
      preview.querySelector(".janela-error")?.remove();
      preview.querySelector("h2").after(words);
    };

    const refresh = async (mine) => {
      const fields = stale;
      const asked = new URLSearchParams();
      for (const [name, value] of new FormData(form)) {
        if (form.elements[name]?.type !== "hidden") asked.append(name, value);
      }
      asked.set("kind", form.elements.kind.value);
      if (fields) asked.set("fields", "1");
      let parsed;
      let preview;
      try {
        const answer = await fetch(`${form.dataset.janelaRefresh}?${asked}`);
        parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
        preview = parsed.getElementById("janela-preview");
        // Another page may have come, such as one to sign in on.
        if (!answer.ok || !preview) throw new Error(answer.statusText);
      } catch {
        if (mine === latest) unanswered();
        return;
      }
      if (mine !== latest) return;
      document.getElementById("janela-preview").replaceWith(preview);
      if (!fields) return;
      stale = false;
      const old = document.getElementById("janela-fields");
      const fresh = parsed.getElementById("janela-fields");
      const more = fresh.querySelector("details");
      if (more) more.open ||= Boolean(old.querySelector("details")?.open);
      adopt(old, fresh);
    };

    /* An answer to what was chosen before this is not of this form any more, from now on. */
    const later = (changed, wait) => {
      const mine = ++latest;
      stale ||= changed.some((each) => choices.has(each.name));
      clearTimeout(timer);
      timer = setTimeout(() => refresh(mine), wait);
    };
    form.addEventListener("change", (event) => later([event.target], 0));
    form.addEventListener("input", (event) => {
      if (event.target.matches("textarea, input[type=text]")) later([event.target], 400);
    });

    /* What was chosen before this listened, or was brought back with the page, told nobody. */
    const differs = (each) => {
      if (each.matches("select")) {
        const came = [...each.options].findIndex((option) => option.defaultSelected);
        return each.selectedIndex !== Math.max(came, 0);
      }
      if (each.matches("[type=radio], [type=checkbox]")) return each.checked !== each.defaultChecked;
      return each.matches("textarea, [type=text]") && each.value !== each.defaultValue;
    };
    window.addEventListener("pageshow", () => {
      const changed = [...form.elements].filter(differs);
      if (changed.length) later(changed, 0);
    });
  }
})();
