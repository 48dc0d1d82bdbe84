import { plans, type Plan } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { z } from 'zod';
import type { Config } from '../../platform/config.js';
import { isUuid } from '../../platform/uuid.js';
import type { reservationSettings } from '../../projects/reserved-slugs.js';

/** The database and settings of a command. Settings that only some commands need are optional. */
export interface AdminContext {
  readonly db: Database;
  readonly config: Pick<Config, 'ENVIRONMENT'> &
    CheckedSettings &
    Partial<
      Pick<
        Config,
        | 'CERTIFICATE_KEKS'
        | 'EDGE_MAX_STALENESS'
        | 'REVERIFY_AFTER'
        | 'PLAN_GRACE_DAYS'
        | 'PREPARE_MAX_DAYS'
        | 'ACME_DNS_ZONE'
        | 'STORAGE_URL'
        | 'PUBLIC_URL'
        | 'DASHBOARD_ORIGIN'
        | keyof typeof reservationSettings
      >
    >;
}

/** Options by name: the value, or `'true'` for a flag. */
export type Options = Readonly<Record<string, string | undefined>>;

interface AdminCommand {
  /** Options of the command, such as `--name NAME [--force]`. The parser accepts no others. */
  readonly usage: string;
  /** @returns the object to print; one with `ok: false` ends the process with exit code 1 */
  readonly run: (options: Options) => Promise<object>;
}

/** Commands by name, such as `organization create`. */
export type AdminCommands = Readonly<Record<string, AdminCommand>>;

/** A refused command. The message is for the operator. */
export class AdminError extends Error {}

/** Parsers of option values. Each throws an `AdminError` that names the option. */

export function required(option: string, value: string | undefined): string {
  if (!value) throw new AdminError(`--${option} is missing`);
  return value;
}

export function idOf(option: string, value: string | undefined): string {
  const id = required(option, value);
  if (!isUuid(id)) throw new AdminError(`--${option} is not an id: ${id}`);
  return id;
}

export function planOf(value: string | undefined): Plan {
  const plan = plans.find((known) => known === required('plan', value));
  if (plan === undefined) throw new AdminError(`--plan must be one of ${plans.join(', ')}`);
  return plan;
}

/** @throws AdminError when the setting is missing */
export function setting<Name extends keyof AdminContext['config']>(
  config: AdminContext['config'],
  name: Name,
): NonNullable<AdminContext['config'][Name]> {
  const value = config[name];
  if (value === undefined) throw new AdminError(`${name}: is required`);
  return value;
}

/** Setting as text, so that a missing or malformed one is a finding of `check` and no error of the other commands. */
const text = z.string().optional();

/** Settings that only `check` reads. */
export const checkedSettings = {
  QUEUE_KEYS_JOBS: text,
  QUEUE_KEYS_EVENTS: text,
  APP_SECRET: text,
  EDGE_TOKEN: text,
  GATEWAY_TOKEN: text,
  TRUSTED_PROXIES: text,
  WRONG_KEYS_PER_MINUTE: text,
  SIGN_INS_PER_MINUTE: text,
  RATE_LIMIT_PER_MINUTE: text,
  ALLOW_PRIVATE_WEBHOOK_TARGETS: text,
  PUBLIC_ADDRESSES: text,
  INTERNAL_PORT: text,
  INTERNAL_ALSO_PUBLIC: text,
};

export type CheckedSettings = z.infer<z.ZodObject<typeof checkedSettings>>;

export interface Finding {
  /** The setting. */
  readonly name: string;
  /** An error is unsafe now; a warning takes time to change, or is right for a while. */
  readonly severity: 'error' | 'warning';
  /** A sentence. It contains no secret. */
  readonly problem: string;
  /** Instruction to the operator. */
  readonly action: string;
}
