import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileSchema } from './control-schemas.js';
import { toAnswer } from './record-data.js';
import type { SecondServers } from './second-servers.js';
import type { Zone } from './zone.js';

/**
 * Keeps the records of a zone in a file, with rotations and second servers, so that the next start continues with them. Not the
 * records of challenges, which end with their orders, and no failures.
 */
export class RecordsFile {
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
