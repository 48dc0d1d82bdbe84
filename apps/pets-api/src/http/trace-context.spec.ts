import { describe, expect, it } from '@jest/globals';
import { parseTraceParent } from './trace-context.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('traceparent', () => {
  it.each([
    ['of today', `00-${traceId}-00f067aa0ba902b7-01`],
    ['of a later version, with more to it', `01-${traceId}-00f067aa0ba902b7-01-what-comes`],
  ])('%s is continued', (_name, header) => {
    expect(parseTraceParent(header)).toEqual({ traceId, flags: '01' });
  });

  it.each([
    ['none', undefined],
    ['empty', ''],
    ['with capitals', `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`],
    ['of the forbidden version', `ff-${traceId}-00f067aa0ba902b7-01`],
    ['with a trace id of zeros', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`],
    ['with a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['too short', `00-${traceId}-00f067aa0ba902b7`],
    ['given twice', `00-${traceId}-00f067aa0ba902b7-01, 00-${traceId}-00f067aa0ba902b7-01`],
  ])('%s is as good as none', (_name, header) => {
    expect(parseTraceParent(header)).toBeNull();
  });
});
