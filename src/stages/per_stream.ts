/**
 * Gives each stream its own state, so that one stage instance may serve several pipelines at a time:
 * the controller is the one argument of a transformer that differs from stream to stream.
 */
export function perStream<State>(create: () => State): (controller: object) => State {
  const states = new WeakMap<object, State>();
  let lastController: object | undefined;
  let lastState: State;
  return (controller) => {
    if (controller === lastController) return lastState;
    let state = states.get(controller);
    if (state === undefined) states.set(controller, state = create());
    lastController = controller;
    return lastState = state;
  };
}
