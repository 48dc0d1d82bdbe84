import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FairSemaphore, onAbort } from '@pets/async';
import type { RevocationVerdict } from './evaluate-revocation-list.js';

/** A list, the certificate of the CA that should have signed it (both DER), and the certificate that it may name. */
export interface RevocationList {
  readonly der: Uint8Array;
  readonly issuer: Uint8Array;
  /** Hex. */
  readonly serialNumber: string;
}

/** A list of 1 MiB with the smallest entries takes three seconds. */
const LIMIT_MS = 10_000;
const HEAP_MIB = 256;

/** Strangers' lists never use more than two CPUs, and those of one organization not more than one. */
const threads = new FairSemaphore({ limit: 2, groupLimit: 1 });

/**
 * Evaluates a list in a thread, since a large one would block the event loop for seconds. Organizations take turns.
 * @throws Error when it takes too long or too much memory, and the reason of the signal after its abort
 */
export async function readRevocationList(
  list: RevocationList,
  organizationId: string,
  signal: AbortSignal,
): Promise<RevocationVerdict> {
  const release = await threads.acquire('', organizationId, onAbort(signal));
  if (release === null) throw signal.reason;
  return evaluate(list, signal).finally(release);
}

async function evaluate(list: RevocationList, signal: AbortSignal): Promise<RevocationVerdict> {
  signal.throwIfAborted();
  // Tests run the sources, whose file extension differs from that of the compiled files.
  const { pathname } = new URL(import.meta.url);
  const file = new URL(`./revocation-list-thread${extname(pathname)}`, import.meta.url);
  const thread = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
  try {
    thread.postMessage(list);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const [verdict] = (await once(thread, 'message', { signal: limit })) as [RevocationVerdict]; // only our thread sends messages
    return verdict;
  } finally {
    void thread.terminate();
  }
}
