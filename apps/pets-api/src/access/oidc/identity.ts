import { roles, type Role } from '@pets/contracts';
import { isUuid } from '../../platform/uuid.js';
import type { Profile, Subject } from '../people/people.repository.js';

/** Claims of the provider about a person who has signed in. */
export interface Identity extends Subject, Profile {
  /** All claims, for the ones that the operator has chosen. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** OpenID Connect Core §2: the subject has at most 255 ASCII characters. */
const MAX_SUBJECT = 255;
const MAX_SHOWN = 200;

/** Null for a subject that no provider may send. */
export function identityOf(claims: Readonly<Record<string, unknown>>): Identity | null {
  const { iss: issuer, sub: subject } = claims;
  if (typeof issuer !== 'string' || typeof subject !== 'string') return null;
  if (subject.length > MAX_SUBJECT || !/^[\x20-\x7e]+$/.test(subject)) return null;
  const name = shownText(claims['name']) ?? shownText(claims['preferred_username']);
  return { issuer, subject, name, email: shownText(claims['email']), claims };
}

/** Text without control and bidirectional override characters, and not too long for a list. */
function shownText(value: unknown): string | null {
  if (typeof value !== 'string' || !value.isWellFormed()) return null;
  const text = value
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim()
    .normalize('NFC');
  return text === '' ? null : [...text].slice(0, MAX_SHOWN).join('');
}

/** The id of the organization in a claim: a text, or a list of one. Ids may be in upper case there, never in the database. */
export function organizationIn(claims: Identity['claims'], name: string | undefined): string | null {
  const value = name === undefined ? undefined : claims[name];
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof only === 'string' && isUuid(only) ? only.toLowerCase() : null;
}

/** Whether a claim names an organization, alone or with others. */
export function namesOrganization(claims: Identity['claims'], name: string, organizationId: string): boolean {
  const value = claims[name];
  const named: readonly unknown[] = Array.isArray(value) ? value : [value];
  return named.some((each) => typeof each === 'string' && each.toLowerCase() === organizationId);
}

/** The highest role that a claim names. */
export function roleIn(claims: Identity['claims'], name: string | undefined): Role | null {
  const value = name === undefined ? undefined : claims[name];
  const named: readonly unknown[] = Array.isArray(value) ? value : [value];
  return roles.find((role) => named.includes(role)) ?? null;
}
