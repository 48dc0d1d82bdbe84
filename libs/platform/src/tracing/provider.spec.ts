import { describe, expect, it } from '@jest/globals';
import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { chooseSampler } from './provider.js';
import { samplerNames, type SamplerName } from './settings.js';
import { contextOf } from './spans.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parents = {
  none: ROOT_CONTEXT,
  recorded: contextOf(`00-${traceId}-00f067aa0ba902b7-01`),
  unrecorded: contextOf(`00-${traceId}-00f067aa0ba902b7-00`),
};

function isRecorded(name: SamplerName | undefined, ratio: number | undefined, parent: keyof typeof parents): boolean {
  const sampler = chooseSampler(name, ratio);
  const { decision } = sampler.shouldSample(parents[parent], traceId, 'span', SpanKind.SERVER, {}, []);
  return decision === SamplingDecision.RECORD_AND_SAMPLED;
}

describe('chooseSampler', () => {
  it.each([
    [undefined, undefined, [true, true, false]],
    ['always_on', undefined, [true, true, true]],
    ['always_off', undefined, [false, false, false]],
    ['traceidratio', 0, [false, false, false]],
    ['traceidratio', 1, [true, true, true]],
    ['parentbased_always_on', undefined, [true, true, false]],
    ['parentbased_always_off', undefined, [false, true, false]],
    ['parentbased_traceidratio', 0, [false, true, false]],
    ['parentbased_traceidratio', 1, [true, true, false]],
  ] as const)('%s of %s: without a parent, with a recorded one, with an unrecorded one', (name, ratio, expected) => {
    const recorded = (['none', 'recorded', 'unrecorded'] as const).map((parent) => isRecorded(name, ratio, parent));
    expect(recorded).toEqual(expected);
  });

  it('has a sampler for each name', () => {
    for (const name of samplerNames) expect(typeof isRecorded(name, 0.5, 'none')).toBe('boolean');
  });
});
