// One control for one value, by what the schema says of it.
import type { Key } from "../engine/engine.ts";

/** Tasks whose data are a file or a function of Python: a page has neither. */
const ELSEWHERE = new Set(["table", "function"]);

const ROUND = [1, 1.5, 2, 3, 5, 7];

/** The next round number up or down: 3, 5, 7, 10, 15, …; whole numbers below ten one by one. */
export function nextRound(value: number, direction: 1 | -1, whole: boolean): number {
  if (whole && Math.abs(value) < 10 && value + direction >= 0) return value + direction;
  if (value <= 0) return direction > 0 ? (whole ? 1 : 0.1) : 0;
  const power = Math.floor(Math.log10(value) + 1e-9);
  const steps = [power - 1, power, power + 1].flatMap((exponent) =>
    ROUND.map((digit) => Number((digit * Math.pow(10, exponent)).toPrecision(3))),
  );
  const usable = whole ? steps.filter(Number.isInteger) : steps;
  const found = direction > 0 ? usable.find((step) => step > value * 1.0001) : usable.filter((step) => step < value * 0.9999).at(-1);
  return found ?? value;
}

/** Lists and tables are written as TOML, in a field of their own. */
export const isLong = ({ type }: Key): boolean => type === "list" || type === "dict";

export const clamp = ({ low, high }: Key, value: number): number => Math.min(high ?? Infinity, Math.max(low ?? -Infinity, value));

interface ControlProps {
  about: Key;
  id: string;
  value: string;
  onChange: (value: string) => void;
  label?: string;
}

export function ValueControl({ about, id, value, onChange, label }: ControlProps) {
  const named = label ? { "aria-label": label } : {};
  if (about.choices.length)
    return (
      <select id={id} {...named} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {about.choices
          .filter((choice) => about.key !== "data.task" || !ELSEWHERE.has(choice))
          .map((choice) => (
            <option value={choice}>{choice}</option>
          ))}
      </select>
    );
  if (about.type === "bool")
    return (
      <input
        id={id}
        {...named}
        type="checkbox"
        checked={value === "true"}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
    );
  if (about.type === "int" || about.type === "float") {
    const step = (direction: 1 | -1): void => onChange(String(clamp(about, nextRound(Number(value), direction, about.type === "int"))));
    return (
      <span class="number">
        <button type="button" tabIndex={-1} aria-hidden="true" onClick={() => step(-1)}>
          −
        </button>
        <input
          id={id}
          {...named}
          inputMode="decimal"
          type="text"
          role="spinbutton"
          aria-valuenow={Number(value)}
          aria-valuetext={value}
          value={value}
          onChange={(event) => {
            const number = Number(event.currentTarget.value);
            if (event.currentTarget.value.trim() === "" || Number.isNaN(number)) event.currentTarget.value = value;
            else onChange(String(number));
          }}
          onKeyDown={(event) => {
            if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
            event.preventDefault();
            step(event.key === "ArrowUp" ? 1 : -1);
          }}
        />
        <button type="button" tabIndex={-1} aria-hidden="true" onClick={() => step(1)}>
          +
        </button>
      </span>
    );
  }
  if (isLong(about))
    return (
      <textarea
        id={id}
        {...named}
        rows={Math.min(6, Math.max(1, Math.ceil(value.length / 32)))}
        spellcheck={false}
        placeholder={about.type === "dict" ? "{ name = value }" : "[ … ]"}
        value={/^(\[\]|\{\})$/.test(value) ? "" : value}
        onChange={(event) => onChange(event.currentTarget.value.trim() || (about.type === "dict" ? "{}" : "[]"))}
      />
    );
  return <input id={id} {...named} type="text" value={value} onChange={(event) => onChange(event.currentTarget.value)} />;
}

