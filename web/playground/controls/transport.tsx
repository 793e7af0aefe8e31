// Time under the visitor's hand: go, pause, one step, back, again.
import { figures } from "../draw/axes.ts";
import { follow } from "../state/attention.ts";
import { recordings, training } from "../state/lab.ts";
import { state } from "../state/state.ts";
import {
  head,
  horizon,
  isLive,
  lookAt,
  moment,
  pace,
  PACES,
  replay,
  replaying,
  setPace,
  stepBy,
  toggle,
  type Pace,
} from "../state/time.ts";

/** Apart from the rest, which follows every frame: it may have hundreds of entries. */
function Follow() {
  const seeds = [...new Set(recordings.value.runs.map((run) => run.key.seed))];
  return (
    <label>
      follow
      <select
        value={state.value.follow === null ? "" : String(state.value.follow)}
        onChange={(event) => follow(event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}
      >
        <option value="">no seed</option>
        {seeds.map((seed) => (
          <option value={String(seed)}>seed {seed}</option>
        ))}
      </select>
    </label>
  );
}

export function Transport() {
  const going = training.value === "going" || replaying.value;
  return (
    <div class="transport" role="group" aria-label="Time">
      <button
        type="button"
        class="primary play"
        aria-label={going ? "Pause" : training.value === "ended" ? "Replay" : "Train"}
        title="Space"
        onClick={toggle}
      >
        {going ? "❚❚" : "▶"}
      </button>
      <button type="button" aria-label="One measurement back" onClick={() => stepBy(-1)}>
        ‹
      </button>
      <button type="button" aria-label="One measurement forward" onClick={() => stepBy(1)}>
        ›
      </button>
      <input
        class="scrub"
        type="range"
        aria-label="Step that is looked at"
        aria-valuetext={`step ${figures(moment.value)} of ${figures(horizon.value)}`}
        min={0}
        max={horizon.value}
        step={1}
        value={moment.value}
        style={{ "--done": `${(100 * head.value) / horizon.value}%` }}
        onInput={(event) => {
          replaying.value = false;
          const step = event.currentTarget.valueAsNumber;
          lookAt(step >= head.value ? null : step);
        }}
      />
      <output class="step">
        step <b>{figures(moment.value)}</b> <span>of {figures(horizon.value)}</span>
      </output>
      <button type="button" disabled={isLive.value} onClick={() => lookAt(null)}>
        newest
      </button>
      <button type="button" onClick={() => (lookAt(0), replay())} disabled={head.value === 0}>
        replay
      </button>
      <label>
        pace
        <select value={pace.value} onChange={(event) => setPace(event.currentTarget.value as Pace)}>
          {PACES.map(({ name, seconds }) => (
            <option value={name}>{seconds ? `${seconds} seconds` : "full speed"}</option>
          ))}
        </select>
      </label>
      <Follow />
    </div>
  );
}
