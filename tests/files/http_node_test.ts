import { httpSuite, ownServer } from "./http_suite.ts";

httpSuite(ownServer("node", "stream"));
httpSuite(ownServer("node", "buffer"));
