import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import {
  createServer as createTcpServer,
  connect,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { createPetsClient } from '@pets/client';
import { waitUntil } from '@pets/testing';
import { openPetsStack, type PetsStack } from './pets-stack.js';
import type { Pets } from './run-pets.js';

jest.setTimeout(120_000);

const PROGRAM = join(import.meta.dirname, '../bin/pets.mjs');
let started: PetsStack | undefined;
let pets: Pets;
let server: Server;
let url: string;
interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const received: ReceivedRequest[] = [];
const running: Listening[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.once('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(body.includes('Rude') ? 500 : 204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`; // listens on a port
  started = await openPetsStack();
  ({ pets } = started);
});
afterEach(() => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  received.length = 0;
});
afterAll(async () => {
  await started?.stop();
  server.closeAllConnections();
  server.close();
});

interface Listening {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  shown(): { readonly stdout: string; readonly stderr: string };
}

/** Starts the command, and waits until it listens. */
async function listen(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Listening> {
  const child = spawn(process.execPath, [PROGRAM, 'webhooks', 'listen', ...args], { env: { ...pets.env, ...env } });
  const shown = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (shown.stderr += text));
  const listening = { child, ended: once(child, 'close'), shown: () => shown };
  running.push(listening);
  await waitUntil(() => shown.stderr.includes('listening;'), { message: 'the command to listen' });
  return listening;
}

async function openListeners(): Promise<number> {
  const { apiUrl: baseUrl, apiKey } = started?.stack.dev ?? { apiUrl: '', apiKey: '' };
  return (await createPetsClient({ baseUrl, apiKey }).GET('/v1/webhook-listeners')).data?.length ?? -1;
}

/** Computes the signature as a receiver does. */
function signatureOf(secret: string, request: ReceivedRequest | undefined): string {
  const { headers = {}, body = '' } = request ?? {};
  const signed = `${headers['webhook-id']?.toString()}.${headers['webhook-timestamp']?.toString()}.${body}`;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

it('prints events, and forwards them with the body and the signature of an endpoint', async () => {
  const { stdout: secret } = await pets.run(['webhooks', 'listen', '--print-secret']);
  const listening = await listen(['--forward-to', url, '--event', 'pet.created']);
  expect(listening.shown().stderr).toContain(secret.trim());
  await pets.run(['pets', 'add', 'Rex', '--category', '9223372036854775807']);
  await pets.run(['pets', 'add', 'Rude', '--category', '1']);
  const lines = () => listening.shown().stdout;
  await waitUntil(() => lines().includes('→ 500'), { message: 'both answers' });
  expect(lines()).toMatch(/^pet\.created [0-9a-f-]{36} \(\d+\)\n {2}pet\.created [0-9a-f-]{36} → 204 in \d+ ms\n/);
  const [first] = received;
  expect(first?.body).toContain('"categoryId":9223372036854775807');
  expect(JSON.parse(first?.body ?? '')).toMatchObject({ type: 'pet.created', data: { name: 'Rex' } });
  expect(first?.headers['webhook-signature']).toBe(signatureOf(secret.trim(), first));

  listening.child.kill('SIGINT');
  await listening.ended;
  expect(listening.child.exitCode).toBe(130);
  await waitUntil(async () => (await openListeners()) === 0, { message: 'the stream to be closed' });
});

it('leaves no endpoint behind when it is killed', async () => {
  const { child } = await listen();
  expect(await openListeners()).toBe(1);
  child.kill('SIGKILL');
  await waitUntil(async () => (await openListeners()) === 0, { message: 'the stream to be closed' });
});

it('prints documents with --json, and reports that the local server does not answer', async () => {
  const listening = await listen(['--json', '--forward-to', 'localhost:1/hook']);
  await pets.run(['pets', 'add', 'Rex', '--category', '1']);
  await waitUntil(() => listening.shown().stdout.split('\n').length > 2, { message: 'both lines' });
  const [event, answer] = listening.shown().stdout.split('\n');
  expect(JSON.parse(event ?? '')).toMatchObject({
    type: 'delivery',
    eventType: 'pet.created',
    body: expect.any(String),
  });
  expect(JSON.parse(answer ?? '')).toMatchObject({ type: 'answer', kind: 'failed', reason: expect.any(String) });
});

it('listens again with the same secret after a broken connection', async () => {
  const proxy = await startTcpProxy(started?.stack.dev.apiUrl ?? '');
  const listening = await listen([], { PETS_API_URL: proxy.url });
  proxy.breakAll();
  await waitUntil(() => listening.shown().stderr.includes('listening again'), { message: 'another stream' });
  await pets.run(['pets', 'add', 'Rex', '--category', '1']);
  await waitUntil(() => listening.shown().stdout.includes('pet.created'), { message: 'the event' });
  expect(listening.shown().stderr.match(/whsec_/g)).toHaveLength(1);
  proxy.close();
});

it('ends where the key may not listen', async () => {
  const { stdout: key } = await pets.run(['keys', 'create', 'reader', '--scope', 'webhooks:read']);
  const reader = pets.with({ PETS_API_KEY: key.trim() });
  expect(await reader.json(['webhooks', 'listen'])).toMatchObject({ code: 5, outcome: { reason: 'forbidden' } });
});

/** A way to the API whose connections break when a test wants it. */
async function startTcpProxy(apiUrl: string): Promise<{ url: string; breakAll(): void; close(): void }> {
  const { hostname, port } = new URL(apiUrl);
  const sockets = new Set<Socket>();
  const proxy: TcpServer = createTcpServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined); // it was broken
      socket.once('close', () => {
        sockets.delete(socket);
        for (const other of [client, upstream]) other.destroy();
      });
    }
    client.pipe(upstream).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const breakAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, // listens on a port
    breakAll,
    close: () => {
      breakAll();
      proxy.close();
    },
  };
}
