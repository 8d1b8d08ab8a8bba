/// <reference lib="dom" />
import { type Signal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Replay } from "../../controls/replay.tsx";
import { Section } from "../../controls/section.tsx";
import { marksOf } from "../../hose/marks_of.ts";
import { decodeCode, encodeCode, longestLink } from "./code_link.ts";
import { CodeRun } from "./code_run.ts";
import { Editor } from "./editor.tsx";
import { type Example, examples, recipes } from "./examples.ts";
import { Outcome } from "./outcome.tsx";

const all: readonly Example[] = [...examples, ...recipes];
const code: Signal<string> = signal(examples[0]!.code);
const run: Signal<CodeRun | undefined> = signal();
/** What is said about the link. */
const notice: Signal<string> = signal("");

function start(): void {
  run.value?.stop();
  notice.value = "";
  run.value = new CodeRun(code.value);
}

async function share(): Promise<void> {
  const hash = await encodeCode(code.value);
  if (hash.length > longestLink) {
    notice.value = "This code is too long for a link.";
    return;
  }
  history.replaceState(undefined, "", `#${hash}`);
  const isCopied = await navigator.clipboard?.writeText(location.href).then(
    () => true,
    () => false,
  );
  notice.value = isCopied
    ? "The link is copied, and stands in the address bar."
    : "The address bar holds the link.";
}

/** Takes the code that the address holds; it runs when its reader wants it to. */
async function openLink(): Promise<void> {
  try {
    const found = await decodeCode(location.hash);
    if (found === undefined) return;
    run.value?.stop();
    run.value = undefined;
    code.value = found;
    notice.value = "This code came with the link. Read it, then run it.";
  } catch {
    notice.value = "The link is damaged: its code cannot be read.";
  }
  document.getElementById("code")?.scrollIntoView();
}

function optionsOf(some: readonly Example[], from: number) {
  return some.map(({ name }, index) => <option key={name} value={from + index}>{name}</option>);
}

/** 9: the reader's own pipeline. */
export function Code() {
  useEffect(() => {
    void openLink();
    addEventListener("hashchange", openLink);
    return () => removeEventListener("hashchange", openLink);
  }, []);
  const current = run.value;
  const isRunning = current?.state.value === "running" || current?.state.value === "silent";
  const buffers = current?.buffers.value ?? [];
  return (
    <Section
      id="code"
      number={9}
      title="Your code"
      about={
        <>
          JavaScript or TypeScript, in a worker of this page; types are removed, and not checked.
          {" "}
          <code>probe</code> is put into your streams and into{" "}
          <code>pipeline</code>, so you see where your chunks are. It can reach no network.
        </>
      }
    >
      <div class="choice">
        <label for="example">Begin with</label>
        <select
          id="example"
          onChange={(event) => code.value = all[Number(event.currentTarget.value)]!.code}
        >
          <optgroup label="Examples">{optionsOf(examples, 0)}</optgroup>
          <optgroup label="Recipes">{optionsOf(recipes, examples.length)}</optgroup>
        </select>
      </div>
      <Editor code={code} badLine={current?.failure.value?.line} onRun={start} />
      <p class="hint" id="editor-hint">
        Ctrl+Enter runs it. Tab indents; press Escape first to leave the editor with Tab.
      </p>
      <div class="buttons">
        <button type="button" class="primary" data-do="run" onClick={start}>
          {isRunning ? "Run again" : "Run"}
        </button>
        <button
          type="button"
          data-do="stop"
          disabled={!isRunning}
          onClick={() => current?.stop()}
        >
          Stop
        </button>
        <button type="button" class="quiet" data-do="link" onClick={() => void share()}>
          Copy a link to this code
        </button>
        <span class="hint" role="status" data-notice>{notice.value}</span>
      </div>
      {current !== undefined && <Outcome run={current} />}
      {current?.hasBuffers.value === false && (
        <p class="aside">
          <code>pipeline</code>{" "}
          pulls: nothing is read before the sink can take it, and no buffer stands in between.
        </p>
      )}
      {current !== undefined && current.kept.value.count > 0 && (
        <Replay
          kept={current.kept.value}
          stages={current.stages.value}
          marks={marksOf(buffers)}
          hasBuffers={current.hasBuffers.value}
          present={isRunning ? "now" : "the end"}
        />
      )}
    </Section>
  );
}
