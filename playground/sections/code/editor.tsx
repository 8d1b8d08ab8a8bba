/// <reference lib="dom" />
import { CodeJar } from "codejar";
import type { Signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { highlight } from "./highlight.ts";
import { textOf } from "./text_of.ts";

/** An editor of code. */
export interface EditorOptions {
  /** The code, both ways. */
  readonly code: Signal<string>;
  /** The line to mark. */
  readonly badLine: number | undefined;
  readonly onRun: () => void;
}

/** An editor with numbered lines. */
export function Editor({ code, badLine, onRun }: EditorOptions) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const jar = CodeJar(element.current!, highlight, { tab: "  ", addClosing: false });
    jar.updateCode(code.peek(), false);
    const take = () => code.value = jar.toString();
    jar.onUpdate(take);
    // What is set from outside is put in; what was typed already exists.
    const stop = code.subscribe((text) => {
      if (text !== jar.toString()) jar.updateCode(text, false);
    });
    const field = element.current!;
    const press = (event: KeyboardEvent) => {
      // Tab indents; after Escape it leaves the field, as anywhere.
      if (event.key === "Escape") jar.updateOptions({ catchTab: false });
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        event.stopImmediatePropagation();
        take();
        onRun();
      }
    };
    // What comes by no key, such as dictation: its lines are elements, which the text does not have.
    const takeInput = () => {
      if (field.querySelector("br, div") !== null) jar.updateCode(textOf(field), false);
      take();
    };
    const enter = () => jar.updateOptions({ catchTab: true });
    field.addEventListener("keydown", press, { capture: true });
    field.addEventListener("focus", enter);
    field.addEventListener("input", takeInput);
    return () => {
      stop();
      field.removeEventListener("keydown", press, { capture: true });
      field.removeEventListener("focus", enter);
      field.removeEventListener("input", takeInput);
      jar.destroy();
    };
  }, []);
  const count = code.value.replace(/\n$/, "").split("\n").length;
  return (
    <div class="editor">
      <div class="lines" aria-hidden="true">
        {Array.from(
          { length: count },
          (_, index) => (
            <span key={index} class={index + 1 === badLine ? "bad" : ""}>{index + 1}</span>
          ),
        )}
      </div>
      <div
        ref={element}
        class="field"
        role="textbox"
        tabIndex={0}
        aria-multiline="true"
        aria-label="Your code"
        aria-describedby="editor-hint"
        aria-invalid={badLine !== undefined}
      />
    </div>
  );
}
