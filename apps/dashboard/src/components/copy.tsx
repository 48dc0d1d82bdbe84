import { Button, Stack, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { strings } from '../strings.js';
import { announce, announceQuietly } from './announcer.js';
import { Notice } from './notice.js';

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

interface NewSecretProps {
  /** The subject of the accessible name of the copy button. */
  readonly what: string;
  readonly secret: string;
  /** The text of the only button that closes the dialog: "I have saved this key". */
  readonly confirm: string;
  readonly onClose: () => void;
}

/** A new secret, which the API returns only once. The dialog around it must be locked. */
export function NewSecret({ what, secret, confirm, onClose }: NewSecretProps) {
  return (
    <Stack gap="md">
      <Notice tone="warning" role="status" title={strings.secret.title}>
        {strings.secret.text}
      </Notice>
      <TextInput
        label={what}
        value={secret}
        readOnly
        classNames={{ input: 'value' }}
        data-secret
        onFocus={(event) => event.currentTarget.select()}
      />
      <div>
        <CopyValue what={what} value={secret} isFirst />
      </div>
      <Button variant="default" onClick={onClose}>
        {confirm}
      </Button>
    </Stack>
  );
}
