import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sealedCertificateSchema, type SealedCertificate } from '@pets/contracts';
import type { Logger } from '@pets/platform';
import { checkedContent, replaceCheckedFile } from '../routing/durable-file.js';

/** Downloads at a time that nobody waits for in a handshake. */
const PREFETCH_CONCURRENCY = 8;

/** Missing certificates that are tried again in one go, so that an API that refuses them all is not hammered. */
const RETRY_BATCH = 64;

/** For this long a failed download is not repeated, however many handshakes ask for it. */
const FAILURE_REMEMBERED_MS = 2_000;

/** A fresh copy that could not be opened either is not fetched again for this long, however many handshakes ask for it. */
const RELOAD_PAUSE_MS = 30_000;

const SUFFIX = '.json';

/**
 * Sealed certificates on disk, downloaded as the routes name them. What lies there is useless without the
 * key-encryption keys; unsealing is up to `SecureContexts`.
 */
export class SealedCertificates {
  #stored = new Set<string>();
  #missing = new Set<string>();
  #downloads = new Map<string, Promise<SealedCertificate>>();
  #failedAtMs = new Map<string, number>();
  #reloadedAtMs = new Map<string, number>();
  #busySlots = 0;
  #waitingForSlot: (() => void)[] = [];

  constructor(
    private readonly folder: string,
    private readonly fetchCertificate: (id: string) => Promise<SealedCertificate>,
    private readonly isNamed: (id: string) => boolean,
    private readonly now: () => number,
    private readonly log: Logger,
  ) {}

  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const names = await readdir(this.folder);
    const strays = names.filter((name) => !name.endsWith(SUFFIX));
    await Promise.all(strays.map((name) => rm(join(this.folder, name), { force: true })));
    this.#stored = new Set(names.filter((name) => name.endsWith(SUFFIX)).map(idOf));
  }

  /** Whether it is on disk, and a route names it. */
  has(id: string): boolean {
    return this.#stored.has(id) && this.isNamed(id);
  }

  get counts(): { readonly stored: number; readonly missing: number } {
    return { stored: this.#stored.size, missing: this.#missing.size };
  }

  /**
   * From disk, else from the API, once however many ask.
   * @throws Error when it can be had from neither
   */
  async load(id: string): Promise<SealedCertificate> {
    return (await this.#read(id)) ?? this.#download(id);
  }

  /**
   * Gets a fresh copy, for when the stored one cannot be opened: it is below a key that this edge does not have any
   * more, and the API may have put it below another since. The stored one stays until then.
   * @throws Error when it cannot be had, or was had a moment ago
   */
  async reload(id: string): Promise<SealedCertificate> {
    if (this.now() - (this.#reloadedAtMs.get(id) ?? -Infinity) < RELOAD_PAUSE_MS) {
      throw new Error(`certificate ${id} was fetched again less than 30 s ago`);
    }
    const sealed = await this.#download(id);
    this.#reloadedAtMs.set(id, this.now());
    return sealed;
  }

  /** Settles, never rejecting, when each has been fetched or could not be. What is missing is tried again later. */
  async prefetch(ids: readonly string[]): Promise<void> {
    const absent = ids.filter((id) => !this.#stored.has(id));
    absent.forEach((id) => this.#missing.add(id));
    await Promise.all(absent.map((id) => this.#prefetchOne(id)));
  }

  /** Tries some of the missing ones again. */
  async retryMissing(): Promise<void> {
    const due = [...this.#missing].filter((id) => !this.#downloads.has(id)).slice(0, RETRY_BATCH);
    await Promise.all(due.map((id) => this.#prefetchOne(id)));
  }

  /** Forgets certificates that no route names any more. */
  drop(ids: readonly string[]): void {
    for (const id of ids) {
      this.#missing.delete(id);
      this.#reloadedAtMs.delete(id);
      this.#delete(id).catch((error: unknown) => this.log.warn({ err: error, id }, 'certificate file not deleted'));
    }
  }

  /** Deletes what an earlier run left and no route names. */
  async sweep(): Promise<void> {
    for (const id of this.#stored) if (!this.isNamed(id)) await this.#delete(id);
  }

  async #prefetchOne(id: string): Promise<void> {
    await this.#takeSlot();
    try {
      if (this.isNamed(id) && !this.#stored.has(id)) await this.#download(id);
    } catch (error) {
      this.log.warn({ err: error, id }, 'certificate not fetched; trying again later');
    } finally {
      this.#busySlots -= 1;
      this.#waitingForSlot.shift()?.();
    }
  }

  async #takeSlot(): Promise<void> {
    while (this.#busySlots >= PREFETCH_CONCURRENCY) {
      await new Promise<void>((resolve) => this.#waitingForSlot.push(resolve));
    }
    this.#busySlots += 1;
  }

  #download(id: string): Promise<SealedCertificate> {
    const underWay = this.#downloads.get(id);
    if (underWay !== undefined) return underWay;
    if (this.now() - (this.#failedAtMs.get(id) ?? -Infinity) < FAILURE_REMEMBERED_MS) {
      return Promise.reject(new Error(`certificate ${id} could not be fetched less than 2 s ago`));
    }
    const download = this.#fetchAndStore(id).finally(() => this.#downloads.delete(id));
    this.#downloads.set(id, download);
    return download;
  }

  async #fetchAndStore(id: string): Promise<SealedCertificate> {
    try {
      const sealed = await this.fetchCertificate(id);
      if (sealed.id !== id) throw new Error(`received certificate ${sealed.id} instead of ${id}`);
      this.#failedAtMs.delete(id);
      // What a crash of the machine spoils is found out, and fetched again.
      if (this.isNamed(id)) await replaceCheckedFile(this.#path(id), JSON.stringify(sealed), 'process');
      this.#missing.delete(id);
      this.#stored.add(id);
      if (!this.isNamed(id)) await this.#delete(id);
      return sealed;
    } catch (error) {
      this.#rememberFailure(id);
      throw error;
    }
  }

  #rememberFailure(id: string): void {
    const nowMs = this.now();
    for (const [other, atMs] of this.#failedAtMs)
      if (nowMs - atMs >= FAILURE_REMEMBERED_MS) this.#failedAtMs.delete(other);
    this.#failedAtMs.set(id, nowMs);
  }

  /** Undefined when it is not there or damaged; the latter is as good as absent, since the API has it. */
  async #read(id: string): Promise<SealedCertificate | undefined> {
    if (!this.#stored.has(id)) return undefined;
    try {
      // A few kilobytes: read at once they cost a twentieth of the five ways through the thread pool.
      const content = checkedContent(readFileSync(this.#path(id), 'utf8'));
      if (content === undefined) throw new Error('checksum mismatch');
      return sealedCertificateSchema.parse(JSON.parse(content));
    } catch (error) {
      this.log.warn({ err: error, id }, 'certificate file damaged; fetching it again');
      await this.#delete(id);
      return undefined;
    }
  }

  async #delete(id: string): Promise<void> {
    this.#stored.delete(id);
    await rm(this.#path(id), { force: true });
  }

  #path(id: string): string {
    return join(this.folder, encodeURIComponent(id) + SUFFIX);
  }
}

function idOf(fileName: string): string {
  return decodeURIComponent(fileName.slice(0, -SUFFIX.length));
}
