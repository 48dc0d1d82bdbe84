import type { DomainEvents, WebhookJobs } from '@pets/contracts';

/** What stands in the place of what is not shown. */
const HIDDEN = '(hidden)';

/**
 * The payload of a job or an event as an operator sees it: without what belongs to customers and their receivers alone.
 * The address of a webhook often is a secret by itself; its signature lets whoever holds it repeat the request; what is
 * sent and what is answered is theirs. All else that travels is public by its nature (names, DNS, CSR, chain) or an id.
 */
export function showPayload(name: string, payload: unknown): unknown {
  const hidden = hiddenMembers[name];
  if (hidden === undefined || typeof payload !== 'object' || payload === null) return payload;
  return Object.fromEntries(
    Object.entries(payload).map(([member, value]) => [
      member,
      hidden.includes(member) && value !== null ? HIDDEN : value,
    ]),
  );
}

const hiddenMembers: Readonly<Record<string, readonly string[]>> = {
  'deliver-webhook': ['url', 'headers', 'body'],
  'webhook.attempted': ['bodyStart', 'error'],
} satisfies {
  'deliver-webhook': readonly (keyof WebhookJobs['deliver-webhook'])[];
  'webhook.attempted': readonly (keyof DomainEvents['webhook.attempted'])[];
};
