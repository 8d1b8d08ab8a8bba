import { useId } from "preact/hooks";

/** A number that is set by hand. */
export interface SliderOptions {
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
