import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import packets from 'dns-packet';
import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { connect } from 'node:net';
import { startDevDns, type DevDns } from '../src/dev-dns/dev-dns.js';
import { sendControl } from './dev-dns-control.js';

let server: DevDns;
let resolver: dns.Resolver;

beforeEach(async () => {
  server = await startDevDns({ platformDomain: 'pets.localhost' });
  resolver = new dns.Resolver({ timeout: 300, tries: 1 });
  resolver.setServers([server.address]);
});
afterEach(() => server.close());

const control = (method: string, path: string, body?: unknown) => sendControl(server.controlUrl, method, path, body);

async function askUdp(name: string, type: 'A' | 'CNAME' | 'TXT' | 'SOA' | 'NS') {
  const socket = createSocket('udp4');
  const query = packets.encode({ type: 'query', id: 7, flags: packets.RECURSION_DESIRED, questions: [{ name, type }] });
  socket.send(query, server.port, '127.0.0.1');
  const [bytes] = (await once(socket, 'message', { signal: AbortSignal.timeout(2_000) })) as [Buffer];
  socket.close();
  return packets.decode(bytes);
}

/** The last four bits of the flags (RFC 1035 §4.1.1); 3 is NXDOMAIN. */
const rcodeOf = (packet: { flags?: number }) => (packet.flags ?? 0) & 0xf;

