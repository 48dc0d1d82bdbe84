/** An argument of a command that is shown, in quotes where a shell would change it: the asterisk of a wildcard, a space. */
export function shellWord(text: string): string {
  return /^[\w.:@/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
