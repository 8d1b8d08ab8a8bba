import { httpSuite, ownServer } from "./http_suite.ts";

httpSuite(ownServer("web", "stream"));
httpSuite(ownServer("web", "buffer"));
