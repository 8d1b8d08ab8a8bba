/** One stream's state, and which of its dictionary's methods have been read for it. */
class Cell<State> {
  state: State | undefined;
  hasStart = false;
  hasCancel = false;
  /** Begun by several streams, as by a copy of the dictionary: whose `cancel` is called cannot be known. */
  isShared = false;
}

/** What each stream of one dictionary has for itself. */
export interface StreamStates<State> {
  /** The state of the stream that has this controller. */
  of(controller: object): State;
  /** To be answered by `get start()`. */
  readStart(): (controller: object) => void;
  /** To be answered by `get cancel()`. */
  readCancel(): (reason: unknown) => unknown;
}

/**
 * Gives each stream its own state, so that one dictionary may serve several streams at a time. Its methods
 * are given the controller, which tells the streams apart; all but `cancel`. So `start` and `cancel` are made
 * each time they are read: a stream reads each once, one soon after the other, in any order.
 */
export function streamStates<State>(
  create: (controller: object) => State,
  cancel: (state: State, reason: unknown) => unknown,
): StreamStates<State> {
  const states = new WeakMap<object, State>();
  let lastController: object | undefined;
  let lastState: State;
  let cell: Cell<State> | undefined;

  const of = (controller: object): State => {
    if (controller === lastController) return lastState;
    let state = states.get(controller);
    if (state === undefined) states.set(controller, state = create(controller));
    lastController = controller;
    return lastState = state;
  };
  return {
    of,
    readStart() {
      if (cell === undefined || cell.hasStart) cell = new Cell();
      const own = cell;
      own.hasStart = true;
      return (controller) => {
        if (own.state !== undefined) own.isShared = true;
        own.state = of(controller);
      };
    },
    readCancel() {
      if (cell === undefined || cell.hasCancel) cell = new Cell();
      const own = cell;
      own.hasCancel = true;
      return (reason) => {
        if (own.state !== undefined && !own.isShared) return cancel(own.state, reason);
      };
    },
  };
}
