import { describe, expect, it } from '@jest/globals';
import { CursorCodec } from './cursor.js';

const codec = new CursorCodec('a secret of at least thirty-two characters');
const scope = { organizationId: 'a', status: undefined };

describe('cursors', () => {
  it.each([1n, 9_007_199_254_740_993n, 2n ** 63n - 1n])('keep the id %d to the last digit', (id) => {
    expect(codec.decode(codec.encode(id, scope), scope)).toBe(id);
  });

  it.each([
    ['of another organization', codec.encode(5n, { ...scope, organizationId: 'b' })],
    ['of another filter', codec.encode(5n, { ...scope, status: 'sold' })],
    ['of another installation', new CursorCodec('another secret of thirty-two characters').encode(5n, scope)],
    ['forged', Buffer.from('0123456789abcdef5').toString('base64url')],
    ['truncated', codec.encode(5n, scope).slice(0, 10)],
    ['empty', ''],
  ])('are refused when %s', (_name, cursor) => {
    expect(() => codec.decode(cursor, scope)).toThrow('cursor:');
  });
});
