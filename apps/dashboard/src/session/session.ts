import { useSyncExternalStore } from 'react';

/** The key of a session: it lasts for as long as the tab, and no other site or tab can send it along. */
export interface Session {
  readonly secret: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

interface SessionState {
  readonly session: Session | null;
  /** Whether the last one was ended by the API and not by its user. */
  readonly wasRefused: boolean;
}

const KEY = 'pets.session';

let state: SessionState = { session: readStored(), wasRefused: false };
const listeners = new Set<() => void>();

/** The session of this tab, and why there is none. */
export function useSession(): SessionState {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}

export function currentSession(): Session | null {
  return state.session;
}

export function beginSession(session: Session): void {
  sessionStorage.setItem(KEY, JSON.stringify(session));
  change({ session, wasRefused: false });
}

/** Forgets the session. The page that was open comes back after the next sign-in: its address stays. */
export function forgetSession({ wasRefused }: { wasRefused: boolean }): void {
  sessionStorage.removeItem(KEY);
  change({ session: null, wasRefused });
}

function change(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

function readStored(): Session | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return isSession(stored) && new Date(stored.expiresAt) > new Date() ? stored : null;
  } catch {
    return null; // not ours, or storage is forbidden: then one signs in
  }
}

function isSession(value: unknown): value is Session {
  return typeof value === 'object' && value !== null && 'secret' in value && 'expiresAt' in value;
}
