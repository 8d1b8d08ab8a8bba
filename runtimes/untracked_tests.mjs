// Node's test runner follows every promise, to say which test an unhandled rejection came from: up to half of the time
// of tests that are made of promises. Without that it still fails the file.
import { createHook } from "node:async_hooks";

const { prototype } = createHook({}).constructor;
const { enable } = prototype;
prototype.enable = function () {
  const isOfRunner = Object.getOwnPropertySymbols(this).some((key) =>
    typeof this[key] === "function" && `${this[key]}`.includes("testResources")
  );
  return isOfRunner ? this : enable.call(this);
};
