import { waitUntil } from '../wait-until.js';
import type { ChildSpec } from './child.js';

/** A service, and the address that answers 200 when it is ready. */
export type ReadySpec = ChildSpec & { readonly readyUrl: string };

const PROBE_LIMIT_MS = 2_000;

/** Waits until a child answers 200 at its address of readiness. Ends at once when the signal is aborted. */
export async function untilReady(
  { name, readyUrl }: ReadySpec,
  stopping: AbortSignal,
  timeoutMs: number,
): Promise<void> {
  const look = async () => {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(PROBE_LIMIT_MS)]);
    const response = await fetch(readyUrl, { signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`${readyUrl} answers ${response.status} ${text.slice(0, 200)}`);
    return true;
  };
  await waitUntil(look, { timeoutMs, message: `${name} to be ready`, signal: stopping });
}
