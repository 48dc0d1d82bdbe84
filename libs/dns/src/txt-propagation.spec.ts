import { describe, expect, it } from '@jest/globals';
import type { DnsAnswer, DnsLookup, DnsQuestionType } from '@pets/contracts';
import type { DnsServer } from './dns-servers.js';
import { findNameServers, waitForTxt } from './txt-propagation.js';

const signal = new AbortController().signal;
const at = '2026-01-01T00:00:00.000Z';
const name = '_t.acme.pets.example';
const absent: DnsAnswer = { kind: 'absent' };
const failed: DnsAnswer = { kind: 'failed', error: 'TIMEOUT' };
const found = (...values: string[]): DnsAnswer => ({
  kind: 'found',
  records: values.map((value) => ({ value, ttl: 1 })),
});

/** A server that gives these answers one after another, and the last one from then on. */
function serverOf(server: string, ...answers: readonly DnsAnswer[]): DnsServer & { asked: number } {
  const scripted = {
    asked: 0,
    query: (queried: string, type: DnsQuestionType): Promise<DnsLookup> => {
      const answer = answers[Math.min(scripted.asked, answers.length - 1)] ?? failed;
      scripted.asked += 1;
      return Promise.resolve({ name: queried, type, server, answer, at });
    },
  };
  return scripted;
}

const expected = { name, values: ['one', 'two'] };

describe('waitForTxt', () => {
  it('asks each server until it has all values, and not again', async () => {
    const fast = serverOf('ns1', found('two', 'other', 'one'));
    const slow = serverOf('ns2', absent, found('one'), found('one', 'two'));
    const servers = [fast, slow].map((server, i) => ({ host: `ns${i + 1}`, addresses: [server] }));
    expect(await waitForTxt(servers, expected, { limitMs: 5_000, signal })).toEqual({ kind: 'complete' });
    expect([fast.asked, slow.asked]).toEqual([1, 3]);
  });

  it.each<[string, DnsAnswer]>([
    ['has other values', found('one')],
    ['has none', absent],
    ['does not answer', failed],
  ])('reports a server that %s', async (_case, answer) => {
    const servers = [
      { host: 'ns1', addresses: [serverOf('ns1', found('one', 'two'))] },
      { host: 'ns2', addresses: [serverOf('ns2', answer)] },
    ];
    const result = await waitForTxt(servers, expected, { limitMs: 10, signal });
    expect(result).toEqual({ kind: 'incomplete', lacking: [{ name, type: 'TXT', server: 'ns2', answer, at }] });
  });

  it('ignores an address that cannot be reached, if another one of the same server has the values', async () => {
    const has = serverOf('192.0.2.1', found('one', 'two'));
    const wait = (other: DnsServer) =>
      waitForTxt([{ host: 'ns1', addresses: [has, other] }], expected, { limitMs: 10, signal });
    expect(await wait(serverOf('2001:db8::1', failed))).toEqual({ kind: 'complete' });
    expect(await wait(serverOf('2001:db8::1', absent))).toMatchObject({ lacking: [{ server: '2001:db8::1' }] });
  });

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController();
    const servers = [{ host: 'ns1', addresses: [serverOf('ns1', absent)] }];
    const waiting = waitForTxt(servers, expected, { limitMs: 60_000, signal: controller.signal });
    controller.abort(new Error('the job has ended'));
    await expect(waiting).rejects.toThrow('the job has ended');
  });
});

describe('findNameServers', () => {
  const zone = 'acme.pets.example';
  const find = (records: Readonly<Record<string, DnsAnswer>>) =>
    findNameServers(
      zone,
      (queried, type) =>
        Promise.resolve({ name: queried, type, server: '', answer: records[`${type} ${queried}`] ?? absent, at }),
      (address) => serverOf(address),
    );

  it('finds every address of every server', async () => {
    const result = await find({
      [`NS ${zone}`]: found('ns1.example', 'ns2.example'),
      'A ns1.example': found('10.0.0.1', '192.0.2.1'),
      'AAAA ns1.example': found('2001:db8::1'),
      'AAAA ns2.example': found('2001:db8::2'),
    });
    if ('error' in result) throw new Error(result.error);
    const addresses = await Promise.all(
      result.servers.map(async (server) => [
        server.host,
        ...(await Promise.all(server.addresses.map(async (address) => (await address.query(name, 'TXT')).server))),
      ]),
    );
    expect(addresses).toEqual([
      ['ns1.example', '10.0.0.1', '192.0.2.1', '2001:db8::1'],
      ['ns2.example', '2001:db8::2'],
    ]);
  });

  it.each<[string, Readonly<Record<string, DnsAnswer>>, string]>([
    ['is not delegated', {}, `${zone} is not delegated: it has no NS records`],
    ['is unknown to the resolvers', { [`NS ${zone}`]: failed }, `the name servers of ${zone} are unknown: TIMEOUT`],
    ['has a server without an address', { [`NS ${zone}`]: found('ns.example') }, 'no address of ns.example was found'],
  ])('reports a zone that %s', async (_case, records, error) => {
    expect(await find(records)).toEqual({ error });
  });
});
