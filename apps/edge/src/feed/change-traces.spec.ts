import { describe, expect, it } from '@jest/globals';
import type { FeedBatch } from '../store/route-changes.js';
import { tracesIn } from './change-traces.js';

const traceOf = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;
const [one, two] = [traceOf('1'), traceOf('2')];

function batch(entries: readonly (readonly [host: string, version: number, traceparent?: string])[]): FeedBatch {
  return {
    ...{ kind: 'batch', epoch: 'e', protocol: 1, after: 4, version: 5, thumbprint: null, platformCertificate: null },
    entries: entries.map(([host, version, traceparent]) => ({
      ...{ host, version, route: null },
      ...(traceparent !== undefined && { traceparent }),
    })),
  };
}

describe('the traces in a batch', () => {
  it('are returned once each, with their hosts', () => {
    const traces = tracesIn(
      batch([
        ['a', 5, one],
        ['b', 5, two],
        ['c', 5, one],
        ['d', 5],
      ]),
    );
    expect([...traces]).toEqual([
      [one, ['a', 'c']],
      [two, ['b']],
    ]);
  });

  it('are not those of states that come again with the next batch', () => {
    expect([...tracesIn(batch([['a', 6, one]]))]).toEqual([]);
  });

  it('have a bound', () => {
    const many = Array.from({ length: 100 }, (_, index) => [`host-${index}`, 5, traceOf('a') + index] as const);
    expect(tracesIn(batch(many)).size).toBe(64);
  });
});
