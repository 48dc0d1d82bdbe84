import type { TextMapPropagator } from '@opentelemetry/api';
import { contextOf, traceParentIn } from './spans.js';

const FIELD = 'traceparent';

/** How a trace travels where OpenTelemetry's own libraries send it on: the one header, read by our one parser. */
export const traceParentPropagator: TextMapPropagator = {
  fields: () => [FIELD],
  inject: (around, carrier, setter) => {
    const traceParent = traceParentIn(around);
    if (traceParent !== null) setter.set(carrier, FIELD, traceParent);
  },
  extract: (around, carrier, getter) => contextOf(getter.get(carrier, FIELD), around),
};
