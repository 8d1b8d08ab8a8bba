import type { Choice, Deviation } from "./schedule.ts";

type Controller = { error(reason?: unknown): void; terminate?(): void };

const asynchronous = [
  "fulfils",
  "rejects",
  "fulfils later",
  "rejects later",
  "fulfils last",
  "rejects last",
] as const;

/** What a method may do other than return. */
export const methodOptions = {
  stage: ["throws", "errors", "terminates", ...asynchronous],
  end: ["throws", "errors", ...asynchronous],
  cleanUp: ["throws", ...asynchronous],
} as const;

/** A reason to fail; what it is compared by is itself. */
class Reason {
  readonly scene: Scene;
  readonly label: string;

  constructor(scene: Scene, label: string) {
    this.scene = scene;
    this.label = label;
  }
}

interface Gate {
  turns: number;
  readonly open: () => void;
}

let quiet: Promise<void> | undefined;

/** Ends when no microtask is left; those who wait at a time share one turn of the event loop. */
function untilQuiet(): Promise<void> {
  return quiet ??= new Promise((resolve) =>
    setImmediate(() => {
      quiet = undefined;
      resolve();
    })
  );
}

/** What one implementation does in one schedule: everything that can be seen, in its order. */
export class Scene {
  readonly log: string[] = [];
  /** The places where the run could have deviated, in the order in which it came to them. */
  readonly choices: Choice[] = [];
  /** Looks for what changed without a call, such as a new `ready`. */
  look: () => void = () => {};
  /** Whether it failed by a call of nothing, which no method here makes. */
  hasFault = false;
  readonly #deviations: readonly Deviation[];
  readonly #turnsToQuiet: number;
  #gates: Gate[] = [];
  #slots = 0;

  constructor(deviations: readonly Deviation[], turnsToQuiet: number) {
    this.#deviations = deviations;
    this.#turnsToQuiet = turnsToQuiet;
  }

  /** What the schedule says for this place. */
  choose(at: string, options: readonly string[]): string | undefined {
    this.choices.push({ at, options });
    return this.#deviations.find((deviation) => deviation.at === at)?.does;
  }

  /** What comes between two steps. */
  chooseStep(options: readonly string[]): string | undefined {
    return this.choose(`slot ${this.#slots++}`, options);
  }

  say(text: string): void {
    this.log.push(text);
  }

  reason(label: string): unknown {
    return new Reason(this, label);
  }

  /** How a value is shown; a reason of another run would be one that got lost. */
  show(value: unknown): string {
    this.hasFault ||= isCallOfNothing(value);
    if (value instanceof Reason) return value.scene === this ? value.label : "of another run";
    return value instanceof Error ? value.name : String(value);
  }

  watch(name: string, promise: PromiseLike<unknown>, show?: (value: never) => string): void {
    promise.then(
      (value) => this.say(`${name} = ${show ? show(value as never) : "done"}`),
      (reason) => this.say(`${name} ! ${this.show(reason)}`),
    );
  }

  /** Does what the schedule says for a call of a method; `plain` if it says nothing. */
  act(
    at: string,
    options: readonly string[],
    controller: Controller | undefined,
    plain: () => void,
  ): unknown {
    const does = this.choose(at, options);
    switch (does) {
      case undefined:
      case "nothing":
        return plain();
      case "throws":
        throw this.reason(at);
      case "errors":
        return controller!.error(this.reason(at));
      case "terminates":
        return controller!.terminate!();
      case "fulfils":
        plain();
        return Promise.resolve();
      case "rejects":
        return Promise.reject(this.reason(at));
    }
    const gate = new Promise<void>((open) =>
      this.#gates.push({ turns: does.endsWith("last") ? Infinity : 2, open })
    );
    return gate.then(() => {
      if (does.startsWith("rejects")) throw this.reason(at);
      plain();
    });
  }

  /** Waits until nothing moves, then opens the gates whose time has come, one after the other. */
  async endTurn(): Promise<void> {
    await this.#settle();
    for (const gate of this.#gates) gate.turns--;
    await this.#openGates(0);
  }

  /** Opens what waits for the end. */
  async end(): Promise<void> {
    await this.#settle();
    await this.#openGates(Infinity);
  }

  async #openGates(turns: number): Promise<void> {
    for (;;) {
      const index = this.#gates.findIndex((gate) => gate.turns <= turns);
      if (index < 0) return;
      const [gate] = this.#gates.splice(index, 1);
      gate!.open();
      await this.#settle();
    }
  }

  async #settle(): Promise<void> {
    for (let turn = 0; turn < this.#turnsToQuiet; turn++) await untilQuiet();
    this.look();
    // What it found says how it stands.
    await untilQuiet();
    this.say("|");
  }
}

/** Whether something called a method that it has cleared before: a fault of its own. */
export function isCallOfNothing(reason: unknown): boolean {
  return reason instanceof TypeError && reason.message.includes("is not a function");
}

/** The run that a rejection without a handler comes from, if its reason says so. */
export function sceneOf(reason: unknown): Scene | undefined {
  return reason instanceof Reason ? reason.scene : undefined;
}

type StageController = TransformStreamDefaultController<unknown>;

function ignore(): void {}

/** The stages of a schedule: each gives what it gets, but where the schedule deviates. */
export function stagesOf(scene: Scene, count: number): Transformer<unknown, unknown>[] {
  return Array.from({ length: count }, (_, index) => {
    let controller!: StageController;
    let transforms = 0;
    return {
      start(given: StageController) {
        controller = given;
        scene.say(`stage ${index}: start`);
        return scene.act(`start ${index}`, methodOptions.stage, given, ignore) as void;
      },
      transform(chunk: unknown) {
        scene.say(`stage ${index}: transform ${chunk}`);
        return scene.act(
          `transform ${index}.${transforms++}`,
          methodOptions.stage,
          controller,
          () => controller.enqueue(chunk),
        ) as void;
      },
      flush() {
        scene.say(`stage ${index}: flush`);
        return scene.act(`flush ${index}`, methodOptions.stage, controller, ignore) as void;
      },
      cancel(reason: unknown) {
        scene.say(`stage ${index}: cancel ${scene.show(reason)}`);
        return scene.act(`cancel ${index}`, methodOptions.end, controller, ignore) as void;
      },
    };
  });
}
