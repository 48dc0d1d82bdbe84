import { z } from 'zod';

/** The account of `ACME_ACCOUNT_KEY`. The feed has its thumbprint; routes name those of other accounts. */
export const DEFAULT_ACCOUNT = 'default';

/** Names of accounts: the operator chooses them, and metrics show them. */
export const ACCOUNT_NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** An account other than the default one that a worker has opened. */
export const announcedAccountSchema = z.object({
  name: z.string().regex(ACCOUNT_NAME),
  directoryUrl: z.url(),
  accountUrl: z.url(),
  /** RFC 7638. */
  thumbprint: z.string().regex(/^[\w-]{43}$/),
});
export type AnnouncedAccount = z.infer<typeof announcedAccountSchema>;

/** Workers announce their accounts this often. */
export const ACCOUNTS_ANNOUNCED_EVERY_MS = 20_000;

/** A worker that has announced nothing for so long has stopped. */
export const WORKER_SILENT_AFTER_MS = 60_000;
