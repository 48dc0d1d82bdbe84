import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

/**
 * Converts indexes in the format of previous releases, JSON of up to 17 MB. A thread parses them, since parsing would block
 * the event loop. It converts one at a time, so that memory is bounded, and the smallest first, so that large indexes delay
 * only each other.
 */

export interface OldSiteIndex {
  readonly contentHash: string;
  readonly bytes: number;
  /** Called when its conversion begins. */
  readonly read: () => Promise<Buffer>;
}

/** The reply of the thread: the index, or why the old one is invalid. */
export type Conversion = { readonly index: Uint8Array<ArrayBuffer> } | { readonly error: string };

interface WaitingConversion {
  readonly old: OldSiteIndex;
  readonly resolve: (index: Buffer) => void;
  readonly reject: (error: unknown) => void;
}

/** 10 000 paths of 512 characters of three bytes each are 16 MB. */
const MAX_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
/** The thread ends after this time without a conversion. */
const IDLE_MS = 10_000;
const HEAP_MIB = 256;

const waiting: WaitingConversion[] = [];
let isBusy = false;
let thread: Worker | undefined;
let idleTimer: NodeJS.Timeout | undefined;

/** @throws Error when the index cannot be read, is damaged, or takes too long */
export async function convertSiteIndex(old: OldSiteIndex): Promise<Buffer> {
  if (old.bytes > MAX_BYTES)
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
    const conversion = await convert(old, AbortSignal.timeout(TIMEOUT_MS));
    if ('error' in conversion) fail(new Error(conversion.error));
    else resolve(Buffer.from(conversion.index.buffer, conversion.index.byteOffset, conversion.index.byteLength));
  } catch (error) {
    // The thread may still work on this index; its reply must not be taken for the next one's.
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
  const [conversion] = (await once(worker, 'message', { signal })) as [Conversion]; // only site-index-thread.ts sends messages
  worker.unref();
  return conversion;
}

async function rejectOnAbort(signal: AbortSignal): Promise<never> {
  await once(signal, 'abort');
  throw signal.reason;
}

function startThread(): Worker {
  // Tests run the sources, whose file extension differs from that of the compiled files.
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
