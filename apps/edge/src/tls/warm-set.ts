import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@pets/async';
import type { Logger } from '@pets/platform';
import { z } from 'zod';
import { errorCode } from '../error-code.js';
import { replaceFile } from '../routing/durable-file.js';

/** Certificates that are opened again after a start; others are opened when somebody asks for them. */
const WARM_CERTIFICATES = 1_000;

/** Opening one takes about a millisecond, so that this leaves nine tenths of a processor to visitors. */
const PAUSE_MS = 10;

const SAVE_INTERVAL_MS = 60_000;

const warmSetSchema = z.array(z.string().max(200)).max(WARM_CERTIFICATES);

export interface WarmableContexts {
  /** Ids of the open ones, the most recently used first. */
  recent(limit: number): readonly string[];
  /** Opens one that is on disk and named by a route; anything else is left alone. */
  warm(id: string): Promise<void>;
}

/**
 * The certificates that visitors used most recently, by id: kept on disk now and then, and opened again in the
 * background after a start, so that a restart does not make everybody's next handshake a slow one. Nothing depends on
 * it: what is not warm is opened on first use.
 */
export class WarmSet {
  readonly #path: string;
  readonly #stopping = new AbortController();
  #saved = '';
  #timer: NodeJS.Timeout | undefined;
  #warming: Promise<void> = Promise.resolve();

  constructor(
    folder: string,
    private readonly contexts: WarmableContexts,
    private readonly log: Logger,
  ) {
    this.#path = join(folder, 'warm.json');
  }

  /** Begins to warm what an earlier run used, and to keep what this one does. */
  start(): void {
    this.#warming = this.#warmAll().catch((error: unknown) => this.log.warn({ err: error }, 'nothing was warmed'));
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
      await this.contexts.warm(id);
      await pause(PAUSE_MS, this.#stopping.signal);
    }
    this.log.info({ certificates: ids.length }, 'certificates warmed');
  }

  /** A damaged file is as good as none. */
  async #load(): Promise<readonly string[]> {
    try {
      return warmSetSchema.parse(JSON.parse(await readFile(this.#path, 'utf8')));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') this.log.warn({ err: error }, 'the warm set cannot be read');
      return [];
    }
  }

  async #save(): Promise<void> {
    const text = JSON.stringify(this.contexts.recent(WARM_CERTIFICATES));
    if (text === this.#saved || text === '[]') return;
    try {
      await replaceFile(this.#path, text);
      this.#saved = text;
    } catch (error) {
      this.log.warn({ err: error }, 'the warm set was not written');
    }
  }
}
