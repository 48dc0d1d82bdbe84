import { Alert, Button, Stack, Text } from '@mantine/core';
import { strings } from '../strings.js';
import { CopyValue } from './copy-button.js';

interface NewSecretProps {
  /** What it is, for the name of its copy button. */
  readonly what: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A secret that is shown this once. */
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
