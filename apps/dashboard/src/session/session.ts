import type { Scope, SignInState } from '@pets/contracts';
import { createExternalStore } from '../external-store.js';

/** The session of this browser. Its key is in a cookie that no script can read. */
export interface Session {
  readonly id: string;
  /** Scopes at the sign-in. */
  readonly scopes: readonly Scope[];
}

interface SessionState {
  /** Undefined until the API has said whether there is one. */
  readonly session: Session | null | undefined;
  /** Whether the API ended the last session, and not its user. */
  readonly wasRefused: boolean;
}

const store = createExternalStore<SessionState>({ session: undefined, wasRefused: false });

/** How people can sign in, and why the last attempt failed, as the API said when the page was opened. */
type SignInOptions = Pick<SignInState, 'provider' | 'refusal'>;

const signInOptions = createExternalStore<SignInOptions>({ provider: null, refusal: null });

export const useSignInOptions = signInOptions.useValue;

export const setSignInOptions = signInOptions.set;

let tabs: BroadcastChannel | null = null;

/** Tabs share the cookie, so they tell each other when another session or none is in it. Called once, as the page begins. */
export function followOtherTabs(): void {
  tabs = new BroadcastChannel('pets.session');
  tabs.addEventListener('message', ({ data }: MessageEvent<Session | null>) => show(data));
}

export const useSession = store.useValue;

export function currentSession(): Session | null {
  return store.get().session ?? null;
}

/** Shows the session of an answer of the API. */
export function show(session: Session | null): void {
  if (session === null || session.id !== currentSession()?.id) store.set({ session, wasRefused: false });
}

/** The user has signed in or out: in all tabs. */
export function announceSession(session: Session | null): void {
  tabs?.postMessage(session);
  show(session);
}

/**
 * The address stays, so the next sign-in returns to the same page. An answer to a request of an earlier session, which may come
 * after a sign-in in another tab, does not end the current one.
 */
export function sessionRefused(refused: Session | null): void {
  if (refused !== null && refused.id === currentSession()?.id) store.set({ session: null, wasRefused: true });
}
