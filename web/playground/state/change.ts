// Settings under the visitor's hand. What a choice brings with it and whether a text makes sense, the lab says; what is wrong changes
// nothing, and is told where it was typed.
import { EngineError, type Key, type Value } from "../engine/engine.ts";
import { engine, readStudy, runningText, textOf } from "./lab.ts";
import { state, type Settings } from "./state.ts";
import { settingText } from "./toml.ts";

const put = (more: Settings): void => {
  state.value = { ...state.value, set: { ...state.value.set, ...more }, at: null };
};

/** A task, a form of network or an optimizer may need others to change too. */
async function choose(key: string, value: string): Promise<void> {
  const answer = await engine.value?.ask<{ set: Record<string, Value> }>({ ask: "change", text: runningText.value, key, value });
  put(Object.fromEntries(Object.entries(answer?.set ?? {}).map(([one, chosen]) => [one, settingText(chosen)])));
}

async function write(key: string, value: string): Promise<void> {
  const lab = engine.value;
  if (lab) await readStudy(lab, textOf({ ...state.value, set: { ...state.value.set, [key]: value } }));
  put({ [key]: value });
}

/** Sets a key of all runs; returns what is wrong with the value, in words, or "". */
export async function change({ key, type, choices }: Key, value: string): Promise<string> {
  try {
    if (choices.length) await choose(key, value);
    else if (type === "str" || type === "list" || type === "dict") await write(key, value);
    else put({ [key]: value });
    return "";
  } catch (error) {
    return error instanceof EngineError ? `${error.message} ${error.remedy}`.trim() : String(error);
  }
}
