import { expect, it } from '@jest/globals';
import { nextCursor } from './next-cursor.js';

it.each([
  ['<https://api.example/v1/pets?limit=20&cursor=abc-_1>; rel="next"', 'abc-_1'],
  ['</v1/pets?cursor=x>; rel="next"', 'x'],
  ['</v1/pets>; rel="next"', null],
  ['</v1/docs>; rel="successor-version", </v1/pets?cursor=y>; rel="next"', 'y'],
  ['</v1/docs?cursor=z>; rel="successor-version"', null],
  [null, null],
])('%s', (link, cursor) => expect(nextCursor(link)).toBe(cursor));
