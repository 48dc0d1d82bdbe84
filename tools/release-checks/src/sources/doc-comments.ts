/** First words of a fragment: a doc comment begins with a noun, a verb or "Whether". */
const openings =
  'What|Of|Where|As|Those|Since|That|Also|Nobody|Which|Who|Whose|Its|So|It|They|These|This|There|Whatever|Whoever|Like|' +
  'Both|By|With|Without|At|On|To|Beside|Why|And|Or|But';

const fragment = new RegExp(String.raw`/\*\*\s+(?:\*\s+)?((?:${openings})\b[^\n]*)`, 'g');

/** Finds the doc comments of a source that begin as a fragment, as `path:line: beginning`. */
export function findFragments(path: string, source: string): readonly string[] {
  return [...source.matchAll(fragment)].map(({ 1: beginning = '', index }) => {
    const line = source.slice(0, index).split('\n').length;
    return `${path}:${line}: ${beginning.split('*/')[0]?.trim()}`;
  });
}
