import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { expectedDns } from '@pets/testing';
import { evaluateCaa, evaluateDns, evaluateOwnership } from '@pets/domains';
import packets, { type Answer } from 'dns-packet';
import { DnsServers } from '../src/dns-servers.js';
import { gatherCaa, gatherDns } from '../src/gather-dns.js';
import { startScriptedDns, type ScriptedDns, type ScriptedQuery, type ScriptedReply } from './scripted-dns.js';

const name = 'docs.acme.example';
const host = `_platform-challenge.${name}`;
const token = 'p4V0nJ2mXq8Tr6Wc1Zy7Hk3LbN0';
const expected = expectedDns({ name, ownershipHost: host, ownershipToken: token });
const policy = { identities: ['ca.example'], accountUrl: null };
/** The limit of the findings of the largest answers from one server. */
const MAX_FINDINGS_BYTES = 16_384;
/** The records that fit into one reply with its header and question. */
const MAX_ANSWER_BYTES = 65_000;

let server: ScriptedDns;
let dns: DnsServers;

beforeEach(async () => {
  server = await startScriptedDns();
  dns = new DnsServers({ resolvers: [server.address], allowPrivateAuthoritative: false });
});
afterEach(async () => {
  dns.close();
  await server.close();
});

const cutOff: ScriptedReply = { flags: packets.TRUNCATED_RESPONSE };

/** Answers only over TCP, like a server whose reply does not fit into a datagram. */
function answerWith(large: (query: ScriptedQuery) => readonly Answer[]): void {
  server.answer = (query) => {
    const answers = large(query);
    return answers.length > 0 && query.transport === 'udp' ? cutOff : { answers: [...answers] };
  };
}

const open = () => dns.open(AbortSignal.timeout(10_000));
const txt = (...values: string[]): Answer[] =>
  values.map((value) => ({ name: host, type: 'TXT', ttl: 60, data: value.match(/[^]{1,255}/g) ?? [''] }));
const caa = (...values: string[]): Answer[] =>
  values.map((value) => ({ name, type: 'CAA', ttl: 60, data: { flags: 0, tag: 'issue', value } }));
const repeated = (count: number, value: (i: number) => string) => Array.from({ length: count }, (_v, i) => value(i));

describe('the proof', () => {
  const recordBytes = host.length + 14;
  it.each<[string, string[]]>([
    ['600 other records', repeated(600, (i) => `junk ${i}`)],
    ['one of 60 KB of spaces', [`x${' '.repeat(60_000)}x`]],
    ['200 of 250 quotation marks', repeated(200, (i) => `${i}${'"'.repeat(200)}`)],
    ['similar tokens', repeated(700, (i) => token.slice(0, -3) + String(i).padStart(3, '0'))],
  ])('is found among %s, and the findings stay small', async (_title, others) => {
    const size = others.reduce((sum, value) => sum + value.length + recordBytes, 0);
    expect(size).toBeLessThan(MAX_ANSWER_BYTES);
    answerWith(({ type }) => (type === 'TXT' ? txt(...others, token) : []));
    const findings = await gatherDns(open(), expected, new Date());
    expect(evaluateOwnership(findings, host, token).kind).toBe('proven');
    expect(JSON.stringify(findings).length).toBeLessThan(MAX_FINDINGS_BYTES);
  });

  it('is not found in a value that only contains it', async () => {
    answerWith(({ type }) => (type === 'TXT' ? txt(`${' '.repeat(30_000)}${token}${' '.repeat(30_000)}`) : []));
    const findings = await gatherDns(open(), expected, new Date());
    expect(evaluateOwnership(findings, host, token)).toMatchObject({ kind: 'refuted' });
    expect(JSON.stringify(findings)).toContain('(60027 bytes, cut)');
  });
});

