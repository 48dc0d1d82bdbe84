import { describe, expect, it } from '@jest/globals';
import type { DnsAnswer, DomainEvents, ExpectedDns } from '@pets/contracts';
import { absent, findings, found, onServer, sub } from '../../test/dns-findings.js';
import type { ClassifiedFailure } from '../certificates/classify-failure.js';
import {
  afterPlatformRenewalInfo,
  evaluatePlatformFailure,
  nextPlatformOrder,
  platformDelegation,
  platformNames,
} from './platform-certificate.js';

const now = new Date('2026-03-01T12:00:00Z');
const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

it.each([
  ['sites.example.com', { name: '*.sites.example.com', apexName: 'example.com' }],
  ['Example.com', { name: '*.example.com', apexName: 'example.com' }],
  ['pets.localhost', { name: '*.pets.localhost', apexName: 'pets.localhost' }],
  ['a.example.test', { name: '*.a.example.test', apexName: 'example.test' }],
  ['github.io', { name: '*.github.io', apexName: 'github.io' }],
])('names the certificate of %s', (domain, names) => expect(platformNames(domain)).toEqual(names));

it('delegates to a fixed name', () =>
  expect(platformDelegation('sites.example.com', 'acme.example.com')).toEqual({
    host: '_acme-challenge.sites.example.com',
    target: 'platform.acme.example.com',
  }));

describe('evaluatePlatformFailure', () => {
  const name = '*.example.com';
  const delegation = platformDelegation('example.com', 'acme.example.net');
  const expected = { ...sub, name, delegation };
  const failedAt: DomainEvents['certificate.failed'] = {
    ...{ domainId: 'd', generation: 1, attempt: 1, directoryUrl: 'https://ca.test/dir' },
    ...{ stage: 'finalize', ordered: true, method: null, gate: null, order: null },
    problem: { type: null, detail: 'the CA is down', status: 503, retryAt: null },
  };
  const preflight = (answer: DnsAnswer): DomainEvents['certificate.failed'] => ({
    ...failedAt,
    stage: 'gate',
    gate: {
      ...{ methods: ['dns-01'], caa: null, reachability: [], challengeError: 'ENOTFOUND' },
      dns: findings(onServer('r1', [[delegation.host, 'CNAME', answer]])),
    } as never,
  });
  const issueOf = (event: DomainEvents['certificate.failed'], expectedDns: ExpectedDns = expected) =>
    evaluatePlatformFailure(event, expectedDns).issue?.code;

  it.each<[string, DnsAnswer, string]>([
    ['lacks the delegation', absent, 'delegation_missing'],
    ['has the delegation, and the challenge is not there', found(delegation.target), 'challenge_not_published'],
  ])('names the record that the operator has to create: a preflight that %s', (_case, answer, code) => {
    expect(issueOf(preflight(answer))).toBe(code);
  });

  it('names the problem of the CA', () => {
    expect(issueOf(failedAt)).toBe('ca_unavailable');
    expect(evaluatePlatformFailure(failedAt, expected).failure).toMatchObject({ class: 'passing' });
  });

  it('knows no record without a zone for challenges', () => {
    expect(issueOf(preflight(found(delegation.target)), { ...expected, delegation: null })).toBe(
      'challenge_not_published',
    );
  });
});

describe('nextPlatformOrder', () => {
  const failure = (kind: ClassifiedFailure['class'], retryAt: Date | null = null) =>
    ({ class: kind, issues: [], retryAt }) satisfies ClassifiedFailure;
  const failed = { failure: failure('passing'), isPreflightFailure: false, hasOtherCa: false, failuresInARow: 0 };

  it.each([
    ['a preflight in a minute', { isPreflightFailure: true, failuresInARow: 3 }, MINUTE, 3],
    ['at another CA in a second', { hasOtherCa: true }, 1, 0],
    ['after a minute', {}, MINUTE, 1],
    ['after ten minutes', { failuresInARow: 1 }, 10 * MINUTE, 2],
    ['daily in the end', { failuresInARow: 9 }, DAY, 10],
    ['daily what a CA refuses for good', { failure: failure('final') }, DAY, 1],
    ['no sooner than the CA says', { failure: failure('passing', inSeconds(3 * DAY)) }, 3 * DAY, 1],
    ['later at a limit without a time', { failure: failure('rate') }, 10 * MINUTE, 1],
  ])('repeats %s', (_name, changed, seconds, failuresInARow) =>
    expect(nextPlatformOrder({ ...failed, ...changed }, now)).toEqual({ dueAt: inSeconds(seconds), failuresInARow }),
  );
});

describe('afterPlatformRenewalInfo', () => {
  const planned = {
    certificate: { notBefore: inSeconds(-30 * DAY), notAfter: inSeconds(60 * DAY) },
    dueAt: inSeconds(30 * DAY),
    ordersAt: [],
    jitter: 0.5,
  };
  const window = { start: inSeconds(2 * DAY), end: inSeconds(4 * DAY) };
  const info = { window, retryAt: null, hasFailed: false };

  it('moves the renewal into the window', () =>
    expect(afterPlatformRenewalInfo(info, planned, now)).toEqual({
      dueAt: inSeconds(3 * DAY),
      infoDueAt: inSeconds(9 * 60 * MINUTE),
    }));

  it('renews at once when the window has passed, as after a revocation by the CA', () => {
    const passed = { start: inSeconds(-2 * DAY), end: inSeconds(-DAY) };
    expect(afterPlatformRenewalInfo({ ...info, window: passed }, planned, now).dueAt).toEqual(now);
    const ordersAt = Array.from({ length: 5 }, (_, index) => inSeconds(-3_600 + index));
    expect(afterPlatformRenewalInfo({ ...info, window: passed }, { ...planned, ordersAt }, now).dueAt).toEqual(
      inSeconds(DAY - 3_600),
    );
  });

  it('changes no attempt that runs or has failed', () =>
    expect(afterPlatformRenewalInfo(info, { ...planned, dueAt: null }, now).dueAt).toBeNull());

  it('asks a CA without renewal information no more, and another one later after a failure', () => {
    expect(afterPlatformRenewalInfo({ ...info, window: null }, planned, now)).toEqual({ dueAt: null, infoDueAt: null });
    const failed = afterPlatformRenewalInfo({ window: null, retryAt: null, hasFailed: true }, planned, now);
    expect(failed).toEqual({ dueAt: null, infoDueAt: inSeconds((1 + 0.5 / 4) * 3_600) });
  });
});
