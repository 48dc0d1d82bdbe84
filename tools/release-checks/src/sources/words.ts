/** A word or suffix that the code base does not use, and the standard term to write instead. */
const replacements: readonly { readonly pattern: RegExp; readonly instead: string }[] = [
  // A comment may break the line between the two words.
  { pattern: /\bby\s+(?:(?:\*|\/\/|--|#|>)\s+)?itself\b/gi, instead: 'automatically, alone or on its own' },
  { pattern: /\banew\b/gi, instead: 'again' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, instead: 'fix' },
  { pattern: /\bdear(?:er)?\b/gi, instead: 'expensive' },
  { pattern: /\bheard\b/gi, instead: 'received, reported or supported' },
  { pattern: /\bladders?\b/gi, instead: 'backoff schedule or steps' },
  { pattern: /\bshelter(?:s|ed|ing)?\b/gi, instead: 'the standard term for what is meant' },
  { pattern: /\bputBy\b/g, instead: 'defer' },
  { pattern: /\bOnceATurn\b/g, instead: 'TickCoalescer' },
  { pattern: /\b\w*[a-z0-9](?:World|Stand)\b/g, instead: 'the suffix Fixture' },
];

/** @returns each avoided word of a text, as `path:line: word, write …` */
export function findAvoidedWords(path: string, text: string): readonly string[] {
  return replacements.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map((match) => {
      const line = text.slice(0, match.index).split('\n').length;
      return `${path}:${line}: ${match[0].replaceAll(/\s+/g, ' ')}, write ${instead}`;
    }),
  );
}

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
