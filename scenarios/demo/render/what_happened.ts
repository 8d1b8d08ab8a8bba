import type { DemoApi, DemoEvent, DemoOccupancy } from "../demo_event.ts";
import { bufferNames, type HoseShape } from "./hose_state.ts";

function percent(part: number, whole: number): string {
  return `${Math.round(part / whole * 100)} %`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

const apiNames: Readonly<Record<DemoApi, string>> = { web: "Web Streams", node: "node streams" };

/** Sums up a demo on one API, of nothing but its events. */
export class WhatHappened {
  readonly #shape: HoseShape;
  #read = 0;
  #beforeFirst: { readonly read: number; readonly occupancy: DemoOccupancy } | undefined;
  #last: DemoEvent | undefined;
  /** Times in milliseconds: with a write in flight, with `readerOut` full, and writes in flight times time. */
  #writingMs = 0;
  #fullMs = 0;
  #writingArea = 0;
  #mostWriting = 0;

  constructor(shape: HoseShape) {
    this.#shape = shape;
  }

  add(event: DemoEvent): void {
    const last = this.#last;
    if (last !== undefined) {
      const passedMs = event.timeMs - last.timeMs;
      const { writing, readerOut } = last.occupancy;
      if (writing > 0) this.#writingMs += passedMs;
      if (readerOut >= this.#shape.highWaterMark) this.#fullMs += passedMs;
      this.#writingArea += writing * passedMs;
    }
    if (event.event === "read") this.#read++;
    if (event.event === "written" && this.#beforeFirst === undefined) {
      this.#beforeFirst = { read: this.#read, occupancy: (last ?? event).occupancy };
    }
    this.#mostWriting = Math.max(this.#mostWriting, event.occupancy.writing);
    this.#last = event;
  }

  /** Three sentences at most. */
  sentences(): string[] {
    const last = this.#last;
    if (last === undefined) return ["Nothing happened."];
    const { messages } = this.#shape;
    const { written } = last.occupancy;
    const name = apiNames[last.api];
    const amount = this.#read === messages ? `all ${messages}` : `${this.#read} of ${messages}`;
    if (written === 0) {
      return [
        `On ${name} ${amount} messages were read, and none was written.`,
        `They stand in ${this.#places(last.occupancy)}.`,
        "Then nothing moved any more: full buffers stop the source, and nothing empties them.",
      ];
    }
    return [
      `On ${name} ${amount} messages were read and ${written} written` +
      `${last.timeMs < 50 ? "" : `, in ${seconds(last.timeMs)}`}.`,
      ...this.#first(),
      ...this.#flight(last.timeMs),
    ];
  }

  #places(occupancy: DemoOccupancy): string {
    return bufferNames.map((name) => `${name} ${occupancy[name]} of ${this.#shape.highWaterMark}`)
      .join(", ");
  }

  #first(): string[] {
    if (this.#beforeFirst === undefined) return [];
    const { read, occupancy } = this.#beforeFirst;
    const { writing } = occupancy;
    const hands = writing === 1 ? "1 was being written" : `${writing} were being written`;
    const count = read === 1 ? "1 message" : `${read} messages`;
    if (this.#shape.writer === "fast") {
      return [`When the first write had ended, ${count} had been read: nothing queued up.`];
    }
    return [
      `Until the first write had ended, ${count} had been read: ${this.#places(occupancy)}, ` +
      `and ${hands}.`,
    ];
  }

  #flight(elapsedMs: number): string[] {
    if (this.#writingMs === 0 || elapsedMs === 0) return ["No message waited for a write."];
    const full = `readerOut was full, so that the source paused, ${
      percent(this.#fullMs, elapsedMs)
    } of it`;
    if (this.#mostWriting === 1) {
      return [
        `A write was in flight ${percent(this.#writingMs, elapsedMs)} of the time; ${full}.`,
      ];
    }
    const mean = (this.#writingArea / elapsedMs).toFixed(1);
    return [
      `Over that time ${mean} writes were in flight on average, ${this.#mostWriting} at most; ${full}.`,
    ];
  }
}
