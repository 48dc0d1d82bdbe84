import { randomBytes } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { DnsServers } from '../src/dns-servers.js';
import { DnsUpdater, type DnsUpdaterOptions } from '../src/dns-updater.js';

const secret = randomBytes(32);
const strangerSecret = randomBytes(32);

export const zone = 'acme.pets.example';
export const key = { name: 'pets-acme', secret };
/** The secrets in base64. */
export const serverKey = { name: key.name, secret: secret.toString('base64') };
export const strangerKey = { name: 'stranger', secret: strangerSecret.toString('base64') };

const name = `_t0k3n.${zone}`;
const signal = new AbortController().signal;
const ttl = 1;

/** A name server with the zone, whose TXT records the key may change and the key of a stranger not. */
export interface UpdatedServer {
  readonly port: number;
  readonly address: string;
  stop(): Promise<void>;
}

/**
 * Tests of `DnsUpdater` that pass with every name server.
 * @param refusal what the server says about a key that may change nothing
 */
export function itUpdates(start: () => Promise<UpdatedServer>, refusal: 'bad_key' | 'refused'): void {
  let server: UpdatedServer;

  beforeAll(async () => {
    server = await start();
  });
  afterEach(() => updaterWith().update([{ kind: 'remove_all', name }], signal));
  afterAll(() => server.stop());

  const updaterWith = (options: Partial<DnsUpdaterOptions> = {}) =>
    new DnsUpdater({ server: server.address, zone, key, ...options });
  const failureWith = (options: Partial<DnsUpdaterOptions>, at = name) =>
    updaterWith(options)
      .update([{ kind: 'add', name: at, value: 'x', ttl }], signal)
      .then(() => null)
      .catch((error: unknown) => error);

  it('adds two values at one name, removes one, then all', async () => {
    const updater = updaterWith();
    await updater.update([{ kind: 'add', name, value: 'first', ttl }], signal);
    await updater.update([{ kind: 'add', name, value: 'second', ttl }], signal);
    expect(await valuesAt(server)).toEqual(['first', 'second']);
    await updater.update([{ kind: 'remove', name, value: 'first' }], signal);
    expect(await valuesAt(server)).toEqual(['second']);
    await updater.update([{ kind: 'remove_all', name }], signal);
    expect(await valuesAt(server)).toEqual([]);
  });

  it('makes the changes of one update together', async () => {
    const updater = updaterWith();
    await updater.update(
      ['a', 'b', 'c'].map((value) => ({ kind: 'add', name, value, ttl })),
      signal,
    );
    expect(await valuesAt(server)).toEqual(['a', 'b', 'c']);
    await updater.update(
      ['a', 'b', 'c'].map((value) => ({ kind: 'remove', name, value })),
      signal,
    );
    expect(await valuesAt(server)).toEqual([]);
  });

  it('repeats a change without an effect', async () => {
    const updater = updaterWith();
    const add = { kind: 'add', name, value: 'twice', ttl } as const;
    await updater.update([add], signal);
    await updater.update([add], signal);
    expect(await valuesAt(server)).toEqual(['twice']);
    const remove = { kind: 'remove', name, value: 'twice' } as const;
    await updater.update([remove], signal);
    await updater.update([remove], signal);
    expect(await valuesAt(server)).toEqual([]);
  });

  it('makes a large update', async () => {
    const updater = updaterWith();
    const values = Array.from({ length: 100 }, (_value, i) => String(100 + i).padEnd(255, 'x'));
    await updater.update(
      values.map((value) => ({ kind: 'add', name, value, ttl })),
      signal,
    );
    expect((await valuesAt(server)).join() === values.join()).toBe(true);
  });

  it('checks the settings with an update without changes', async () => {
    await updaterWith().update([], signal);
    await expect(updaterWith({ zone: 'other.example' }).update([], signal)).rejects.toThrow('NOTAUTH');
  });

  it('accepts clocks that differ by four minutes', async () => {
    for (const differenceMs of [-240_000, 240_000]) {
      const now = () => new Date(Date.now() + differenceMs);
      await updaterWith({ now }).update([], signal);
    }
  });

  it.each<[string, Partial<DnsUpdaterOptions>, string, string]>([
    ['an unknown key', { key: { name: 'other-key', secret } }, 'bad_key', name],
    ['a wrong secret', { key: { name: key.name, secret: randomBytes(32) } }, 'bad_signature', name],
    ['a zone of another server', { zone: 'other.example' }, 'not_authoritative', 'x.other.example'],
    ['a name outside of the zone', {}, 'not_in_zone', 'x.other.example'],
  ])('reports %s', async (_case, options, reason, at) => {
    expect(await failureWith(options, at)).toMatchObject({ name: 'DnsUpdateError', reason });
    expect(await valuesAt(server)).toEqual([]);
  });

  it.each([-600_000, 600_000])('reports clocks that differ by %i ms, with the time of the server', async (ms) => {
    const failure = await failureWith({ now: () => new Date(Date.now() + ms) });
    expect(failure).toMatchObject({ reason: 'bad_time', serverTime: expect.any(Date) });
    const { serverTime } = failure as { serverTime: Date };
    expect(Math.abs(serverTime.getTime() - Date.now())).toBeLessThan(60_000);
  });

  it('reports a key that may not change the zone', async () => {
    const failure = await failureWith({ key: { name: strangerKey.name, secret: strangerSecret } });
    expect(failure).toMatchObject({
      name: 'DnsUpdateError',
      reason: refusal,
    });
  });

  it.each([
    ['in its header', 3],
    ['in its MAC', -20],
    ['in its time', -40 - 8],
  ])('does not believe a reply that was changed %s', async (_place, at) => {
    const proxy = await startTampering(server.port, (reply) => {
      const index = at < 0 ? reply.length + at : at;
      reply[index] = (reply[index] ?? 0) ^ 1;
      return reply;
    });
    try {
      expect(await failureWith({ server: proxy.address })).toMatchObject({ reason: 'unauthenticated' });
    } finally {
      await proxy.close();
    }
  });

  it('does not believe the reply to an earlier update', async () => {
    let kept: Buffer | undefined;
    const proxy = await startTampering(server.port, (reply) => {
      kept ??= Buffer.from(reply);
      const replayed = Buffer.from(kept);
      reply.copy(replayed, 0, 0, 2);
      return replayed;
    });
    try {
      const updater = updaterWith({ server: proxy.address });
      await updater.update([], signal);
      await expect(updater.update([], signal)).rejects.toMatchObject({ reason: 'unauthenticated' });
    } finally {
      await proxy.close();
    }
  });
}

/** Asks the server, past every cache. */
async function valuesAt({ address }: UpdatedServer): Promise<string[]> {
  const dns = new DnsServers({ resolvers: [address], allowPrivateAuthoritative: false, resolversHoldZones: true });
  try {
    const [server] = dns.open(signal).allZonesServers;
    const answer = (await server?.query(name, 'TXT'))?.answer;
    if (answer?.kind === 'failed') throw new Error(answer.error);
    return answer?.kind === 'found' ? answer.records.map(({ value }) => value).sort() : [];
  } finally {
    dns.close();
  }
}

/** A TCP proxy that changes the replies of the server. */
async function startTampering(port: number, change: (reply: Buffer) => Buffer) {
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    client.pipe(server);
    let received = Buffer.alloc(0);
    server.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      client.write(Buffer.concat([received.subarray(0, 2), change(received.subarray(2))]));
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => proxy.close(resolve));
  };
  return { address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`, close };
}
