/** What the comment above a setting says. */
export interface SettingComment {
  readonly text: string;
  /** Of its tag `@defaultValue`, where the schema has no default, or one that depends on the machine. */
  readonly defaultValue?: string;
}

/** The comments directly above the settings of a configuration's source, by the name of the setting. */
export function readSettingComments(source: string): ReadonlyMap<string, SettingComment> {
  const commented = source.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*([A-Z][A-Z0-9_]+): /g);
  return new Map([...commented].map(([, comment = '', name = '']) => [name, parseComment(comment)]));
}

function parseComment(comment: string): SettingComment {
  const lines = comment.replaceAll(/\n *\* ?/g, ' ').trim();
  const [text = '', defaultValue] = lines.split(' @defaultValue ');
  return defaultValue === undefined ? { text } : { text, defaultValue };
}
