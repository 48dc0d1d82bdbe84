import { randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { domainEvents } from '@pets/contracts';
import { startDevDns, type DevDns } from '@pets/testing';
import { createReceiverAgent, receiverAddresses } from '../src/webhooks/receiver-agent.js';
import { sendWebhook, type WebhookResult } from '../src/webhooks/webhooks.service.js';
import { makeCertificate, type TestCertificate } from './certificates.js';
import { startWebhookReceiver, type WebhookReceiver } from './webhook-receiver.js';

const headers = { 'webhook-id': 'd1', 'webhook-timestamp': '1614265330', 'webhook-signature': 'v1,abc' };
const body = '{"type":"pet.created"}';

let dns: DevDns;
let certificate: TestCertificate;
const ending: (() => Promise<void>)[] = [];

beforeAll(async () => {
  dns = await startDevDns();
  certificate = await makeCertificate('hooks.example.com', '127.0.0.1');
});
afterAll(() => dns.close());
afterEach(async () => {
  for (const end of ending.splice(0)) await end();
});

async function receive(answer: RequestListener, tls?: TestCertificate): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver(answer, tls);
  ending.push(() => receiver.close());
  return receiver;
}

interface Way {
  readonly allowsPrivate?: boolean;
  readonly ca?: string;
  readonly signal?: AbortSignal;
}

async function send(url: string, { allowsPrivate = true, ca, signal }: Way = {}): Promise<WebhookResult> {
  const agent = createReceiverAgent(receiverAddresses({ allowsPrivate, servers: [dns.address] }), ca);
  ending.push(() => agent.destroy());
  const shown = await sendWebhook(agent, { url, headers, body }, signal ?? AbortSignal.timeout(5_000));
  // The API must accept the event for any behaviour of a receiver.
  domainEvents['webhook.attempted'].parse({ deliveryId: randomUUID(), attempt: 1, ...shown });
  return shown;
}

const at = ({ port }: WebhookReceiver, path = '/hooks?a=b') => `http://127.0.0.1:${port}${path}`;

