/// <reference lib="dom" />
import { followReading } from "./follow_reading.ts";
import { makeScrollable } from "./make_scrollable.ts";
import { startSearch } from "./search.ts";

const { root = "" } = (document.currentScript as HTMLScriptElement).dataset;

startSearch(root);
followReading();
makeScrollable();