describe('CAA', () => {
  const evaluate = async () => evaluateCaa(await gatherCaa(open(), expected), name, policy);

  it.each<[string, string[]]>([
    ['a value of 60 KB of spaces', [`ca.example;x${' '.repeat(60_000)}x`]],
    ['a value of 60 KB of tabs', [`ca.example;x${'\t'.repeat(60_000)}x`]],
    ['a value of 60 KB of semicolons', [`ca.example${';'.repeat(60_000)}`]],
    ['a thousand records, one of which permits', [...repeated(1_000, (i) => `ca${i}.example`), 'ca.example']],
  ])('with %s is unknown', async (_title, values) => {
    answerWith((query) => (query.type === 'CAA' && query.name === name ? caa(...values) : []));
    expect(await evaluate()).toMatchObject({ kind: 'unknown', at: name, reason: 'too_large' });
  });

  it.each(['a', '"', '\\', '\u0001'])('that is too large is not presented: %j', async (character) => {
    answerWith((query) => (query.type === 'CAA' && query.name === name ? caa(character.repeat(60_000)) : []));
    expect(await evaluate()).toMatchObject({ kind: 'unknown', error: '1 records of 60007 bytes' });
  });

  it('of a set that does not fit into a reply is unknown', async () => {
    server.answer = ({ type }) => (type === 'CAA' ? cutOff : {});
    expect(await evaluate()).toMatchObject({
      kind: 'unknown',
      reason: 'too_large',
      error: 'more than fits into one reply',
    });
  });

  it('is read completely up to the limit, and shown in part', async () => {
    const others = repeated(200, (i) => `ca${i}.example`);
    answerWith((query) => (query.type === 'CAA' && query.name === name ? caa(...others, 'ca.example') : []));
    expect(await evaluate()).toEqual({ kind: 'permits' });
    answerWith((query) => (query.type === 'CAA' && query.name === name ? caa(...others) : []));
    const verdict = await evaluate();
    expect(verdict).toMatchObject({ kind: 'forbids', records: expect.arrayContaining(['… and 185 more']) });
    expect(JSON.stringify(verdict).length).toBeLessThan(2_048);
  });

  it('keeps a tab a tab, and every bit of the flags', async () => {
    const data = { flags: 126, tag: 'issue' as const, value: '\tca.example\t;\tp\t=\t1\t' };
    server.answer = (query) =>
      query.type === 'CAA' && query.name === name ? { answers: [{ name, type: 'CAA', ttl: 60, data }] } : {};
    const [lookup] = await gatherCaa(open(), expected);
    expect(lookup?.answer).toMatchObject({
      records: [{ value: '126 issue "\\009ca.example\\009;\\009p\\009=\\0091\\009"' }],
    });
    expect(await evaluate()).toEqual({ kind: 'permits' });
  });
});

it('escapes the target of a CNAME, which can contain any byte', async () => {
  const alias = 'a\0b.example';
  const answers: Answer[] = [
    { name: host, type: 'CNAME', ttl: 60, data: alias },
    { name: alias, type: 'TXT', ttl: 60, data: [token] },
  ];
  server.answer = ({ type }) => (type === 'TXT' ? { answers } : {});
  const findings = await gatherDns(open(), expected, new Date());
  expect(JSON.stringify(findings)).not.toContain('\\u0000');
  expect(findings.lookups.find(({ type }) => type === 'TXT')?.alias).toBe('a\\000b.example');
});

it('sends few queries for a name with a thousand addresses', async () => {
  const many = repeated(1_000, (i) => `203.0.${i >> 8}.${i & 255}`);
  answerWith(({ type }) => (type === 'A' ? many.map((data) => ({ name, type: 'A', ttl: 60, data })) : []));
  const findings = await gatherDns(open(), expected, new Date());
  expect(evaluateDns(findings, expected)).toMatchObject({ kind: 'mismatch', issues: [{ code: 'conflicting_a' }] });
  expect(JSON.stringify(findings).length).toBeLessThan(MAX_FINDINGS_BYTES);
});

it('large replies that arrive together are read in different ticks of the event loop', async () => {
  const count = 50;
  const all = Promise.withResolvers<void>();
  let asked = 0;
  server.answer = async ({ transport }) => {
    if (transport === 'udp') return cutOff;
    if (++asked === count) all.resolve();
    await all.promise;
    return { answers: txt('x'.repeat(4_000)) };
  };
  let inTick = 0;
  let most = 0;
  let isDone = false;
  const nextTick = (): void => {
    most = Math.max(most, inTick);
    inTick = 0;
    if (!isDone) setImmediate(nextTick);
  };
  nextTick();
  const { resolvers } = open();
  const kinds = await Promise.all(
    Array.from({ length: count }, async () => {
      const lookup = await resolvers[0]?.query(host, 'TXT');
      inTick += 1;
      return lookup?.answer.kind;
    }),
  );
  isDone = true;
  expect(new Set(kinds)).toEqual(new Set(['found']));
  expect(Math.max(most, inTick)).toBe(1);
});
