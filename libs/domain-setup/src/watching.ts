/** While somebody looks, the API is asked to check that often. */
export const WATCH_INTERVAL_MS = 10_000;
/** Time without a touch or a key after which nobody is expected to look. */
const LOOKING_MS = 15 * 60_000;
const touches = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

/**
 * Calls a function at once and every ten seconds, while the page is visible and somebody uses it.
 * @returns a function that stops it
 */
export function whileLooking(look: () => void): () => void {
  let touchedMs = Date.now();
  let lookedMs = 0;
  const lookIfUsed = () => {
    const now = Date.now();
    if (document.visibilityState !== 'visible' || now - touchedMs > LOOKING_MS) return;
    lookedMs = now;
    look();
  };
  const touch = () => {
    touchedMs = Date.now();
    if (touchedMs - lookedMs > WATCH_INTERVAL_MS) lookIfUsed();
  };
  lookIfUsed();
  const timer = setInterval(lookIfUsed, WATCH_INTERVAL_MS);
  for (const type of touches) addEventListener(type, touch, { passive: true });
  document.addEventListener('visibilitychange', touch);
  return () => {
    clearInterval(timer);
    for (const type of touches) removeEventListener(type, touch);
    document.removeEventListener('visibilitychange', touch);
  };
}
