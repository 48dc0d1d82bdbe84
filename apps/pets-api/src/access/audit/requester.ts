import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditEvent } from '@pets/contracts';

/** Who is acting, and from where, as the audit log says it. */
export interface Requester {
  readonly kind: AuditEvent['actor']['kind'];
  /** The API key, also of a session. */
  readonly apiKeyId: string | null;
  /** The name that an operator gave. */
  readonly name: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** What happens on its own, such as the end of a plan. */
const system: Requester = { kind: 'system', apiKeyId: null, name: null, address: null, requestId: null };

const current = new AsyncLocalStorage<() => Requester>();

/** Whatever `work` records, and what it starts, was done by this requester. */
export function actAs<T>(requester: () => Requester, work: () => T): T {
  return current.run(requester, work);
}

export function currentRequester(): Requester {
  return current.getStore()?.() ?? system;
}
