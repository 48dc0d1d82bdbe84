import { knownCaLimits, limitKinds, type CaLimit, type CaLimits, type LimitKind } from './ca-limits.js';

/** The units of a window. `describeLimit` shows hours and days. */
const unitsMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Larger numbers are mistakes: more orders than any CA issues in a day, and a longer window than the ledger is read for. */
const MAX_ORDERS = 10_000_000;
const MAX_WINDOW_MS = 366 * unitsMs.d;

/**
 * Parses the limits that CAs have granted: `DIRECTORY|KIND=MAX/WINDOW|…`, comma-separated, such as
 * `https://ca.example/directory|orders=3000/3h|registered_domain=none`. Kinds that an entry does not name keep the published
 * limit.
 * @returns all limits of the named directories
 * @throws Error that says which entry is wrong
 */
export function parseCaLimits(text: string): CaLimits {
  const limits = new Map<string, readonly CaLimit[]>();
  for (const entry of text.split(',')) {
    const [directoryUrl = entry, ...parts] = entry.split('|').map((part) => part.trim());
    if (!URL.canParse(directoryUrl)) throw new Error(`${directoryUrl || 'an empty entry'} is not a directory URL`);
    if (limits.has(directoryUrl)) throw new Error(`${directoryUrl} has more than one entry`);
    if (parts.length === 0) throw new Error(`${directoryUrl} has no limits: write KIND=MAX/WINDOW or KIND=none`);
    limits.set(directoryUrl, limitsWith(knownCaLimits(directoryUrl), parts));
  }
  return limits;
}

function limitsWith(published: readonly CaLimit[], parts: readonly string[]): readonly CaLimit[] {
  const granted = new Map<LimitKind, CaLimit | null>();
  for (const part of parts) {
    const [name = part, value = ''] = part.split('=', 2);
    const kind = limitKinds.find((known) => known === name);
    if (kind === undefined) throw new Error(`${name || part} is not one of ${limitKinds.join(', ')}`);
    if (granted.has(kind)) throw new Error(`${kind} is given more than once for one directory`);
    granted.set(kind, value === 'none' ? null : parseCaLimit(kind, value));
  }
  return limitKinds.flatMap((kind) => {
    const limit = granted.has(kind) ? granted.get(kind) : published.find((one) => one.kind === kind);
    return limit ? [limit] : [];
  });
}

/** @throws Error when the value is not `MAX/WINDOW` */
function parseCaLimit(kind: LimitKind, value: string): CaLimit {
  const { max, count, unit } = /^(?<max>\d{1,9})\/(?<count>\d{1,5})(?<unit>[mhd])$/.exec(value)?.groups ?? {};
  const windowMs = Number(count) * (unitsMs[unit as keyof typeof unitsMs] ?? 0); // a unit of the expression, or none
  const isLimit = Number(max) >= 1 && Number(max) <= MAX_ORDERS && windowMs >= unitsMs.m && windowMs <= MAX_WINDOW_MS;
  if (!isLimit) throw new Error(`${kind}=${value} is not MAX/WINDOW such as 300/3h (units m, h, d), or none`);
  return { kind, max: Number(max), windowMs };
}
