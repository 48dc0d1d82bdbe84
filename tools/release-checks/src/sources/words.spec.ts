import { describe, expect, it } from '@jest/globals';
import { findAvoidedWords } from './words.js';

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
