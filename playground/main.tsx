/// <reference lib="dom" />
import { render } from "preact";
import { Backpressure } from "./sections/backpressure/backpressure.tsx";
import { Code } from "./sections/code/code.tsx";
import { Compare } from "./sections/compare/compare.tsx";
import { Concurrency } from "./sections/concurrency/concurrency.tsx";
import { Hundred } from "./sections/hundred/hundred.tsx";
import { Ignoring } from "./sections/ignoring/ignoring.tsx";
import { MarksSection } from "./sections/marks/marks.tsx";
import { BesideNodeSection } from "./sections/node/node.tsx";
import { RecordingSection } from "./sections/recording/recording.tsx";
import { Threads } from "./sections/threads/threads.tsx";

const links = [
  ["backpressure", "Backpressure"],
  ["code", "Your code"],
  ["ignoring", "Ignoring it"],
  ["marks", "Reading ahead"],
  ["compare", "Two settings"],
  ["concurrency", "Concurrency"],
  ["node", "Web and Node"],
  ["hundred", "100 stages"],
  ["threads", "Threads"],
  ["recording", "Recordings"],
] as const;

/** The whole page. */
function App() {
  return (
    <>
      <a class="skip" href="#backpressure">Skip to the first section</a>
      <header class="top">
        <a class="brand" href="#top">hosepipe</a>
        <nav aria-label="Sections">
          {links.map(([id, name]) => <a key={id} href={`#${id}`}>{name}</a>)}
        </nav>
      </header>
      <main id="top">
        <div class="hero">
          <h1>See a stream breathe</h1>
          <p>
            Every stream has buffers that no API shows. Here are those of your own browser, watched
            by hosepipe's <code>probe</code>. Nothing is simulated, nothing leaves this page.
          </p>
        </div>
        <Backpressure />
        <Code />
        <Ignoring />
        <MarksSection />
        <Compare />
        <Concurrency />
        <BesideNodeSection />
        <Hundred />
        <Threads />
        <RecordingSection />
      </main>
      <footer>
        <p>
          Made with{" "}
          <a href="https://github.com/hosepipe/streams">hosepipe</a>, pipelines on the web's
          streams.
        </p>
      </footer>
    </>
  );
}

render(<App />, document.querySelector("#app")!);