describe('answers', () => {
  it('accumulates several records of one name and type, and lists what was put', async () => {
    await control('PUT', '/records', { name: 'a.example.com', type: 'A', data: '203.0.113.7', ttl: 30 });
    await control('PUT', '/records', { name: 'A.Example.com.', type: 'a', data: '203.0.113.8' });
    await control('PUT', '/records', { name: 'a.example.com', type: 'A', data: '203.0.113.8' });
    expect(await resolver.resolve4('A.EXAMPLE.com', { ttl: true })).toEqual([
      { address: '203.0.113.7', ttl: 30 },
      { address: '203.0.113.8', ttl: 60 },
    ]);
    expect((await control('GET', '/records')).body).toEqual([
      { name: 'a.example.com', type: 'A', data: '203.0.113.7', ttl: 30 },
      { name: 'a.example.com', type: 'A', data: '203.0.113.8', ttl: 60 },
    ]);
  });

  it('shows the whole chain of CNAMEs and the address at its end', async () => {
    server.put({ name: 'docs.example.com', type: 'CNAME', data: 'hop.example.net.' });
    server.put({ name: 'hop.example.net', type: 'CNAME', data: 't1.cname.pets.localhost.' });
    const { answers } = await askUdp('docs.example.com', 'A');
    expect(answers?.map((answer) => ('data' in answer ? `${answer.name} ${JSON.stringify(answer.data)}` : ''))).toEqual(
      [
        'docs.example.com "hop.example.net"',
        'hop.example.net "t1.cname.pets.localhost"',
        't1.cname.pets.localhost "127.0.0.1"',
      ],
    );
    expect(await resolver.resolveCname('docs.example.com')).toEqual(['hop.example.net']);
  });

  it('says NXDOMAIN, with the CNAME, for an alias to nowhere', async () => {
    server.put({ name: 'docs.example.com', type: 'CNAME', data: 'gone.example.net.' });
    const packet = await askUdp('docs.example.com', 'A');
    expect([rcodeOf(packet), packet.answers?.length]).toEqual([3, 1]);
  });

  it('ends a loop of CNAMEs with SERVFAIL', async () => {
    server.put({ name: 'a.example.com', type: 'CNAME', data: 'b.example.com.' });
    server.put({ name: 'b.example.com', type: 'CNAME', data: 'a.example.com.' });
    await expect(resolver.resolve4('a.example.com')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  });

  it('distinguishes a name that does not exist from one without such a record', async () => {
    server.put({ name: 'deep.sub.example.com', type: 'TXT', data: 'x' });
    await expect(resolver.resolve4('other.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolver.resolve4('deep.sub.example.com')).rejects.toMatchObject({ code: 'ENODATA' });
    await expect(resolver.resolve4('sub.example.com')).rejects.toMatchObject({ code: 'ENODATA' });
    const negative = await askUdp('other.example.com', 'A');
    expect(negative.authorities?.map(({ type, name }) => `${type} ${name}`)).toEqual(['SOA example.com']);
  });

  it('takes a name without records for one that exists as long as there is anything below it', async () => {
    for (const data of ['one', 'two']) server.put({ name: 'a.b.ent.example.com', type: 'TXT', data });
    server.put({ name: 'c.ent.example.com', type: 'TXT', data: 'x' });
    await control('DELETE', '/records?name=a.b.ent.example.com');
    await expect(resolver.resolve4('b.ent.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    await expect(resolver.resolve4('ent.example.com')).rejects.toMatchObject({ code: 'ENODATA' });
    await control('DELETE', '/records?name=c.ent.example.com');
    await control('DELETE', '/records?name=c.ent.example.com');
    await expect(resolver.resolve4('ent.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    server.put({ name: 'c.ent.example.com', type: 'TXT', data: 'x' });
    await expect(resolver.resolve4('ent.example.com')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('resolves the platform’s domain and everything below it to this machine, over IPv4 alone', async () => {
    expect(await resolver.resolve4('pets.localhost')).toEqual(['127.0.0.1']);
    expect(await resolver.resolve4('a.b.pets.localhost')).toEqual(['127.0.0.1']);
    await expect(resolver.resolve6('a.b.pets.localhost')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('answers CAA with flags, tag and value, whatever the tag', async () => {
    server.put({ name: 'example.com', type: 'CAA', data: '0 issue "ca.example; validationmethods=http-01"' });
    server.put({ name: 'example.com', type: 'CAA', data: '128 future "x"' });
    expect(await resolver.resolveCaa('example.com')).toEqual([
      expect.objectContaining({ critical: 0, issue: 'ca.example; validationmethods=http-01' }),
      expect.objectContaining({ critical: 128, future: 'x' }),
    ]);
  });

  it('keeps every bit of the flags, and every byte of a value that is written as in a zone file', async () => {
    server.put({ name: 'bits.example.com', type: 'CAA', data: '126 issue "\\009ca.example\\009; a=\\"\\\\\\127"' });
    expect(await resolver.resolveCaa('bits.example.com')).toEqual([
      expect.objectContaining({ critical: 126, issue: '\tca.example\t; a="\\\u007f' }),
    ]);
    server.put({ name: 'tab.example.com', type: 'CAA', data: '0 issue "\tca.example"' });
    expect(await resolver.resolveCaa('tab.example.com')).toMatchObject([{ issue: '\tca.example' }]);
    server.put({ name: 'bytes.example.com', type: 'TXT', data: '"a\\009\\000b" "\\195\\188"' });
    expect(await resolver.resolveTxt('bytes.example.com')).toEqual([['a\t\0b', Buffer.from('ü').toString('latin1')]]);
  });

  it.each(['0 issue "a\\256"', '256 issue "a"'])('refuses %s: no byte is that large', (data) => {
    expect(() => server.put({ name: 'x.example.com', type: 'CAA', data })).toThrow('CAA');
  });

  it('splits a long TXT record into parts of 255 bytes, and sends it over TCP when it does not fit', async () => {
    const long = 'x'.repeat(1500);
    server.put({ name: 'long.example.com', type: 'TXT', data: long });
    server.put({ name: 'parts.example.com', type: 'TXT', data: '"one \\"1\\"" "two"' });
    expect((await askUdp('long.example.com', 'TXT')).flag_tc).toBe(true);
    const [parts = []] = await resolver.resolveTxt('long.example.com');
    expect(parts.map((part) => part.length)).toEqual([255, 255, 255, 255, 255, 225]);
    expect(await resolver.resolveTxt('parts.example.com')).toEqual([['one "1"', 'two']]);
  });

  it('answers several queries on one TCP connection', async () => {
    const socket = connect(server.port, '127.0.0.1');
    const query = packets.streamEncode({ type: 'query', id: 9, questions: [{ type: 'A', name: 'pets.localhost' }] });
    socket.write(Buffer.concat([query, query]));
    let received = Buffer.alloc(0);
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, chunk]);
      if (received.length >= 2 * (2 + received.readUInt16BE(0))) break;
    }
    expect(packets.streamDecode(received)?.id).toBe(9);
  });

  it('has an SOA and, once they are put in, NS records for a zone', async () => {
    server.put({ name: 'example.com', type: 'NS', data: 'ns1.example.com.' });
    server.put({ name: 'www.example.com', type: 'A', data: '203.0.113.7' });
    expect(await resolver.resolveNs('example.com')).toEqual(['ns1.example.com']);
    expect((await resolver.resolveSoa('example.com')).nsname).toBe('ns.dev-dns.test');
    await expect(resolver.resolveSoa('www.example.com')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('uses a wildcard only where no closer name exists', async () => {
    server.put({ name: '*.example.com', type: 'A', data: '203.0.113.1' });
    server.put({ name: 'x.sub.example.com', type: 'A', data: '203.0.113.2' });
    expect(await resolver.resolve4('any.example.com')).toEqual(['203.0.113.1']);
    await expect(resolver.resolve4('y.sub.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('shows the addresses of the target of an ALIAS as those of the name, and nothing else', async () => {
    server.put({ name: 'docs.example.com', type: 'ALIAS', data: 'hop.example.net.' });
    server.put({ name: 'hop.example.net', type: 'CNAME', data: 't1.cname.pets.localhost.' });
    const { answers } = await askUdp('docs.example.com', 'A');
    expect(answers).toMatchObject([{ name: 'docs.example.com', type: 'A', data: '127.0.0.1' }]);
    expect((await askUdp('docs.example.com', 'CNAME')).answers).toEqual([]);
    server.put({ name: 'docs.example.com', type: 'ALIAS', data: 'docs.example.com.' });
    expect((await askUdp('docs.example.com', 'A')).answers).toEqual([]);
  });

  it('stays alive on bytes that are no DNS', async () => {
    const socket = createSocket('udp4');
    await new Promise((resolve) => socket.send(Buffer.from('nonsense'), server.port, '127.0.0.1', resolve));
    socket.close();
    expect(await resolver.resolve4('pets.localhost')).toEqual(['127.0.0.1']);
  });
});

describe('failures', () => {
  it.each([
    ['SERVFAIL', 'ESERVFAIL'],
    ['NXDOMAIN', 'ENOTFOUND'],
    ['REFUSED', 'EREFUSED'],
    ['TIMEOUT', 'ETIMEOUT'],
  ])('%s reaches the resolver as %s, until it is taken back', async (rcode, code) => {
    server.put({ name: 'a.example.com', type: 'A', data: '203.0.113.7' });
    await control('PUT', '/failures', { name: 'a.example.com', rcode });
    await expect(resolver.resolve4('a.example.com')).rejects.toMatchObject({ code });
    await control('DELETE', '/failures?name=a.example.com');
    expect(await resolver.resolve4('a.example.com')).toEqual(['203.0.113.7']);
  });

  it('can concern one type alone', async () => {
    server.put({ name: 'a.example.com', type: 'A', data: '203.0.113.7' });
    await control('PUT', '/failures', { name: 'a.example.com', type: 'CAA', rcode: 'SERVFAIL' });
    await expect(resolver.resolveCaa('a.example.com')).rejects.toMatchObject({ code: 'ESERVFAIL' });
    expect(await resolver.resolve4('a.example.com')).toEqual(['203.0.113.7']);
  });
});

describe('broken DNSSEC', () => {
  it('fails a zone with the reason, and answers questions with checking disabled', async () => {
    server.put({ name: 'a.example.com', type: 'A', data: '203.0.113.7' });
    const extendedError = { code: 9, text: 'no DNSKEY' };
    await control('PUT', '/failures', {
      name: 'example.com',
      rcode: 'SERVFAIL',
      isZone: true,
      isBogus: true,
      extendedError,
    });
    const ask = async (flags: number) => {
      const socket = createSocket('udp4');
      const opt = { type: 'OPT' as const, name: '.' as const, udpPayloadSize: 1_232, extendedRcode: 0, ednsVersion: 0 };
      const additionals = [{ ...opt, flags: 0, flag_do: false, options: [] }];
      const questions = [{ name: 'a.example.com', type: 'A' as const }];
      socket.send(packets.encode({ type: 'query', id: 7, flags, questions, additionals }), server.port, '127.0.0.1');
      const [bytes] = (await once(socket, 'message', { signal: AbortSignal.timeout(2_000) })) as [Buffer];
      socket.close();
      return packets.decode(bytes);
    };
    const refused = await ask(packets.RECURSION_DESIRED);
    expect(rcodeOf(refused)).toBe(2);
    expect(refused.additionals).toMatchObject([{ options: [{ code: 15, data: Buffer.from('\0\tno DNSKEY') }] }]);
    expect((await ask(packets.RECURSION_DESIRED | packets.CHECKING_DISABLED)).answers).toHaveLength(1);
  });
});

describe('control', () => {
  it('removes one type, or all of a name', async () => {
    server.put({ name: 'a.example.com', type: 'A', data: '203.0.113.7' });
    server.put({ name: 'a.example.com', type: 'TXT', data: 'x' });
    expect((await control('DELETE', '/records?name=a.example.com&type=A')).status).toBe(204);
    await expect(resolver.resolve4('a.example.com')).rejects.toMatchObject({ code: 'ENODATA' });
    await control('DELETE', '/records?name=a.example.com');
    await expect(resolver.resolve4('a.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it.each([
    ['no JSON', '{', 'malformed_json', 'the body is not JSON'],
    ['no name', { type: 'A', data: '203.0.113.7' }, 'invalid_request', 'name: '],
    ['a bad name', { name: 'a b', type: 'A', data: '203.0.113.7' }, 'invalid_request', 'name: is not a domain name'],
    ['an unknown type', { name: 'a.test', type: 'PTR', data: 'x' }, 'invalid_request', 'type: must be one of A, '],
    ['bad data', { name: 'a.test', type: 'A', data: 'x' }, 'invalid_request', "data: an A record's data is an IPv4"],
    ['a bad CAA', { name: 'a.test', type: 'CAA', data: 'issue x' }, 'invalid_request', "data: a CAA record's data is"],
    ['an unknown field', { name: 'a.test', type: 'A', data: '1.2.3.4', x: 1 }, 'invalid_request', 'Unrecognized'],
  ])('refuses %s with 400 and says why', async (_what, body, code, message) => {
    const answer = await control('PUT', '/records', body);
    expect(answer).toMatchObject({
      status: 400,
      body: { code, status: 400, message: expect.stringContaining(message) },
    });
  });

  it('knows no other path or method', async () => {
    expect((await control('GET', '/zones')).status).toBe(404);
    expect((await control('POST', '/records', {})).status).toBe(405);
  });
});
