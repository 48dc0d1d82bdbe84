import { DEFAULT_ACCOUNT, type AnnouncedAccount } from '@pets/contracts';
import { caAccountId, type CaAccount } from './ca-accounts.js';

/** An account that orders may use. */
export interface UsableAccount extends CaAccount {
  /** That routes name for challenges; null for the default account, whose thumbprint the feed has. */
  readonly thumbprint: string | null;
}

/** What decides whether named accounts may be used. */
export interface AccountReadiness {
  /** The accounts of each running worker. */
  readonly workers: readonly (readonly AnnouncedAccount[])[];
  /** Workers that are connected to the queue; null when the store does not list them. */
  readonly connectedWorkers: number | null;
}

/** The default accounts, and others if every worker can order with them. */
export function chooseUsable(
  configured: readonly CaAccount[],
  { workers, connectedWorkers }: AccountReadiness,
): readonly UsableAccount[] {
  // Workers without other accounts announce nothing.
  const haveAllAnnounced = workers.length >= (connectedWorkers ?? 0);
  return configured.flatMap((account): UsableAccount[] => {
    if (account.account === DEFAULT_ACCOUNT) return [{ ...account, thumbprint: null }];
    if (!haveAllAnnounced) return [];
    const id = caAccountId(account);
    const thumbprints = workers.map(
      (accounts) => accounts.find((one) => caAccountId({ ...one, account: one.name }) === id)?.thumbprint,
    );
    const [thumbprint] = thumbprints;
    // During a change of the key, workers announce different ones.
    const isCommon = thumbprint !== undefined && thumbprints.every((other) => other === thumbprint);
    return isCommon ? [{ ...account, thumbprint }] : [];
  });
}
