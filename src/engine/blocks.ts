import { MapKernel } from "../kernels/map.ts";
import { blockSize, MapBlock } from "../kernels/map_block.ts";
import type { Stage } from "./stage.ts";

/** Maps in a row that may run as one. */
export interface Block {
  readonly kernel: MapBlock;
  readonly stages: readonly Stage[];
}

/** Finds maps in a row: the block that begins with each stage, if one does. */
export function findBlocks(stages: readonly Stage[]): (Block | undefined)[] {
  const blocks: (Block | undefined)[] = stages.map(() => undefined);
  let from = 0;
  while (from < stages.length) {
    const maps: MapKernel[] = [];
    while (maps.length < blockSize) {
      const kernel = stages[from + maps.length]?.one;
      if (!(kernel instanceof MapKernel)) break;
      maps.push(kernel);
    }
    if (maps.length === blockSize) {
      blocks[from] = { kernel: new MapBlock(maps), stages: stages.slice(from, from + blockSize) };
      from += blockSize;
    } else from += maps.length + 1;
  }
  return blocks;
}
