import { httpSuite } from "./http_suite.ts";

httpSuite("web", "stream");
httpSuite("web", "buffer");
