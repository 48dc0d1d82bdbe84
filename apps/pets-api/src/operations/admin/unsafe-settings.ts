/** Settings with which pets-api starts, or should, and is not safe: docs/operations/security.md. */
import { domainToASCII } from 'node:url';
import { fieldErrorText, parseInput } from '@pets/contracts';
import { isPublicSuffix } from '@pets/domains';
import { type KeyRing, parseKeyRing } from '@pets/platform';
import { z } from 'zod';
import { type Config, settingsSchema } from '../../platform/config.js';
import { checkedSettings, type CheckedSettings, type Finding } from './command.js';

type UnsafeConfig = CheckedSettings &
  Pick<Config, 'ENVIRONMENT'> &
  Partial<Pick<Config, 'PUBLIC_URL' | 'PLATFORM_DOMAIN'>> & { readonly CERTIFICATE_KEKS?: KeyRing | undefined };

/** The unsafe settings of an installation; none if all are safe. */
export function findUnsafeSettings(config: UnsafeConfig): Finding[] {
  return [
    ...findMalformed(config),
    ...findUnsafeSecrets(config),
    ...findUnsafeProxies(config),
    ...findMissingLimits(config),
    ...findPrivateWebhooks(config),
    ...findPublicInternals(config),
    ...findUnlistedPlatform(config),
  ];
}

/** Missing and malformed settings, with the errors that pets-api has at its start. */
function findMalformed(config: UnsafeConfig): Finding[] {
  const { shape } = settingsSchema;
  const required = (['CERTIFICATE_KEKS', 'PLATFORM_DOMAIN'] as const).filter((name) => config[name] === undefined);
  return [...namesOf(checkedSettings), ...required].flatMap((name) => {
    const parsed = parseInput(z.object({ [name]: shape[name] }), { [name]: config[name] }, 'settings');
    if (parsed.ok) return [];
    return parsed.errors.map((error): Finding => {
      const problem = `pets-api does not start: ${fieldErrorText(error)}.`;
      return { name, severity: 'error', problem, action: `Set ${name} as described in docs/operations/settings.md.` };
    });
  });
}

/** The largest private network, fc00::/7, is not larger. */
const tooLarge = /\/0*[0-6]$/;

function findUnsafeProxies({ TRUSTED_PROXIES: value, PUBLIC_URL = '' }: UnsafeConfig): Finding[] {
  const name = 'TRUSTED_PROXIES';
  const networks = (value ?? '')
    .split(',')
    .map((network) => network.trim())
    .filter((network) => network !== '');
  const action =
    'Set TRUSTED_PROXIES to the addresses or networks of the proxies before pets-api, or to none if there is no proxy.';
  if (networks.length === 0 && /^https:/i.test(PUBLIC_URL)) {
    const problem =
      'A proxy terminates TLS before pets-api (PUBLIC_URL is https), and its clients share one address in limits and logs.';
    return [{ name, severity: 'error', problem, action }];
  }
  return networks
    .filter((network) => tooLarge.test(network))
    .map((network) => {
      const problem = `TRUSTED_PROXIES has ${network}: strangers in it can choose the address that limits and logs use.`;
      return { name, severity: 'error', problem, action };
    });
}

const limits = {
  WRONG_KEYS_PER_MINUTE: 'wrong API keys of one address are not limited',
  SIGN_INS_PER_MINUTE: 'sign-ins are not limited',
  RATE_LIMIT_PER_MINUTE: 'requests of an organization are not limited, whatever its plan says',
} as const;

function findMissingLimits(config: UnsafeConfig): Finding[] {
  return namesOf(limits)
    .filter((name) => valueOf(name, config) === 0)
    .map((name) => ({
      name,
      severity: config.ENVIRONMENT === 'development' ? 'warning' : 'error',
      problem: `${name} is 0: ${limits[name]}.`,
      action: `Remove ${name}, which has a default of ${settingsSchema.shape[name].parse(undefined)}, or set another number.`,
    }));
}

function findPrivateWebhooks(config: UnsafeConfig): Finding[] {
  const name = 'ALLOW_PRIVATE_WEBHOOK_TARGETS';
  if (config.ENVIRONMENT === 'development' || valueOf(name, config) !== true) return [];
  const problem = 'Customers can send webhooks to addresses of your private networks, and over plain HTTP.';
  return [{ name, severity: 'error', problem, action: `Remove ${name} at pets-api and domains-worker.` }];
}

function findPublicInternals(config: UnsafeConfig): Finding[] {
  if (config.INTERNAL_PORT === undefined) {
    const problem = 'Without INTERNAL_PORT, /internal is on the public port.';
    const action = 'Set INTERNAL_PORT, and let only edges, gateways and Prometheus reach it.';
    return [{ name: 'INTERNAL_PORT', severity: 'error', problem, action }];
  }
  const name = 'INTERNAL_ALSO_PUBLIC';
  if (valueOf(name, config) !== true) return [];
  const problem = '/internal is on the public port as well.';
  const action = `Remove ${name} when all edges and gateways use INTERNAL_PORT.`;
  return [{ name, severity: 'warning', problem, action }];
}

