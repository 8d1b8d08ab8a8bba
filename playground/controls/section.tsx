/// <reference lib="dom" />
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import type { Player, Recorded } from "../gated/player.ts";
import type { ProbeEvent } from "@hosepipe/streams/inspect";
import { describeEvent } from "../words/format.ts";

/** The last events in words, the newest first. */
interface EventLogOptions {
  readonly events: readonly ProbeEvent[];
  /** How many lines are shown. */
  readonly lines?: number;
  /** Whether what is new is to be read out: not while it rushes by. */
  readonly isRead: boolean;
}

/** What happens, for reading and listening. */
export function EventLog({ events, lines = 6, isRead }: EventLogOptions) {
  const shown = events.slice(-lines).reverse();
  return (
    <div
      class="log"
      role="log"
      aria-label="What happened, the newest first"
      aria-live={isRead ? "polite" : "off"}
      aria-relevant="additions"
    >
      <ol>
        {shown.map((event) => <li key={event.seq}>{describeEvent(event)}</li>)}
      </ol>
      {shown.length === 0 && <p>Nothing has happened yet.</p>}
    </div>
  );
}

/** Whose events are shown. */
interface RunLogOptions {
  readonly player: Player;
  readonly recorded: Recorded;
}

/** The log of a run: up to the present, or to what was gone back to. It is read out while the reader steps. */
export function RunLog({ player, recorded }: RunLogOptions) {
  void player.moves.value;
  const past = recorded.past.value;
  const events = past === undefined ? recorded.lastEvents() : past.events.slice(0, past.index + 1);
  return <EventLog events={events} isRead={!player.isPlaying.value} />;
}

/** A number that is set by hand. */
interface SliderOptions {
  readonly label: string;
  readonly value: number;
  readonly minimum: number;
  readonly maximum: number;
  readonly step?: number;
  /** The value in words. */
  readonly text: string;
  readonly onChange: (value: number) => void;
}

/** A slider with its name and its value in words. */
export function Slider({ label, value, minimum, maximum, step, text, onChange }: SliderOptions) {
  const id = useId();
  return (
    <div class="slider">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        min={minimum}
        max={maximum}
        step={step ?? 1}
        value={value}
        aria-valuetext={text}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
      <output for={id}>{text}</output>
    </div>
  );
}

/** One of several, chosen from a list. */
interface ChoiceOptions {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, name: string])[];
  readonly onChange: (value: string) => void;
}

/** A list to choose from, with its name. */
export function Choice({ id, label, value, choices, onChange }: ChoiceOptions) {
  return (
    <div class="choice row">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
      </select>
    </div>
  );
}

/** A section of the page. */
export interface SectionOptions {
  readonly id: string;
  readonly title: string;
  /** What there is to see, in a sentence or two. */
  readonly about: ComponentChildren;
  readonly children: ComponentChildren;
  /** Called when the section comes into sight or leaves it. */
  readonly onSeen?: (isSeen: boolean) => void;
}

/** A section with its heading and what it is about. */
export function Section({ id, title, about, children, onSeen }: SectionOptions) {
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    if (onSeen === undefined) return;
    const observer = new IntersectionObserver(([entry]) => onSeen(entry!.isIntersecting));
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <section id={id} ref={element} aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        <p>{about}</p>
      </header>
      {children}
    </section>
  );
}
