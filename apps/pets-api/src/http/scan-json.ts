/** What is known of a JSON text before it is parsed. */
export interface JsonSurvey {
  readonly depth: number;
  /** Colons outside of strings: in valid JSON, one a member, also for a key that is given twice. */
  readonly members: number;
  readonly hasEscapes: boolean;
  /** A number that is no short plain integer (a fraction, an exponent, 16 digits or more): a double might change it. */
  readonly hasUncommonNumbers: boolean;
}

/** Sixteen digits may already be beyond 2^53. */
const SAFE_DIGITS = 15;

/**
 * One pass over the text, without recursion, so that no hostile body overflows a stack. Strings are stepped over
 * natively. Of text that is no JSON the answer means nothing: the parser refuses it afterwards.
 */
export function scanJson(text: string): JsonSurvey {
  const hasEscapes = text.includes('\\');
  let [depth, deepest, members, digits, hasUncommonNumbers] = [0, 0, 0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char >= 0x30 && char <= 0x39) {
      if (++digits > SAFE_DIGITS) hasUncommonNumbers = true;
      continue;
    }
    // `e` follows a digit in a number only, not in `true`.
    if (digits > 0 && (char === 0x2e || char === 0x65 || char === 0x45)) hasUncommonNumbers = true;
    digits = 0;
    if (char === 0x22) at = endOfString(text, at + 1, hasEscapes);
    else if (char === 0x3a) members++;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
  }
  return { depth: deepest, members, hasEscapes, hasUncommonNumbers };
}

/** Where the closing quote is; the end of the text if there is none. */
function endOfString(text: string, from: number, hasEscapes: boolean): number {
  if (!hasEscapes) {
    const end = text.indexOf('"', from);
    return end === -1 ? text.length : end;
  }
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at;
}
