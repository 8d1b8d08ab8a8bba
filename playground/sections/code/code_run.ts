/// <reference lib="dom" />
import type { ProbeEvent } from "@hosepipe/streams/inspect";
import { type Signal, signal } from "@preact/signals";
import { keptEvents, Rewind } from "../../gated/player.ts";
import type { MarkedBuffer, SeenStage } from "../../hose/hose_view.ts";
import { type CodeMessage, openWorker } from "../../worker/messages.ts";
import { type CodeError, prepareCode } from "../../worker/prepare_code.ts";

/** What went wrong, and in which line. */
export interface CodeFailure {
  readonly text: string;
  readonly line: number | undefined;
}

/** A line that the code printed. */
export interface PrintedLine {
  readonly level: "log" | "error";
  readonly text: string;
}

/** After this long without a sign of life something is likely to be endless. */
const silentMs = 2000;

/** A run of the reader's code in a worker. */
export class CodeRun {
  readonly state: Signal<"running" | "silent" | "done" | "failed" | "stopped"> = signal("running");
  readonly printed: Signal<readonly PrintedLine[]> = signal([]);
  readonly failure: Signal<CodeFailure | undefined> = signal();
  readonly kept: Signal<Rewind> = signal(new Rewind(() => []));
  readonly buffers: Signal<readonly MarkedBuffer[]> = signal([]);
  readonly stages: Signal<readonly SeenStage[]> = signal([]);
  readonly hasBuffers: Signal<boolean> = signal(true);
  readonly summary: Signal<string> = signal("");
  readonly elapsedMs: Signal<number | undefined> = signal();
  readonly #lines: number;
  #worker: Worker | undefined;
  #watch: ReturnType<typeof setTimeout> | undefined;

  constructor(code: string) {
    this.#lines = code.split("\n").length;
    try {
      this.#worker = openWorker(prepareCode(code));
    } catch (error) {
      this.#fail({ text: String((error as Error).message), line: (error as CodeError).line });
      return;
    }
    this.#worker.onmessage = ({ data }: MessageEvent<CodeMessage>) => this.#take(data);
    // What cannot be parsed, and what is thrown outside of every promise.
    this.#worker.onerror = (event) => {
      event.preventDefault();
      const line = event.lineno >= 1 ? Math.min(event.lineno, this.#lines) : undefined;
      this.#fail({ text: event.message.replace(/^Uncaught /, ""), line });
    };
    this.#listen();
  }

  /** Ends it, whatever it is doing. */
  stop(): void {
    const { value } = this.state;
    if (value === "running" || value === "silent") this.state.value = "stopped";
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#watch);
    this.#worker?.terminate();
    this.#worker = undefined;
  }

  #listen(): void {
    clearTimeout(this.#watch);
    if (this.state.value === "silent") this.state.value = "running";
    this.#watch = setTimeout(() => this.state.value = "silent", silentMs);
  }

  #fail(failure: CodeFailure): void {
    this.failure.value ??= failure;
    this.state.value = "failed";
    this.#end();
  }

  #take(message: CodeMessage): void {
    this.#listen();
    switch (message.type) {
      case "log":
        this.printed.value = [...this.printed.value, message];
        break;
      case "state":
        this.#takeState(message);
        break;
      case "failed":
        this.#fail(message);
        break;
      case "done":
        this.elapsedMs.value = message.elapsedMs;
        this.state.value = "done";
        this.#end();
    }
  }

  #takeState(
    { buffers, stages, hasBuffers, summary, events }: CodeMessage & { type: "state" },
  ): void {
    this.buffers.value = buffers;
    this.stages.value = stages;
    this.hasBuffers.value = hasBuffers;
    this.summary.value = summary;
    if (events.length === 0) return;
    const all: readonly ProbeEvent[] = [...this.kept.value.events(), ...events].slice(-keptEvents);
    this.kept.value = new Rewind(() => all);
  }
}
