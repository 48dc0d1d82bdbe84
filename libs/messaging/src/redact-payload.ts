import type { DomainEvents, WebhookJobs } from '@pets/contracts';

const HIDDEN = '(hidden)';

/**
 * The payload of a job or an event as an operator sees it, without the data of customers and their receivers. The URL of a
 * webhook is often a secret, its signature lets its holder repeat the request, and all headers and bodies belong to the customer. All
 * other members are public (names, DNS, CSR, chain) or ids.
 */
export function redactPayload(name: string, payload: unknown): unknown {
  const hidden = hiddenMembers[name];
  if (hidden === undefined || typeof payload !== 'object' || payload === null) return payload;
  const redact = ([member, value]: [string, unknown]) =>
    [member, hidden.includes(member) && value !== null ? HIDDEN : value] as const;
  return Object.fromEntries(Object.entries(payload).map(redact));
}

const hiddenMembers: Readonly<Record<string, readonly string[]>> = {
  'deliver-webhook': ['url', 'headers', 'body'],
  'webhook.attempted': ['bodyStart', 'error', 'requestHeaders', 'responseHeaders'],
} satisfies {
  'deliver-webhook': readonly (keyof WebhookJobs['deliver-webhook'])[];
  'webhook.attempted': readonly (keyof DomainEvents['webhook.attempted'])[];
};
