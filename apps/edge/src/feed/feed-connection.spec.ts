import { describe, expect, it } from '@jest/globals';
import type { EdgeSessionAck } from '@pets/contracts/edge-feed';
import { SentAcks } from './feed-connection.js';

function ack(sentAtMs: number, version = sentAtMs): EdgeSessionAck {
  const addresses = { httpAddress: '127.0.0.1:80', httpsAddress: '127.0.0.1:443' };
  return { kind: 'ack', edgeId: 'edge-test', epoch: 'e', version, sentAtMs, ...addresses };
}

function sent(...acks: readonly EdgeSessionAck[]): SentAcks {
  const all = new SentAcks();
  for (const one of acks) all.addAck(one);
  return all;
}

describe('SentAcks', () => {
  it('confirms an ack by the time at which it was sent', () => {
    expect(sent(ack(5), ack(7)).confirm(7)).toEqual(ack(7));
  });

  it.each([
    ['ahead of every ack', 8],
    ['between two acks', 6],
    ['before the first ack', 1],
    ['not a number', NaN],
  ])('ignores a time that was never sent: %s', (_name, contactAtMs) => {
    expect(sent(ack(5), ack(7)).confirm(contactAtMs)).toBeUndefined();
  });

  it('confirms an ack and the earlier ones only once', () => {
    const acks = sent(ack(5), ack(6), ack(7));
    acks.confirm(6);
    expect(acks.confirm(6)).toBeUndefined();
    expect(acks.confirm(5)).toBeUndefined();
    expect(acks.confirm(7)).toEqual(ack(7));
  });

  it('confirms the newest of two acks of the same millisecond', () => {
    expect(sent(ack(5, 1), ack(5, 2)).confirm(5)).toEqual(ack(5, 2));
  });

  it('follows a clock that was set back', () => {
    const acks = sent(ack(9), ack(5));
    expect(acks.confirm(5)).toEqual(ack(5));
    expect(acks.confirm(9)).toBeUndefined();
  });

  it('remembers a limited number', () => {
    const acks = sent(...Array.from({ length: 2_000 }, (_, index) => ack(index)));
    expect(acks.confirm(100)).toBeUndefined();
    expect(acks.confirm(1_999)).toEqual(ack(1_999));
  });
});
