import { describeCost, describeCount, type QuickRecord, type Reading } from './reading.js';

export type Verdict = 'worse' | 'better' | 'same' | 'new' | 'unmeasured';

/** A figure of this run beside that of the record. */
export interface Compared {
  readonly name: string;
  readonly verdict: Verdict;
  /** The line that is printed. */
  readonly text: string;
}

const COUNT_TOLERANCE = 0.05;
/** Something in the background that falls into a run is that much of one operation, or that many bytes. */
const COUNT_SLACK = 0.05;
const BYTES_SLACK = 32;
/** A ratio of CPU times may move within three standard deviations, which is almost all that chance does. */
const DEVIATIONS = 3;
const LEAST_COST_TOLERANCE = 0.15;
/** Processors differ: the same build needed 18 % more of the peer's time on one kind than on another. */
const COST_TOLERANCE_ELSEWHERE = 0.25;

/** Compares a run with the record. What the record has and the run lacks is unmeasured. */
export function compareWithRecord(
  record: QuickRecord,
  readings: readonly Reading[],
  processor: string,
): readonly Compared[] {
  const tolerance = processor === record.machine.processor ? LEAST_COST_TOLERANCE : COST_TOLERANCE_ELSEWHERE;
  const compared = readings.map((reading) => compareOne(record, reading, tolerance));
  const names = new Set(readings.map(({ name }) => name));
  const missing = [...record.counts, ...record.costs].filter(({ name }) => !names.has(name));
  return [
    ...compared,
    ...missing.map(({ name }) => ({ name, verdict: 'unmeasured', text: 'this run has no such figure' }) as const),
  ];
}

function compareOne(record: QuickRecord, reading: Reading, leastTolerance: number): Compared {
  const { name, kind } = reading;
  if (kind === 'unmeasured') return { name, verdict: 'unmeasured', text: reading.reason };
  if (kind === 'count') {
    const known = record.counts.find((count) => count.name === name);
    if (known === undefined) return { name, verdict: 'new', text: describeCount(reading.value) };
    const slack = name.endsWith('-bytes') ? BYTES_SLACK : COUNT_SLACK;
    const change = { from: known.value, to: reading.value, tolerance: COUNT_TOLERANCE, slack };
    return {
      name,
      ...evaluateChange(change),
      text: describeChange(change, describeCount(known.value), describeCount(reading.value)),
    };
  }
  const known = record.costs.find((cost) => cost.name === name);
  if (known === undefined) return { name, verdict: 'new', text: describeCost(reading) };
  const deviation = Math.hypot(known.spread / known.ratio, reading.spread / reading.ratio);
  const tolerance = Math.max(leastTolerance, DEVIATIONS * deviation);
  const change = { from: known.ratio, to: reading.ratio, tolerance, slack: 0 };
  return { name, ...evaluateChange(change), text: describeChange(change, describeCost(known), describeCost(reading)) };
}

interface Change {
  readonly from: number;
  readonly to: number;
  /** As a share of `from`. */
  readonly tolerance: number;
  /** Besides. */
  readonly slack: number;
}

function evaluateChange({ from, to, tolerance, slack }: Change): { readonly verdict: Verdict } {
  if (to > from * (1 + tolerance) + slack) return { verdict: 'worse' };
  return { verdict: to < from * (1 - tolerance) - slack ? 'better' : 'same' };
}

function describeChange({ from, to, tolerance }: Change, before: string, now: string): string {
  const percent = (share: number) => (share * 100).toFixed(0);
  const growth = from === 0 ? '' : `${to >= from ? '+' : '−'}${percent(Math.abs(to / from - 1))} %, `;
  return `${before} → ${now} (${growth}limit ${percent(tolerance)} %)`;
}
