/**
 * Text from outside (a TXT record, a name, an answer) as it may be shown: control characters, with which it could move
 * the cursor or rewrite lines, are spelled out; so are those that turn the direction of writing.
 */
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
