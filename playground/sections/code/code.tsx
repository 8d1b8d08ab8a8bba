/// <reference lib="dom" />
import { toBytes } from "@hosepipe/streams";
import { type Signal, signal } from "@preact/signals";
import { CodeJar } from "codejar";
import { useEffect, useRef } from "preact/hooks";
import Prism from "prismjs/components/prism-core.js";
import "prismjs/components/prism-clike.js";
import "prismjs/components/prism-javascript.js";
import { type Recipe, recipes } from "../../built.ts";
import { Replay } from "../../controls/playback.tsx";
import { Section } from "../../controls/section.tsx";
import { marksOf } from "../../hose/hose_view.ts";
import { formatSeconds } from "../../words/format.ts";
import { CodeRun } from "./code_run.ts";

/** The text of a field whose lines may be elements, as a browser makes them of what is put in at once. */
function textOf(field: Node): string {
  let text = "";
  const take = (node: Node): void => {
    for (const child of node.childNodes) {
      if (child.nodeName === "BR") {
        // At the end of a line's element it only keeps the line open.
        if (node === field || child.nextSibling !== null) text += "\n";
        continue;
      }
      if (child.nodeName === "DIV" && (text !== "" || child.previousSibling !== null)) text += "\n";
      if (child.nodeType === Node.TEXT_NODE) text += child.nodeValue;
      else take(child);
    }
  };
  take(field);
  return text;
}

function describe({ state, failure, elapsedMs }: CodeRun): string {
  switch (state.value) {
    case "running":
      return "It runs.";
    case "silent":
      return "It has not answered for 2 seconds: is there an endless loop? Stop ends it.";
    case "stopped":
      return "Stopped.";
    case "done":
      return `Done after ${formatSeconds(elapsedMs.value ?? 0)}.`;
    case "failed": {
      const { text, line } = failure.value!;
      return line === undefined ? text : `Line ${line}: ${text}`;
    }
  }
}

/** What came of the code: its end, what it printed, its bottleneck. */
function Outcome({ run }: { readonly run: CodeRun }) {
  const { state, printed, summary, kept } = run;
  return (
    <>
      <p
        class={`now ${state.value === "failed" || state.value === "silent" ? "writer" : ""}`}
        role="status"
        data-state={state.value}
        data-line={run.failure.value?.line}
      >
        {describe(run)} {kept.value.count > 0 && state.value === "done" ? summary.value : ""}
      </p>
      <div class="console card" role="log" aria-label="What the code printed" tabIndex={0}>
        {printed.value.map(({ level, text }, index) => (
          <div key={index} class={`printed ${level === "error" ? "error" : ""}`}>{text}</div>
        ))}
      </div>
    </>
  );
}

// It would look through the whole page by itself.
Prism.manual = true;

/** Colours the code in an element. */
function highlight(element: HTMLElement): void {
  const { languages, highlight } = Prism;
  element.innerHTML = highlight(element.textContent ?? "", languages.javascript!, "javascript");
}

const native = `import { map } from "@hosepipe/streams";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let n = 0;

const numbers = new ReadableStream({
  pull(controller) {
    if (n < 30) controller.enqueue(++n);
    else controller.close();
  },
}, { highWaterMark: 4 });

const squares = new TransformStream(
  map((n) => n * n),
  { highWaterMark: 2 },
  { highWaterMark: 2 },
);

await numbers.pipeThrough(squares).pipeTo(
  new WritableStream({
    async write(square) {
      await pause(40);
      console.log(square);
    },
  }, { highWaterMark: 3 }),
);
console.log("done");
`;

const pipeline = `import { filter, map, parallel, pipeline } from "@hosepipe/streams";

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function* visitors() {
  for (let n = 1; n <= 40; n++) {
    await pause(10);
    yield { n, name: "visitor " + n };
  }
}

const { chunksRead, chunksWritten } = await pipeline(
  visitors(),
  filter(({ n }) => n % 2 === 1),
  parallel(async ({ name }) => {
    await pause(30);
    return name.toUpperCase();
  }, { concurrency: 4 }),
  map((name, index) => index + 1 + ". " + name),
  (line) => console.log(line),
);
console.log(chunksRead, "read,", chunksWritten, "written");
`;

