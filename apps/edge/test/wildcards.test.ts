import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import type { EdgeRoute } from '@pets/contracts';
import { EdgeFixture, pendingRoute, redirectRoute, siteRoute } from './edge-fixture.js';
import { askHttp2 } from './visitor.js';

const OTHER_HASH = 'beefbeef';

const challenge = '/.well-known/acme-challenge/Zm9vYmFyLV9mb29iYXItXw';
const excludedRoute: EdgeRoute = { answersChallenges: false, serve: { kind: 'excluded' }, certificateId: null };
const waitingRoute: EdgeRoute = { ...pendingRoute, wildcardUntilCertified: true };

let fixture: EdgeFixture;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
  await fixture.deploy({ 'index.html': 'Exact' }, OTHER_HASH);
  await fixture.startEdge();
  await fixture.publishSite('*.wild.test', 'wildcard');
});

afterEach(() => fixture.tearDown());

const publish = (routes: Readonly<Record<string, EdgeRoute | null>>) => fixture.api.publishAndSettle(routes);

async function publishExact(host: string): Promise<void> {
  await fixture.issue(`of-${host}`, host);
  await publish({ [host]: siteRoute(`of-${host}`, OTHER_HASH) });
}

const bodyOf = async (host: string) => (await fixture.visitor.secure(host)).body;

const namesOf = async (host: string) =>
  (await fixture.visitor.handshake(host)).getPeerX509Certificate()?.subjectAltName;

const refusalOf = (host: string) => expect(fixture.visitor.handshake(host)).rejects.toThrow('unrecognized name');

/** A keep-alive connection and a session, which have answered; each gives the status of another request, 0 when it is gone. */
async function connect(host: string) {
  const agent = fixture.visitor.keepAliveAgent();
  const session = await fixture.visitor.http2(host);
  const socket = await fixture.visitor.handshake(host);
  const ended = new Promise<void>((resolve) =>
    socket
      .resume()
      .on('error', () => undefined)
      .once('close', resolve),
  );
  const connection = {
    isOpen: () => !socket.destroyed && !session.destroyed,
    ended: async () => {
      await ended;
      await expect(askHttp2(session, host)).rejects.toThrow();
    },
    statuses: async () => [
      (await fixture.visitor.secure(host, {}, agent)).status,
      (await askHttp2(session, host)).status,
    ],
  };
  expect(await connection.statuses()).toEqual([200, 200]);
  return connection;
}

/** Each answer has its own. */
const withoutReference = (page: string) => page.replace(/Reference: \S+/, '');

describe('a wildcard', () => {
  it('serves the names that are one label below it, with one certificate', async () => {
    for (const host of ['a.wild.test', 'b.wild.test', 'C.Wild.Test', 'a-1.wild.test'])
      expect(await bodyOf(host)).toBe('<h1>Home</h1>');
    expect(fixture.api.certificateRequests).toEqual(['wildcard']);
    const [line = ''] = fixture.accessLines;
    expect(JSON.parse(line)).toMatchObject({ host: 'a.wild.test' });
  });

  it.each(['wild.test', 'b.a.wild.test', 'awild.test', '*.wild.test'])('does not serve %s', async (host) => {
    await refusalOf(host);
    expect((await fixture.visitor.plain(host)).status).toBe(404);
  });

  it('redirects the plain port to the host that was asked for', async () => {
    const { headers } = await fixture.visitor.plain('a.wild.test', { path: '/x?y' });
    expect(headers.location).toBe('https://a.wild.test/x?y');
  });

  it('answers no challenge, though its route says so', async () => {
    const reply = await fixture.visitor.plain('a.wild.test', { path: challenge });
    expect(reply.status).toBe(404);
  });

  it('may redirect to the same label of another', async () => {
    await publish({ '*.wild.test': redirectRoute('*.new.test', 'wildcard') });
    for (const reply of [
      await fixture.visitor.secure('a.wild.test', { path: '/x?y' }),
      await fixture.visitor.plain('a.wild.test', { path: '/x?y' }),
    ]) {
      expect(reply).toMatchObject({ status: 308, headers: { location: 'https://a.new.test/x?y' } });
    }
  });

  it('answers no request for one name on a connection of another', async () => {
    await publishExact('exact.wild.test');
    const session = await fixture.visitor.http2('a.wild.test');
    const statuses = ['b.wild.test', 'exact.wild.test', 'a.wild.test'].map(async (host) => askHttp2(session, host));
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([421, 421, 200]);
  });

  it('is reported for handshakes while it is prepared, once for all its names', async () => {
    await publish({ '*.wild.test': { ...siteRoute('wildcard'), isPrepared: true } });
    for (const host of ['a.wild.test', 'b.wild.test', 'c.wild.test']) await fixture.visitor.handshake(host);
    const reported = () => fixture.api.acks.flatMap(({ handshakes = [] }) => handshakes);
    await waitUntil(() => reported().length > 0, { message: 'the handshakes are reported' });
    expect(reported()).toEqual(['*.wild.test']);
  });

  it('is in a snapshot', async () => {
    await publish({ 'excluded.wild.test': excludedRoute });
    fixture.api.startEpoch('epoch-2', {
      '*.wild.test': siteRoute('wildcard'),
      'excluded.wild.test': excludedRoute,
      'z.test': pendingRoute,
    });
    fixture.api.dropFeeds();
    await fixture.api.acknowledged(1);
    expect(await fixture.count('edge_routes')).toBe(3);
    expect(await bodyOf('a.wild.test')).toBe('<h1>Home</h1>');
    await refusalOf('excluded.wild.test');
  });
});

