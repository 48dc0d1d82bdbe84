import type { DnsAnswer, DnsQuestionType } from '@pets/contracts';
import packets, { type Answer, type DecodedPacket } from 'dns-packet';
import { hostOf, presentRecord } from './present-record.js';

/** What is asked of a server. */
export interface DnsQuestion {
  readonly name: string;
  readonly type: DnsQuestionType;
  /** Resolvers look things up for us; a zone's own servers are asked for what they hold themselves. */
  readonly isRecursive: boolean;
}

/** What a server's reply says. */
export type DnsReply =
  | { readonly kind: 'answer'; readonly answer: DnsAnswer; readonly alias?: string }
  | { readonly kind: 'truncated' }
  /** The server does not understand the question with its extension (RFC 6891 §7): to be asked without. */
  | { readonly kind: 'plain_wanted' };

/** What fits in a packet on every path, so that replies are not fragmented (DNS flag day 2020). */
const UDP_PAYLOAD_BYTES = 1_232;
const HEADER_BYTES = 12;
const IS_RESPONSE = 0x80;
const RCODE_MASK = 0x0f;
const rcodeNames = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
/** Longer chains are a loop or a mistake. */
const MAX_ALIASES = 16;

/** The bytes of a question, with the id still to be set: see `setId`. */
export function encodeQuestion({ name, type, isRecursive }: DnsQuestion, hasExtension: boolean): Buffer {
  const flags = isRecursive ? packets.RECURSION_DESIRED : 0;
  const extension = {
    type: 'OPT' as const,
    name: '.',
    udpPayloadSize: UDP_PAYLOAD_BYTES,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  };
  const additionals = hasExtension ? [extension] : [];
  return packets.encode({ type: 'query', id: 0, flags, questions: [{ name, type, class: 'IN' }], additionals });
}

export function setId(message: Buffer, id: number): void {
  message.writeUInt16BE(id, 0);
}

export function idOf(message: Buffer): number | null {
  return message.length < HEADER_BYTES ? null : message.readUInt16BE(0);
}

/**
 * Whether these bytes are a reply to that very question: same id, and the question repeated (RFC 5452 §9.1), for which the
 * case of letters does not count. A refusal may leave the question out.
 */
export function isReplyTo(reply: Buffer, question: Buffer): boolean {
  if (idOf(reply) !== idOf(question) || ((reply[2] ?? 0) & IS_RESPONSE) === 0) return false;
  const count = reply.readUInt16BE(4);
  if (count === 0) return ((reply[3] ?? 0) & RCODE_MASK) !== 0;
  const end = endOfQuestion(question);
  if (count !== 1 || reply.length < end) return false;
  for (let i = HEADER_BYTES; i < end; i += 1) if (lowerCase(reply[i]) !== lowerCase(question[i])) return false;
  return true;
}

/** Reads a reply. Never throws: what cannot be read is an answer that failed. */
export function readReply(bytes: Buffer, question: DnsQuestion): DnsReply {
  let packet: DecodedPacket;
  try {
    packet = packets.decode(bytes);
  } catch {
    return failed('the reply is malformed');
  }
  if (packet.flag_tc) return { kind: 'truncated' };
  const rcode = (bytes[3] ?? 0) & RCODE_MASK;
  const rcodeName = rcodeNames[rcode] ?? `RCODE${rcode}`;
  const extension = packet.additionals?.find((record) => record.type === 'OPT');
  if (rcodeName === 'FORMERR' || rcodeName === 'NOTIMP' || (extension?.extendedRcode ?? 0) !== 0)
    return { kind: 'plain_wanted' };
  if (rcodeName !== 'NOERROR' && rcodeName !== 'NXDOMAIN') return failed(rcodeName);
  // A server that was asked for what it holds and answers from elsewhere, or refers to others, does not hold the zone.
  if (!question.isRecursive && !packet.flag_aa) return failed('does not serve the zone');
  return readAnswer(packet, question);
}

export function failed(error: string): Extract<DnsReply, { kind: 'answer' }> {
  return { kind: 'answer', answer: { kind: 'failed', error } };
}

/** Takes the records of the name that was asked for, or of the name its CNAMEs lead to; all others are left alone. */
function readAnswer(packet: DecodedPacket, question: DnsQuestion): DnsReply {
  const answers = packet.answers ?? [];
  let owner = hostOf(question.name);
  for (let aliases = 0; aliases <= MAX_ALIASES; aliases += 1) {
    const own = answers.filter((record) => hostOf(record.name) === owner);
    const records = own.flatMap((record) => (record.type === question.type ? presentRecord(record) : []));
    const alias = owner === hostOf(question.name) ? {} : { alias: owner };
    if (records.length > 0) return { kind: 'answer', answer: { kind: 'found', records }, ...alias };
    const [next] = own.flatMap((record) => (record.type === 'CNAME' ? [record.data] : []));
    if (next === undefined) return { kind: 'answer', answer: absence(packet, owner), ...alias };
    owner = hostOf(next);
  }
  return failed('CNAMEs lead in a circle');
}

/** RFC 2308 §5: "there is none" may be remembered for the lesser of the SOA's TTL and its MINIMUM. */
function absence({ authorities = [] }: DecodedPacket, owner: string): DnsAnswer {
  const soa = authorities.find((record): record is Extract<Answer, { type: 'SOA' }> => record.type === 'SOA');
  if (soa === undefined) return { kind: 'absent' };
  const zone = hostOf(soa.name);
  if (zone !== '' && zone !== owner && !owner.endsWith(`.${zone}`)) return { kind: 'absent' };
  return { kind: 'absent', ttl: Math.min(soa.ttl ?? 0, soa.data.minimum ?? 0), zone };
}

function endOfQuestion(question: Buffer): number {
  let at = HEADER_BYTES;
  while ((question[at] ?? 0) !== 0) at += 1 + (question[at] ?? 0);
  // The root label, the type and the class.
  return at + 5;
}

function lowerCase(byte: number | undefined): number | undefined {
  return byte !== undefined && byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}
