import {
  FastReadableStream,
  FastTransformStream,
  FastWritableStream,
} from "experimental-fast-webstreams";
import { webShapes } from "../web_shapes.ts";

export const fastWebstreams = webShapes({
  ReadableStream: FastReadableStream as typeof ReadableStream,
  TransformStream: FastTransformStream as typeof TransformStream,
  WritableStream: FastWritableStream as typeof WritableStream,
});
