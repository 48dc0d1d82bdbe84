import type { HistoryLine } from '../../domains/history/domain-history.repository.js';

/**
 * Server-sent events as they go over the wire (WHATWG HTML §9.2.5). What has an id stands in the history and comes again
 * to whoever sends that id as `Last-Event-ID`; what has none is a hint.
 */

/** After this a client that lost its stream comes back; each with a moment of its own on top. */
const RETRY_MS = 1_000;

/** A comment, so that neither end takes a quiet stream for a dead one. */
export const HEARTBEAT = ':\n\n';

/** The first bytes: after which line the stream goes on. Its id lets a client that saw nothing else resume there. */
export function readyMessage(after: bigint): string {
  return `retry: ${RETRY_MS}\nid: ${after}\nevent: ready\ndata: ${JSON.stringify({ number: Number(after) })}\n\n`;
}

export function historyMessage({ id, entry }: HistoryLine): string {
  return `id: ${id}\nevent: history\ndata: ${JSON.stringify(entry)}\n\n`;
}

/** A domain is no longer what it was, and its history says nothing of that. */
export function changedMessage(domainId: string): string {
  return `event: changed\ndata: ${JSON.stringify({ domainId })}\n\n`;
}
