import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@pets/async';
import type { Logger } from '@pets/platform';
import { z } from 'zod';
import { errorCode } from '../error-code.js';
import { replaceFile } from '../routing/durable-file.js';

/** Certificates that are opened after a start; others are opened on first use. */
const MAX_CERTIFICATES = 1_000;

/** Opening a certificate takes about a millisecond, so this leaves nine tenths of a processor to visitors. */
const PAUSE_MS = 10;

const SAVE_INTERVAL_MS = 60_000;

const warmSetSchema = z.array(z.string().max(200)).max(MAX_CERTIFICATES);

export interface WarmableContexts {
  /** Ids of open certificates, the most recently used first. */
  recent(limit: number): readonly string[];
  /** Opens a certificate that is on disk and named by a route; ignores others. */
  warm(id: string): Promise<void>;
}

/**
 * The ids of the certificates that visitors used most recently. They are saved once a minute and opened in the background
 * after a start, so that a restart does not slow down the next handshake of every host. This is only an optimization: other
 * certificates are opened on first use.
 */
export class WarmSet {
  readonly #contexts: WarmableContexts;
  readonly #log: Logger;
  readonly #path: string;
  readonly #stopping = new AbortController();
  #saved = '';
  #timer: NodeJS.Timeout | undefined;
  #warming: Promise<void> = Promise.resolve();

  constructor(folder: string, contexts: WarmableContexts, log: Logger) {
    this.#contexts = contexts;
    this.#log = log;
    this.#path = join(folder, 'warm.json');
  }

  /** Opens the certificates of the last run, and saves those of this one from time to time. */
  start(): void {
    this.#warming = this.#warmAll().catch((error: unknown) =>
      this.#log.warn({ err: error }, 'certificates not warmed'),
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
    const ids = await this.#load();
    for (const id of ids.toReversed()) {
      if (this.#stopping.signal.aborted) return;
      await this.#contexts.warm(id);
      await pause(PAUSE_MS, this.#stopping.signal);
    }
    this.#log.info({ certificates: ids.length }, 'certificates warmed');
  }

  /** A damaged file counts as missing. */
  async #load(): Promise<readonly string[]> {
    try {
      return warmSetSchema.parse(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.#log.warn({ err: error }, 'warm set cannot be read');
      return [];
    }
  }

  async #save(): Promise<void> {
    const text = JSON.stringify(this.#contexts.recent(MAX_CERTIFICATES));
    if (text === this.#saved || text === '[]') return;
    try {
      await replaceFile(this.#path, text);
      this.#saved = text;
    } catch (error) {
      this.#log.warn({ err: error }, 'warm set write failed');
    }
  }
}
