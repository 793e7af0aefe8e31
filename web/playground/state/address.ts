// The page's address follows its state: what changes the runs is a step of the back button, how they are looked at is not.
import { effect } from "@preact/signals";
import { about } from "./about.ts";
import { notices, state, trainingKey, type State } from "./state.ts";
import { fromFragment, toFragment } from "./url.ts";

const made = (): { page?: string; engine?: string } => {
  const now = about.value;
  return now ? { page: now.version, engine: String(now.engine_revision) } : {};
};

/** A link that says by which page and engine it was made. */
export const linkOf = (now: State): string => `${location.href.replace(/#.*$/, "")}#${toFragment(now, made())}`;

function open(): void {
  const opened = fromFragment(location.hash);
  notices.value = opened.notices;
  state.value = opened.state;
}

export function startAddress(): void {
  open();
  let last = trainingKey(state.value) + state.value.tab;
  let written = location.hash;
  let timer = 0;
  addEventListener("popstate", () => {
    if (location.hash === written) return;
    written = location.hash;
    open();
    last = trainingKey(state.value) + state.value.tab;
  });
  effect(() => {
    const now = state.value;
    const fragment = `#${toFragment(now)}`;
    const key = trainingKey(now) + now.tab;
    clearTimeout(timer);
    if (fragment === written) return;
    if (key !== last) {
      last = key;
      history.pushState(null, "", fragment);
      written = fragment;
      return;
    }
    // Browsers refuse addresses that change many times a second, as they would while somebody scrubs.
    timer = window.setTimeout(() => {
      history.replaceState(null, "", fragment);
      written = fragment;
    }, 400);
  });
}
