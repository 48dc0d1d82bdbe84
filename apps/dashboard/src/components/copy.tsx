import { Alert, Button, Stack, Text } from '@mantine/core';
import { strings } from '../strings.js';
import { announce } from './announcer.js';

interface CopyProps {
  /** The subject of the accessible name: "Copy Value (CNAME)". */
  readonly what: string;
  readonly value: string;
}

export function CopyValue({ what, value }: CopyProps) {
  const copy = () =>
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

/** `navigator.clipboard` exists only in a secure context (https or localhost), so this must reject and not throw. */
async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

interface NewSecretProps {
  /** The subject of the accessible name of the copy button. */
  readonly what: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A new secret, which the API returns only once. */
export function NewSecret({ what, secret, onClose }: NewSecretProps) {
  return (
    <Stack gap="md">
      <Alert color="green" variant="light" role="status" title={strings.secret.title}>
        <Text>{strings.secret.text}</Text>
        <Text className="value" data-secret>
          {secret}
        </Text>
        <CopyValue what={what} value={secret} />
      </Alert>
      <Button variant="default" onClick={onClose} data-autofocus>
        {strings.close}
      </Button>
    </Stack>
  );
}
