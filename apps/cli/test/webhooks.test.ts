import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { openPetsStack, type PetsStack } from './pets-stack.js';
import type { Pets } from './run-pets.js';

jest.setTimeout(120_000);

let started: PetsStack | undefined;
let pets: Pets;
let server: Server;
let url: string;
/** Status that the receiver answers. */
let status = 500;
const received: { readonly body: string; readonly signatures: string }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.once('end', () => {
      received.push({ body, signatures: request.headers['webhook-signature']?.toString() ?? '' });
      response.writeHead(status).end('thanks');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`; // listens on a port
  started = await openPetsStack();
  ({ pets } = started);
});
afterAll(async () => {
  await started?.stop();
  server.closeAllConnections();
  server.close();
});

it('creates an endpoint, shows what was sent to it, sends it again, and removes it', async () => {
  const created = await pets.json(['webhooks', 'create', url, '--event', 'pet.created', '--description', 'Shop']);
  expect(created.outcome).toMatchObject({
    reason: 'created',
    result: { url, eventTypes: ['pet.created'], description: 'Shop', projectId: null, secret: expect.any(String) },
  });
  const { id } = created.outcome.result as { id: string };
  expect((await pets.run(['webhooks', 'list'])).stdout).toContain(`${id}  ${url}  enabled  pet.created`);

  await pets.run(['pets', 'add', 'Rex', '--category', '1']);
  let delivery = '';
  await waitUntil(async () => {
    const { result } = (await pets.json(['webhooks', 'deliveries', id])).outcome;
    const [first] = result as { id: string; attempts: unknown[] }[];
    delivery = first?.id ?? '';
    return first !== undefined && first.attempts.length > 0;
  });
  const shown = await pets.run(['webhooks', 'delivery', id, delivery]);
  expect(shown.stdout).toMatch(/^event +pet\.created$/m);
  expect(shown.stdout).toMatch(/^ {2}1 +\S+ +\d+ ms +500 +thanks$/m);
  expect(shown.stdout).toContain('"name":"Rex"');

  status = 204;
  expect((await pets.json(['webhooks', 'redeliver', id, delivery])).outcome.reason).toBe('scheduled');
  await waitUntil(async () => (await pets.json(['webhooks', 'delivery', id, delivery])).outcome.reason === 'delivered');
  expect((await pets.run(['webhooks', 'deliveries', id, '--state', 'delivered'])).stdout).toContain(delivery);

  expect((await pets.json(['webhooks', 'remove', id])).outcome.reason).toBe('confirmation_missing');
  expect((await pets.json(['webhooks', 'remove', id, '--yes'])).outcome.reason).toBe('removed');
  expect((await pets.json(['webhooks', 'show', id])).outcome.reason).toBe('not_found');
});

it('signs with both secrets after one is rolled, and can be changed', async () => {
  const { stdout: secret } = await pets.run(['webhooks', 'create', url, '--only-project']);
  expect(secret).toMatch(/^whsec_\S+\n$/);
  const [{ id } = { id: '' }] = (await pets.json(['webhooks', 'list'])).outcome.result as { id: string }[];
  const rolled = await pets.run(['webhooks', 'roll', id]);
  expect(rolled.stdout).toMatch(/^whsec_\S+\n$/);
  expect(rolled.stdout).not.toBe(secret);
  expect(rolled.stderr).toMatch(/Until \d{4}-\S+, requests are also signed with the previous one/);
  received.length = 0;
  expect((await pets.json(['webhooks', 'test', id])).outcome.reason).toBe('scheduled');
  await waitUntil(() => received.some(({ body }) => body.includes('endpoint.test')));
  expect(received.at(-1)?.signatures.split(' ')).toHaveLength(2);

  const disabled = await pets.json(['webhooks', 'update', id, '--disable', '--event', 'domain.live', 'domain.removed']);
  const ended = await pets.json(['webhooks', 'roll', id, '--overlap', '0s']);
  expect(ended.outcome.result).toMatchObject({ previousSecretUntil: null });
  expect(disabled.outcome.result).toMatchObject({ enabled: false, eventTypes: ['domain.live', 'domain.removed'] });
  expect((await pets.json(['webhooks', 'update', id, '--enable'])).outcome.result).toMatchObject({ enabled: true });
});
