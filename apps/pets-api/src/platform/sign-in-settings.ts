import { roles } from '@pets/contracts';
import { setting } from '@pets/platform';
import { z } from 'zod';

/** The identity provider of people: docs/operations/sign-in.md. Without an issuer there are API keys only. */
export const signInSettings = {
  /**
   * Issuer of the OpenID Connect provider with which people sign in to the dashboard, as in its `iss`; without it, they
   * sign in with API keys only: [Sign-in](docs/operations/sign-in.md).
   */
  OIDC_ISSUER_URL: z.url().optional(),
  /** Id of pets-api at the provider. */
  OIDC_CLIENT_ID: z.string().min(1).optional(),
  /** Secret of pets-api at the provider. */
  OIDC_CLIENT_SECRET: z.string().min(1).optional(),
  /** Name of the provider on the button of the sign-in page: “Sign in with …”. */
  OIDC_NAME: z.string().min(1).max(40).default('single sign-on'),
  /** Scopes that are requested of the provider, separated by spaces. */
  OIDC_SCOPES: z
    .string()
    .regex(/^openid(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'does not begin with openid')
    .default('openid profile email'),
  /**
   * Claim with the id of an organization, to which its people are added at their first sign-in, and which they leave at the
   * first one without the claim; without this setting, people need an invitation: [Sign-in](docs/operations/sign-in.md#people-by-claim).
   */
  OIDC_ORGANIZATION_CLAIM: z.string().min(1).optional(),
  /** Claim with a role or several, of which the highest counts, at each sign-in with an organization in the claim. */
  OIDC_ROLE_CLAIM: z.string().min(1).optional(),
  /** Role of people who are added by the claim and have no role in theirs. */
  OIDC_DEFAULT_ROLE: z.enum(roles).default('viewer'),
  /**
   * Whether a sign-out ends the session at the provider as well, if it announces an `end_session_endpoint`:
   * [Sign-in](docs/operations/sign-in.md#sign-out).
   */
  OIDC_SIGN_OUT: setting.flag().default(false),
} as const;

type SignInSettings = z.infer<z.ZodObject<typeof signInSettings>>;

/** Returns the fault of the settings together; null if there is none. */
export function findSignInFault(
  settings: Pick<
    SignInSettings,
    'OIDC_ISSUER_URL' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_ORGANIZATION_CLAIM' | 'OIDC_ROLE_CLAIM'
  > & { readonly ENVIRONMENT: string },
): { readonly name: string; readonly message: string } | null {
  const { OIDC_ISSUER_URL: issuer } = settings;
  if (issuer === undefined) return null;
  for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const)
    if (settings[name] === undefined) return { name, message: 'is required with OIDC_ISSUER_URL' };
  if (settings.OIDC_ROLE_CLAIM !== undefined && settings.OIDC_ORGANIZATION_CLAIM === undefined)
    return { name: 'OIDC_ROLE_CLAIM', message: 'needs OIDC_ORGANIZATION_CLAIM' };
  const { protocol, hostname } = new URL(issuer);
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname) && settings.ENVIRONMENT === 'development';
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback))
    return { name: 'OIDC_ISSUER_URL', message: 'is not https (http is allowed in development, for this machine only)' };
  return null;
}
