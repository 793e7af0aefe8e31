// The state of the page in other words: a link, a study file, Python, a command.
import { useRef, useState } from "preact/hooks";
import { runningText } from "../state/lab.ts";
import { state } from "../state/state.ts";
import { linkOf } from "../state/address.ts";

const python = (text: string): string =>
  `import attoscope\n\nstudy = attoscope.Study.from_toml(r'''\n${text.trim().replaceAll("'''", '"""')}\n''')\nresult = study.run()\nprint(result.verdicts)\n`;

const command = (text: string): string => `cat > study.toml <<'END_OF_STUDY'\n${text.trim()}\nEND_OF_STUDY\natto run study.toml\n`;

const FORMS = [
  { name: "Link", say: "opens this page as it is now", make: () => linkOf(state.value) },
  { name: "TOML", say: "the study that is running", make: () => runningText.value },
  { name: "Python", say: "the same in a notebook", make: () => python(runningText.value) },
  { name: "Command", say: "the same on the command line", make: () => command(runningText.value) },
];

export function Share() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [form, setForm] = useState(0);
  const [copied, setCopied] = useState("");
  const area = useRef<HTMLTextAreaElement>(null);
  const text = FORMS[form]?.make() ?? "";
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied("copied");
    } catch {
      // Pages opened from disk may not use the clipboard; the text is selected instead.
      area.current?.select();
      setCopied("selected: copy it with Ctrl+C");
    }
  };
  return (
    <>
      <button type="button" onClick={() => (setCopied(""), dialog.current?.showModal())}>
        Share
      </button>
      <dialog ref={dialog} aria-label="Share" class="share" onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
        <div class="dialog-body">
          <div class="tabs" role="group" aria-label="As what">
            {FORMS.map(({ name }, index) => (
              <button type="button" aria-pressed={form === index} onClick={() => (setForm(index), setCopied(""))}>
                {name}
              </button>
            ))}
          </div>
          <p class="hint">{FORMS[form]?.say}</p>
          <textarea ref={area} readOnly rows={12} aria-label={`${FORMS[form]?.name}, to copy`} value={text} />
          <p class="row">
            <button type="button" class="primary" onClick={() => void copy()}>
              Copy
            </button>
            <span role="status">{copied}</span>
            <button type="button" class="end" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </p>
        </div>
      </dialog>
    </>
  );
}
