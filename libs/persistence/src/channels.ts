/**
 * Wake-ups over PostgreSQL's LISTEN and NOTIFY. A notification may be lost when a connection breaks, so every listener polls
 * as well. It carries no data, except the version that `edge_ack_waits` announces.
 */
export const channels = [
  'domain_work',
  'certificate_revocations',
  'revocation_checks',
  'edge_feed',
  'edge_acks',
  'edge_ack_waits',
  'project_events',
  'webhook_deliveries',
  'plan_changes',
  'domain_imports',
] as const;
export type Channel = (typeof channels)[number];
