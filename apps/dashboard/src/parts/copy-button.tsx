import { Button } from '@mantine/core';
import { strings } from '../strings.js';
import { announce } from './announcer.js';

interface CopyProps {
  /** What it is, for its name: "Copy the value of docs". */
  readonly what: string;
  readonly value: string;
}

/** Copies a value and says so. */
export function CopyValue({ what, value }: CopyProps) {
  const copy = () =>
    // Only there in a secure context (https or localhost).
    copyText(value).then(
      () => announce(strings.copied(what)),
      () => announce(strings.copyFailed),
    );
  return (
    <Button variant="default" size="compact-xs" onClick={() => void copy()} aria-label={strings.copy(what)}>
      {strings.copyShort}
    </Button>
  );
}

async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}
