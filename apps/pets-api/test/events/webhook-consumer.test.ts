import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  webhookEventTypes,
  type CreatedWebhookEndpoint,
  type DnsFindings,
  type Domain,
  type ExpectedDns,
} from '@pets/contracts';
import type { Consumer } from '@pets/messaging';
import { waitUntil } from '@pets/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import { PublicAddresses } from '../../src/names/public-addresses.js';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { renewalSteps } from '../certificates/renewal-steps.js';
import {
  emptyFindings,
  flattenedFindings,
  flattenedWithProof,
  gateOf,
  matchingFindings,
  orderOf,
} from '../scripted-worker.js';
import { PATH } from './webhook-fixture.js';

/**
 * A consumer that gets every event and never asks the API knows what the API would answer, whatever becomes of the DNS. The
 * changes are the same in each run; another seed makes others.
 */
const SEED = 7;
const DOMAINS = 5;
const CHANGES = 20;
/** A CA takes five orders of a name in a day. */
const MAX_ORDERS = 5;

interface SentEvent {
  readonly sequence: number;
  readonly data: Domain;
}

/** A missing record, a lookup that failed and steps that take moments have no event: nobody has to do anything about them. */
const isPublished = ({ code, severity, blocking }: Domain['issues'][number]) =>
  severity === 'error' ||
  (severity === 'warning' && blocking && code !== 'resolver_failed') ||
  code === 'address_retiring';

/** Returns the facts that the consumer has to know of a domain. */
const knownOf = ({ state, misconfigured, issues, certificate }: Domain) => ({
  state,
  misconfigured,
  issues: issues.flatMap((issue) => (isPublished(issue) ? [issue.code] : [])).sort(),
  certificate: certificate && [certificate.notBefore, certificate.notAfter],
});

const answer = (
  findings: DnsFindings,
  type: 'A' | null,
  to: DnsFindings['lookups'][number]['answer'],
): DnsFindings => ({
  ...findings,
  lookups: findings.lookups.map((lookup) =>
    type === null || lookup.type === type ? { ...lookup, answer: to } : lookup,
  ),
});
const address = (value: string) => ({ kind: 'found' as const, records: [{ value, ttl: 60 }] });

/** Address of ours that is retiring. */
const OLD_ADDRESS = '198.51.100.99';
const atOldAddress = (findings: DnsFindings, name: string): DnsFindings => ({
  ...findings,
  lookups: findings.lookups.map((lookup) =>
    lookup.name === name && lookup.type === 'A' ? { ...lookup, answer: address(OLD_ADDRESS) } : lookup,
  ),
});

/** Findings that the DNS of a name may be changed to. */
const zones: Record<string, (expected: ExpectedDns, token: string) => DnsFindings> = {
  right: matchingFindings,
  'right, too': matchingFindings,
  elsewhere: (expected) => matchingFindings({ ...expected, targetHost: 'other.example.net' }),
  empty: emptyFindings,
  'another address': (expected) => answer(emptyFindings(expected), 'A', address('203.0.113.7')),
  'a proxy': (expected) => answer(emptyFindings(expected), 'A', address('104.16.1.1')),
  silent: (expected) => answer(emptyFindings(expected), null, { kind: 'failed', error: 'SERVFAIL' }),
  flattened: flattenedFindings,
  'at an address that is given up': (expected) => atOldAddress(flattenedFindings(expected), expected.name),
  proven: (expected, token) =>
    expected.ownershipHost === null ? flattenedFindings(expected) : flattenedWithProof(expected, token),
};
const changes = fc.record({
  zone: fc.constantFrom(...Object.keys(zones)),
  order: fc.constantFrom('none', 'issued', 'refused', 'forbidden by CAA'),
});

let fixture: DomainFixture;
let consumer: Consumer;
const received = new Map<string, SentEvent>();

