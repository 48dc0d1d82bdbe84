import { printable } from './format.js';

/** What is not known is not shown. */
export type Facts = readonly (readonly [label: string, value: string | null | undefined])[];

const LABEL_WIDTH = 15;

/** A line for each fact, its value below the others. */
export function presentFacts(facts: Facts): string {
  return facts
    .flatMap(([label, value]) => (value == null ? [] : [`${label.padEnd(LABEL_WIDTH)} ${printable(value)}`]))
    .join('\n');
}
