/**
 * A DNS server whose answers follow from the name that is asked for, so that millions of names need no records and
 * whoever made a name knows what is true of it:
 *
 *   match-7.…            CNAME to the target of token `t7`
 *   other-7.…            CNAME to somewhere else
 *   broken-<until>-7.…   SERVFAIL until that moment (seconds of the epoch), then as `match`
 *   turned-<until>-7.…   CNAME to somewhere else until that moment, then as `match`
 *
 * Everything else has no records. It speaks as little DNS as the engine's questions need, since it must never be what
 * is measured.
 */

const CNAME = 5;
const SERVFAIL = 2;
const HEADER_BYTES = 12;
const TTL = Buffer.from([0, 0, 0, 60]);
const KNOWN = /^(?<kind>match|other|broken|turned)-(?:(?<until>\d+)-)?(?<id>[a-z0-9]+)\./;

export type Truth = { readonly kind: 'points_at'; readonly token: string } | { readonly kind: 'elsewhere' | 'broken' };

/** Returns what DNS says of a name at a moment; null for a name of no known kind. */
export function truthOf(name: string, now: number): Truth | null {
  const { kind, until, id } = KNOWN.exec(name.toLowerCase())?.groups ?? {};
  if (kind === undefined || id === undefined) return null;
  if (kind === 'other') return { kind: 'elsewhere' };
  if (kind !== 'match' && now < Number(until) * 1_000) return { kind: kind === 'broken' ? 'broken' : 'elsewhere' };
  return { kind: 'points_at', token: `t${id}` };
}

/** The reply to one query, or null for what is no query. */
export function replyTo(query: Buffer, platformDomain: string, now: number): Buffer | null {
  const question = readQuestion(query);
  if (question === null) return null;
  const truth = truthOf(question.name, now);
  const isAnswered = question.type === CNAME && truth !== null && truth.kind !== 'broken';
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8580 | (truth?.kind === 'broken' ? SERVFAIL : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isAnswered ? 1 : 0, 6);
  const asked = query.subarray(HEADER_BYTES, question.end);
  if (!isAnswered) return Buffer.concat([header, asked]);
  const target = truth.kind === 'points_at' ? `${truth.token}.cname.${platformDomain}` : `elsewhere.${platformDomain}`;
  return Buffer.concat([header, asked, answer(target)]);
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } | null {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at]; length !== undefined && length > 0; length = query[at]) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  if (at + 5 > query.length) return null;
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A CNAME of the name that was asked for, to which the pointer in front leads. */
function answer(target: string): Buffer {
  const labels = target.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')]));
  const rdata = Buffer.concat([...labels, Buffer.from([0])]);
  return Buffer.concat([
    Buffer.from([0xc0, HEADER_BYTES, 0, CNAME, 0, 1]),
    TTL,
    Buffer.from([rdata.length >> 8, rdata.length & 0xff]),
    rdata,
  ]);
}
