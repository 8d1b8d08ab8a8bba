import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { HelpRequest, UsageError } from "../../scenarios/command_line/parse_command_line.ts";
import { readOptions } from "../../scripts/test/read_options.ts";
import { inFolder } from "../lib/in_folder.ts";
import { startScript } from "../lib/start_script.ts";
import { fakeEnvironment } from "./fixtures/fake_bench.ts";

const { signal } = new AbortController();

type Command = (args: readonly string[], signal: AbortSignal) => Promise<unknown>;

/** What a command is refused for, each by its line: `DIR` is a folder that is there. */
interface CommandLines {
  readonly load: () => Promise<Command>;
  /** How it is called, where that is not `deno task NAME`. */
  readonly title?: string;
  readonly flags: string;
  /** What stands before each line. */
  readonly first?: string;
  readonly wrong: Readonly<Record<string, RegExp>>;
}

const port = {
  "--nothing": /the flags are --out/,
  "--port 99999": /^--port must be an integer from 0 to 65535/,
} as const;
const chore = (name: string) => `deno task dev ${name}`;

const commands: Readonly<Record<string, CommandLines>> = {
  "bench": {
    load: async () => {
      const { bench } = await import("../../scripts/bench.ts");
      return (args, signal) => bench(args, signal, fakeEnvironment);
    },
    flags: "workload contestant runtime runtime-version param input quick all full publish " +
      "runs json compare threshold seed verbose list",
    wrong: {
      "--runtime nodejs": /^--runtime must be one of deno, bun, node, got nodejs$/,
      "--workload lines": /^--workload must be one of sound, .*, got lines$/,
      "--contestant fastest --workload sound":
        /^--contestant must be one of noop, hand, steady, got fastest$/,
      "--param size=-1": /^--param size=-1: size must be an integer, 0 or more, got -1$/,
      "--param passes=1": /^--param passes=1: no such parameter; the parameters are size$/,
      "--param size": /^--param must be name=value,value, got size$/,
      "--input DIR/none": /^Cannot read --input \S+: no such file$/,
      "--input DIR": /^Cannot read --input \S+: it is not a file$/,
      "--input deno.json --workload wrong": /^--input means nothing to wrong$/,
      "--json DIR/no/a.json": /^Cannot write --json \S+: no such folder$/,
      "--json DIR": /^Cannot write --json \S+: it is a directory$/,
      "--seed x": /^--seed must be an integer from 0 to 4294967295, got "x"$/,
      "--quick --full": /^Choose one of --quick, --full$/,
      "--threshold 5": /^--threshold needs --compare OLD\.json$/,
      "--compare package.json": /^--compare: Cannot read results .*schema must be 1/,
      "--worklod x": /^Unknown flag --worklod; did you mean --workload\?$/,
      "--runs 3": /^--runs needs --publish$/,
      "--runtime-version nodejs@24": /^--runtime-version must be one of .*, got nodejs@24$/,
      "--runtime-version node@latest": /^--runtime-version must be one of .*, got node@latest$/,
      "--runtime-version node@24,node@22": /^--runtime-version must name one version of node/,
      "--runtime-version node@24 --runtime bun": /^Choose one of --runtime, --runtime-version$/,
      "--publish --seed=3": /^--seed means nothing to --publish$/,
    },
  },
  "compare": {
    load: async () => (await import("../../scripts/compare.ts")).compare,
    title: chore("compare"),
    flags: "threshold",
    wrong: {
      "old.json": /^deno task dev compare takes two files, OLD\.json NEW\.json, got 1$/,
      "--threshold 1.5 a b": /^--threshold must be an integer from 0 to 10000/,
    },
  },
  "consume": {
    load: async () => (await import("../../scenarios/consume/command.ts")).consume,
    flags: "broker store workers runtime messages kill-every-ms json",
    wrong: {
      "--broker amqp://x": /^--broker must be sqlite:FILE, postgres:.*, got amqp:\/\/x$/,
      "--broker sqlite:": /^--broker must be sqlite:FILE/,
      "--workers 0": /^--workers must be an integer from 1 to 64, got "0"$/,
      "--runtime php": /^--runtime must be one of deno, bun, node, got php$/,
      "--messages -1": /^--messages must be an integer from 0/,
      "--store no/such/file": /^Cannot write --store no\/such\/file: no such folder$/,
      "--store DIR/q-wal --broker sqlite:DIR/q": /^Cannot write --store \S+: it is the queue$/,
      "--lease 1": /^Unknown flag --lease/,
    },
  },
  "consume-faults": {
    load: async () => (await import("../../scenarios/consume/faults/command.ts")).consumeFaults,
    title: chore("consume-faults"),
    flags: "fault queue rounds results",
    wrong: { "--fault flood": /^--fault must be one of / },
  },
  "demo": {
    load: async () => (await import("../../scenarios/demo/command.ts")).demo,
    flags: "api runtime hwm concurrency batch time-scale format",
    wrong: {
      "07": /^Choose one demo of 01, 02, 03, 04, 05, 06, got 07$/,
      "01 02": /^Choose one demo of 01, 02, 03, 04, 05, 06, got 01 02$/,
      "3 --hwm 0": /^--hwm must be at least 1 on Web Streams, got 0: a writable side with /,
      "01 --api deno": /^--api must be one of web, node, both, got deno$/,
      "01 --format xml": /^--format must be one of log, diagram, live, jsonl, got xml$/,
      "01 --runtime edge": /^--runtime must be one of deno, bun, node, got edge$/,
      "01 --hwm=-1": /^--hwm must be an integer from 0 to 1000, got "-1"$/,
      "01 --concurrency 0": /^--concurrency must be an integer from 1 to 1000, got "0"$/,
      "01 --batch x": /^--batch must be an integer from 1 to 1000, got "x"$/,
      "01 --time-scale fast": /^--time-scale must be a number from 0 to 100, got "fast"$/,
      "01 --time-scale=-1": /^--time-scale must be a number from 0 to 100, got "-1"$/,
      "01 --warp 2": /^Unknown flag --warp; the flags are --api, --runtime, --hwm,/,
    },
  },
  "enumerate": {
    load: async () => (await import("../../scripts/enumerate.ts")).enumerate,
    title: chore("enumerate"),
    flags: "runtime way stages deviations json",
    wrong: { "--stages 4": /^--stages must be one of 0, 1, 2, 3, got 4$/ },
  },
  "extract": {
    load: async () => (await import("../../scenarios/extract/command.ts")).extractCommand,
    flags: "source table query out format batch-size partitions",
    first: "--out DIR/a.csv ",
    wrong: {
      "--sauce x": /^Unknown flag --sauce; did you mean --source\?$|^Unknown flag --sauce; the /,
      "--source x": /^--source must be sqlite:FILE, postgres:\/\/… or mongodb:\/\/…, got x$/,
      "--source sqlite:x": /^--from is needed: a date such as 2026-01-31, or a time$/,
      "--from 2026-02-30": /^--from must be a date such as .*, got "2026-02-30"$/,
      "--from 2026-01-05 --to 2026-01-05": /^--to must be after --from, got /,
      "--time-zone Mars": /^--time-zone must be an IANA time zone such as .*, got Mars$/,
      "--source": /^--source needs a value/,
      "--out=": /^--out needs a value/,
      "--source sqlite:x --table=": /^--table needs a value/,
      "--from 2026-01-01T00:00+14:01": /^--from must have an offset from -14:00 to \+14:00/,
      "--fields text,size": /^--fields must be of contact_id, .*, got size$/,
      "--fields text:": /^--fields must be names between commas, .*, got "text:"$/,
      "--table x": /^--table needs a --source: sqlite:FILE, /,
      "--source sqlite:x --table x --query y": /^Only one of --table and --query /,
      "--source sqlite:x --table x --from 2026-01-01": /^--from needs a --time-field$/,
      "--order-by x": /^--order-by needs a --table, /,
      "--source sqlite:x --table x --order-by x:up": /^--order-by must be names /,
      "--source sqlite:x --query x --partitions 2": /^--partitions needs a --table /,
      "--source sqlite:x --query x --threads 2": /^--threads needs a --table /,
      "--threads 0": /^--threads must be an integer from 1 to 64, got "0"$/,
      "--source mongodb://x --collection x": /^--fields is needed, .* --format ndjson$/,
      "--filter {}": /^--filter needs a --collection$/,
      "--source mongodb://x --collection x --fields a --filter []":
        /^--filter must be a JSON object, got \[\]$/,
      "--max-value 2GiB": /^--max-value must be a number of bytes such as 64MiB, .*, got 2GiB$/,
      "--timeout 0": /^--timeout must be an integer from 1 to 86400, got "0"$/,
      "--format xml": /^--format must be one of csv, tsv, ndjson, got xml$/,
      "--format tsv --delimiter ;": /^--delimiter is of csv, not of tsv$/,
      "--format ndjson --null x": /^--null is not of ndjson$/,
      "--format ndjson --bom": /^Cannot write NDJSON: it must have no byte order mark$/,
      "--null ,": /^Cannot write CSV: the text for NULL must have no delimiter, /,
      "--delimiter ab": /^Cannot write CSV: delimiter must be one character.*, got "ab"$/,
      "--batch-size 0": /^--batch-size must be an integer from 1 to 100000, got "0"$/,
      "--partitions 65": /^--partitions must be an integer from 1 to 64, got "65"$/,
      "--on-bad-row x": /^--on-bad-row must be one of fail, skip, got x$/,
      "--progress --no-progress": /^Only one of --progress and --no-progress /,
      "--out DIR/no/a.csv": /^Cannot write --out .*: no such folder$/,
    },
  },
  "extract-seed": {
    load: async () => (await import("../../scenarios/extract/seed/command.ts")).extractSeed,
    title: chore("extract-seed"),
    flags: "source",
    wrong: { "--source x": /^--source must be / },
  },
  "load": {
    load: async () => (await import("../../scenarios/load/command.ts")).loadCommand,
    flags: "in target table format delimiter null dead encoding batch-size",
    first: "--in DIR/a.csv --target sqlite:DIR/t.sqlite --table t ",
    wrong: {
      "--in=": /^--in needs a value/,
      "--target mongodb://db": /^--target must be sqlite:FILE or postgres:/,
      "--in DIR/none.csv": /^Cannot read --in \S+none\.csv: /,
      "--in DIR": /^Cannot read --in \S+: it is a directory/,
      "--in a.tsv": /^Cannot load a\.tsv: it must be csv or ndjson, got tsv/,
      "--format xml": /^--format must be one of csv, ndjson, got "?xml/,
      "--format ndjson --null x": /^--null is of csv, not of ndjson/,
      "--delimiter ab": /^Cannot load CSV: /,
      "--dead DIR": /^Cannot write --dead \S+: it is a directory/,
    },
  },
  "mutate": {
    load: async () => (await import("../../scripts/mutate.ts")).mutate,
    title: chore("mutate"),
    flags: "count all quick seed json",
    wrong: {
      "--count 0": /^--count must be an integer/,
      "src/none --list": /^Cannot change src\/none/,
    },
  },
  "playground": {
    load: async () => (await import("../../scripts/playground.ts")).playground,
    flags: "out port",
    wrong: port,
  },
  "queue": {
    load: async () => (await import("../../scenarios/consume/queue_command.ts")).queue,
    flags: "broker after all json",
    wrong: {
      "": /^Name what to do: inspect, list, replay, purge$/,
      "drop --broker sqlite:x": /^Name what to do/,
      "list": /^--broker must be sqlite:FILE, .*, got nothing$/,
      "list --broker amqp://me:secret@x": /^--broker must be (?!.*secret).*, got amqp:/,
      "replay --broker sqlite:x": /^replay takes ids or --all$/,
      "purge a --all --broker sqlite:x": /^purge takes ids or --all$/,
      "list a --broker sqlite:x": /^list takes neither ids nor --all$/,
    },
  },
  "readme": {
    load: async () => (await import("../../scripts/readme.ts")).readme,
    title: chore("readme"),
    flags: "results images check",
    wrong: { "--chek": /^Unknown flag --chek; did you mean --check\?$/ },
  },
  "semantics": {
    load: async () => (await import("../../scenarios/semantics/command.ts")).semantics,
    title: chore("semantics"),
    flags: "runtime format all",
    wrong: {
      "--runtime rhino": /^--runtime must be one of deno, bun, node, got rhino$/,
      "--format xml": /^--format must be one of table, json, got xml$/,
      "--hwm 5": /^Unknown flag --hwm; the flags are --runtime, --format/,
    },
  },
  "serve": {
    load: async () => (await import("../../scenarios/serve/command.ts")).serve,
    flags: "root port host mode api runtime dotfiles log idle-timeout-ms grace-ms allow-host " +
      "max-open-files queue-ms",
    wrong: {
      "--mode fast": /^--mode must be one of stream, buffer, got fast$/,
      "--api deno": /^--api must be one of web, node, got deno$/,
      "--port 70000": /^--port must be an integer from 0 to 65535, got "70000"$/,
      "--port -1": /^--port must be an integer from 0 to 65535, got "-1"$/,
      "--idle-timeout-ms 0": /^--idle-timeout-ms must be an integer from 1 to 2147483647, got "0"$/,
      "--max-open-files 0": /^--max-open-files must be an integer from 1 to \d+, got "0"$/,
      "--queue-ms -1": /^--queue-ms must be an integer from 0 to 2147483647, got "-1"$/,
      "--dotfiles maybe": /^--dotfiles must be one of deny, allow, got maybe$/,
      "--allow-host a:80": /^--allow-host must be a host without a port, got a:80$/,
      "--root DIR/none": /^Cannot serve \S+: no such folder$/,
      "DIR/a.csv": /^Cannot serve \S+: it is not a folder$/,
      "DIR --root DIR": /^Only one folder can be served, got \S+ \S+$/,
    },
  },
  "serve-attack": {
    load: async () => (await import("../../scenarios/serve/attack/command.ts")).serveAttack,
    title: chore("serve-attack"),
    flags: "target big runtime api",
    wrong: {
      "--api x": /^--api must be one of web, node, got x$/,
      "--target ftp://x": /^--target must be an http: URL, got ftp:\/\/x$/,
    },
  },
  "simulate": {
    load: async () => (await import("../../scripts/simulate.ts")).simulate,
    title: chore("simulate"),
    flags: "runs seed runtime history",
    wrong: { "--runs 0": /^--runs must be/, "--sead 1": /did you mean --seed\?$/ },
  },
  "site": {
    load: async () => (await import("../../scripts/site.ts")).site,
    flags: "out port",
    wrong: port,
  },
  "test": {
    load: () =>
      Promise.resolve((args, signal) =>
        Promise.resolve().then(() => readOptions(new URL("../../", import.meta.url), args, signal))
      ),
    flags: "all rest runtime filter jobs slowest",
    wrong: {
      "--runtim": /^Unknown flag --runtim; did you mean --runtime\?$/,
      "--runtime nodejs": /^--runtime must be one of deno, bun, node, got nodejs$/,
    },
  },
};

