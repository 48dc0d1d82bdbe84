import { useSyncExternalStore } from 'react';

/**
 * What has just happened, said to those who do not see the page change. One polite live region for all of it, there from
 * the first paint: a region that appears together with its text is not read out.
 */
let message = '';
const listeners = new Set<() => void>();

export function announce(text: string): void {
  // The same text twice would not be read again: an invisible difference makes it another one.
  message = text === message ? `${text}\u00a0` : text;
  for (const listener of listeners) listener();
}

export function Announcer() {
  const text = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => message,
  );
  return (
    <div role="status" aria-live="polite" className="visually-hidden">
      {text}
    </div>
  );
}
