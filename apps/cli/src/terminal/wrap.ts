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
