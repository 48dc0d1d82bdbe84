import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterMs, FairSemaphore } from '@pets/async';
import { setupLogoLimits } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import { LogoFault, readLogo, type LogoFile } from './read-logo.js';

/** Data of the thread. */
export interface LogoJob extends LogoFile {
  readonly maxBytes: number;
}

/** Message of the thread. */
export type WrittenLogo = { readonly bytes: Uint8Array } | { readonly fault: 'damaged' | 'too_large' };

/** A logo as we have written it, in WebP. */
export interface Logo {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** The largest image takes 0.3 seconds. */
const LIMIT_MS = 10_000;
const HEAP_MIB = 64;

const faults = {
  damaged: 'The image is damaged.',
  too_large: `The image has too many details for ${setupLogoLimits.bytes / 1024} KiB. Send a smaller one.`,
} as const;

/**
 * Decodes images of strangers and writes them again: what is served is our own file, without anything that the pixels do not
 * need. Each in a thread of its own, which WebAssembly keeps to its memory and which leaves nothing for the next one; one at a
 * time, and organizations take turns.
 */
export class LogoWriter {
  // As many wait as requests of their organizations are under way, which is limited.
  readonly #turns = new FairSemaphore({ limit: 1 });

  /** @throws RequestError `invalid_logo`, `unavailable` */
  async write(file: Uint8Array, organizationId: string): Promise<Logo> {
    const checked = check(file);
    const release = await this.#turns.acquire('thread', organizationId, afterMs(LIMIT_MS));
    if (release === null)
      throw new RequestError('unavailable', 'Too many images are uploaded at the moment.', { 'retry-after': '10' });
    try {
      const written = await run({ ...checked, maxBytes: setupLogoLimits.bytes });
      if ('fault' in written) throw new RequestError('invalid_logo', faults[written.fault]);
      return { bytes: written.bytes, width: checked.width, height: checked.height };
    } finally {
      release();
    }
  }
}

function check(file: Uint8Array): LogoFile {
  try {
    return readLogo(file);
  } catch (error) {
    throw error instanceof LogoFault ? new RequestError('invalid_logo', error.message) : error;
  }
}

async function run(job: LogoJob): Promise<WrittenLogo> {
  // Tests run the sources, whose file extension differs from that of the compiled files.
  const { pathname } = new URL(import.meta.url);
  const file = new URL(`./logo-thread${extname(pathname)}`, import.meta.url);
  const thread = new Worker(file, { workerData: job, resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
  thread.unref();
  const answer = Promise.withResolvers<WrittenLogo>();
  const timer = setTimeout(() => answer.resolve({ fault: 'damaged' }), LIMIT_MS);
  thread.once('message', answer.resolve);
  thread.once('error', (error: NodeJS.ErrnoException) => {
    // What an image does to its decoder is not our fault.
    if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') answer.resolve({ fault: 'damaged' });
    else answer.reject(error);
  });
  thread.once('exit', () => answer.reject(new Error('the thread of a logo has ended')));
  try {
    return await answer.promise;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}
