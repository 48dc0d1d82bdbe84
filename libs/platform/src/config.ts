import { readFileSync } from 'node:fs';
import { fieldErrorText, parseInput } from '@pets/contracts';
import { z } from 'zod';
import { dnsSetting } from './dns-settings.js';
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
  refuseRemovedSettings(schema, env);
  const values = Object.fromEntries(Object.keys(schema.shape).map((name) => [name, readSetting(name, env)]));
  const parsed = parseInput(schema, values, 'settings');
  if (parsed.ok) return parsed.value;
  throw new ConfigError(parsed.errors.map(fieldErrorText).join('\n'));
}

/**
 * Removed settings with the only value that still means what it says. Another one would be ignored silently, and the
 * installation would do something else than its operator believes.
 */
const removedSettings: Readonly<Record<string, { readonly harmless: string; readonly error: string }>> = {
  QUEUE_MAC: {
    harmless: 'require',
    error:
      'no longer exists, since every message must be signed: remove it, and set QUEUE_KEYS_JOBS and QUEUE_KEYS_EVENTS',
  },
};

/** A schema that has a removed setting reports it in its own way. */
function refuseRemovedSettings({ shape }: z.ZodObject, env: Env): void {
  for (const [name, { harmless, error }] of Object.entries(removedSettings))
    if (!Object.hasOwn(shape, name) && (readVariable(name, env) ?? harmless) !== harmless)
      throw new ConfigError(`${name}: ${error}`);
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

/** Parsers of settings, which are text. */
export const setting = {
  port: () => z.coerce.number().int().min(0).max(65_535),
  /** Without a final slash, since paths are appended. */
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
