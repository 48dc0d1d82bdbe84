/** Webhooks through the complete stack, verified by the library that receivers use. */
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { components } from '@pets/client';
import { describeWhen, waitUntil } from '@pets/testing';
import { Webhook } from 'standardwebhooks';
import { addDomain, at, getDomain, goLive } from './domain-steps.js';
import { startWebhookReceiver, type ReceivedWebhook, type WebhookReceiver } from './webhook-receiver.js';
import { missingServices, openShared, startOnServices, type StackFixture } from './stack-fixtures.js';

jest.setTimeout(180_000);

const SITE = 'docs.notified.com';

type Endpoint = components['schemas']['CreatedWebhookEndpoint'];
type EventType = components['schemas']['WebhookEventType'];

interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly sequence: number;
  readonly data: { readonly id: string | number; readonly state?: string };
}

describeWebhooks('webhooks on PostgreSQL', null, openShared);
describeWebhooks('webhooks on Redis', missingServices(), startOnServices);

function describeWebhooks(name: string, reason: string | null, start: () => Promise<StackFixture>): void {
  describeWhen(describe, name, reason, () => {
    let fixture: StackFixture;
    const receivers: WebhookReceiver[] = [];

    beforeAll(async () => {
      fixture = await start();
    });
    afterEach(async () => {
      for (const receiver of receivers.splice(0)) await receiver.close();
    });
    afterAll(() => fixture?.close());

    async function listen(eventTypes: EventType[], answer: (request: ReceivedWebhook) => number = () => 204) {
      const receiver = await startWebhookReceiver(answer);
      receivers.push(receiver);
      const { data, error } = await fixture.pets.POST('/v1/webhook-endpoints', {
        body: { url: receiver.url, eventTypes },
      });
      if (data === undefined) throw new Error(error.message);
      return { receiver, endpoint: data };
    }
    const came = (receiver: WebhookReceiver, count: number) =>
      waitUntil(() => receiver.requests.length >= count, { timeoutMs: 30_000, message: `${count} webhooks` });
    const createPet = () => fixture.pets.POST('/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
    const pathOf = ({ id }: Pick<Endpoint, 'id'>) => ({ params: { path: { endpointId: id } } });

    it('delivers the events of a domain, in order, with signatures that any receiver can verify', async () => {
      const { receiver, endpoint } = await listen([
        'domain.added',
        'domain.verified',
        'domain.certificate.issued',
        'domain.live',
        'domain.removed',
      ]);
      await goLive(fixture, SITE, await addDomain(fixture, SITE));
      const { id } = await getDomain(fixture, SITE);
      await fixture.pets.DELETE('/v1/projects/{projectId}/domains/{domain}', at(fixture, SITE));
      await came(receiver, 5);
      const verifier = new Webhook(endpoint.secret);
      const messages = receiver.requests.map(({ body, headers }) => verifier.verify(body, headers) as Message);
      expect(messages.map(({ type, sequence, data }) => [sequence, type, data.state, data.id])).toEqual([
        [1, 'domain.added', 'awaiting_dns', id],
        [2, 'domain.verified', 'verified', id],
        [3, 'domain.certificate.issued', 'verified', id],
        [4, 'domain.live', 'live', id],
        [5, 'domain.removed', 'removed', id],
      ]);
    });

    it('sends again what was refused, under the same id, and shows what came of each try', async () => {
      let refusals = 1;
      const { receiver, endpoint } = await listen(['pet.created'], () => (refusals-- > 0 ? 500 : 200));
      const { data: pet } = await createPet();
      await came(receiver, 2);
      const [first, second] = receiver.requests;
      expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
      expect(second?.body).toBe(first?.body);
      const verified = new Webhook(endpoint.secret).verify(second?.body ?? '', second?.headers ?? {}) as Message;
      expect(verified).toMatchObject({ type: 'pet.created', data: pet });
      const list = () => fixture.pets.GET('/v1/webhook-endpoints/{endpointId}/deliveries', pathOf(endpoint));
      await waitUntil(async () => (await list()).data?.[0]?.state === 'delivered', { message: 'the delivery' });
      const attempts = (await list()).data?.[0]?.attempts ?? [];
      expect(attempts.map(({ number, status, error }) => [number, status, error])).toEqual([
        [1, 500, 'answered with status 500'],
        [2, 200, null],
      ]);
    });

    it('signs with both secrets for a day after a rotation, so that receivers lose nothing', async () => {
      const { receiver, endpoint } = await listen(['pet.created']);
      const { data: rotated } = await fixture.pets.POST(
        '/v1/webhook-endpoints/{endpointId}/rotate-secret',
        pathOf(endpoint),
      );
      await createPet();
      await came(receiver, 1);
      const [{ body, headers } = { body: '', headers: {} }] = receiver.requests;
      for (const secret of [endpoint.secret, rotated?.secret ?? '']) {
        expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'pet.created' });
      }
      const stranger = new Webhook(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);
      expect(() => stranger.verify(body, headers)).toThrow();
      expect(() => new Webhook(endpoint.secret).verify(body.replace('Rex', 'Max'), headers)).toThrow();
    });

    it('tries an endpoint, and sends again what somebody wants again', async () => {
      const { receiver, endpoint } = await listen(['domain.live']);
      const { data: sent } = await fixture.pets.POST('/v1/webhook-endpoints/{endpointId}/test', pathOf(endpoint));
      await came(receiver, 1);
      const path = { endpointId: endpoint.id, deliveryId: sent?.id ?? '' };
      const one = '/v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}' as const;
      const find = async () => (await fixture.pets.GET(one, { params: { path } })).data;
      await waitUntil(async () => (await find())?.state === 'delivered', { message: 'the delivery' });
      await fixture.pets.POST(`${one}/replay`, { params: { path } });
      await came(receiver, 2);
      const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
      expect(ids).toEqual([path.deliveryId, path.deliveryId]);
    });
  });
}
