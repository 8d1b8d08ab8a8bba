export { collectRejections as collectUnhandled } from "../../src/testing/collect_rejections.ts";
