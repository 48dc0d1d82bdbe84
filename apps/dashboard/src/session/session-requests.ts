import type { SignInState } from '@pets/contracts';
import { ApiError, callDashboard } from '../api/api.js';
import { strings } from '../strings.js';
import { announceSession, show } from './session.js';

/** Asks the API whether this browser has a session. The page requests the same before its scripts have loaded. */
export async function findSession(): Promise<SignInState> {
  const state = await callDashboard<SignInState>('sign-in');
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

/** Ends the session in all tabs. @throws ApiError when the API could not be reached: the cookie would still be valid */
export async function signOut(): Promise<void> {
  try {
    await callDashboard('session', { method: 'DELETE' });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  }
  announceSession(null);
}
