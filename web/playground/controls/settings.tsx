// The settings of a run, as controls made from the schema. Only what applies to the present run is there.
import { useId, useState } from "preact/hooks";
import type { Key } from "../engine/engine.ts";
import { change } from "../state/change.ts";
import { cells, configOf, schema, study } from "../state/lab.ts";
import { state, type Settings } from "../state/state.ts";
import { settingText } from "../state/toml.ts";
import { clamp, isLong, nextRound, ValueControl } from "./value.tsx";

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

/** "V, kinds of token": the letter by which the field knows it. */
const symbol = (help: string): string => /^([A-Zλγ])(?: or [A-Z])?, /.exec(help)?.[1] ?? "";

export const nameOf = (key: string): string => key.slice(key.indexOf(".") + 1).replaceAll("_", " ");

function Setting({ about }: { about: Key }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  // What was typed and is wrong stays where it was typed.
  const [refused, setRefused] = useState<{ text: string; why: string } | null>(null);
  const value = refused?.text ?? state.value.set[about.key] ?? settingText(configOf(0)[about.key]);
  const changed = about.key in state.value.set;
  const set = async (text: string): Promise<void> => {
    const why = await change(about, text);
    setRefused(why ? { text, why } : null);
  };
  const letter = symbol(about.help);
  return (
    <div class={`setting${changed ? " changed" : ""}${isLong(about) ? " long" : ""}`}>
      <label for={id} title={about.help} data-key={about.key}>
        {nameOf(about.key)} {letter && <i>{letter}</i>}
      </label>
      <ValueControl about={about} id={id} value={value} onChange={(text) => void set(text)} />
      <button type="button" class="help" aria-expanded={open} aria-label={`What is ${nameOf(about.key)}?`} onClick={() => setOpen(!open)}>
        ?
      </button>
      {refused && (
        <p class="help-text wrong" role="alert">
          {refused.why}
        </p>
      )}
      {open && (
        <p class="help-text">
          {about.help}. Allowed: {about.allowed}. <code>{about.key}</code>
        </p>
      )}
    </div>
  );
}

/** A page reads no files. */
const FILES = new Set(["data.file", "network.start_file"]);

export function applying(): Key[] {
  const applies = new Set(cells.value[0]?.applies ?? []);
  return (schema.value?.keys ?? []).filter(({ key }) => applies.has(key) && !FILES.has(key));
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
    const now = state.value.set[key] ?? settingText(configOf(0)[key]);
    if (!about) return now;
    if (about.choices.length) return about.choices.find((choice) => choice !== now) ?? now;
    if (about.type === "bool") return now === "true" ? "false" : "true";
    if (about.type !== "int" && about.type !== "float") return now;
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
