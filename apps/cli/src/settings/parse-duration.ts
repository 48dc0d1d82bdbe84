const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Node's timers take no more: about 24 days. */
const MAX_MS = 2 ** 31 - 1;

/** Reads `90s`, `10m`, `1.5h` or `500ms` as milliseconds; null where it is none, or more than a timer takes. */
export function parseDuration(text: string): number | null {
  const { amount = '', unit = '' } = /^(?<amount>\d+(?:\.\d+)?)(?<unit>ms|s|m|h)$/.exec(text)?.groups ?? {};
  if (amount === '') return null;
  const durationMs = Math.round(Number(amount) * unitsMs[unit as keyof typeof unitsMs]); // one of the pattern's
  return durationMs <= MAX_MS ? durationMs : null;
}
