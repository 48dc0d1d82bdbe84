import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { evaluateRange } from './byte-range.js';

const part = (first: number, last: number) => ({ kind: 'part', span: { first, last } });

describe('evaluateRange of 10 bytes', () => {
  it.each([
    ['bytes=0-0', part(0, 0)],
    ['bytes=0-9', part(0, 9)],
    ['bytes=2-', part(2, 9)],
    ['bytes=2-99999999999999999999999', part(2, 9)],
    ['bytes=-3', part(7, 9)],
    ['bytes=-99', part(0, 9)],
    ['BYTES= 1-2 ', part(1, 2)],
    ['bytes=10-', { kind: 'unsatisfiable' }],
    ['bytes=99999999999999999999-', { kind: 'unsatisfiable' }],
    ['bytes=-0', { kind: 'unsatisfiable' }],
    [undefined, { kind: 'whole' }],
    ['', { kind: 'whole' }],
    ['bytes=5-2', { kind: 'whole' }],
    ['bytes=0-1,3-4', { kind: 'whole' }],
    ['bytes=0-0, 20-', { kind: 'whole' }],
    ['bytes=-', { kind: 'whole' }],
    ['bytes=a-b', { kind: 'whole' }],
    ['bytes=1.5-2', { kind: 'whole' }],
    ['bytes=0-1;x', { kind: 'whole' }],
    ['lines=0-1', { kind: 'whole' }],
    ['bytes 0-1', { kind: 'whole' }],
  ])('%j', (header, verdict) => expect(evaluateRange(header, 10)).toEqual(verdict));

  it('of nothing has no part', () => {
    expect(evaluateRange('bytes=-5', 0)).toEqual({ kind: 'whole' });
    expect(evaluateRange('bytes=0-', 0)).toEqual({ kind: 'unsatisfiable' });
  });

  it('never leaves the content', () => {
    const header = fc
      .tuple(fc.option(fc.nat(), { nil: '' }), fc.option(fc.nat(), { nil: '' }))
      .map(([a, b]) => `bytes=${a}-${b}`);
    fc.assert(
      fc.property(header, fc.nat(5_000), (range, bytes) => {
        const verdict = evaluateRange(range, bytes);
        if (verdict.kind !== 'part') return;
        const { first, last } = verdict.span;
        expect(first >= 0 && first <= last && last < bytes).toBe(true);
      }),
    );
  });
});
