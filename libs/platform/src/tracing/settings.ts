import { z } from 'zod';

/** The names that OpenTelemetry has for how it is chosen which traces are recorded. */
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
  /** `parentbased_always_on` unless given. */
  readonly OTEL_TRACES_SAMPLER?: SamplerName | undefined;
  /** 1 unless given. */
  readonly OTEL_TRACES_SAMPLER_ARG?: number | undefined;
}

/** How they are read from the environment, under the names that OpenTelemetry gives them. */
export const tracingSetting = {
  traceSampler: () => z.enum(samplerNames).optional(),
  /** Part of the traces that a ratio records. */
  traceRatio: () => z.coerce.number().min(0).max(1).optional(),
  /** `name=value` with commas between, each escaped as in a URL. */
  traceHeaders: () =>
    z
      .string()
      .transform((text, issues): Record<string, string> => {
        const pairs = text.split(',').filter((pair) => pair.trim() !== '');
        const headers = pairs.map(readHeader);
        if (headers.every((header) => header !== null)) return Object.fromEntries(headers);
        // The text itself is not told: it may hold a token.
        issues.addIssue({ code: 'custom', message: 'is not name=value with commas between' });
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
    return null; // an escape that is none
  }
}
