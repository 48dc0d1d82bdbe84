import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { currentTraceFields, currentTraceParent, startSpan } from './spans.js';
import { startTracing } from './start-tracing.js';

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const service = { name: 'test', folder: `${import.meta.dirname}/../..` };

function startWith(endpoint: string | undefined) {
  const lines: string[] = [];
  const log = { warn: (_about: unknown, message?: string) => void lines.push(message ?? '') };
  return { tracing: startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, service, log), lines };
}

describe('startTracing without an endpoint', () => {
  it('records nothing and has no current trace', async () => {
    expect(await startWith(undefined).tracing).toBeNull();
    const span = startSpan('step', { kind: 'internal', parent });
    expect(span.run(() => currentTraceParent())).toBeNull();
    expect(span.run(() => currentTraceFields())).toEqual({});
    span.end();
  });
});

describe('startTracing with an endpoint', () => {
  it('makes the span the current trace of its work, across waits', async () => {
    const { tracing } = startWith('http://127.0.0.1:1');
    const started = await tracing;
    const span = startSpan('step', {
      kind: 'internal',
      parent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
    });
    const seen = await span.run(async () => {
      await new Promise(setImmediate);
      return { ...currentTraceFields(), traceParent: currentTraceParent() };
    });
    expect(seen).toEqual({ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', traceParent: span.traceParent });
    expect(span.traceParent).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-(?!00f067aa0ba902b7)[0-9a-f]{16}-00$/);
    expect(currentTraceParent()).toBeNull();
    span.end();
    await started?.stop();
    expect(currentTraceParent()).toBeNull();
  });

  it('starts a new trace for a null parent, even within another span', async () => {
    const started = await startWith('http://127.0.0.1:1').tracing;
    const outer = startSpan('outer', { kind: 'internal', parent: null });
    const [inner, own] = outer.run(() => [
      startSpan('inner', { kind: 'internal' }),
      startSpan('own', { kind: 'internal', parent: null }),
    ]);
    expect(inner?.traceId).toBe(outer.traceId);
    expect(own?.traceId).not.toBe(outer.traceId);
    await started?.stop();
  });

  it('logs spans that the collector refuses, and stops nevertheless', async () => {
    const collector = createServer((_request, response) => response.writeHead(400).end()).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo; // listening at a port
    const { tracing, lines } = startWith(`http://127.0.0.1:${port}`);
    const started = await tracing;
    startSpan('step', { kind: 'internal', parent: null }).end();
    await started?.stop();
    collector.close();
    expect(lines).toEqual(['failed to send the remaining traces']);
  });
});
