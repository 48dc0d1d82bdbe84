import type { Database } from '@pets/persistence';
import type { Config } from '../platform/config.js';
import type { reservationSettings } from '../projects/reserved-slugs.js';

/** What commands work on. Settings are optional where only some commands need them. */
export interface AdminContext {
  readonly db: Database;
  readonly config: Pick<Config, 'ENVIRONMENT'> &
    Partial<
      Pick<
        Config,
        | 'CERTIFICATE_KEKS'
        | 'EDGE_MAX_STALENESS'
        | 'REVERIFY_AFTER'
        | 'PLAN_GRACE_DAYS'
        | keyof typeof reservationSettings
      >
    >;
}

/** The options as given: text where the usage names a value, `true` for a flag. */
export type Options = Readonly<Record<string, string | undefined>>;

interface AdminCommand {
  /** Its options as the usage shows them, such as `--name NAME [--force]`. The parser accepts these and no others. */
  readonly usage: string;
  /** @returns what is printed, as one JSON line */
  readonly run: (options: Options) => Promise<object>;
}

/** Commands by their words, such as `organization create`. */
export type AdminCommands = Readonly<Record<string, AdminCommand>>;

/** A command that cannot be done as given. The message is for the operator. */
export class AdminError extends Error {}
