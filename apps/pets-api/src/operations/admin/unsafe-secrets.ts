/** Keys and tokens that somebody could guess, or that give access to more than one thing. */
import { parseKeyRing, type KeyRing } from '@pets/platform';
import type { CheckedSettings, Finding } from './checked-settings.js';

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

export function findUnsafeSecrets(config: SecretSettings): Finding[] {
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

/** Of the secrets that can be read: a malformed key ring is another finding. */
function secretsOf(config: SecretSettings): Secret[] {
  const { QUEUE_KEYS_JOBS, QUEUE_KEYS_EVENTS, CERTIFICATE_KEKS } = config;
  return [
    ...keysOf('CERTIFICATE_KEKS', CERTIFICATE_KEKS),
    ...keysOf('QUEUE_KEYS_JOBS', ringOf(QUEUE_KEYS_JOBS)),
    ...keysOf('QUEUE_KEYS_EVENTS', ringOf(QUEUE_KEYS_EVENTS)),
    ...(['APP_SECRET', 'EDGE_TOKEN', 'GATEWAY_TOKEN', 'ADMIN_TOKEN'] as const).flatMap((name) => {
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

/** Of 16 random hexadecimal digits, the shortest token, one in 30 000 has fewer different ones. */
const MIN_CHARACTERS = 6;

/** Of 32 random bytes, 30 are different on average, and all but one key in 10^13 has more than this number. */
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
