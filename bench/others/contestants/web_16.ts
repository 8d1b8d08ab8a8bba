import { webShapes } from "../web_shapes.ts";

const classes = { ReadableStream, TransformStream, WritableStream };

export const web16 = webShapes({ ...classes, highWaterMark: 16 });
