import type { RawRecord } from './decode-reply.js';
import { escapeControls } from './present-record.js';

/** The EDNS option of an extended DNS error (RFC 8914 §2). */
const EXTENDED_ERROR = 15;
const OPT = 41;
/** An explanation in the words of a stranger's server: enough for a sentence. */
const MAX_TEXT_CHARACTERS = 160;
/** A reply has one or two. */
const MAX_ERRORS = 4;

/** Names of RFC 8914 §4 for errors that say why a resolver fails. */
const errorNames: Readonly<Record<number, string>> = {
  1: 'Unsupported DNSKEY Algorithm',
  2: 'Unsupported DS Digest Type',
  5: 'DNSSEC Indeterminate',
  6: 'DNSSEC Bogus',
  7: 'Signature Expired',
  8: 'Signature Not Yet Valid',
  9: 'DNSKEY Missing',
  10: 'RRSIGs Missing',
  11: 'No Zone Key Bit Set',
  12: 'NSEC Missing',
  22: 'No Reachable Authority',
  23: 'Network Error',
};

/**
 * The extended errors of a reply in words, as `DNSSEC Bogus: no RRSIG`; empty without any. They explain a failure and decide
 * nothing: a server can send any code and any text, so both are bounded and escaped.
 * @throws RangeError if the options are malformed
 */
export function extendedErrorsOf(additionals: readonly RawRecord[]): string {
  const options = additionals.find(({ type }) => type === OPT)?.data.bytes ?? Buffer.alloc(0);
  const errors: string[] = [];
  let length = 0;
  for (let at = 0; at < options.length && errors.length < MAX_ERRORS; at += 4 + length) {
    length = options.readUInt16BE(at + 2);
    if (options.readUInt16BE(at) === EXTENDED_ERROR) errors.push(wordsOf(options.subarray(at + 4, at + 4 + length)));
  }
  return errors.join('; ');
}

function wordsOf(option: Buffer): string {
  const code = option.readUInt16BE(0);
  // Some servers end the text with a NUL, which RFC 8914 §2 lets a receiver remove.
  const text = option.toString('utf8', 2).replace(/\0$/, '').slice(0, MAX_TEXT_CHARACTERS);
  const name = errorNames[code] ?? `extended error ${code}`;
  return text === '' ? name : `${name}: ${escapeControls(text)}`;
}
