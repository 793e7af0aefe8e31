// The panel of a server's studies.
import { useEffect } from "preact/hooks";
import { ServerEngine } from "../engine/server_engine.ts";
import { engine, fail } from "../state/lab.ts";
import {
  broken,
  choose,
  chosen,
  followTraining,
  isGoing,
  readStudies,
  results,
  showStored,
  stop,
  studies,
  train,
  training,
  watch,
  type Training,
} from "../state/library.ts";

const MOST_ANSWERS = 6;

const act = (work: Promise<unknown>): void => void work.catch(fail);

const progressText = ({ state, progress }: Training): string =>
  `${state}, ${progress.done} of ${progress.total} runs (${Math.floor(100 * progress.fraction)} %)`;

/** What is being trained into the store, or was last. */
function Progress({ server }: { server: ServerEngine }) {
  const now = training.value;
  if (!now) return null;
  return (
    <div class="training" role="status">
      <p class="hint">
        <b>{now.study}</b>: {progressText(now)}
      </p>
      {now.error && (
        <p class="hint wrong">
          {now.error.message} {now.error.remedy}
        </p>
      )}
      {isGoing() && (
        <button type="button" disabled={now.state === "stopping"} onClick={() => act(stop(server))}>
          Stop
        </button>
      )}
    </div>
  );
}

/** What the store has of the chosen study, and what its runs say. */
function Found() {
  const found = results.value;
  if (!found) return null;
  const answers = found.answers.flatMap((source) => source.answers);
  return (
    <div class="hint found">
      <p>
        {found.runs} of {found.planned} runs are in the store.
      </p>
      {answers.slice(0, MOST_ANSWERS).map((text) => (
        <p>{text}</p>
      ))}
      {answers.length > MOST_ANSWERS && <p>and {answers.length - MOST_ANSWERS} more answers: atto report</p>}
    </div>
  );
}

export function Library() {
  const server = engine.value;
  useEffect(() => {
    if (!(server instanceof ServerEngine)) return;
    act(readStudies(server));
    return followTraining(server);
  }, [server]);
  if (!(server instanceof ServerEngine)) return null;
  const outline = studies.value.find(({ study }) => study === chosen.value);
  return (
    <fieldset class="group library">
      <legend>Studies of the server</legend>
      <select aria-label="Study" value={chosen.value} onChange={(event) => act(choose(server, event.currentTarget.value))}>
        <option value="">choose one …</option>
        {studies.value.map(({ study, title }) => (
          <option value={study}>{title || study}</option>
        ))}
      </select>
      {broken.value.map(({ study, message }) => (
        <p class="hint wrong">
          {study} cannot be read: {message}
        </p>
      ))}
      {outline && (
        <>
          <p class="hint">{outline.summary}</p>
          <p class="row">
            <button type="button" onClick={() => act(watch(server, outline.study))}>
              Watch it train
            </button>
            <button type="button" disabled={!results.value?.runs} onClick={() => act(showStored(server, outline.study))}>
              Show stored runs
            </button>
            <button type="button" disabled={isGoing()} onClick={() => act(train(server, outline.study))}>
              Train into the store
            </button>
          </p>
          <Found />
        </>
      )}
      <Progress server={server} />
    </fieldset>
  );
}
