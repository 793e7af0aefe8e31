// What only a server has: its studies, and training them into its store.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ServerEngine } from "../engine/server_engine.ts";
import { engine, fail } from "../state/lab.ts";
import { initialState, state } from "../state/state.ts";

interface Outline {
  study: string;
  title: string;
  summary: string;
}

interface Training {
  study: string;
  state: string;
  progress: { total: number; cached: number; done: number; fraction: number };
}

const studies = signal<Outline[]>([]);
const chosen = signal("");
const training = signal<Training | null>(null);
const answers = signal<string[]>([]);
const WATCHED_SEEDS = 4; // of each cell of a stored study, which may have many cells

async function readResults(server: ServerEngine, name: string): Promise<void> {
  const found = await server.post<{ runs: number; planned: number; answers: string[] }>("results", { study: name });
  answers.value = found.runs ? found.answers : [`None of its ${found.planned} runs is in the store yet.`];
}

async function watchStudy(server: ServerEngine, name: string): Promise<void> {
  const { text } = await server.get<{ text: string }>(`studies/${encodeURIComponent(name)}`);
  state.value = { ...initialState(), study: text, seeds: WATCHED_SEEDS };
}

/** Follows the training in the store until it ends. */
function followTraining(server: ServerEngine): () => void {
  const events = new EventSource(`${server.base}/api/train/events`);
  events.onmessage = ({ data }: MessageEvent<string>) => {
    training.value = JSON.parse(data) as Training | null;
    if (training.value && /running|stopping/.test(training.value.state)) return;
    events.close();
    if (training.value) readResults(server, training.value.study).catch(fail);
  };
  return () => events.close();
}

const percent = ({ progress }: Training): string => `${Math.round(100 * progress.fraction)} % of ${progress.total} runs`;

export function Library() {
  const server = engine.value;
  useEffect(() => {
    if (!(server instanceof ServerEngine)) return;
    server.get<{ studies: Outline[] }>("studies").then((found) => (studies.value = found.studies), fail);
    return followTraining(server);
  }, [server]);
  if (!(server instanceof ServerEngine)) return null;
  const outline = studies.value.find(({ study }) => study === chosen.value);
  const going = training.value !== null && /running|stopping/.test(training.value.state);
  const act = (work: Promise<unknown>): void => void work.catch(fail);
  return (
    <fieldset class="group library">
      <legend>Studies of the server</legend>
      <select
        aria-label="Study"
        value={chosen.value}
        onChange={(event) => {
          chosen.value = event.currentTarget.value;
          act(readResults(server, chosen.value));
        }}
      >
        <option value="">choose one …</option>
        {studies.value.map(({ study, title }) => (
          <option value={study}>{title || study}</option>
        ))}
      </select>
      {outline && <p class="hint">{outline.summary}</p>}
      {outline && (
        <p class="row">
          <button type="button" onClick={() => act(watchStudy(server, outline.study))}>
            Watch
          </button>
          <button
            type="button"
            disabled={going}
            onClick={() => act(server.post("train", { study: outline.study }).then(() => void followTraining(server)))}
          >
            Train into the store
          </button>
        </p>
      )}
      {training.value && (
        <p class="row" role="status">
          <span class="hint">
            {training.value.study}: {training.value.state}, {percent(training.value)}
          </span>
          {going && (
            <button type="button" onClick={() => act(server.post("train/stop", {}))}>
              Stop
            </button>
          )}
        </p>
      )}
      <div class="hint">
        {answers.value.slice(0, 6).map((text) => (
          <p>{text}</p>
        ))}
      </div>
    </fieldset>
  );
}
