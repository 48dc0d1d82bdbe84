import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { webhookEventTypes, type CreatedWebhookEndpoint, type Domain, type DomainHistoryEntry } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { renewalSteps } from '../certificates/renewal-steps.js';
import { emptyFindings } from '../scripted-worker.js';
import { PATH } from './webhook-fixture.js';

interface SentEvent {
  readonly type: string;
  readonly sequence: number;
  readonly timestamp: string;
  readonly data: Domain;
}

let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
afterAll(() => fixture.close());

async function listen(more: object = {}, key = fixture.key): Promise<CreatedWebhookEndpoint> {
  const body = { url: 'https://hooks.example.com/', eventTypes: webhookEventTypes, ...more };
  return (await fixture.api.request<CreatedWebhookEndpoint>('POST', PATH, { key, body })).body;
}

/** The recorded events of a domain for an endpoint, in order. */
async function eventsOf(endpointId: string, domainId: string): Promise<SentEvent[]> {
  const rows = await fixture.api.db
    .selectFrom('webhook_deliveries')
    .select('body')
    .where('endpoint_id', '=', endpointId)
    .where('subject_id', '=', domainId)
    .orderBy('number')
    .execute();
  return rows.map(({ body }) => JSON.parse(body) as SentEvent);
}

const typesOf = (events: readonly SentEvent[]) => events.map(({ type }) => type);

describe('the life of a domain', () => {
  it('gets events in order, each with the domain at that time', async () => {
    const { id: endpointId } = await listen();
    const { id } = await renewalSteps(fixture).live();
    await fixture.api.request('DELETE', `${fixture.path()}/${id}`, { key: fixture.key });
    const events = await eventsOf(endpointId, id);
    expect(events.map(({ type, sequence, data }) => [type, sequence, data.state])).toEqual([
      ['domain.added', 1, 'awaiting_dns'],
      ['domain.verified', 2, 'verified'],
      ['domain.certificate.issued', 3, 'verified'],
      ['domain.live', 4, 'live'],
      ['domain.removed', 5, 'removed'],
    ]);
    expect(events.every(({ data }) => data.id === id)).toBe(true);
    expect(events[2]?.data.certificate?.issuer).toContain('Scripted CA');
    const history = await fixture.api.request<DomainHistoryEntry[]>('GET', `${fixture.path()}/${id}/events`, {
      key: fixture.key,
    });
    const removedAt = history.body.find(({ type }) => type === 'owner.removed')?.at;
    expect(events.at(-1)).toMatchObject({ timestamp: removedAt, data: { removedAt, pendingEdges: 0 } });
  });

  it('counts a renewal for one', async () => {
    const { id: endpointId } = await listen({ eventTypes: ['domain.certificate.renewed'] });
    const steps = renewalSteps(fixture);
    const { id, name } = await steps.live();
    await steps.makeDue(id, 'issuance');
    await fixture.issue(id, name);
    await waitUntil(async () => (await eventsOf(endpointId, id)).length > 0, {
      timeoutMs: 15_000,
      message: 'a renewal',
    });
    expect(typesOf(await eventsOf(endpointId, id))).toEqual(['domain.certificate.renewed']);
  });

  it('has a refusal by the CA in it', async () => {
    const { id: endpointId } = await listen({ eventTypes: ['domain.certificate.failed'] });
    const { id, issue } = await fixture.verified();
    await fixture.failIssuance(issue, { type: null, detail: 'down', status: 503, retryAt: null });
    await waitUntil(async () => (await eventsOf(endpointId, id)).length > 0, {
      timeoutMs: 15_000,
      message: 'a refusal',
    });
    const [event] = await eventsOf(endpointId, id);
    expect(event?.data.issues.map(({ code }) => code)).toContain('ca_unavailable');
  });

  it('gets no event for checks that find no record', async () => {
    const { id: endpointId } = await listen();
    const { id } = await fixture.add(fixture.freshName());
    await fixture.check(id, emptyFindings);
    await waitUntil(async () => (await fixture.get(id)).dns.checkedAt !== null, { message: 'the check' });
    expect(typesOf(await eventsOf(endpointId, id))).toEqual(['domain.added']);
  });

  it('gets an event for each domain of a pair', async () => {
    const { id: endpointId } = await listen();
    const body = { name: 'www.pair-of-hooks.com', pair: true };
    const added = await fixture.api.request<Domain>('POST', fixture.path(), { key: fixture.key, body });
    expect(typesOf(await eventsOf(endpointId, added.body.id))).toEqual(['domain.added']);
    expect(typesOf(await eventsOf(endpointId, added.body.pairedWith ?? ''))).toEqual(['domain.added']);
  });
});

describe('an endpoint for one project', () => {
  it('gets events of that project only, and another organization’s endpoint gets none', async () => {
    const stranger = await fixture.tenant();
    const project = await fixture.createProject(fixture.key, true);
    const own = await listen({ projectId: project });
    const theirs = await listen({}, stranger.key);
    const elsewhere = await fixture.add(fixture.freshName());
    const body = { name: fixture.freshName() };
    const here = await fixture.api.request<Domain>('POST', fixture.path(project), { key: fixture.key, body });
    expect(await eventsOf(own.id, elsewhere.id)).toEqual([]);
    expect(typesOf(await eventsOf(own.id, here.body.id))).toEqual(['domain.added']);
    expect(await eventsOf(theirs.id, here.body.id)).toEqual([]);
  });
});
