import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachConcurrent, pause } from '@pets/async';
import type { EdgeRoute } from '@pets/contracts';
import type { Logger } from '@pets/platform';
import { z } from 'zod';
import { errorCode } from '../platform/error-code.js';
import { replaceFile } from '../store/durable-file.js';
import type { SecureContexts } from './secure-contexts.js';

/** Certificates that are opened after a start; others are opened on first use. */
const MAX_HOSTS = 1_000;

/** Certificates that are fetched at the same time. */
const CONCURRENCY = 8;

/** Opening a certificate takes about a millisecond, so this leaves nine tenths of a processor to visitors. */
const PAUSE_MS = 10;

const SAVE_INTERVAL_MS = 60_000;

const warmSetSchema = z.array(z.string().max(253)).max(MAX_HOSTS);

export interface WarmSetOptions {
  readonly folder: string;
  readonly contexts: Pick<SecureContexts, 'recentHosts' | 'warm'>;
  readonly find: (host: string) => EdgeRoute | undefined;
  readonly log: Logger;
}

/**
 * The hosts that visitors used most recently. They are saved once a minute, and their certificates are opened in the
 * background after a start, so that a restart does not slow down the next handshake of every host. This is only an
 * optimization: other certificates are opened on first use. All serving processes use one file; the last one to save wins,
 * since they serve the same hosts.
 */
export class WarmSet {
  readonly #options: WarmSetOptions;
  readonly #path: string;
  readonly #stopping = new AbortController();
  #saved = '';
  #timer: NodeJS.Timeout | undefined;
  #warming: Promise<unknown> = Promise.resolve();

  constructor(options: WarmSetOptions) {
    this.#options = options;
    this.#path = join(options.folder, 'warm.json');
  }

  /** Opens the certificates of the last run, and saves those of this one from time to time. */
  start(): void {
    this.#warming = this.#warmAll().catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'certificates not opened in advance'),
    );
    this.#timer = setInterval(() => void this.#save(), SAVE_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#warming;
    await this.#save();
  }

  async #warmAll(): Promise<void> {
    const hosts = await this.#load();
    // The most recently used last, so that it stays longest.
    await forEachConcurrent(hosts.toReversed(), CONCURRENCY, (host) => this.#warm(host));
    this.#options.log.info({ certificates: hosts.length }, 'recently used certificates opened');
  }

  async #warm(host: string): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const certificateId = this.#options.find(host)?.certificateId;
    if (typeof certificateId !== 'string') return;
    await this.#options.contexts.warm(certificateId, host);
    await pause(PAUSE_MS * CONCURRENCY, this.#stopping.signal);
  }

  /** A damaged file counts as missing. */
  async #load(): Promise<readonly string[]> {
    try {
      return warmSetSchema.parse(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#options.log.warn({ err: error }, 'warm set cannot be read');
      return [];
    }
  }

  async #save(): Promise<void> {
    const text = JSON.stringify(this.#options.contexts.recentHosts(MAX_HOSTS));
    if (text === this.#saved || text === '[]') return;
    try {
      await replaceFile(this.#path, text, 'process');
      this.#saved = text;
    } catch (error) {
      this.#options.log.warn({ err: error }, 'warm set write failed');
    }
  }
}