beforeAll(async () => {
  fixture = await shareDomainFixture();
  await sql`insert into public_addresses (address, retiring_since) values (${OLD_ADDRESS}::inet, now() - interval '2 days')`.execute(
    fixture.api.db,
  );
  await fixture.api.service(PublicAddresses).refresh();
  const { messaging } = fixture.api;
  consumer = messaging.processWebhookJobs(
    {
      'deliver-webhook': async ({ body, deliveryId, attempt }) => {
        const event = JSON.parse(body) as SentEvent;
        const { data, sequence } = event;
        if (sequence > (received.get(data.id)?.sequence ?? 0)) received.set(data.id, event);
        const answer = { status: 204, error: null, retryAt: null, bodyStart: null };
        const ended = { ...answer, durationMs: 1, requestHeaders: null, responseHeaders: null };
        await messaging.events.emit('webhook.attempted', {
          deliveryId,
          attempt,
          at: new Date().toISOString(),
          ...ended,
        });
      },
    },
    { concurrency: 4 },
  );
});
afterAll(async () => {
  await consumer.close();
  await fixture.close();
});

/** Answers the order that is due: the first one, its retry, or a renewal. */
async function answerOrder(id: string, order: string): Promise<void> {
  const steps = renewalSteps(fixture);
  await steps.untilApplied(id, 'issuance', async () => {
    await fixture.makeDue(id, 'issuance');
    const job = await fixture.worker.nextJob('issue-certificate', id);
    if (order === 'issued') return fixture.sign(job, job.expected.name);
    if (order === 'refused')
      return fixture.failIssuance(job, { type: null, detail: 'try again', status: 503, retryAt: null });
    const caa = { kind: 'forbids' as const, at: 'example.com', records: ['0 issue ";"'], permitting: 'x' };
    const gate = gateOf(matchingFindings(job.expected), { caa });
    const failed = { method: null, stage: 'gate' as const, ordered: false, problem: null, gate, order: null };
    await fixture.api.messaging.events.emit('certificate.failed', { ...orderOf(job), ...failed });
  });
  if (order === 'issued') await steps.prove(id);
}

/** The newest event of a domain, as it is recorded with the change. */
async function newestOf(domainId: string): Promise<Domain | undefined> {
  const row = await fixture.api.db
    .selectFrom('webhook_deliveries')
    .select('body')
    .where('subject_id', '=', domainId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && (JSON.parse(row.body) as SentEvent).data;
}

it('knows each domain as the API does', async () => {
  const body = { url: 'https://hooks.example.com/', eventTypes: webhookEventTypes };
  await fixture.api.request<CreatedWebhookEndpoint>('POST', PATH, { key: fixture.key, body });
  const walks = fc.sample(fc.array(changes, { minLength: CHANGES, maxLength: CHANGES }), {
    seed: SEED,
    numRuns: DOMAINS,
  });
  const ids = await Promise.all(
    walks.map(async (walk, nth) => {
      const { id, ownership } = await fixture.add(nth % 2 === 0 ? fixture.freshName() : `consumer-${nth}.com`);
      let orders = 0;
      for (const { zone, order } of walk) {
        await renewalSteps(fixture).untilApplied(id, 'dns', async () => {
          await fixture.makeDue(id, 'dns');
          await fixture.check(id, (expected) => zones[zone]?.(expected, ownership.record?.value ?? '') as DnsFindings);
        });
        const { state } = await fixture.get(id);
        if (order !== 'none' && (state === 'verified' || state === 'live') && orders++ < MAX_ORDERS)
          await answerOrder(id, order);
        const now = await fixture.get(id);
        expect([zone, order, knownOf((await newestOf(id)) ?? now)]).toEqual([zone, order, knownOf(now)]);
      }
      return id;
    }),
  );
  await waitUntil(
    async () => {
      const pending = fixture.api.db.selectFrom('webhook_deliveries').select('id').where('state', '=', 'pending');
      return (await pending.execute()).length === 0;
    },
    { timeoutMs: 15_000, message: 'the end of the deliveries' },
  );
  const domains = await Promise.all(ids.map((id) => fixture.get(id)));
  expect(domains.map(({ id }) => knownOf((received.get(id) as SentEvent).data))).toEqual(domains.map(knownOf));
  // The walks reach what they are about.
  const types = await fixture.api.db.selectFrom('webhook_deliveries').select('type').distinct().execute();
  expect(types.map(({ type }) => type)).toEqual(
    expect.arrayContaining([
      'domain.live',
      'domain.misconfigured',
      'domain.recovered',
      'domain.issues_resolved',
      'domain.address_retiring',
    ]),
  );
});
