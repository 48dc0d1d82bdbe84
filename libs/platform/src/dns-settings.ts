import { z } from 'zod';

/** RFC 8945 §6 has only this one as mandatory to implement and recommended to use. */
const TSIG_ALGORITHM = 'hmac-sha256';
/** RFC 8945 §8 recommends as many bytes as the hash has, which are 32. Shorter ones than this can be guessed. */
const SHORTEST_SECRET_BYTES = 16;
/** Leaves room in a name of 253 characters for a label of 63 and the labels of a token. */
const MAX_ZONE_LENGTH = 150;

const name = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Parsers of settings about name servers. */
export const dnsSetting = {
  /** The name of a zone: two labels at least, in lower case, without the final dot. */
  dnsZone: () =>
    z
      .string()
      .transform(withoutFinalDot)
      .refine((zone) => name.test(zone) && zone.includes('.') && zone.length <= MAX_ZONE_LENGTH, 'is not a DNS zone'),
  /** A server as `host:port`, where the host is a name or an IPv4 address, or `[IPv6]:port`. */
  hostAndPort: () => z.string().refine(isHostAndPort, 'is not host:port'),
  /** `[hmac-sha256:]name:secret` as for `nsupdate -y` and `knsupdate -y`, the secret in base64. */
  tsigKey: () => z.string().transform(parseTsigKey),
};

/** The name is in lower case, without the final dot. */
function parseTsigKey(text: string, context: z.RefinementCtx): { readonly name: string; readonly secret: Buffer } {
  const parts = text.split(':');
  const [keyName = '', secretText = ''] = parts.slice(-2);
  const algorithm = parts.length === 3 ? parts[0]?.toLowerCase() : TSIG_ALGORITHM;
  const key = { name: withoutFinalDot(keyName), secret: Buffer.from(secretText, 'base64') };
  // The messages do not contain the text, which has the secret.
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (parts.length < 2 || parts.length > 3 || !name.test(key.name) || !base64.test(secretText))
    return refuse(`is not [${TSIG_ALGORITHM}:]name:secret, the secret in base64`);
  if (algorithm !== TSIG_ALGORITHM) return refuse(`has another algorithm than ${TSIG_ALGORITHM}`);
  if (key.secret.length < SHORTEST_SECRET_BYTES)
    return refuse(`has a secret of ${key.secret.length} bytes, less than ${SHORTEST_SECRET_BYTES}`);
  return key;
}

function isHostAndPort(text: string): boolean {
  const [, host, port = ''] = /^(\[[\da-fA-F:.]+\]|[^:[\]\s/]+):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return false;
  return URL.canParse(`http://${host}`);
}

/** Names of DNS are case-insensitive (RFC 4343), and may be written with a final dot. */
function withoutFinalDot(text: string): string {
  return text.toLowerCase().replace(/\.$/, '');
}
