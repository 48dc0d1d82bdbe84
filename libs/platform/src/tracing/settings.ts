import { z } from 'zod';

/** OpenTelemetry's names of samplers. */
export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export type SamplerName = (typeof samplerNames)[number];

export interface TracingSettings {
  /** Base URL of an OTLP/HTTP receiver; without it nothing is traced. */
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS?: Readonly<Record<string, string>> | undefined;
  /** The default is `parentbased_always_on`. */
  readonly OTEL_TRACES_SAMPLER?: SamplerName | undefined;
  /** The default is 1. */
  readonly OTEL_TRACES_SAMPLER_ARG?: number | undefined;
}

/** Parsers of OpenTelemetry's environment variables. */
export const tracingSetting = {
  traceSampler: () => z.enum(samplerNames).optional(),
  /** The ratio of recorded traces. */
  traceRatio: () => z.coerce.number().min(0).max(1).optional(),
  /** A comma-separated list of `name=value`, each escaped as in a URL. */
  traceHeaders: () =>
    z
      .string()
      .transform((text, issues): Record<string, string> => {
        const pairs = text.split(',').filter((pair) => pair.trim() !== '');
        const headers = pairs.map(readHeader);
        if (headers.every((header) => header !== null)) return Object.fromEntries(headers);
        // The message does not contain the text, which may have a token.
        issues.addIssue({ code: 'custom', message: 'is not a comma-separated list of name=value' });
        return z.NEVER;
      })
      .optional(),
};

function readHeader(pair: string): readonly [string, string] | null {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair.trim()) ?? [];
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return null;
  try {
    return [name, decodeURIComponent(value)];
  } catch {
    return null; // an invalid escape
  }
}
