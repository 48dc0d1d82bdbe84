import type { Page } from 'playwright-core';

const controls = 'a[href], button, input, select, textarea, summary, [role=option], [role^=menuitem]';

/**
 * The visible controls whose hit area is smaller than 44 by 44 CSS pixels, as `name: width × height`. Links inside sentences are
 * exempt, as in WCAG 2.5.8. A control whose box is small may have a larger hit area, so such ones are asked for their edges.
 */
export async function findSmallTargets(page: Page): Promise<string[]> {
  const dialog = page.getByRole('dialog');
  // A dialog covers the page.
  const shown = (await dialog.count()) > 0 ? dialog.first() : page;
  return shown.locator(controls).evaluateAll((found) => {
    const SIZE = 44;
    /** Browsers place boxes at fractions of a pixel. */
    const TOLERANCE = 0.5;
    const isClipped = (element: Element) => {
      for (let each: Element | null = element; each !== null; each = each.parentElement)
        if (getComputedStyle(each).clipPath !== 'none') return true;
      return false;
    };
    const isInSentence = (element: Element) =>
      element.tagName === 'A' &&
      getComputedStyle(element).display === 'inline' &&
      (element.closest('p, li, td, dd, div')?.textContent ?? '').trim() !== (element.textContent ?? '').trim();
    const isHit = (element: Element, labels: readonly Element[], x: number, y: number) => {
      const hit = (element.getRootNode() as Document | ShadowRoot).elementFromPoint(x, y);
      return hit !== null && [element, ...labels].some((each) => each.contains(hit));
    };
    const sizeOf = (element: HTMLElement) => {
      const labels = [...((element as HTMLInputElement).labels ?? [])].filter((label) => !isClipped(label));
      const boxes = [element, ...labels].map((each) => each.getBoundingClientRect());
      const width = Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left));
      const height = Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top));
      if (width >= SIZE - TOLERANCE && height >= SIZE - TOLERANCE) return null;
      element.scrollIntoView({ block: 'center', inline: 'center' });
      const { x, y, width: w, height: h } = element.getBoundingClientRect();
      const [centerX, centerY, half] = [x + w / 2, y + h / 2, SIZE / 2 - 1];
      const isWide = w >= SIZE || [-half, half].every((step) => isHit(element, labels, centerX + step, centerY));
      const isHigh = h >= SIZE || [-half, half].every((step) => isHit(element, labels, centerX, centerY + step));
      return isWide && isHigh ? null : `${Math.round(width)} × ${Math.round(height)}`;
    };
    const small = found.flatMap((element) => {
      if (!(element instanceof HTMLElement)) return [];
      if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('[inert]') !== null) return [];
      // Links to skip to the content are outside the page until they have the focus.
      if (element.getBoundingClientRect().right <= 0 || isClipped(element) || isInSentence(element)) return [];
      const size = sizeOf(element);
      if (size === null) return [];
      const name = element.getAttribute('aria-label') ?? element.innerText.slice(0, 40);
      return [`${element.tagName.toLowerCase()} ${name}: ${size}`];
    });
    scrollTo(0, 0);
    return [...new Set(small)];
  });
}
