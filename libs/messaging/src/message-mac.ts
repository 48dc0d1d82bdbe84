import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { z } from 'zod';

/** Keys by id; the first one listed signs, all of them verify. */
interface MacKeyRing {
  readonly activeId: string;
  readonly keys: ReadonlyMap<string, Buffer>;
}

/** A key ring ready for use: with a key of raw bytes a MAC takes four times as long. */
export interface MacKeys {
  readonly activeId: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

export function openKeys({ activeId, keys }: MacKeyRing): MacKeys {
  return { activeId, keys: new Map([...keys].map(([id, key]) => [id, createSecretKey(key)])) };
}

/** The signed parts: a message of one queue or name is not valid for another one. */
interface Message {
  readonly queue: string;
  readonly name: string;
  /** The payload as JSON. */
  readonly text: string;
}

const macSchema = z.object({
  /** Id of the key. */
  key: z.string(),
  /** When the message was signed. It is not an expiry, since events may wait for days. It orders events without an attempt. */
  at: z.iso.datetime(),
  /** HMAC-SHA-256, base64url. */
  value: z.string(),
});
type MessageMac = z.infer<typeof macSchema>;

type MacVerdict =
  | { readonly kind: 'valid'; readonly at: Date }
  | { readonly kind: 'absent' }
  | { readonly kind: 'wrong'; readonly reason: WrongMac };

export const wrongMacs = ['malformed', 'unknown_key', 'mismatch'] as const;
type WrongMac = (typeof wrongMacs)[number];

export function signMessage({ activeId, keys }: MacKeys, message: Message, now: Date): MessageMac {
  const key = keys.get(activeId);
  if (key === undefined) throw new Error(`there is no key "${activeId}"`);
  const at = now.toISOString();
  return { key: activeId, at, value: macOf(key, message, at).toString('base64url') };
}

/** Verifies the MAC of a message. @param given any value that a sender has put there */
export function verifyMessage(ring: MacKeys, message: Message, given: unknown): MacVerdict {
  if (given === undefined || given === null) return { kind: 'absent' };
  const parsed = macSchema.safeParse(given);
  if (!parsed.success) return { kind: 'wrong', reason: 'malformed' };
  const { at, value } = parsed.data;
  const key = ring.keys.get(parsed.data.key);
  if (key === undefined) return { kind: 'wrong', reason: 'unknown_key' };
  const expected = macOf(key, message, at);
  const actual = Buffer.from(value, 'base64url');
  // The length is not secret; the contents are compared in constant time.
  const isValid = actual.length === expected.length && timingSafeEqual(actual, expected);
  return isValid ? { kind: 'valid', at: new Date(at) } : { kind: 'wrong', reason: 'mismatch' };
}

/** The array before the text ends where it says, so no other message has the same bytes. */
function macOf(key: KeyObject, { queue, name, text }: Message, at: string): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([queue, name, at]) + text)
    .digest();
}

/**
 * The text of a payload: JSON in I-JSON (RFC 7493) without NUL. PostgreSQL stores neither NUL nor lone surrogates, so each
 * becomes U+FFFD.
 */
export function textOf(payload: unknown): string {
  const text = JSON.stringify(payload);
  // `JSON.stringify` escapes both in this way, and otherwise only control characters.
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text;
  return JSON.stringify(
    JSON.parse(text, (_key, value: unknown) => (typeof value === 'string' ? toStorable(value) : value)),
  );
}

function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The settings of both processes. Each direction has its own keys, so that no message can be sent back as another one. */
interface MessageKeySettings {
  readonly QUEUE_KEYS_JOBS: MacKeyRing;
  readonly QUEUE_KEYS_EVENTS: MacKeyRing;
}

export interface MessageAuthentication {
  /** From the API to the worker. */
  readonly jobKeys: MacKeyRing;
  /** From the worker to the API. */
  readonly eventKeys: MacKeyRing;
}

/** The first wrong setting and its error; null when all are right. */
export function findKeyFault({
  QUEUE_KEYS_JOBS: jobs,
  QUEUE_KEYS_EVENTS: events,
}: MessageKeySettings): { readonly name: string; readonly message: string } | null {
  const isShared = [...events.keys.values()].some((key) => [...jobs.keys.values()].some((other) => other.equals(key)));
  return isShared
    ? { name: 'QUEUE_KEYS_EVENTS', message: 'has a key of QUEUE_KEYS_JOBS: each direction needs its own keys' }
    : null;
}

export function messageAuthenticationOf({
  QUEUE_KEYS_JOBS: jobKeys,
  QUEUE_KEYS_EVENTS: eventKeys,
}: MessageKeySettings): MessageAuthentication {
  return { jobKeys, eventKeys };
}
