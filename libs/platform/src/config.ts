import { readFileSync } from 'node:fs';
import { fieldErrorText, parseInput } from '@pets/contracts/errors';
import { z } from 'zod';
import { isNetwork } from './networks.js';
import { parseKeyRing } from './sealing.js';
import { tracingSetting } from './tracing/settings.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Settings are missing or wrong. The message has a line for each, which names the variable. */
class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the configuration of an app, once at its start. A setting `X` may be given as `X_FILE`, the path of a file with the
 * value, as container platforms pass secrets. An empty variable or file counts as unset.
 * @throws ConfigError naming each wrong variable
 */
export function loadConfig<Schema extends z.ZodObject>(schema: Schema, env: Env = process.env): z.infer<Schema> {
  const values = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, readSetting(name, env)]));
  const parsed = parseInput(schema, values, 'settings');
  if (parsed.ok) return parsed.value;
  throw new ConfigError(parsed.errors.map(fieldErrorText).join('\n'));
}

/** For the main file of an app: a wrong configuration ends the process with the errors of `loadConfig`. */
export function loadConfigOrExit<Schema extends z.ZodObject>(schema: Schema): z.infer<Schema> {
  try {
    return loadConfig(schema);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(error.message.replaceAll(/^/gm, 'configuration: ') + '\n');
    process.exit(1);
  }
}

/** Settings that may also be given under a singular name. */
const singularNames: Readonly<Record<string, string>> = { ACME_DIRECTORY_URLS: 'ACME_DIRECTORY_URL' };

function readSetting(name: string, env: Env): string | undefined {
  const singular = singularNames[name];
  return readVariable(name, env) ?? (singular === undefined ? undefined : readVariable(singular, env));
}

function readVariable(name: string, env: Env): string | undefined {
  if (env[name]) return env[name];
  const path = env[`${name}_FILE`];
  if (!path) return undefined;
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    throw new ConfigError(
      `${name}_FILE: cannot read ${path} (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

/** RFC 8945 §6 has only this one as mandatory to implement and recommended to use. */
const TSIG_ALGORITHM = 'hmac-sha256';
/** RFC 8945 §8 recommends as many bytes as the hash has, which are 32. Shorter ones than this can be guessed. */
const SHORTEST_SECRET_BYTES = 16;
/** Leaves room in a name of 253 characters for a label of 63 and the labels of a token. */
const MAX_ZONE_LENGTH = 150;

const name = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Parsers of settings about name servers. */
const dnsSetting = {
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

/** Parsers of settings, which are text. */
export const setting = {
  port: () => z.coerce.number().int().min(0).max(65_535),
  /** URL without a final slash, since paths are appended. */
  baseUrl: () => z.url().transform((url) => url.replace(/(?<!\/)\/+$/, '')),
  integer: () => z.coerce.number().int().nonnegative(),
  flag: () => z.stringbool(),
  list: () =>
    z.string().transform((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    ),
  /** IP addresses and networks in CIDR form, separated by commas. */
  networks: () => setting.list().pipe(z.array(z.string().refine(isNetwork, 'is not an IP address or network'))),
  /** Key-encryption keys, `id:base64,id:base64`. */
  keyRing: () => setting.parsed(parseKeyRing),
  /** Text for a function that throws an error with what is wrong. */
  parsed: <T>(parse: (text: string) => T) =>
    z.string().transform((text, context): T => {
      try {
        return parse(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
        return z.NEVER;
      }
    }),
  ...dnsSetting,
  ...tracingSetting,
  logLevel: () => z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
};
