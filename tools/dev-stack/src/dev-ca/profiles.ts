import { Problem } from './problem.js';

const DAY_SECONDS = 86_400;

/** What can be ordered (draft-ietf-acme-profiles), after the profiles of the CA that most certificates come from. */
export const profiles = {
  classic: {
    text: '90 days, with a common name: what is issued without a profile',
    validitySeconds: 90 * DAY_SECONDS,
    hasCommonName: true,
  },
  tlsserver: { text: '45 days, for TLS servers alone', validitySeconds: 45 * DAY_SECONDS, hasCommonName: false },
  shortlived: { text: '160 hours', validitySeconds: 160 * 3_600, hasCommonName: false },
} as const satisfies Record<string, { text: string; validitySeconds: number; hasCommonName: boolean }>;

export type ProfileName = keyof typeof profiles;

export const profileNames = Object.keys(profiles) as ProfileName[]; // the keys of a literal

/** What an order without a profile gets. */
const DEFAULT_PROFILE: ProfileName = 'classic';

/** draft-ietf-acme-profiles §4: a profile that is not advertised is refused. */
export function chooseProfile(wanted: string | undefined): ProfileName {
  if (wanted === undefined) return DEFAULT_PROFILE;
  const found = profileNames.find((name) => name === wanted);
  if (!found) throw new Problem('invalidProfile', `there is no profile ${JSON.stringify(wanted)}`);
  return found;
}
