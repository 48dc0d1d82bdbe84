import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { currentTraceFields, currentTraceParent, startSpan } from './spans.js';
import { startTracing } from './start-tracing.js';

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const service = { name: 'test', folder: `${import.meta.dirname}/../..` };

function startedFor(endpoint: string | undefined) {
  const lines: string[] = [];
  const log = { warn: (_about: unknown, message?: string) => void lines.push(message ?? '') };
  return { tracing: startTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, service, log), lines };
}

describe('without an endpoint', () => {
  it('nothing is traced, and what is done is in no trace', async () => {
    expect(await startedFor(undefined).tracing).toBeNull();
    const span = startSpan('step', { kind: 'internal', parent });
    expect(span.run(() => [currentTraceParent(), currentTraceFields()])).toEqual([null, {}]);
    span.end();
  });
});

describe('with an endpoint', () => {
  it('what is done in a span, and after it has waited, is in its trace', async () => {
    const { tracing } = startedFor('http://127.0.0.1:1');
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

  it('a span of a null parent begins a trace of its own, within another', async () => {
    const started = await startedFor('http://127.0.0.1:1').tracing;
    const outer = startSpan('outer', { kind: 'internal', parent: null });
    const [inner, own] = outer.run(() => [
      startSpan('inner', { kind: 'internal' }),
      startSpan('own', { kind: 'internal', parent: null }),
    ]);
    expect(inner?.traceId).toBe(outer.traceId);
    expect(own?.traceId).not.toBe(outer.traceId);
    await started?.stop();
  });

  it('what a collector does not take is told of in the log, and a stop goes on', async () => {
    const collector = createServer((_request, response) => response.writeHead(400).end()).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo; // listening at a port
    const { tracing, lines } = startedFor(`http://127.0.0.1:${port}`);
    const started = await tracing;
    startSpan('step', { kind: 'internal', parent: null }).end();
    await started?.stop();
    collector.close();
    expect(lines).toEqual(['traces were left unsent']);
  });
});
