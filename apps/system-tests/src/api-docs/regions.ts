/**
 * The generated parts of a document: each is between `<!-- begin NAME -->` and `<!-- end NAME -->`.
 */
const region = /^<!-- begin ([\w-]+) -->\n([^]*?)^<!-- end \1 -->$/gm;

/** The names of a document's regions, in order. */
export function regionsOf(text: string): string[] {
  return [...text.matchAll(region)].map(([, name = '']) => name);
}

/**
 * Fills the regions. Where only ids and times differ, the old text stays, so that a document changes only when the interface
 * does.
 * @throws Error for a region that nothing was made for
 */
export function fillRegions(text: string, made: ReadonlyMap<string, string>): string {
  return text.replaceAll(region, (_whole, name: string, old: string) => {
    const content = made.get(name);
    if (content === undefined) throw new Error(`nothing is made for the region ${name}`);
    const fresh = `\n${content.trim()}\n\n`;
    const kept = withPlaceholders(old) === withPlaceholders(fresh) ? old : fresh;
    return `<!-- begin ${name} -->\n${kept}<!-- end ${name} -->`;
  });
}

/** Values that differ between runs, with their placeholders. */
const volatileValues = [
  [/pets_(?:test|live)_…\w{4}/g, '<shown key>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<id>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [/\bcursor=[\w-]+/g, 'cursor=<cursor>'],
  [/^(ratelimit: .*;t=)\d+/gm, '$1<seconds>'],
  [/^(retry-after: )\d+/gm, '$1<seconds>'],
  [/^(traceparent: \d\d-[0-9a-f]{32}-)[0-9a-f]{16}/gm, '$1<step>'],
] as const;

function withPlaceholders(text: string): string {
  return volatileValues.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), text);
}
