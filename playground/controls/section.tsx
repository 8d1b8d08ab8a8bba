/// <reference lib="dom" />
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

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
