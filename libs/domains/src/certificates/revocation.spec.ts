import { describe, expect, it } from '@jest/globals';
import { evaluateRefusedRevocation, type RevocationFacts, type RevocationVerdict } from './revocation.js';

const now = new Date('2026-11-21T12:00:00.000Z');
const in_ = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
const facts: RevocationFacts = { reason: 'cessation_of_operation', failures: 0, expiresAt: in_(30 * 86_400) };
const error = (name: string) => `urn:ietf:params:acme:error:${name}`;
const retry = (seconds: number, reason = facts.reason): RevocationVerdict => ({
  kind: 'retry',
  dueAt: in_(seconds),
  reason,
});

describe('a revocation that the CA refuses', () => {
  it.each<[string, Partial<RevocationFacts>, string | null, Date | null, RevocationVerdict]>([
    ['is done where the certificate was revoked before', {}, error('alreadyRevoked'), null, { kind: 'revoked' }],
    ['is requested again without the reason', {}, error('badRevocationReason'), null, retry(0, 'unspecified')],
    [
      'changes the reason only once',
      { reason: 'unspecified' },
      error('badRevocationReason'),
      null,
      retry(60, 'unspecified'),
    ],
    ['is tried again in a minute', {}, error('serverInternal'), null, retry(60)],
    ['is tried again in a minute without a problem document', {}, null, null, retry(60)],
    ['is tried less often later', { failures: 1 }, error('unauthorized'), null, retry(600)],
    ['is tried daily after many failures', { failures: 12 }, error('unauthorized'), null, retry(86_400)],
    ['is not tried before the retry time of the CA', {}, error('rateLimited'), in_(7_200), retry(7_200)],
    ['is not tried sooner because the CA allows it', { failures: 2 }, error('rateLimited'), in_(1), retry(6_000)],
    ['ends when the certificate expires', { expiresAt: in_(30) }, error('serverInternal'), null, retry(30)],
  ])('%s', (_case, changes, type, retryAt, verdict) => {
    const problem = { type, retryAt: retryAt?.toISOString() ?? null };
    expect(evaluateRefusedRevocation({ ...facts, ...changes }, problem, now)).toEqual(verdict);
  });
});
