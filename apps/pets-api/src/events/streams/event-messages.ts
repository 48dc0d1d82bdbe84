import { RequestError } from '@pets/platform';
import type { HistoryLine } from '../../names/domain-history.repository.js';
import type { ChangedResource } from './project-changes.repository.js';

/**
 * Server-sent events on the wire (WHATWG HTML §9.2.5). A message with an id is a line of the history; a client that sends
 * that id as `Last-Event-ID` receives the lines after it. A message without an id is a hint.
 */

/** A client that lost its stream reconnects after this time and a random delay of its own. */
const RETRY_MS = 1_000;

/** The first message of a set-up link, whose reader sees no history and cannot resume. */
export const ANONYMOUS_READY = `retry: ${RETRY_MS}\nevent: ready\ndata: {}\n\n`;

/** One of the domains of a set-up link has changed. */
export const ANONYMOUS_CHANGE = 'event: changed\ndata: {}\n\n';

/** A comment that shows both ends that a quiet stream is alive. */
export const HEARTBEAT = ':\n\n';

/**
 * The line of the history after which a reader wants to continue; null for new events only.
 * @throws RequestError `invalid_parameter` for a value that is no event id
 */
export function parseLastEventId(header: string | undefined): bigint | null {
  if (header === undefined) return null;
  if (!/^(?:0|[1-9]\d{0,17})$/.test(header))
    throw RequestError.ofField('invalid_parameter', 'Last-Event-ID', 'must be the id of an event, or 0 for all events');
  return BigInt(header);
}

/** The first message: a client that receives nothing else can resume from its id. */
export function readyMessage(after: bigint): string {
  return `retry: ${RETRY_MS}\nid: ${after}\nevent: ready\ndata: ${JSON.stringify({ number: Number(after) })}\n\n`;
}

export function historyMessage({ id, entry }: HistoryLine): string {
  return `id: ${id}\nevent: history\ndata: ${JSON.stringify(entry)}\n\n`;
}

/** A domain changed without a line in its history, an import advanced, or something happened to an origin. */
export function changedMessage({ kind, id }: Pick<ChangedResource, 'kind' | 'id'>): string {
  const [event, field] = hints[kind];
  return `event: ${event}\ndata: ${JSON.stringify({ [field]: id })}\n\n`;
}

/** Name and field of the message about each kind. */
const hints = {
  domain: ['changed', 'domainId'],
  import: ['import', 'importId'],
  origin: ['origin', 'originId'],
} as const satisfies Record<ChangedResource['kind'], readonly [string, string]>;
