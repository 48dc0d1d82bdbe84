/**
 * The development DNS server: what a domain's owner would do at a registrar is here a PUT to its control port.
 * What is not in it does not exist, except the platform's own domain, which is at the edge.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { serveLocally } from '../processes/http-server.js';
import { controlHandler, fileSchema } from './control.js';
import { listen } from './listeners.js';
import { canonicalName, toAnswer, type ZoneRecord } from './record-data.js';
import { SecondServers } from './second-servers.js';
import { replyToUpdate } from './updates.js';
import { Zone, type Failure, type UpdatedZone } from './zone.js';

const LOOPBACK = '127.0.0.1';

export type DevDnsOptions = {
  /** UDP and TCP; 0 takes a free one. */
  readonly port?: number;
  readonly controlPort?: number;
  /** UDP and TCP of the second server that zones can have; 0 takes a free one. Without it there is none. */
  readonly secondPort?: number | undefined;
  /** IPv4 address that both listen on; by default 127.0.0.1. */
  readonly host?: string;
  /** Name that resolves to `platformAddress`, with all names below it. */
  readonly platformDomain?: string;
  /** IPv4 address of the edge; by default 127.0.0.1. */
  readonly platformAddress?: string;
  /** A zone of challenges, which takes signed updates (RFC 2136, RFC 8945). */
  readonly challengeZone?: UpdatedZone;
  /** Keeps the records that are put in over the control port; without one they end with the server. */
  readonly file?: string;
};

export type DevDns = {
  readonly port: number;
  /** `127.0.0.1:<port>`, as resolvers are configured. */
  readonly address: string;
  /** The same of the second server. */
  readonly secondAddress: string | null;
  readonly controlUrl: string;
  put(record: Omit<ZoneRecord, 'ttl'> & { ttl?: number }): void;
  remove(name: string, type?: string): void;
  fail(failure: Failure): void;
  heal(name: string, type?: string): void;
  close(): Promise<void>;
};

export async function startDevDns({
  port = 0,
  controlPort = 0,
  secondPort,
  host = LOOPBACK,
  platformDomain,
  platformAddress = LOOPBACK,
  challengeZone,
  file,
}: DevDnsOptions = {}): Promise<DevDns> {
  const secondServers = new SecondServers();
  const zone = new Zone({ platformDomain, platformAddress, updated: challengeZone, secondServers });
  const records = file === undefined ? null : new RecordsFile(file, zone, secondServers);
  await records?.load();
  const update = (bytes: Buffer) => replyToUpdate(bytes, zone, new Date());
  const listeners = await listen({ resolve: (...question) => zone.resolve(...question), update }, host, port);
  const second =
    secondPort === undefined
      ? null
      : await listen({ resolve: (...question) => secondServers.resolve(zone, ...question), update }, host, secondPort);
  const save = async () => records?.save();
  const control = await serveLocally(
    controlPort,
    controlHandler({ zone, secondServers: second && secondServers, save }),
    host,
  );
  return {
    port: listeners.port,
    address: `${LOOPBACK}:${listeners.port}`,
    secondAddress: second && `${LOOPBACK}:${second.port}`,
    controlUrl: control.url,
    put: (record) => {
      const complete = { ttl: 60, ...record, name: canonicalName(record.name) };
      toAnswer(complete); // throws where the data is no such record
      zone.put(complete);
    },
    remove: (name, type) => zone.remove(canonicalName(name), type),
    fail: (failure) => zone.putFailure({ ...failure, name: canonicalName(failure.name) }),
    heal: (name, type) => zone.removeFailure(canonicalName(name), type),
    close: async () => {
      await Promise.all([listeners.close(), second?.close(), control.close()]);
    },
  };
}

/**
 * Keeps the records of a zone in a file, with rotations and second servers, so that the next start continues with them. Not the
 * records of challenges, which end with their orders, and no failures.
 */
class RecordsFile {
  readonly #path: string;
  readonly #zone: Zone;
  readonly #secondServers: SecondServers;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(path: string, zone: Zone, secondServers: SecondServers) {
    this.#path = path;
    this.#zone = zone;
    this.#secondServers = secondServers;
  }

  /** Puts the records of the file into the zone, if there is one. @throws Error that names a file of other content */
  async load(): Promise<void> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{"records":[]}';
      throw error;
    });
    try {
      const { records, rotations, secondServers } = fileSchema.parse(JSON.parse(text));
      for (const record of [...records, ...secondServers.flatMap((server) => server.records ?? [])]) toAnswer(record);
      for (const record of records) this.#zone.put(record);
      for (const rotation of rotations) this.#zone.rotations.put(rotation);
      for (const server of secondServers) this.#secondServers.put(server);
    } catch (cause) {
      throw new Error(`${this.#path} has no records of the development DNS server: delete it to start without`, {
        cause,
      });
    }
  }

  /** Writes the records. Several calls during a write share the next one. @throws Error when the file cannot be written */
  save(): Promise<void> {
    const write = () => {
      this.#next = null;
      return (this.#writing = this.#write());
    };
    // A failed write is an error of its own callers: the next one is tried.
    this.#next ??= this.#writing.then(write, write);
    return this.#next;
  }

  /** Readers see all of it or nothing, also after a crash. */
  async #write(): Promise<void> {
    const draft = `${this.#path}.${randomBytes(4).toString('hex')}`;
    await mkdir(dirname(this.#path), { recursive: true });
    const content = {
      records: this.#zone.listLasting(),
      rotations: this.#zone.rotations.list(),
      secondServers: this.#secondServers.list(),
    };
    await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`);
    await rename(draft, this.#path);
  }
}
