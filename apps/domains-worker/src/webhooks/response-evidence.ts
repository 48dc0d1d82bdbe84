import { WEBHOOK_ANSWER_BYTES, WEBHOOK_HEADERS_BYTES } from '@pets/contracts';

/** Headers that often hold credentials of the receiver. */
const hiddenHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'set-cookie',
  'set-cookie2',
  'x-api-key',
]);

const MAX_HEADER_VALUE = 256;

/** The first headers of a response that fit, without credentials. Values of a repeated header are joined. */
export function boundHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const kept: [string, string][] = [];
  let size = 0;
  for (const [name, given] of Object.entries(headers)) {
    if (given === undefined || hiddenHeaders.has(name.toLowerCase())) continue;
    const value = maskSecrets(typeof given === 'string' ? given : given.join(', ')).slice(0, MAX_HEADER_VALUE);
    size += name.length + value.length;
    if (size > WEBHOOK_HEADERS_BYTES) break;
    kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}

/** The start of a response body as text. */
export function boundBody(bytes: Buffer): string {
  return maskSecrets(bytes.subarray(0, WEBHOOK_ANSWER_BYTES).toString()).slice(0, WEBHOOK_ANSWER_BYTES);
}

/** A debug page of a receiver may show its settings, and with them the signing secret. Also replaces NUL. */
function maskSecrets(text: string): string {
  return text.replaceAll(/whsec_[A-Za-z0-9+/=_-]+/g, 'whsec_…').replaceAll('\0', '\u{fffd}');
}
