import { httpSuite } from "../../scenarios/serve_file/http_suite.ts";

httpSuite("node", "stream");
httpSuite("node", "buffer");
