import { pipelinedSuite } from "./pipelined_suite.ts";

pipelinedSuite("web");
pipelinedSuite("node");
