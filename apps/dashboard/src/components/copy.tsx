import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { strings } from '../strings.js';
import { announce, announceQuietly } from './announcer.js';

const COPIED_MS = 2_000;

interface CopyProps {
  /** The subject of the accessible name: "Copy Value (CNAME)". */
  readonly what: string;
  readonly value: string;
  /** Takes the focus in a dialog. */
  readonly isFirst?: boolean;
}

/** Copies a value, and says "Copied" for two seconds. */
export function CopyValue({ what, value, isFirst = false }: CopyProps) {
  const [copiedAt, setCopiedAt] = useState<number | null>(null);
  useEffect(() => {
    if (copiedAt === null) return;
    const timer = setTimeout(() => setCopiedAt(null), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copiedAt]);
  const copy = () =>
    copyText(value).then(
      () => {
        setCopiedAt(Date.now());
        announceQuietly(strings.copied(what));
      },
      () => announce(strings.copyFailed),
    );
  return (
    <Button
      variant="default"
      size="compact-sm"
      className="copy"
      onClick={() => void copy()}
      aria-label={copiedAt === null ? strings.copy(what) : strings.copied(what)}
      data-autofocus={isFirst || undefined}
      autoFocus={isFirst}
    >
      {copiedAt === null ? strings.copyShort : strings.copiedShort}
    </Button>
  );
}

/** `navigator.clipboard` exists only in a secure context (https or localhost), so this must reject and not throw. */
async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

/** Text as it was sent. It scrolls, and so takes the focus. */
export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <pre className="code" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  );
}
