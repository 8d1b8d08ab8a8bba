/** That of the realm, whatever a test's fake timers replace it by: a run goes on without the test moving their clock. */
export const { queueMicrotask } = globalThis;
