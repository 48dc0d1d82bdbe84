import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DnsQuestionType, ExpectedDns } from '@pets/contracts';
import { judgeDns, judgeOwnership } from '@pets/domains';
import { startDevDns, type DevDns } from '@pets/testing';
import { DnsServers, type DnsServer } from '../src/verification/dns-servers.js';
import { gatherCaa } from '../src/verification/gather-caa.js';
import { gatherDns } from '../src/verification/gather-dns.js';

const patience = new AbortController().signal;
let dns: DevDns;

beforeEach(async () => {
  dns = await startDevDns();
});
afterEach(() => dns.close());

function server(signal = patience): DnsServer {
  const [opened] = new DnsServers({ DNS_RESOLVERS: [dns.address] }).open(signal);
  if (opened === undefined) throw new Error('no server');
  return opened;
}

async function answerTo(name: string, type: DnsQuestionType) {
  return (await server().ask(name, type)).answer;
}

describe('DnsServers', () => {
  it('tells which server it asked for what', async () => {
    dns.put({ type: 'A', name: 'a.example', data: '192.0.2.1' });
    expect(await server().ask('a.example', 'A')).toEqual({
      name: 'a.example',
      type: 'A',
      server: dns.address,
      answer: { kind: 'found', records: [{ value: '192.0.2.1', ttl: 60 }] },
    });
  });

  it('gives a CNAME in lower case without the final dot', async () => {
    dns.put({ type: 'CNAME', name: 'www.example', data: 'T1.CNAME.Pets.Example.' });
    expect(await answerTo('www.example', 'CNAME')).toMatchObject({ records: [{ value: 't1.cname.pets.example' }] });
  });

  it('joins the strings of a TXT', async () => {
    dns.put({ type: 'TXT', name: '_platform-challenge.example', data: '"pets=" "token"' });
    expect(await answerTo('_platform-challenge.example', 'TXT')).toMatchObject({ records: [{ value: 'pets=token' }] });
  });

  it('gives CAA in presentation form, flags and all', async () => {
    dns.put({ type: 'CAA', name: 'example', data: '128 issue "letsencrypt.org; validationmethods=http-01"' });
    dns.put({ type: 'CAA', name: 'example', data: '0 issuewild ";"' });
    expect(await answerTo('example', 'CAA')).toMatchObject({
      records: [{ value: '128 issue "letsencrypt.org; validationmethods=http-01"' }, { value: '0 issuewild ";"' }],
    });
  });

  it('takes a name that does not exist, and one without such records, for absent', async () => {
    dns.put({ type: 'A', name: 'a.example', data: '192.0.2.1' });
    expect(await answerTo('nothing.example', 'CNAME')).toEqual({ kind: 'absent' });
    expect(await answerTo('a.example', 'TXT')).toEqual({ kind: 'absent' });
  });

  it('takes the addresses of a dangling CNAME for absent', async () => {
    dns.put({ type: 'CNAME', name: 'www.example', data: 'gone.example.' });
    expect(await answerTo('www.example', 'A')).toEqual({ kind: 'absent' });
  });

  it.each(['SERVFAIL', 'REFUSED'] as const)('could not tell after %s', async (rcode) => {
    dns.fail({ name: 'a.example', rcode });
    expect(await answerTo('a.example', 'A')).toMatchObject({ kind: 'failed' });
  });

  it('could not tell when the job ends before the answer', async () => {
    dns.fail({ name: 'a.example', rcode: 'TIMEOUT' });
    const job = new AbortController();
    const lookup = server(job.signal).ask('a.example', 'A');
    job.abort();
    expect((await lookup).answer).toEqual({ kind: 'failed', error: 'ECANCELLED' });
  });
});

describe('gathering from a real server', () => {
  const expected: ExpectedDns = {
    name: 'docs.acme.example',
    isApex: false,
    targetHost: 't1.cname.pets.example',
    ownershipHost: '_platform-challenge.docs.acme.example',
  };

  it('finds what a verdict needs', async () => {
    dns.put({ type: 'CNAME', name: expected.name, data: 'edge.acme.example.' });
    dns.put({ type: 'CNAME', name: 'edge.acme.example', data: `${expected.targetHost}.` });
    dns.put({ type: 'TXT', name: '_platform-challenge.docs.acme.example', data: '"pets=t1"' });
    const findings = await gatherDns([server()], expected, new Date());
    expect(judgeDns(findings, expected)).toEqual({ kind: 'matches' });
    expect(judgeOwnership(findings, '_platform-challenge.docs.acme.example', 'pets=t1')).toEqual({ kind: 'proven' });
  });

  it('keeps what each server said apart', async () => {
    const other = await startDevDns();
    dns.put({ type: 'CNAME', name: expected.name, data: `${expected.targetHost}.` });
    other.put({ type: 'A', name: expected.name, data: '192.0.2.1' });
    const servers = new DnsServers({ DNS_RESOLVERS: [dns.address, other.address] }).open(patience);
    const findings = await gatherDns(servers, expected, new Date());
    expect(judgeDns(findings, expected)).toMatchObject({ kind: 'mismatch', issues: [{ code: 'propagating' }, {}] });
    await other.close();
  });

  it('climbs for CAA', async () => {
    dns.put({ type: 'CAA', name: 'acme.example', data: '0 issue ";"' });
    const lookups = await gatherCaa([server()], expected.name);
    expect(lookups.map(({ name, answer }) => `${name} ${answer.kind}`)).toEqual([
      'docs.acme.example absent',
      'acme.example found',
      'example absent',
    ]);
  });
});
