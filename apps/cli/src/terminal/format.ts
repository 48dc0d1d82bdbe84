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

const characters = new Intl.Segmenter();

/** Characters that a terminal shows in two cells (Unicode UAX #11). */
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6])/u;

/** The number of cells in which a terminal shows a text without escape sequences. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  return [...characters.segment(text)].reduce((total, { segment }) => total + (wide.test(segment) ? 2 : 1), 0);
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Lines of at most the width, broken at spaces. A longer word is not broken, because it may be copied. */
export function wrap(text: string, width: number): readonly string[] {
  if (widthOf(text) <= width) return [text];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/**
 * A text behind a label, its further lines below its first one.
 * @param width of all; null for one line
 */
export function hang(label: string, text: string, width: number | null): string {
  const indent = widthOf(label);
  const lines = width === null ? [text] : wrap(text, Math.max(1, width - indent));
  return `${label}${lines.join(`\n${' '.repeat(indent)}`)}`;
}

const units = [
  { ms: 24 * 60 * 60_000, name: 'day' },
  { ms: 60 * 60_000, name: 'hour' },
  { ms: 60_000, name: 'minute' },
] as const;

const SECOND_MS = 1_000;

/** Further away, a date says more than a number of days. */
const MAX_RELATIVE_MS = 60 * 24 * 60 * 60_000;

/**
 * `now`, `4 s ago`, `3 minutes ago`, `in 2 hours`; a day in UTC when it is more than two months away.
 * @param instant RFC 3339
 */
export function relativeTime(instant: string, now: Date): string {
  const differenceMs = Date.parse(instant) - now.getTime();
  const distanceMs = Math.abs(differenceMs);
  if (distanceMs > MAX_RELATIVE_MS) return instant.slice(0, 'YYYY-MM-DD'.length);
  if (distanceMs < SECOND_MS) return 'now';
  const distance = describe(distanceMs);
  return differenceMs < 0 ? `${distance} ago` : `in ${distance}`;
}

/** An instant in UTC, as the API writes times in its messages. */
const writtenInstant = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z/g;

/** A message of the API with its times in the local time zone: `until 10:25 (in 15 minutes)`, `on 2026-12-05 (in 3 days)`. */
export function withLocalTimes(text: string, now: Date): string {
  return text.replaceAll(writtenInstant, (instant) => {
    const at = new Date(instant);
    const isNear = Math.abs(at.getTime() - now.getTime()) < MAX_CLOCK_MS;
    const relative = relativeTime(instant, now);
    const shown = isNear ? clock.format(at) : day.format(at);
    return /^\d{4}-/.test(relative) ? shown : `${shown} (${relative})`;
  });
}

/** Nearer times are shown by the clock, others by the day. */
const MAX_CLOCK_MS = 12 * 60 * 60_000;

/** Sweden writes 24 hours, and days as ISO 8601 does. */
const clock = new Intl.DateTimeFormat('sv-SE', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' });

function describe(ms: number): string {
  const unit = units.find((each) => ms >= each.ms);
  if (unit === undefined) return `${Math.floor(ms / SECOND_MS)} s`;
  const count = Math.floor(ms / unit.ms);
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}