describe('a removal of the wildcard', () => {
  it('ends the names and connections that only it covered, and no others', async () => {
    await publishExact('exact.wild.test');
    await fixture.publishSite('other.test');
    const gone = [await connect('a.wild.test'), await connect('b.wild.test')];
    const kept = [await connect('exact.wild.test'), await connect('other.test')];
    const resumed = (await fixture.visitor.handshake('a.wild.test')).on('error', () => undefined).getSession();
    await publish({ '*.wild.test': null });
    for (const connection of gone) await connection.ended();
    await refusalOf('a.wild.test');
    await expect(
      fixture.visitor.handshake('a.wild.test', resumed === undefined ? {} : { session: resumed }),
    ).rejects.toThrow('unrecognized name');
    for (const connection of kept) expect(await connection.statuses()).toEqual([200, 200]);
    expect(await bodyOf('exact.wild.test')).toBe('Exact');
  });

  it('by a snapshot ends them too', async () => {
    await publishExact('exact.wild.test');
    const [gone, kept] = [await connect('a.wild.test'), await connect('exact.wild.test')];
    fixture.api.startEpoch('epoch-2', { 'exact.wild.test': siteRoute('of-exact.wild.test', OTHER_HASH) });
    fixture.api.dropFeeds();
    await fixture.api.acknowledged(1);
    await gone.ended();
    await refusalOf('a.wild.test');
    expect(await kept.statuses()).toEqual([200, 200]);
  });
});

describe('an exact name below a wildcard', () => {
  it('has its own certificate and content', async () => {
    await publishExact('exact.wild.test');
    expect(await bodyOf('exact.wild.test')).toBe('Exact');
    expect([await namesOf('exact.wild.test'), await namesOf('a.wild.test')]).toEqual([
      'DNS:exact.wild.test',
      'DNS:*.wild.test',
    ]);
  });

  it('ends the connections that the wildcard answered for it, when it is added, and no others', async () => {
    const [exact, other] = [await connect('exact.wild.test'), await connect('a.wild.test')];
    await publishExact('exact.wild.test');
    await exact.ended();
    expect(await other.statuses()).toEqual([200, 200]);
  });

  it('of another organization is not served by the wildcard while it has no certificate', async () => {
    const connection = await connect('exact.wild.test');
    await publish({ 'exact.wild.test': pendingRoute });
    await connection.ended();
    await refusalOf('exact.wild.test');
    expect((await fixture.visitor.plain('exact.wild.test')).status).toBe(503);
    expect((await fixture.visitor.plain('exact.wild.test', { path: challenge })).status).toBe(200);
  });

  it('gives the name back to the wildcard when it is removed, with another connection', async () => {
    await publishExact('exact.wild.test');
    const [exact, other] = [await connect('exact.wild.test'), await connect('a.wild.test')];
    await publish({ 'exact.wild.test': null });
    await exact.ended();
    expect(await bodyOf('exact.wild.test')).toBe('<h1>Home</h1>');
    expect(await namesOf('exact.wild.test')).toBe('DNS:*.wild.test');
    expect(await other.statuses()).toEqual([200, 200]);
  });

  it('is presented in a handshake that began before it was published', async () => {
    const gate = Promise.withResolvers<void>();
    fixture.api.certificateGate = gate.promise;
    await fixture.issue('exact', 'exact.wild.test');
    const handshake = namesOf('exact.wild.test');
    await waitUntil(() => fixture.api.certificateRequests.length === 1, { message: 'the certificate is asked for' });
    await publish({ 'exact.wild.test': siteRoute('exact') });
    gate.resolve();
    expect(await handshake).toBe('DNS:exact.wild.test');
  });
});

