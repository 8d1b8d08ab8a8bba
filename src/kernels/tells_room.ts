/** Of a controller that says when there may be room: has a function called, once. */
export const whenRoom: unique symbol = Symbol("whenRoom");

/** A controller that says when its queue may have room again, as the engine's do; the standard's cannot. */
export interface TellsRoom {
  readonly [whenRoom]?: ((look: () => void) => void) | undefined;
}
