import { renderDiagnoses } from './diagnoses-page.js';
import { renderReservedNames } from './reserved-names-page.js';
import { renderWebhookEvents } from './webhook-events-page.js';

/** The pages of docs/ that are made of contracts and decisions, by path. */
export const pages: Readonly<Record<string, () => string>> = {
  'docs/diagnoses.md': renderDiagnoses,
  'docs/reserved-names.md': renderReservedNames,
  'docs/webhook-events.md': renderWebhookEvents,
};
