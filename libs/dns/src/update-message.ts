/** Messages that change a zone (RFC 2136), for TXT records only. */

/** A change of the TXT records of one name. */
export type TxtChange =
  /** Adds a value to those that the name has. A value that it has already is not added again. */
  | { readonly kind: 'add'; readonly name: string; readonly value: string; readonly ttl: number }
  /** Removes one value and keeps the others. Removing a value that is not there succeeds. */
  | { readonly kind: 'remove'; readonly name: string; readonly value: string }
  | { readonly kind: 'remove_all'; readonly name: string };

/** RFC 1035 §2.3.4. */
const MAX_LABEL_BYTES = 63;
const MAX_NAME_BYTES = 255;
/** RFC 1035 §3.3: one character string. A challenge has 43 characters (RFC 8555 §8.4). */
const MAX_TXT_BYTES = 255;
/** Maximum for one message: with the largest names and values it is below the 64 KiB that TCP allows. */
const MAX_CHANGES = 100;

const HEADER_BYTES = 12;
/** RFC 2136 §1.3. */
const OPCODE_UPDATE = 5;
const types = { SOA: 6, TXT: 16 } as const;
/** RFC 1035 §3.2.4, RFC 2136 §1.3. */
const classes = { IN: 1, NONE: 254, ANY: 255 } as const;

/**
 * Encodes an update of a zone, with the id 0. A server makes all changes of a message or none (RFC 2136 §3.4.2.7).
 * @throws RangeError if a name, a value or the number of changes exceeds a limit
 */
export function encodeUpdate(zone: string, changes: readonly TxtChange[]): Buffer {
  if (changes.length > MAX_CHANGES) throw new RangeError(`more than ${MAX_CHANGES} changes in one update`);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(OPCODE_UPDATE << 11, 2);
  // The zone section has one entry, which looks like a question (RFC 2136 §2.3); then no prerequisites, and the changes.
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(changes.length, 8);
  const zoneTail = Buffer.from([0, types.SOA, 0, classes.IN]);
  return Buffer.concat([header, encodeName(zone), zoneTail, ...changes.map(encodeChange)]);
}

/** Whether a message is the reply to an update with this id (RFC 2136 §2.2). */
export function isUpdateReply(bytes: Buffer, id: number): boolean {
  if (bytes.length < HEADER_BYTES || bytes.readUInt16BE(0) !== id) return false;
  const flags = bytes.readUInt16BE(2);
  return flags >>> 15 === 1 && ((flags >>> 11) & 0xf) === OPCODE_UPDATE;
}

/**
 * A name in the canonical wire form: in lower case, without compression (RFC 4034 §6.2).
 * @throws RangeError if it is not a name of ASCII labels
 */
export function encodeName(name: string): Buffer {
  const labels = name.toLowerCase().replace(/\.$/, '').split('.');
  const parts = labels.map((label) => {
    if (!/^[!-\[\]-~]+$/.test(label) || label.length > MAX_LABEL_BYTES)
      throw new RangeError(`${name} is not a DNS name`);
    return Buffer.from(String.fromCharCode(label.length) + label, 'latin1');
  });
  const bytes = Buffer.concat([...parts, Buffer.alloc(1)]);
  if (bytes.length > MAX_NAME_BYTES) throw new RangeError(`${name} is longer than a DNS name`);
  return bytes;
}

/** RFC 2136 §2.5.1 (add), §2.5.4 (class NONE removes one record), §2.5.2 (class ANY removes all records of the type). */
function encodeChange(change: TxtChange): Buffer {
  switch (change.kind) {
    case 'add':
      return encodeRecord(change.name, classes.IN, change.ttl, encodeText(change.value));
    case 'remove':
      return encodeRecord(change.name, classes.NONE, 0, encodeText(change.value));
    case 'remove_all':
      return encodeRecord(change.name, classes.ANY, 0, Buffer.alloc(0));
  }
}

function encodeRecord(name: string, recordClass: number, ttl: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(types.TXT, 0);
  fixed.writeUInt16BE(recordClass, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(name), fixed, data]);
}

function encodeText(value: string): Buffer {
  const text = Buffer.from(value);
  if (text.length > MAX_TXT_BYTES) throw new RangeError(`a TXT value has more than ${MAX_TXT_BYTES} bytes`);
  return Buffer.concat([Buffer.from([text.length]), text]);
}
