import { describe, expect, it } from '@jest/globals';
import { formatTraceParent, parseTraceParent } from './spans.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

describe('traceparent', () => {
  it.each([
    ['of version 00', `00-${traceId}-${parentId}-01`],
    ['of a later version, with more fields', `01-${traceId}-${parentId}-01-more`],
  ])('%s is continued', (_name, header) => {
    expect(parseTraceParent(header)).toEqual({ traceId, parentId, flags: '01' });
  });

  it.each([
    ['none', undefined],
    ['empty', ''],
    ['with capitals', `00-${traceId.toUpperCase()}-${parentId}-01`],
    ['of the forbidden version', `ff-${traceId}-${parentId}-01`],
    ['with a trace id of zeros', `00-${'0'.repeat(32)}-${parentId}-01`],
    ['with a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['too short', `00-${traceId}-${parentId}`],
    ['repeated', `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`],
  ])('%s is ignored', (_name, header) => {
    expect(parseTraceParent(header)).toBeNull();
  });

  it('is formatted and parsed', () => {
    const header = `00-${traceId}-${parentId}-00`;
    expect(formatTraceParent({ traceId, parentId, flags: '00' })).toBe(header);
    expect(parseTraceParent(header)).toEqual({ traceId, parentId, flags: '00' });
  });
});
