import { CloseButton } from '@mantine/core';
import { useEffect, useState } from 'react';
import { createExternalStore } from '../external-store.js';
import { strings } from '../strings.js';

/** Long enough to read two sentences. */
const SHOWN_MS = 7_000;
const MAX_TOASTS = 3;

interface Toast {
  readonly id: number;
  readonly text: string;
}

const message = createExternalStore('');
const toasts = createExternalStore<readonly Toast[]>([]);
let lastId = 0;

/** Reports the result of an action: as a toast, and to screen readers. */
export function announce(text: string): void {
  announceQuietly(text);
  showToast(text);
}

/** Shows a result that something else announces. */
export function showToast(text: string): void {
  toasts.set([...toasts.get(), { id: ++lastId, text }].slice(-MAX_TOASTS));
}

/** Reports to screen readers alone, where the page shows the result anyway. */
export function announceQuietly(text: string): void {
  // Screen readers skip a repeated text: an invisible character makes it different.
  message.set(text === message.get() ? `${text}\u00a0` : text);
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

/**
 * One polite live region, present from the first paint: a region that appears together with its text is not read out. The
 * toasts beside it show the same messages, and are not read a second time.
 */
export function Announcer() {
  const shown = toasts.useValue();
  return (
    <>
      <div role="status" aria-live="polite" className="visually-hidden">
        {message.useValue()}
      </div>
      <section aria-label={strings.notifications}>
        {shown.length > 0 && (
          <ul className="toasts">
            {shown.map((toast) => (
              <ToastItem key={toast.id} toast={toast} />
            ))}
          </ul>
        )}
      </section>
    </>
  );
}

/** Stays while the pointer or the focus is on it. */
function ToastItem({ toast: { id, text } }: { readonly toast: Toast }) {
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => dismiss(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  return (
    <li
      className="toast"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p>{text}</p>
      <CloseButton onClick={() => dismiss(id)} aria-label={strings.dismiss} />
    </li>
  );
}
