import { hang } from './wrap.js';

/** Escapes control characters and bidirectional overrides in text from outside, so that it cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** `1 key`, `2 keys` */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** An argument of a command that is shown, in quotes where a shell would change it: the asterisk of a wildcard, a space. */
export function shellWord(text: string): string {
  return /^[\w.:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const INDENT = '  ';

/** Joins non-empty blocks with a blank line. */
export function paragraphs(blocks: readonly string[]): string {
  return blocks.filter((block) => block !== '').join('\n\n');
}

/** An indented block below its title. Empty without a block. */
export function titled(title: string, block: string): string {
  return block === '' ? '' : `${title}\n${block.replaceAll(/^(?=.)/gm, INDENT)}`;
}

/** The width that is left for a block below a title. */
export function indentedWidth(width: number | null): number | null {
  return width === null ? null : Math.max(1, width - INDENT.length);
}

/** Labelled values. Unknown ones are not shown. */
export type Facts = readonly (readonly [label: string, value: string | null | undefined])[];

const LABEL_WIDTH = 15;

/**
 * Each fact behind its label, all values below each other.
 * @param width of the terminal; null where there is none, as in a pipe
 */
export function presentFacts(facts: Facts, width: number | null): string {
  return facts
    .flatMap(([label, value]) =>
      value == null ? [] : [hang(`${label.padEnd(LABEL_WIDTH)} `, printable(value), width)],
    )
    .join('\n');
}
