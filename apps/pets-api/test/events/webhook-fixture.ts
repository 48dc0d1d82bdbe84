import { createHmac } from 'node:crypto';
import type {
  ApiError,
  CreatedWebhookEndpoint,
  DomainEvents,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEventType,
  WebhookJobs,
} from '@pets/contracts';
import type { Messaging } from '@pets/messaging';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { startTestApi, type ApiResponse, type TestApi } from '../harness.js';

export type DeliverJob = WebhookJobs['deliver-webhook'];

export const PATH = '/v1/webhook-endpoints';

/** Stands where the worker would send from: takes real jobs from the real queue, and the test says what was answered. */
export interface ScriptedSender {
  /** The oldest job to a URL that was not taken yet; waits for it. */
  nextJob(url: string): Promise<DeliverJob>;
  /** How many jobs have come, taken or not. */
  count(): number;
  answer(job: DeliverJob, attempted: Partial<DomainEvents['webhook.attempted']>): Promise<void>;
  close(): Promise<void>;
}

export function startScriptedSender(messaging: Messaging): ScriptedSender {
  const waiting: DeliverJob[] = [];
  let came = 0;
  const take = async (job: DeliverJob) => void ((came += 1), waiting.push(job));
  const consumer = messaging.processWebhookJobs({ 'deliver-webhook': take }, { concurrency: 4 });
  return {
    nextJob: async (url) => {
      const find = () => waiting.findIndex((job) => job.url === url);
      await waitUntil(() => find() >= 0, { timeoutMs: 15_000, message: `a request to ${url}` });
      const [job] = waiting.splice(find(), 1);
      if (job === undefined) throw new Error('the job has gone');
      return job;
    },
    count: () => came,
    answer: ({ deliveryId, attempt }, attempted) =>
      messaging.events.emit('webhook.attempted', {
        deliveryId,
        attempt,
        at: new Date().toISOString(),
        status: null,
        error: null,
        durationMs: 5,
        retryAt: null,
        bodyStart: null,
        requestHeaders: null,
        responseHeaders: null,
        ...attempted,
      }),
    close: () => consumer.close(),
  };
}

interface PetDelivery {
  readonly endpoint: CreatedWebhookEndpoint;
  readonly job: DeliverJob;
  readonly petId: number;
}

/** An API, a scripted sender and an organization. */
export interface WebhookFixture {
  readonly api: TestApi;
  readonly sender: ScriptedSender;
  readonly key: string;
  /** A URL that no other endpoint of the fixture has. */
  freshUrl(): string;
  create(eventTypes: readonly WebhookEventType[], more?: object): Promise<CreatedWebhookEndpoint>;
  get(id: string): Promise<WebhookEndpoint>;
  change<Body = ApiError>(id: string, change: object): Promise<ApiResponse<Body>>;
  createPet(): Promise<number>;
  /** Creates an endpoint and an animal. @returns them, with the job of the delivery */
  createPetDelivery(): Promise<PetDelivery>;
  deliveries(endpointId: string, query?: string): Promise<WebhookDelivery[]>;
  delivery(endpointId: string, id: string): Promise<WebhookDelivery>;
  /** Waits until a delivery is as the test wants it. */
  untilDelivery(endpointId: string, id: string, is: (delivery: WebhookDelivery) => boolean): Promise<WebhookDelivery>;
  /** Deletes all endpoints, so that none gets events of other tests. */
  clear(): Promise<void>;
  /** Makes the next attempt due now, and ends the lease of a running one. */
  makeDue(deliveryId: string): Promise<void>;
  close(): Promise<void>;
}

/** The signature that a request has to have. */
export function signatureOf(secret: string, { headers, body }: Pick<DeliverJob, 'headers' | 'body'>): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

export const isDelivered = ({ state }: WebhookDelivery): boolean => state === 'delivered';

/** Whether so many attempts have failed, and another is scheduled. */
export const hasFailures =
  (count: number) =>
  ({ attempts, nextAttemptAt }: WebhookDelivery): boolean =>
    attempts.length === count && nextAttemptAt !== null;

export async function startWebhookFixture(settings: Record<string, string> = {}): Promise<WebhookFixture> {
  const api = await startTestApi(settings);
  const sender = startScriptedSender(api.messaging);
  const { key } = await api.createOrganization('pro');
  let count = 0;
  // Each has a receiver of its own: requests to one are limited together.
  const freshUrl = () => `https://hooks-${++count}.example.com/`;
  const delivery: WebhookFixture['delivery'] = async (endpointId, id) =>
    (await api.request<WebhookDelivery>('GET', `${PATH}/${endpointId}/deliveries/${id}`, { key })).body;
  const create: WebhookFixture['create'] = async (eventTypes, more) => {
    const body = { url: freshUrl(), eventTypes, ...more };
    const made = await api.request<CreatedWebhookEndpoint>('POST', PATH, { key, body });
    if (made.status !== 201) throw new Error(made.text);
    return made.body;
  };
  const createPet = async () => {
    const body = { name: 'Rex', categoryId: 1 };
    return (await api.request<{ id: number }>('POST', '/v1/pets', { key, body })).body.id;
  };
  const change: WebhookFixture['change'] = (id, body) => api.request('PATCH', `${PATH}/${id}`, { key, body });
  return {
    api,
    sender,
    key,
    freshUrl,
    create,
    get: async (id) => (await api.request<WebhookEndpoint>('GET', `${PATH}/${id}`, { key })).body,
    change,
    createPet,
    createPetDelivery: async () => {
      const endpoint = await create(['pet.created']);
      const petId = await createPet();
      const job = await sender.nextJob(endpoint.url);
      // It gets no events of other animals.
      await change(endpoint.id, { eventTypes: ['domain.live'] });
      return { endpoint, job, petId };
    },
    deliveries: async (endpointId, query = '') =>
      (await api.request<WebhookDelivery[]>('GET', `${PATH}/${endpointId}/deliveries${query}`, { key })).body,
    delivery,
    untilDelivery: (endpointId, id, is) =>
      waitUntil(
        async () => {
          const found = await delivery(endpointId, id);
          return is(found) ? found : null;
        },
        { timeoutMs: 15_000, message: 'the delivery' },
      ),
    clear: async () => {
      await sql`delete from webhook_endpoints`.execute(api.db);
      await sql`delete from webhook_deliveries`.execute(api.db);
    },
    makeDue: async (deliveryId) => {
      await sql`
        update webhook_deliveries set due_at = now() - interval '1 second', lease_until = null
        where id = ${deliveryId} and state = 'pending'`.execute(api.db);
    },
    close: async () => {
      await sender.close();
      await api.close();
    },
  };
}
