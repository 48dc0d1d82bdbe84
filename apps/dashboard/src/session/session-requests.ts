import type { SignInState, SignOutResult } from '@pets/contracts';
import { ApiError, callDashboard } from '../api/api.js';
import { strings } from '../strings.js';
import { announceSession, setSignInOptions, show } from './session.js';

/** Asks the API whether this browser has a session. The page requests the same before its scripts have loaded. */
export async function findSession(): Promise<SignInState> {
  const state = await callDashboard<SignInState>('sign-in');
  setSignInOptions({ provider: state.provider, refusal: state.refusal });
  show(state.session);
  return state;
}

/** Exchanges an API key for a 12-hour session, which cannot create keys. The API key itself is not stored. */
export async function signInWith(apiKey: string): Promise<void> {
  await callDashboard<SignInState>('session', { method: 'POST', headers: { authorization: `Bearer ${apiKey}` } });
  // Over plain HTTP, browsers keep the cookie only of their own machine, and some not even that.
  const { session } = await callDashboard<SignInState>('sign-in');
  if (session === null) throw new ApiError('forbidden', strings.signIn.noCookie, { status: null });
  announceSession(session);
}

/**
 * Ends the session in all tabs, and goes to the identity provider if it should end its own.
 * @throws ApiError when the API could not be reached: the cookie would still be valid
 */
export async function signOut(): Promise<void> {
  let result: SignOutResult | null = null;
  try {
    result = await callDashboard<SignOutResult>('session', { method: 'DELETE' });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
  announceSession(null);
  if (result !== null && result.location !== null) location.assign(result.location);
}
