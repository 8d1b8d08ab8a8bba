/** One of several, chosen from a list. */
export interface ChoiceOptions {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, name: string])[];
  readonly onChange: (value: string) => void;
}

/** A list to choose from, with its name. */
export function Choice({ id, label, value, choices, onChange }: ChoiceOptions) {
  return (
    <div class="choice">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {choices.map(([value, name]) => <option key={value} value={value}>{name}</option>)}
      </select>
    </div>
  );
}
