import { expect, it } from '@jest/globals';
import { compareWithRecord } from './run-quick.js';
import type { QuickRecord, Reading } from './reading.js';

const record: QuickRecord = {
  ...{ date: '2026-01-02', reason: 'the first', seconds: 200 },
  machine: { processor: 'CPU', processors: 2, memoryGb: 8, system: 'Debian', programs: [] },
  counts: [
    { name: 'statements', value: 10 },
    { name: 'nothing', value: 0 },
    { name: 'some-bytes', value: 0 },
  ],
  costs: [{ name: 'cpu', ratio: 2, spread: 0.02 }],
};
const count = (value: number, name = 'statements'): Reading => ({ kind: 'count', name, value });
const cost = (ratio: number, spread: number): Reading => ({ kind: 'cost', name: 'cpu', ratio, spread });
const compare = (reading: Reading, processor = 'CPU') => compareWithRecord(record, [reading], processor)[0];

it.each<[string, Reading, string, string]>([
  ['a count within 5 %', count(10.5), 'same', '10.00 → 10.50 (+5 %, limit 5 %)'],
  ['a count beyond', count(10.56), 'worse', '10.00 → 10.56 (+6 %, limit 5 %)'],
  ['a lower count', count(5), 'better', '10.00 → 5.00 (−50 %, limit 5 %)'],
  ['something where nothing was', count(0.06, 'nothing'), 'worse', '0.00 → 0.06 (limit 5 %)'],
  ['what fell into the run from the background', count(0.04, 'nothing'), 'same', '0.00 → 0.04 (limit 5 %)'],
  ['a few bytes', count(30, 'some-bytes'), 'same', '0.00 → 30.00 (limit 5 %)'],
  ['more bytes', count(33, 'some-bytes'), 'worse', '0.00 → 33.00 (limit 5 %)'],
  ['nothing where nothing was', count(0, 'nothing'), 'same', '0.00 → 0.00 (limit 5 %)'],
  ['a count that is new', count(3, 'more'), 'new', '3.00'],
  ['a CPU ratio within 15 %', cost(2.28, 0.02), 'same', '2.00 ± 0.02 → 2.28 ± 0.02 (+14 %, limit 15 %)'],
  ['a CPU ratio beyond', cost(2.31, 0.02), 'worse', '2.00 ± 0.02 → 2.31 ± 0.02 (+16 %, limit 15 %)'],
  ['a CPU ratio with a wide spread', cost(2.8, 0.56), 'same', '2.00 ± 0.02 → 2.80 ± 0.56 (+40 %, limit 60 %)'],
  ['a lower CPU ratio', cost(1, 0.01), 'better', '2.00 ± 0.02 → 1.00 ± 0.01 (−50 %, limit 15 %)'],
])('%s', (_name, reading, verdict, text) => expect(compare(reading)).toMatchObject({ verdict, text }));

it('allows more for CPU ratios on another processor, and no more for counts', () => {
  expect(compare(cost(2.45, 0), 'another')?.verdict).toBe('same');
  expect(compare(cost(2.55, 0), 'another')?.verdict).toBe('worse');
  expect(compare(count(10.56), 'another')?.verdict).toBe('worse');
});

it('names what this machine cannot measure, and what the record has besides', () => {
  const unmeasured: Reading = { kind: 'unmeasured', name: 'statements', reason: 'no strace' };
  expect(compareWithRecord(record, [unmeasured, cost(2, 0.02)], 'CPU')).toMatchObject([
    { name: 'statements', verdict: 'unmeasured', text: 'no strace' },
    { name: 'cpu', verdict: 'same' },
    { name: 'nothing', verdict: 'unmeasured' },
    { name: 'some-bytes', verdict: 'unmeasured' },
  ]);
});
