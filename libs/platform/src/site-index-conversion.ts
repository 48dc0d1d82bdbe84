import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/**
 * Converts indexes in the form of the releases before this one, which are JSON of up to 17 MB. It happens in a thread, since
 * parsing would stop the event loop; one at a time, so that memory is bounded; the smallest first, so that large ones delay
 * only each other.
 */

export interface OldSiteIndex {
  readonly contentHash: string;
  readonly bytes: number;
  /** Called when its conversion begins. */
  readonly read: () => Promise<Buffer>;
}

/** What the thread answers: the index, or what was wrong with the old one. */
export type Conversion = { readonly index: Uint8Array<ArrayBuffer> } | { readonly error: string };

interface WaitingConversion {
  readonly old: OldSiteIndex;
  readonly resolve: (index: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

/** 10 000 paths of 512 characters of three bytes each are 16 MB. */
const LARGEST_BYTES = 20 * 1024 * 1024;
const LIMIT_MS = 20_000;
/** The thread ends when nothing was converted for this long. */
const IDLE_MS = 10_000;
const HEAP_MIB = 256;

const waiting: WaitingConversion[] = [];
let isBusy = false;
let thread: Worker | undefined;
let idleTimer: NodeJS.Timeout | undefined;

/** @throws Error when it cannot be read, is damaged, or takes too long */
export async function convertSiteIndex(old: OldSiteIndex): Promise<Buffer> {
  if (old.bytes > LARGEST_BYTES)
    throw new Error(`the index of deployment ${old.contentHash} is too large: ${old.bytes} bytes`);
  return new Promise((resolve, reject) => {
    const larger = waiting.findIndex((other) => other.old.bytes > old.bytes);
    waiting.splice(larger === -1 ? waiting.length : larger, 0, { old, resolve, reject });
    void convertNext();
  });
}

async function convertNext(): Promise<void> {
  const next = isBusy ? undefined : waiting.shift();
  if (next === undefined) return;
  isBusy = true;
  clearTimeout(idleTimer);
  const { old, resolve, reject } = next;
  const fail = (cause: unknown) =>
    reject(new Error(`the index of deployment ${old.contentHash} was not converted`, { cause }));
  try {
    const conversion = await convert(old, AbortSignal.timeout(LIMIT_MS));
    if ('error' in conversion) fail(new Error(conversion.error));
    else resolve(Buffer.from(conversion.index.buffer, conversion.index.byteOffset, conversion.index.byteLength));
  } catch (error) {
    // The thread may still be at work on this one, and must not answer for the next.
    endThread();
    fail(error);
  }
  isBusy = false;
  idleTimer = setTimeout(endThread, IDLE_MS).unref();
  void convertNext();
}

async function convert({ contentHash, read }: OldSiteIndex, signal: AbortSignal): Promise<Conversion> {
  const text = await Promise.race([read(), rejectOnAbort(signal)]);
  const worker = (thread ??= startThread());
  worker.ref();
  worker.postMessage({ contentHash, text });
  const [conversion] = (await once(worker, 'message', { signal })) as [Conversion]; // sent by site-index-thread.ts alone
  worker.unref();
  return conversion;
}

async function rejectOnAbort(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  throw signal.reason;
}

function startThread(): Worker {
  // Tests run the sources, which have another ending than what the compiler makes of them.
  const { pathname } = new URL(import.meta.url);
  const file = new URL(`./site-index-thread${extname(pathname)}`, import.meta.url);
  const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
  worker.on('error', () => {
    if (thread === worker) thread = undefined;
  });
  return worker;
}

function endThread(): void {
  void thread?.terminate();
  thread = undefined;
}
