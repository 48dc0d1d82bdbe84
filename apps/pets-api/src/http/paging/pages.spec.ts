import { describe, expect, it } from '@jest/globals';
import { CursorCodec } from './pages.js';

const codec = new CursorCodec('a secret of at least thirty-two characters');
const scope = { path: '/v1/pets', organizationId: 'a', filters: {} };

describe('cursors', () => {
  it.each(['1', '9007199254740993', '9223372036854775807'])('keep the id %s to the last digit', (id) => {
    expect(codec.decode(codec.encode(id, scope), scope)).toBe(id);
  });

  it('belong to their filters, in whatever order these are named', () => {
    const cursor = codec.encode('5', { ...scope, filters: { a: '1', b: '2' } });
    expect(codec.decode(cursor, { ...scope, filters: { b: '2', a: '1' } })).toBe('5');
  });

  it.each([
    ['of another organization', codec.encode('5', { ...scope, organizationId: 'b' })],
    ['of another filter', codec.encode('5', { ...scope, filters: { status: 'sold' } })],
    ['of another list', codec.encode('5', { ...scope, path: '/v1/store/orders' })],
    ['of another installation', new CursorCodec('another secret of thirty-two characters').encode('5', scope)],
    ['forged', Buffer.from('0123456789abcdef5').toString('base64url')],
    ['ours but for a character that decoding passes over', `.${codec.encode('5', scope)}`],
    ['padded', `${codec.encode('5', scope)}=`],
    ['truncated', codec.encode('5', scope).slice(0, 10)],
    ['empty', ''],
  ])('are refused when %s', (_name, cursor) => {
    expect(() => codec.decode(cursor, scope)).toThrow('cursor:');
  });
});