describe('an excluded name', () => {
  it('is treated as an unknown one, and its connections end', async () => {
    const [excluded, other] = [await connect('excluded.wild.test'), await connect('a.wild.test')];
    await publish({ 'excluded.wild.test': excludedRoute });
    await excluded.ended();
    await refusalOf('excluded.wild.test');
    const [unknown, answer] = [
      await fixture.visitor.plain('unknown.test'),
      await fixture.visitor.plain('excluded.wild.test'),
    ];
    expect(answer.status).toBe(404);
    expect(withoutReference(answer.body)).toBe(withoutReference(unknown.body));
    expect((await fixture.visitor.plain('excluded.wild.test', { path: challenge })).status).toBe(404);
    expect(await other.statuses()).toEqual([200, 200]);
    expect(await fixture.count('edge_handshakes_total{result="unknown_name"}')).toBe(1);
  });

  it('ends the service of an exact one, and is served again when it is lifted', async () => {
    await publishExact('exact.wild.test');
    const connection = await connect('exact.wild.test');
    await publish({ 'exact.wild.test': excludedRoute });
    await connection.ended();
    await refusalOf('exact.wild.test');
    await publish({ 'exact.wild.test': null });
    expect(await bodyOf('exact.wild.test')).toBe('<h1>Home</h1>');
  });
});

describe('a name that its organization adds below its own wildcard', () => {
  it('is served by the wildcard without a gap, and answers its own challenges', async () => {
    const connection = await connect('own.wild.test');
    await publish({ 'own.wild.test': waitingRoute });
    expect(await namesOf('own.wild.test')).toBe('DNS:*.wild.test');
    expect(await connection.statuses()).toEqual([200, 200]);
    expect(await fixture.visitor.plain('own.wild.test', { path: challenge })).toMatchObject({ status: 200 });
    expect((await fixture.visitor.plain('own.wild.test')).status).toBe(308);
    await publishExact('own.wild.test');
    expect(connection.isOpen()).toBe(true);
    expect(await connection.statuses()).toEqual([200, 200]);
    expect([await namesOf('own.wild.test'), await bodyOf('own.wild.test')]).toEqual(['DNS:own.wild.test', 'Exact']);
  });

  it('keeps its connections when the wildcard is removed after it has a certificate', async () => {
    await publish({ 'own.wild.test': waitingRoute });
    const [own, other] = [await connect('own.wild.test'), await connect('a.wild.test')];
    await publishExact('own.wild.test');
    await publish({ '*.wild.test': null });
    await other.ended();
    expect(await own.statuses()).toEqual([200, 200]);
    await publish({ 'own.wild.test': null });
    await own.ended();
  });

  it.each<[string, Record<string, EdgeRoute | null>]>([
    ['the wildcard is removed', { '*.wild.test': null }],
    ['the name is another organization’s', { 'own.wild.test': pendingRoute }],
    ['the name is suspended', { 'own.wild.test': { ...waitingRoute, serve: { kind: 'suspended' } } }],
  ])('is not served any more when %s before it has a certificate', async (_name, change) => {
    await publish({ 'own.wild.test': waitingRoute });
    const connection = await connect('own.wild.test');
    await publish(change);
    await connection.ended();
    await refusalOf('own.wild.test');
  });

  it('stays with the wildcard when it is removed before it has a certificate', async () => {
    await publish({ 'own.wild.test': waitingRoute });
    const connection = await connect('own.wild.test');
    await publish({ 'own.wild.test': null });
    expect(await connection.statuses()).toEqual([200, 200]);
    expect((await fixture.visitor.plain('own.wild.test', { path: challenge })).status).toBe(404);
  });
});

it('serves hot names as before while strangers ask for endless names below a wildcard', async () => {
  await publishExact('exact.wild.test');
  const connection = await connect('exact.wild.test');
  const session = await fixture.visitor.http2('a.wild.test');
  const asks = Array.from({ length: 3_000 }, (_, i) => () => fixture.visitor.plain(`l${i}.wild.test`));
  while (asks.length > 0) await Promise.all(asks.splice(0, 50).map((ask) => ask()));
  expect((await askHttp2(session, 'a.wild.test')).status).toBe(200);
  expect(await connection.statuses()).toEqual([200, 200]);
  expect(await fixture.count('edge_certificates_open')).toBe(2);
  const text = await fixture.edge.metrics.metrics();
  expect(text).not.toContain('wild.test');
});