const failing = `import { map, pipeline } from "@hosepipe/streams";

await pipeline(
  ["1", "2", "three"],
  map((text) => {
    const number = Number(text);
    if (Number.isNaN(number)) {
      throw new RangeError(text + " is no number");
    }
    return number;
  }),
  (number) => console.log(number),
);
`;

const endless = `console.log("a loop that never ends: Stop ends it");

while (true);
`;

/** What the editor offers. */
const examples: readonly Recipe[] = [
  { name: "pipeline and parallel", code: pipeline },
  { name: "Native streams", code: native },
  { name: "An error", code: failing },
  { name: "An endless loop", code: endless },
];

/** An editor of code. */
interface EditorOptions {
  /** The code, both ways. */
  readonly code: Signal<string>;
  /** The line to mark. */
  readonly badLine: number | undefined;
  readonly onRun: () => void;
}

/** An editor with numbered lines. */
function Editor({ code, badLine, onRun }: EditorOptions) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const jar = CodeJar(element.current!, highlight, { tab: "  ", addClosing: false });
    jar.updateCode(code.peek(), false);
    const take = () => code.value = jar.toString();
    jar.onUpdate(take);
    // What is set from outside is put in; what was typed already exists.
    const stop = code.subscribe((text) => {
      if (text !== jar.toString()) jar.updateCode(text, false);
    });
    const field = element.current!;
    const press = (event: KeyboardEvent) => {
      // Tab indents; after Escape it leaves the field, as anywhere.
      if (event.key === "Escape") jar.updateOptions({ catchTab: false });
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        event.stopImmediatePropagation();
        take();
        onRun();
      }
    };
    // What comes by no key, such as dictation: its lines are elements, which the text does not have.
    const takeInput = () => {
      if (field.querySelector("br, div") !== null) jar.updateCode(textOf(field), false);
      take();
    };
    const enter = () => jar.updateOptions({ catchTab: true });
    field.addEventListener("keydown", press, { capture: true });
    field.addEventListener("focus", enter);
    field.addEventListener("input", takeInput);
    return () => {
      stop();
      field.removeEventListener("keydown", press, { capture: true });
      field.removeEventListener("focus", enter);
      field.removeEventListener("input", takeInput);
      jar.destroy();
    };
  }, []);
  const count = code.value.replace(/\n$/, "").split("\n").length;
  return (
    <div class="editor card">
      <div class="lines" aria-hidden="true">
        {Array.from(
          { length: count },
          (_, index) => (
            <span key={index} class={index + 1 === badLine ? "bad" : ""}>{index + 1}</span>
          ),
        )}
      </div>
      <div
        ref={element}
        class="field"
        role="textbox"
        tabIndex={0}
        aria-multiline="true"
        aria-label="Your code"
        aria-describedby="editor-hint"
        aria-invalid={badLine !== undefined}
      />
    </div>
  );
}

/** A link longer than this is cut by some programs. */
const longestLink = 30_000;

/** Code that a link unpacks to is no longer: a short link may stand for gigabytes. */
const mostBytes = 1024 ** 2;

function through(bytes: Uint8Array<ArrayBuffer>, pair: GenericTransformStream) {
  return toBytes(new Blob([bytes]), pair as ReadableWritablePair, { maxBytes: mostBytes });
}

/** Code as the part of an address after `#`: compressed, in letters that an address may have. */
async function encodeCode(code: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(code), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return `code=${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}

/** The code that an address holds; `undefined` if it holds none. Rejects if what it holds is damaged. */
async function decodeCode(hash: string): Promise<string | undefined> {
  const [, text] = /^#?code=(.*)$/s.exec(hash) ?? [];
  if (text === undefined) return undefined;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const plain = await through(bytes, new DecompressionStream("deflate-raw"));
  return new TextDecoder("utf-8", { fatal: true }).decode(plain);
}

const all: readonly Recipe[] = [...examples, ...recipes];
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

function optionsOf(some: readonly Recipe[], from: number) {
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
      <div class="choice row">
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
      <p class="aside" id="editor-hint">
        Ctrl+Enter runs it. Tab indents; press Escape first to leave the editor with Tab.
      </p>
      <div class="row">
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
        <span class="aside" role="status" data-notice>{notice.value}</span>
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
