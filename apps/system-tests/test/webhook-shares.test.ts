/** Receivers that accept connections and say nothing hold up their own organization alone: with real workers, over TCP. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PetsClient } from '@pets/client';
import { describeWhen, waitUntil } from '@pets/testing';
import pg from 'pg';
import { openPets } from './domain-steps.js';
import { missingForReplicas, startReplicas, type ReplicasFixture } from './replicas/replicas-fixture.js';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.js';

jest.setTimeout(180_000);

const ORGANIZATIONS = 10;
const ENDPOINTS = 20;
/** Slots of the one worker, for all organizations. */
const SLOTS = 32;
const PETS = 10;

/** Accepts connections on every address of this machine, and never answers. */
async function startSilentReceiver(): Promise<{ readonly server: Server; readonly port: number; open(): number }> {
  let open = 0;
  const server = createServer((socket) => {
    open += 1;
    socket
      .on('error', () => undefined)
      .on('close', () => (open -= 1))
      .resume();
  }).listen(0);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, open: () => open }; // listening on TCP: never a pipe's path
}

async function subscribe(pets: PetsClient, url: string): Promise<void> {
  const { error } = await pets.POST('/v1/webhook-endpoints', { body: { url, eventTypes: ['pet.created'] } });
  if (error !== undefined) throw new Error(error.message);
}

const createPet = (pets: PetsClient) => pets.POST('/v1/pets', { body: { name: 'Rex', categoryId: 1 } });

describeWhen(describe, 'ten organizations of twenty silent endpoints each', missingForReplicas(), () => {
  let fixture: ReplicasFixture;
  let silent: Awaited<ReturnType<typeof startSilentReceiver>>;
  let receiver: WebhookReceiver;
  let database: pg.Client;

  beforeAll(async () => {
    silent = await startSilentReceiver();
    receiver = await startWebhookReceiver(() => 204);
    fixture = await startReplicas({
      ...{ apis: 1, workers: 1, edges: 1 },
      environment: { WEBHOOK_CONCURRENCY: String(SLOTS) },
    });
    database = new pg.Client({ connectionString: fixture.databaseUrl, query_timeout: 10_000 });
    await database.connect();
  });
  afterAll(async () => {
    await database?.end();
    await fixture?.close();
    await receiver?.close();
    silent?.server.close();
  });

  const slotsInUse = async () => {
    const { rows } = await database.query<{ count: number }>('select count(*)::integer as count from webhook_slots');
    return rows[0]?.count ?? 0;
  };

  it('take slots, and every delivery of another organization arrives while they hold them', async () => {
    const tenants: PetsClient[] = [];
    for (let index = 0; index < ORGANIZATIONS; index++) {
      const { apiKey } = fixture.stack.createTenant('free');
      const pets = openPets({ apiUrl: fixture.apiUrl, apiKey });
      // Each has a receiver of its own: all addresses of 127.0.0.0/8 lead to this machine.
      for (let number = 1; number <= ENDPOINTS; number++)
        await subscribe(pets, `http://127.1.${index}.${number}:${silent.port}/`);
      tenants.push(pets);
    }
    for (let count = 0; count < 4; count++) await Promise.all(tenants.map((pets) => createPet(pets)));
    await waitUntil(() => silent.open() >= SLOTS / 4, { timeoutMs: 60_000, message: 'silent requests' });

    await subscribe(fixture.pets, receiver.url);
    for (let count = 1; count <= PETS; count++) {
      await createPet(fixture.pets);
      await waitUntil(() => receiver.requests.length >= count, { timeoutMs: 60_000, message: `delivery ${count}` });
      expect(await slotsInUse()).toBeLessThan(SLOTS);
    }
    // They are still silent: nothing of theirs has ended for the others to pass.
    expect(silent.open()).toBeGreaterThan(0);
  });
});
