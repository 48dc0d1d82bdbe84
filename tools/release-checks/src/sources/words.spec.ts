import { describe, expect, it } from '@jest/globals';
import { findAvoidedWords, findFragments } from './words.js';

describe('findAvoidedWords', () => {
  it('names the place of a word and its replacement', () => {
    expect(findAvoidedWords('a.ts', 'one\n// Ask anew.')).toEqual(['a.ts:2: anew, write again']);
  });

  it.each(['Anew', 'it mends', 'by itself', 'by\n * itself', 'by\n-- itself', 'dear', 'heard', 'ladder', 'shelters'])(
    'finds the word in %j',
    (text) => expect(findAvoidedWords('a.ts', text)).toHaveLength(1),
  );

  it.each(['putBy', 'OnceATurn', 'DomainWorld', 'startEdgeStand()'])('finds the identifier in %j', (text) =>
    expect(findAvoidedWords('a.ts', text)).toHaveLength(1),
  );

  it.each(['recommend, amended', 'dearest', 'unheard', 'Hello World', 'understand', 'Standby', 'renewal'])(
    'finds nothing in %j',
    (text) => expect(findAvoidedWords('a.ts', text)).toEqual([]),
  );
});

describe('findFragments', () => {
  it('names the place of a comment and its beginning', () => {
    const source = `const a = 1;\n/** ${'What'} a worker does. */ const b = 2;`;
    expect(findFragments('a.ts', source)).toEqual(['a.ts:2: What a worker does.']);
  });

  it('reads a comment of several lines', () => {
    const source = `/**\n   * ${'Of'} a deployment:\n   * its files.\n   */`;
    expect(findFragments('a.ts', source)).toEqual(['a.ts:1: Of a deployment:']);
  });

  it.each([
    'That its route names; null for that of the feed.',
    'As JSON.',
    'Nobody waits for the disk.',
    'Its secret at the provider.',
    'By domain id.',
    'Why an update failed.',
    'Whose work it is.',
  ])('refuses %j', (text) => expect(findFragments('a.ts', `/** ${text} */`)).toHaveLength(1));

  it.each([
    'Thumbprint that its route names; null for that of the feed.',
    'Returns why an address cannot be listed.',
    'Whether a name is listed.',
    'Asks the resolver.',
    'Item of a list.',
    '@returns what is left',
  ])('accepts %j', (text) => expect(findFragments('a.ts', `/** ${text} */`)).toEqual([]));

  it.each(['// What follows is of another kind.', "const files = 'src/**/On*.ts';", '/* As before. */'])(
    'reads doc comments only: %j',
    (source) => expect(findFragments('a.ts', source)).toEqual([]),
  );
});
