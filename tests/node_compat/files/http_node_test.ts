import { httpSuite } from "./http_suite.ts";

httpSuite("node", "stream");
httpSuite("node", "buffer");
