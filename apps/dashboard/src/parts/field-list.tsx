import type { ReactNode } from 'react';

interface FieldListProps {
  /** Pairs of what it is and its value; one without a value is left out. */
  readonly fields: readonly (readonly [label: string, value: ReactNode])[];
}

/** Names and values, as a list of definitions. */
export function FieldList({ fields }: FieldListProps) {
  return (
    <dl className="field-list">
      {fields
        .filter(([, value]) => value !== null)
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
