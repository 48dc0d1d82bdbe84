import { displayName } from '@pets/contracts';
import punycode from 'punycode/punycode.js';

const A_LABEL_PREFIX = 'xn--';

/** A name as people read it: in Unicode, with its ASCII form. An A-label that is not valid stays as it is. */
export function displayNameOf(name: string): string {
  return displayName({ name, unicodeName: toUnicode(name) ?? name });
}

/** Characters that end the host of a URL, or begin an escape. */
const DELIMITERS = /[/?#@:\\%]/;

/**
 * The ASCII form of a name (A-labels, RFC 5890), or null if it has none: the one that a browser resolves, which maps
 * full-width letters to plain ones (WHATWG URL, "domain to ASCII"; UTS #46 §4). A name in ASCII stays as it is: the URL parser
 * would make an address of `0x7f.1`.
 */
export function toAscii(typed: string): string | null {
  if (isAscii(typed)) return typed;
  return DELIMITERS.test(typed) ? null : (URL.parse(`http://${typed}`)?.hostname ?? null);
}

/** Full stops of input methods (UTS #46 §4 maps these to a dot). */
const DOTS = /[\u3002\uff0e\uff61]/g;

/** Writes every full stop of a name as a dot. */
export function withPlainDots(name: string): string {
  return name.replaceAll(DOTS, '.');
}

/** A name as it is stored, of one in any case, in Unicode, or with a final dot; null if it has no such form. */
export function storedNameOf(written: string): string | null {
  return toAscii(withPlainDots(written).replace(/\.$/, '').toLowerCase());
}

/**
 * The Unicode form of a name in ASCII, or null if one of its A-labels is not valid: encoding the result must lead back to
 * the label (RFC 5891 §5.4).
 */
export function toUnicode(name: string): string | null {
  const labels = name.split('.').map((label) => {
    if (!label.startsWith(A_LABEL_PREFIX)) return label;
    const decoded = decode(label.slice(A_LABEL_PREFIX.length));
    return decoded !== null && toAscii(decoded) === label ? decoded : null;
  });
  return labels.includes(null) ? null : labels.join('.');
}

/** Decodes Punycode (RFC 3492); null if the text is not Punycode. */
function decode(encoded: string): string | null {
  try {
    return punycode.decode(encoded);
  } catch {
    return null;
  }
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
