import { createExternalStore } from '../external-store.js';

/** The key of a session. It ends with the tab, and no other site or tab can send it. */
export interface Session {
  readonly secret: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

interface SessionState {
  readonly session: Session | null;
  /** Whether the API ended the last session, and not its user. */
  readonly wasRefused: boolean;
}

const STORAGE_KEY = 'pets.session';

const store = createExternalStore<SessionState>({ session: readStoredSession(), wasRefused: false });

export const useSession = store.useValue;

export function currentSession(): Session | null {
  return store.get().session;
}

export function startSession(session: Session): void {
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(session));
  store.set({ session, wasRefused: false });
}

/** The address stays, so the next sign-in returns to the same page. */
export function endSession({ wasRefused }: { wasRefused: boolean }): void {
  sessionStorage.removeItem(STORAGE_KEY);
  store.set({ session: null, wasRefused });
}

function readStoredSession(): Session | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null');
    return isSession(stored) && new Date(stored.expiresAt) > new Date() ? stored : null;
  } catch {
    return null; // invalid, or the browser forbids storage: the user signs in
  }
}

function isSession(value: unknown): value is Session {
  return typeof value === 'object' && value !== null && 'secret' in value && 'expiresAt' in value;
}
