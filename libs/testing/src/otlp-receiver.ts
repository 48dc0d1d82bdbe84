import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it was exported. */
export interface ReceivedSpan {
  readonly service: string;
  /** The attributes of the process. */
  readonly resource: Attributes;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes: Attributes;
  readonly hasFailed: boolean;
}

type Scalar = string | number | boolean;

type Attributes = Readonly<Record<string, Scalar | readonly Scalar[]>>;

/** A collector of traces: OTLP over HTTP, in JSON. */
export interface OtlpReceiver {
  /** Base URL, for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** Received spans, in order. */
  readonly spans: readonly ReceivedSpan[];
  /** Headers of the received requests. */
  readonly headers: readonly IncomingHttpHeaders[];
  /** Answers later requests with this status. */
  answerWith(status: number): void;
  close(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let status = 200;
  const receive = async (request: IncomingMessage) => {
    headers.push(request.headers);
    if (request.method !== 'POST' || request.url !== '/v1/traces') return 404;
    if (request.headers['content-type'] !== 'application/json') return 415;
    const exported = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Export; // the format of OTLP
    if (status === 200) spans.push(...spansIn(exported));
    return status;
  };
  const server = createServer((request, response) => {
    const answer = (code: number) => response.writeHead(code, { 'content-type': 'application/json' }).end('{}');
    receive(request).then(answer, () => answer(400));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // listening at a port
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    headers,
    answerWith: (code) => (status = code),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly SpanOnTheWire[] }[];
  }[];
}

interface SpanOnTheWire {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly KeyValue[];
  readonly status?: { readonly code?: number };
}

interface KeyValue {
  readonly key: string;
  readonly value: Value;
}

/** A value has the name of its type: `{ stringValue: 'a' }`. */
type ScalarOnTheWire = Readonly<Record<string, Scalar>>;

type Value = ScalarOnTheWire | { readonly arrayValue: { readonly values: readonly ScalarOnTheWire[] } };

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const STATUS_ERROR = 2;

function spansIn({ resourceSpans }: Export): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const about = attributesOf(resource.attributes);
    return scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ traceId, spanId, parentSpanId, name, kind, attributes, status }) => ({
        service: String(about['service.name']),
        resource: about,
        traceId,
        spanId,
        parentSpanId,
        name,
        kind: kinds[kind] ?? 'internal',
        attributes: attributesOf(attributes),
        hasFailed: status?.code === STATUS_ERROR,
      }));
  });
}

function attributesOf(pairs: readonly KeyValue[]): Attributes {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, readValue(value)]));
}

function readValue(value: Value): Scalar | readonly Scalar[] {
  const { arrayValue } = value;
  return typeof arrayValue === 'object' ? arrayValue.values.map(readScalar) : readScalar(value as ScalarOnTheWire); // no array
}

function readScalar(value: ScalarOnTheWire): Scalar {
  return Object.values(value)[0] ?? '';
}
