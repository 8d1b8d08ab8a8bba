import type { Schedule } from "./schedule.ts";

const prelude = (schedule: Schedule) =>
  `// Replays one schedule with the runtime's own streams and with hosepipe, from the project's folder:
//   bun run FILE    deno run -A FILE    node --import ./node_compat/register.mjs FILE
import { fuse, pipeline } from "./mod.ts";

const does = ${
    JSON.stringify(Object.fromEntries(schedule.deviations.map(({ at, does }) => [at, does])))
  };
const turn = async () => { for (let i = 0; i < 4; i++) await new Promise((next) => setImmediate(next)); };

async function run(name, isOurs) {
  const log = [], gates = [], calls = {};
  const say = (text) => log.push(text);
  const show = (value) => value?.why ?? value?.name ?? String(value);
  const watch = (name, promise) => void Promise.resolve(promise).then(
    (value) => say(\`\${name} = \${value?.done ? "end" : value?.value ?? "done"}\`),
    (reason) => say(\`\${name} ! \${show(reason)}\`),
  );
  const act = (at, controller, plain = () => {}) => {
    const what = does[at], why = { why: at };
    if (what === undefined) return plain();
    if (what === "throws") throw why;
    if (what === "errors") return controller.error(why);
    if (what === "terminates") return controller.terminate();
    if (what === "rejects") return Promise.reject(why);
    if (what === "fulfils") return Promise.resolve(plain());
    return new Promise((open) => gates.push({ open, turns: what.endsWith("last") ? Infinity : 2 }))
      .then(() => { if (what.startsWith("rejects")) throw why; return plain(); });
  };
  const call = (at) => \`\${at}\${calls[at] = (calls[at] ?? -1) + 1}\`;
  const stages = Array.from({ length: ${schedule.stages} }, (_, i) => {
    let controller;
    return {
      start: (given) => { controller = given; say(\`stage \${i}: start\`); return act(\`start \${i}\`, given); },
      transform: (chunk) => {
        say(\`stage \${i}: transform \${chunk}\`);
        return act(call(\`transform \${i}.\`), controller, () => controller.enqueue(chunk));
      },
      flush: () => { say(\`stage \${i}: flush\`); return act(\`flush \${i}\`, controller); },
      cancel: (reason) => { say(\`stage \${i}: cancel \${show(reason)}\`); return act(\`cancel \${i}\`, controller); },
    };
  });
  const open = async (due) => {
    for (let gate; (gate = gates.find(({ turns }) => turns <= due));) {
      gates.splice(gates.indexOf(gate), 1);
      gate.open();
      await turn();
      say("|");
    }
  };
  const endTurn = async () => {
    await turn();
    say("|");
    for (const gate of gates) gate.turns--;
    await open(0);
  };
`;

const fuseEnds = ({ firstMark, lastMark, stages }: Schedule) =>
  `  const marks = [{ highWaterMark: ${firstMark} }, { highWaterMark: ${lastMark} }];
  let pair;
  if (isOurs) pair = fuse(...stages, { writableStrategy: marks[0], readableStrategy: marks[1] });
  else {
    const all = stages.map((stage, i) =>
      new TransformStream(stage, i === 0 ? marks[0] : {}, i === ${stages - 1} ? marks[1] : {}));
    pair = { writable: all[0].writable, readable: all.slice(1).reduce((r, s) => r.pipeThrough(s), all[0].readable) };
  }
  let writer = pair.writable.getWriter(), reader = pair.readable.getReader();
  const ends = () => { watch("writer: closed", writer.closed); watch("writer: ready", writer.ready); };
  ends();
  watch("reader: closed", reader.closed);
`;

const pipelineEnds = ({ firstMark, lastMark, chunks, plain }: Schedule) =>
  `  let given = 0, source, sink;
  const aborter = new AbortController();
  const give = () => given < ${chunks} ? source.enqueue(\`c\${given++}\`) : source.close();
  const readable = new ReadableStream({
    start: (controller) => void (source = controller),
${
    plain === "pull"
      ? '    pull: () => { const at = call("pull "); say(`source: ${at}`); return act(at, source, give); },\n'
      : ""
  }    cancel: (reason) => { say(\`source: cancel \${show(reason)}\`); return act("cancel source"); },
  }, { highWaterMark: ${firstMark} });
  const writable = new WritableStream({
    start: (controller) => void (sink = controller),
    write: (chunk) => { say(\`sink: write \${chunk}\`); return act(call("write "), sink); },
    close: () => { say("sink: close"); return act("close sink", sink); },
    abort: (reason) => { say(\`sink: abort \${show(reason)}\`); return act("abort sink"); },
  }, { highWaterMark: ${lastMark} });
  const pipe = async () => isOurs
    ? pipeline(readable, ...stages, writable, { signal: aborter.signal })
    : stages.map((stage) => new TransformStream(stage)).reduce((r, s) => r.pipeThrough(s), readable)
      .pipeTo(writable, { signal: aborter.signal });
  const attempt = (what) => { try { what(); } catch (reason) { say(show(reason)); } };
`;

/** A step as a line of the script. */
function lineOf(step: string, count: number): string {
  const name = `${step} ${count}`;
  const reason = `{ why: "${name}" }`;
  const lines: Record<string, string> = {
    write:
      `watch("writer: ${name}", writer.write("c" + (calls.chunks = (calls.chunks ?? -1) + 1)));`,
    read: `watch("reader: ${name}", reader.read());`,
    close: `watch("writer: ${name}", writer.close());`,
    abort: `watch("writer: ${name}", writer.abort(${reason}));`,
    cancel: `watch("reader: ${name}", reader.cancel(${reason}));`,
    "release writer": "writer.releaseLock(); writer = pair.writable.getWriter(); ends();",
    "release reader":
      'reader.releaseLock(); reader = pair.readable.getReader(); watch("reader: closed", reader.closed);',
    pipe: 'watch("pipe", pipe());',
    give: "attempt(give);",
    "close source": "attempt(() => source.close());",
    signal: `aborter.abort(${reason});`,
    "error source": `attempt(() => source.error(${reason}));`,
    "error sink": `attempt(() => sink.error(${reason}));`,
    "|": "await endTurn();",
  };
  return `  ${lines[step] ?? `// ${step}`}\n`;
}

/**
 * A script that replays a schedule, without anything of the enumeration.
 *
 * @param steps What was done from outside, in its order; `|` where a turn ended.
 */
export function scriptOf(schedule: Schedule, steps: readonly string[]): string {
  let count = 0;
  const lines = steps.map((step) => lineOf(step, step === "|" ? count : count++));
  return [
    prelude(schedule),
    schedule.way === "fuse" ? fuseEnds(schedule) : pipelineEnds(schedule),
    ...lines,
    "  await open(Infinity);\n",
    "  console.log(`${name}\\n  ${log.join('; ')}`);\n",
    "}\n\n",
    'await run("native", false);\nawait run("hosepipe", true);\n',
  ].join("");
}
