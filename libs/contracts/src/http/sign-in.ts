import type { Scope } from '../enums.js';

/** The answer of `GET /dashboard/sign-in` and `POST /dashboard/session`, which only the dashboard uses. */
export interface SignInState {
  /** Null without a valid session. */
  readonly session: { readonly id: string; readonly scopes: readonly Scope[] } | null;
  /** The identity provider of the operator; null if people cannot sign in with one. */
  readonly provider: { readonly name: string } | null;
  /** Reason why the last sign-in with the identity provider failed, for a minute. */
  readonly refusal: SignInRefusal | null;
}

/** The answer of `DELETE /dashboard/session`. */
export interface SignOutResult {
  /** URL at which the person ends their session at the identity provider too; null if there is none. */
  readonly location: string | null;
}

/** The body of `POST /dashboard/sign-in/oidc`. */
export interface SignInStart {
  /** Path of the dashboard to which the person returns. */
  readonly returnTo: string;
  /** The token of an invitation. */
  readonly invitation?: string | undefined;
}

/** The answer of `POST /dashboard/sign-in/oidc`: the page of the identity provider. */
export interface SignInTarget {
  readonly location: string;
}

/** Reasons why a sign-in with the identity provider failed. The dashboard has a text for each. */
export const signInRefusals = [
  'expired',
  'denied',
  'provider_failed',
  'provider_unavailable',
  'no_organization',
  'removed',
  'invitation_invalid',
  'already_member',
  'other_organization',
  'organization_full',
] as const;

export interface SignInRefusal {
  readonly reason: (typeof signInRefusals)[number];
  /** Name or e-mail address of the person at the provider, if it is known. */
  readonly name: string | null;
}

/**
 * A header with the value `1` that every changing request with a session's cookie needs. A page of another origin cannot
 * send it without the consent of the API, which gives none.
 */
export const CSRF_HEADER = 'x-csrf';
