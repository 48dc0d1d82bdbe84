import type { Page } from 'playwright-core';

/** Measures how much the page moves without input. @returns the sum since the call */
export async function watchLayoutShift(page: Page): Promise<() => Promise<number>> {
  const observed = await page.evaluateHandle(() => {
    const shifts = { sum: 0 };
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[])
        if (!entry.hadRecentInput) shifts.sum += entry.value;
    });
    observer.observe({ type: 'layout-shift' });
    return shifts;
  });
  return () => observed.evaluate(({ sum }) => sum);
}
