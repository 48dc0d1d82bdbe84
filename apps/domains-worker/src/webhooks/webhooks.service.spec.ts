import { describe, expect, it } from '@jest/globals';
import { WEBHOOK_ANSWER_BYTES, WEBHOOK_HEADERS_BYTES } from '@pets/contracts';
import { boundBody, boundHeaders } from './webhooks.service.js';

describe('headers of a response', () => {
  it('are kept in order, repeated ones in one line', () => {
    expect(Object.entries(boundHeaders({ server: 'nginx', vary: ['a', 'b'], missing: undefined }))).toEqual([
      ['server', 'nginx'],
      ['vary', 'a, b'],
    ]);
  });

  it('are kept without cookies and credentials', () => {
    const secret = { 'set-cookie': ['session=1'], Authorization: 'Bearer x', 'x-api-key': 'k' };
    expect(boundHeaders({ ...secret, server: 'nginx' })).toEqual({ server: 'nginx' });
  });

  it('are bounded, one value and all together', () => {
    const long = boundHeaders({ a: 'x'.repeat(10_000) });
    expect(long['a']).toHaveLength(256);
    const many = boundHeaders(Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`x-${n}`, 'y'.repeat(200)])));
    const size = Object.entries(many).flat().join('').length;
    expect(size).toBeLessThanOrEqual(WEBHOOK_HEADERS_BYTES);
    expect(size).toBeGreaterThan(WEBHOOK_HEADERS_BYTES - 300);
  });
});

describe('the start of a body', () => {
  it.each([
    ['is text as it is', 'thanks', 'thanks'],
    ['has no NUL, which PostgreSQL refuses', 'a\0b', 'a\u{fffd}b'],
    ['has no signing secret', '{"WEBHOOK_SECRET":"whsec_AbC+/12=="}', '{"WEBHOOK_SECRET":"whsec_…"}'],
    ['has no start of a signing secret', `${'x'.repeat(1_010)}whsec_AbCdEfGhIj`, `${'x'.repeat(1_010)}whsec_…`],
  ])('%s', (_name, sent, kept) => {
    expect(boundBody(Buffer.from(sent))).toBe(kept);
  });

  it('is bounded, and no character is cut into an invalid one', () => {
    const kept = boundBody(Buffer.from('💥'.repeat(1_000)));
    expect(kept.length).toBeLessThanOrEqual(WEBHOOK_ANSWER_BYTES);
    expect(kept.isWellFormed()).toBe(true);
    expect(boundBody(Buffer.alloc(5_000, 0xff))).toHaveLength(WEBHOOK_ANSWER_BYTES);
  });
});