for (
  const [name, { load, title = `deno task ${name}`, flags, first = "", wrong }] of Object.entries(
    commands,
  )
) {
  test(`${name} names its flags and two examples when asked, and says what a command line has wrong`, () =>
    inFolder(async (folder) => {
      const run = await load();
      const help = await assertRejects(() => run(["--help"], signal), HelpRequest);
      for (const flag of flags.split(" ")) {
        assertMatch(help.message, new RegExp(`^  --${flag}\\b`, "m"));
      }
      const [, examples = ""] = help.message.split("Examples:");
      assert(examples.match(new RegExp(`^ {2}.*${title}\\b`, "gm"))!.length >= 2);

      await writeFile(join(folder, "a.csv"), "id\n1\n");
      for (const [line, message] of Object.entries(wrong)) {
        const args = `${first}${line}`.trim().split(" ").filter(Boolean)
          .map((word) => word.replace("DIR", folder));
        const error = await assertRejects(() => run(args, signal), UsageError, "", line);
        assertMatch(error.message, message);
        assert(!error.message.includes("\n"), line);
      }
      assertEquals(await readdir(folder), ["a.csv"]);
    }));
}

test("the many flags of extract stand in groups", async () => {
  const { message }: HelpRequest = await assertRejects(
    async () => (await commands["extract"]!.load())(["--help"], signal),
    HelpRequest,
  );
  const groups = message.split("\n\n").filter((part) => /^[A-Z].*:\n {2}--/.test(part));
  assert(groups.length >= 6 && groups.every((group) => group.match(/^ {2}--/gm)!.length <= 12));
});

test("what is refused is one line on stderr and exit code 2; help is on stdout, and 0", async () => {
  const wrong = await startScript("scenarios/consume/queue_command.ts", [
    "list",
    "--broker",
    "amqp://me:secret@x",
  ])
    .ended;
  assertEquals([wrong.code, wrong.stdout], [2, ""]);
  assertMatch(wrong.stderr, /^--broker must be [^\n]*\n$/);
  const help = await startScript("scenarios/consume/queue_command.ts", ["--help"]).ended;
  assertEquals([help.code, help.stderr], [0, ""]);
});
