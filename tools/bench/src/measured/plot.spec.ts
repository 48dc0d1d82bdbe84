import { describe, expect, it } from '@jest/globals';
import { plotFigures } from './plot.js';

const figure = (name: string, ratio: number | null, bar: number | null) => ({
  ...{ name, ratio, bar },
  isMet: bar === null ? null : ratio !== null && ratio >= bar,
});

const lengthOf = (svg: string | null, kind: string) =>
  Number(new RegExp(`class="${kind}"[^>]* width="([\\d.]+)"`).exec(svg ?? '')?.[1]);

describe('a plot', () => {
  it('draws each figure as a multiple of its bar', () => {
    const [half, double] = [plotFigures('s', [figure('a', 2, 4)]), plotFigures('s', [figure('a', 8, 4)])];
    expect(lengthOf(double, 'met')).toBeCloseTo(4 * lengthOf(half, 'missed'), 0);
    expect(half).toContain('0.50× missed');
    expect(double).toContain('>2.00×<');
  });

  it('says so where a bar is cut off', () => {
    const svg = plotFigures('s', [figure('a', 50, 1)]);
    expect(svg).toContain('50.00× →');
    expect(lengthOf(svg, 'met')).toBeLessThanOrEqual(360);
  });

  it('leaves out what has nothing to reach, and is none when nothing has', () => {
    expect(plotFigures('s', [figure('with', 1, 1), figure('without', 1, null)])).not.toContain('without');
    expect(plotFigures('s', [figure('without', 1, null)])).toBeNull();
  });

  it('takes a figure that is no number as missed', () => {
    expect(plotFigures('s', [figure('a', null, 1)])).toContain('0.00× missed');
  });

  it('says in its title what it shows, as text', () => {
    const svg = plotFigures('s', [figure('a<b&c', 1, 1)]);
    expect(svg).toContain(
      '<title id="title">s, each figure as a multiple of what is to be reached: a&lt;b&amp;c 1.00× (met)',
    );
    expect(svg).not.toContain('a<b');
  });

  it('can be read on a dark ground', () => {
    expect(plotFigures('s', [figure('a', 1, 1)])).toContain('@media (prefers-color-scheme: dark)');
  });
});
