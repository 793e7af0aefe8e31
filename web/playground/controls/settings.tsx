// The settings of a run, as controls made from the schema. Only what applies to the present run is there.
import { useId, useState } from "preact/hooks";
import type { Key, Value } from "../engine/engine.ts";
import { cells, configOf, schema, study } from "../state/lab.ts";
import { state, type Settings } from "../state/state.ts";
import { clamp, nextRound, ValueControl } from "./value.tsx";

/** What people change most, shown first; everything else that applies is one click away. */
const OFTEN = new Set(
  (
    "data.task data.vocab data.context data.offset data.targets data.exponent data.bos data.dimension data.pairs data.repeat data.cross data.rank " +
    "network.width network.positions network.unembedding network.init_scale network.layers network.heads network.normalizer network.kernel network.mlp network.residual " +
    "training.optimizer training.rate training.batch training.steps"
  ).split(" "),
);
const GROUPS = [
  ["data", "Data"],
  ["network", "Network"],
  ["training", "Training"],
] as const;

const plain = (value: Value | undefined): string => (typeof value === "object" ? JSON.stringify(value) : String(value ?? ""));

/** "V, kinds of token": the letter by which the field knows it. */
const symbol = (help: string): string => /^([A-Zλγ])(?: or [A-Z])?, /.exec(help)?.[1] ?? "";

export const nameOf = (key: string): string => key.slice(key.indexOf(".") + 1).replaceAll("_", " ");

/** Data belong to their task: a new one begins with the scene's. */
const withoutData = (settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => !key.startsWith("data.")));

/** What a task needs besides, where it cannot do with what is there. */
const COMPANIONS: Record<string, Settings> = {
  recall: { "data.context": "0", "data.vocab": "16", "data.pairs": "4" },
  regression: { "data.context": "16", "data.dimension": "4" },
  unigram: { "data.targets": "every" },
  bigram: { "data.targets": "every" },
  markov: { "data.targets": "every" },
  formula: { "data.formula": "mod(x0 + x1, V)", "data.context": "2" },
};
function Setting({ about }: { about: Key }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const value = state.value.set[about.key] ?? plain(configOf(0)[about.key]);
  const changed = about.key in state.value.set;
  const change = (next: string): void => {
    const companions = about.key === "data.task" ? (COMPANIONS[next] ?? {}) : {};
    const kept = about.key === "data.task" ? withoutData(state.value.set) : state.value.set;
    state.value = { ...state.value, set: { ...kept, ...companions, [about.key]: next }, at: null };
  };
  const letter = symbol(about.help);
  return (
    <div class={`setting${changed ? " changed" : ""}`}>
      <label for={id} title={about.help}>
        {nameOf(about.key)} {letter && <i>{letter}</i>}
      </label>
      <ValueControl about={about} id={id} value={value} onChange={change} />
      <button type="button" class="help" aria-expanded={open} aria-label={`What is ${nameOf(about.key)}?`} onClick={() => setOpen(!open)}>
        ?
      </button>
      {open && (
        <p class="help-text">
          {about.help}. Allowed: {about.allowed}. <code>{about.key}</code>
        </p>
      )}
    </div>
  );
}

export function applying(): Key[] {
  const applies = new Set(cells.value[0]?.applies ?? []);
  return (schema.value?.keys ?? []).filter(({ key, type }) => applies.has(key) && type !== "dict" && key !== "training.intervention");
}

export function SettingGroups() {
  const keys = applying();
  const used = new Set(Object.keys(state.value.set));
  return (
    <>
      {GROUPS.map(([table, name]) => {
        const mine = keys.filter(({ key }) => key.startsWith(`${table}.`));
        const first = mine.filter(({ key }) => OFTEN.has(key) || used.has(key));
        const rest = mine.filter((one) => !first.includes(one));
        return (
          <fieldset class="group" key={table}>
            <legend>{name}</legend>
            {first.map((about) => (
              <Setting key={about.key} about={about} />
            ))}
            {rest.length > 0 && (
              <details>
                <summary>{rest.length} more</summary>
                {rest.map((about) => (
                  <Setting key={about.key} about={about} />
                ))}
              </details>
            )}
          </fieldset>
        );
      })}
      {Object.keys(state.value.set).length > 0 && (
        <button type="button" class="quiet" onClick={() => (state.value = { ...state.value, set: {}, at: null })}>
          back to the scene's settings
        </button>
      )}
    </>
  );
}

/** A second setting, trained on the same seeds. */
export function Compare() {
  const keys = applying();
  const vs = state.value.vs;
  const id = useId();
  const put = (next: Settings | null): void => {
    state.value = { ...state.value, vs: next && Object.keys(next).length ? next : null, at: null };
  };
  const other = (key: string): string => {
    const about = keys.find((one) => one.key === key);
    const now = state.value.set[key] ?? plain(configOf(0)[key]);
    if (!about) return now;
    if (about.choices.length) return about.choices.find((choice) => choice !== now) ?? now;
    if (about.type === "bool") return now === "true" ? "false" : "true";
    return String(clamp(about, nextRound(Number(now), 1, about.type === "int")));
  };
  const add = (key: string): void => put({ ...(vs ?? {}), [key]: other(key) });
  const free = keys.filter(({ key }) => !(key in (vs ?? {})));
  return (
    <fieldset class="group">
      <legend>Compare, on the same seeds</legend>
      {Object.entries(vs ?? {}).map(([key, value]) => {
        const about = schema.value?.keys.find((one) => one.key === key);
        if (!about) return null;
        return (
          <div class="setting compared" key={key}>
            <label for={`${id}-${key}`} title={about.help}>
              {nameOf(key)}
            </label>
            <ValueControl about={about} id={`${id}-${key}`} value={value} onChange={(next) => put({ ...vs, [key]: next })} />
            <button
              type="button"
              class="help"
              aria-label={`Stop comparing ${nameOf(key)}`}
              onClick={() => put(Object.fromEntries(Object.entries(vs ?? {}).filter(([one]) => one !== key)))}
            >
              ×
            </button>
          </div>
        );
      })}
      <select aria-label="Compare with another" value="" onChange={(event) => event.currentTarget.value && add(event.currentTarget.value)}>
        <option value="">{vs ? "and another …" : "with another …"}</option>
        {free.map(({ key }) => (
          <option value={key}>{key}</option>
        ))}
      </select>
    </fieldset>
  );
}

export function Seeds() {
  const id = useId();
  const count = state.value.seeds ?? study.value?.seeds ?? 1;
  return (
    <fieldset class="group">
      <legend>Seeds</legend>
      <div class="setting">
        <label for={id} title="How many networks are trained, each from its own starting weights and on its own data">
          networks
        </label>
        <ValueControl
          id={id}
          about={{ key: "seeds", type: "int", allowed: "1 to 256", choices: [], default: 32, help: "", low: 1, high: 256 }}
          value={String(count)}
          onChange={(value) => (state.value = { ...state.value, seeds: Math.min(256, Math.max(1, Math.round(Number(value)))), at: null })}
        />
      </div>
    </fieldset>
  );
}
