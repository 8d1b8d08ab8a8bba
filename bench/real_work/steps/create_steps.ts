import type { Step } from "../../chains/job.ts";
import {
  type Customers,
  enrichOrder,
  isOrder,
  type Order,
  parseEvent,
  projectOrder,
  toJsonLine,
} from "./steps.ts";

/** The steps of the job, in order, from lines read to lines to be written. */
export function createSteps(customers: Customers): readonly Step[] {
  return [
    { kind: "map", fn: parseEvent },
    { kind: "filter", fn: isOrder },
    { kind: "map", fn: projectOrder },
    { kind: "map", fn: (order: Order) => enrichOrder(order, customers) },
    { kind: "map", fn: toJsonLine },
  ];
}
