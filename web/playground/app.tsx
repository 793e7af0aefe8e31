// The page as a whole.
import { Compare, Seeds, SettingGroups } from "./controls/settings.tsx";
import { Intro, introSeen } from "./controls/intro.tsx";
import { Library } from "./controls/library.tsx";
import { Share } from "./controls/share.tsx";
import { ThemeButton } from "./controls/theme.tsx";
import { Transport } from "./controls/transport.tsx";
import { cellColor, palette } from "./draw/palette.ts";
import { about } from "./state/about.ts";
import { cells, currentScene, engine, left, problem, study } from "./state/lab.ts";
import { shownCell } from "./state/painter.ts";
import { SCENES } from "./state/scenes.ts";
import { initialState, notices, state, type Tab } from "./state/state.ts";
import { Claims } from "./views/claims.tsx";
import { Curves } from "./views/curves.tsx";
import { Embedding } from "./views/embedding.tsx";
import { EventRows } from "./views/event_rows.tsx";
import { Maps } from "./views/maps.tsx";
import { PlaneView } from "./views/plane.tsx";
import { shortText } from "./views/words.ts";
import { Scalars } from "./views/scalars.tsx";

function Header() {
  return (
    <header class="top">
      <h1>
        Attoscope <span>watch attention emerge</span>
      </h1>
      <nav aria-label="Scenes">
        {SCENES.map(({ id, name }) => (
          <a
            href={`#v=1&scene=${id}`}
            aria-current={state.value.scene === id && state.value.study === null ? "page" : undefined}
            ref={(link) => {
              // On a phone the list is longer than the screen: the present scene is brought into it.
              const list = link?.parentElement;
              if (link?.ariaCurrent && list) list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
            }}
            onClick={(event) => {
              event.preventDefault();
              state.value = initialState(id);
            }}
          >
            {name}
          </a>
        ))}
      </nav>
      <div class="row">
        <Share />
        <ThemeButton />
        <button
          type="button"
          aria-label="What is this?"
          aria-pressed={!introSeen.value}
          onClick={() => (introSeen.value = !introSeen.value)}
        >
          ?
        </button>
      </div>
    </header>
  );
}

function Messages() {
  const wrong = problem.value;
  return (
    <div class="messages" aria-live="polite">
      {wrong && (
        <p class="problem" role="alert">
          <strong>{wrong.message}</strong> {wrong.remedy} {wrong.line ? `(line ${wrong.line} of the study)` : ""}
        </p>
      )}
      {left.value.length > 0 && <p class="notice">This network has no {[...new Set(left.value)].join(", ")}: the page leaves that out.</p>}
      {notices.value.map((text) => (
        <p class="notice">
          {text}{" "}
          <button
            type="button"
            class="quiet"
            aria-label="Dismiss this notice"
            onClick={() => (notices.value = notices.value.filter((one) => one !== text))}
          >
            ×
          </button>
        </p>
      ))}
    </div>
  );
}

function SceneText() {
  const scene = currentScene.value;
  const source = study.value?.source ?? "";
  const link = /https:\/\/\S+/.exec(source)?.[0];
  return (
    <section class="scene">
      <h2>{study.value?.title ?? scene?.name}</h2>
      <p class="summary">{study.value?.summary}</p>
      {state.value.study === null && (
        <p class="look">
          {scene?.look}{" "}
          <span class="tries">
            {scene?.tries.map(({ text, change }) => (
              <button type="button" class="chip" onClick={() => (state.value = { ...initialState(scene.id), ...change })}>
                {text}
              </button>
            ))}
          </span>
        </p>
      )}
      {source && (
        <p class="source">
          after{" "}
          {link ? (
            <a href={link} rel="noreferrer" target="_blank">
              {source.replace(`, ${link}`, "")}
            </a>
          ) : (
            source
          )}
        </p>
      )}
    </section>
  );
}

function Legend() {
  if (cells.value.length < 2) return null;
  return (
    <ul class="legend" aria-label="Settings that are compared">
      {cells.value.slice(0, 6).map((cell, index) => (
        <li>
          <span class="swatch" style={{ background: cellColor(palette.value, index) }} />
          {shortText(cell)}
        </li>
      ))}
      {cells.value.length > 6 && <li>and {cells.value.length - 6} more</li>}
    </ul>
  );
}

const TABS: [Tab, string][] = [
  ["watch", "Watch"],
  ["plane", "Phase diagram"],
];

function Tabs() {
  return (
    <div class="tabs" role="group" aria-label="What to do">
      {TABS.map(([tab, name]) => (
        <button
          type="button"
          aria-pressed={state.value.tab === tab}
          onClick={() => (state.value = { ...state.value, tab })}
        >
          {name}
        </button>
      ))}
      <Legend />
    </div>
  );
}

function Footer() {
  const now = about.value;
  const where =
    engine.value?.place === "server"
      ? "on the server"
      : `in this page, in ${engine.value?.workers ?? 1} ${engine.value?.workers === 1 ? "Worker" : "Workers"}`;
  const bits = now?.native_bits ? "to the bit what the lab computes natively" : "what the lab computes, up to rounding";
  return (
    <footer>
      <p>
        Attoscope {now?.version}, engine revision {now?.engine_revision} ({now?.target}), {where}: {bits}. {engine.value?.place === "browser" && "Nothing leaves this page."}
      </p>
      <details>
        <summary>Licences</summary>
        <pre tabIndex={0}>{document.getElementById("licences")?.textContent}</pre>
      </details>
    </footer>
  );
}

/** Everything that shows runs. */
function Watch() {
  return (
    <>
      <Transport />
      <Curves colors={() => palette.value} />
      <EventRows />
      <div class="pictures">
        <Embedding />
        <div class="column">
          <Maps />
          <Scalars />
        </div>
      </div>
      {state.value.tab === "watch" && <Claims />}
    </>
  );
}

export function App() {
  return (
    <>
      <Header />
      <Messages />
      <Intro />
      <div class="bench">
        <aside class="controls" aria-label="Settings">
          <details class="controls-fold" open={innerWidth > 860}>
            <summary>Settings</summary>
            <Library />
            <Seeds />
            <Compare />
            <SettingGroups />
          </details>
        </aside>
        <main>
          <SceneText />
          <Tabs />
          {state.value.tab === "plane" && <PlaneView />}
          {(state.value.tab === "watch" || shownCell.value !== null) && <Watch />}
          <Footer />
        </main>
      </div>
    </>
  );
}
