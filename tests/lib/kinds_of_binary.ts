import { runInNewContext } from "node:vm";
import { Buffer } from "node:buffer";

/** What holds bytes, in each of the shapes that the language has for it. */
export interface KindOfBinary {
  readonly name: string;
  /** Makes one that holds `bytes`; an even number of them, a multiple of eight for all shapes to fit. */
  readonly make: (bytes: Uint8Array) => unknown;
  /** The words that an error has for it, if it is refused. */
  readonly refusedAs?: string;
}

class Packet extends Uint8Array {}

const shared = (bytes: Uint8Array) => {
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
};
const resizable = (bytes: Uint8Array) => {
  const buffer = new ArrayBuffer(bytes.length, { maxByteLength: bytes.length + 8 });
  new Uint8Array(buffer).set(bytes);
  return buffer;
};
const within = (bytes: Uint8Array) => {
  const buffer = new Uint8Array(bytes.length + 5).fill(10);
  buffer.set(bytes, 3);
  return buffer.subarray(3, 3 + bytes.length);
};
const detached = (bytes: Uint8Array) => {
  const view = bytes.slice();
  structuredClone(view.buffer, { transfer: [view.buffer] });
  return view;
};
const cut = (bytes: Uint8Array) => {
  const buffer = resizable(bytes);
  const view = new Uint8Array(buffer, 1, bytes.length - 1);
  buffer.resize(bytes.length - 1);
  return view;
};

const views: readonly { new (buffer: ArrayBuffer): unknown; readonly name: string }[] = [
  ...[Int8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array],
  ...[Float32Array, Float64Array, BigInt64Array, BigUint64Array, DataView],
];

export const kindsOfBinary: readonly KindOfBinary[] = [
  { name: "Uint8Array", make: (bytes) => bytes.slice() },
  { name: "Uint8Array inside of a larger buffer", make: within },
  { name: "Uint8Array of a shared buffer", make: (bytes) => new Uint8Array(shared(bytes)) },
  { name: "Uint8Array of a resizable buffer", make: (bytes) => new Uint8Array(resizable(bytes)) },
  {
    name: "Uint8Array of another realm",
    make: (bytes) => runInNewContext(`Uint8Array.from([${bytes}])`),
  },
  { name: "Buffer", make: (bytes) => Buffer.from(bytes) },
  { name: "subclass of Uint8Array", make: (bytes) => new Packet(bytes) },
  ...views.map((View) => ({
    name: View.name,
    make: (bytes: Uint8Array) => new View(bytes.slice().buffer),
    refusedAs: `${View.name.startsWith("I") ? "an" : "a"} ${View.name}`,
  })),
  { name: "ArrayBuffer", make: (bytes) => bytes.slice().buffer, refusedAs: "an ArrayBuffer" },
  { name: "SharedArrayBuffer", make: shared, refusedAs: "a SharedArrayBuffer" },
  { name: "resizable ArrayBuffer", make: resizable, refusedAs: "an ArrayBuffer" },
  { name: "detached Uint8Array", make: detached, refusedAs: "a detached Uint8Array" },
  { name: "Uint8Array whose buffer was cut", make: cut, refusedAs: "a detached Uint8Array" },
  { name: "array of numbers", make: (bytes) => [...bytes], refusedAs: "an array" },
  {
    name: "object with the tag of a Uint8Array",
    make: () => ({ [Symbol.toStringTag]: "Uint8Array", length: 8 }),
    refusedAs: "a Uint8Array",
  },
];
