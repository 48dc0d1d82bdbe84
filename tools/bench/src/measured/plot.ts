import type { MeasuredFigure } from './record.js';

/**
 * A bar a figure that has something to reach: how far it got, as a multiple of that. The picture has a ground of its
 * own, so that it can be read on any page, and says in words what its colours say.
 */

const ROW = 26;
const TOP = 34;
const LABELS = 290;
const BARS = 360;
const NOTES = 150;
/** What goes beyond is cut off and says so; else one large ratio would leave nothing to see of the others. */
const MOST = 2.5;

/** @returns an SVG, or null where no figure has a bar */
export function plotFigures(suite: string, figures: readonly MeasuredFigure[]): string | null {
  const bars = figures.flatMap(({ name, ratio, bar, isMet }) =>
    bar === null ? [] : [{ name, reached: ratio === null ? 0 : ratio / bar, isMet: isMet === true }],
  );
  if (bars.length === 0) return null;
  const [width, height] = [LABELS + BARS + NOTES, TOP + bars.length * ROW + 12];
  const line = LABELS + BARS / MOST;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${escaped(describePlot(suite, figures))}</title>`,
    STYLE,
    `<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>`,
    `<text x="${line}" y="20" text-anchor="middle">to be reached</text>`,
    ...bars.map((bar, row) => drawRow(bar, TOP + row * ROW)),
    `<line class="bar" x1="${line}" x2="${line}" y1="${TOP - 8}" y2="${height - 10}"/>`,
    '</svg>\n',
  ].join('\n');
}

/** The same in words, for whoever does not see it. */
export function describePlot(suite: string, figures: readonly MeasuredFigure[]): string {
  const parts = figures.flatMap(({ name, ratio, bar, isMet }) =>
    bar === null ? [] : [`${name} ${timesOf(ratio === null ? 0 : ratio / bar)} (${isMet ? 'met' : 'missed'})`],
  );
  return `${suite}, each figure as a multiple of what is to be reached: ${parts.join(', ')}`;
}

const STYLE = `<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.ground { fill: #ffffff; stroke: #d0d7de }
.met { fill: #2da44e }
.missed { fill: #cf222e }
.bar { stroke: #1f2328; stroke-width: 1.5; stroke-dasharray: 4 3 }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.ground { fill: #0d1117; stroke: #30363d }
.met { fill: #3fb950 }
.missed { fill: #f85149 }
.bar { stroke: #e6edf3 }
}
</style>`;

function drawRow(bar: { readonly name: string; readonly reached: number; readonly isMet: boolean }, y: number): string {
  const { name, reached, isMet } = bar;
  const length = Math.max(1, (Math.min(reached, MOST) / MOST) * BARS).toFixed(1);
  const note = `${timesOf(reached)}${reached > MOST ? ' →' : ''}${isMet ? '' : ' missed'}`;
  return [
    `<text x="${LABELS - 10}" y="${y + 14}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${isMet ? 'met' : 'missed'}" x="${LABELS}" y="${y + 1}" width="${length}" height="17" rx="2"/>`,
    `<text x="${LABELS + BARS + 10}" y="${y + 14}">${note}</text>`,
  ].join('\n');
}

function timesOf(reached: number): string {
  return `${reached.toFixed(2)}×`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
