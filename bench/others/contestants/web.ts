import { webShapes } from "../web_shapes.ts";

export const web = webShapes({ ReadableStream, TransformStream, WritableStream });
