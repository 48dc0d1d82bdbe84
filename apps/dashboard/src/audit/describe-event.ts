import type { components } from '@pets/client';

type AuditEvent = components['schemas']['AuditEvent'];

const abbreviations: Readonly<Record<string, string>> = { api: 'API', id: 'ID', dns: 'DNS', ip: 'IP', url: 'URL' };

/** Such as `API key revoked` of `api_key.revoked`, and `Expires at` of `expiresAt`. */
export function asWords(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[\s._]+/)
    .map((word) => abbreviations[word] ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What people call the resource; its id where it has no name. */
export function nameOfSubject({ subject, detail }: AuditEvent): string {
  const name = [detail['name'], detail['slug'], detail['host']].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return String(name ?? subject.id);
}

/** The detail as text; null for what the event does not have. */
export function formatDetail(value: AuditEvent['detail'][string]): string | null {
  if (value === null || value === '') return null;
  return Array.isArray(value) ? value.join(', ') : String(value);
}
