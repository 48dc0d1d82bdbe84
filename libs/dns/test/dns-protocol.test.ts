import { createSocket, type Socket } from 'node:dgram';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DnsQuestionType } from '@pets/contracts';
import packets from 'dns-packet';
import { DnsServers } from '../src/dns-servers.js';
import { encodeReply, soaOf, startScriptedDns, type ScriptedDns, type ScriptedQuery } from './scripted-dns.js';

const patience = new AbortController().signal;
const right = { name: 'a.example', type: 'A', ttl: 60, data: '192.0.2.1' } as const;
const wrong = { ...right, data: '192.0.2.66' };
const found = { kind: 'found', records: [{ value: '192.0.2.1', ttl: 60 }] };
let dns: ScriptedDns;

beforeEach(async () => {
  dns = await startScriptedDns();
});
afterEach(() => dns.close());

async function ask(name = 'a.example', type: DnsQuestionType = 'A', tryMs = 600) {
  const servers = new DnsServers({ resolvers: [dns.address], allowPrivateAuthoritative: false }, { tryMs });
  return (await servers.open(patience).resolvers[0]?.query(name, type))?.answer;
}

/** A reply to a question, with the changes of the test. */
function replyTo({ id, name, type }: ScriptedQuery, changes: { id?: number; name?: string } = {}): Buffer {
  const question = { name: changes.name ?? name, type: type as 'A' };
  return encodeReply({ id: changes.id ?? id, questions: [question] }, { answers: [wrong] });
}

describe('a question', () => {
  it('asks resolvers to look it up, with room for a reply of 1232 bytes', async () => {
    await ask();
    expect(dns.queries).toMatchObject([{ isRecursive: true, hasExtension: true, transport: 'udp' }]);
  });

  it('has a random id and source port', async () => {
    const servers = new DnsServers({ resolvers: [dns.address], allowPrivateAuthoritative: false });
    const [resolver] = servers.open(patience).resolvers;
    for (let i = 0; i < 40; i += 1) await resolver?.query('a.example', 'A');
    expect(new Set(dns.queries.map(({ id }) => id)).size).toBeGreaterThan(30);
    expect(new Set(dns.queries.map(({ port }) => port)).size).toBeGreaterThan(3);
  });

  it('is sent again without an answer', async () => {
    dns.answer = () => (dns.queries.length === 1 ? null : { answers: [right] });
    expect(await ask()).toEqual(found);
    expect(dns.queries).toHaveLength(2);
  });

  it('is sent at most twice', async () => {
    dns.answer = () => null;
    expect(await ask()).toEqual({ kind: 'failed', error: 'TIMEOUT' });
    expect(dns.queries).toHaveLength(2);
  });

  it('repeats the question over TCP if the reply is truncated', async () => {
    const text = 'x'.repeat(4_000);
    dns.answer = ({ name, transport }) =>
      transport === 'udp'
        ? { flags: packets.TRUNCATED_RESPONSE }
        : { answers: [{ name, type: 'TXT', ttl: 5, data: text.match(/.{1,250}/g) ?? [] }] };
    expect(await ask('t.example', 'TXT')).toEqual({ kind: 'found', records: [{ value: text, ttl: 5 }] });
    expect(dns.queries.map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
  });

  it('fails if TCP is silent too', async () => {
    dns.answer = ({ transport }) => (transport === 'udp' ? { flags: packets.TRUNCATED_RESPONSE } : null);
    expect(await ask()).toEqual({ kind: 'failed', error: 'TIMEOUT over TCP' });
  });

  it('is sent without EDNS to a server that does not support it', async () => {
    dns.answer = ({ hasExtension }) => (hasExtension ? { rcode: 1 } : { answers: [right] });
    expect(await ask()).toEqual(found);
  });
});

describe('a reply', () => {
  it.each([
    ['NXDOMAIN', { rcode: 3, authorities: [soaOf('example', 30)] }, { kind: 'absent', zone: 'example', ttl: 30 }],
    ['no data', { authorities: [soaOf('example', 900, 60)] }, { kind: 'absent', zone: 'example', ttl: 60 }],
    ['no data and no SOA', {}, { kind: 'absent' }],
    ['the SOA of a zone the name is not in', { authorities: [soaOf('other.test', 30)] }, { kind: 'absent' }],
    ['SERVFAIL', { rcode: 2 }, { kind: 'failed', error: 'SERVFAIL' }],
    ['REFUSED', { rcode: 5 }, { kind: 'failed', error: 'REFUSED' }],
    ['an unknown code', { rcode: 9 }, { kind: 'failed', error: 'RCODE9' }],
    ['records of another name only', { answers: [{ ...right, name: 'b.example' }] }, { kind: 'absent' }],
    ['the name in other case', { answers: [{ ...right, name: 'A.EXAMPLE' }] }, found],
  ])('%s', async (_case, reply, answer) => {
    dns.answer = () => reply;
    expect(await ask()).toEqual(answer);
  });

  it('that cannot be parsed is a failed answer', async () => {
    dns.answer = (query) => Buffer.concat([replyTo(query).subarray(0, 30)]);
    expect(await ask()).toMatchObject({ kind: 'failed' });
  });

  it.each<[string, (query: ScriptedQuery) => Buffer]>([
    ['another id', (query) => replyTo(query, { id: query.id ^ 1 })],
    ['another question', (query) => replyTo(query, { name: 'b.example' })],
    ['no content', () => Buffer.alloc(3)],
  ])('with %s is ignored', async (_case, forged) => {
    dns.answer = (query) => forged(query);
    expect(await ask()).toEqual({ kind: 'failed', error: 'TIMEOUT' });
  });
});

describe('a forged reply', () => {
  let stranger: Socket;
  beforeEach(() => {
    stranger = createSocket('udp4');
  });
  afterEach(() => {
    stranger.close();
  });

  it('is ignored, and the real one is used', async () => {
    dns.answer = (query) => {
      if (dns.queries.length > 1) return { answers: [right] };
      // The forger knows everything but the server's port.
      stranger.send(replyTo(query), query.port, '127.0.0.1');
      return null;
    };
    expect(await ask()).toEqual(found);
  });
});
