import { describe, expect, it } from '@jest/globals';
import { edgeFeedBatchSchema } from '@pets/contracts';
import { encodePart, type EncodedPart } from './feed-pages.repository.js';
import { RecentBatches, type RecentBatch } from './feed-hub.js';

/** A batch of two parts. */
function batch(after: number, version: number, hostLength = 1): RecentBatch {
  const head = {
    epoch: 'e',
    version,
    thumbprint: null,
    platformCertificate: null,
    compactedVersion: 0,
    isOfOtherCluster: false,
  };
  const entries = [{ host: 'h'.repeat(hostLength), version, route: null }];
  const parts = [false, true].map((isLast) => encodePart({ head, entries, after, isLast }));
  return { after, version, parts };
}

const stepsOf = (parts: readonly EncodedPart[] | undefined) =>
  parts?.map(({ bytes }) => {
    const { after, version, epoch, entries } = edgeFeedBatchSchema.parse(JSON.parse(bytes.toString()));
    expect([epoch, entries]).toEqual(['e', [expect.anything()]]);
    return [after, version];
  });

describe('the recent batches', () => {
  it('begin where a reader is, with the same bytes for all readers there', () => {
    const recent = new RecentBatches();
    const [first, second] = [batch(1, 4), batch(4, 5)];
    recent.addBatch(first);
    recent.addBatch(second);
    expect(recent.since(4)?.map(({ bytes }) => bytes)).toEqual(second.parts.map(({ bytes }) => bytes));
    expect(recent.since(1)?.[0]?.bytes).toBe(first.parts[0]?.bytes);
  });

  it('are written again for a reader in the middle of one', () => {
    const recent = new RecentBatches();
    recent.addBatch(batch(1, 4));
    recent.addBatch(batch(4, 5));
    expect(stepsOf(recent.since(3))).toEqual([
      [3, 3],
      [3, 4],
      [4, 4],
      [4, 5],
    ]);
  });

  it('do not reach behind the oldest or beyond the newest', () => {
    const recent = new RecentBatches();
    recent.addBatch(batch(2, 4));
    expect([recent.since(1), recent.since(4)]).toEqual([undefined, undefined]);
    recent.clear();
    expect(recent.since(2)).toBeUndefined();
  });

  it('drop the oldest beyond a number of bytes', () => {
    const recent = new RecentBatches();
    for (let version = 1; version <= 5; version++) recent.addBatch(batch(version - 1, version, 512 * 1024));
    expect(recent.since(1)).toBeUndefined();
    expect(recent.since(4)).toHaveLength(2);
  });
});
