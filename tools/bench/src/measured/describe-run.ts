import { code } from './markdown.js';
import type { RunRecord } from './record.js';

/** When, where and how a record came to be, in a paragraph; then what keeps it from being a whole run of today. */
export function describeRun(record: RunRecord): string {
  const { command, date, commit, seconds, machine } = record;
  const when = [
    `${date}`,
    ...(commit === undefined
      ? []
      : [`commit ${code(commit.id)}${commit.isDirty ? ' with changes that were not committed' : ''}`]),
    `${code(command)}${seconds === undefined ? '' : `, ${seconds} s`}`,
  ];
  const { processor, processors, memoryGb, system, programs } = machine;
  const where = [
    processor,
    `${processors} ${processors === 1 ? 'core' : 'cores'}`,
    `${memoryGb} GB`,
    system,
    ...programs.map(({ name, version }) => `${name} ${version}`),
  ];
  return [`Measured: ${when.join('; ')}; on ${where.join(', ')}.`, ...reservations(record)].join('\n\n');
}

function reservations({ settings, failed, carriedOver }: RunRecord): string[] {
  const changed = settings.map(({ name, value, byDefault }) => `${code(`${name}=${value}`)} (${byDefault} by default)`);
  return [
    ...(carriedOver === undefined ? [] : [`**Carried over**: ${carriedOver}.`]),
    ...(changed.length === 0 ? [] : [`**Not with the default settings**: ${changed.join(', ')}.`]),
    ...(failed === undefined ? [] : [`**Failed**: ${code(failed)}. What it did not get to is not here.`]),
  ];
}