/** A warning: the list takes an entry after weeks, and this version has the list of its release. */
function findUnlistedPlatform({ ENVIRONMENT, PLATFORM_DOMAIN: platform }: UnsafeConfig): Finding[] {
  if (ENVIRONMENT === 'development' || platform === undefined || isPublicSuffix(domainToASCII(platform))) return [];
  return [
    {
      name: 'PLATFORM_DOMAIN',
      severity: 'warning',
      problem: `The Public Suffix List of this version does not have ${platform}: a page of one project can set cookies that browsers send to every other project.`,
      action: `Enter ${platform} in the private section at https://publicsuffix.org/submit/; later versions have the entry.`,
    },
  ];
}

/** The value of a setting; undefined if it is malformed. */
function valueOf<Name extends keyof Config & keyof CheckedSettings>(name: Name, config: UnsafeConfig): unknown {
  return settingsSchema.shape[name].safeParse(config[name]).data;
}

function namesOf<Table extends object>(table: Table): (keyof Table)[] {
  return Object.keys(table) as (keyof Table)[]; // the keys of a constant
}

interface Secret {
  readonly name: string;
  /** For a finding, which never contains the secret. */
  readonly label: string;
  /** The bytes that the text may stand for. */
  readonly forms: readonly Buffer[];
  readonly isWeak: boolean;
  /** How to create another one. */
  readonly action: string;
}

type SecretSettings = CheckedSettings & { readonly CERTIFICATE_KEKS?: KeyRing | undefined };

function findUnsafeSecrets(config: SecretSettings): Finding[] {
  const secrets = secretsOf(config);
  return secrets.flatMap(({ name, label, forms, isWeak, action }, index): Finding[] => {
    const finding = { name, severity: 'error', action } as const;
    const same = secrets.slice(0, index).filter((other) => isSame(other.forms, forms));
    return [
      ...(isWeak ? [{ ...finding, problem: `${label} is not random: it can be guessed.` }] : []),
      ...same.map((other) => ({ ...finding, problem: `${label} is the same as ${other.label}.` })),
    ];
  });
}

/** Secrets that can be read: a malformed key ring is another finding. */
function secretsOf(config: SecretSettings): Secret[] {
  const { QUEUE_KEYS_JOBS, QUEUE_KEYS_EVENTS, CERTIFICATE_KEKS } = config;
  return [
    ...keysOf('CERTIFICATE_KEKS', CERTIFICATE_KEKS),
    ...keysOf('QUEUE_KEYS_JOBS', ringOf(QUEUE_KEYS_JOBS)),
    ...keysOf('QUEUE_KEYS_EVENTS', ringOf(QUEUE_KEYS_EVENTS)),
    ...(['APP_SECRET', 'EDGE_TOKEN', 'GATEWAY_TOKEN'] as const).flatMap((name) => {
      const text = config[name];
      return text === undefined ? [] : [tokenOf(name, text)];
    }),
  ];
}

function ringOf(text: string | undefined): KeyRing | undefined {
  try {
    return text === undefined ? undefined : parseKeyRing(text);
  } catch {
    return undefined;
  }
}

function keysOf(name: string, ring: KeyRing | undefined): Secret[] {
  const action = `Replace it by 32 random bytes (openssl rand -base64 32): docs/operations/rotate-secrets.md.`;
  return [...(ring?.keys ?? [])].map(([id, key]) => ({
    ...{ name, label: `Key "${id}" of ${name}`, forms: [key], action },
    isWeak: isWeakKey(key),
  }));
}

function tokenOf(name: string, text: string): Secret {
  return {
    ...{ name, label: name, isWeak: new Set(text).size < MIN_CHARACTERS },
    forms: [Buffer.from(text), Buffer.from(text, 'base64'), Buffer.from(text, 'hex')],
    action: 'Replace it by a random text (openssl rand -hex 32): docs/operations/rotate-secrets.md.',
  };
}

/**
 * Minimum of different characters. One in 30 000 tokens of the shortest kind, 16 random hexadecimal digits, has fewer.
 */
const MIN_CHARACTERS = 6;

/**
 * Different bytes up to which a key is weak. 32 random bytes have 30 on average, and all but one key in 10^13 more than
 * this.
 */
const MAX_WEAK_BYTES = 16;

/** Few different bytes, a sequence such as 1, 2, 3, or text that somebody typed: with random bytes, none of these happens. */
function isWeakKey(key: Buffer): boolean {
  const steps = key.subarray(1).map((byte, index) => byte - (key[index] ?? 0)); // modulo 256
  const isText = key.every((byte) => byte >= 0x20 && byte < 0x7f);
  return isText || [key, steps].some((bytes) => new Set(bytes).size <= MAX_WEAK_BYTES);
}

/** An empty form is a text that has no bytes in this encoding. */
function isSame(forms: readonly Buffer[], others: readonly Buffer[]): boolean {
  return forms.some((form) => form.length > 0 && others.some((other) => other.equals(form)));
}
