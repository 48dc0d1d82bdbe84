import { useEffect } from 'react';

/** A dialog that closes and a page that opens move the focus within this time. */
const SETTLE_MS = 50;

/**
 * When the focused control disappears or is disabled, browsers leave the focus on the body: the next Tab starts at the top, and
 * screen readers say nothing. The focus then moves to the open dialog, to the control that opened a closed one, or to the
 * heading of the page.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    /** Whether the last control was in a dialog when it got the focus: a removed control is in no dialog any more. */
    let isLastInLayer = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let opener: Element | null = null;
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof Element)) return;
      const isTargetInLayer = isInLayer(target);
      if (!isTargetInLayer) opener = null;
      else if (last !== null && !isLastInLayer) opener = last;
      last = target;
      isLastInLayer = isTargetInLayer;
    };
    const restore = () => {
      timer = undefined;
      if (last === null || hasFocus()) return;
      // A click beside all controls takes the focus from one that is still there.
      if (isUsable(last)) last = null;
      // Without scrolling: the reader stays at the same place.
      else findFallback(opener)?.focus({ preventScroll: true });
    };
    const check = () => {
      if (last !== null && !(isUsable(last) && hasFocus())) timer ??= setTimeout(restore, SETTLE_MS);
    };
    const observer = new MutationObserver(check);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    document.addEventListener('focusin', remember);
    document.addEventListener('focusout', check);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('focusout', check);
    };
  }, []);
}

/** Whether a control has the focus that can be used. */
function hasFocus(): boolean {
  const { activeElement } = document;
  return activeElement !== null && activeElement !== document.body && isUsable(activeElement);
}

function isUsable(element: Element): boolean {
  return element.isConnected && !element.matches(':disabled');
}

/** Whether an element is in a dialog or a menu, which another control opened. */
function isInLayer(element: Element): boolean {
  return element.closest('[role=dialog], [role=menu]') !== null;
}

function findFallback(opener: Element | null): HTMLElement | null {
  const dialog = document.querySelector<HTMLElement>('[role=dialog]');
  if (dialog !== null) return dialog;
  if (opener instanceof HTMLElement && isUsable(opener)) return opener;
  return document.querySelector<HTMLElement>('main h1');
}