describe('a webhook request', () => {
  it('has the signed headers and body unchanged', async () => {
    const receiver = await receive((_request, response) => response.writeHead(200).end('thanks'));
    const shown = await send(at(receiver));
    expect(shown).toMatchObject({ status: 200, error: null, retryAt: null, bodyStart: 'thanks' });
    expect(shown.requestHeaders).toEqual({
      ...headers,
      'content-type': 'application/json',
      'user-agent': 'pets-webhooks/1.0',
    });
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', url: '/hooks?a=b', body });
    expect(request?.headers).toMatchObject({
      ...headers,
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^pets-webhooks\//),
      'content-length': String(body.length),
    });
    expect(request?.headers['cookie']).toBeUndefined();
  });

  it.each([301, 302, 303, 307, 308])('follows no redirect: %d', async (status) => {
    const elsewhere = await receive((_request, response) => response.end());
    const location = at(elsewhere);
    const receiver = await receive((_request, response) => response.writeHead(status, { location }).end());
    expect(await send(at(receiver))).toMatchObject({ status, error: null });
    expect(elsewhere.connections()).toBe(0);
  });

  it('does not send cookies back', async () => {
    const receiver = await receive((_request, response) => response.writeHead(200, { 'set-cookie': 'a=b' }).end());
    const agent = createReceiverAgent(receiverAddresses({ allowsPrivate: true }));
    ending.push(() => agent.destroy());
    for (let count = 0; count < 2; count++)
      await sendWebhook(agent, { url: at(receiver), headers, body }, AbortSignal.timeout(5_000));
    expect(receiver.requests.map((request) => request.headers['cookie'])).toEqual([undefined, undefined]);
  });

  it.each([
    [410, {}, null],
    [503, { 'retry-after': '120' }, 120_000],
    [429, { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, 30 * 86_400_000],
    [503, { 'retry-after': 'soon' }, null],
  ])('reports the response: %d %j', async (status, answerHeaders, inMs) => {
    const receiver = await receive((_request, response) => response.writeHead(status, answerHeaders).end());
    const shown = await send(at(receiver));
    expect(shown.status).toBe(status);
    if (inMs === null) expect(shown.retryAt).toBeNull();
    else expect(Math.abs(Date.parse(shown.retryAt ?? '') - Date.now() - inMs)).toBeLessThan(5_000);
  });
});

describe('a webhook response', () => {
  it('is read only as far as it is shown', async () => {
    let sent = 0;
    const receiver = await receive((_request, response) => {
      const chunk = 'x'.repeat(64 * 1_024);
      const more = (): void => {
        while (!response.destroyed && sent < 512 * 1_024 * 1_024) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      response.writeHead(200);
      more();
    });
    const shown = await send(at(receiver));
    expect(shown.status).toBe(200);
    expect(shown.bodyStart).toBe('x'.repeat(1_024));
    expect(sent).toBeLessThan(16 * 1_024 * 1_024);
  });

  it.each([
    ['what is no text', Buffer.from([0xff, 0xfe, 0x00, 0x41]), '\u{fffd}\u{fffd}\u{fffd}A'],
    ['a character that is cut in two', Buffer.from(`${'x'.repeat(1_023)}é`), `${'x'.repeat(1_023)}\u{fffd}`],
    ['nothing', Buffer.alloc(0), ''],
  ])('%s is shown as text', async (_name, sent, bodyStart) => {
    const receiver = await receive((_request, response) => response.writeHead(200).end(sent));
    expect((await send(at(receiver))).bodyStart).toBe(bodyStart);
  });

  it('counts by its status, even if its body never ends', async () => {
    const receiver = await receive((_request, response) => void response.writeHead(200).write('begun'));
    const begun = Date.now();
    expect(await send(at(receiver), { signal: AbortSignal.timeout(10_000) })).toMatchObject({
      status: 200,
      bodyStart: 'begun',
    });
    expect(Date.now() - begun).toBeLessThan(6_000);
  });
});

describe('a webhook receiver', () => {
  it('is aborted at the deadline with the reason if it does not answer', async () => {
    const receiver = await receive(() => undefined);
    const deadline = new AbortController();
    setTimeout(() => deadline.abort(new Error('timed out after 20000 ms')), 200);
    const shown = await send(at(receiver), { signal: deadline.signal });
    expect(shown).toMatchObject({ status: null, error: 'timed out after 20000 ms', bodyStart: null });
    expect(shown.durationMs).toBeGreaterThanOrEqual(190);
  });

  it('is reported if it refuses connections', async () => {
    const receiver = await receive(() => undefined);
    await receiver.close();
    ending.length = 0;
    expect((await send(at(receiver))).error).toContain('ECONNREFUSED');
  });

  it('is reported if it closes the connection', async () => {
    const receiver = await receive((request) => request.socket.destroy());
    expect(await send(at(receiver))).toMatchObject({ status: null, error: expect.stringMatching(/closed|reset/i) });
  });

  it('is reported if its name does not resolve', async () => {
    const { status, error } = await send('https://nowhere.example.com/');
    expect(status).toBeNull();
    expect(error).toContain('no address found for nowhere.example.com');
  });

  it('must present a trusted certificate for its name', async () => {
    const receiver = await receive((_request, response) => response.end(), certificate);
    const url = `https://hooks.example.com:${receiver.port}/`;
    dns.put({ type: 'A', name: 'hooks.example.com', data: '127.0.0.1' });
    dns.put({ type: 'A', name: 'other.example.com', data: '127.0.0.1' });
    expect(await send(url, { ca: certificate.certPem })).toMatchObject({ status: 200, error: null });
    expect(await send(url)).toMatchObject({ status: null, error: expect.stringContaining('self-signed') });
    const other = url.replace('hooks.', 'other.');
    const misnamed = await send(other, { ca: certificate.certPem });
    expect(misnamed.status).toBeNull();
    expect(misnamed.error).toContain('altnames');
  });
});

describe('a private address', () => {
  /** A metadata service and other internal addresses. Receivers listen at the first two. */
  const literals = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0.0.0.0',
    '10.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
  ];
  const literals6 = [
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[fd00::1]',
    '[fe80::1]',
    '[::]',
  ];

  it.each([...literals, ...literals6, 'localhost', 'hooks.localhost'])('is not connected to: %s', async (host) => {
    const receiver = await receive((_request, response) => response.end());
    const { status, error } = await send(`http://${host}:${receiver.port}/`, { allowsPrivate: false });
    expect(status).toBeNull();
    expect(error).toContain('no address on the public Internet');
    expect(receiver.connections()).toBe(0);
  });

  it.each([
    ['A', '127.0.0.1'],
    ['A', '10.0.0.1'],
    ['AAAA', '::1'],
    ['AAAA', '::ffff:7f00:1'],
  ] as const)('that a name leads to is not connected to: %s %s', async (type, data) => {
    const name = `rebound-${randomUUID()}.example.com`;
    dns.put({ type, name, data });
    const receiver = await receive((_request, response) => response.end());
    const { status, error } = await send(`http://${name}:${receiver.port}/`, { allowsPrivate: false });
    expect(status).toBeNull();
    expect(error).toContain('no address on the public Internet');
    expect(receiver.connections()).toBe(0);
  });

  it('is left out if the name has a public one as well', async () => {
    dns.put({ type: 'A', name: 'both.example.com', data: '127.0.0.1' });
    dns.put({ type: 'A', name: 'both.example.com', data: '93.184.215.14' });
    const addresses = receiverAddresses({ allowsPrivate: false, servers: [dns.address] });
    expect(await addresses.find('both.example.com')).toEqual(['93.184.215.14']);
  });

  it('is not connected to after the name was changed to it', async () => {
    const name = `turned-${randomUUID()}.example.com`;
    dns.put({ type: 'A', name, data: '93.184.215.14' });
    const addresses = receiverAddresses({ allowsPrivate: false, servers: [dns.address] });
    expect(await addresses.find(name)).toEqual(['93.184.215.14']);
    dns.remove(name, 'A');
    dns.put({ type: 'A', name, data: '127.0.0.1' });
    const seen = await new Promise((resolve) => addresses.lookup(name, { all: true }, (error) => resolve(error)));
    expect(seen).toMatchObject({ message: expect.stringContaining('no address on the public Internet') });
  });
});
