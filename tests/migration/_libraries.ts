import type { Row } from "./_row.ts";
import { rowsOfEffect } from "./_rows_of_effect.ts";
import { rowsOfIt } from "./_rows_of_it.ts";
import { rowsOfNode } from "./_rows_of_node.ts";
import { rowsOfPMap } from "./_rows_of_p_map.ts";
import { rowsOfRxjs } from "./_rows_of_rxjs.ts";
import { rowsOfStd } from "./_rows_of_std.ts";
import { rowsOfStreamingIterables } from "./_rows_of_streaming_iterables.ts";

/** What users come from, in the order of the table. */
export const libraries: readonly { readonly name: string; readonly rows: readonly Row[] }[] = [
  { name: "Node", rows: rowsOfNode },
  { name: "RxJS", rows: rowsOfRxjs },
  { name: "streaming-iterables", rows: rowsOfStreamingIterables },
  { name: "it-*", rows: rowsOfIt },
  { name: "@std/streams", rows: rowsOfStd },
  { name: "p-map", rows: rowsOfPMap },
  { name: "Effect", rows: rowsOfEffect },
];
