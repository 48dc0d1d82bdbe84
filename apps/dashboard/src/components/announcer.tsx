import { createExternalStore } from '../external-store.js';

/**
 * Announces changes to screen readers. There is one polite live region, present from the first paint: a region that
 * appears together with its text is not read out.
 */
const message = createExternalStore('');

export function announce(text: string): void {
  // Screen readers skip a repeated text: an invisible character makes it different.
  message.set(text === message.get() ? `${text}\u00a0` : text);
}

export function Announcer() {
  return (
    <div role="status" aria-live="polite" className="visually-hidden">
      {message.useValue()}
    </div>
  );
}
