import { z } from 'zod';

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
