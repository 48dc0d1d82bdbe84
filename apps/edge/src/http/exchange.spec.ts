import { describe, expect, it } from '@jest/globals';
import { withPrivateFields } from './exchange.js';

const [noStore, policy] = ['private, no-store', 'same-origin'];

describe('withPrivateFields', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['nothing', {}, { vary: 'cookie' }],
    ['a file', { etag: '"a"', 'cache-control': 'public, max-age=600' }, { etag: '"a"', vary: 'cookie' }],
    ['a compressed file', { vary: 'accept-encoding' }, { vary: 'accept-encoding, cookie' }],
    ['a file for everybody', { 'access-control-allow-origin': '*' }, { vary: 'cookie' }],
    [
      'a file for one origin',
      { 'access-control-allow-origin': 'https://app.example' },
      { 'access-control-allow-origin': 'https://app.example', vary: 'cookie' },
    ],
  ])('replaces what would share %s', (_name, before, after) =>
    expect(fieldsOf(withPrivateFields(Object.entries(before).flat()))).toEqual({
      'cache-control': noStore,
      'cross-origin-resource-policy': policy,
      ...after,
    }),
  );

  it('keeps the policy of the site for who embeds it', () => {
    const fields = withPrivateFields(['cross-origin-resource-policy', 'cross-origin']);
    expect(fieldsOf(fields)['cross-origin-resource-policy']).toBe('cross-origin');
  });

  it('names every field once', () => {
    const names = withPrivateFields(['vary', 'a', 'cache-control', 'public', 'cache-control', 'b']).filter(
      (_text, at) => at % 2 === 0,
    );
    expect(new Set(names).size).toBe(names.length);
  });
});

function fieldsOf(list: readonly string[]): Record<string, string> {
  return Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] ?? ''] as const] : [])));
}
