import { describe, expect, it } from '@jest/globals';
import { metricsIn } from './observability.js';

describe('the metrics in an expression', () => {
  it.each([
    ['edge_serving == 0', ['edge_serving']],
    ['sum by (ca) (rate(a_total{x!="gate"}[30m])) / sum by (ca) (rate(b_total[5m])) > 0.5', ['a_total', 'b_total']],
    [
      'histogram_quantile(0.99, sum by (le) (\n  rate(a_bucket{route!~".*/b_events"}[$__rate_interval])\n)) > 2',
      ['a_bucket'],
    ],
    ['max(a) > 3 and max(b) > 0.02 * max(c)', ['a', 'b', 'c']],
    ['topk(10, a) or vector(0)', ['a']],
  ])('%s', (promQl, names) => expect(metricsIn(promQl)).toEqual(names));
});
