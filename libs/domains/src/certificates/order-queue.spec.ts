import { describe, expect, it } from '@jest/globals';
import { orderRank, queueIssue } from './order-queue.js';

const now = new Date('2026-03-01T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);

describe('the rank of an order', () => {
  it.each([
    ['the first certificate', undefined, 1],
    ['a planned renewal', { notBefore: inDays(-60), notAfter: inDays(30) }, 1],
    ['a renewal with little time left', { notBefore: inDays(-70), notAfter: inDays(20) }, 0],
    ['a renewal with a quarter of the lifetime left', { notBefore: inDays(-67.5), notAfter: inDays(22.5) }, 0],
    ['an expired certificate', { notBefore: inDays(-91), notAfter: inDays(-1) }, 0],
  ] as const)('of %s', (_name, certificate, rank) => expect(orderRank(certificate, now)).toBe(rank));
});

describe('the owner reads the place in the queue', () => {
  it.each([
    [0, false, 0, '0 orders are before yours; about a minute.'],
    [1, false, 1 / 24, '1 order is before yours; about 60 minutes.'],
    [142, false, 40 / 1_440, '142 orders are before yours; about 40 minutes.'],
    [300, false, 2 / 24, '300 orders are before yours; about 2 hours.'],
    [9_000, false, 2, '9000 orders are before yours; about 2 days.'],
    [600, false, 0.25, '600 orders are before yours; about 6 hours.'],
    [10_000, true, 4.2, 'more than 10000 orders are before yours; about 4 days.'],
  ])('%d before it', (before, isMore, days, text) => {
    const { message, evidence } = queueIssue({ before, isMore, expectedAt: inDays(days) }, now);
    expect(message).toBe(`The certificate order is queued at the certificate authority: ${text}`);
    expect(evidence.expectedAt).toBe(inDays(days).toISOString());
  });
});
