import type { ChangedSetting } from './record.js';

type Values = Readonly<Record<string, unknown>>;

/** Which of the named settings were not left at their defaults. A folder for profiles is told without where it is. */
export function changedSettings(names: readonly string[], used: Values, byDefault: Values): ChangedSetting[] {
  return names
    .map((name) => ({ name, value: textOf(name, used[name]), byDefault: textOf(name, byDefault[name]) }))
    .filter(({ value, byDefault }) => value !== byDefault);
}

function textOf(name: string, value: unknown): string {
  if (value === undefined) return 'none';
  if (name === 'PROFILE') return 'a folder';
  return Array.isArray(value) ? value.join(',') : JSON.stringify(value).replaceAll('"', '');
}
