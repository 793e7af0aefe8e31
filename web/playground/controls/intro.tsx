// Half a minute for somebody who knows nothing of this.
import { signal } from "@preact/signals";

const KEY = "atto-intro";
const read = (): boolean => {
  try {
    return localStorage.getItem(KEY) === "seen";
  } catch {
    return false;
  }
};
export const introSeen = signal(read());

export function dismissIntro(): void {
  introSeen.value = true;
  try {
    localStorage.setItem(KEY, "seen");
  } catch {
    // Then it comes back with the next visit.
  }
}

const POINTS = [
  [
    "A tiny network learns, right here.",
    "It reads a few tokens and must answer with one of them. Its only tool is attention: a choice of where to look.",
  ],
  [
    "Not one network, but dozens.",
    "Each line is the same network from other random weights, a seed. Perplexity says among how many answers it still wavers: 1 is perfect.",
  ],
  [
    "Change something, then ask.",
    "Every setting trains anew. Click a line to follow that seed. Below, statistics say whether what you think you see is so.",
  ],
] as const;

export function Intro() {
  if (introSeen.value) return null;
  return (
    <aside class="intro" aria-label="What is this?">
      <ol>
        {POINTS.map(([point, words]) => (
          <li>
            <details open={innerWidth > 860}>
              <summary>{point}</summary>
              {words}
            </details>
          </li>
        ))}
      </ol>
      <button type="button" class="primary" onClick={dismissIntro}>
        Got it
      </button>
    </aside>
  );
}
