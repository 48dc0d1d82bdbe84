import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DomainEvents } from '@pets/contracts';
import { describeWhen, isInstalled, type Fault, type Pebble } from '@pets/testing';
import { makeAccountKey } from './certificates.js';
import {
  jobFor,
  makeWorker,
  pointHere,
  startIssuingFixture,
  startPebbleProxy,
  startTrustedPebble,
  type IssuingFixture,
  type PebbleProxy,
} from './issuing-fixture.js';

type Failed = DomainEvents['certificate.failed'];
type Step = readonly [name: string, request: RegExp, stage: Failed['stage'], nth: number];
type CaFault = readonly [name: string, fault: Fault | 'silence', problem: object];

/** Each request of an attempt; the first newAccount only asks whether there is one. */
const steps: readonly Step[] = [
  ['the directory', /^GET \/dir/, 'account', 1],
  ['the first nonce', /^HEAD \/nonce/, 'account', 1],
  ['the look for the account', /^POST \/sign-me-up/, 'account', 1],
  ['the registration', /^POST \/sign-me-up/, 'account', 2],
  ['the order', /^POST \/order-plz/, 'order', 1],
  ['the authorization', /^POST \/authZ/, 'challenge', 1],
  ['the challenge', /^POST \/chalZ/, 'challenge', 1],
  ['the order’s state', /^POST \/my-order/, 'finalize', 1],
  ['finalize', /^POST \/finalize-order/, 'finalize', 1],
  ['the certificate', /^POST \/certZ/, 'chain', 1],
];

const rateLimited = 'urn:ietf:params:acme:error:rateLimited';
const caFaults: readonly CaFault[] = [
  [
    'answers 429',
    {
      kind: 'answered',
      status: 429,
      headers: { 'retry-after': '600', 'content-type': 'application/problem+json' },
      body: JSON.stringify({ type: rateLimited, detail: 'too many requests' }),
    },
    { type: rateLimited, status: 429, detail: 'too many requests', retryAt: expect.any(String) },
  ],
  [
    'answers 500',
    { kind: 'answered', status: 500, body: 'oops' },
    { type: null, status: 500, detail: 'the CA answered with status 500', retryAt: null },
  ],
  [
    'answers a page',
    { kind: 'answered', status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html>' },
    {
      type: null,
      detail: expect.stringMatching(
        /returned text\/html instead of JSON|it has no certificate|no nonce|returned no \w+ URL/,
      ),
    },
  ],
  ['truncated', { kind: 'truncated' }, { type: null, detail: expect.stringContaining('cannot be reached') }],
  ['says nothing', 'silence', { type: null, detail: 'timed out after 45000 ms' }],
];

describeWhen(describe, 'a failing CA', isInstalled('pebble') ? null : 'pebble is not installed', () => {
  let fixture: IssuingFixture;
  let pebble: Pebble;
  let proxy: PebbleProxy;
  let directoryUrl: string;

  beforeAll(async () => {
    fixture = await startIssuingFixture();
    pebble = await startTrustedPebble(fixture);
    proxy = await startPebbleProxy(pebble);
    ({ directoryUrl } = proxy);
  });
  afterAll(async () => {
    await proxy.close();
    await pebble.stop();
    await fixture.stop();
  });
  beforeEach(() => {
    proxy.requests.length = 0;
  });

  // A key of its own: each attempt begins with an account that is not there.
  const newWorker = (key = makeAccountKey()) => makeWorker(fixture, { ACME_ACCOUNT_KEY: [key] });

  const table = steps.flatMap(([step, request, stage, nth]) =>
    caFaults
      // An answer to HEAD has no body that could be truncated or contain a problem.
      .filter(([faultName]) => !(faultName === 'truncated' && step === 'the first nonce'))
      .map(([faultName, fault, problem]) => ({ step, faultName, request, stage, nth, fault, problem }))
      .map((row) =>
        row.faultName === 'answers 429' && row.step === 'the first nonce'
          ? { ...row, problem: { type: null, status: 429, retryAt: expect.any(String) } }
          : row,
      ),
  );

  it.each(table)('that $faultName at $step ends the attempt at that step, and not the next attempt', async (row) => {
    const accountKey = makeAccountKey();
    const worker = newWorker(accountKey);
    const name = pointHere(fixture);
    const job = new AbortController();
    const received = () => job.abort(new Error('timed out after 45000 ms'));
    proxy.fail(row.request, row.fault === 'silence' ? { kind: 'silence', received } : row.fault, row.nth);
    await worker.issuance.issue(await jobFor(name, directoryUrl, worker.thumbprint), job.signal);
    const ordered = !['account', 'gate'].includes(row.stage);
    // An order that the CA has goes on in the next attempt, if only this one's time was up.
    const isContinued = row.fault === 'silence' && ['challenge', 'finalize', 'chain'].includes(row.stage);
    const failed = { stage: row.stage, ordered, gate: null, problem: row.problem };
    expect(worker.events).toMatchObject([
      isContinued
        ? { name: 'certificate.pending', payload: { retryAt: null } }
        : { name: 'certificate.failed', payload: failed },
    ]);
    // Nothing was asked after the spoilt answer, and nothing before it twice.
    expect(proxy.requests.at(-1)).toMatch(row.request);
    expect(proxy.requests.filter((line) => row.request.test(line))).toHaveLength(row.nth);

    // A silent CA delays a process by ten seconds, for all its jobs together. Another process continues.
    const next = row.fault === 'silence' ? newWorker(accountKey) : worker;
    const before = next.events.length;
    await next.issuance.issue(await jobFor(name, directoryUrl, worker.thumbprint), AbortSignal.timeout(20_000));
    expect(next.events.slice(before)).toMatchObject([{ name: 'certificate.issued' }]);
  });
});
